//! Very many entities that expire at one instant.

use std::collections::HashSet;
use std::time::{Duration, Instant, SystemTime};

use kvrepo::{KeyspaceEvents, KeyspaceSettings, Repository, Store};
use kvrepo_tests::fixture::Session;
use kvrepo_tests::harness::TestServer;
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

/// What all keys of a server take, by what it uses less without them; each time when it has come to rest.
async fn taken(server: &TestServer) -> f64 {
    let used = async || -> u64 {
        let (mut last, mut alike) = (0, 0);
        for _ in 0..150 {
            let info: String = server.query(&["INFO", "memory"]).await;
            let field = |name: &str| -> u64 {
                let value = info
                    .lines()
                    .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
                value
                    .and_then(|value| value.trim().parse().ok())
                    .expect("a number")
            };
            let now = field("used_memory") - field("mem_clients_normal");
            alike = if now.abs_diff(last) < 1024 { alike + 1 } else { 0 };
            if alike == 3 {
                break;
            }
            last = now;
            // Tables are moved to their sizes in the background, ten times a second.
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        last
    };
    let full = used().await;
    server.command(&["FLUSHALL", "SYNC"]).await;
    (full - used().await) as f64
}

/// An expiring entity with a UUID for an id and no phantom: id set, deadline and TTL together take at most 220 bytes. An
/// event: at most 1.3 times its payload, and 100 bytes. `cargo bench -p kvrepo --bench memory` says more.
#[tokio::test]
async fn an_expiring_entity_takes_little_beside_its_hash_and_an_event_beside_its_payload() {
    const COUNT: usize = 10_000;
    let server = TestServer::start().await;
    let info: String = server.query(&["INFO", "server"]).await;
    // Others than Valkey 9 have larger tables.
    let most = if info.contains("valkey_version:9.") {
        220.0
    } else {
        400.0
    };
    let user = "ann of the long pier at the sea";
    let mut many: Vec<Session> = (0..COUNT)
        .map(|i| Session::new(&format!("0190b3c8-6b1f-7a2e-9f31-{i:012x}"), user))
        .collect();
    let open = async |shadow_copy| -> Repository<Session> {
        let settings = KeyspaceSettings::new().shadow_copy(shadow_copy);
        let builder = Store::builder().events(KeyspaceEvents::Off);
        let builder = builder.keyspace::<Session>(settings);
        builder.connect(&server.url()).await.unwrap().repository()
    };
    let sessions = open(false).await;

    sessions.save_all(&mut many).await.unwrap();
    server.command(&["DEL", "sessions"]).await;
    let hashes = taken(&server).await;
    let term = Duration::from_secs(3600);
    sessions.save_all(&mut many).time_to_live(term).await.unwrap();
    let beside = (taken(&server).await - hashes) / COUNT as f64;
    assert!((50.0..=most).contains(&beside), "{beside} bytes beside the hash");

    let sessions = open(true).await;
    let term = Duration::from_millis(200);
    sessions.save_all(&mut many).time_to_live(term).await.unwrap();
    let (mut events, until) = (0, Instant::now() + Duration::from_secs(30));
    while events < COUNT as u64 && Instant::now() < until {
        events += sessions.sweep().await.unwrap().expired;
    }
    let event = taken(&server).await / COUNT as f64;
    let payload = (36 + 13 + "id".len() + 36 + "user".len() + user.len()) as f64;
    assert!(
        (payload * 0.5..=payload * 1.3 + 100.0).contains(&event),
        "{event} bytes of {payload}, {events} events"
    );
}
