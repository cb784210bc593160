//! What replies and refusals mean to whoever asked.

use std::time::Duration;

use redis::{RedisError, Value};

use super::connection::Call;
use super::script::RunError;
use super::{fault, reply};
use crate::backend::{
    Condition, Hit, Keyspace, Loaded, Refusal, Saved, Select, Selected, Sorting, TimeToLive, WriteTerm,
};
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

/// What several saves were answered, so many; `None` for what has to be saved by itself.
pub(super) fn saved_together(reply: &Value, count: usize) -> Result<Vec<Option<Saved>>> {
    let unexpected = || reply::unexpected("save");
    let Value::Array(numbers) = reply else {
        return Err(unexpected());
    };
    let numbers: Vec<i64> = numbers.iter().filter_map(reply::integer).collect();
    let (now, each) = numbers.split_first().ok_or_else(unexpected)?;
    let (each, []) = each.as_chunks() else {
        return Err(unexpected());
    };
    if each.len() != count {
        return Err(unexpected());
    }
    let saved = |&[created, deadline]: &[i64; 2]| {
        let deadline = u64::try_from(deadline).ok();
        (created >= 0).then(|| Saved::new(created == 1, deadline, now.unsigned_abs()))
    };
    Ok(each.iter().map(saved).collect())
}

/// What several deletes were answered, so many: whether each was of something alive; `None` for what has to be deleted by itself.
pub(super) fn deleted_together(reply: &Value, count: usize) -> Result<Vec<Option<bool>>> {
    let Value::Array(numbers) = reply else {
        return Err(reply::unexpected("delete"));
    };
    let numbers = numbers.iter().filter_map(reply::integer);
    let deleted: Vec<_> = numbers
        .map(|number| (number >= 0).then_some(number == 1))
        .collect();
    if deleted.len() != count {
        return Err(reply::unexpected("delete"));
    }
    Ok(deleted)
}

/// What an update was answered.
pub(super) fn updated(reply: &Value) -> Result<Option<Saved>> {
    let [there, deadline, now] = reply::integers(reply).ok_or_else(|| reply::unexpected("update"))?;
    let saved = Saved::new(false, u64::try_from(deadline).ok(), now.unsigned_abs());
    Ok((there == 1).then_some(saved))
}

/// What a search was answered.
pub(super) fn selected(reply: Value, select: &Select) -> Result<Selected> {
    let unexpected = || reply::unexpected("find");
    let Value::Array(parts) = reply else {
        return Err(unexpected());
    };
    let [total, Value::Array(gone), Value::Array(hits)] =
        <[Value; 3]>::try_from(parts).map_err(|_| unexpected())?
    else {
        return Err(unexpected());
    };
    let total = reply::integer(&total).and_then(|total| u64::try_from(total).ok());
    let keys = match &select.sorting {
        Sorting::By(keys) => keys.len(),
        Sorting::Distance { .. } => 1,
    };
    let mut selected = Selected {
        total: total.ok_or_else(unexpected)?,
        gone: gone.into_iter().filter_map(reply::text).collect(),
        ..Selected::default()
    };
    let mut hits = hits.into_iter();
    while let Some(id) = hits.next() {
        let keys: Vec<_> = hits.by_ref().take(keys).map(reply::into_bytes).collect();
        // An id that is no text cannot be one of ours.
        if let Some(id) = reply::text(id) {
            let mut hit = Hit::new(id);
            if let (Sorting::Distance { .. }, Some(Some(text))) = (&select.sorting, keys.first()) {
                hit.distance = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
            }
            hit.keys = keys;
            selected.hits.push(hit);
        }
    }
    if Selected::is_unordered(select) {
        selected.hits.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    }
    Ok(selected)
}

/// What was found by sets alone.
pub(super) fn members(reply: Value) -> Result<Selected> {
    let (Value::Array(ids) | Value::Set(ids)) = reply else {
        return Err(reply::unexpected("find"));
    };
    let mut hits: Vec<Hit> = ids.into_iter().filter_map(reply::text).map(Hit::new).collect();
    hits.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    Ok(Selected {
        total: hits.len() as u64,
        hits,
        ..Selected::default()
    })
}

/// Of a hash alone.
pub(super) fn without_term(reply: &Value) -> Result<Option<Loaded>> {
    let (record, idle) = reply::hash(reply).ok_or_else(|| reply::unexpected("find"))?;
    Ok((!record.is_empty()).then(|| Loaded::new(record).idle(idle)))
}

/// Of a hash, its `PTTL` and its `PEXPIRETIME`, all of one moment.
pub(super) fn with_term(reply: Value, keyspace: &Keyspace, id: &str) -> Result<Option<Loaded>> {
    let Value::Array(parts) = reply else {
        return Err(reply::unexpected("find"));
    };
    let Ok([hash, remaining, deadline]) = <[Value; 3]>::try_from(parts) else {
        return Err(reply::unexpected("find"));
    };
    if let Value::ServerError(_) = hash {
        return Err(Error::KeyCollision {
            key: keyspace.entity_key(id),
        });
    }
    let remaining = time_to_live(reply::integer(&remaining).ok_or_else(|| reply::unexpected("find"))?);
    let deadline = reply::integer(&deadline).and_then(|deadline| u64::try_from(deadline).ok());
    let loaded = without_term(&hash)?.filter(|_| remaining != TimeToLive::Missing);
    Ok(loaded.map(|loaded| loaded.expiring(remaining, deadline)))
}

/// What `PTTL` says. At its very deadline a key is still there: it has less than a millisecond, but not nothing.
pub(super) fn time_to_live(millis: i64) -> TimeToLive {
    match millis {
        -2 => TimeToLive::Missing,
        ..0 => TimeToLive::Persistent,
        millis => TimeToLive::In(Duration::from_millis(millis.unsigned_abs().max(1))),
    }
}

/// What a script refused that writes, or how it failed.
pub(super) fn refused(call: Call, keyspace: &Keyspace, asked: Asked<'_>, error: RunError) -> Error {
    let RunError::Refused(error) = error else {
        return script_error(call, keyspace, error);
    };
    let path = || error.detail().unwrap_or_default().to_owned();
    match (error.code(), asked.term, asked.condition) {
        (Some("KVEXISTS" | "KVCONFLICT"), _, Some(condition)) => keyspace.conflict(asked.id, condition),
        (Some("KVPASSED"), Some(WriteTerm::At(deadline)), _) => keyspace.deadline_passed(deadline),
        (Some("KVUNIQUE"), ..) => keyspace.taken(&path()),
        (Some("KVRANGE"), ..) => Error::InvalidTimeToLive {
            entity: keyspace.entity(),
            reason: "the deadline is beyond what a server can hold".into(),
        },
        (Some("KVABSENT"), ..) => keyspace.refused(Refusal::Absent(path())),
        (Some("KVWHOLE"), ..) => keyspace.refused(Refusal::Whole(path())),
        (Some("KVNONUMBER"), ..) => keyspace.refused(Refusal::NoNumber(path())),
        (Some("KVSUM"), ..) => keyspace.refused(Refusal::Range(path())),
        _ => script_error(call, keyspace, RunError::Refused(error)),
    }
}

/// What of a write its refusal is told by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) id: &'a str,
    pub(super) term: Option<WriteTerm>,
    pub(super) condition: Option<&'a Condition>,
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
