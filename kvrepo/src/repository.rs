//! [`Repository`]: saving, finding, changing and deleting entities of one type.

mod call_term;
pub(crate) mod codec;
mod delete;
mod entry;
mod example;
mod expire;
mod find;
mod load_all;
#[cfg(feature = "near-cache")]
mod recall;
mod retry;
mod save;
mod search;
mod sweep;
mod turn;
mod update;
mod update_with;
mod verify;
mod writing;

pub use delete::DeleteById;
pub use entry::Entry;
pub use example::Example;
pub use find::{FindAll, Slice};
pub use load_all::LoadedRefs;
pub use save::{Insert, InsertAll, Save, SaveAll, SaveOutcome};
pub use search::{Find, FindNear, FindPage, FindSlice};
pub use sweep::Swept;
pub(crate) use turn::Turns;
pub use update::{Unset, Update};
pub use update_with::UpdateWith;
pub use verify::{Progress, Verify};

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::backend::TimeToLive;
use crate::entity::{IdArg, KvEntity};
use crate::error::{Error, Result};
use crate::event::{Group, Subscribe};
use crate::store::{KeyspaceEvents, Registered, Store};

/// The entities of one type in one store.
///
/// Cheap to clone. Every call is one round trip, unless its documentation says otherwise, and never shows what has
/// expired, whether or not anybody listens.
pub struct Repository<T> {
    store: Store,
    registered: Result<Arc<Registered>, Arc<Error>>,
    entity: PhantomData<fn() -> T>,
}

impl<T> Clone for Repository<T> {
    fn clone(&self) -> Self {
        Self {
            store: self.store.clone(),
            registered: self.registered.clone(),
            entity: PhantomData,
        }
    }
}

impl<T: KvEntity> fmt::Debug for Repository<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Repository");
        debug.field("entity", &T::SCHEMA.entity);
        match &self.registered {
            Ok(registered) => debug.field("keyspace", &registered.keyspace.name()),
            Err(error) => debug.field("error", &error.to_string()),
        };
        debug.finish_non_exhaustive()
    }
}

impl<T: KvEntity> Repository<T> {
    pub(crate) fn new(store: Store, registered: Result<Arc<Registered>>) -> Self {
        Self {
            store,
            registered: registered.map_err(Arc::new),
            entity: PhantomData,
        }
    }

    /// The store that this is a part of.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The type in its keyspace, or why it could not be registered.
    pub(crate) fn registered(&self) -> Result<&Arc<Registered>> {
        self.registered.as_ref().map_err(|error| match &**error {
            Error::KeyspaceConflict {
                keyspace,
                other,
                reason,
            } => Error::KeyspaceConflict {
                keyspace: keyspace.clone(),
                other: other.clone(),
                reason: reason.clone(),
            },
            Error::InvalidSetting { what, name, reason } => Error::InvalidSetting {
                what,
                name: name.clone(),
                reason: reason.clone(),
            },
            Error::InvalidTimeToLive { entity, reason } => Error::InvalidTimeToLive {
                entity,
                reason: reason.clone(),
            },
            other => Error::Unsupported {
                what: other.to_string(),
            },
        })
    }

    /// What remains of an entity's term. Renews no idle term.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidId`], [`Error::Backend`] and [`Error::Timeout`].
    pub async fn time_to_live(&self, id: impl IdArg<T::Id>) -> Result<TimeToLive> {
        let registered = self.registered()?;
        let id = codec::id_to_find::<T>(id)?;
        self.store.backend().time_to_live(&registered.keyspace, &id).await
    }

    /// Subscribes to expirations, from now on and with those that were due and nobody has seen. See [`Subscribe`].
    pub fn expired(&self) -> Subscribe<T> {
        Subscribe::new(self.clone())
    }

    /// A group of readers of expirations, looked at from outside: what was put aside for it, and its end. To read as one of it, see
    /// [`Subscribe::group`].
    #[must_use]
    pub fn group(&self, name: impl Into<String>) -> Group<T> {
        Group::new(self.clone(), name.into())
    }

    /// What a subscription needs.
    pub(crate) fn for_events(&self) -> Result<(&Store, &Arc<Registered>)> {
        if self.store.events() == KeyspaceEvents::Off {
            return Err(Error::EventsDisabled);
        }
        Ok((&self.store, self.registered()?))
    }
}
