//! Hearing of everything, by a subscription to each type that goes on where the one before it was.

use std::sync::Arc;

use kvrepo::{Error, Expired, Position, Repository};

use super::{Worker, space};
use crate::chaos::entity::{Order, Ping, Seat, Subject};
use crate::chaos::journal::Record;

pub(super) async fn run(worker: &Arc<Worker>) {
    let store = worker.store().await;
    let (orders, seats, pings) = tokio::join!(
        subscribed(worker, store.repository::<Order>()),
        subscribed(worker, store.repository::<Seat>()),
        subscribed(worker, store.repository::<Ping>()),
    );
    worker.journal.note(&Record::Ready);
    tokio::join!(hear(worker, orders), hear(worker, seats), hear(worker, pings));
}

async fn subscribed<T: Subject>(worker: &Worker, repository: Repository<T>) -> Expired<T> {
    // That of the last event that was noted; all before it were.
    let last = worker.before.iter().rev().find_map(|record| match record {
        Record::Heard(heard) if heard.space == space::<T>() => Some(heard.position()),
        _ => None,
    });
    loop {
        match repository.expired().from(last.unwrap_or(Position::START)).await {
            Ok(expired) => return expired,
            Err(error) => worker.failed("subscribing", &error).await,
        }
    }
}

async fn hear<T: Subject>(worker: &Worker, mut expired: Expired<T>) {
    loop {
        let item = tokio::select! {
            item = expired.next() => item,
            () = worker.stopped() => return,
        };
        match item {
            Some(Ok(event)) => worker.journal.note(&Record::Heard(worker.heard(&event, 0))),
            Some(Err(error @ Error::Gap { .. })) => {
                worker.journal.note(&Record::Failed(format!("{error:?}")));
            }
            Some(Err(error)) => worker.failed("hearing", &error).await,
            None => {
                worker
                    .journal
                    .note(&Record::Failed("the stream ended".to_owned()));
                return;
            }
        }
    }
}
