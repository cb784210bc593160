//! Subscribing to expirations.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_util::stream;

use super::KeyExpired;
use crate::entity::KvEntity;
use crate::error::{Error, Result};
use crate::listener::{Next, Subscription};
use crate::repository::Repository;
use crate::store::{KeyspaceEvents, Store};

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
/// When awaited: [`Error::EventsDisabled`] if the store was built with [`KeyspaceEvents::Off`],
/// [`Error::Backend`] and [`Error::Timeout`] if the server cannot be reached.
#[derive(Debug)]
#[must_use = "nothing is subscribed to until this is awaited"]
pub struct Subscribe<T: KvEntity> {
    repository: Repository<T>,
}

impl<T: KvEntity> Subscribe<T> {
    pub(crate) fn new(repository: Repository<T>) -> Self {
        Self { repository }
    }
}

impl<T: KvEntity> IntoFuture for Subscribe<T> {
    type Output = Result<Expired<T>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let store = self.repository.store().clone();
            if store.events() == KeyspaceEvents::Off {
                return Err(Error::EventsDisabled);
            }
            let registered = self.repository.registered()?;
            let subscription = store.listener().subscribe(&registered.space).await?;
            Ok(Expired::new(store, subscription))
        })
    }
}

/// The expirations of one entity type, as they come: a [`Stream`] that ends only with its store.
///
/// An error is an item like any other, and the stream goes on behind it: [`Error::Gap`] says that events were
/// dropped from the log before this subscriber had read them, [`Error::Backend`] and [`Error::Timeout`] that the
/// log could not be read just now. Dropping it ends the subscription.
pub struct Expired<T: KvEntity> {
    events: Pin<Box<dyn Stream<Item = Result<KeyExpired<T>>> + Send>>,
}

impl<T: KvEntity> Expired<T> {
    fn new(store: Store, subscription: Subscription) -> Self {
        // The store goes along, so that its listener lives as long as somebody listens.
        let events = stream::unfold((store, subscription), |(store, mut subscription)| async move {
            let item = match subscription.next().await {
                Ok(Next::Event(entry)) => KeyExpired::new(subscription.keyspace(), &entry),
                Ok(Next::End) => return None,
                Err(error) => Err(error),
            };
            Some((item, (store, subscription)))
        });
        Self {
            events: Box::pin(events),
        }
    }

    /// The next expiry. Can be dropped and called again without losing one.
    pub async fn next(&mut self) -> Option<Result<KeyExpired<T>>> {
        std::future::poll_fn(|context| self.events.as_mut().poll_next(context)).await
    }
}

impl<T: KvEntity> Stream for Expired<T> {
    type Item = Result<KeyExpired<T>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.as_mut().poll_next(context)
    }
}

impl<T: KvEntity> fmt::Debug for Expired<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expired")
            .field("entity", &T::SCHEMA.entity)
            .finish_non_exhaustive()
    }
}
