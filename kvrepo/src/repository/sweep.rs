//! Sweeping: reaping and cleaning up by hand.

use super::Repository;
use crate::backend::{self, Reap};
use crate::entity::KvEntity;
use crate::error::Result;
use crate::telemetry::Cause;

/// What a sweep found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Swept {
    /// How many expired entities were turned into events.
    pub expired: u64,
    /// How many ids were cleaned up after whose entity was evicted, or deleted by another client.
    pub repaired: u64,
}

/// How many due entities one step reaps.
const LIMIT: usize = 256;

impl<T: KvEntity> Repository<T> {
    /// Does at once what a listener does in time, and looks after every id besides: turns what has expired into
    /// events, drops events past their retention, and cleans up after entities that are gone for another reason.
    ///
    /// Needs no listener, and disturbs none. The time it takes grows with the number of entities.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`](crate::Error::Backend) and [`Error::Timeout`](crate::Error::Timeout).
    pub async fn sweep(&self) -> Result<Swept> {
        let registered = self.registered()?;
        let (keyspace, telemetry) = (&registered.keyspace, self.store.telemetry());
        let backend = self.store.backend();
        let mut swept = Swept::default();
        let mut reap = Reap::due(LIMIT);
        reap.trim = true;
        loop {
            let reaped = backend.reap(keyspace, &reap).await?;
            swept.expired += reaped.events;
            telemetry.reaped(keyspace.name(), reaped.events, Cause::Deadline);
            if !reaped.more {
                break;
            }
            reap.trim = false;
        }
        let repaired = backend::sweep_ids(backend, keyspace).await?;
        telemetry.repaired(keyspace.name(), repaired.events, repaired.cleaned);
        swept.expired += repaired.events;
        swept.repaired = repaired.cleaned;
        Ok(swept)
    }
}
