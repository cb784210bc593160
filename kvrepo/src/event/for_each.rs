//! Giving events to a handler, several at a time.

use std::collections::BTreeSet;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use tokio::task::{JoinError, JoinSet};

use super::handler::{Failure, Handle};
use super::reading::{Events, Handed};
use crate::backend::Position;
use crate::entity::KvEntity;
use crate::error::Error;
use crate::listener::Space;

/// What is told of failures.
pub(super) type OnError = Arc<dyn Fn(Failure) + Send + Sync>;

/// How many events a handler was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Handled {
    /// Those it has seen to.
    pub handled: u64,
    /// Those at which it failed or panicked, and those that could not be acknowledged.
    pub failed: u64,
}

/// Events on their way to a handler, to be awaited. See [`Expired::for_each_concurrent`](crate::Expired::for_each_concurrent).
#[must_use = "no event is handled until this is awaited"]
pub struct ForEach<T: KvEntity> {
    events: Events,
    engine: Engine<T>,
    until: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl<T: KvEntity> ForEach<T> {
    pub(super) fn new(events: Events, limit: usize, handler: Handle<T>) -> Self {
        Self {
            events,
            engine: Engine::new(limit, handler),
            until: Box::pin(std::future::pending()),
        }
    }

    /// Ends when this future does: no further event is taken, and what runs is waited for and acknowledged.
    pub fn until(mut self, shutdown: impl Future + Send + 'static) -> Self {
        self.until = Box::pin(shutdown.map(drop));
        self
    }

    /// Is told of each failure; they are logged in any case.
    pub fn on_error(mut self, tell: impl Fn(Failure) + Send + Sync + 'static) -> Self {
        self.engine.on_error = Some(Arc::new(tell));
        self
    }
}

impl<T: KvEntity> IntoFuture for ForEach<T> {
    type Output = Handled;
    type IntoFuture = Pin<Box<dyn Future<Output = Handled> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.engine.run(self.events, self.until))
    }
}

impl<T: KvEntity> fmt::Debug for ForEach<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForEach")
            .field("entity", &T::SCHEMA.entity)
            .field("limit", &self.engine.limit)
            .finish_non_exhaustive()
    }
}

/// Runs a handler on events.
pub(super) struct Engine<T: KvEntity> {
    limit: usize,
    handler: Handle<T>,
    pub(super) on_error: Option<OnError>,
    pub(super) progress: Arc<Progress>,
}

impl<T: KvEntity> Engine<T> {
    pub(super) fn new(limit: usize, handler: Handle<T>) -> Self {
        Self {
            limit: limit.max(1),
            handler,
            on_error: None,
            progress: Arc::default(),
        }
    }

    pub(super) fn limit(&mut self, limit: usize) {
        self.limit = limit.max(1);
    }

    /// Until `stop` is, or there are no more events; then until what runs has ended. Each event has a task of its own, so
    /// whatever becomes of it is no other's matter.
    pub(super) async fn run(self, mut events: Events, stop: impl Future<Output = ()>) -> Handled {
        let mut stop = std::pin::pin!(stop);
        let mut running = JoinSet::new();
        let mut handled = Handled::default();
        let space = Arc::clone(events.space());
        loop {
            tokio::select! {
                biased;
                () = &mut stop => break,
                Some(ended) = running.join_next() => self.note(ended, &space, &mut handled),
                item = events.next(), if running.len() < self.limit => match item {
                    None => break,
                    Some(Ok(event)) => {
                        self.progress.began(event.position());
                        running.spawn(one(Arc::clone(&self.handler), event));
                    }
                    Some(Err(error)) => self.tell(Failure::Reading(error)),
                },
            }
        }
        // What was taken and not begun goes back to its group now, and not after the last handler.
        drop(events);
        while let Some(ended) = running.join_next().await {
            self.note(ended, &space, &mut handled);
        }
        handled
    }

    fn note(&self, ended: Result<Ended, JoinError>, space: &Space, handled: &mut Handled) {
        // Handlers' panics are caught in their task; what is left is a runtime that ends.
        let Ok(Ended { position, failure }) = ended else {
            return;
        };
        self.progress.ended(position);
        match failure {
            None => handled.handled += 1,
            Some(failure) => {
                handled.failed += 1;
                space.telemetry().handler_failed(space.keyspace().name());
                self.tell(failure);
            }
        }
    }

    fn tell(&self, failure: Failure) {
        // That of a gap is said where it is counted.
        if !matches!(failure, Failure::Reading(Error::Gap { .. })) {
            let source = std::error::Error::source(&failure).map(tracing::field::display);
            tracing::warn!(entity = T::SCHEMA.entity, error = source, "{failure}");
        }
        if let Some(tell) = &self.on_error {
            tell(failure);
        }
    }
}

struct Ended {
    position: Position,
    failure: Option<Failure>,
}

async fn one<T: KvEntity>(handler: Handle<T>, event: Handed) -> Ended {
    let (position, deliveries) = (event.position(), event.deliveries());
    // Decoding runs the user's code as well.
    let handling = async {
        let decoded = event.event::<T>().map_err(Failure::Reading)?;
        let failed = |source| Failure::Handler {
            position,
            deliveries,
            source,
        };
        handler(decoded).await.map_err(failed)
    };
    let ended = AssertUnwindSafe(handling).catch_unwind().await;
    let ended = ended.unwrap_or(Err(Failure::Panic { position, deliveries }));
    let failure = match ended {
        Err(failure) => Some(failure),
        Ok(()) => {
            let sent = event.into_acknowledgement().send().await.err();
            sent.map(|source| Failure::Acknowledgement { position, source })
        }
    };
    Ended { position, failure }
}

/// How far handlers have come.
#[derive(Debug, Default)]
pub(super) struct Progress(Mutex<Marks>);

#[derive(Debug, Default)]
struct Marks {
    running: BTreeSet<Position>,
    last: Option<Position>,
}

impl Progress {
    fn began(&self, position: Position) {
        let mut marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        marks.running.insert(position);
        marks.last = marks.last.max(Some(position));
    }

    fn ended(&self, position: Position) {
        let mut marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        marks.running.remove(&position);
    }

    /// The last position up to which nothing is under way.
    pub(super) fn position(&self) -> Option<Position> {
        let marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match marks.running.first() {
            Some(first) => Some(first.prior()),
            None => marks.last,
        }
    }
}
