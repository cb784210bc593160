//! Handlers of events, and how they fail.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::KeyExpired;
use crate::backend::Position;
use crate::entity::KvEntity;
use crate::error::{Error, Source};

/// Sees to events; whoever returns an error has not.
pub(super) type Handle<T> =
    Arc<dyn Fn(KeyExpired<T>) -> Pin<Box<dyn Future<Output = Result<(), Source>> + Send>> + Send + Sync>;

/// Any asynchronous function of an event that returns nothing, or a `Result` of any error.
pub(super) fn handle<T: KvEntity, Fut: Future<Output: HandlerResult> + Send + 'static>(
    handler: impl Fn(KeyExpired<T>) -> Fut + Send + Sync + 'static,
) -> Handle<T> {
    Arc::new(move |event| {
        let handling = handler(event);
        Box::pin(async move { handling.await.into_result() })
    })
}

/// What a handler may return: `()`, or a `Result` of any error.
///
/// `Ok`, and `()`, acknowledges an event of a group. An error, as a panic, does not: the group gets it again.
pub trait HandlerResult {
    /// Whether it went well.
    ///
    /// # Errors
    ///
    /// What the handler returned.
    fn into_result(self) -> Result<(), Source>;
}

impl HandlerResult for () {
    fn into_result(self) -> Result<(), Source> {
        Ok(())
    }
}

impl<E: Into<Source>> HandlerResult for Result<(), E> {
    fn into_result(self) -> Result<(), Source> {
        self.map_err(Into::into)
    }
}

/// What went wrong with an event that was given to a handler, or on the way to one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// Events are missing ([`Error::Gap`]), cannot be read just now, or are none of this type ([`Error::Decode`]).
    #[error("an event could not be read")]
    Reading(#[source] Error),
    /// The handler returned an error.
    #[error("the handler of the event at {position} failed, at delivery {deliveries}")]
    Handler {
        /// Where the event stands in the log.
        position: Position,
        /// How often it had been delivered by then.
        deliveries: u32,
        /// What the handler returned.
        #[source]
        source: Source,
    },
    /// The handler panicked.
    #[error("the handler of the event at {position} panicked, at delivery {deliveries}")]
    Panic {
        /// Where the event stands in the log.
        position: Position,
        /// How often it had been delivered by then.
        deliveries: u32,
    },
    /// The handler has seen to the event, and the server could not be told. The event may be delivered again.
    #[error("the event at {position} was handled, but could not be acknowledged")]
    Acknowledgement {
        /// Where the event stands in the log.
        position: Position,
        /// Why.
        #[source]
        source: Error,
    },
}
