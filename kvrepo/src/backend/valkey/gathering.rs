//! What callers ask for at the same moment, sent as one.
//!
//! A call of its own costs a server, and the client too, a good part of what is done in it. So whoever comes while something else is
//! under way leaves what is to be asked, and lets those run who are ready to; then the first of them sends all that was left.
//! Nobody waits for a clock or for a reply, and who is alone sends at once.

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::connection::Connection;

/// How many are sent as one at most. With more there is next to nothing to be gained, and others wait for it.
pub(super) const TOGETHER: usize = 16;

/// Requests that are sent as one.
pub(super) trait Batch: Send + 'static {
    /// What becomes of each.
    type Answer: Send + 'static;

    /// Sends them; the answers are in the order of the requests, and as many.
    fn send(self, connection: &Connection) -> impl Future<Output = Vec<Self::Answer>> + Send;
}

pub(super) struct Gathering<B: Batch> {
    connection: Arc<Connection>,
    left: Mutex<Left<B>>,
    /// How many batches have been sent and not answered.
    under_way: Arc<AtomicUsize>,
}

/// What was left to be sent.
struct Left<B: Batch> {
    batches: Vec<Open<B>>,
    /// How many there have been.
    count: u64,
}

/// A batch that others can join.
struct Open<B: Batch> {
    number: u64,
    batch: B,
    callers: Vec<oneshot::Sender<B::Answer>>,
    /// How many of the callers have not gone.
    there: usize,
}

/// A caller's place in a batch. If all who have one give it up before anybody has sent the batch, nothing is sent.
struct Place<'a, B: Batch> {
    gathering: &'a Gathering<B>,
    number: u64,
    answer: oneshot::Receiver<B::Answer>,
}

/// Counts what is under way.
struct UnderWay(Arc<AtomicUsize>);

impl<B: Batch> Gathering<B> {
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        let left = Left {
            batches: Vec::new(),
            count: 0,
        };
        Self {
            connection,
            left: Mutex::new(left),
            under_way: Arc::default(),
        }
    }

    /// Adds a request to a batch that has room for it or to a new one, and has it sent. `None` if the runtime ended before
    /// it was answered.
    pub(super) async fn ask(
        &self,
        has_room: impl Fn(&B) -> bool,
        new: impl FnOnce() -> B,
        add: impl FnOnce(&mut B),
    ) -> Option<B::Answer> {
        if self.under_way.load(Ordering::Relaxed) == 0 {
            let mut batch = new();
            add(&mut batch);
            return self.send(batch).await.pop();
        }
        let mut place = self.leave(has_room, new, add);
        tokio::task::yield_now().await;
        if let Some(Open { batch, callers, .. }) = place.take() {
            if callers.len() == 1 {
                return self.send(batch).await.pop();
            }
            let (connection, under_way) = (Arc::clone(&self.connection), self.begin());
            // A task of its own, so that whoever gives up now does so for itself alone.
            tokio::spawn(async move {
                let answers = batch.send(&connection).await;
                drop(under_way);
                for (caller, answer) in callers.into_iter().zip(answers) {
                    // Whoever has gone does not want to know.
                    let _ = caller.send(answer);
                }
            });
        }
        (&mut place.answer).await.ok()
    }

    async fn send(&self, batch: B) -> Vec<B::Answer> {
        let _under_way = self.begin();
        batch.send(&self.connection).await
    }

    fn begin(&self) -> UnderWay {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(Arc::clone(&self.under_way))
    }

    fn left(&self) -> MutexGuard<'_, Left<B>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(
        &self,
        has_room: impl Fn(&B) -> bool,
        new: impl FnOnce() -> B,
        add: impl FnOnce(&mut B),
    ) -> Place<'_, B> {
        let (caller, answer) = oneshot::channel();
        let mut left = self.left();
        let open = left
            .batches
            .iter()
            .position(|open| open.callers.len() < TOGETHER && has_room(&open.batch));
        let at = open.unwrap_or_else(|| {
            left.count += 1;
            let open = Open {
                number: left.count,
                batch: new(),
                callers: Vec::new(),
                there: 0,
            };
            left.batches.push(open);
            left.batches.len() - 1
        });
        let open = &mut left.batches[at];
        add(&mut open.batch);
        open.callers.push(caller);
        open.there += 1;
        Place {
            gathering: self,
            number: open.number,
            answer,
        }
    }
}

impl<B: Batch> Left<B> {
    fn position(&self, number: u64) -> Option<usize> {
        self.batches.iter().position(|open| open.number == number)
    }
}

impl<B: Batch> fmt::Debug for Gathering<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is asked is nobody's business.
        f.debug_struct("Gathering")
            .field("under_way", &self.under_way)
            .finish_non_exhaustive()
    }
}

impl<B: Batch> Place<'_, B> {
    /// The batch, if nobody has sent it.
    fn take(&mut self) -> Option<Open<B>> {
        let mut left = self.gathering.left();
        let at = left.position(self.number)?;
        Some(left.batches.swap_remove(at))
    }
}

impl<B: Batch> Drop for Place<'_, B> {
    fn drop(&mut self) {
        let mut left = self.gathering.left();
        let Some(at) = left.position(self.number) else {
            return;
        };
        left.batches[at].there -= 1;
        if left.batches[at].there == 0 {
            left.batches.swap_remove(at);
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
