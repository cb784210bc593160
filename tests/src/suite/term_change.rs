//! Giving a living entity another term, keeping the one it has, and looking at it.

use std::time::{Duration, SystemTime};

use kvrepo::{Error, TimeToLive};

use super::term::{Lease, MINUTE, expires_after};
use crate::fixture::{Person, Session};
use crate::world::{World, millis, next, nothing_before};

const HOUR: Duration = Duration::from_secs(3_600);

fn at(millis: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(millis)
}

/// What remains of session 1, which was given just now.
async fn left(world: &World, term: Duration) {
    let sessions = world.repository::<Session>().await;
    let TimeToLive::In(left) = sessions.time_to_live("1").await.unwrap() else {
        panic!("it expires")
    };
    let gone = term.checked_sub(left).expect("no more than it was given");
    assert!(gone < Duration::from_secs(5), "{left:?} of {term:?}");
}

pub async fn a_living_entity_is_given_another_term(world: &World) {
    let sessions = world.repository::<Session>().await;
    sessions.save(&mut Session::new("1", "ann")).await.unwrap();
    assert!(sessions.expire("1", HOUR).await.unwrap());
    left(world, HOUR).await;
    let deadline = at(world.now().await + 60_000);
    assert!(sessions.expire_at("1", deadline).await.unwrap());
    assert_eq!(
        sessions.entry("1").await.unwrap().unwrap().deadline,
        Some(deadline)
    );
    assert!(sessions.persist("1").await.unwrap());
    assert_eq!(sessions.time_to_live("1").await.unwrap(), TimeToLive::Persistent);
    assert!(sessions.expire("1", MINUTE).await.unwrap());
    left(world, MINUTE).await;
    assert_eq!(
        sessions.find_by_id("1").await.unwrap(),
        Some(Session::new("1", "ann")),
        "only the term was changed"
    );
}

/// C77: and brings nothing into being.
pub async fn what_is_not_alive_is_given_no_term(world: &World) {
    let sessions = world.repository::<Session>().await;
    sessions
        .save(&mut Session::new("1", "ann"))
        .time_to_live(Duration::from_millis(20))
        .await
        .unwrap();
    world.pass(Duration::from_millis(22)).await;
    for id in ["1", "2"] {
        assert!(!sessions.expire(id, MINUTE).await.unwrap());
        assert!(
            !sessions
                .expire_at(id, at(world.now().await + 60_000))
                .await
                .unwrap()
        );
        assert!(!sessions.persist(id).await.unwrap());
        assert_eq!(sessions.time_to_live(id).await.unwrap(), TimeToLive::Missing);
        assert_eq!(sessions.entry(id).await.unwrap(), None);
    }
    assert_eq!(sessions.count().await.unwrap(), 0);
}

/// C20, C28, C29, C48: with nothing changed.
pub async fn a_term_that_is_none_is_not_given(world: &World) {
    let sessions = world.repository::<Session>().await;
    sessions
        .save(&mut Session::new("1", "ann"))
        .time_to_live(HOUR)
        .await
        .unwrap();
    for term in [Duration::ZERO, Duration::from_nanos(999_999), Duration::MAX] {
        let refused = sessions.expire("1", term).await;
        assert!(
            matches!(
                refused,
                Err(Error::InvalidTimeToLive {
                    entity: "Session",
                    ..
                })
            ),
            "{term:?}: {refused:?}"
        );
    }
    let now = world.now().await;
    for deadline in [at(now - 1), at(0), SystemTime::UNIX_EPOCH - HOUR] {
        let refused = sessions.expire_at("1", deadline).await;
        assert!(
            matches!(refused, Err(Error::DeadlinePassed { .. })),
            "{deadline:?}: {refused:?}"
        );
    }
    left(world, HOUR).await;
    sessions.expire("", MINUTE).await.unwrap_err();
}

/// C21: with its event at the new deadline, and none at the old one.
pub async fn the_event_comes_at_the_deadline_given_last(world: &World) {
    let sessions = world.repository::<Session>().await;
    let mut expired = sessions.expired().await.unwrap();
    for id in ["1", "2", "3"] {
        sessions
            .save(&mut Session::new(id, "ann"))
            .time_to_live(Duration::from_millis(100))
            .await
            .unwrap();
    }
    assert!(sessions.persist("1").await.unwrap());
    assert!(sessions.expire("2", HOUR).await.unwrap());
    assert!(sessions.expire("3", Duration::from_millis(20)).await.unwrap());
    world.pass(Duration::from_millis(22)).await;
    assert_eq!(next(&mut expired).await.id(), "3");
    world.pass(Duration::from_millis(100)).await;
    nothing_before(world, &sessions, &mut expired, &mut Session::new("4", "bo")).await;
    // What was persistent can expire again, with its value.
    assert!(sessions.expire("1", Duration::from_millis(20)).await.unwrap());
    world.pass(Duration::from_millis(22)).await;
    assert_eq!(next(&mut expired).await.value(), Some(&Session::new("1", "ann")));
    assert!(sessions.exists_by_id("2").await.unwrap());
}

/// C22: where the term is asked to stay, it does, on every path.
pub async fn a_save_can_keep_what_remains(world: &World) {
    let sessions = world.repository::<Session>().await;
    let mut ann = Session::new("1", "ann");
    let deadline = sessions.save(&mut ann).time_to_live(HOUR).await.unwrap().deadline;
    world.skip(&["sessions"], 10 * MINUTE).await;
    let kept = sessions
        .save(&mut Session::new("1", "bo"))
        .keep_time_to_live()
        .await
        .unwrap();
    let moved = if world.as_server().is_some() {
        10 * MINUTE
    } else {
        Duration::ZERO
    };
    let deadline = deadline.map(|deadline| deadline - moved);
    assert_eq!((kept.created, kept.deadline), (false, deadline));
    let kept = sessions
        .save_all(&mut [Session::new("1", "cy")])
        .keep_time_to_live()
        .await
        .unwrap();
    assert_eq!(kept[0].deadline, deadline);
    assert_eq!(sessions.find_by_id("1").await.unwrap().unwrap().user, "cy");
    // Without one, too.
    sessions.persist("1").await.unwrap();
    expires_after(world, sessions.save(&mut ann).keep_time_to_live(), None).await;
    // What is not there has nothing to keep.
    let mut new = Session::new("2", "di");
    expires_after(
        world,
        sessions.save(&mut new).keep_time_to_live(),
        Some(30 * MINUTE),
    )
    .await;
    sessions.delete_by_id("2").await.unwrap();
    expires_after(
        world,
        sessions.insert(&mut new).keep_time_to_live(),
        Some(30 * MINUTE),
    )
    .await;
    // Nor has what has expired.
    sessions.expire("2", Duration::from_millis(20)).await.unwrap();
    world.pass(Duration::from_millis(22)).await;
    expires_after(
        world,
        sessions.save(&mut new).keep_time_to_live(),
        Some(30 * MINUTE),
    )
    .await;
}

pub async fn an_entry_says_what_remains_and_until_when(world: &World) {
    let leases = world.repository::<Lease>().await;
    let outcome = leases.save(&mut Lease::new("1", Some(3_600))).await.unwrap();
    let entry = leases.entry("1").await.unwrap().unwrap();
    assert_eq!(
        (entry.deadline, entry.idle, entry.version),
        (outcome.deadline, None, None)
    );
    let TimeToLive::In(left) = entry.remaining else {
        panic!("{entry:?}")
    };
    assert!(left <= HOUR && left > HOUR - MINUTE, "{left:?}");
    assert_eq!(entry.value.ttl, Some(left.as_millis().div_ceil(1_000) as i64));
    assert!(millis(entry.deadline.unwrap()).abs_diff(world.now().await + left.as_millis() as u64) < 5_000);

    leases.save(&mut Lease::new("1", Some(-1))).await.unwrap();
    let entry = leases.entry("1").await.unwrap().unwrap();
    assert_eq!((entry.remaining, entry.deadline), (TimeToLive::Persistent, None));
    assert_eq!(entry.value.ttl, Some(-1));
}

/// The field shows the term that was given, not the one that was saved.
pub async fn a_term_given_later_is_read_back(world: &World) {
    let people = world.repository::<Person>().await;
    people
        .save(&mut Person {
            ttl: Some(60),
            ..Person::new("1", "Ann")
        })
        .await
        .unwrap();
    people.expire("1", HOUR).await.unwrap();
    let ttl = people.find_by_id("1").await.unwrap().unwrap().ttl.unwrap();
    assert!((3_595..=3_600).contains(&ttl), "{ttl}");
    people.persist("1").await.unwrap();
    assert_eq!(people.find_by_id("1").await.unwrap().unwrap().ttl, None);
}
