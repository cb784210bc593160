//! The event log of one keyspace.

use std::collections::{BTreeMap, VecDeque};

use super::super::{LogEntry, LogPage, Position};
use super::group::Group;
use crate::mapping::Record;

/// Reaped entities, oldest first.
#[derive(Debug, Default)]
pub(super) struct Log {
    entries: VecDeque<LogEntry>,
    end: Position,
    /// The last entry that was dropped.
    trimmed: Position,
    pub(super) groups: BTreeMap<String, Group>,
}

impl Log {
    pub(super) fn append(&mut self, now: u64, id: String, deadline: u64, record: Option<Record>) {
        self.end = self.end.next(now);
        self.entries
            .push_back(LogEntry::new(self.end, id, deadline, record));
    }

    /// The position of the newest event there ever was.
    pub(super) fn end(&self) -> Position {
        self.end
    }

    pub(super) fn read(&self, after: Position, limit: usize) -> LogPage {
        let entries = self.after(after).take(limit).cloned().collect();
        // Who reads from the start asks for what there is.
        LogPage::new(
            entries,
            (after != Position::START && self.trimmed > after).then_some(self.trimmed),
        )
    }

    pub(super) fn entry(&self, position: Position) -> Option<&LogEntry> {
        let found = self
            .entries
            .binary_search_by_key(&position, |entry| entry.position);
        found.ok().and_then(|index| self.entries.get(index))
    }

    /// Behind this position, oldest first.
    pub(super) fn after(&self, position: Position) -> impl Iterator<Item = &LogEntry> {
        let from = self.entries.partition_point(|entry| entry.position <= position);
        self.entries.iter().skip(from)
    }

    /// The last entry that was dropped.
    pub(super) fn trimmed(&self) -> Position {
        self.trimmed
    }

    /// Drops what is older than `cutoff`, in milliseconds since 1970.
    pub(super) fn trim(&mut self, cutoff: u64) {
        while let Some(entry) = self.entries.front()
            && entry.position.millis() < cutoff
        {
            self.trimmed = entry.position;
            self.entries.pop_front();
        }
        for group in self.groups.values_mut() {
            group.lose(self.trimmed);
        }
    }
}
