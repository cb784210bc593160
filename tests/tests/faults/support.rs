//! What the tests of faults share.

use std::time::{Duration, Instant};

use kvrepo::{KeyspaceEvents, Repository, Store, StoreBuilder};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{Proxy, TestServer};
use kvrepo_tests::world::PATIENCE;

pub const MINUTE: Duration = Duration::from_secs(60);

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A store that does not listen: its only connection is that of its calls.
pub fn quiet(deadline: Duration) -> StoreBuilder {
    Store::builder()
        .events(KeyspaceEvents::Off)
        .call_deadline(deadline)
}

pub async fn through_a_proxy(deadline: Duration) -> (TestServer, Proxy, Repository<Person>) {
    let server = TestServer::start().await;
    let proxy = Proxy::in_front_of(&server).await;
    let store = quiet(deadline).connect(&proxy.url()).await.expect("a store");
    (server, proxy, store.repository())
}

/// A person whose fields all say the same.
pub fn version(number: usize) -> Person {
    let text = format!("version {number}");
    Person {
        nick: Some(text.clone()),
        tags: vec![text.clone(); 5],
        ..Person::new("1", &text)
    }
}

/// Waits until it holds.
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < until, "in vain waited for: {what}");
        tokio::time::sleep(ms(5)).await;
    }
}
