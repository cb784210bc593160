//! Subscribing as one of a group.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;

use super::KeyExpired;
use super::delivery::Delivery;
use super::for_each::ForEach;
use super::handler::{HandlerResult, handle};
use super::reading::{Events, Reading};
use super::subscribe::Beginning;
use crate::backend::{Member, Position, check_group_name};
use crate::entity::KvEntity;
use crate::error::{Error, Result};
use crate::listener::GroupSettings;
use crate::repository::Repository;

/// How one takes part in a group.
#[derive(Debug, Clone)]
pub(super) struct GroupOptions {
    group: String,
    consumer: Option<String>,
    pub(super) claim_after: Duration,
    pub(super) max_deliveries: u32,
}

impl GroupOptions {
    pub(super) fn new(group: String) -> Self {
        Self {
            group,
            consumer: None,
            claim_after: Duration::from_secs(30),
            max_deliveries: 16,
        }
    }

    pub(super) fn consumer(&mut self, name: String) {
        self.consumer = Some(name);
    }

    fn settings(&self) -> Result<GroupSettings> {
        check_group_name("group", &self.group)?;
        let generated = || uuid::Uuid::now_v7().to_string();
        let consumer = self.consumer.clone().unwrap_or_else(generated);
        check_group_name("consumer", &consumer)?;
        if self.claim_after.as_millis() == 0 {
            return Err(Error::InvalidSetting {
                what: "claim_after",
                name: format!("{:?}", self.claim_after),
                reason: "each event would go to every reader at once; it has to be at least a millisecond"
                    .into(),
            });
        }
        if self.max_deliveries == 0 {
            return Err(Error::InvalidSetting {
                what: "max_deliveries",
                name: "0".into(),
                reason: "no event could ever be delivered; take 1, or more".into(),
            });
        }
        Ok(GroupSettings {
            member: Member::new(self.group.clone(), consumer),
            claim_after: self.claim_after,
            max_deliveries: self.max_deliveries,
        })
    }

    /// Joins; returns how to read, and under what name.
    pub(super) async fn open<T: KvEntity>(
        self,
        repository: &Repository<T>,
        beginning: Beginning,
    ) -> Result<(Reading, String)> {
        let settings = self.settings()?;
        let consumer = settings.member.consumer.clone();
        let (store, registered) = repository.for_events()?;
        let from = beginning.position();
        let subscription = store.listener().join(&registered.space, settings, from).await?;
        Ok((Reading::of_group(store.clone(), subscription), consumer))
    }
}

/// A subscription as one of a group, to be awaited. See [`Subscribe::group`](crate::Subscribe::group).
///
/// Each event goes to one consumer of the group, in whatever process, and is pending until that one has acknowledged it. What a
/// consumer does not acknowledge within [`claim_after`](Self::claim_after), because it died or failed, goes to another. So each
/// event is seen to at least once, and as long as nobody dies or is late, exactly once.
///
/// ```
/// use std::time::Duration;
/// use kvrepo::{KvEntity, ManualClock, Store};
/// # use serde::{Serialize, Deserialize};
/// # #[derive(Debug, Serialize, Deserialize, KvEntity)]
/// # #[kv(time_to_live = "15m")]
/// # struct Order { #[id] id: u64, seat: String }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
/// let clock = ManualClock::new();
/// let orders = Store::in_memory().with_clock(clock.clone()).repository::<Order>();
/// let mut expired = orders.expired().group("release").claim_after(Duration::from_secs(10)).await?;
///
/// orders.save(&mut Order { id: 1, seat: "17A".into() }).await?;
/// clock.advance(Duration::from_secs(901));
///
/// let event = expired.next().await.unwrap()?;
/// assert_eq!((event.value().unwrap().seat.as_str(), event.deliveries()), ("17A", 1));
/// event.ack().await?;
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// When awaited: those of [`Subscribe`](crate::Subscribe); [`Error::InvalidSetting`] if the group or the consumer cannot be called
/// so, or a setting cannot be.
#[derive(Debug)]
#[must_use = "nothing is subscribed to until this is awaited"]
pub struct SubscribeGroup<T: KvEntity> {
    repository: Repository<T>,
    options: GroupOptions,
    beginning: Beginning,
    automatic: bool,
}

impl<T: KvEntity> SubscribeGroup<T> {
    pub(super) fn new(repository: Repository<T>, group: String, beginning: Beginning) -> Self {
        Self {
            repository,
            options: GroupOptions::new(group),
            beginning,
            automatic: false,
        }
    }

    /// The consumer's name, its own within the group; one is generated unless set.
    pub fn consumer(mut self, name: impl Into<String>) -> Self {
        self.options.consumer(name.into());
        self
    }

    /// After how long without an acknowledgement an event is delivered again, to whoever of the group is free; 30 seconds unless
    /// set. It has to be longer than an event takes to be seen to. All of a group should have the same.
    pub fn claim_after(mut self, after: Duration) -> Self {
        self.options.claim_after = after;
        self
    }

    /// How often an event is delivered at most; 16 times unless set. One that was never acknowledged by then is put aside, where it
    /// stays until it is replayed or discarded: [`Group::parked`](crate::Group::parked).
    pub fn max_deliveries(mut self, deliveries: u32) -> Self {
        self.options.max_deliveries = deliveries;
        self
    }

    /// By asking for the next event, the one before it is acknowledged. The last one, after which nobody asks, is not.
    pub fn acknowledge_automatically(mut self) -> Self {
        self.automatic = true;
        self
    }

    /// A group that does not exist yet begins behind this position, and not with what comes from now on. One that exists goes on
    /// where it is.
    pub fn from(mut self, position: Position) -> Self {
        self.beginning = Beginning::Behind(position);
        self
    }

    /// A group that does not exist yet begins with all that the log still has.
    pub fn from_start(mut self) -> Self {
        self.beginning = Beginning::Start;
        self
    }
}

impl<T: KvEntity> IntoFuture for SubscribeGroup<T> {
    type Output = Result<GroupExpired<T>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (reading, consumer) = self.options.open(&self.repository, self.beginning).await?;
            Ok(GroupExpired {
                events: reading.into_events(),
                consumer,
                automatic: self.automatic,
                before: None,
                entity: PhantomData,
            })
        })
    }
}

/// The expirations that go to this one of a group: a [`Stream`] that ends only with its store.
///
/// An error is an item like any other, and the stream goes on behind it: [`Error::Gap`] says that events were dropped from the log
/// before the group had seen to them; one of the group is told. What was taken from the log and not asked for goes back to the group
/// when the stream is dropped, or after a second.
pub struct GroupExpired<T: KvEntity> {
    events: Events,
    consumer: String,
    automatic: bool,
    /// Acknowledges the event before, when there is one and it is to be.
    before: Option<Pin<Box<dyn Future<Output = Result<bool>> + Send>>>,
    entity: PhantomData<fn() -> T>,
}

impl<T: KvEntity> GroupExpired<T> {
    /// The consumer's name, given or generated.
    #[must_use]
    pub fn consumer(&self) -> &str {
        &self.consumer
    }

    /// The next expiry that falls to this consumer. Can be dropped and called again without losing one.
    pub async fn next(&mut self) -> Option<Result<Delivery<T>>> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    /// Gives each event to a handler, in a task of its own, at most `limit` at a time (and at least one). What it returns `Ok` for is
    /// acknowledged; what it fails or panics at is delivered again. Ends with the store, or by
    /// [`until`](ForEach::until).
    pub fn for_each_concurrent<Fut: Future<Output: HandlerResult> + Send + 'static>(
        self,
        limit: usize,
        handler: impl Fn(KeyExpired<T>) -> Fut + Send + Sync + 'static,
    ) -> ForEach<T> {
        ForEach::new(self.events, limit, handle(handler))
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Delivery<T>>>> {
        if let Some(before) = &mut self.before {
            let acknowledged = ready!(before.as_mut().poll(context));
            self.before = None;
            if let Err(error) = acknowledged {
                return Poll::Ready(Some(Err(error)));
            }
        }
        let Some(item) = ready!(self.events.poll_next(context)) else {
            return Poll::Ready(None);
        };
        let delivery = item.and_then(|handed| {
            let event = handed.event::<T>()?;
            Ok((event, Arc::new(handed.into_acknowledgement())))
        });
        Poll::Ready(Some(delivery.map(|(event, acknowledgement)| {
            if self.automatic {
                let acknowledgement = Arc::clone(&acknowledgement);
                self.before = Some(Box::pin(async move { acknowledgement.send().await }));
            }
            Delivery::new(event, acknowledgement)
        })))
    }
}

impl<T: KvEntity> Stream for GroupExpired<T> {
    type Item = Result<Delivery<T>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

impl<T: KvEntity> fmt::Debug for GroupExpired<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupExpired")
            .field("entity", &T::SCHEMA.entity)
            .field("consumer", &self.consumer)
            .finish_non_exhaustive()
    }
}
