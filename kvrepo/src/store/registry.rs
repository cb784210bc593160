//! The entity types that a store has seen, and the keyspaces they live in.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::settings::{KeyspaceSettings, StoreSettings};
use crate::backend::{Index, Keyspace};
use crate::entity::KvEntity;
use crate::error::{Error, Result};
use crate::listener::{Listener, Space};
use crate::query::Indexes;
use crate::repository::Turns;
use crate::term::DefaultTerm;

/// An entity type in its keyspace.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(crate) space: Arc<Space>,
    /// With this type's own settings; types that share a keyspace can differ in whether they keep phantoms.
    pub(crate) keyspace: Arc<Keyspace>,
    /// The term of entities that state none.
    pub(crate) default_term: DefaultTerm,
    /// Whether idle terms have been seen, so that reading asks for what is left of them.
    idle: AtomicBool,
    /// Of those who change entities by reading them first.
    pub(crate) turns: Turns,
}

impl Registered {
    /// Whether idle terms are to be expected.
    pub(crate) fn expects_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed)
    }

    /// Idle terms are to be expected from now on.
    pub(crate) fn saw_idle(&self) {
        self.idle.store(true, Ordering::Relaxed);
    }
}

#[derive(Debug, Default)]
pub(super) struct Registry {
    types: Mutex<HashMap<TypeId, Arc<Registered>>>,
}

impl Registry {
    /// Finds the type's keyspace, or makes it known to the store.
    pub(super) fn register<T: KvEntity>(
        &self,
        settings: &StoreSettings,
        listener: &Listener,
    ) -> Result<Arc<Registered>> {
        let mut types = self.types.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = types.get(&TypeId::of::<T>()) {
            return Ok(Arc::clone(known));
        }
        let unset = KeyspaceSettings::new();
        let own = settings.keyspaces.get(&TypeId::of::<T>()).unwrap_or(&unset);
        let schema = &T::SCHEMA;
        let keyspace = Keyspace::new(
            schema.entity,
            &settings.key_prefix,
            own.name.as_deref().unwrap_or(schema.keyspace),
            own.shadow_copy.unwrap_or(schema.shadow_copy),
            own.grace_or_default(),
            own.retention_or_default(),
        )?
        .with_indexes(indexes::<T>()?)?;
        let default_term = own.term.unwrap_or(match (schema.idle, schema.time_to_live) {
            (Some(span), _) => DefaultTerm::Idle(span),
            (None, Some(term)) => DefaultTerm::Ttl(term),
            (None, None) => DefaultTerm::Persistent,
        });
        default_term.resolve(schema.entity)?;
        let keyspace = Arc::new(keyspace);
        let mut shared = None;
        for other in types.values() {
            check_beside(&keyspace, &other.keyspace)?;
            if other.keyspace.name() == keyspace.name() {
                shared = Some(Arc::clone(&other.space));
            }
        }
        let space = shared.unwrap_or_else(|| listener.add(Arc::clone(&keyspace)));
        let registered = Arc::new(Registered {
            space,
            keyspace,
            default_term,
            idle: AtomicBool::new(matches!(default_term, DefaultTerm::Idle(_))),
            turns: Turns::default(),
        });
        types.insert(TypeId::of::<T>(), Arc::clone(&registered));
        Ok(registered)
    }
}

/// What entities are found by.
fn indexes<T: KvEntity>() -> Result<Vec<Index>> {
    let mut gathered = Indexes::default();
    T::gather(&mut gathered);
    match gathered.flaw {
        None => Ok(gathered.found),
        Some((entity, path, reason)) => Err(Error::InvalidSetting {
            what: "index",
            name: format!("{entity}.{path}"),
            reason,
        }),
    }
}

/// Two keyspaces whose keys could be confused cannot live side by side.
fn check_beside(new: &Keyspace, old: &Keyspace) -> Result<()> {
    let conflict = |reason: &str| {
        Err(Error::KeyspaceConflict {
            keyspace: new.name().to_owned(),
            other: old.name().to_owned(),
            reason: reason.to_owned(),
        })
    };
    let within = |inner: &Keyspace, outer: &Keyspace| {
        inner
            .name()
            .strip_prefix(outer.name())
            .is_some_and(|rest| rest.starts_with(':'))
    };
    if within(new, old) || within(old, new) {
        return conflict(
            "with one the beginning of the other, an id of one could be a key of the other; rename one",
        );
    }
    if new.name() == old.name() && (new.grace(), new.retention()) != (old.grace(), old.retention()) {
        return conflict("types that share a keyspace must have the same grace and retention");
    }
    Ok(())
}
