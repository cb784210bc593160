//! A handler in a service: a task that gives it events until it is stopped.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::KeyExpired;
use super::for_each::{Engine, Handled, Progress};
use super::group::GroupOptions;
use super::handler::{Failure, HandlerResult, handle};
use super::reading::Reading;
use super::subscribe::{self, Beginning};
use crate::backend::Position;
use crate::entity::KvEntity;
use crate::error::Result;
use crate::repository::Repository;

/// How many events are handled at a time unless set.
const CONCURRENCY: usize = 32;

/// A handler to be started. See [`Store::listen`](crate::Store::listen).
#[must_use = "nothing is listened to until this is awaited"]
pub struct Listen<T: KvEntity, M = Everything> {
    repository: Repository<T>,
    engine: Engine<T>,
    beginning: Beginning,
    mode: M,
}

/// The handler gets every event, as every other does.
#[derive(Debug)]
pub struct Everything(());

/// The handler gets its share of the events of a group.
#[derive(Debug)]
pub struct Share(GroupOptions);

impl<T: KvEntity> Listen<T> {
    pub(crate) fn new<Fut: Future<Output: HandlerResult> + Send + 'static>(
        repository: Repository<T>,
        handler: impl Fn(KeyExpired<T>) -> Fut + Send + Sync + 'static,
    ) -> Self {
        Self {
            repository,
            engine: Engine::new(CONCURRENCY, handle(handler)),
            beginning: Beginning::Now,
            mode: Everything(()),
        }
    }

    /// Listens as one of a group: each event goes to one of it, and what this handler returns `Ok` for is acknowledged. See
    /// [`SubscribeGroup`](crate::SubscribeGroup).
    pub fn group(self, name: impl Into<String>) -> Listen<T, Share> {
        Listen {
            repository: self.repository,
            engine: self.engine,
            beginning: self.beginning,
            mode: Share(GroupOptions::new(name.into())),
        }
    }
}

impl<T: KvEntity> Listen<T, Share> {
    /// See [`SubscribeGroup::consumer`](crate::SubscribeGroup::consumer).
    pub fn consumer(mut self, name: impl Into<String>) -> Self {
        self.mode.0.consumer(name.into());
        self
    }

    /// See [`SubscribeGroup::claim_after`](crate::SubscribeGroup::claim_after).
    pub fn claim_after(mut self, after: Duration) -> Self {
        self.mode.0.claim_after = after;
        self
    }

    /// See [`SubscribeGroup::max_deliveries`](crate::SubscribeGroup::max_deliveries).
    pub fn max_deliveries(mut self, deliveries: u32) -> Self {
        self.mode.0.max_deliveries = deliveries;
        self
    }
}

impl<T: KvEntity, M> Listen<T, M> {
    /// How many events are handled at a time, each in a task of its own; 32 unless set, and at least one.
    pub fn concurrency(mut self, limit: usize) -> Self {
        self.engine.limit(limit);
        self
    }

    /// Begins behind this position, and not with what comes from now on; of a group, only if it does not exist yet. See
    /// [`Subscribe::from`](crate::Subscribe::from).
    pub fn from(mut self, position: Position) -> Self {
        self.beginning = Beginning::Behind(position);
        self
    }

    /// Begins with all that the log still has; of a group, only if it does not exist yet.
    pub fn from_start(mut self) -> Self {
        self.beginning = Beginning::Start;
        self
    }

    /// Is told of each failure: of the handler, and of the way of events to it. They are logged in any case.
    pub fn on_error(mut self, tell: impl Fn(Failure) + Send + Sync + 'static) -> Self {
        self.engine.on_error = Some(Arc::new(tell));
        self
    }

    fn spawn(engine: Engine<T>, reading: Reading) -> Listening {
        let (stop, mut stopped) = watch::channel(());
        let progress = Arc::clone(&engine.progress);
        // The sender says something only by being dropped.
        let until = async move { while stopped.changed().await.is_ok() {} };
        let task = tokio::spawn(engine.run(reading.into_events(), until));
        Listening { stop, task, progress }
    }
}

impl<T: KvEntity> IntoFuture for Listen<T> {
    type Output = Result<Listening>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let reading = subscribe::read(&self.repository, self.beginning).await?;
            Ok(Self::spawn(self.engine, reading))
        })
    }
}

impl<T: KvEntity> IntoFuture for Listen<T, Share> {
    type Output = Result<Listening>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (reading, _) = self.mode.0.open(&self.repository, self.beginning).await?;
            Ok(Self::spawn(self.engine, reading))
        })
    }
}

impl<T: KvEntity, M: fmt::Debug> fmt::Debug for Listen<T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listen")
            .field("entity", &T::SCHEMA.entity)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

/// A handler that is being given events, until this is stopped or dropped.
///
/// Failures are no end of it: a handler that returns an error or panics is given the next event all the same, and a server that goes
/// away and comes back is followed. It holds its store, whose listener runs as long.
#[derive(Debug)]
#[must_use = "the handler is given no further event once this is dropped"]
pub struct Listening {
    stop: watch::Sender<()>,
    task: JoinHandle<Handled>,
    progress: Arc<Progress>,
}

impl Listening {
    /// Gives the handler no further event, and returns once those that it has are handled and acknowledged. Says how many there were.
    ///
    /// Dropping it does the same without waiting.
    pub async fn stop(self) -> Handled {
        drop(self.stop);
        // The task catches what its handlers do, and ends otherwise only with the runtime.
        self.task.await.unwrap_or_default()
    }

    /// Up to where all events have been handled, or failed; `None` before the first. Saved somewhere, it is from where a handler of
    /// every event goes on later: [`Listen::from`]. A group remembers by itself.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.progress.position()
    }

    /// Whether it has ended by itself, which it does only with the runtime.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }
}
