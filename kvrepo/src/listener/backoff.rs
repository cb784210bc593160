//! How long to wait between attempts that fail.

use std::time::Duration;

use tokio::time::sleep;

const FIRST: Duration = Duration::from_millis(50);
const LAST: Duration = Duration::from_secs(1);

/// Waits that double with each failure, up to a second.
#[derive(Debug)]
pub(crate) struct Backoff(Duration);

impl Backoff {
    pub(crate) fn new() -> Self {
        Self(FIRST)
    }

    /// How long to wait now.
    pub(crate) fn next(&mut self) -> Duration {
        let wait = self.0;
        self.0 = (wait * 2).min(LAST);
        wait
    }

    /// Whether the attempt before failed as well.
    pub(crate) fn has_failed(&self) -> bool {
        self.0 > FIRST
    }

    pub(crate) async fn wait(&mut self) {
        sleep(self.next()).await;
    }

    /// An attempt has succeeded.
    pub(crate) fn reset(&mut self) {
        self.0 = FIRST;
    }
}
