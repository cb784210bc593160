//! Changing some fields of an entity where it is stored.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;
use kvrepo::{Error, KvEntity, KvNested, Repository};
use serde::{Deserialize, Serialize};

use crate::world::{World, next};

/// Every kind of field that can be changed alone.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "carts", time_to_live = "1h")]
pub(super) struct Cart {
    #[id]
    pub(super) id: String,
    pub(super) user: String,
    pub(super) items: Vec<String>,
    prices: BTreeMap<String, u32>,
    pub(super) voucher: Option<String>,
    pub(super) visits: u8,
    balance: i64,
    total: u64,
    points: Option<i32>,
    weight: f64,
    share: Option<f32>,
    #[nested]
    pub(super) address: Option<Address>,
    /// Begins like the one before.
    address_note: Option<String>,
    #[nested]
    shop: Shop,
    #[serde(alias = "colour")]
    color: Option<String>,
    #[kv(json)]
    tags: Vec<String>,
    #[serde(with = "kvrepo::with::iso_duration")]
    every: Duration,
    #[serde(rename = "first-visit")]
    first: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvNested)]
pub(super) struct Address {
    pub(super) city: Option<String>,
    zip: Option<String>,
    #[nested]
    geo: Option<Geo>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvNested)]
struct Geo {
    lon: i32,
    lat: i32,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvNested)]
struct Shop {
    name: Option<String>,
    floor: Option<u8>,
}

impl Cart {
    pub(super) fn new(id: &str) -> Self {
        Self {
            id: id.into(),
            user: "ann".into(),
            items: vec!["book".into(), "pen".into()],
            prices: [("book".into(), 12), ("pen".into(), 1)].into(),
            ..Self::default()
        }
    }
}

/// A cart that is saved, and its repository.
async fn saved(world: &World, cart: &Cart) -> Repository<Cart> {
    let carts = world.repository::<Cart>().await;
    carts.save(&mut cart.clone()).await.unwrap();
    carts
}

/// What is stored is what is left of a cart after these changes, field by field, and so is its phantom.
pub(super) async fn stored_as(world: &World, carts: &Repository<Cart>, expected: &Cart) {
    assert_eq!(
        carts.find_by_id(&expected.id).await.unwrap().as_ref(),
        Some(expected)
    );
    let Some(server) = world.as_server() else { return };
    let hash = async |key: String| -> BTreeMap<String, Vec<u8>> { server.query(&["HGETALL", &key]).await };
    let id = &expected.id;
    let (found, phantom) = (
        hash(format!("carts:{id}")).await,
        hash(format!("carts:{id}:phantom")).await,
    );
    let mut whole = Cart {
        id: "whole".into(),
        ..expected.clone()
    };
    carts.save(&mut whole).await.unwrap();
    let mut whole = hash("carts:whole".into()).await;
    whole.insert("id".into(), id.clone().into_bytes());
    assert_eq!(found, whole, "as if it had been saved whole");
    assert_eq!(phantom, found, "C78");
    assert!(carts.delete_by_id("whole").await.unwrap());
}

pub async fn fields_are_changed_in_the_order_written(world: &World) {
    let mut cart = Cart {
        voucher: Some("x".into()),
        visits: 1,
        ..Cart::new("1")
    };
    let carts = saved(world, &cart).await;
    let fields = Cart::fields();
    let there = carts
        .update("1")
        .set(fields.user, "bo".into())
        .unset(fields.voucher)
        .set(fields.visits, 7)
        .increment(fields.visits, 2)
        .set(fields.balance, 1)
        .set(fields.balance, -5)
        .set(fields.first, Some(3))
        .await
        .unwrap();
    assert!(there);
    cart = Cart {
        user: "bo".into(),
        voucher: None,
        visits: 9,
        balance: -5,
        first: Some(3),
        ..cart
    };
    stored_as(world, &carts, &cart).await;
    carts
        .update("1")
        .unset(fields.voucher)
        .set(fields.voucher, Some(String::new()))
        .await
        .unwrap();
    cart.voucher = Some(String::new());
    stored_as(world, &carts, &cart).await;
    assert!(carts.update("1").await.unwrap(), "no change at all");
    stored_as(world, &carts, &cart).await;
}

/// Whole lists, maps and structs, with nothing left of what was there, and siblings untouched.
pub async fn what_is_replaced_leaves_nothing_behind(world: &World) {
    let mut cart = Cart {
        address: Some(Address {
            city: Some("Oslo".into()),
            zip: Some("1".into()),
            geo: Some(Geo { lon: 1, lat: 2 }),
        }),
        address_note: Some("ring".into()),
        tags: vec!["a".into()],
        ..Cart::new("1")
    };
    let carts = saved(world, &cart).await;
    let fields = Cart::fields();
    carts
        .update("1")
        .set(fields.items, vec!["cup".into()])
        .set(fields.prices, [("cup".into(), 3)].into())
        .set(
            fields.address,
            Some(Address {
                city: Some("Rome".into()),
                ..Address::default()
            }),
        )
        .set(fields.tags, vec!["b".into(), "c".into()])
        .set(fields.every, Duration::from_secs(90))
        .await
        .unwrap();
    cart.items = vec!["cup".into()];
    cart.prices = [("cup".into(), 3)].into();
    cart.address = Some(Address {
        city: Some("Rome".into()),
        ..Address::default()
    });
    cart.tags = vec!["b".into(), "c".into()];
    cart.every = Duration::from_secs(90);
    stored_as(world, &carts, &cart).await;

    carts
        .update("1")
        .set(fields.items, vec![])
        .unset(fields.prices)
        .set(fields.address, None)
        .await
        .unwrap();
    (cart.items, cart.prices, cart.address) = (vec![], BTreeMap::new(), None);
    assert_eq!(carts.find_by_id("1").await.unwrap().as_ref(), Some(&cart));
    carts
        .update("1")
        .set(fields.prices, BTreeMap::new())
        .await
        .unwrap();
    stored_as(world, &carts, &cart).await;
}

/// A nested field alone; a struct of which nothing is left is not `None`.
pub async fn a_nested_field_is_changed_alone(world: &World) {
    let mut cart = Cart {
        address: Some(Address {
            zip: Some("1".into()),
            geo: Some(Geo { lon: 1, lat: 2 }),
            ..Address::default()
        }),
        address_note: Some("ring".into()),
        ..Cart::new("1")
    };
    let carts = saved(world, &cart).await;
    let fields = Cart::fields();
    assert_eq!(fields.address.geo.lat.path(), "address.geo.lat");
    carts
        .update("1")
        .set(fields.address.city, Some("Oslo".into()))
        .increment(fields.address.geo.lat, 40)
        .set(fields.shop.name, Some("corner".into()))
        .await
        .unwrap();
    cart.shop.name = Some("corner".into());
    let address = cart.address.as_mut().unwrap();
    address.city = Some("Oslo".into());
    address.geo.as_mut().unwrap().lat = 42;
    stored_as(world, &carts, &cart).await;

    let emptied = carts
        .update("1")
        .unset(fields.address.city)
        .unset(fields.address.zip)
        .unset(fields.address.geo);
    emptied.unset(fields.shop.name).await.unwrap();
    cart.address = Some(Address::default());
    cart.shop = Shop::default();
    stored_as(world, &carts, &cart).await;
    carts
        .update("1")
        .set(fields.address.zip, Some("2".into()))
        .set(fields.shop.floor, Some(3))
        .await
        .unwrap();
    cart.address.as_mut().unwrap().zip = Some("2".into());
    cart.shop.floor = Some(3);
    stored_as(world, &carts, &cart).await;
}

/// Or what is stored could not be read.
pub async fn a_field_of_what_is_none_cannot_be_set(world: &World) {
    let mut cart = Cart::new("1");
    let carts = saved(world, &cart).await;
    let fields = Cart::fields();
    for refused in [
        carts
            .update("1")
            .set(fields.user, "bo".into())
            .set(fields.address.city, Some("Oslo".into()))
            .await,
        carts.update("1").increment(fields.address.geo.lat, 1).await,
    ] {
        match refused {
            Err(Error::Encode {
                entity: "Cart",
                path,
                reason,
            }) => {
                assert!(path == "address" && reason.contains("`None`"), "{path}: {reason}");
            }
            other => panic!("{other:?}"),
        }
    }
    stored_as(world, &carts, &cart).await;
    // There is nothing to take away, and nothing in the way of setting it whole first.
    assert!(
        carts
            .update("1")
            .unset(fields.address.city)
            .unset(fields.address)
            .await
            .unwrap()
    );
    stored_as(world, &carts, &cart).await;
    carts
        .update("1")
        .set(fields.address, Some(Address::default()))
        .set(fields.address.geo, Some(Geo::default()))
        .increment(fields.address.geo.lat, -3)
        .await
        .unwrap();
    cart.address = Some(Address {
        geo: Some(Geo { lon: 0, lat: -3 }),
        ..Address::default()
    });
    stored_as(world, &carts, &cart).await;
}

/// C77.
pub async fn an_update_of_what_is_not_there_does_nothing_and_says_so(world: &World) {
    let carts = world.repository::<Cart>().await;
    let fields = Cart::fields();
    carts
        .save(&mut Cart::new("1"))
        .time_to_live(Duration::from_millis(20))
        .await
        .unwrap();
    world.pass(Duration::from_millis(22)).await;
    for id in ["1", "2"] {
        assert!(!carts.update(id).set(fields.user, "bo".into()).await.unwrap());
        assert!(!carts.update(id).increment(fields.visits, 1).await.unwrap());
        assert!(!carts.update(id).increment(fields.weight, 1.0).await.unwrap());
        assert!(!carts.update(id).refresh_time_to_live().await.unwrap());
        assert!(!carts.update(id).persistent().await.unwrap());
        assert!(!carts.exists_by_id(id).await.unwrap());
        if let Some(server) = world.as_server() {
            let there: i64 = server.query(&["EXISTS", &format!("carts:{id}")]).await;
            assert_eq!(there, 0);
        }
    }
    assert_eq!(carts.count().await.unwrap(), 0);
    assert!(matches!(
        carts.update("").set(fields.visits, 1).await,
        Err(Error::InvalidId { .. })
    ));
}

/// C75.
pub async fn the_event_has_what_was_changed(world: &World) {
    let carts = world.repository::<Cart>().await;
    let mut expired = carts.expired().await.unwrap();
    let mut cart = Cart::new("1");
    carts
        .save(&mut cart)
        .time_to_live(Duration::from_millis(500))
        .await
        .unwrap();
    let fields = Cart::fields();
    assert!(
        carts
            .update("1")
            .set(fields.items, vec![])
            .set(fields.user, "bo".into())
            .await
            .unwrap()
    );
    world.pass(Duration::from_millis(502)).await;
    (cart.items, cart.user) = (vec![], "bo".into());
    assert_eq!(next(&mut expired).await.value(), Some(&cart));
}

/// All of the changes are done, or none.
pub async fn if_one_change_cannot_be_done_none_is(world: &World) {
    let cart = Cart {
        visits: 250,
        total: u64::MAX,
        points: Some(1),
        ..Cart::new("1")
    };
    let carts = saved(world, &cart).await;
    let fields = Cart::fields();
    for refused in [
        carts
            .update("1")
            .set(fields.user, "bo".into())
            .increment(fields.visits, 6)
            .await,
        carts
            .update("1")
            .set(fields.items, vec![])
            .increment(fields.visits, -251)
            .await,
        carts
            .update("1")
            .unset(fields.points)
            .increment(fields.total, 1)
            .await,
        carts
            .update("1")
            .set(fields.balance, i64::MAX)
            .increment(fields.balance, 1)
            .await,
        carts
            .update("1")
            .set(fields.balance, i64::MIN)
            .increment(fields.balance, -1)
            .await,
    ] {
        assert!(
            matches!(&refused, Err(Error::Encode { reason, .. }) if reason.contains("more, or less")),
            "{refused:?}"
        );
    }
    stored_as(world, &carts, &cart).await;
}

/// To the last bit, at the edges of their types.
pub async fn numbers_are_added_to_where_they_are_stored(world: &World) {
    let mut cart = Cart {
        total: u64::MAX - 3,
        balance: i64::MIN + 2,
        ..Cart::new("1")
    };
    let carts = saved(world, &cart).await;
    let fields = Cart::fields();
    carts
        .update("1")
        .increment(fields.total, 3)
        .increment(fields.balance, -2)
        .increment(fields.visits, 255)
        .increment(fields.points, -7)
        .increment(fields.weight, 0.1)
        .increment(fields.weight, 0.2)
        .increment(fields.share, 0.5)
        .await
        .unwrap();
    cart.total = u64::MAX;
    cart.balance = i64::MIN;
    cart.visits = 255;
    cart.points = Some(-7);
    cart.weight = 0.1 + 0.2;
    cart.share = Some(0.5);
    stored_as(world, &carts, &cart).await;
    carts
        .update("1")
        .increment(fields.balance, i64::MAX)
        .increment(fields.total, i64::MIN)
        .await
        .unwrap();
    cart.balance = -1;
    cart.total = u64::MAX - (1 << 63);
    stored_as(world, &carts, &cart).await;
    for (balance, by) in [
        (999_999_999, 1),
        (1_000_000_000, -1),
        (-1, 1),
        (-1_000_000_000, 1),
        (5, -1_000_000_005),
    ] {
        carts
            .update("1")
            .set(fields.balance, balance)
            .increment(fields.balance, by)
            .await
            .unwrap();
        cart.balance = balance + by;
        stored_as(world, &carts, &cart).await;
    }
}

pub async fn of_many_increments_none_is_lost(world: &World) {
    let cart = Cart::new("1");
    let carts = saved(world, &cart).await;
    let writers = (0..20).map(|_| {
        let carts = carts.clone();
        tokio::spawn(async move {
            let fields = Cart::fields();
            for _ in 0..10 {
                assert!(
                    carts
                        .update("1")
                        .increment(fields.balance, 3)
                        .increment(fields.total, 1)
                        .await
                        .unwrap()
                );
                // Which is read first, and so can be raced.
                assert!(carts.update("1").increment(fields.weight, 0.5).await.unwrap());
            }
        })
    });
    join_all(writers).await.into_iter().for_each(Result::unwrap);
    stored_as(
        world,
        &carts,
        &Cart {
            balance: 600,
            total: 200,
            weight: 100.0,
            ..cart
        },
    )
    .await;
}

/// What an earlier version of the type stored under another name is replaced as well.
pub async fn a_field_that_is_stored_under_an_alias_is_replaced(world: &World) {
    let mut cart = Cart::new("1");
    let carts = saved(world, &cart).await;
    if let Some(server) = world.as_server() {
        let _: i64 = server.query(&["HSET", "carts:1", "colour", "red"]).await;
        assert_eq!(
            carts.find_by_id("1").await.unwrap().unwrap().color.as_deref(),
            Some("red")
        );
    }
    carts
        .update("1")
        .set(Cart::fields().color, Some("blue".into()))
        .await
        .unwrap();
    cart.color = Some("blue".into());
    stored_as(world, &carts, &cart).await;
    carts.update("1").unset(Cart::fields().color).await.unwrap();
    cart.color = None;
    stored_as(world, &carts, &cart).await;
}

/// What Spring or another client left in the way is told, not written over.
pub async fn what_is_stored_in_another_form_is_not_changed(world: &World) {
    let Some(server) = world.as_server() else { return };
    let carts = saved(world, &Cart::new("1")).await;
    let _: i64 = server
        .query(&[
            "HSET",
            "carts:1",
            "address",
            "{\"city\":\"Oslo\"}",
            "balance",
            "1.5",
        ])
        .await;
    let fields = Cart::fields();
    let refused = carts.update("1").set(fields.address.city, None).await;
    assert!(
        matches!(&refused, Err(Error::Encode { path, .. }) if path == "address"),
        "{refused:?}"
    );
    let refused = carts.update("1").increment(fields.balance, 1).await;
    assert!(
        matches!(&refused, Err(Error::Encode { path, .. }) if path == "balance"),
        "{refused:?}"
    );
    let address: String = server.query(&["HGET", "carts:1", "address"]).await;
    assert_eq!(address, "{\"city\":\"Oslo\"}");
    carts
        .update("1")
        .set(fields.address, None)
        .set(fields.balance, 2)
        .await
        .unwrap();
    stored_as(
        world,
        &carts,
        &Cart {
            balance: 2,
            ..Cart::new("1")
        },
    )
    .await;
}
