//! What a store says of how it is.

use std::time::Duration;

use kvrepo::{
    Health, HealthStatus, KeyspaceEvents, KeyspaceSettings, NotificationFlags, Notifications, Repository,
    Store,
};

use crate::access::OPTIONAL;
use crate::fixture::{Person, Session};
use crate::world::{World, eventually, next_ids};

const SECOND: Duration = Duration::from_secs(1);

async fn healthy(store: &Store) -> Health {
    let health = store.health().await;
    assert_eq!(health.problems(), Vec::<String>::new(), "{health:?}");
    assert_eq!(health.status(), HealthStatus::Healthy);
    health
}

async fn save(repository: &Repository<Person>, count: usize, term: Duration) {
    let mut people: Vec<Person> = (0..count).map(|i| Person::new(&i.to_string(), "Ann")).collect();
    repository.save_all(&mut people).time_to_live(term).await.unwrap();
}

/// It does not listen before anybody has asked, and that is no fault.
pub async fn a_store_that_nobody_has_used_is_healthy(world: &World) {
    let store = world.store().await;
    let health = healthy(&store).await;
    assert!(health.connected && !health.listening, "{health:?}");
    assert_eq!(health.notifications, Notifications::Off);
    assert_eq!(health.flags, NotificationFlags::Unseen);
    assert_eq!(
        (health.due, health.longest_due, health.lag),
        (Some(0), None, None)
    );
    assert_eq!(
        (health.reconnects, health.gaps, health.reaped.deadline),
        (0, 0, 0)
    );
}

pub async fn a_store_that_listens_says_what_it_reaped_and_how_late_it_was(world: &World) {
    // Without notifications a store is not healthy.
    world.may_also(OPTIONAL).await;
    let store = world.store().await;
    let repository = store.repository::<Person>();
    let mut expired = repository.expired().await.unwrap();
    let health = healthy(&store).await;
    assert!(health.listening, "{health:?}");
    assert_eq!(health.notifications, Notifications::Active);
    assert_eq!(health.flags, NotificationFlags::Sufficient);

    save(&repository, 20, SECOND / 5).await;
    world.pass(SECOND / 2).await;
    next_ids(&mut expired, 20).await;
    // The events can be there before the answer to whom has written them.
    eventually("what was reaped to be counted", async || {
        store.health().await.reaped.deadline == 20
    })
    .await;
    let health = healthy(&store).await;
    assert_eq!(
        (health.reaped.notification, health.reaped.search),
        (0, 0),
        "{health:?}"
    );
    assert_eq!((health.due, health.longest_due), (Some(0), None));
    let lag = health.lag.expect("events were delivered");
    if world.as_server().is_some() {
        assert!(lag < 5 * SECOND, "{lag:?}");
    } else {
        assert_eq!(
            lag,
            SECOND / 2 - SECOND / 5,
            "it is the backend's clock that counts"
        );
    }
}

/// One that does not listen counts what waits all the same, until it is swept.
pub async fn what_nobody_reaps_is_told_as_due(world: &World) {
    let store = world.open(Store::builder().events(KeyspaceEvents::Off)).await;
    let (people, sessions) = (store.repository::<Person>(), store.repository::<Session>());
    save(&people, 5, SECOND / 10).await;
    let mut session = Session::new("1", "ann");
    sessions
        .save(&mut session)
        .time_to_live(SECOND / 5)
        .await
        .unwrap();
    save(&people, 3, 60 * SECOND).await;
    assert_eq!(healthy(&store).await.due, Some(0));
    world.pass(SECOND / 2).await;

    let health = healthy(&store).await;
    assert!(!health.listening, "{health:?}");
    assert_eq!(health.due, Some(3), "of two keyspaces: {health:?}");
    let longest = health.longest_due.expect("some are due");
    assert!(longest >= SECOND * 2 / 5, "{longest:?}");

    people.sweep().await.unwrap();
    sessions.sweep().await.unwrap();
    let health = healthy(&store).await;
    assert_eq!((health.due, health.longest_due), (Some(0), None));
    assert_eq!(health.reaped.deadline, 3);
}

/// A store that could listen, in a world in which nobody does.
pub async fn what_waits_for_long_to_be_reaped_is_a_problem(world: &World) {
    // Without notifications a store is not healthy.
    world.may_also(OPTIONAL).await;
    let quiet = world.open(Store::builder().events(KeyspaceEvents::Off)).await;
    save(&quiet.repository(), 4, 5 * SECOND).await;
    let store = world.store().await;
    let repository = store.repository::<Person>();
    healthy(&store).await;
    world.skip(&["people"], 60 * SECOND).await;

    let health = store.health().await;
    assert_eq!(health.status(), HealthStatus::Degraded, "{health:?}");
    let problems = health.problems();
    assert!(
        problems[0].starts_with("4 entities are past their deadline") && problems[0].contains("`sweep`"),
        "{problems:?}"
    );
    let _expired = repository.expired().await.unwrap();
    eventually("all to be reaped", async || {
        store.health().await.status() == HealthStatus::Healthy
    })
    .await;
}

pub async fn idle_terms_that_began_anew_are_counted(world: &World) {
    let settings = KeyspaceSettings::new().idle(1800 * SECOND);
    let store = world.open(Store::builder().keyspace::<Session>(settings)).await;
    let sessions = store.repository::<Session>();
    sessions.save(&mut Session::new("1", "ann")).await.unwrap();
    sessions.find_by_id("1").await.unwrap();
    assert_eq!(store.health().await.idle_renewals, 0, "none of it is used up");
    world.skip(&["sessions"], 600 * SECOND).await;
    sessions.find_by_id("1").await.unwrap();
    eventually("the renewal", async || store.health().await.idle_renewals == 1).await;
}
