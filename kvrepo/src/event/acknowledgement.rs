//! Acknowledging one event of a group.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::backend::{Backend, Keyspace, Receipt};
use crate::error::Result;

/// The waits between attempts.
const FIRST_BACKOFF: Duration = Duration::from_millis(20);
const LAST_BACKOFF: Duration = Duration::from_millis(500);

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
        let mut backoff = FIRST_BACKOFF;
        loop {
            match pending.send().await {
                Err(error) if error.is_transient() && Instant::now() + backoff < pending.until => {
                    sleep(backoff).await;
                }
                sent => return sent,
            }
            backoff = (backoff * 2).min(LAST_BACKOFF);
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
