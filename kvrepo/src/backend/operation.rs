//! What is asked of a backend, and what it answers.

use std::time::Duration;

use super::Position;
use crate::mapping::Record;

/// The greatest term, and the greatest deadline, in milliseconds: with a grace of the same size still below 2^53,
/// so that it is exact in a script and as a sorted set's score.
pub(crate) const GREATEST_TERM: u64 = 4_000_000_000_000_000;

/// The part of its span, in milliseconds, that an idle term has to use up before a read renews it. `renew.lua` has the
/// same.
pub(crate) fn thirtieth(span: u64) -> u64 {
    span / 30
}

/// How entities are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Read {
    /// Whether to say what remains of the term, and when it ends.
    pub term: bool,
    /// Whether this is a use of the entity, by which an idle term begins anew. A backend may do so a little later, as
    /// long as the entity lives on.
    pub renew: bool,
    /// Whether idle terms are to be expected. Without it they are renewed all the same, at the cost of a round trip.
    pub idle: bool,
}

impl Read {
    /// Reads only the fields.
    #[must_use]
    pub fn fields() -> Self {
        Self::default()
    }
}

/// What remains of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimeToLive {
    /// There is no living entity.
    Missing,
    /// It does not expire.
    Persistent,
    /// It expires in so long.
    In(Duration),
}

/// An entity that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loaded {
    /// Its fields.
    pub record: Record,
    /// What remains of its term, if that was asked for; otherwise [`TimeToLive::Persistent`].
    pub remaining: TimeToLive,
    /// When it ends, in milliseconds since 1970 by the backend's clock, if that was asked for.
    pub deadline: Option<u64>,
    /// The span of its idle term, in milliseconds, if it has one.
    pub idle: Option<u64>,
}

impl Loaded {
    /// An entity that was read, of whose term nothing is known.
    #[must_use]
    pub fn new(record: Record) -> Self {
        Self {
            record,
            remaining: TimeToLive::Persistent,
            deadline: None,
            idle: None,
        }
    }

    /// With what remains of the term, and its end.
    #[must_use]
    pub fn expiring(mut self, remaining: TimeToLive, deadline: Option<u64>) -> Self {
        self.remaining = remaining;
        self.deadline = deadline;
        self
    }

    /// With an idle term of this span.
    #[must_use]
    pub fn idle(mut self, span: Option<u64>) -> Self {
        self.idle = span;
        self
    }
}

/// Some ids, and where to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScanPage {
    /// Ids; there can be none although the scan goes on.
    pub ids: Vec<String>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<String>,
}

impl ScanPage {
    /// A page of ids.
    #[must_use]
    pub fn new(ids: Vec<String>, next: Option<String>) -> Self {
        Self { ids, next }
    }
}

/// The right to be the one that reaps a keyspace. Only cost depends on it, never correctness.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lease {
    /// Who asks.
    pub token: String,
    /// For how many milliseconds.
    pub length: u64,
}

impl Lease {
    /// A lease of `length` milliseconds for `token`.
    #[must_use]
    pub fn new(token: String, length: u64) -> Self {
        Self { token, length }
    }
}

/// What to reap.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reap {
    /// Ids that are known to have expired, whatever the deadline index says of them.
    pub expired: Vec<String>,
    /// How many due entities to reap at most in this call.
    pub limit: usize,
    /// Whether to drop events that are older than the retention.
    pub trim: bool,
    /// Do nothing unless this lease can be had or is held.
    pub lease: Option<Lease>,
}

impl Reap {
    /// Reaps up to `limit` due entities.
    #[must_use]
    pub fn due(limit: usize) -> Self {
        Self {
            expired: Vec::new(),
            limit,
            trim: false,
            lease: None,
        }
    }
}

/// What a reap found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reaped {
    /// Whether the lease was had, or none was asked for. If not, nothing else was done.
    pub leader: bool,
    /// How many events were written.
    pub events: u64,
    /// Whether more entities are due.
    pub more: bool,
    /// How long until the next deadline, or until the lease of another lapses; `None` if there is none.
    pub next: Option<Duration>,
    /// How many of the events are of entities in [`Reap::expired`] that were not due by the deadline index.
    pub named: u64,
    /// How many entities are still due.
    pub due: u64,
    /// The backend's time, in milliseconds since 1970, if it says.
    pub now: Option<u64>,
}

impl Reaped {
    /// What a reap found.
    #[must_use]
    pub fn new(leader: bool, events: u64, more: bool, next: Option<Duration>) -> Self {
        Self {
            leader,
            events,
            more,
            next,
            named: 0,
            due: 0,
            now: None,
        }
    }

    /// With how many of the events were of entities that only the server had named, and how many entities are still due.
    #[must_use]
    pub fn counting(mut self, named: u64, due: u64) -> Self {
        self.named = named;
        self.due = due;
        self
    }

    /// With the backend's time, in milliseconds since 1970.
    #[must_use]
    pub fn at(mut self, now: u64) -> Self {
        self.now = Some(now);
        self
    }
}

/// What a clean-up found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Repaired {
    /// How many had expired after all, and became their events.
    pub events: u64,
    /// How many had been evicted, or deleted by another client.
    pub cleaned: u64,
}

/// One event in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogEntry {
    /// Where it stands.
    pub position: Position,
    /// The id of the entity that expired; empty if this is no event but something foreign in the log.
    pub id: String,
    /// When it expired, in milliseconds since 1970 by the backend's clock.
    pub deadline: u64,
    /// What it held; `None` if no phantom was kept, or none was left.
    pub record: Option<Record>,
}

impl LogEntry {
    /// An event.
    #[must_use]
    pub fn new(position: Position, id: String, deadline: u64, record: Option<Record>) -> Self {
        Self {
            position,
            id,
            deadline,
            record,
        }
    }
}

/// Some events of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogPage {
    /// The events, oldest first.
    pub entries: Vec<LogEntry>,
    /// If events after the position asked for were dropped before they could be read: the last of those.
    pub lost_until: Option<Position>,
}

impl LogPage {
    /// Some events.
    #[must_use]
    pub fn new(entries: Vec<LogEntry>, lost_until: Option<Position>) -> Self {
        Self { entries, lost_until }
    }
}

/// Why it is worth looking for expired entities now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trigger<'a> {
    /// The server said that this key has expired.
    Expired(&'a [u8]),
    /// The server said that it has evicted this key, to have memory.
    Evicted(&'a [u8]),
    /// Something may have been missed, or time has moved: look at everything.
    Everything,
}

/// Where a backend sends its triggers.
pub trait TriggerSink: std::fmt::Debug + Send + Sync + 'static {
    /// Takes note of a trigger. Must not block.
    fn trigger(&self, trigger: Trigger<'_>);
}
