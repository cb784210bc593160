//! What replies and refusals mean to whoever asked.

use std::time::{Duration, SystemTime};

use redis::{RedisError, Value};

use super::connection::Call;
use super::script::RunError;
use super::{fault, reply};
use crate::backend::{Keyspace, Loaded, Saved, TimeToLive, WriteTerm};
use crate::error::{Error, Outcome, Result};

/// What a save was answered.
pub(super) fn saved(reply: &Value) -> Result<Saved> {
    let [created, deadline, now] = reply::integers(reply).ok_or_else(|| reply::unexpected("save"))?;
    Ok(Saved::new(
        created == 1,
        u64::try_from(deadline).ok(),
        now.unsigned_abs(),
    ))
}

/// Of a hash alone.
pub(super) fn without_remaining(reply: &Value) -> Result<Option<Loaded>> {
    let record = reply::record(reply).ok_or_else(|| reply::unexpected("find"))?;
    Ok((!record.is_empty()).then(|| Loaded::new(record, TimeToLive::Persistent)))
}

/// Of a hash and its `PTTL`, both read in one transaction.
pub(super) fn with_remaining(reply: Value, keyspace: &Keyspace, id: &str) -> Result<Option<Loaded>> {
    let Value::Array(parts) = reply else {
        return Err(reply::unexpected("find"));
    };
    let Ok([hash, remaining]) = <[Value; 2]>::try_from(parts) else {
        return Err(reply::unexpected("find"));
    };
    if let Value::ServerError(_) = hash {
        return Err(Error::KeyCollision {
            key: keyspace.entity_key(id),
        });
    }
    let remaining = time_to_live(reply::integer(&remaining).ok_or_else(|| reply::unexpected("find"))?);
    let loaded = without_remaining(&hash)?.filter(|_| remaining != TimeToLive::Missing);
    Ok(loaded.map(|loaded| Loaded { remaining, ..loaded }))
}

/// What `PTTL` says. At its very deadline a key is still there: it has less than a millisecond, but not nothing.
pub(super) fn time_to_live(millis: i64) -> TimeToLive {
    match millis {
        -2 => TimeToLive::Missing,
        ..0 => TimeToLive::Persistent,
        millis => TimeToLive::In(Duration::from_millis(millis.unsigned_abs().max(1))),
    }
}

/// What the save script refused, or how it failed.
pub(super) fn refused(call: Call, keyspace: &Keyspace, term: WriteTerm, error: RunError) -> Error {
    let RunError::Refused(error) = error else {
        return script_error(call, keyspace, error);
    };
    let entity = keyspace.entity();
    match (error.code(), term) {
        (Some("KVPASSED"), WriteTerm::At(deadline)) => {
            let deadline = SystemTime::UNIX_EPOCH + Duration::from_millis(deadline);
            Error::DeadlinePassed { entity, deadline }
        }
        (Some("KVRANGE"), _) => Error::InvalidTimeToLive {
            entity,
            reason: "the deadline is beyond what a server can hold".into(),
        },
        _ => script_error(call, keyspace, RunError::Refused(error)),
    }
}

/// How a script failed, or what it refused.
pub(super) fn script_error(call: Call, keyspace: &Keyspace, error: RunError) -> Error {
    let error = match error {
        RunError::Refused(error) => error,
        RunError::Lost(error) => return error,
    };
    match error.code() {
        Some("KVCOLLISION") => Error::KeyCollision {
            key: error.detail().unwrap_or_default().to_owned(),
        },
        _ if fault::is_wrong_type(&error) => Error::KeyCollision {
            key: keyspace.base().to_owned(),
        },
        _ => call.fault(error),
    }
}

/// How reading a hash failed.
pub(super) fn collision(call: Call, keyspace: &Keyspace, id: &str, error: RedisError) -> Error {
    if fault::is_wrong_type(&error) {
        Error::KeyCollision {
            key: keyspace.entity_key(id),
        }
    } else {
        call.fault(error)
    }
}

/// How reading the id set failed.
pub(super) fn id_set_collision(keyspace: &Keyspace, error: Error) -> Error {
    match &error {
        Error::Backend { source, .. }
            if source
                .downcast_ref::<RedisError>()
                .is_some_and(fault::is_wrong_type) =>
        {
            Error::KeyCollision {
                key: keyspace.base().to_owned(),
            }
        }
        _ => error,
    }
}

/// An item that was not sent because an earlier one's call failed.
pub(super) fn skipped(call: Call) -> Error {
    Error::Backend {
        operation: call.operation,
        outcome: Outcome::NotExecuted,
        transient: true,
        source: "an earlier part of the batch failed".into(),
    }
}
