//! Acknowledging one event of a group.

use std::sync::Arc;

use tokio::time::{Instant, sleep_until};

use crate::backend::{Backend, Keyspace, Receipt};
use crate::error::Result;
use crate::listener::Backoff;

/// What is to be said of an event once it has been seen to; nothing, outside of a group.
#[derive(Debug, Default)]
pub(super) struct Acknowledgement(pub(super) Option<Pending>);

/// An event of a group that was handed out.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) backend: Arc<dyn Backend>,
    pub(super) keyspace: Arc<Keyspace>,
    pub(super) group: String,
    pub(super) receipt: Receipt,
    /// When the event will be handed to another.
    pub(super) until: Instant,
}

impl Acknowledgement {
    /// Says it; whether that was new. To say it twice is to say it once, so it is repeated while the server is away, as long as
    /// the event is not handed to another.
    pub(super) async fn send(&self) -> Result<bool> {
        let Some(pending) = &self.0 else { return Ok(false) };
        let mut backoff = Backoff::new();
        loop {
            let again = Instant::now() + backoff.next();
            match pending.send().await {
                Err(error) if error.is_transient() && again < pending.until => sleep_until(again).await,
                sent => return sent,
            }
        }
    }
}

impl Pending {
    async fn send(&self) -> Result<bool> {
        let noted = self
            .backend
            .acknowledge(&self.keyspace, &self.group, &[self.receipt])
            .await?;
        Ok(noted > 0)
    }
}
