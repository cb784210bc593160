//! Seeing to the events that fall to this one of a group: by hand, by a handler, and by a handler of the store's.

use std::sync::Arc;
use std::time::Duration;

use kvrepo::{Failure, GroupExpired, KeyExpired, Repository, Store, SubscribeGroup};

use super::{Role, Worker, space};
use crate::chaos::entity::{Order, Ping, Seat, Subject};
use crate::chaos::journal::Record;

/// How many events a handler sees to at one time.
const CONCURRENCY: usize = 8;
/// So often nothing is poison: who is killed with an event in hand is not to be taken for a failing handler.
const DELIVERIES: u32 = 10_000;

pub(super) async fn run(worker: &Arc<Worker>) {
    let store = worker.store().await;
    let ready = Arc::new(tokio::sync::Barrier::new(4));
    let note = async {
        ready.wait().await;
        worker.journal.note(&Record::Ready);
    };
    tokio::join!(
        take_part::<Order>(worker, &store, &ready),
        take_part::<Seat>(worker, &store, &ready),
        take_part::<Ping>(worker, &store, &ready),
        note
    );
}

async fn take_part<T: Subject>(worker: &Arc<Worker>, store: &Store, ready: &tokio::sync::Barrier) {
    match worker.settings.role {
        Role::Serve => serve::<T>(worker, store, ready).await,
        Role::Handle => {
            let expired = subscribed(worker, &store.repository::<T>(), false).await;
            ready.wait().await;
            let (handling, telling, stopping) = (Arc::clone(worker), Arc::clone(worker), Arc::clone(worker));
            expired
                .for_each_concurrent(CONCURRENCY, move |event| {
                    handle::<T>(Arc::clone(&handling), event)
                })
                .on_error(move |failure| tell(&telling, &failure))
                .until(async move { stopping.stopped().await })
                .await;
        }
        _ => {
            let expired = subscribed(worker, &store.repository::<T>(), true).await;
            ready.wait().await;
            see_to(worker, expired).await;
        }
    }
}

async fn subscribed<T: Subject>(worker: &Worker, repository: &Repository<T>, named: bool) -> GroupExpired<T> {
    loop {
        let subscribe: SubscribeGroup<T> = repository
            .expired()
            .group(worker.settings.role.name())
            .claim_after(Duration::from_millis(worker.settings.claim_after))
            .max_deliveries(DELIVERIES);
        let subscribed = if named {
            subscribe.consumer(consumer(worker)).await
        } else {
            subscribe.await
        };
        match subscribed {
            Ok(expired) => return expired,
            Err(error) => worker.failed("joining", &error).await,
        }
    }
}

/// The same for whoever comes after it in its place.
fn consumer(worker: &Worker) -> String {
    format!("worker-{}", worker.settings.slot)
}

/// One after the other, each acknowledged.
async fn see_to<T: Subject>(worker: &Worker, mut expired: GroupExpired<T>) {
    loop {
        let item = tokio::select! {
            item = expired.next() => item,
            () = worker.stopped() => return,
        };
        match item {
            Some(Ok(event)) => {
                note(worker, &event);
                match event.ack().await {
                    Ok(was_pending) => worker.journal.note(&Record::Acknowledged {
                        at: worker.journal.now(),
                        space: space::<T>(),
                        position: event.position().to_string(),
                        was_pending,
                    }),
                    // Another may get it then.
                    Err(error) => worker.failed("acknowledging", &error).await,
                }
            }
            Some(Err(error)) => worker.failed("reading", &error).await,
            None => {
                worker
                    .journal
                    .note(&Record::Failed("the stream ended".to_owned()));
                return;
            }
        }
    }
}

async fn serve<T: Subject>(worker: &Arc<Worker>, store: &Store, ready: &tokio::sync::Barrier) {
    let listening = loop {
        let (handling, telling) = (Arc::clone(worker), Arc::clone(worker));
        let listen = store
            .listen::<T, _>(move |event| handle::<T>(Arc::clone(&handling), event))
            .group(Role::Serve.name())
            .consumer(consumer(worker))
            .claim_after(Duration::from_millis(worker.settings.claim_after))
            .max_deliveries(DELIVERIES)
            .on_error(move |failure| tell(&telling, &failure));
        match listen.await {
            Ok(listening) => break listening,
            Err(error) => worker.failed("joining", &error).await,
        }
    };
    ready.wait().await;
    worker.stopped().await;
    listening.stop().await;
}

async fn handle<T: Subject>(worker: Arc<Worker>, event: KeyExpired<T>) {
    note(&worker, &event);
    tokio::time::sleep(Duration::from_millis(2)).await; // as long as it takes
}

fn note<T: Subject>(worker: &Worker, event: &KeyExpired<T>) {
    worker
        .journal
        .note(&Record::Heard(worker.heard(event, event.deliveries())));
}

fn tell(worker: &Worker, failure: &Failure) {
    let may_be = match failure {
        Failure::Reading(error) | Failure::Acknowledgement { source: error, .. } => error.is_transient(),
        _ => false,
    };
    if !may_be {
        worker.journal.note(&Record::Failed(format!("{failure:?}")));
    }
}
