//! Handlers: several events at a time, each failing for itself, and a graceful end.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use kvrepo::{Failure, KeyExpired, KvEntity, Position, Repository};
use serde::{Deserialize, Deserializer, Serialize};
use tokio::sync::{Notify, mpsc};

use crate::fixture::Session;
use crate::world::{self, PATIENCE, World, next};

const CLAIM: Duration = Duration::from_millis(300);

fn ids(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("{i:05}")).collect()
}

async fn expire(world: &World, repository: &Repository<Session>, ids: &[String]) {
    let sessions = ids.iter().map(|id| Session::new(id, "ann")).collect();
    world::expire(world, repository, sessions).await;
}

async fn recv<V>(told: &mut mpsc::UnboundedReceiver<V>) -> V {
    let told = tokio::time::timeout(PATIENCE, told.recv()).await;
    told.expect("something is told").expect("the other side is there")
}

/// C51: an error and a panic are told of, and no other event suffers.
pub async fn a_handler_that_fails_or_panics_delays_no_other_event(world: &World) {
    let store = world.store().await;
    let repository = store.repository::<Session>();
    let (tell, mut told) = mpsc::unbounded_channel();
    let (blame, mut blamed) = mpsc::unbounded_channel();
    let listening = store
        .listen::<Session, _>(move |event| {
            let tell = tell.clone();
            async move {
                match event.id().as_str() {
                    "00000" => return Err("out of paper"),
                    "00001" => panic!("out of ink"),
                    id => tell.send(id.to_owned()).unwrap(),
                }
                Ok(())
            }
        })
        .concurrency(1)
        .on_error(move |failure| blame.send(failure).unwrap())
        .await
        .unwrap();
    expire(world, &repository, &ids(4)).await;
    let mut heard = [recv(&mut told).await, recv(&mut told).await];
    heard.sort();
    assert_eq!(heard, ["00002", "00003"]);
    let (mut failed, mut panicked) = (0, 0);
    for _ in 0..2 {
        match recv(&mut blamed).await {
            Failure::Handler {
                source, deliveries, ..
            } => {
                assert_eq!((source.to_string().as_str(), deliveries), ("out of paper", 1));
                failed += 1;
            }
            Failure::Panic { deliveries: 1, .. } => panicked += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((failed, panicked), (1, 1));
    let handled = listening.stop().await;
    assert_eq!((handled.handled, handled.failed), (2, 2));
}

/// In a group an event that failed comes again, and what went well does not.
pub async fn a_group_gets_again_what_its_handler_failed_at(world: &World) {
    let store = world.store().await;
    let repository = store.repository::<Session>();
    let (tell, mut told) = mpsc::unbounded_channel();
    let listening = store
        .listen::<Session, _>(move |event| {
            let tell = tell.clone();
            async move {
                tell.send((event.id().clone(), event.deliveries())).unwrap();
                match (event.id().as_str(), event.deliveries()) {
                    ("00001", 1) => Err(std::io::Error::other("not now")),
                    ("00002", 1) => panic!("not at all"),
                    _ => Ok(()),
                }
            }
        })
        .group("billing")
        .claim_after(CLAIM)
        .await
        .unwrap();
    expire(world, &repository, &ids(3)).await;
    let mut heard = Vec::new();
    for _ in 0..3 {
        heard.push(recv(&mut told).await);
    }
    world.pass(CLAIM).await;
    for _ in 0..2 {
        heard.push(recv(&mut told).await);
    }
    heard.sort();
    let times = |id: &str, count| (id.to_owned(), count);
    assert_eq!(
        heard,
        [
            times("00000", 1),
            times("00001", 1),
            times("00001", 2),
            times("00002", 1),
            times("00002", 2)
        ]
    );
    let handled = listening.stop().await;
    assert_eq!((handled.handled, handled.failed), (3, 2));
    assert_eq!(repository.group("billing").pending().await.unwrap(), 0);
}

/// C52: never more at a time than asked for, and none lost.
pub async fn many_events_are_handled_a_few_at_a_time(world: &World) {
    const COUNT: usize = 3_000;
    let store = world.store().await;
    let repository = store.repository::<Session>();
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (tell, mut told) = mpsc::unbounded_channel();
    let (counted, highest) = (Arc::clone(&running), Arc::clone(&most));
    let handler = move |event: KeyExpired<Session>| {
        let (counted, highest, tell) = (Arc::clone(&counted), Arc::clone(&highest), tell.clone());
        async move {
            let now = counted.fetch_add(1, Ordering::SeqCst) + 1;
            highest.fetch_max(now, Ordering::SeqCst);
            // As a handler that waits for somebody else.
            tokio::time::sleep(Duration::from_millis(2)).await;
            counted.fetch_sub(1, Ordering::SeqCst);
            tell.send(event.id().clone()).unwrap();
        }
    };
    let listening = [
        store
            .listen::<Session, _>(handler.clone())
            .concurrency(20)
            .await
            .unwrap(),
        store
            .listen::<Session, _>(handler)
            .group("billing")
            .concurrency(20)
            .await
            .unwrap(),
    ];
    expire(world, &repository, &ids(COUNT)).await;
    let mut heard = Vec::with_capacity(2 * COUNT);
    for _ in 0..2 * COUNT {
        heard.push(recv(&mut told).await);
    }
    heard.sort();
    let twice: Vec<String> = ids(COUNT).into_iter().flat_map(|id| [id.clone(), id]).collect();
    assert_eq!(heard, twice);
    let most = most.load(Ordering::SeqCst);
    assert!((2..=40).contains(&most), "{most} at a time");
    for listening in listening {
        assert_eq!(listening.stop().await.handled, COUNT as u64);
    }
}

/// Tells of each event, and of this one only after it was told to go on.
fn held_up_at(
    id: &'static str,
    go_on: Arc<Notify>,
    tell: mpsc::UnboundedSender<String>,
) -> impl Fn(KeyExpired<Session>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    move |event| {
        let (go_on, tell) = (Arc::clone(&go_on), tell.clone());
        Box::pin(async move {
            if event.id() == id {
                go_on.notified().await;
            }
            tell.send(event.id().clone()).unwrap();
        })
    }
}

/// One that waits holds up nobody but itself; and stopping waits for it, and acknowledges what it did.
pub async fn stopping_finishes_what_runs(world: &World) {
    let store = world.store().await;
    let repository = store.repository::<Session>();
    let go_on = Arc::new(Notify::new());
    let (tell, mut told) = mpsc::unbounded_channel();
    let listening = store
        .listen::<Session, _>(held_up_at("00000", Arc::clone(&go_on), tell))
        .group("billing")
        .concurrency(2)
        .await
        .unwrap();
    expire(world, &repository, &ids(10)).await;
    for _ in 0..9 {
        assert_ne!(recv(&mut told).await, "00000");
    }
    let mut stopping = Box::pin(listening.stop());
    // Begun before anything else expires.
    assert!(stopping.as_mut().now_or_never().is_none(), "one is still running");
    let stopping = tokio::spawn(stopping);
    // What expires now is nobody's until the group has another reader.
    let later = ["later".to_owned()];
    expire(world, &repository, &later).await;
    assert!(!stopping.is_finished(), "one is still running");
    go_on.notify_one();
    let handled = tokio::time::timeout(PATIENCE, stopping).await.unwrap().unwrap();
    assert_eq!((handled.handled, handled.failed), (10, 0));
    assert_eq!(recv(&mut told).await, "00000");
    assert_eq!(repository.group("billing").pending().await.unwrap(), 0);
    let mut expired = repository.expired().group("billing").await.unwrap();
    let event = tokio::time::timeout(PATIENCE, expired.next()).await.unwrap();
    assert_eq!(event.unwrap().unwrap().id(), "later");
}

pub async fn a_stream_is_handled_until_it_is_told_to_end(world: &World) {
    let repository = world.repository::<Session>().await;
    let expired = repository.expired().await.unwrap();
    let deliveries = repository.expired().group("billing").await.unwrap();
    expire(world, &repository, &ids(50)).await;
    let count = Arc::new(AtomicUsize::new(0));
    let (enough, shutdown) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let handler = || {
        let (count, enough) = (Arc::clone(&count), Arc::clone(&enough));
        move |_| {
            if count.fetch_add(1, Ordering::SeqCst) + 1 == 100 {
                enough.notify_one();
            }
            async {}
        }
    };
    let until = |shutdown: &Arc<Notify>| {
        let shutdown = Arc::clone(shutdown);
        async move { shutdown.notified().await }
    };
    let other = Arc::new(Notify::new());
    let all = tokio::spawn(
        expired
            .for_each_concurrent(8, handler())
            .until(until(&shutdown))
            .into_future(),
    );
    let group = tokio::spawn(
        deliveries
            .for_each_concurrent(8, handler())
            .until(until(&other))
            .into_future(),
    );
    tokio::time::timeout(PATIENCE, enough.notified()).await.unwrap();
    shutdown.notify_one();
    other.notify_one();
    for ended in [all, group] {
        let handled = tokio::time::timeout(PATIENCE, ended).await.unwrap().unwrap();
        assert_eq!((handled.handled, handled.failed), (50, 0));
    }
    assert_eq!(repository.group("billing").pending().await.unwrap(), 0);
}

/// The position of a handler is one to go on from: nothing before it is under way.
pub async fn a_handler_knows_how_far_it_has_come(world: &World) {
    let store = world.store().await;
    let repository = store.repository::<Session>();
    let mut all = repository.expired().await.unwrap();
    let go_on = Arc::new(Notify::new());
    let (tell, mut told) = mpsc::unbounded_channel();
    let listening = store
        .listen::<Session, _>(held_up_at("00001", Arc::clone(&go_on), tell))
        .await
        .unwrap();
    assert_eq!(listening.position(), None);
    let mut positions: Vec<Position> = Vec::new();
    for id in ids(3) {
        expire(world, &repository, std::slice::from_ref(&id)).await;
        positions.push(next(&mut all).await.position());
        if id != "00001" {
            assert_eq!(recv(&mut told).await, id);
        }
    }
    let position = listening.position().expect("one was handled");
    assert!(
        positions[0] <= position && position < positions[1],
        "{position} of {positions:?}"
    );
    let mut again = repository.expired().from(position).await.unwrap();
    assert_eq!(next(&mut again).await.id(), "00001");
    go_on.notify_one();
    assert_eq!(recv(&mut told).await, "00001");
    crate::world::eventually("the end", async || listening.position() == Some(positions[2])).await;
    listening.stop().await;
}

/// Decoding is the entity's own code.
#[derive(Debug, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "mines")]
struct Mine {
    #[id]
    id: u32,
    #[serde(deserialize_with = "explodes")]
    fuse: bool,
}

fn explodes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let lit = bool::deserialize(deserializer)?;
    assert!(!lit, "it was lit");
    Ok(lit)
}

pub async fn an_entity_that_panics_when_read_harms_no_other(world: &World) {
    let store = world.store().await;
    let mines = store.repository::<Mine>();
    let (tell, mut told) = mpsc::unbounded_channel();
    let (blame, mut blamed) = mpsc::unbounded_channel();
    let listening = store
        .listen::<Mine, _>(move |event| {
            let tell = tell.clone();
            async move { tell.send(*event.id()).unwrap() }
        })
        .on_error(move |failure| blame.send(failure).unwrap())
        .await
        .unwrap();
    for (id, fuse) in [(1, true), (2, false)] {
        world::expire(world, &mines, vec![Mine { id, fuse }]).await;
    }
    assert_eq!(recv(&mut told).await, 2);
    assert!(matches!(recv(&mut blamed).await, Failure::Panic { .. }));
    assert_eq!(listening.stop().await.handled, 1);
}
