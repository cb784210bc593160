//! An event as one reader of a group gets it.

use std::ops::Deref;
use std::sync::Arc;

use super::KeyExpired;
use super::acknowledgement::Acknowledgement;
use crate::entity::KvEntity;
use crate::error::Result;

/// An expiry that was delivered to this one of its group: a [`KeyExpired`] that can be acknowledged.
///
/// As long as it is not, it is pending, and is delivered again, to this consumer or another, once
/// [`claim_after`](crate::SubscribeGroup::claim_after) has passed.
#[derive(Debug)]
pub struct Delivery<T: KvEntity> {
    event: KeyExpired<T>,
    acknowledgement: Arc<Acknowledgement>,
}

impl<T: KvEntity> Delivery<T> {
    pub(super) fn new(event: KeyExpired<T>, acknowledgement: Arc<Acknowledgement>) -> Self {
        Self {
            event,
            acknowledgement,
        }
    }

    /// Says that the event was seen to: the group does not get it again. Returns whether that was new; it is not if it
    /// was acknowledged before, by this consumer or, after a redelivery, by another.
    ///
    /// While the server cannot be reached this is tried again, until the event would be delivered to another: to acknowledge
    /// twice does no harm.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`](crate::Error::Backend) and [`Error::Timeout`](crate::Error::Timeout). The event may then be delivered
    /// again.
    pub async fn ack(&self) -> Result<bool> {
        self.acknowledgement.send().await
    }

    /// The event without its delivery.
    #[must_use]
    pub fn into_event(self) -> KeyExpired<T> {
        self.event
    }
}

impl<T: KvEntity> Deref for Delivery<T> {
    type Target = KeyExpired<T>;

    fn deref(&self) -> &KeyExpired<T> {
        &self.event
    }
}
