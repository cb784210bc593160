//! Trying again what others raced, within bounds.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use tokio::time::sleep;

/// How often one call is tried.
const ATTEMPTS: u32 = 200;
/// The greatest wait between two of them.
const LONGEST: Duration = Duration::from_millis(64);

/// The attempts of one call.
#[derive(Debug)]
pub(super) struct Retry {
    attempt: u32,
}

impl Retry {
    pub(super) fn new() -> Self {
        Self { attempt: 1 }
    }

    /// Whether to try again. Waits before, for a random part of a time that doubles, so that those who race each other
    /// do not meet again.
    pub(super) async fn again(&mut self) -> bool {
        if self.attempt >= ATTEMPTS {
            return false;
        }
        let longest = Duration::from_millis(1 << self.attempt.min(16)).min(LONGEST);
        self.attempt += 1;
        let random = RandomState::new().hash_one(self.attempt) % 1_000;
        sleep(longest.mul_f64(random as f64 / 1_000.0)).await;
        true
    }
}
