//! What the tests of near caches share.

use std::time::Duration;

use kvrepo::{KeyspaceEvents, NearCache, NearCacheStatistics, Repository, Store, StoreBuilder};
use kvrepo_tests::fixture::Person;

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// With a cache, and nobody who listens.
pub fn near() -> StoreBuilder {
    Store::builder()
        .events(KeyspaceEvents::Off)
        .near_cache(NearCache::new())
}

pub fn statistics(people: &Repository<Person>) -> NearCacheStatistics {
    people.store().near_cache().expect("a cache")
}

/// Has the connection answer on which changes are told of: what the server has said before has arrived by then.
pub async fn round_trip(people: &Repository<Person>) {
    let before = statistics(people).misses;
    assert_eq!(people.find_by_id("nobody").await.unwrap(), None);
    assert_eq!(statistics(people).misses, before + 1);
}

/// The name of the person 1; `None` if nobody is there.
pub async fn name(people: &Repository<Person>) -> Option<String> {
    people
        .find_by_id("1")
        .await
        .unwrap()
        .map(|person| person.firstname)
}

/// Saves the person 1, and has it at hand.
pub async fn save(people: &Repository<Person>, name: &str) {
    people.save(&mut Person::new("1", name)).await.unwrap();
    have_at_hand(people, name).await;
}

/// Finds the person 1 until it is at hand, and it is so each time. It can take some times: what is on its way when the word of a
/// change comes, or when there is no connection, is not kept.
pub async fn have_at_hand(people: &Repository<Person>, expected: &str) {
    let before = statistics(people).hits;
    for _ in 0..10 {
        assert_eq!(name(people).await.as_deref(), Some(expected));
        if statistics(people).hits > before {
            return;
        }
    }
    panic!("it does not come to be at hand");
}
