//! What a near cache has done.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a store's near cache holds, and what it has done since the store was opened. See
/// [`Store::near_cache`](crate::Store::near_cache).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct NearCacheStatistics {
    /// How many entities were found in it.
    pub hits: u64,
    /// How many were looked for and not found, and so were read from the server: those that are not there at all too.
    pub misses: u64,
    /// How many entities it holds. Some may have expired, or grown too old, and will not be found.
    pub entries: u64,
    /// How many bytes they are counted for; see [`NearCache::max_bytes`](crate::NearCache::max_bytes).
    pub bytes: u64,
    /// How many entities were dropped because they had changed, or were gone or about to change.
    pub invalidations: u64,
    /// How often all of them were dropped: the connection that tells of changes was lost, or everything was deleted.
    pub emptied: u64,
}

/// What is counted.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) hits: Counter,
    pub(super) misses: Counter,
    pub(super) invalidations: Counter,
    pub(super) emptied: Counter,
}

#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
