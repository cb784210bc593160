//! Groups: each event to one of it, until it is acknowledged.

use std::collections::BTreeMap;
use std::time::Duration;

use kvrepo::{Delivery, Error, GroupExpired, KeyspaceSettings, Repository, Store, SubscribeGroup};

use crate::fixture::Session;
use crate::world::{self, PATIENCE, World, eventually, next_ids};

const SHORT: Duration = Duration::from_millis(20);
/// After which an event is claimed where that is to happen.
const CLAIM: Duration = Duration::from_millis(400);

fn session(i: usize) -> Session {
    Session::new(&format!("{i:05}"), &format!("user {i}"))
}

fn ids(from: usize, count: usize) -> Vec<String> {
    (from..from + count).map(|i| session(i).id).collect()
}

async fn expire(world: &World, repository: &Repository<Session>, from: usize, count: usize) {
    world::expire(world, repository, (from..from + count).map(session).collect()).await;
}

/// The next delivery, with the value it has to have.
async fn next(expired: &mut GroupExpired<Session>) -> Delivery<Session> {
    let item = tokio::time::timeout(PATIENCE, expired.next())
        .await
        .expect("an event comes");
    let event = item
        .expect("the stream goes on")
        .expect("the event is none of an error");
    let number: usize = event.id().parse().expect("a number");
    assert_eq!(event.value(), Some(&session(number)));
    event
}

/// Acknowledges so many, and says which they were.
async fn acknowledge(expired: &mut GroupExpired<Session>, count: usize) -> Vec<String> {
    let mut ids = Vec::with_capacity(count);
    for _ in 0..count {
        let event = next(expired).await;
        assert!(event.ack().await.unwrap(), "{event:?} was acknowledged before");
        ids.push(event.id().clone());
    }
    ids.sort();
    ids
}

/// That nothing else comes for the group: one more expires, and is the next.
async fn nothing_before(
    world: &World,
    repository: &Repository<Session>,
    expired: &mut GroupExpired<Session>,
    marker: usize,
) {
    expire(world, repository, marker, 1).await;
    assert_eq!(acknowledge(expired, 1).await, ids(marker, 1));
}

fn billing(repository: &Repository<Session>) -> SubscribeGroup<Session> {
    repository.expired().group("billing")
}

/// C33: in three processes; and whoever is no group gets all.
pub async fn each_event_goes_to_one_of_a_group(world: &World) {
    const COUNT: usize = 300;
    let everybody = world.repository::<Session>().await;
    let mut all = everybody.expired().await.unwrap();
    let mut other = everybody.expired().group("audit").await.unwrap();
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    for _ in 0..3 {
        let repository = world.repository::<Session>().await;
        let mut expired = billing(&repository).await.unwrap();
        let tell = tell.clone();
        tokio::spawn(async move {
            loop {
                let event = next(&mut expired).await;
                assert!(event.ack().await.unwrap());
                let _ = tell.send((
                    expired.consumer().to_owned(),
                    event.id().clone(),
                    event.deliveries(),
                ));
            }
        });
    }
    expire(world, &everybody, 0, COUNT).await;
    let mut got = BTreeMap::new();
    for _ in 0..COUNT {
        let (consumer, id, deliveries) = tokio::time::timeout(PATIENCE, told.recv())
            .await
            .expect("an event")
            .unwrap();
        assert_eq!(deliveries, 1);
        assert_eq!(got.insert(id.clone(), consumer), None, "{id} came twice");
    }
    assert_eq!(got.keys().cloned().collect::<Vec<_>>(), ids(0, COUNT));
    assert_eq!(next_ids(&mut all, COUNT).await, ids(0, COUNT));
    assert_eq!(acknowledge(&mut other, COUNT).await, ids(0, COUNT));
    assert_eq!(everybody.group("billing").pending().await.unwrap(), 0);
    assert!(told.try_recv().is_err());
}

pub async fn what_is_not_acknowledged_in_time_is_delivered_again(world: &World) {
    let repository = world.repository::<Session>().await;
    let mut first = billing(&repository)
        .consumer("one")
        .claim_after(CLAIM)
        .await
        .unwrap();
    assert_eq!(first.consumer(), "one");
    expire(world, &repository, 0, 2).await;
    let (kept, lost) = (next(&mut first).await, next(&mut first).await);
    assert_eq!((kept.deliveries(), lost.deliveries()), (1, 1));
    assert_eq!(repository.group("billing").pending().await.unwrap(), 2);
    assert!(kept.ack().await.unwrap());
    // It dies, with one event in hand.
    drop(first);
    let other = world.repository::<Session>().await;
    let mut second = billing(&other).consumer("two").claim_after(CLAIM).await.unwrap();
    world.pass(CLAIM).await;
    let again = next(&mut second).await;
    assert_eq!((again.id(), again.deliveries()), (lost.id(), 2));
    assert_eq!(again.position(), lost.position());
    assert!(again.ack().await.unwrap());
    // Whoever comes late with it is told so.
    assert!(!lost.ack().await.unwrap());
    assert!(!again.ack().await.unwrap());
    world.pass(CLAIM).await;
    nothing_before(world, &other, &mut second, 2).await;
    assert_eq!(other.group("billing").pending().await.unwrap(), 0);
}

pub async fn a_group_goes_on_where_it_was(world: &World) {
    let repository = world.repository::<Session>().await;
    let mut expired = billing(&repository).await.unwrap();
    let mut all = repository.expired().await.unwrap();
    expire(world, &repository, 0, 5).await;
    acknowledge(&mut expired, 5).await;
    drop(expired);
    // Nobody of the group is there.
    expire(world, &repository, 5, 400).await;
    next_ids(&mut all, 405).await;
    let later = world.repository::<Session>().await;
    // What is said of a new group is of no account to one that is there.
    let mut expired = billing(&later).from_start().await.unwrap();
    expire(world, &later, 405, 5).await;
    assert_eq!(acknowledge(&mut expired, 405).await, ids(5, 405));
    nothing_before(world, &later, &mut expired, 410).await;
}

pub async fn a_new_group_begins_where_it_is_told(world: &World) {
    let repository = world.repository::<Session>().await;
    let mut all = repository.expired().await.unwrap();
    expire(world, &repository, 0, 1).await;
    let position = crate::world::next(&mut all).await.position();
    expire(world, &repository, 1, 2).await;
    next_ids(&mut all, 2).await;
    let mut now = repository.expired().group("now").await.unwrap();
    let mut behind = repository.expired().group("behind").from(position).await.unwrap();
    let mut start = repository.expired().from_start().group("start").await.unwrap();
    expire(world, &repository, 3, 1).await;
    assert_eq!(acknowledge(&mut now, 1).await, ids(3, 1));
    assert_eq!(acknowledge(&mut behind, 3).await, ids(1, 3));
    assert_eq!(acknowledge(&mut start, 4).await, ids(0, 4));
}

/// What was due all along, and nobody had seen, belongs to a group that is new.
pub async fn a_new_group_gets_what_was_due_and_unseen(world: &World) {
    let off = Store::builder().events(kvrepo::KeyspaceEvents::Off);
    let writer = world.open(off).await.repository::<Session>();
    expire(world, &writer, 0, 50).await;
    let repository = world.repository::<Session>().await;
    let mut expired = billing(&repository).await.unwrap();
    assert_eq!(acknowledge(&mut expired, 50).await, ids(0, 50));
}

pub async fn what_is_delivered_in_vain_is_put_aside_and_replayed(world: &World) {
    let repository = world.repository::<Session>().await;
    let group = repository.group("billing");
    let subscribe = || billing(&repository).claim_after(CLAIM).max_deliveries(2);
    let mut expired = subscribe().await.unwrap();
    expire(world, &repository, 0, 3).await;
    for deliveries in 1..=2 {
        for _ in 0..3 {
            let event = next(&mut expired).await;
            assert_eq!(event.deliveries(), deliveries);
            if event.id() == "00002" {
                assert!(event.ack().await.unwrap());
            }
            if deliveries == 2 && event.id() == "00001" {
                break;
            }
        }
        world.pass(CLAIM).await;
    }
    // They go aside when somebody asks for more.
    nothing_before(world, &repository, &mut expired, 3).await;
    let parked = group.parked().await.unwrap();
    let found: Vec<_> = parked
        .iter()
        .map(|parked| (parked.id().as_str(), parked.deliveries()))
        .collect();
    assert_eq!(found, [("00000", 2), ("00001", 2)]);
    assert_eq!(parked[0].value(), Some(&session(0)));
    assert_eq!(group.pending().await.unwrap(), 0);

    assert!(group.replay(&parked[0]).await.unwrap());
    let again = next(&mut expired).await;
    assert_eq!((again.id().as_str(), again.deliveries()), ("00000", 1));
    assert_eq!(again.position(), parked[0].position());
    assert!(again.ack().await.unwrap());
    assert!(!again.ack().await.unwrap());
    assert!(!group.replay(&parked[0]).await.unwrap(), "it was seen to");

    // In vain once more, it is where it was.
    assert_eq!(group.replay_all().await.unwrap(), 1);
    for deliveries in 1..=2 {
        let again = next(&mut expired).await;
        assert_eq!((again.id().as_str(), again.deliveries()), ("00001", deliveries));
        world.pass(CLAIM).await;
    }
    nothing_before(world, &repository, &mut expired, 4).await;
    assert_eq!(group.parked().await.unwrap().len(), 1);
    assert!(group.discard(&parked[1]).await.unwrap());
    assert!(!group.discard(&parked[1]).await.unwrap());
    assert!(group.parked().await.unwrap().is_empty());
    world.pass(CLAIM).await;
    nothing_before(world, &repository, &mut expired, 5).await;
}

/// What was put aside is there when the log has long forgotten it.
pub async fn what_is_put_aside_outlives_the_retention(world: &World) {
    let retention = Duration::from_millis(900);
    let settings = KeyspaceSettings::new().retention(retention);
    let store = world.open(Store::builder().keyspace::<Session>(settings)).await;
    let repository = store.repository::<Session>();
    let mut expired = billing(&repository)
        .claim_after(Duration::from_millis(100))
        .max_deliveries(1)
        .await
        .unwrap();
    expire(world, &repository, 0, 1).await;
    next(&mut expired).await;
    world.pass(Duration::from_millis(101)).await;
    nothing_before(world, &repository, &mut expired, 1).await;
    world.pass(retention + SHORT).await;
    repository.sweep().await.unwrap();
    let group = repository.group("billing");
    assert_eq!(group.replay_all().await.unwrap(), 1);
    assert_eq!(acknowledge(&mut expired, 1).await, ids(0, 1));
    assert!(group.parked().await.unwrap().is_empty());
}

/// One gap, told to one of the group: of what was not handed out, and of what was not acknowledged.
pub async fn what_the_retention_takes_from_a_group_is_a_gap(world: &World) {
    let retention = Duration::from_millis(700);
    let settings = KeyspaceSettings::new().retention(retention);
    let store = world.open(Store::builder().keyspace::<Session>(settings)).await;
    let repository = store.repository::<Session>();
    let mut all = repository.expired().await.unwrap();
    for pending in [0, 2] {
        let mut expired = billing(&repository).await.unwrap();
        expire(world, &repository, 0, 3).await;
        let mut before = None;
        for i in 0..3 {
            let event = next(&mut expired).await;
            if i < 3 - pending {
                assert!(event.ack().await.unwrap());
                before = Some(event.position());
            }
        }
        drop(expired);
        expire(world, &repository, 3, 4).await;
        next_ids(&mut all, 7).await;
        world.pass(retention + SHORT).await;
        expire(world, &repository, 7, 2).await;
        next_ids(&mut all, 2).await;
        repository.sweep().await.unwrap();

        let mut expired = billing(&repository).await.unwrap();
        let item = tokio::time::timeout(PATIENCE, expired.next())
            .await
            .expect("an item")
            .unwrap();
        let Err(Error::Gap { from, to, .. }) = item else {
            panic!("no gap, but {item:?}")
        };
        assert!(before <= Some(from) && from < to, "{before:?} {from} {to}");
        assert_eq!(acknowledge(&mut expired, 2).await, ids(7, 2));
        nothing_before(world, &repository, &mut expired, 9).await;
        next_ids(&mut all, 1).await;
        assert_eq!(repository.group("billing").pending().await.unwrap(), 0);
    }
}

/// As long as there is a group, the log stays, and with it how far the group has come.
pub async fn a_group_outlives_its_log(world: &World) {
    let retention = Duration::from_millis(300);
    let settings = KeyspaceSettings::new().retention(retention);
    let store = world.open(Store::builder().keyspace::<Session>(settings)).await;
    let repository = store.repository::<Session>();
    let mut expired = billing(&repository).await.unwrap();
    expire(world, &repository, 0, 3).await;
    acknowledge(&mut expired, 3).await;
    drop(expired);
    world.pass(retention * 2).await;
    repository.sweep().await.unwrap();
    let mut all = repository.expired().await.unwrap();
    expire(world, &repository, 3, 2).await;
    next_ids(&mut all, 2).await;
    // Not with what comes from now on, as a new one would.
    let mut expired = billing(&repository).await.unwrap();
    assert_eq!(acknowledge(&mut expired, 2).await, ids(3, 2));
    assert!(repository.group("billing").delete().await.unwrap());
    assert!(!repository.group("billing").delete().await.unwrap());
}

pub async fn asking_for_the_next_can_acknowledge_the_one_before(world: &World) {
    let repository = world.repository::<Session>().await;
    let group = repository.group("billing");
    let subscribe = || {
        billing(&repository)
            .claim_after(CLAIM)
            .acknowledge_automatically()
    };
    let mut expired = subscribe().await.unwrap();
    expire(world, &repository, 0, 3).await;
    for pending in 1..=3 {
        next(&mut expired).await;
        // Those that were taken and not asked for are pending as well.
        assert!(group.pending().await.unwrap() <= 4 - pending);
    }
    drop(expired);
    // The last one was not seen to for all that is known.
    let mut expired = subscribe().await.unwrap();
    world.pass(CLAIM).await;
    let last = next(&mut expired).await;
    assert_eq!((last.id().as_str(), last.deliveries()), ("00002", 2));
    assert!(last.ack().await.unwrap());
    eventually("all to be acknowledged", async || {
        group.pending().await.unwrap() == 0
    })
    .await;
}

/// Others see to what one took and does not get to, long before it would be claimed.
pub async fn what_one_does_not_get_to_goes_to_others(world: &World) {
    let repository = world.repository::<Session>().await;
    let mut busy = billing(&repository).await.unwrap();
    expire(world, &repository, 0, 600).await;
    // Quick enough to be given many at a time.
    acknowledge(&mut busy, 300).await;
    let other = world.repository::<Session>().await;
    let mut free = billing(&other).await.unwrap();
    assert_eq!(acknowledge(&mut free, 300).await.len(), 300);
    drop(busy);
    nothing_before(world, &other, &mut free, 600).await;
}

/// And what it took is theirs at once when it goes.
pub async fn a_reader_that_goes_leaves_what_it_took_to_others(world: &World) {
    let repository = world.repository::<Session>().await;
    let mut gone = billing(&repository).await.unwrap();
    expire(world, &repository, 0, 600).await;
    let mut seen = acknowledge(&mut gone, 300).await;
    drop(gone);
    let mut stays = billing(&repository).await.unwrap();
    let mut rest = Vec::new();
    for _ in 0..300 {
        let event = next(&mut stays).await;
        assert_eq!(event.deliveries(), 1, "it was not looked at before");
        assert!(event.ack().await.unwrap());
        rest.push(event.id().clone());
    }
    seen.extend(rest);
    seen.sort();
    assert_eq!(seen, ids(0, 600));
}

pub async fn a_group_that_cannot_be_is_refused(world: &World) {
    let repository = world.repository::<Session>().await;
    for name in ["", "a b", "a#b", "a*", "\n"] {
        let refused = [
            repository.expired().group(name).await.err(),
            billing(&repository).consumer(name).await.err(),
            repository.group(name).parked().await.err(),
        ];
        for error in refused {
            assert!(
                matches!(&error, Some(Error::InvalidSetting { name: said, .. }) if said == name),
                "{error:?}"
            );
        }
    }
    let settings = [
        billing(&repository).claim_after(Duration::ZERO),
        billing(&repository).max_deliveries(0),
    ];
    for subscribe in settings {
        assert!(matches!(subscribe.await, Err(Error::InvalidSetting { .. })));
    }
    let group = repository.group("nobody");
    assert_eq!(group.pending().await.unwrap(), 0);
    assert!(group.parked().await.unwrap().is_empty());
    assert!(!group.delete().await.unwrap());
    let off = Store::builder().events(kvrepo::KeyspaceEvents::Off);
    let silent = world.open(off).await.repository::<Session>();
    assert!(matches!(billing(&silent).await, Err(Error::EventsDisabled)));
}
