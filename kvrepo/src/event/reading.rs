//! Where events are read from: the log itself, or a group's share of it.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_util::stream;
use tokio::time::Instant;

use super::KeyExpired;
use super::acknowledgement::{Acknowledgement, Pending};
use crate::backend::{Delivered, Keyspace, LogEntry, Position};
use crate::entity::KvEntity;
use crate::error::Result;
use crate::listener::{GroupSubscription, Next, Space, Subscription};
use crate::store::Store;

/// A way of reading events. It holds the store, so that the listener lives as long as somebody reads.
#[derive(Debug)]
pub(super) struct Reading {
    from: From,
    _store: Store,
}

#[derive(Debug)]
enum From {
    Log(Subscription),
    Group(GroupSubscription),
}

/// Events as they are read. Dropping it ends the reading.
pub(super) struct Events {
    events: Pin<Box<dyn Stream<Item = Result<Handed>> + Send>>,
    space: Arc<Space>,
}

impl Events {
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Handed>>> {
        self.events.as_mut().poll_next(context)
    }

    /// Whose events they are.
    pub(super) fn space(&self) -> &Arc<Space> {
        &self.space
    }

    /// The next event; `None` once the listener has ended. Can be dropped and called again without losing one.
    pub(super) async fn next(&mut self) -> Option<Result<Handed>> {
        std::future::poll_fn(|context| self.poll_next(context)).await
    }
}

/// An event that was read and not decoded.
#[derive(Debug)]
pub(super) struct Handed {
    keyspace: Arc<Keyspace>,
    entry: Arc<LogEntry>,
    deliveries: u32,
    acknowledgement: Acknowledgement,
}

impl Reading {
    pub(super) fn of_log(store: Store, subscription: Subscription) -> Self {
        Self {
            from: From::Log(subscription),
            _store: store,
        }
    }

    pub(super) fn of_group(store: Store, subscription: GroupSubscription) -> Self {
        Self {
            from: From::Group(subscription),
            _store: store,
        }
    }

    /// As a stream of which the next event can be waited for, the wait given up and begun again.
    pub(super) fn into_events(self) -> Events {
        let space = Arc::clone(match &self.from {
            From::Log(subscription) => subscription.space(),
            From::Group(subscription) => subscription.space(),
        });
        let events = stream::unfold(self, |mut reading| async move {
            let item = reading.next().await?;
            Some((item, reading))
        });
        Events {
            events: Box::pin(events),
            space,
        }
    }

    /// The next event; `None` once the listener has ended.
    async fn next(&mut self) -> Option<Result<Handed>> {
        match &mut self.from {
            From::Log(subscription) => match subscription.next().await {
                Ok(Next::Event(entry)) => Some(Ok(Handed {
                    keyspace: Arc::clone(subscription.space().keyspace()),
                    entry,
                    deliveries: 1,
                    acknowledgement: Acknowledgement::default(),
                })),
                Ok(Next::End) => None,
                Err(error) => Some(Err(error)),
            },
            From::Group(subscription) => match subscription.next().await? {
                Ok(delivered) => Some(Ok(Handed::delivered(subscription, delivered))),
                Err(error) => Some(Err(error)),
            },
        }
    }
}

impl Handed {
    fn delivered(subscription: &GroupSubscription, delivered: Delivered) -> Self {
        let settings = subscription.settings();
        let pending = Pending {
            backend: Arc::clone(subscription.backend()),
            keyspace: Arc::clone(subscription.space().keyspace()),
            group: settings.member.group.clone(),
            receipt: delivered.receipt,
            until: Instant::now() + settings.claim_after,
        };
        Self {
            keyspace: Arc::clone(subscription.space().keyspace()),
            entry: Arc::new(delivered.entry),
            deliveries: delivered.deliveries,
            acknowledgement: Acknowledgement(Some(pending)),
        }
    }

    pub(super) fn position(&self) -> Position {
        self.entry.position
    }

    pub(super) fn deliveries(&self) -> u32 {
        self.deliveries
    }

    /// The event, with its value decoded.
    pub(super) fn event<T: KvEntity>(&self) -> Result<KeyExpired<T>> {
        KeyExpired::new(&self.keyspace, &self.entry, self.deliveries)
    }

    /// How it is acknowledged.
    pub(super) fn into_acknowledgement(self) -> Acknowledgement {
        self.acknowledgement
    }
}
