//! Idle terms: what begins them anew, and what does not.

use std::time::Duration;

use kvrepo::{KeyspaceSettings, KvEntity, Repository, Store, TimeToLive};
use serde::{Deserialize, Serialize};

use crate::world::{World, eventually, next, nothing_before};

const MINUTE: Duration = Duration::from_secs(60);
const SPAN: Duration = Duration::from_secs(30 * 60);

/// The idle term comes from the settings, and from the call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "visits")]
struct Visit {
    #[id]
    id: String,
    user: String,
    #[time_to_live]
    ttl: Option<i64>,
}

impl Visit {
    fn new(id: &str) -> Self {
        Self {
            id: id.into(),
            user: "ann".into(),
            ttl: None,
        }
    }
}

/// All of them idle for half an hour, unless they say something else.
async fn idle(world: &World) -> Repository<Visit> {
    let settings = KeyspaceSettings::new().idle(SPAN);
    world
        .open(Store::builder().keyspace::<Visit>(settings))
        .await
        .repository()
}

/// What is left of it; nothing, if it is not there.
async fn left(visits: &Repository<Visit>, id: &str) -> Duration {
    match visits.time_to_live(id).await.unwrap() {
        TimeToLive::In(left) => left,
        other => panic!("{id} is {other:?}"),
    }
}

/// Waits until it has its whole span again, but for what passes meanwhile.
async fn renewed(visits: &Repository<Visit>, id: &str) {
    eventually("the renewal", async || left(visits, id).await > SPAN - MINUTE / 2).await;
}

/// The three reads that count as a use.
pub async fn an_idle_term_begins_anew_with_each_read_by_id(world: &World) {
    let visits = idle(world).await;
    visits.save(&mut Visit::new("1")).await.unwrap();
    for round in 0..2 {
        world.skip(&["visits"], 20 * MINUTE).await;
        assert_eq!(
            visits.find_by_id("1").await.unwrap(),
            Some(Visit::new("1")),
            "round {round}"
        );
        renewed(&visits, "1").await;
        world.skip(&["visits"], 20 * MINUTE).await;
        assert!(visits.exists_by_id("1").await.unwrap());
        renewed(&visits, "1").await;
        world.skip(&["visits"], 20 * MINUTE).await;
        let entry = visits.entry("1").await.unwrap().unwrap();
        assert_eq!(entry.idle, Some(SPAN));
        let TimeToLive::In(told) = entry.remaining else {
            panic!("{entry:?}")
        };
        assert!(
            (9 * MINUTE..=10 * MINUTE).contains(&told),
            "what was left before: {told:?}"
        );
        renewed(&visits, "1").await;
    }
    world.skip(&["visits"], SPAN + MINUTE).await;
    assert_eq!(visits.find_by_id("1").await.unwrap(), None);
    assert!(!visits.exists_by_id("1").await.unwrap());
}

pub async fn listing_and_counting_renew_nothing(world: &World) {
    let visits = idle(world).await;
    // The second is read by its id as well: when it is renewed, the first would be, if it were to be.
    visits
        .save_all(&mut [Visit::new("1"), Visit::new("2")])
        .await
        .unwrap();
    world.skip(&["visits"], 20 * MINUTE).await;
    assert_eq!(visits.find_all().await.unwrap().len(), 2);
    assert_eq!(visits.find_all().slice(None, 10).await.unwrap().items.len(), 2);
    assert_eq!(visits.find_all_by_id(["1", "2"]).await.unwrap().len(), 2);
    assert_eq!(visits.count().await.unwrap(), 2);
    visits.time_to_live("1").await.unwrap();
    visits.sweep().await.unwrap();
    visits.find_by_id("2").await.unwrap();
    renewed(&visits, "2").await;
    assert!(left(&visits, "1").await <= 10 * MINUTE);
    world.skip(&["visits"], 20 * MINUTE).await;
    assert_eq!(visits.count().await.unwrap(), 1);
}

/// A read costs no write in the first thirtieth.
pub async fn a_term_is_renewed_once_a_thirtieth_has_passed(world: &World) {
    let visits = idle(world).await;
    visits.save(&mut Visit::new("1")).await.unwrap();
    // A thirtieth of it is 40 seconds; of the other one, a minute.
    visits.save(&mut Visit::new("2")).idle(20 * MINUTE).await.unwrap();
    world.skip(&["visits"], Duration::from_secs(50)).await;
    visits.find_by_id("1").await.unwrap();
    visits.find_by_id("2").await.unwrap();
    eventually("the renewal of the second", async || {
        left(&visits, "2").await > 20 * MINUTE - Duration::from_secs(30)
    })
    .await;
    assert!(left(&visits, "1").await <= SPAN - Duration::from_secs(50));
    world.skip(&["visits"], Duration::from_secs(11)).await;
    visits.find_by_id("1").await.unwrap();
    renewed(&visits, "1").await;
}

/// Less than a minute, or than a thirtieth if that is less.
pub async fn what_has_little_left_is_renewed_before_the_read_returns(world: &World) {
    let visits = idle(world).await;
    visits.save(&mut Visit::new("1")).await.unwrap();
    for read in 0..3 {
        world
            .skip(&["visits"], SPAN - MINUTE / 2 - Duration::from_secs(10))
            .await;
        match read {
            0 => assert!(visits.find_by_id("1").await.unwrap().is_some()),
            1 => assert!(visits.exists_by_id("1").await.unwrap()),
            _ => assert!(visits.entry("1").await.unwrap().is_some()),
        }
        assert!(left(&visits, "1").await > SPAN - MINUTE / 2, "read {read}");
    }
}

/// It would not live until the notes of a second are sent.
pub async fn a_short_idle_term_is_renewed_before_the_read_returns(world: &World) {
    let ms = Duration::from_millis;
    let settings = KeyspaceSettings::new().idle(ms(1_900));
    let store = world.open(Store::builder().keyspace::<Visit>(settings)).await;
    let visits: Repository<Visit> = store.repository();
    visits.save(&mut Visit::new("1")).await.unwrap();
    for read in 0..3 {
        world.skip(&["visits"], ms(1_100)).await;
        assert!(visits.find_by_id("1").await.unwrap().is_some(), "read {read}");
        assert!(left(&visits, "1").await > ms(1_200), "read {read}");
    }
}

/// Nor does a renewal that comes too late.
pub async fn a_renewal_revives_nothing(world: &World) {
    let visits = idle(world).await;
    visits
        .save_all(&mut ["1", "2", "3"].map(Visit::new))
        .await
        .unwrap();
    world.skip(&["visits"], 20 * MINUTE).await;
    for id in ["1", "2", "3"] {
        visits.find_by_id(id).await.unwrap();
    }
    visits.delete_by_id("1").await.unwrap();
    visits.persist("2").await.unwrap();
    renewed(&visits, "3").await;
    assert_eq!(visits.time_to_live("1").await.unwrap(), TimeToLive::Missing);
    assert_eq!(visits.time_to_live("2").await.unwrap(), TimeToLive::Persistent);
    assert_eq!(visits.count().await.unwrap(), 2);
}

/// What was read last is renewed also if the store is dropped right after.
pub async fn a_store_that_is_dropped_still_renews_what_was_read(world: &World) {
    let visits = idle(world).await;
    visits.save(&mut Visit::new("1")).await.unwrap();
    world.skip(&["visits"], 20 * MINUTE).await;
    {
        let other = idle(world).await;
        other.find_by_id("1").await.unwrap();
    }
    renewed(&visits, "1").await;
}

/// Each call's own term counts, whatever the default.
pub async fn other_terms_beside_an_idle_default_are_not_renewed(world: &World) {
    let visits = idle(world).await;
    visits
        .save(&mut Visit::new("1"))
        .time_to_live(SPAN)
        .await
        .unwrap();
    visits.save(&mut Visit::new("2")).persistent().await.unwrap();
    visits
        .save(&mut Visit {
            ttl: Some(1_800),
            ..Visit::new("3")
        })
        .await
        .unwrap();
    visits.save(&mut Visit::new("4")).await.unwrap();
    assert!(
        visits.expire("4", SPAN).await.unwrap(),
        "which ends the idle term"
    );
    visits.save(&mut Visit::new("5")).await.unwrap();
    world.skip(&["visits"], 20 * MINUTE).await;
    for id in ["1", "2", "3", "4", "5"] {
        let entry = visits.entry(id).await.unwrap().unwrap();
        assert_eq!(entry.idle, (id == "5").then_some(SPAN), "{id}");
    }
    renewed(&visits, "5").await;
    for id in ["1", "3", "4"] {
        assert!(left(&visits, id).await <= 10 * MINUTE, "{id}");
    }
    assert_eq!(visits.time_to_live("2").await.unwrap(), TimeToLive::Persistent);
}

/// On a type without an idle default, also for a process that knows nothing of it.
pub async fn an_idle_term_of_the_call_is_renewed_by_any_process(world: &World) {
    let visits = world.repository::<Visit>().await;
    visits
        .save_all(&mut ["1", "2", "3"].map(Visit::new))
        .idle(SPAN)
        .await
        .unwrap();
    for id in ["1", "2", "3"] {
        world.skip(&["visits"], 20 * MINUTE).await;
        for other in ["1", "2", "3"] {
            // Each read is the first of its process.
            let visits = world.repository::<Visit>().await;
            match id {
                "1" => assert!(visits.find_by_id(other).await.unwrap().is_some()),
                "2" => assert!(visits.exists_by_id(other).await.unwrap()),
                _ => assert!(visits.entry(other).await.unwrap().is_some()),
            }
            renewed(&visits, other).await;
        }
    }
}

/// A field that holds the term is left as it was stored: a number in it would make the term a fixed one.
pub async fn saving_what_was_found_keeps_an_idle_term_idle(world: &World) {
    let visits = idle(world).await;
    visits.save(&mut Visit::new("1")).await.unwrap();
    world.skip(&["visits"], 20 * MINUTE).await;
    let mut found = visits.find_by_id("1").await.unwrap().unwrap();
    assert_eq!(found.ttl, None);
    visits.save(&mut found).await.unwrap();
    assert!(left(&visits, "1").await > SPAN - MINUTE);
    assert_eq!(visits.entry("1").await.unwrap().unwrap().idle, Some(SPAN));
    // Kept as it is where that is asked for.
    world.skip(&["visits"], 10 * MINUTE).await;
    visits
        .save(&mut Visit::new("1"))
        .keep_time_to_live()
        .await
        .unwrap();
    assert!(left(&visits, "1").await <= 20 * MINUTE);
    visits
        .update_with("1", |visit| visit.user = "bo".into())
        .await
        .unwrap();
    let entry = visits.entry("1").await.unwrap().unwrap();
    assert_eq!((entry.idle, entry.value.user.as_str()), (Some(SPAN), "bo"));
}

/// With its value, and nothing of ours in it.
pub async fn an_entity_that_was_idle_for_too_long_has_its_event(world: &World) {
    let visits = idle(world).await;
    let mut expired = visits.expired().await.unwrap();
    visits
        .save_all(&mut [Visit::new("1"), Visit::new("2")])
        .await
        .unwrap();
    world.skip(&["visits"], 20 * MINUTE).await;
    visits.find_by_id("2").await.unwrap();
    renewed(&visits, "2").await;
    world.skip(&["visits"], 12 * MINUTE).await;
    let event = next(&mut expired).await;
    assert_eq!(
        (event.id().as_str(), event.value()),
        ("1", Some(&Visit::new("1")))
    );
    nothing_before(world, &visits, &mut expired, &mut Visit::new("3")).await;
    world.skip(&["visits"], 19 * MINUTE).await;
    assert_eq!(next(&mut expired).await.value(), Some(&Visit::new("2")));
    assert_eq!(visits.count().await.unwrap(), 0);
}
