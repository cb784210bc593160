//! Very many entities that expire at one instant.

use std::collections::HashSet;
use std::time::{Duration, Instant, SystemTime};

use kvrepo::{KeyspaceEvents, KeyspaceSettings, Repository, Store};
use kvrepo_tests::fixture::Session;
use kvrepo_tests::world::{World, next};

const MANY: usize = 20_000;

/// Twenty thousand are due at one instant: each of three subscribers gets each of them once, with its value, and
/// meanwhile calls are answered as ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_thousand_that_expire_at_once_all_come_and_calls_are_answered_meanwhile() {
    let world = World::server().await;
    let writer: Repository<Session> = world
        .open(Store::builder().events(KeyspaceEvents::Off))
        .await
        .repository();
    let mut many: Vec<Session> = (0..MANY)
        .map(|i| Session::new(&i.to_string(), &format!("user {i}")))
        .collect();
    let begun = Instant::now();
    writer.save_all(&mut many[..MANY / 10]).await.unwrap();
    // Enough to save them all before it.
    let deadline = SystemTime::now() + begun.elapsed() * 15 + Duration::from_secs(1);
    writer.save_all(&mut many).expires_at(deadline).await.unwrap();
    let listening: Repository<Session> = world.repository().await;
    listening.save(&mut Session::new("alive", "ann")).await.unwrap();
    let subscribers: Vec<_> = (0..3)
        .map(|_| {
            let listening = listening.clone();
            tokio::spawn(async move {
                let mut expired = listening.expired().await.unwrap();
                let mut seen = HashSet::new();
                while seen.len() < MANY {
                    let event = next(&mut expired).await;
                    let value = event
                        .value()
                        .unwrap_or_else(|| panic!("no value: {:?}", event.no_value()));
                    assert_eq!(value.user, format!("user {}", event.id()));
                    assert!(seen.insert(event.id().clone()), "{} came twice", event.id());
                }
                (expired, Instant::now())
            })
        })
        .collect();
    assert!(
        SystemTime::now() < deadline,
        "saving took too long; the test proves nothing"
    );
    let left = deadline.duration_since(SystemTime::now()).unwrap_or_default();
    tokio::time::sleep(left).await; // until the instant has come
    let (begun, mut slowest, mut calls) = (Instant::now(), Duration::ZERO, 0);
    while !subscribers.iter().all(tokio::task::JoinHandle::is_finished) {
        let call = Instant::now();
        assert!(listening.find_by_id("alive").await.unwrap().is_some());
        listening.save(&mut Session::new("alive", "ann")).await.unwrap();
        slowest = slowest.max(call.elapsed());
        calls += 1;
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "not all events came within a minute"
        );
    }
    assert!(calls > 20, "{calls} calls; the test proves nothing");
    assert!(slowest < Duration::from_millis(1_000), "a call took {slowest:?}");
    // And none besides.
    listening
        .save(&mut Session::new("marker", "M"))
        .time_to_live(Duration::from_millis(10))
        .await
        .unwrap();
    for subscriber in subscribers {
        let (mut expired, ended) = subscriber.await.unwrap();
        assert!(ended - begun < Duration::from_secs(20), "{:?}", ended - begun);
        assert_eq!(next(&mut expired).await.id(), "marker");
    }
    assert_eq!(listening.count().await.unwrap(), 1);
    let server = world.as_server().expect("a real server");
    let left = server.query::<Vec<String>, _>(&["KEYS", "sessions:*"]).await;
    assert_eq!(left.len(), 2, "{left:?}");
}

/// C108: a phantom takes as much memory again, and none where none is kept.
#[tokio::test]
async fn without_phantoms_entities_take_half_the_memory() {
    let mut used = Vec::new();
    for shadow_copy in [true, false] {
        let world = World::server().await;
        let settings = KeyspaceSettings::new().shadow_copy(shadow_copy);
        let builder = Store::builder()
            .events(KeyspaceEvents::Off)
            .keyspace::<Session>(settings);
        let sessions: Repository<Session> = world.open(builder).await.repository();
        let server = world.as_server().expect("a real server");
        let memory = async || -> u64 {
            let info: String = server.query(&["INFO", "memory"]).await;
            let used = info
                .lines()
                .find_map(|line| line.strip_prefix("used_memory_dataset:"));
            used.expect("the server says").parse().expect("a number")
        };
        let before = memory().await;
        let value = "x".repeat(4_000);
        let mut many: Vec<_> = (0..2_000).map(|i| Session::new(&i.to_string(), &value)).collect();
        sessions.save_all(&mut many).await.unwrap();
        used.push(memory().await.saturating_sub(before));
    }
    let ratio = used[0] as f64 / used[1] as f64;
    assert!((1.7..2.3).contains(&ratio), "{used:?}: {ratio}");
}
