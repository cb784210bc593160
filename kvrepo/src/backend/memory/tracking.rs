//! Telling caches of changes, which in memory are no secret to anybody.

use std::sync::{Arc, PoisonError, RwLock, Weak};

use async_trait::async_trait;

use super::Memory;
use crate::backend::{Backend, InvalidationSink, Keyspace, Read, Tracked, TrackedReads};
use crate::error::Result;

/// Who is told of changes, as long as they are there.
#[derive(Debug, Default)]
pub(super) struct Sinks {
    sinks: RwLock<Vec<Weak<dyn InvalidationSink>>>,
}

impl Sinks {
    pub(super) fn add(&self, sink: &Arc<dyn InvalidationSink>) {
        let mut sinks = self.sinks.write().unwrap_or_else(PoisonError::into_inner);
        sinks.retain(|sink| sink.strong_count() > 0);
        sinks.push(Arc::downgrade(sink));
    }

    pub(super) fn tell(&self, keyspace: &Keyspace, changed: impl Iterator<Item = String>) {
        let sinks = self.sinks.read().unwrap_or_else(PoisonError::into_inner);
        for id in changed {
            for sink in sinks.iter().filter_map(Weak::upgrade) {
                sink.invalidate(&keyspace.entity_key(&id));
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Reads {
    memory: Arc<Memory>,
    /// Kept, so that it is told.
    _sink: Arc<dyn InvalidationSink>,
}

impl Reads {
    pub(super) fn new(memory: Arc<Memory>, sink: Arc<dyn InvalidationSink>) -> Self {
        Self { memory, _sink: sink }
    }
}

#[async_trait]
impl TrackedReads for Reads {
    async fn begin(&self) -> Result<()> {
        Ok(())
    }

    async fn load(&self, keyspace: &Keyspace, id: &str) -> Result<Option<Tracked>> {
        let asked = self.memory.clock.now();
        let mut read = Read::fields();
        (read.term, read.renew) = (true, true);
        let found = self.memory.load(keyspace, &[id.to_owned()], read).await?;
        Ok(found.into_iter().next().flatten().map(|loaded| {
            // At its very deadline it is still there.
            let until = loaded.deadline.map(|deadline| deadline + 1);
            Tracked::new(loaded, asked, until)
        }))
    }

    fn now(&self) -> Option<u64> {
        Some(self.memory.clock.now())
    }
}
