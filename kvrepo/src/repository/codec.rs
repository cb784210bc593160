//! Entities to records and back, with the id and the term in their places.

use std::time::{Duration, SystemTime};

use crate::backend::index::is_index_key;
use crate::backend::{Keyspace, Loaded, TimeToLive};
use crate::entity::{IdArg, KvEntity, KvId, ReadTerm};
use crate::error::{Error, Result};
use crate::mapping::{self, Record};
use crate::term::DefaultTerm;

/// The id of a key that is to be looked for. Nothing is refused that could be there; only what never could.
#[expect(clippy::needless_pass_by_value, reason = "as every call takes it")]
pub(super) fn id_to_find<T: KvEntity>(id: impl IdArg<T::Id>) -> Result<String> {
    let id = id.to_id_key().into_owned();
    check_id::<T>(&id)?;
    Ok(id)
}

/// The id of an entity that has one.
pub(super) fn id_of<T: KvEntity>(entity: &T) -> Result<String> {
    let id = entity.id().ok_or_else(no_id::<T>)?;
    let id = id.to_key().into_owned();
    check_id::<T>(&id)?;
    Ok(id)
}

/// The id of an entity that is to be saved, which may not have the key of an index.
pub(super) fn id_to_save<T: KvEntity>(entity: &T, keyspace: &Keyspace) -> Result<String> {
    let id = id_of(entity)?;
    if is_index_key(keyspace.indexes(), &id) {
        return Err(invalid_id::<T>(
            &id,
            "its key would be that of an index; an id may not be an indexed path, or begin with one and a colon",
        ));
    }
    Ok(id)
}

/// Refuses ids whose keys are those of something else.
fn check_id<T: KvEntity>(id: &str) -> Result<()> {
    if id.is_empty() {
        return Err(invalid_id::<T>(id, "it is empty"));
    }
    for ending in [":idx", ":phantom"] {
        if id.ends_with(ending) {
            let reason =
                format!("its key would be that of another entity's helper; an id may not end in `{ending}`");
            return Err(invalid_id::<T>(id, &reason));
        }
    }
    Ok(())
}

/// Of an entity whose id has not been generated.
pub(super) fn no_id<T: KvEntity>() -> Error {
    invalid_id::<T>("", "it is `None`; save the entity first, or set it")
}

fn invalid_id<T: KvEntity>(id: &str, reason: &str) -> Error {
    Error::InvalidId {
        entity: T::SCHEMA.entity,
        id: id.to_owned(),
        reason: reason.to_owned(),
    }
}

/// The record that an entity is written as.
///
/// # Errors
///
/// [`Error::Encode`] if it holds something that could not be read back.
pub fn encode<T: KvEntity>(entity: &T) -> Result<Record> {
    let record = mapping::encode(&T::SCHEMA, entity)?;
    if record.paths().contains('#')
        && let Some((path, _)) = record.iter().find(|(path, _)| path.starts_with('#'))
    {
        return Err(Error::Encode {
            entity: T::SCHEMA.entity,
            path: path.to_owned(),
            reason: "names that begin with `#` are kvrepo's own; rename it".to_owned(),
        });
    }
    Ok(record)
}

/// The entity in a hash that was found under `id`: the key is the truth about the id.
///
/// # Errors
///
/// [`Error::Decode`] with the path of what is not stored as the type needs it.
pub fn decode<T: KvEntity>(id: &str, record: &Record) -> Result<T> {
    let schema = T::SCHEMA;
    let mismatch = |reason: &str| Error::Decode {
        entity: schema.entity,
        path: schema.id_path.to_owned(),
        reason: reason.to_owned(),
    };
    let stored = record
        .iter()
        .any(|(path, _)| mapping::within(path, schema.id_path));
    let mut entity: T = if stored {
        mapping::decode(&schema, record)?
    } else {
        // Spring does not store the id when the caller gives it beside the object.
        let mut record = record.clone();
        record.add(schema.id_path, id.as_bytes());
        mapping::decode(&schema, &record)?
    };
    match entity.id() {
        Some(found) if found.to_key() == id => {}
        Some(_) => return Err(mismatch("the stored id is not that of the key")),
        None => {
            let id = T::Id::from_key(id).ok_or_else(|| mismatch("the key's id is none of this type"))?;
            entity.set_id(id);
        }
    }
    Ok(entity)
}

/// The entity that was found under `id`, with what remains of its term.
pub(super) fn decode_loaded<T: KvEntity>(id: &str, loaded: &Loaded, default: DefaultTerm) -> Result<T> {
    let mut entity: T = decode(id, &loaded.record)?;
    show_term(
        &mut entity,
        loaded.remaining,
        loaded.deadline,
        loaded.idle.is_some(),
        default,
    );
    Ok(entity)
}

/// Puts what remains of a term into the field that holds it, if one does. An idle term is none that a field can state:
/// at the next save it would become a fixed one.
pub(super) fn show_term<T: KvEntity>(
    entity: &mut T,
    remaining: TimeToLive,
    deadline: Option<u64>,
    idle: bool,
    default: DefaultTerm,
) {
    if !T::SCHEMA.reads_remaining || idle {
        return;
    }
    let read = match (remaining, deadline) {
        (TimeToLive::In(remaining), Some(deadline)) => {
            ReadTerm::expiring(remaining, system_time(deadline), default.expires())
        }
        _ => ReadTerm::persistent(default.expires()),
    };
    entity.set_term(&read);
}

/// A time of the backend's clock.
pub(super) fn system_time(millis: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(millis)
}
