//! Going on where one was: from a saved position, from the start, past the retention.

use std::time::Duration;

use kvrepo::{Error, Expired, KeyspaceSettings, Position, Repository, Store};

use crate::fixture::Session;
use crate::world::{self, PATIENCE, World, next, next_ids};

const SHORT: Duration = Duration::from_millis(20);

fn sessions(from: usize, count: usize) -> Vec<Session> {
    (from..from + count)
        .map(|i| Session::new(&format!("{i:05}"), "ann"))
        .collect()
}

fn ids(from: usize, count: usize) -> Vec<String> {
    sessions(from, count)
        .into_iter()
        .map(|session| session.id)
        .collect()
}

async fn expire(world: &World, repository: &Repository<Session>, from: usize, count: usize) {
    world::expire(world, repository, sessions(from, count)).await;
}

/// The next is one gap that ends at this position at the earliest.
async fn gap(expired: &mut Expired<Session>, begin: Option<Position>) -> Position {
    let item = tokio::time::timeout(PATIENCE, expired.next())
        .await
        .expect("an item comes");
    match item {
        Some(Err(Error::Gap { keyspace, from, to })) => {
            assert_eq!(keyspace, "sessions");
            assert!(
                from < to && begin.is_none_or(|begin| begin == from),
                "{from} to {to}"
            );
            to
        }
        other => panic!("no gap, but {other:?}"),
    }
}

pub async fn a_subscriber_goes_on_where_it_was(world: &World) {
    let repository = world.repository::<Session>().await;
    let mut first = repository.expired().await.unwrap();
    let mut other = repository.expired().await.unwrap();
    expire(world, &repository, 0, 10).await;
    let mut heard = Vec::new();
    let mut saved = String::new();
    for _ in 0..4 {
        let event = next(&mut first).await;
        heard.push(event.id().clone());
        saved = serde_json::to_string(&event.position()).unwrap();
    }
    drop(first);
    // Meanwhile, by another process; more than one page of the log.
    expire(world, &repository, 10, 1_000).await;
    next_ids(&mut other, 1_010).await;

    let later = world.repository::<Session>().await;
    let position: Position = serde_json::from_str(&saved).unwrap();
    let mut second = later.expired().from(position).await.unwrap();
    expire(world, &later, 1_010, 5).await;
    let mut last = position;
    for _ in 4..1_015 {
        let event = next(&mut second).await;
        assert!(last < event.position(), "the log's order");
        last = event.position();
        assert!(event.value().is_some());
        heard.push(event.id().clone());
    }
    heard.sort();
    assert_eq!(heard, ids(0, 1_015));
}

pub async fn from_the_start_is_all_that_the_log_has(world: &World) {
    let repository = world.repository::<Session>().await;
    let mut prompt = repository.expired().await.unwrap();
    expire(world, &repository, 0, 30).await;
    next_ids(&mut prompt, 30).await;
    let mut from_start = repository.expired().from_start().await.unwrap();
    assert_eq!(next_ids(&mut from_start, 30).await, ids(0, 30));
    expire(world, &repository, 30, 1).await;
    for expired in [&mut prompt, &mut from_start] {
        assert_eq!(next(expired).await.id(), "00030");
    }
}

/// Never silence: what is gone is told of, once, and then what is there comes.
pub async fn a_position_past_the_retention_is_one_gap(world: &World) {
    let retention = Duration::from_millis(600);
    let settings = KeyspaceSettings::new().retention(retention);
    let store = world.open(Store::builder().keyspace::<Session>(settings)).await;
    let repository = store.repository::<Session>();
    let mut prompt = repository.expired().await.unwrap();
    expire(world, &repository, 0, 2).await;
    let position = next(&mut prompt).await.position();
    next(&mut prompt).await;
    world.pass(retention + SHORT).await;
    expire(world, &repository, 2, 3).await;
    next_ids(&mut prompt, 3).await;
    repository.sweep().await.unwrap();

    let mut late = repository.expired().from(position).await.unwrap();
    gap(&mut late, Some(position)).await;
    assert_eq!(next_ids(&mut late, 3).await, ids(2, 3));
    expire(world, &repository, 5, 1).await;
    assert_eq!(next(&mut late).await.id(), "00005");

    // Also where nothing is left at all.
    world.pass(retention + SHORT).await;
    repository.sweep().await.unwrap();
    let mut late = repository.expired().from(position).await.unwrap();
    gap(&mut late, Some(position)).await;
    expire(world, &repository, 6, 1).await;
    assert_eq!(next(&mut late).await.id(), "00006");
}

/// The server lost its data, and its clock is not what it was.
pub async fn a_position_of_another_log_passes_nothing_over(world: &World) {
    let repository = world.repository::<Session>().await;
    let ahead = Position::new(world.now().await + 3_600_000, 7);
    let mut expired = repository.expired().from(ahead).await.unwrap();
    expire(world, &repository, 0, 3).await;
    assert_eq!(next_ids(&mut expired, 3).await, ids(0, 3));
    let mut again = repository.expired().from(ahead).await.unwrap();
    expire(world, &repository, 3, 3).await;
    assert_eq!(next_ids(&mut again, 3).await, ids(3, 3));
}
