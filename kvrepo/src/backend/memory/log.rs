//! The event log of one keyspace.

use std::collections::VecDeque;

use super::super::{LogEntry, LogPage, Position};
use crate::mapping::Record;

/// Reaped entities, oldest first.
#[derive(Debug, Default)]
pub(super) struct Log {
    entries: VecDeque<LogEntry>,
    end: Position,
    /// The last entry that was dropped.
    trimmed: Position,
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
        let from = self.entries.partition_point(|entry| entry.position <= after);
        let entries = self.entries.iter().skip(from).take(limit).cloned().collect();
        // Who reads from the start asks for what there is.
        LogPage::new(
            entries,
            (after != Position::START && self.trimmed > after).then_some(self.trimmed),
        )
    }

    /// Drops what is older than `cutoff`, in milliseconds since 1970.
    pub(super) fn trim(&mut self, cutoff: u64) {
        while let Some(entry) = self.entries.front()
            && entry.position.millis() < cutoff
        {
            self.trimmed = entry.position;
            self.entries.pop_front();
        }
    }
}
