//! What queries cost, and what indexes cost those who write.

use std::time::Duration;

use kvrepo::{KvEntity, PageRequest};
use kvrepo_tests::harness::Monitor;
use serde::{Deserialize, Serialize};

use super::{MINUTE, counted};

/// Somebody to be looked for.
#[derive(Clone, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "folk")]
struct Folk {
    #[id]
    id: String,
    #[indexed]
    city: String,
    #[indexed(range)]
    age: u32,
    #[indexed(unique)]
    email: String,
}

fn folk(numbers: std::ops::Range<usize>) -> Vec<Folk> {
    numbers
        .map(|i| Folk {
            id: format!("{i:06}"),
            city: format!("city {}", i % 4),
            age: i as u32,
            email: format!("{i}@x"),
        })
        .collect()
}

#[tokio::test]
async fn a_query_is_one_script_and_one_pipeline() {
    let (server, proxy, store) = counted().await;
    let people = store.repository::<Folk>();
    people.save_all(&mut folk(0..4_000)).await.unwrap();
    let p = Folk::fields();
    // Makes the scripts known.
    people.find(p.city.eq("none")).count().await.unwrap();
    people.find(p.email.eq("3999@x")).delete().await.unwrap();
    let monitor = Monitor::start(&server).await;
    // Held back until all of a pipeline is written: one that is answered while it is still written counts for several.
    proxy.delay(Duration::from_millis(20));
    macro_rules! costs {
        ($round_trips:literal, $hashes:literal, $call:expr) => {{
            monitor.clear().await;
            let before = proxy.counts().round_trips;
            let found = $call.await.unwrap();
            assert_eq!(proxy.counts().round_trips - before, $round_trips);
            let commands = monitor.commands().await.by_clients();
            assert_eq!(
                commands.of("HGETALL").len(),
                $hashes,
                "only what is asked for is read"
            );
            found
        }};
    }
    let oslo = || people.find(p.city.eq("city 1"));
    assert_eq!(costs!(2, 1_000, oslo()).len(), 1_000);
    assert_eq!(costs!(2, 10, oslo().sort(p.age.desc()).limit(10)).len(), 10);
    let page = PageRequest::of(3, 20);
    assert_eq!(costs!(2, 20, oslo().page(page)).items.len(), 20);
    assert_eq!(costs!(2, 6, oslo().limit(5).slice()).items.len(), 5);
    assert!(costs!(2, 1, oslo().first()).is_some());
    assert!(costs!(2, 1, people.find(p.email.eq("7@x")).one()).is_some());
    assert_eq!(costs!(1, 0, oslo().count()), 1_000);
    assert_eq!(costs!(1, 0, oslo().ids()).len(), 1_000);
    assert!(costs!(1, 0, oslo().exists()));
    // Nothing found, nothing read.
    assert_eq!(costs!(1, 0, people.find(p.city.eq("none"))).len(), 0);
    // Of a type with other indexes than equality's it is not tried first whether less would do.
    assert!(people.delete_by_id("003998").await.unwrap());
    assert!(costs!(1, 0, people.delete_by_id("003997")));
    // Found, and deleted in steps of 256.
    let before = proxy.counts().round_trips;
    assert_eq!(people.find(p.age.lt(300)).delete().await.unwrap(), 300);
    assert_eq!(proxy.counts().round_trips - before, 3);
}

/// What a call does on the server must not depend on how many entities there are.
#[tokio::test]
async fn the_cost_of_a_write_does_not_grow_with_the_number_of_entities() {
    let (server, _proxy, store) = counted().await;
    let people = store.repository::<Folk>();
    let monitor = Monitor::start(&server).await;
    let mut costs = Vec::new();
    // The first time around makes the scripts known.
    for size in [10, 20, 1_000, 20_000] {
        let there = people.count().await.unwrap() as usize;
        people.save_all(&mut folk(there..size)).await.unwrap();
        let mut one = folk(size..size + 1).remove(0);
        monitor.clear().await;
        people.save(&mut one).time_to_live(MINUTE).await.unwrap();
        one.city = "city 9".to_owned();
        people.save(&mut one).time_to_live(MINUTE).await.unwrap();
        people
            .update(&one.id)
            .set(Folk::fields().city, "city 8".to_owned())
            .await
            .unwrap();
        people.delete_by_id(&one.id).await.unwrap();
        costs.push(monitor.commands().await.len());
    }
    assert!(costs[1] > 10, "{costs:?}");
    assert!(costs[1..].iter().all(|cost| *cost == costs[1]), "{costs:?}");
}
