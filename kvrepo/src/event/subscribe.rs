//! Subscribing to expirations.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use super::KeyExpired;
use super::for_each::ForEach;
use super::group::SubscribeGroup;
use super::handler::{HandlerResult, handle};
use super::reading::{Events, Reading};
use crate::backend::Position;
use crate::entity::KvEntity;
use crate::error::Result;
use crate::repository::Repository;

/// A subscription to be awaited. See [`Repository::expired`](crate::Repository::expired).
///
/// Awaiting it returns once the server has confirmed: whatever expires from then on comes, with its value, to every
/// subscriber of every process. What expired while no process was listening comes as well, to those who subscribe
/// before a listener has reaped it.
///
/// ```
/// use std::time::Duration;
/// use kvrepo::{KvEntity, ManualClock, Store};
/// # use serde::{Serialize, Deserialize};
/// # #[derive(Debug, Serialize, Deserialize, KvEntity)]
/// # struct Session { #[id] id: String, user: String }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
/// let clock = ManualClock::new();
/// let sessions = Store::in_memory().with_clock(clock.clone()).repository::<Session>();
/// let mut expired = sessions.expired().await?;
///
/// let mut session = Session { id: "1".into(), user: "ann".into() };
/// sessions.save(&mut session).time_to_live(Duration::from_secs(60)).await?;
/// clock.advance(Duration::from_secs(61));
///
/// let event = expired.next().await.unwrap()?;
/// assert_eq!((event.id().as_str(), event.value().unwrap().user.as_str()), ("1", "ann"));
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// When awaited: [`Error::EventsDisabled`](crate::Error::EventsDisabled) if the store was built with
/// [`KeyspaceEvents::Off`](crate::KeyspaceEvents::Off), [`Error::Backend`](crate::Error::Backend) and
/// [`Error::Timeout`](crate::Error::Timeout) if the server cannot be reached.
#[derive(Debug)]
#[must_use = "nothing is subscribed to until this is awaited"]
pub struct Subscribe<T: KvEntity> {
    repository: Repository<T>,
    beginning: Beginning,
}

/// Where a subscription begins in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    Now,
    Start,
    Behind(Position),
}

impl Beginning {
    pub(super) fn position(self) -> Option<Position> {
        match self {
            Self::Now => None,
            Self::Start => Some(Position::START),
            Self::Behind(position) => Some(position),
        }
    }
}

impl<T: KvEntity> Subscribe<T> {
    pub(crate) fn new(repository: Repository<T>) -> Self {
        Self {
            repository,
            beginning: Beginning::Now,
        }
    }

    /// Begins behind this position: with what the log has since, in its order, and then with what comes. What the log has
    /// dropped meanwhile, being past the retention, is told of by one [`Error::Gap`](crate::Error::Gap).
    ///
    /// A position that is behind all that the log ever had is that of another log, whose server lost its data since. Then it begins
    /// with what comes.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use kvrepo::{KvEntity, ManualClock, Position, Store};
    /// # use serde::{Serialize, Deserialize};
    /// # #[derive(Debug, Serialize, Deserialize, KvEntity)]
    /// # #[kv(time_to_live = "1m")]
    /// # struct Session { #[id] id: u64 }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let clock = ManualClock::new();
    /// # let sessions = Store::in_memory().with_clock(clock.clone()).repository::<Session>();
    /// # let mut expired = sessions.expired().await?;
    /// # for id in [1, 2] {
    /// #     sessions.save(&mut Session { id }).await?;
    /// #     clock.advance(Duration::from_secs(61));
    /// # }
    /// let first = expired.next().await.unwrap()?;
    /// let saved = first.position().to_string();
    /// drop(expired);
    /// // Later, perhaps in another process:
    /// let mut expired = sessions.expired().from(saved.parse().unwrap()).await?;
    /// assert_eq!(*expired.next().await.unwrap()?.id(), 2);
    /// # Ok(()) }
    /// ```
    pub fn from(mut self, position: Position) -> Self {
        self.beginning = Beginning::Behind(position);
        self
    }

    /// Begins with the first event that the log still has.
    pub fn from_start(mut self) -> Self {
        self.beginning = Beginning::Start;
        self
    }

    /// Reads as one of a group, in which each event goes to one. See [`SubscribeGroup`].
    pub fn group(self, name: impl Into<String>) -> SubscribeGroup<T> {
        SubscribeGroup::new(self.repository, name.into(), self.beginning)
    }
}

impl<T: KvEntity> IntoFuture for Subscribe<T> {
    type Output = Result<Expired<T>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            Ok(Expired {
                events: read(&self.repository, self.beginning).await?.into_events(),
                entity: PhantomData,
            })
        })
    }
}

/// Reads the log itself.
pub(super) async fn read<T: KvEntity>(repository: &Repository<T>, beginning: Beginning) -> Result<Reading> {
    let (store, registered) = repository.for_events()?;
    let from = beginning.position();
    let subscription = store.listener().subscribe(&registered.space, from).await?;
    Ok(Reading::of_log(store.clone(), subscription))
}

/// The expirations of one entity type, as they come: a [`Stream`] that ends only with its store.
///
/// An error is an item like any other, and the stream goes on behind it: [`Error::Gap`](crate::Error::Gap) says that events were
/// dropped from the log before this subscriber had read them, [`Error::Backend`](crate::Error::Backend) and
/// [`Error::Timeout`](crate::Error::Timeout) that the log could not be read just now. Dropping it ends the subscription.
pub struct Expired<T: KvEntity> {
    events: Events,
    entity: PhantomData<fn() -> T>,
}

impl<T: KvEntity> Expired<T> {
    /// The next expiry. Can be dropped and called again without losing one.
    pub async fn next(&mut self) -> Option<Result<KeyExpired<T>>> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    /// Gives each event to a handler, in a task of its own, at most `limit` at a time (and at least one): whatever becomes of one is no
    /// other's matter. Ends with the store, or by [`until`](ForEach::until).
    ///
    /// ```
    /// use std::time::Duration;
    /// use kvrepo::{KvEntity, ManualClock, Store};
    /// # use serde::{Serialize, Deserialize};
    /// # #[derive(Debug, Serialize, Deserialize, KvEntity)]
    /// # #[kv(time_to_live = "15m")]
    /// # struct Seat { #[id] id: u64 }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// let clock = ManualClock::new();
    /// let seats = Store::in_memory().with_clock(clock.clone()).repository::<Seat>();
    /// let expired = seats.expired().await?;
    /// seats.save(&mut Seat { id: 1 }).await?;
    /// clock.advance(Duration::from_secs(901));
    ///
    /// let (done, shutdown) = tokio::sync::oneshot::channel();
    /// let done = std::sync::Mutex::new(Some(done));
    /// let handled = expired
    ///     .for_each_concurrent(8, move |event| {
    ///         let done = done.lock().unwrap().take();
    ///         async move {
    ///             println!("seat {} is free again", event.id());
    ///             done.unwrap().send(()).map_err(|()| "nobody waits for it")
    ///         }
    ///     })
    ///     .until(shutdown)
    ///     .await;
    /// assert_eq!((handled.handled, handled.failed), (1, 0));
    /// # Ok(()) }
    /// ```
    pub fn for_each_concurrent<Fut: Future<Output: HandlerResult> + Send + 'static>(
        self,
        limit: usize,
        handler: impl Fn(KeyExpired<T>) -> Fut + Send + Sync + 'static,
    ) -> ForEach<T> {
        ForEach::new(self.events, limit, handle(handler))
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<KeyExpired<T>>>> {
        let item = ready!(self.events.poll_next(context));
        Poll::Ready(item.map(|item| item?.event()))
    }
}

impl<T: KvEntity> Stream for Expired<T> {
    type Item = Result<KeyExpired<T>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

impl<T: KvEntity> fmt::Debug for Expired<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expired")
            .field("entity", &T::SCHEMA.entity)
            .finish_non_exhaustive()
    }
}
