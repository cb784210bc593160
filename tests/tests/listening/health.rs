//! What a store says of a server that does not do all that it should.

use std::time::Duration;

use kvrepo::{Health, HealthStatus, KeyspaceEvents, NotificationFlags, Notifications, Store};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::ServerOptions;
use kvrepo_tests::world::{World, nothing_before};

use super::support::{each_once, eventually, java_saves, ms, people, server};

/// Asks until it is so.
async fn until(what: &str, store: &Store, reached: impl Fn(&Health) -> bool) -> Health {
    let mut health = store.health().await;
    eventually(what, async || {
        health = store.health().await;
        reached(&health)
    })
    .await;
    health
}

fn only_problem(health: &Health) -> String {
    let mut problems = health.problems();
    assert_eq!(problems.len(), 1, "{problems:?} of {health:?}");
    problems.remove(0)
}

/// C41.
#[tokio::test]
async fn flags_that_a_restart_forgot_and_that_are_left_alone_are_named() {
    let world = World::server().await;
    let set = ["CONFIG", "SET", "notify-keyspace-events", "Ex"];
    server(&world).command(&set).await;
    let store = world.open(Store::builder().leave_notification_flags()).await;
    let repository = store.repository();
    let mut expired = repository.expired().await.unwrap();
    assert_eq!(store.health().await.status(), HealthStatus::Healthy);

    server(&world).restart().await;
    let forgotten = |health: &Health| health.flags == NotificationFlags::Lacking("Ex");
    let health = until("the flags to be missed", &store, |health| {
        health.notifications == Notifications::Active && forgotten(health)
    })
    .await;
    assert_eq!(health.status(), HealthStatus::Degraded);
    assert!(only_problem(&health).contains("`notify-keyspace-events` lacks `Ex`"));
    // And events flow.
    repository
        .save_all(&mut people(0, 10))
        .time_to_live(ms(20))
        .await
        .unwrap();
    each_once(&mut expired, 0, 10).await;

    // Set by somebody, they are known to suffice as soon as a notification comes.
    server(&world).command(&set).await;
    repository
        .save_all(&mut people(10, 1))
        .time_to_live(ms(20))
        .await
        .unwrap();
    until("the flags to be seen", &store, |health| {
        health.status() == HealthStatus::Healthy
    })
    .await;
}

/// C96.
#[tokio::test]
async fn flags_that_cannot_be_looked_at_are_a_problem_until_a_notification_has_come() {
    let options = ServerOptions::new()
        .notify("Ex")
        .user("ann on >secret ~* &* +@all -config");
    let world = World::on(options).await;
    let url = server(&world).url_as("ann", "secret");
    let store = Store::connect(&url).await.unwrap();
    let repository = store.repository();
    let mut expired = repository.expired().await.unwrap();
    let health = store.health().await;
    assert_eq!(health.status(), HealthStatus::Degraded);
    assert_eq!(health.flags, NotificationFlags::Unverified);
    let problem = only_problem(&health);
    assert!(
        problem.contains("could not be looked at") && problem.contains("`Ex`"),
        "{problem}"
    );

    repository
        .save_all(&mut people(0, 10))
        .time_to_live(ms(20))
        .await
        .unwrap();
    each_once(&mut expired, 0, 10).await;
    let healthy = |health: &Health| health.status() == HealthStatus::Healthy;
    until("a notification", &store, healthy).await;
}

/// C97.
#[tokio::test]
async fn a_user_who_may_not_subscribe_is_told_so() {
    let options = ServerOptions::new().user("ann on >secret ~* &* +@all -subscribe -psubscribe");
    let world = World::on(options).await;
    let url = server(&world).url_as("ann", "secret");
    let store = Store::connect(&url).await.unwrap();
    let repository = store.repository();
    let mut expired = repository.expired().await.unwrap();
    let health = store.health().await;
    assert_eq!(health.status(), HealthStatus::Degraded);
    assert_eq!(health.notifications, Notifications::Refused);
    let problem = only_problem(&health);
    assert!(problem.contains("this user may not subscribe"), "{problem}");
    assert!(problem.contains("by the deadline index alone"), "{problem}");
    repository
        .save_all(&mut people(0, 10))
        .time_to_live(ms(20))
        .await
        .unwrap();
    each_once(&mut expired, 0, 10).await;
    let reaped = |health: &Health| health.reaped.deadline == 10 && health.reaped.notification == 0;
    until("what was reaped to be counted", &store, reaped).await;

    // The right to do so is noticed when it is given.
    server(&world)
        .command(&["ACL", "SETUSER", "ann", "+subscribe"])
        .await;
    let active = |health: &Health| health.notifications == Notifications::Active;
    let health = until("the subscription", &store, active).await;
    assert_eq!(health.status(), HealthStatus::Healthy, "{:?}", health.problems());
}

#[tokio::test]
async fn a_server_that_is_away_is_down_and_what_was_made_again_is_counted() {
    let world = World::on(ServerOptions::new().append_only()).await;
    let store = world.open(Store::builder().call_deadline(ms(500))).await;
    let repository = store.repository::<Person>();
    let _expired = repository.expired().await.unwrap();
    let before = store.health().await;
    assert_eq!((before.status(), before.reconnects), (HealthStatus::Healthy, 0));

    server(&world).kill().await;
    let health = until("the subscription to be lost", &store, |health| {
        health.notifications == Notifications::Down
    })
    .await;
    assert_eq!(health.status(), HealthStatus::Down);
    assert!(
        health.listening && !health.connected && health.due.is_none(),
        "{health:?}"
    );
    assert!(only_problem(&health).starts_with("the server cannot be reached ("));

    server(&world).restart().await;
    // Its calls, the reaper, the log and the notifications have a connection each.
    let health = until("all connections", &store, |health| health.reconnects >= 4).await;
    assert_eq!(health.status(), HealthStatus::Healthy, "{:?}", health.problems());
}

/// A connection that is lost is a problem only as long as it is.
#[tokio::test]
async fn a_subscription_that_was_killed_is_counted_when_it_is_back() {
    let world = World::server().await;
    let store = world.store().await;
    let _expired = store.repository::<Person>().expired().await.unwrap();
    server(&world)
        .command(&["CLIENT", "KILL", "TYPE", "pubsub"])
        .await;
    let health = until("the subscription", &store, |health| health.reconnects == 1).await;
    assert_eq!(health.notifications, Notifications::Active);
    assert_eq!(health.status(), HealthStatus::Healthy);
}

/// Each trigger alone: deadlines without notifications, and notifications of what has no deadline in our index.
#[tokio::test]
async fn it_is_told_which_trigger_led_to_the_events() {
    let world = World::on(ServerOptions::new().hz(100)).await;
    let store = world.open(Store::builder().leave_notification_flags()).await;
    let repository = store.repository();
    let mut expired = repository.expired().await.unwrap();
    repository
        .save_all(&mut people(0, 30))
        .time_to_live(ms(20))
        .await
        .unwrap();
    each_once(&mut expired, 0, 30).await;
    let reaped = until("thirty to be counted", &store, |health| {
        health.reaped.deadline == 30
    })
    .await
    .reaped;
    assert_eq!((reaped.notification, reaped.search), (0, 0));

    server(&world)
        .command(&["CONFIG", "SET", "notify-keyspace-events", "Ex"])
        .await;
    for id in 30..35 {
        java_saves(server(&world), &id.to_string(), 50).await;
    }
    each_once(&mut expired, 30, 5).await;
    let reaped = until("the five to be counted", &store, |health| {
        health.reaped.notification == 5
    })
    .await
    .reaped;
    assert_eq!((reaped.deadline, reaped.search), (30, 0));
}

/// An entity that was deleted by hand is found by looking, and an expired one that was missed as well.
#[tokio::test]
async fn what_was_found_by_looking_is_counted_as_that() {
    let world = World::on(ServerOptions::new().hz(100)).await;
    let quiet = world.open(Store::builder().events(KeyspaceEvents::Off)).await;
    let repository = quiet.repository::<Person>();
    repository.save_all(&mut people(0, 3)).await.unwrap();
    java_saves(server(&world), "7", 20).await;
    world.pass(ms(100)).await;
    server(&world).command(&["DEL", "people:1"]).await;
    repository.find_all().await.unwrap();
    let health = quiet.health().await;
    assert_eq!(
        (health.orphans_repaired, health.reaped.search),
        (1, 1),
        "{health:?}"
    );

    server(&world).command(&["DEL", "people:2"]).await;
    let store = world.store().await;
    let repository = store.repository::<Person>();
    let mut expired = repository.expired().await.unwrap();
    until("the listener to repair", &store, |health| {
        health.orphans_repaired == 1
    })
    .await;
    nothing_before(&world, &repository, &mut expired, &mut Person::new("marker", "M")).await;
}

/// It waits for no longer than a call may take, and does not fail.
#[tokio::test]
async fn a_server_that_hangs_is_down_within_the_deadline() {
    let world = World::server().await;
    let store = world.open(Store::builder().call_deadline(ms(300))).await;
    server(&world).pause().await;
    let asked = std::time::Instant::now();
    let health = store.health().await;
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    assert_eq!(health.status(), HealthStatus::Down);
    server(&world).resume().await;
    until("an answer", &store, |health| {
        health.status() == HealthStatus::Healthy
    })
    .await;
}
