//! What the tests of listening share.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

use kvrepo::{Expired, KeyExpired, Repository, Store};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::TestServer;
use kvrepo_tests::world::{PATIENCE, World, next};

pub const GRACE: u64 = 300_000;

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub fn server(world: &World) -> &TestServer {
    world.as_server().expect("a real server")
}

/// People with ids from `from` on, whose name says which they are.
pub fn people(from: usize, count: usize) -> Vec<Person> {
    (from..from + count)
        .map(|i| Person::new(&i.to_string(), &format!("P{i}")))
        .collect()
}

/// Waits until it holds.
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < until, "in vain waited for: {what}");
        tokio::time::sleep(ms(5)).await;
    }
}

/// The next events: those of [`people`], each once, each with its own value.
pub async fn each_once(expired: &mut Expired<Person>, from: usize, count: usize) -> Vec<KeyExpired<Person>> {
    let mut events = BTreeMap::new();
    for _ in 0..count {
        let event = next(expired).await;
        let value = event
            .value()
            .unwrap_or_else(|| panic!("no value: {:?}", event.no_value()));
        assert_eq!(value.firstname, format!("P{}", event.id()));
        let number: usize = event.id().parse().expect("one of ours");
        assert!(events.insert(number, event).is_none(), "{number} came twice");
    }
    assert!(
        events.keys().copied().eq(from..from + count),
        "{:?}",
        events.keys()
    );
    events.into_values().collect()
}

/// How long after its deadline an event came, if it came just now.
pub fn lateness(event: &KeyExpired<Person>) -> Duration {
    SystemTime::now()
        .duration_since(event.deadline())
        .unwrap_or_default()
}

/// How many clients the server has that have subscribed to something.
pub async fn subscribers(server: &TestServer) -> usize {
    server
        .query::<String, _>(&["CLIENT", "LIST", "TYPE", "pubsub"])
        .await
        .lines()
        .count()
}

pub async fn notify_flags(server: &TestServer) -> String {
    server
        .query::<Vec<String>, _>(&["CONFIG", "GET", "notify-keyspace-events"])
        .await
        .swap_remove(1)
}

/// Writes a person as a Java service does: with a phantom and an index entry, and without a deadline in our index.
pub async fn java_saves(server: &TestServer, id: &str, term: u64) {
    let (key, phantom, name) = (
        format!("people:{id}"),
        format!("people:{id}:phantom"),
        format!("P{id}"),
    );
    let index = format!("people:firstname:{name}");
    for key in [&key, &phantom] {
        server.command(&["HSET", key, "id", id, "firstname", &name]).await;
    }
    server.command(&["SADD", "people", id]).await;
    server.command(&["SADD", &index, id]).await;
    server.command(&["SADD", &format!("{key}:idx"), &index]).await;
    server
        .command(&["PEXPIRE", &phantom, &(term + GRACE).to_string()])
        .await;
    server.command(&["PEXPIRE", &key, &term.to_string()]).await;
}

/// A repository over another URL than the world's.
pub async fn over(url: &str) -> Repository<Person> {
    Store::connect(url).await.expect("a store").repository()
}
