//! Groups: readers of one event log who share it, each event going to one of them.

use async_trait::async_trait;

use super::{Keyspace, LogEntry, Position};
use crate::error::Result;

/// One reader in a group.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The group's name.
    pub group: String,
    /// The reader's name, its own within the group.
    pub consumer: String,
}

impl Member {
    /// A reader in a group.
    #[must_use]
    pub fn new(group: String, consumer: String) -> Self {
        Self { group, consumer }
    }
}

/// What an event was handed out from, and so where it is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Receipt {
    /// From the log, where it stands at this position.
    Log(Position),
    /// From the events put aside, among which it stands at this position, after it was replayed.
    Parked(Position),
}

/// What is to be handed out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claim {
    /// What was handed out so many milliseconds ago and not acknowledged.
    pub after: u64,
    /// What was handed out so often already is put aside instead.
    pub max_deliveries: u32,
    /// How many events to look at.
    pub limit: usize,
    /// Whether to forget readers that have nothing and have not been heard of for long.
    pub tidy: bool,
}

impl Claim {
    /// What was handed out so many milliseconds ago, and less often than that.
    #[must_use]
    pub fn new(after: u64, max_deliveries: u32, limit: usize) -> Self {
        Self {
            after,
            max_deliveries,
            limit,
            tidy: false,
        }
    }
}

/// An event handed out to one reader of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivered {
    /// The event, at its position in the log.
    pub entry: LogEntry,
    /// How often it has been handed out, this time included.
    pub deliveries: u32,
    /// By what it is acknowledged.
    pub receipt: Receipt,
}

impl Delivered {
    /// An event handed out.
    #[must_use]
    pub fn new(entry: LogEntry, deliveries: u32, receipt: Receipt) -> Self {
        Self {
            entry,
            deliveries,
            receipt,
        }
    }
}

/// What was there to be handed out again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Claimed {
    /// The events, oldest first.
    pub events: Vec<Delivered>,
    /// How many were put aside, since they had been handed out too often.
    pub parked: u64,
    /// Whether there can be more.
    pub more: bool,
    /// The group lost events between these positions, as they were dropped before they were handed out or acknowledged.
    /// Told to one reader, once.
    pub lost: Option<(Position, Position)>,
}

/// An event that was put aside.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParkedEntry {
    /// The event, at the position that it had in the log.
    pub entry: LogEntry,
    /// How often it had been handed out.
    pub deliveries: u32,
    /// Where it stands among those put aside.
    pub place: Position,
}

impl ParkedEntry {
    /// An event that was put aside.
    #[must_use]
    pub fn new(entry: LogEntry, deliveries: u32, place: Position) -> Self {
        Self {
            entry,
            deliveries,
            place,
        }
    }
}

/// What every backend promises of groups.
///
/// A group has read a log up to some position. An event behind it is handed out to the first reader that asks, and stays
/// with it until it is acknowledged, or claimed by another reader after a while. What the retention drops meanwhile is lost
/// to the group, which is told so.
///
/// A call on a group that is not there does nothing, and is answered with `None` where it asks for events.
#[async_trait]
pub trait Groups {
    /// Makes a group that begins behind a position, or at the log's end if `None`, unless there is one of this name; says
    /// whether it is new.
    async fn join_group(&self, keyspace: &Keyspace, group: &str, from: Option<Position>) -> Result<bool>;

    /// Hands out up to `limit` events that nobody in the group has had yet.
    async fn read_group(
        &self,
        keyspace: &Keyspace,
        member: &Member,
        limit: usize,
    ) -> Result<Option<Vec<Delivered>>>;

    /// Hands out again what was not acknowledged in time, or was replayed, whoever had it.
    async fn claim(&self, keyspace: &Keyspace, member: &Member, claim: &Claim) -> Result<Option<Claimed>>;

    /// Takes note that events were seen to; says for how many that was new.
    async fn acknowledge(&self, keyspace: &Keyspace, group: &str, receipts: &[Receipt]) -> Result<u64>;

    /// Undoes the delivery of those events that are still this reader's: the next to claim gets them.
    async fn give_back(&self, keyspace: &Keyspace, member: &Member, receipts: &[Receipt]) -> Result<()>;

    /// Forgets a reader, unless it has events that are not acknowledged.
    async fn leave_group(&self, keyspace: &Keyspace, member: &Member) -> Result<()>;

    /// Up to `limit` events that were put aside, from behind a place on.
    async fn parked(
        &self,
        keyspace: &Keyspace,
        group: &str,
        after: Position,
        limit: usize,
    ) -> Result<Vec<ParkedEntry>>;

    /// Has events that were put aside handed out once more; says how many of them were there.
    async fn replay(&self, keyspace: &Keyspace, group: &str, places: &[Position]) -> Result<u64>;

    /// Drops events that were put aside; says how many of them were there.
    async fn discard(&self, keyspace: &Keyspace, group: &str, places: &[Position]) -> Result<u64>;

    /// How many events were handed out and are not acknowledged.
    async fn pending(&self, keyspace: &Keyspace, group: &str) -> Result<u64>;

    /// Drops a group, and what was put aside for it; says whether there was one.
    async fn delete_group(&self, keyspace: &Keyspace, group: &str) -> Result<bool>;
}
