//! What a change of some fields does to the term.

use std::time::{Duration, SystemTime};

use kvrepo::{Error, KeyspaceSettings, KvEntity, Repository, Store, TimeToLive};
use serde::{Deserialize, Serialize};

use super::update::Cart;
use crate::world::World;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);

/// What remains is about this.
async fn about<T: KvEntity<Id = String>>(entities: &Repository<T>, term: Duration) {
    let TimeToLive::In(left) = entities.time_to_live("1").await.unwrap() else {
        panic!("it expires")
    };
    assert!(
        left <= term && left + Duration::from_secs(5) > term,
        "{left:?} of {term:?}"
    );
}

/// C22.
pub async fn an_update_keeps_what_remains(world: &World) {
    let carts = world.repository::<Cart>().await;
    carts.save(&mut Cart::new("1")).await.unwrap();
    world.skip(&["carts"], 20 * MINUTE).await;
    let fields = Cart::fields();
    carts
        .update("1")
        .set(fields.user, "bo".into())
        .increment(fields.weight, 1.5)
        .await
        .unwrap();
    carts
        .update("1")
        .set(fields.user, "cy".into())
        .keep_time_to_live()
        .await
        .unwrap();
    about(&carts, 40 * MINUTE).await;
    carts.persist("1").await.unwrap();
    carts.update("1").set(fields.user, "di".into()).await.unwrap();
    assert_eq!(carts.time_to_live("1").await.unwrap(), TimeToLive::Persistent);
}

pub async fn a_refresh_gives_the_declared_term_again(world: &World) {
    let carts = world.repository::<Cart>().await;
    carts
        .save(&mut Cart::new("1"))
        .time_to_live(MINUTE)
        .await
        .unwrap();
    assert!(
        carts.update("1").refresh_time_to_live().await.unwrap(),
        "a bare one"
    );
    about(&carts, HOUR).await;
    let settings = KeyspaceSettings::new().time_to_live(2 * HOUR);
    let set = world
        .open(Store::builder().keyspace::<Cart>(settings))
        .await
        .repository::<Cart>();
    set.update("1")
        .set(Cart::fields().user, "bo".into())
        .refresh_time_to_live()
        .await
        .unwrap();
    about(&carts, 2 * HOUR).await;
    let settings = KeyspaceSettings::new().idle(MINUTE);
    let idle = world
        .open(Store::builder().keyspace::<Cart>(settings))
        .await
        .repository::<Cart>();
    idle.update("1").refresh_time_to_live().await.unwrap();
    about(&carts, MINUTE).await;
    assert_eq!(carts.entry("1").await.unwrap().unwrap().idle, Some(MINUTE));
    let never = KeyspaceSettings::new().persistent();
    let never = world
        .open(Store::builder().keyspace::<Cart>(never))
        .await
        .repository::<Cart>();
    never.update("1").refresh_time_to_live().await.unwrap();
    assert_eq!(carts.time_to_live("1").await.unwrap(), TimeToLive::Persistent);
}

/// The call's own comes before what is declared.
pub async fn an_update_can_give_a_term_of_its_own(world: &World) {
    let carts = world.repository::<Cart>().await;
    carts.save(&mut Cart::new("1")).await.unwrap();
    let user = Cart::fields().user;
    carts
        .update("1")
        .set(user, "bo".into())
        .time_to_live(MINUTE)
        .await
        .unwrap();
    about(&carts, MINUTE).await;
    let deadline = SystemTime::UNIX_EPOCH + Duration::from_millis(world.now().await) + 2 * HOUR;
    carts.update("1").expires_at(deadline).await.unwrap();
    assert_eq!(carts.entry("1").await.unwrap().unwrap().deadline, Some(deadline));
    carts
        .update("1")
        .set(user, "cy".into())
        .idle(MINUTE)
        .await
        .unwrap();
    assert_eq!(carts.entry("1").await.unwrap().unwrap().idle, Some(MINUTE));
    carts
        .update("1")
        .set(user, "di".into())
        .refresh_time_to_live()
        .persistent()
        .await
        .unwrap();
    let entry = carts.entry("1").await.unwrap().unwrap();
    assert_eq!((entry.remaining, entry.idle), (TimeToLive::Persistent, None));
    // And what is none is refused, with nothing changed.
    for refused in [
        carts
            .update("1")
            .set(user, "ed".into())
            .time_to_live(Duration::ZERO)
            .await,
        carts.update("1").set(user, "ed".into()).idle(Duration::MAX).await,
        carts
            .update("1")
            .set(user, "ed".into())
            .expires_at(SystemTime::UNIX_EPOCH)
            .await,
    ] {
        let refused = refused.unwrap_err();
        assert!(
            matches!(
                refused,
                Error::InvalidTimeToLive { .. } | Error::DeadlinePassed { .. }
            ),
            "{refused:?}"
        );
    }
    assert_eq!(carts.find_by_id("1").await.unwrap().unwrap().user, "di");
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "rents", time_to_live = "1h")]
struct Rent {
    #[id]
    id: String,
    tenant: String,
    #[time_to_live(unit = "min")]
    minutes: Option<u32>,
}

/// A field that states the term: as it is stored, or as the same update sets it.
pub async fn a_refresh_gives_the_term_that_the_entity_states(world: &World) {
    let rents = world.repository::<Rent>().await;
    let fields = Rent::fields();
    let mut rent = Rent {
        id: "1".into(),
        tenant: "ann".into(),
        minutes: Some(10),
    };
    rents.save(&mut rent).await.unwrap();
    world.skip(&["rents"], 5 * MINUTE).await;
    rents.update("1").set(fields.minutes, Some(30)).await.unwrap();
    about(&rents, 5 * MINUTE).await;
    rents.update("1").refresh_time_to_live().await.unwrap();
    about(&rents, 30 * MINUTE).await;
    rents
        .update("1")
        .set(fields.minutes, Some(2))
        .refresh_time_to_live()
        .await
        .unwrap();
    about(&rents, 2 * MINUTE).await;
    rents
        .update("1")
        .unset(fields.minutes)
        .refresh_time_to_live()
        .await
        .unwrap();
    about(&rents, HOUR).await;
    rents
        .update("1")
        .set(fields.minutes, Some(3))
        .refresh_time_to_live()
        .await
        .unwrap();
    let refused = rents
        .update("1")
        .set(fields.minutes, Some(0))
        .set(fields.tenant, "bo".into())
        .refresh_time_to_live();
    assert!(matches!(refused.await, Err(Error::InvalidTimeToLive { .. })));
    about(&rents, 3 * MINUTE).await;
    assert_eq!(rents.find_by_id("1").await.unwrap().unwrap().tenant, "ann");
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "plans", time_to_live_fn = "lasts")]
struct Plan {
    #[id]
    id: String,
    minutes: u32,
}

impl Plan {
    fn lasts(&self) -> Option<Duration> {
        (self.minutes > 0).then(|| self.minutes * MINUTE)
    }
}

/// A method that states it sees the entity as it is after the changes.
pub async fn a_refresh_asks_the_method_that_states_the_term(world: &World) {
    let plans = world.repository::<Plan>().await;
    plans
        .save(&mut Plan {
            id: "1".into(),
            minutes: 10,
        })
        .await
        .unwrap();
    plans.update("1").set(Plan::fields().minutes, 45).await.unwrap();
    about(&plans, 10 * MINUTE).await;
    plans
        .update("1")
        .increment(Plan::fields().minutes, 5)
        .refresh_time_to_live()
        .await
        .unwrap();
    about(&plans, 50 * MINUTE).await;
    plans
        .update("1")
        .set(Plan::fields().minutes, 0)
        .refresh_time_to_live()
        .await
        .unwrap();
    assert_eq!(plans.time_to_live("1").await.unwrap(), TimeToLive::Persistent);
}
