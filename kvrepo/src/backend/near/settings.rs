//! What a near cache may take, and for how long.

use std::time::Duration;

use crate::error::{Error, Result};

/// Settings of a cache in this process, in front of the server. See [`near_cache`](mod@crate::near_cache) for what it promises.
///
/// ```
/// use std::time::Duration;
///
/// use kvrepo::{KvEntity, NearCache, Store};
/// # use serde::{Serialize, Deserialize};
/// # #[derive(Serialize, Deserialize, KvEntity)]
/// # struct Person { #[id] id: String, name: String }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
/// let near = NearCache::new().max_bytes(16 << 20).max_age(Duration::from_secs(60));
/// let store = Store::builder().near_cache(near).in_memory()?; // or .connect("redis://127.0.0.1:6379").await?
/// let people = store.repository::<Person>();
///
/// people.save(&mut Person { id: "1".into(), name: "Ann".into() }).await?;
/// for _ in 0..3 {
///     people.find_by_id("1").await?;
/// }
/// let statistics = store.near_cache().unwrap();
/// assert_eq!((statistics.hits, statistics.misses), (2, 1));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a store is given it by `StoreBuilder::near_cache`"]
pub struct NearCache {
    pub(super) max_bytes: u64,
    pub(super) max_age: Duration,
}

impl NearCache {
    /// At most 64 MiB, and nothing for longer than five minutes.
    pub fn new() -> Self {
        Self {
            max_bytes: 64 << 20,
            max_age: Duration::from_secs(300),
        }
    }

    /// The most that it may hold, in bytes; 64 MiB unless set. An entity counts with its key, twice its fields and their values, as
    /// they are stored and as they are decoded, and 200 more. What was least used goes first; what would take up a good part
    /// alone is not kept.
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// The longest that an entity is kept before it is read again, changed or not; five minutes unless set.
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = age;
        self
    }

    /// Refuses what would keep nothing.
    pub(crate) fn check(&self) -> Result<()> {
        let invalid = |what, name: String, reason: &str| {
            Err(Error::InvalidSetting {
                what,
                name,
                reason: reason.into(),
            })
        };
        if self.max_bytes == 0 {
            return invalid(
                "size of the near cache",
                "0 bytes".into(),
                "nothing could be kept; to have no cache, leave `near_cache` out",
            );
        }
        if self.max_age < Duration::from_millis(1) {
            return invalid(
                "age of the near cache",
                format!("{:?}", self.max_age),
                "nothing could be kept for so short a time; to have no cache, leave `near_cache` out",
            );
        }
        Ok(())
    }

    /// In milliseconds.
    pub(super) fn max_age_millis(&self) -> u64 {
        u64::try_from(self.max_age.as_millis()).unwrap_or(u64::MAX)
    }
}

impl Default for NearCache {
    fn default() -> Self {
        Self::new()
    }
}
