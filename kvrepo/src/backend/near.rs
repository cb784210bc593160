//! A backend with a cache in front of it: entities that were read by id, until it is told that they have changed.
//!
//! What a store itself writes is invalidated by this wrapper, before the write and when it has been answered; what others
//! write by the backend, which [tracks](Backend::track) what was read. Everything else goes straight through.

mod settings;
mod shelf;
mod statistics;
mod traffic;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;

pub use self::settings::NearCache;
pub use self::statistics::NearCacheStatistics;

use self::shelf::{Shelf, Writing};
use super::{
    Backend, BackendStatus, Claim, Claimed, Delete, Delivered, Due, Groups, Guard, Inspect, Inspected,
    InvalidationSink, Keyspace, Loaded, LogEntry, LogPage, Member, ParkedEntry, Plan, Position, Read, Reap,
    Reaped, Receipt, Repaired, Saved, ScanPage, Select, Selected, TimeToLive, TrackedReads, TriggerSink,
    Update, Write,
};
use crate::error::{Error, Result};

pub(crate) use self::shelf::Recalled;

#[derive(Debug)]
pub(crate) struct Near {
    backend: Arc<dyn Backend>,
    reads: Arc<dyn TrackedReads>,
    shelf: Arc<Shelf>,
}

impl Near {
    /// In front of this backend.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if it cannot tell of changes.
    pub(crate) fn new(backend: Arc<dyn Backend>, settings: &NearCache) -> Result<Self> {
        let shelf = Arc::new(Shelf::new(settings));
        let sink: Arc<dyn InvalidationSink> = Arc::<Shelf>::clone(&shelf);
        Ok(Self {
            reads: Arc::clone(&backend).track(sink)?,
            backend,
            shelf,
        })
    }

    /// Makes sure that changes are told of.
    pub(crate) async fn begin(&self) -> Result<()> {
        self.reads.begin().await
    }

    /// The entity, if it is at hand.
    pub(crate) fn recall(&self, keyspace: &Keyspace, id: &str) -> Option<Recalled> {
        self.shelf.recall(keyspace, id, || self.reads.now())
    }

    pub(crate) fn statistics(&self) -> NearCacheStatistics {
        self.shelf.statistics()
    }

    /// To be held until a write has been answered, or is given up.
    fn writing<'i>(&self, keyspace: &Keyspace, ids: impl Iterator<Item = &'i String>) -> Writing<'_> {
        self.shelf
            .writing(ids.map(|id| keyspace.entity_key(id)).collect())
    }

    /// One entity, to be at hand the next time.
    async fn load_one(&self, keyspace: &Keyspace, id: &String, read: Read) -> Result<Vec<Option<Loaded>>> {
        let reading = self.shelf.reading(keyspace.entity_key(id));
        match self.reads.load(keyspace, id).await {
            Ok(found) => {
                let found = found.map(|found| reading.keep(found));
                Ok(vec![found])
            }
            // Once it could; then this user's rights are not what they were.
            Err(Error::Unsupported { .. }) => {
                drop(reading);
                self.backend.load(keyspace, std::slice::from_ref(id), read).await
            }
            Err(error) => Err(error),
        }
    }
}

/// What goes straight through: methods of the trait, with the lifetimes that they borrow for.
macro_rules! through {
    ($($method:ident<$($life:lifetime),*>($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {$(
        fn $method<'s, $($life,)* 'call>(
            &'s self,
            $($argument: $type),*
        ) -> Pin<Box<dyn Future<Output = Result<$answer>> + Send + 'call>>
        where
            's: 'call,
            $($life: 'call,)*
            Self: 'call,
        {
            self.backend.$method($($argument),*)
        }
    )*};
}

#[async_trait]
impl Backend for Near {
    async fn load(&self, keyspace: &Keyspace, ids: &[String], read: Read) -> Result<Vec<Option<Loaded>>> {
        match ids {
            [id] if read.renew => self.load_one(keyspace, id, read).await,
            _ => self.backend.load(keyspace, ids, read).await,
        }
    }

    async fn save(&self, keyspace: &Keyspace, writes: &[Write]) -> Result<Vec<Result<Saved>>> {
        let _writing = self.writing(keyspace, writes.iter().map(|write| &write.id));
        self.backend.save(keyspace, writes).await
    }

    async fn update(&self, keyspace: &Keyspace, updates: &[Update]) -> Result<Vec<Result<Option<Saved>>>> {
        let _writing = self.writing(keyspace, updates.iter().map(|update| &update.id));
        self.backend.update(keyspace, updates).await
    }

    async fn delete(&self, keyspace: &Keyspace, deletes: &[Delete]) -> Result<Vec<Result<bool>>> {
        let _writing = self.writing(keyspace, deletes.iter().map(|delete| &delete.id));
        self.backend.delete(keyspace, deletes).await
    }

    async fn delete_where(&self, keyspace: &Keyspace, plan: &Plan, ids: &[String]) -> Result<u64> {
        let _writing = self.writing(keyspace, ids.iter());
        self.backend.delete_where(keyspace, plan, ids).await
    }

    async fn take(&self, keyspace: &Keyspace, id: &str) -> Result<Option<Loaded>> {
        let _writing = self.shelf.writing(vec![keyspace.entity_key(id)]);
        self.backend.take(keyspace, id).await
    }

    // No other changes an entity that is alive: they mend, renew or clean up what belongs to it, or what is left of it.
    through! {
        exists<'k, 'i>(keyspace: &'k Keyspace, id: &'i str, renew: bool) -> bool;
        time_to_live<'k, 'i>(keyspace: &'k Keyspace, id: &'i str) -> TimeToLive;
        count<'k>(keyspace: &'k Keyspace) -> u64;
        select<'k, 'q>(keyspace: &'k Keyspace, select: &'q Select) -> Selected;
        tidy<'k, 'p, 'i>(keyspace: &'k Keyspace, plan: &'p Plan, ids: &'i [String]) -> ();
        inspect<'k, 'i>(keyspace: &'k Keyspace, inspect: &'i Inspect) -> Inspected;
        scan<'k, 'c>(keyspace: &'k Keyspace, cursor: Option<&'c str>, count: usize) -> ScanPage;
        gone<'k, 'i>(keyspace: &'k Keyspace, ids: &'i [String]) -> Vec<String>;
        repair<'k, 'i>(keyspace: &'k Keyspace, ids: &'i [String]) -> Repaired;
        reap<'k, 'r>(keyspace: &'k Keyspace, reap: &'r Reap) -> Reaped;
        release<'k, 't>(keyspace: &'k Keyspace, token: &'t str) -> ();
        log_end<'k>(keyspace: &'k Keyspace) -> Position;
        read_log<'k>(keyspace: &'k Keyspace, after: Position, limit: usize) -> LogPage;
        follow_log<'t>(tails: &'t [(Arc<Keyspace>, Position)]) -> Vec<(usize, LogEntry)>;
        watch_log<'t>(tails: &'t [(Arc<Keyspace>, Position)]) -> Vec<(usize, Position)>;
        listen<>(sink: Arc<dyn TriggerSink>) -> Guard;
        ping<>() -> ();
        due<'k>(keyspaces: &'k [Arc<Keyspace>]) -> Due;
    }

    fn track(self: Arc<Self>, sink: Arc<dyn InvalidationSink>) -> Result<Arc<dyn TrackedReads>> {
        Arc::clone(&self.backend).track(sink)
    }

    fn status(&self) -> BackendStatus {
        self.backend.status()
    }
}

impl Groups for Near {
    through! {
        join_group<'k, 'g>(keyspace: &'k Keyspace, group: &'g str, from: Option<Position>) -> bool;
        read_group<'k, 'm>(keyspace: &'k Keyspace, member: &'m Member, limit: usize) -> Option<Vec<Delivered>>;
        claim<'k, 'm, 'c>(keyspace: &'k Keyspace, member: &'m Member, claim: &'c Claim) -> Option<Claimed>;
        acknowledge<'k, 'g, 'r>(keyspace: &'k Keyspace, group: &'g str, receipts: &'r [Receipt]) -> u64;
        give_back<'k, 'm, 'r>(keyspace: &'k Keyspace, member: &'m Member, receipts: &'r [Receipt]) -> ();
        leave_group<'k, 'm>(keyspace: &'k Keyspace, member: &'m Member) -> ();
        parked<'k, 'g>(
            keyspace: &'k Keyspace, group: &'g str, after: Position, limit: usize
        ) -> Vec<ParkedEntry>;
        replay<'k, 'g, 'p>(keyspace: &'k Keyspace, group: &'g str, places: &'p [Position]) -> u64;
        discard<'k, 'g, 'p>(keyspace: &'k Keyspace, group: &'g str, places: &'p [Position]) -> u64;
        pending<'k, 'g>(keyspace: &'k Keyspace, group: &'g str) -> u64;
        delete_group<'k, 'g>(keyspace: &'k Keyspace, group: &'g str) -> bool;
    }
}
