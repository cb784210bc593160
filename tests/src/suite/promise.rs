//! The terms that a key can have, sentence by sentence: the tables that people know from other stores.

use std::time::{Duration, SystemTime};

use kvrepo::{Error, KvEntity, Repository, TimeToLive};
use serde::{Deserialize, Serialize};

use crate::world::{World, eventually};

const MINUTE: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "keys", time_to_live = "30m")]
struct Key {
    #[id]
    id: String,
    value: String,
    #[version]
    version: u64,
}

fn key(id: &str) -> Key {
    Key {
        id: id.into(),
        value: "x".into(),
        version: 0,
    }
}

/// Asked so that nothing is renewed.
async fn is_there(keys: &Repository<Key>, id: &str) -> bool {
    keys.find_all_by_id([id]).await.unwrap().len() == 1
}

/// `ttl`: so long after the write.
pub async fn a_ttl_counts_from_the_write(world: &World) {
    let keys = world.repository::<Key>().await;
    keys.save(&mut key("1")).time_to_live(10 * MINUTE).await.unwrap();
    world.skip(&["keys"], 9 * MINUTE).await;
    assert!(
        keys.find_by_id("1").await.unwrap().is_some(),
        "reading does not matter"
    );
    world.skip(&["keys"], 2 * MINUTE).await;
    assert!(!is_there(&keys, "1").await);
}

/// `expiresAt`: at that time, whenever it was written.
pub async fn an_expires_at_is_that_time(world: &World) {
    let keys = world.repository::<Key>().await;
    let at = SystemTime::UNIX_EPOCH + Duration::from_millis(world.now().await) + 10 * MINUTE;
    let mut one = key("1");
    assert_eq!(
        keys.save(&mut one).expires_at(at).await.unwrap().deadline,
        Some(at)
    );
    assert_eq!(
        keys.save(&mut one).expires_at(at).await.unwrap().deadline,
        Some(at)
    );
    world.skip(&["keys"], 9 * MINUTE).await;
    assert!(is_there(&keys, "1").await);
    world.skip(&["keys"], 2 * MINUTE).await;
    assert!(!is_there(&keys, "1").await);
}

/// `idle`: so long after the last read or write.
pub async fn an_idle_term_counts_from_the_last_read_or_write(world: &World) {
    let keys = world.repository::<Key>().await;
    let mut one = key("1");
    keys.save(&mut one).idle(10 * MINUTE).await.unwrap();
    world.skip(&["keys"], 6 * MINUTE).await;
    keys.save(&mut one).idle(10 * MINUTE).await.unwrap();
    world.skip(&["keys"], 6 * MINUTE).await;
    assert!(keys.find_by_id("1").await.unwrap().is_some());
    eventually(
        "the read is a renewal",
        async || matches!(keys.time_to_live("1").await.unwrap(), TimeToLive::In(left) if left > 9 * MINUTE),
    )
    .await;
    world.skip(&["keys"], 6 * MINUTE).await;
    assert!(is_there(&keys, "1").await);
    world.skip(&["keys"], 6 * MINUTE).await;
    assert!(!is_there(&keys, "1").await);
}

/// None: never.
pub async fn without_a_term_a_key_never_expires(world: &World) {
    let keys = world.repository::<Key>().await;
    keys.save(&mut key("1")).persistent().await.unwrap();
    world.skip(&["keys"], 100_000 * MINUTE).await;
    assert!(is_there(&keys, "1").await);
    assert_eq!(keys.time_to_live("1").await.unwrap(), TimeToLive::Persistent);
}

/// The default of the type, and each call's own.
pub async fn the_default_counts_unless_the_call_says_otherwise(world: &World) {
    let keys = world.repository::<Key>().await;
    keys.save(&mut key("default")).await.unwrap();
    keys.save(&mut key("own"))
        .time_to_live(90 * MINUTE)
        .await
        .unwrap();
    world.skip(&["keys"], 31 * MINUTE).await;
    assert!(!is_there(&keys, "default").await);
    assert!(is_there(&keys, "own").await);
}

/// An expired key is absent to every call at once: it can be created again.
pub async fn what_has_expired_can_be_created_again(world: &World) {
    let keys = world.repository::<Key>().await;
    keys.insert(&mut key("1")).await.unwrap();
    assert!(matches!(
        keys.insert(&mut key("1")).await,
        Err(Error::AlreadyExists { .. })
    ));
    world.skip(&["keys"], 31 * MINUTE).await;
    assert!(keys.insert(&mut key("1")).await.unwrap().created);
}

/// And its version is none any more.
pub async fn a_version_of_what_has_expired_is_a_conflict(world: &World) {
    let keys = world.repository::<Key>().await;
    let mut one = key("1");
    keys.insert(&mut one).await.unwrap();
    world.skip(&["keys"], 31 * MINUTE).await;
    assert!(matches!(
        keys.save(&mut one).if_version(1).await,
        Err(Error::VersionConflict { .. })
    ));
    assert!(matches!(
        keys.delete_by_id("1").if_version(1).await,
        Err(Error::VersionConflict { .. })
    ));
    assert!(!is_there(&keys, "1").await);
}

/// Listing renews nothing.
pub async fn a_key_that_is_only_listed_goes_idle(world: &World) {
    let keys = world.repository::<Key>().await;
    keys.save(&mut key("1")).idle(10 * MINUTE).await.unwrap();
    world.skip(&["keys"], 6 * MINUTE).await;
    assert_eq!(keys.find_all().await.unwrap().len(), 1);
    assert_eq!(keys.count().await.unwrap(), 1);
    world.skip(&["keys"], 6 * MINUTE).await;
    assert_eq!(keys.find_all().await.unwrap().len(), 0);
    assert_eq!(keys.count().await.unwrap(), 0);
}

/// A whole number of seconds from 1 to 9,223,372,036 is a term; anything else is refused, with nothing written.
pub async fn seconds_from_one_to_nine_billion_are_a_term(world: &World) {
    #[derive(Debug, Serialize, Deserialize, KvEntity)]
    #[kv(keyspace = "seconds")]
    struct Seconds {
        #[id]
        id: String,
        #[time_to_live]
        ttl: i64,
    }
    let seconds = world.repository::<Seconds>().await;
    let make = |ttl| Seconds { id: "1".into(), ttl };
    for ttl in [1, 60, 9_223_372_036] {
        seconds.save(&mut make(ttl)).await.unwrap();
        let TimeToLive::In(left) = seconds.time_to_live("1").await.unwrap() else {
            panic!("it expires")
        };
        assert!(
            Duration::from_secs(ttl as u64) - left < Duration::from_secs(5),
            "{ttl}: {left:?}"
        );
        assert!(seconds.delete_by_id("1").await.unwrap());
    }
    for ttl in [0, -2, -60, i64::MIN, i64::MAX, i64::MAX / 1_000] {
        let refused = seconds.save(&mut make(ttl)).await;
        assert!(
            matches!(refused, Err(Error::InvalidTimeToLive { .. })),
            "{ttl}: {refused:?}"
        );
        assert_eq!(seconds.count().await.unwrap(), 0);
    }
}

/// What remains can be read.
pub async fn what_remains_of_a_key_can_be_read(world: &World) {
    let keys = world.repository::<Key>().await;
    keys.save(&mut key("1")).await.unwrap();
    world.skip(&["keys"], 10 * MINUTE).await;
    let TimeToLive::In(left) = keys.time_to_live("1").await.unwrap() else {
        panic!("it expires")
    };
    assert!(left <= 20 * MINUTE && left > 19 * MINUTE, "{left:?}");
    let entry = keys.entry("1").await.unwrap().unwrap();
    assert!(matches!(entry.remaining, TimeToLive::In(left) if left <= 20 * MINUTE));
    assert_eq!((entry.value.value.as_str(), entry.version), ("x", Some(1)));
    assert!(entry.deadline.is_some());
    assert_eq!(keys.time_to_live("2").await.unwrap(), TimeToLive::Missing);
}
