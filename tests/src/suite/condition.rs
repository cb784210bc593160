//! Writes on a condition: inserting, taking, changing by a function.

use std::time::Duration;

use std::future::IntoFuture;

use futures_util::future::join_all;
use kvrepo::{Error, KeyspaceEvents, KvEntity, Store, TimeToLive};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use crate::fixture::{Person, Session};
use crate::world::{World, next};

const MINUTE: Duration = Duration::from_secs(60);

/// Absent is also what has expired.
pub async fn an_insert_is_refused_while_the_id_lives(world: &World) {
    let people = world.repository::<Person>().await;
    let outcome = people
        .insert(&mut Person::new("1", "Ann"))
        .time_to_live(MINUTE)
        .await
        .unwrap();
    assert!(outcome.created && outcome.deadline.is_some());
    let refused = people.insert(&mut Person::new("1", "Bo")).await;
    match refused {
        Err(error @ Error::AlreadyExists { .. }) => {
            assert!(error.is_conflict());
            assert_eq!(error.to_string(), "`people` with id `1` exists already");
        }
        other => panic!("{other:?}"),
    }
    let found = people.find_by_id("1").await.unwrap().unwrap();
    assert_eq!(
        (found.firstname.as_str(), found.ttl),
        ("Ann", Some(60)),
        "nothing was written"
    );
    assert_eq!(people.count().await.unwrap(), 1);
    people.delete_by_id("1").await.unwrap();
    assert!(people.insert(&mut Person::new("1", "Bo")).await.unwrap().created);
}

/// And what was not reaped becomes its event first.
pub async fn an_insert_after_expiry_succeeds_and_the_earlier_life_has_its_event(world: &World) {
    let people = world.repository::<Person>().await;
    let mut expired = people.expired().await.unwrap();
    people
        .insert(&mut Person::new("1", "Ann"))
        .time_to_live(Duration::from_millis(20))
        .await
        .unwrap();
    world.pass(Duration::from_millis(22)).await;
    let outcome = people
        .insert(&mut Person::new("1", "Bo"))
        .time_to_live(MINUTE)
        .await
        .unwrap();
    assert!(outcome.created);
    let event = next(&mut expired).await;
    assert_eq!(event.value().map(|person| person.firstname.as_str()), Some("Ann"));
    assert_eq!(people.find_by_id("1").await.unwrap().unwrap().firstname, "Bo");
}

/// Of many who insert one id, one does.
pub async fn of_a_hundred_inserts_one_succeeds(world: &World) {
    let people = world.repository::<Person>().await;
    let inserts = (0..100).map(|i| {
        let people = people.clone();
        tokio::spawn(async move { people.insert(&mut Person::new("1", &format!("P{i}"))).await })
    });
    let results: Vec<_> = join_all(inserts).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    assert!(
        results
            .iter()
            .flat_map(|result| result.as_ref().err())
            .all(|e| matches!(e, Error::AlreadyExists { .. }))
    );
}

/// C106: each says how it went.
pub async fn inserting_many_says_which_were_there(world: &World) {
    let people = world.repository::<Person>().await;
    people.save(&mut Person::new("2", "Old")).await.unwrap();
    let mut batch: Vec<_> = ["1", "2", "", "3"].map(|id| Person::new(id, "New")).into();
    let Err(Error::Batch { total: 4, failures }) = people.insert_all(&mut batch).time_to_live(MINUTE).await
    else {
        panic!("two cannot be inserted");
    };
    assert!(matches!(
        failures.iter().map(|f| (f.index, &f.error)).collect::<Vec<_>>()[..],
        [(1, Error::AlreadyExists { .. }), (2, Error::InvalidId { .. })]
    ));
    assert_eq!(people.count().await.unwrap(), 3);
    assert_eq!(people.find_by_id("2").await.unwrap().unwrap().firstname, "Old");
    for id in ["1", "3"] {
        assert!(matches!(people.time_to_live(id).await.unwrap(), TimeToLive::In(left) if left <= MINUTE));
    }
    assert!(people.insert_all(&mut []).await.unwrap().is_empty());
}

/// A code that can be used once.
pub async fn of_a_hundred_who_take_one_gets_it(world: &World) {
    let people = world
        .open(Store::builder().events(KeyspaceEvents::Off))
        .await
        .repository::<Person>();
    let mut ann = Person::new("1", "Ann");
    people.save(&mut ann).time_to_live(MINUTE).await.unwrap();
    let takes = (0..100).map(|_| {
        let people = people.clone();
        tokio::spawn(async move { people.take("1").await.unwrap() })
    });
    let taken: Vec<_> = join_all(takes)
        .await
        .into_iter()
        .filter_map(Result::unwrap)
        .collect();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0], Person { ttl: Some(60), ..ann });
    assert!(!people.exists_by_id("1").await.unwrap());
    assert_eq!(people.count().await.unwrap(), 0);
    if let Some(server) = world.as_server() {
        let keys: i64 = server.query(&["DBSIZE"]).await;
        assert_eq!(keys, 0, "nothing of it is left");
    }
}

/// What has expired is not there to be taken; it has its event.
pub async fn what_has_expired_cannot_be_taken(world: &World) {
    let people = world.repository::<Person>().await;
    let mut expired = people.expired().await.unwrap();
    people
        .save(&mut Person::new("1", "Ann"))
        .time_to_live(Duration::from_millis(20))
        .await
        .unwrap();
    world.pass(Duration::from_millis(22)).await;
    assert_eq!(people.take("1").await.unwrap(), None);
    assert!(next(&mut expired).await.value().is_some());
    assert_eq!(people.take("2").await.unwrap(), None);
    people.take("").await.unwrap_err();
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "counters", time_to_live = "1h")]
struct Counter {
    #[id]
    id: String,
    count: u64,
    #[time_to_live]
    ttl: Option<u32>,
}

impl Counter {
    fn new(count: u64, ttl: Option<u32>) -> Self {
        let id = "1".into();
        Self { id, count, ttl }
    }
}

/// Without a version what was read is compared.
pub async fn a_hundred_who_change_by_a_function_lose_nothing(world: &World) {
    let counters = world.repository::<Counter>().await;
    counters.save(&mut Counter::new(0, None)).await.unwrap();
    let writers = (0..20).map(|_| {
        let counters = counters.clone();
        tokio::spawn(async move {
            for _ in 0..10 {
                let changed = counters
                    .update_with("1", |counter| counter.count += 1)
                    .await
                    .unwrap();
                assert!(changed.is_some());
            }
        })
    });
    join_all(writers).await.into_iter().for_each(Result::unwrap);
    assert_eq!(counters.find_by_id("1").await.unwrap().unwrap().count, 200);
}

/// The term stays, unless the change states another or the call does.
pub async fn a_change_by_a_function_keeps_what_remains(world: &World) {
    let counters = world.repository::<Counter>().await;
    let left = async |range: std::ops::RangeInclusive<u64>| {
        let TimeToLive::In(left) = counters.time_to_live("1").await.unwrap() else {
            panic!("it expires")
        };
        assert!(range.contains(&left.as_secs()), "{left:?}");
    };
    counters.save(&mut Counter::new(0, Some(600))).await.unwrap();
    world.skip(&["counters"], 5 * MINUTE).await;

    let mut seen = None;
    let changed = counters
        .update_with("1", |counter| {
            seen = counter.ttl;
            counter.count = 1;
        })
        .await
        .unwrap()
        .unwrap();
    assert_eq!(seen, Some(600), "as it was stated");
    assert!((295..=300).contains(&changed.ttl.unwrap()), "{changed:?}");
    left(294..=300).await;

    counters
        .update_with("1", |counter| counter.ttl = Some(60))
        .await
        .unwrap();
    left(59..=60).await;
    counters
        .update_with("1", |_| {})
        .refresh_time_to_live()
        .await
        .unwrap();
    left(59..=60).await;
    counters
        .update_with("1", |counter| counter.ttl = None)
        .await
        .unwrap();
    left(3_599..=3_600).await;
    counters
        .update_with("1", |_| {})
        .time_to_live(MINUTE)
        .await
        .unwrap();
    left(59..=60).await;
    counters.update_with("1", |_| {}).persistent().await.unwrap();
    assert_eq!(counters.time_to_live("1").await.unwrap(), TimeToLive::Persistent);
    counters.update_with("1", |_| {}).await.unwrap();
    assert_eq!(counters.time_to_live("1").await.unwrap(), TimeToLive::Persistent);
}

/// C77.
pub async fn a_change_by_a_function_brings_nothing_into_being(world: &World) {
    let counters = world.repository::<Counter>().await;
    let mut called = 0;
    assert_eq!(counters.update_with("1", |_| called += 1).await.unwrap(), None);
    counters
        .save(&mut Counter::new(7, None))
        .time_to_live(Duration::from_millis(20))
        .await
        .unwrap();
    world.pass(Duration::from_millis(22)).await;
    assert_eq!(counters.update_with("1", |_| called += 1).await.unwrap(), None);
    assert_eq!(called, 0);
    assert_eq!(counters.count().await.unwrap(), 0);
    // Nor may it become another.
    counters.save(&mut Counter::new(7, None)).await.unwrap();
    let refused = counters.update_with("1", |counter| counter.id = "2".into()).await;
    assert!(matches!(refused, Err(Error::InvalidId { .. })), "{refused:?}");
    assert_eq!(counters.find_by_id("1").await.unwrap().unwrap().count, 7);
    assert!(!counters.exists_by_id("2").await.unwrap());
}

/// One that is deleted while it is being changed stays so.
pub async fn a_change_of_what_is_deleted_meanwhile_is_none(world: &World) {
    let sessions = world.repository::<Session>().await;
    for round in 0..50 {
        sessions.save(&mut Session::new("1", "ann")).await.unwrap();
        let (change, delete) = tokio::join!(
            sessions
                .update_with("1", |session| session.user = "bo".into())
                .into_future(),
            sessions.delete_by_id("1").into_future(),
        );
        change.unwrap();
        assert!(delete.unwrap());
        assert!(!sessions.exists_by_id("1").await.unwrap(), "round {round}");
        assert_eq!(sessions.count().await.unwrap(), 0);
    }
}

/// Whoever is raced without end is told so, and has changed nothing.
pub async fn a_change_that_is_raced_each_time_ends_in_a_conflict(world: &World) {
    let counters = world.repository::<Counter>().await;
    counters.save(&mut Counter::new(0, None)).await.unwrap();
    let mut tries = 0;
    let raced = counters
        .update_with("1", |counter| {
            tries += 1;
            counter.count += 1_000_000;
            // Somebody else is always a moment earlier.
            let other = counters.update("1").increment(Counter::fields().count, 1);
            let other = tokio::task::block_in_place(|| Handle::current().block_on(other.into_future()));
            assert!(other.expect("an update"));
        })
        .await;
    match raced {
        Err(error @ Error::VersionConflict { .. }) => assert!(error.is_conflict()),
        other => panic!("{other:?}"),
    }
    assert_eq!(tries, 200);
    assert_eq!(counters.find_by_id("1").await.unwrap().unwrap().count, 200);
}
