//! Keyspaces, their settings, and the life of a store.

use std::time::Duration;

use kvrepo::{Error, KeyspaceSettings, KvEntity, Store};
use serde::{Deserialize, Serialize};

use crate::fixture::{Person, Session};
use crate::world::{World, next};

#[derive(Debug, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "shop")]
struct Shop {
    #[id]
    id: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "shop:eu")]
struct EuropeanShop {
    #[id]
    id: String,
}

/// C37.
pub async fn one_keyspace_within_another_is_refused(world: &World) {
    let builder = Store::builder().keyspace::<Shop>(KeyspaceSettings::new());
    let refused = world
        .try_open(builder.keyspace::<EuropeanShop>(KeyspaceSettings::new()))
        .await;
    let Err(Error::KeyspaceConflict { keyspace, other, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!((keyspace.as_str(), other.as_str()), ("shop:eu", "shop"));

    let store = world.store().await;
    store
        .repository::<EuropeanShop>()
        .save(&mut EuropeanShop { id: "1".into() })
        .await
        .unwrap();
    let shops = store.repository::<Shop>();
    assert!(matches!(
        shops.save(&mut Shop { id: "eu:1".into() }).await,
        Err(Error::KeyspaceConflict { .. })
    ));
    assert!(matches!(
        shops.find_by_id("eu:1").await,
        Err(Error::KeyspaceConflict { .. })
    ));
    assert!(matches!(
        shops.expired().await,
        Err(Error::KeyspaceConflict { .. })
    ));
}

/// C112.
pub async fn a_name_that_would_break_the_layout_is_refused(world: &World) {
    for name in ["", "a#b", "a[bc]", "a*", "a?", "a b", ":a", "a:"] {
        let settings = KeyspaceSettings::new().name(name);
        let refused = world.try_open(Store::builder().keyspace::<Shop>(settings)).await;
        assert!(
            matches!(refused, Err(Error::InvalidSetting { what: "keyspace", .. })),
            "{name:?}: {refused:?}"
        );
    }
    let refused = world.try_open(Store::builder().key_prefix("t*")).await;
    assert!(
        matches!(
            refused,
            Err(Error::InvalidSetting {
                what: "key prefix",
                ..
            })
        ),
        "{refused:?}"
    );
    for settings in [
        KeyspaceSettings::new().grace(Duration::ZERO),
        KeyspaceSettings::new().retention(Duration::MAX),
    ] {
        assert!(
            world
                .try_open(Store::builder().keyspace::<Shop>(settings))
                .await
                .is_err()
        );
    }
    let zero = KeyspaceSettings::new().time_to_live(Duration::ZERO);
    let refused = world.try_open(Store::builder().keyspace::<Shop>(zero)).await;
    assert!(
        matches!(refused, Err(Error::InvalidTimeToLive { .. })),
        "{refused:?}"
    );
}

pub async fn settings_rename_a_keyspace(world: &World) {
    let renamed = world
        .open(Store::builder().keyspace::<Shop>(KeyspaceSettings::new().name("odd_one")))
        .await;
    renamed
        .repository::<Shop>()
        .save(&mut Shop { id: "1".into() })
        .await
        .unwrap();
    assert!(!world.repository::<Shop>().await.exists_by_id("1").await.unwrap());
    let other = world
        .open(Store::builder().keyspace::<Shop>(KeyspaceSettings::new().name("odd_one")))
        .await;
    assert!(other.repository::<Shop>().exists_by_id("1").await.unwrap());
}

pub async fn a_prefix_keeps_tenants_apart(world: &World) {
    let acme = world
        .open(Store::builder().key_prefix("acme:"))
        .await
        .repository::<Session>();
    let beta = world
        .open(Store::builder().key_prefix("beta:"))
        .await
        .repository::<Session>();
    let (mut heard_acme, mut heard_beta) = (acme.expired().await.unwrap(), beta.expired().await.unwrap());
    let term = Duration::from_millis(20);
    acme.save(&mut Session::new("1", "ann"))
        .time_to_live(term)
        .await
        .unwrap();
    beta.save(&mut Session::new("1", "bob"))
        .time_to_live(term)
        .await
        .unwrap();
    assert_eq!(acme.find_by_id("1").await.unwrap().unwrap().user, "ann");
    assert_eq!((acme.count().await.unwrap(), beta.count().await.unwrap()), (1, 1));
    world.pass(Duration::from_millis(25)).await;
    let (of_acme, of_beta) = (next(&mut heard_acme).await, next(&mut heard_beta).await);
    assert_eq!(of_acme.value().unwrap().user, "ann");
    assert_eq!(of_beta.value().unwrap().user, "bob");
    assert_eq!(
        (of_acme.key(), of_acme.keyspace()),
        ("acme:sessions:1", "sessions")
    );
    assert_eq!(acme.count().await.unwrap(), 0);
}

#[derive(Debug, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "people", shadow_copy = false)]
struct Passerby {
    #[id]
    id: String,
    firstname: String,
}

pub async fn types_can_share_a_keyspace(world: &World) {
    let store = world.store().await;
    store
        .repository::<Person>()
        .save(&mut Person::new("1", "Ann"))
        .await
        .unwrap();
    let found = store.repository::<Passerby>().find_by_id("1").await.unwrap();
    assert_eq!(
        found,
        Some(Passerby {
            id: "1".into(),
            firstname: "Ann".into()
        })
    );
    let longer = KeyspaceSettings::new().grace(Duration::from_secs(1));
    let refused = world.try_open(
        Store::builder()
            .keyspace::<Person>(KeyspaceSettings::new())
            .keyspace::<Passerby>(longer),
    );
    assert!(matches!(refused.await, Err(Error::KeyspaceConflict { .. })));
}

/// C36.
pub async fn a_colon_in_the_keyspace_does_no_harm(world: &World) {
    let shops = world.repository::<EuropeanShop>().await;
    let mut expired = shops.expired().await.unwrap();
    shops
        .save(&mut EuropeanShop { id: "a:b:c".into() })
        .time_to_live(Duration::from_millis(20))
        .await
        .unwrap();
    world.pass(Duration::from_millis(25)).await;
    let event = next(&mut expired).await;
    assert_eq!(
        (event.keyspace(), event.id().as_str(), event.key()),
        ("shop:eu", "a:b:c", "shop:eu:a:b:c")
    );
    assert_eq!(shops.count().await.unwrap(), 0);
}

pub async fn dropping_the_last_handle_ends_the_listener(world: &World) {
    let before = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let sessions = world.repository::<Session>().await;
    let expired = sessions.expired().await.unwrap();
    sessions.save(&mut Session::new("1", "ann")).await.unwrap();
    assert!(tokio::runtime::Handle::current().metrics().num_alive_tasks() > before);
    drop(sessions);
    drop(expired);
    let ended = async {
        while tokio::runtime::Handle::current().metrics().num_alive_tasks() > before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(1), ended)
        .await
        .expect("the tasks end within a second");
}
