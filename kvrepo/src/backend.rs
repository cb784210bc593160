//! The seam between the typed layer and what holds the data: [`Backend`], at the level of records.
//!
//! A backend knows nothing of entity types, and the layer above nothing of keys, scripts or sockets. Whatever
//! batches takes a slice, and one call is one round trip for each chunk of it. Implement the trait to wrap a
//! backend (to count calls, or to break some in a test) and hand it to
//! [`StoreBuilder::backend`](crate::StoreBuilder::backend).

mod change;
mod explain;
mod group;
pub(crate) mod index;
mod inspect;
mod keyspace;
pub(crate) mod memory;
#[cfg(feature = "near-cache")]
pub(crate) mod near;
pub(crate) mod operation;
pub(crate) mod plan;
pub(crate) mod position;
mod status;
mod traced;
mod tracking;
pub(crate) mod valkey;
mod write;

pub(crate) use change::{Refusal, apply};
pub(crate) use explain::explained;
pub use group::{Claim, Claimed, Delivered, Groups, Member, ParkedEntry, Receipt};
pub use index::{Index, IndexKind, Order};
pub use inspect::{Disagreement, Finding, Inspect, Inspected};
pub use keyspace::Keyspace;
pub(crate) use keyspace::{DEFAULT_GRACE, DEFAULT_RETENTION, check_group_name};
pub use memory::Memory;
pub(crate) use operation::{GREATEST_TERM, TimeToLive, thirtieth};
pub use operation::{
    Lease, Loaded, LogEntry, LogPage, Read, Reap, Reaped, Repaired, ScanPage, Trigger, TriggerSink,
};
pub use plan::{After, Area, Edge, Extent, Hit, PathPart, Plan, Select, Selected, SortKey, Sorting};
pub(crate) use position::Position;
pub use status::{BackendStatus, Due, NotificationFlags, Notifications};
pub(crate) use traced::Traced;
pub use tracking::{InvalidationSink, Tracked, TrackedReads};
pub use write::{Ancestor, Change, Condition, Delete, Place, Saved, Update, Write, WriteTerm};

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use crate::error::Result;

/// Ends what it stands for when it is dropped.
pub type Guard = Box<dyn Any + Send + Sync>;

/// What every backend promises.
///
/// *Expired is absent, to every call at once*: an entity is expired as soon as the backend's clock is past its
/// deadline, whether or not it has been reaped. Each write of one entity is one atomic step. `Err` of a whole call
/// says that the call could not be made; the inner results of a batch are those of its items.
#[async_trait]
pub trait Backend: Groups + Debug + Send + Sync + 'static {
    /// Writes entities whole, each replacing what its id held. If an earlier life of the id has expired and was not
    /// reaped, it is reaped first.
    async fn save(&self, keyspace: &Keyspace, writes: &[Write]) -> Result<Vec<Result<Saved>>>;

    /// Changes living entities; `None` where there is none, and then nothing is changed.
    async fn update(&self, keyspace: &Keyspace, updates: &[Update]) -> Result<Vec<Result<Option<Saved>>>>;

    /// Reads living entities, in the order of `ids`.
    async fn load(&self, keyspace: &Keyspace, ids: &[String], read: Read) -> Result<Vec<Option<Loaded>>>;

    /// Whether there is a living entity with this id. Renews its idle term if `renew`.
    async fn exists(&self, keyspace: &Keyspace, id: &str, renew: bool) -> Result<bool>;

    /// What remains of an entity's term.
    async fn time_to_live(&self, keyspace: &Keyspace, id: &str) -> Result<TimeToLive>;

    /// How many entities are alive.
    async fn count(&self, keyspace: &Keyspace) -> Result<u64>;

    /// Finds ids by a plan, among the living.
    async fn select(&self, keyspace: &Keyspace, select: &Select) -> Result<Selected>;

    /// Deletes those of the ids that the plan finds, and all that belongs to them; says how many were alive.
    async fn delete_where(&self, keyspace: &Keyspace, plan: &Plan, ids: &[String]) -> Result<u64>;

    /// Takes ids whose entity is gone out of the indexes of a plan that named them, where [`repair`](Self::repair) does not know
    /// of these. Living entities are not touched.
    async fn tidy(&self, keyspace: &Keyspace, plan: &Plan, ids: &[String]) -> Result<()>;

    /// Looks at a part of all that there is, and mends what disagrees if that is asked for. What has expired and waits to be
    /// reaped is no disagreement. Whoever goes on with [`Inspected::next`] until there is none has seen everything that was
    /// there all the while; some of it twice, perhaps.
    async fn inspect(&self, keyspace: &Keyspace, inspect: &Inspect) -> Result<Inspected>;

    /// Some of the ids, from a cursor on; `None` begins. About `count`, but it can be more and can be none. An id that is
    /// there from the first page to the last is found at least once. Ids of expired entities can be among them.
    async fn scan(&self, keyspace: &Keyspace, cursor: Option<&str>, count: usize) -> Result<ScanPage>;

    /// Deletes entities and all that belongs to them; says for each whether it was alive. What had expired and was
    /// not reaped is reaped instead.
    async fn delete(&self, keyspace: &Keyspace, deletes: &[Delete]) -> Result<Vec<Result<bool>>>;

    /// Deletes one entity, and returns what it held.
    async fn take(&self, keyspace: &Keyspace, id: &str) -> Result<Option<Loaded>>;

    /// Those of the ids whose entity is gone for another reason than its deadline: evicted, deleted by another client,
    /// or expired by a term that another client set and that the server has yet to tell of.
    async fn gone(&self, keyspace: &Keyspace, ids: &[String]) -> Result<Vec<String>>;

    /// Cleans up after those of the ids that are [`gone`](Self::gone). Living entities are not touched, and what waits
    /// to be reaped is left to that.
    async fn repair(&self, keyspace: &Keyspace, ids: &[String]) -> Result<Repaired>;

    /// Turns expired entities into events, at most [`Reap::limit`] of them, and says when to come again.
    async fn reap(&self, keyspace: &Keyspace, reap: &Reap) -> Result<Reaped>;

    /// Gives a lease back early. Losing this call costs the lease's length, nothing else.
    async fn release(&self, keyspace: &Keyspace, token: &str) -> Result<()>;

    /// The position of the newest event; where there is none, one that is before any that can come. Never
    /// [`Position::START`], which asks for what there is, and so misses nothing.
    async fn log_end(&self, keyspace: &Keyspace) -> Result<Position>;

    /// Up to `limit` events after a position, oldest first, and whether some in between are lost.
    async fn read_log(&self, keyspace: &Keyspace, after: Position, limit: usize) -> Result<LogPage>;

    /// Waits for events behind any of these positions, and returns them with the index of their keyspace. May
    /// return nothing, after a while. Dropping the future ends the wait.
    async fn follow_log(&self, tails: &[(Arc<Keyspace>, Position)]) -> Result<Vec<(usize, LogEntry)>>;

    /// Waits until one of these logs has an event behind the position, and returns the indexes of those that have, each with
    /// a position that its newest event had reached by then. May return nothing, after a while. Dropping the future ends the
    /// wait.
    async fn watch_log(&self, tails: &[(Arc<Keyspace>, Position)]) -> Result<Vec<(usize, Position)>>;

    /// Tells `sink` of expirations as the server notices them, until the guard is dropped. Returns once the
    /// backend has confirmed that it listens, or knows that it cannot.
    async fn listen(&self, sink: Arc<dyn TriggerSink>) -> Result<Guard>;

    /// Reads of which `sink` is told when what they have read has changed, whoever has changed it, for as long as they are
    /// held.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`](crate::Error::Unsupported), unless a backend says otherwise.
    fn track(self: Arc<Self>, sink: Arc<dyn InvalidationSink>) -> Result<Arc<dyn TrackedReads>> {
        drop(sink);
        Err(tracking::unsupported())
    }

    /// Whether it can be reached now.
    async fn ping(&self) -> Result<()>;

    /// What it knows of itself without asking anybody.
    fn status(&self) -> BackendStatus;

    /// What is past its deadline and not reaped, in all of these keyspaces.
    async fn due(&self, keyspaces: &[Arc<Keyspace>]) -> Result<Due>;
}

/// How many ids a page of a scan has, where nobody says.
pub(crate) const PAGE: usize = 500;

/// Walks through all ids of a keyspace and cleans up after those whose entity is gone.
pub(crate) async fn sweep_ids(backend: &dyn Backend, keyspace: &Keyspace) -> Result<Repaired> {
    let (mut cursor, mut swept) = (None, Repaired::default());
    loop {
        let page = backend.scan(keyspace, cursor.as_deref(), PAGE).await?;
        if !page.ids.is_empty() {
            let repaired = backend.repair(keyspace, &page.ids).await?;
            swept.events += repaired.events;
            swept.cleaned += repaired.cleaned;
        }
        cursor = page.next;
        if cursor.is_none() {
            return Ok(swept);
        }
    }
}
