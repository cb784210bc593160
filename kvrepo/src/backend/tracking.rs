//! Reading in a way that one is told when what was read has changed: what a cache in front of a backend needs.

use std::fmt::Debug;

use async_trait::async_trait;

use super::{Keyspace, Loaded};
use crate::error::{Error, Result};

/// Who is told of changes. See [`Backend::track`](super::Backend::track).
///
/// It is called wherever the backend hears of them, a task of its client among others: it may not block, nor call the
/// backend.
pub trait InvalidationSink: Debug + Send + Sync + 'static {
    /// The entity with this key, as [`Keyspace::entity_key`] has it, has changed, or is gone: what was read of it by a
    /// request that was made before is not to be relied on.
    fn invalidate(&self, key: &str);

    /// The same of all entities: everything was deleted, or changes may have been missed.
    fn invalidate_all(&self);
}

/// An entity that was read, with the times of the clock of [`TrackedReads`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tracked {
    /// The entity, with its term.
    pub loaded: Loaded,
    /// When it was asked for.
    pub asked: u64,
    /// From when on it has to be taken for expired; `None` if it does not expire.
    pub until: Option<u64>,
}

impl Tracked {
    /// An entity that was asked for, and expires, at these times.
    #[must_use]
    pub fn new(loaded: Loaded, asked: u64, until: Option<u64>) -> Self {
        Self { loaded, asked, until }
    }
}

/// Reads whose changes a sink is told of.
#[async_trait]
pub trait TrackedReads: Debug + Send + Sync + 'static {
    /// Sees to it that changes are told of, before anything is read. Reading does the same.
    async fn begin(&self) -> Result<()>;

    /// Reads a living entity, with its term, and renews it if that is idle. As of this moment the sink is told when it
    /// changes, once: who wants to hear more reads again.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if changes cannot be told of; reading by [`Backend::load`](super::Backend::load) may do.
    async fn load(&self, keyspace: &Keyspace, id: &str) -> Result<Option<Tracked>>;

    /// What the clock says by which [`Tracked`] counts, in milliseconds; `None` while it is not certain that changes are told
    /// of, so that nothing which was read earlier may be relied on.
    fn now(&self) -> Option<u64>;
}

/// What is said by a backend that tells of no changes.
pub(super) fn unsupported() -> Error {
    Error::Unsupported {
        what:
            "a near cache in front of this backend, which does not tell of changes; do without, or implement \
               `Backend::track`"
                .into(),
    }
}
