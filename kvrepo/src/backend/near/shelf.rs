//! What is kept of entities, and when it may be handed out.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use quick_cache::sync::Cache;

use super::settings::NearCache;
use super::statistics::{Counters, NearCacheStatistics};
use super::traffic::Traffic;
use crate::backend::{InvalidationSink, Keyspace, Loaded, TimeToLive, Tracked};
use crate::mapping::Record;

/// What an entity is counted for beside its bytes: its place in the cache, and what leads to its fields.
const OVERHEAD: u64 = 200;
/// What an entity takes as a rule; only how the cache divides its room depends on it.
const USUAL: u64 = 1024;

#[derive(Debug)]
pub(super) struct Shelf {
    kept: Cache<String, Arc<Kept>, Weight>,
    traffic: Traffic,
    /// Counted on when all that was read before is void.
    epoch: AtomicU64,
    max_age: u64,
    counters: Counters,
}

/// An entity as it was read; the times are those of [`Tracked`].
#[derive(Debug)]
struct Kept {
    loaded: Loaded,
    asked: u64,
    until: u64,
    epoch: u64,
    decoded: Decoded,
}

/// A place for what somebody has made of the record, who would otherwise have to do it again.
pub(crate) type Decoded = OnceLock<Box<dyn Any + Send + Sync>>;

/// An entity that was at hand.
#[derive(Debug)]
pub(crate) struct Recalled {
    kept: Arc<Kept>,
    now: u64,
}

impl Recalled {
    pub(crate) fn record(&self) -> &Record {
        &self.kept.loaded.record
    }

    pub(crate) fn decoded(&self) -> &Decoded {
        &self.kept.decoded
    }

    /// What remains of its term now.
    pub(crate) fn remaining(&self) -> TimeToLive {
        match self.kept.loaded.remaining {
            TimeToLive::In(remaining) => {
                let since = Duration::from_millis(self.now.saturating_sub(self.kept.asked));
                TimeToLive::In(remaining.saturating_sub(since).max(Duration::from_millis(1)))
            }
            other => other,
        }
    }

    pub(crate) fn deadline(&self) -> Option<u64> {
        self.kept.loaded.deadline
    }
}

#[derive(Debug, Clone)]
struct Weight;

impl quick_cache::Weighter<String, Arc<Kept>> for Weight {
    fn weight(&self, key: &String, kept: &Arc<Kept>) -> u64 {
        // What it is decoded to takes about as much again.
        OVERHEAD + (key.len() + 2 * kept.loaded.record.bytes()) as u64
    }
}

impl Shelf {
    pub(super) fn new(settings: &NearCache) -> Self {
        let entities = usize::try_from(settings.max_bytes / USUAL).unwrap_or(usize::MAX);
        Self {
            kept: Cache::with_weighter(entities.clamp(1, 1 << 20), settings.max_bytes, Weight),
            traffic: Traffic::default(),
            epoch: AtomicU64::new(0),
            max_age: settings.max_age_millis(),
            counters: Counters::default(),
        }
    }

    /// The entity, if it is kept and nothing speaks against it. `now` is asked when there is something.
    pub(super) fn recall(
        &self,
        keyspace: &Keyspace,
        id: &str,
        now: impl FnOnce() -> Option<u64>,
    ) -> Option<Recalled> {
        let found = self.kept.get(keyspace.entity_key(id).as_str()).and_then(|kept| {
            let now = now().filter(|now| *now < kept.until && kept.epoch == self.epoch())?;
            Some(Recalled { kept, now })
        });
        let counter = match found {
            Some(_) => &self.counters.hits,
            None => &self.counters.misses,
        };
        counter.count();
        found
    }

    /// Somebody reads this entity.
    pub(super) fn reading(&self, key: String) -> Reading<'_> {
        Reading {
            shelf: self,
            // Before the request is made, so that all that happens meanwhile is noticed.
            epoch: self.epoch(),
            changes: self.traffic.begin_reading(&key),
            key: Some(key),
        }
    }

    /// Somebody writes these entities.
    pub(super) fn writing(&self, keys: Vec<String>) -> Writing<'_> {
        for key in &keys {
            self.traffic.begin_writing(key, || self.forget(key));
        }
        Writing { shelf: self, keys }
    }

    pub(super) fn statistics(&self) -> NearCacheStatistics {
        NearCacheStatistics {
            hits: self.counters.hits.read(),
            misses: self.counters.misses.read(),
            entries: self.kept.len() as u64,
            bytes: self.kept.weight(),
            invalidations: self.counters.invalidations.read(),
            emptied: self.counters.emptied.read(),
        }
    }

    fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::SeqCst)
    }

    fn forget(&self, key: &str) {
        if self.kept.remove(key).is_some() {
            self.counters.invalidations.count();
        }
    }
}

impl InvalidationSink for Shelf {
    fn invalidate(&self, key: &str) {
        self.traffic.changed(key, || self.forget(key));
    }

    fn invalidate_all(&self) {
        // First: what is put there from now on, and was read before, is of an earlier epoch.
        self.epoch.fetch_add(1, Ordering::SeqCst);
        if !self.kept.is_empty() {
            self.kept.clear();
            self.counters.emptied.count();
        }
    }
}

/// Somebody reads an entity, until this is dropped.
#[derive(Debug)]
pub(super) struct Reading<'s> {
    shelf: &'s Shelf,
    epoch: u64,
    changes: u64,
    /// Until it has ended.
    key: Option<String>,
}

impl Reading<'_> {
    /// Keeps what was read, if it may be.
    pub(super) fn keep(mut self, found: Tracked) -> Loaded {
        // A use of an entity with an idle term has to reach the server.
        if let Some(key) = self.key.take_if(|_| found.loaded.idle.is_none()) {
            let shelf = self.shelf;
            let oldest = found.asked.saturating_add(shelf.max_age);
            let kept = Kept {
                // The copy, which is no larger than it has to be.
                loaded: found.loaded.clone(),
                asked: found.asked,
                until: found.until.map_or(oldest, |until| until.min(oldest)),
                epoch: self.epoch,
                decoded: Decoded::new(),
            };
            let keep = |key| shelf.kept.insert(key, Arc::new(kept));
            shelf.traffic.end_reading(key, self.changes, keep);
        }
        found.loaded
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            self.shelf.traffic.end_reading(key, self.changes, drop);
        }
    }
}

/// Somebody writes entities, until this is dropped: with the answer, or when it is given up, since then it may come to pass
/// all the same.
#[derive(Debug)]
pub(super) struct Writing<'s> {
    shelf: &'s Shelf,
    keys: Vec<String>,
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        for key in self.keys.drain(..) {
            self.shelf.traffic.end_writing(key);
        }
    }
}
