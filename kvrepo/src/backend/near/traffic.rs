//! Who reads and who writes which entity at this moment, so that nothing is kept that was read before a change.
//!
//! A reply can have been read on the server before a change and arrive after the word of it. So each reader says when it
//! begins, and each change marks those who have begun; what a marked reader brings is given to its caller, and not kept. As
//! long as somebody writes an entity nothing of it is kept at all: what is written is on the server at some moment in between.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many parts there are, each with its lock.
const PARTS: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Traffic {
    parts: [Mutex<HashMap<String, Way>>; PARTS],
    hasher: RandomState,
}

/// The readers and writers of one entity. Where there are none there is no way.
#[derive(Debug, Default)]
struct Way {
    readers: u32,
    writers: u32,
    /// How often it has changed since there are readers or writers.
    changes: u64,
}

impl Way {
    fn is_empty(&self) -> bool {
        self.readers == 0 && self.writers == 0
    }
}

impl Traffic {
    fn part(&self, key: &str) -> MutexGuard<'_, HashMap<String, Way>> {
        let at = self.hasher.hash_one(key) as usize % PARTS;
        let part = &self.parts[at];
        // What is done under the lock calls nobody who could panic.
        part.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody begins to read: what they have to say when they end.
    pub(super) fn begin_reading(&self, key: &str) -> u64 {
        let mut part = self.part(key);
        let way = part.entry(key.to_owned()).or_default();
        way.readers += 1;
        way.changes
    }

    /// Somebody ends, who began when there had been so many changes. What they have read is kept by `keep` if there were no
    /// others; no change can come in between.
    pub(super) fn end_reading(&self, key: String, changes: u64, keep: impl FnOnce(String)) {
        let mut part = self.part(&key);
        let Entry::Occupied(mut way) = part.entry(key.clone()) else {
            return;
        };
        way.get_mut().readers -= 1;
        let is_sound = way.get().changes == changes && way.get().writers == 0;
        if way.get().is_empty() {
            way.remove();
        }
        if is_sound {
            keep(key);
        }
    }

    /// Somebody begins to write. What was kept is dropped by `drop_kept`; no reader can keep anything in between.
    pub(super) fn begin_writing(&self, key: &str, drop_kept: impl FnOnce()) {
        let mut part = self.part(key);
        part.entry(key.to_owned()).or_default().writers += 1;
        drop_kept();
    }

    /// Somebody has written. Nothing is kept.
    pub(super) fn end_writing(&self, key: String) {
        let mut part = self.part(&key);
        let Entry::Occupied(mut way) = part.entry(key) else {
            return;
        };
        way.get_mut().writers -= 1;
        way.get_mut().changes += 1;
        if way.get().is_empty() {
            way.remove();
        }
    }

    /// It has changed. What was kept is dropped by `drop_kept`.
    pub(super) fn changed(&self, key: &str, drop_kept: impl FnOnce()) {
        let mut part = self.part(key);
        if let Some(way) = part.get_mut(key) {
            way.changes += 1;
        }
        drop_kept();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a reader who began with so many changes may keep what it has read.
    fn keeps(traffic: &Traffic, changes: u64) -> bool {
        let mut kept = false;
        traffic.end_reading("a".to_owned(), changes, |_| kept = true);
        kept
    }

    fn is_empty(traffic: &Traffic) -> bool {
        traffic.parts.iter().all(|part| part.lock().unwrap().is_empty())
    }

    #[test]
    fn what_was_read_undisturbed_is_kept() {
        let traffic = Traffic::default();
        let (one, other) = (traffic.begin_reading("a"), traffic.begin_reading("a"));
        traffic.changed("b", || {});
        assert!(keeps(&traffic, one) && keeps(&traffic, other));
        assert!(is_empty(&traffic));
    }

    #[test]
    fn what_was_asked_for_before_a_change_is_not_kept() {
        let traffic = Traffic::default();
        let before = traffic.begin_reading("a");
        traffic.changed("a", || {});
        let after = traffic.begin_reading("a");
        assert!(!keeps(&traffic, before) && keeps(&traffic, after));
        assert!(is_empty(&traffic));
    }

    #[test]
    fn nothing_is_kept_while_somebody_writes_or_of_what_was_asked_for_meanwhile() {
        let traffic = Traffic::default();
        let before = traffic.begin_reading("a");
        traffic.begin_writing("a", || {});
        let (during, late) = (traffic.begin_reading("a"), traffic.begin_reading("a"));
        assert!(!keeps(&traffic, during));
        traffic.end_writing("a".to_owned());
        assert!(!keeps(&traffic, before) && !keeps(&traffic, late));
        let after = traffic.begin_reading("a");
        assert!(keeps(&traffic, after));
        assert!(is_empty(&traffic));
    }
}
