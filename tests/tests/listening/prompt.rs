//! Events are on time, whatever else the server has to do.

use std::time::Duration;

use kvrepo::Store;
use kvrepo_tests::fixture::Person;
use kvrepo_tests::world::World;

use super::support::{each_once, lateness, ms, people, server};

/// Other keys with a term, which keep the server from noticing ours.
async fn background(world: &World, count: u32) {
    let script = "for i = 1, ARGV[1] do redis.call('SET', 'bg:' .. i, 'x', 'EX', 3600 + i % 1000) end";
    server(world)
        .command(&["EVAL", script, "0", &count.to_string()])
        .await;
}

/// C46 and C47: with 100,000 other keys that have a term.
#[tokio::test]
async fn a_hundred_thousand_other_keys_make_no_event_late() {
    let world = World::server().await;
    background(&world, 100_000).await;
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    let started = std::time::SystemTime::now();
    for from in (0..200).step_by(20) {
        repository
            .save_all(&mut people(from, 20))
            .time_to_live(Duration::from_secs(2))
            .await
            .unwrap();
    }
    let events = each_once(&mut expired, 0, 200).await;
    // The last came just now.
    let last = events.iter().map(lateness).min();
    assert!(last < Some(ms(1_000)), "{last:?}");
    for event in events {
        let late = event
            .seen_at()
            .duration_since(event.deadline())
            .unwrap_or_default();
        assert!(late < ms(1_000), "{} was seen {late:?} late", event.id());
        assert!(event.deadline().duration_since(started).unwrap() >= ms(1_990));
    }
}

/// A process that only listens is on time for what another saves later, with a nearer deadline than all before.
#[tokio::test]
async fn a_deadline_that_another_process_sets_nearer_than_all_is_met() {
    let world = World::server().await;
    background(&world, 20_000).await;
    let mut expired = world.repository::<Person>().await.expired().await.unwrap();
    let quiet = Store::builder()
        .events(kvrepo::KeyspaceEvents::Off)
        .leave_notification_flags();
    let writer = world.open(quiet).await.repository::<Person>();
    writer
        .save_all(&mut people(500, 50))
        .time_to_live(Duration::from_secs(3_600))
        .await
        .unwrap();
    for round in 0..10 {
        writer
            .save_all(&mut people(round, 1))
            .time_to_live(ms(20))
            .await
            .unwrap();
        let event = each_once(&mut expired, round, 1).await.pop().unwrap();
        assert!(lateness(&event) < ms(500), "{:?}", lateness(&event));
    }
}
