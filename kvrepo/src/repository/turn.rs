//! Turns: those in this process who are about to change one entity by reading it first do so one after the other.
//!
//! They would only make each other begin again. It is politeness and no lock: who waits too long goes ahead, and others
//! know nothing of it; the condition under which is written is what keeps changes from being lost.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use tokio::sync::{Mutex, MutexGuard};
use tokio::time::timeout;

/// How long one waits for a turn at most.
const PATIENCE: Duration = Duration::from_millis(250);
/// Ids whose hashes agree in so many wait for each other.
const SLOTS: usize = 64;

#[derive(Debug)]
pub(crate) struct Turns {
    slots: Vec<Mutex<()>>,
    hasher: RandomState,
}

impl Default for Turns {
    fn default() -> Self {
        Self {
            slots: (0..SLOTS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
        }
    }
}

impl Turns {
    /// Waits for the turn to change the entity with this id, which lasts as long as what is returned.
    pub(super) async fn take(&self, id: &str) -> Option<MutexGuard<'_, ()>> {
        let slot = self.hasher.hash_one(id) as usize % SLOTS;
        timeout(PATIENCE, self.slots.get(slot)?.lock()).await.ok()
    }
}
