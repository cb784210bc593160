//! What is asked of the scripts that write, as their arguments; and what is asked of one hash.

use redis::Pipeline;

use super::answer::Asked;
use super::indexing;
use super::script::{self, Invocation, Script};
use crate::backend::index::Entry;
use crate::backend::{
    Change, Condition, Delete, Index, IndexKind, Keyspace, Place, Update, Write, WriteTerm,
};

/// An entity of more fields is saved alone: there is little to be gained by that it is not, and all would wait for it.
const FIELDS: usize = 200;

/// How many replies there are to [`with_term`].
pub(super) const WITH_TERM: usize = 5;

/// Asks for a hash, its `PTTL` and its `PEXPIRETIME`; the last reply has them. All of the same moment, or a term could be
/// that of another life.
pub(super) fn with_term(pipeline: &mut Pipeline, key: &str) {
    pipeline.cmd("MULTI");
    for command in ["HGETALL", "PTTL", "PEXPIRETIME"] {
        pipeline.cmd(command).arg(key);
    }
    pipeline.cmd("EXEC");
}

/// A call of a script that ends lives: they all begin with the same settings.
pub(super) fn lives<'a>(script: &'a Script, keyspace: &'a Keyspace) -> Invocation<'a> {
    script
        .on(keyspace.base())
        .number(keyspace.grace())
        .number(keyspace.retention())
}

/// A call of a script that writes, or shares code with those that do.
pub(super) fn writes<'a>(script: &'a Script, keyspace: &'a Keyspace) -> Invocation<'a> {
    lives(script, keyspace).flag(keyspace.shadow_copy())
}

pub(super) fn save<'a>(keyspace: &'a Keyspace, write: &'a Write) -> Invocation<'a> {
    saved(writes(&script::SAVE, keyspace), write)
}

/// Several saves, each of which [is usual](is_usual).
pub(super) fn save_many<'a>(keyspace: &'a Keyspace, several: &'a [Write]) -> Invocation<'a> {
    let call = writes(&script::SAVE_MANY, keyspace);
    several.iter().fold(call, |call, write| {
        call.counted(saved(script::SAVE_MANY.on(keyspace.base()), write))
    })
}

/// What a save has behind the settings.
pub(super) fn saved<'a>(call: Invocation<'a>, write: &'a Write) -> Invocation<'a> {
    let call = term(call.bytes(&write.id), Some(write.term)).flag(write.keep);
    let call = condition(call, write.condition.as_ref());
    indexing::entries(call, &write.entries).fields(write.record.iter())
}

/// Whether `usual_save.lua` will do, as far as can be told from here.
pub(super) fn is_usual(write: &Write) -> bool {
    !write.keep
        && !matches!(write.condition, Some(Condition::Unchanged(_)))
        && write.record.len() <= FIELDS
        && write
            .entries
            .iter()
            .all(|entry| matches!(entry, Entry::Equality { .. }))
}

pub(super) fn update<'a>(keyspace: &'a Keyspace, update: &'a Update) -> Invocation<'a> {
    let call = writes(&script::UPDATE, keyspace).bytes(&update.id);
    let call = term(call, update.term).bytes(update.version_path.unwrap_or_default());
    let call = condition(call, update.condition.as_ref());
    let concerned: Vec<_> = keyspace
        .indexes()
        .iter()
        .filter(|index| update.changes.iter().any(|change| concerns(change, index)))
        .collect();
    let call = indexing::indexes(call, concerned.into_iter()).number(update.changes.len() as u64);
    update.changes.iter().fold(call, change)
}

fn concerns(change: &Change, index: &Index) -> bool {
    let (Change::Put { place, .. } | Change::Add { place, .. }) = change;
    let mut paths = std::iter::once(&place.path).chain(&place.others);
    paths.any(|path| index.is_touched_by(path))
}

pub(super) fn delete<'a>(keyspace: &'a Keyspace, delete: &'a Delete) -> Invocation<'a> {
    let call = writes(&script::DELETE, keyspace).bytes(&delete.id).flag(false);
    condition(call, delete.condition.as_ref())
}

/// Whether `usual_delete.lua` will do, as far as can be told from here.
pub(super) fn are_usual(keyspace: &Keyspace, deletes: &[Delete]) -> bool {
    let mut kinds = keyspace.indexes().iter().map(Index::kind);
    kinds.all(|kind| matches!(kind, IndexKind::Equality | IndexKind::Geo))
        && deletes.iter().all(|delete| delete.condition.is_none())
}

/// Several deletes, all of which [are usual](are_usual).
pub(super) fn delete_many<'a>(keyspace: &'a Keyspace, several: &'a [Delete]) -> Invocation<'a> {
    let call = script::DELETE_MANY.on(keyspace.base());
    several.iter().fold(call, |call, delete| call.bytes(&delete.id))
}

pub(super) fn take<'a>(keyspace: &'a Keyspace, id: &'a str) -> Invocation<'a> {
    condition(writes(&script::DELETE, keyspace).bytes(id).flag(true), None)
}

pub(super) fn renew<'a>(keyspace: &'a Keyspace, ids: impl Iterator<Item = &'a String>) -> Invocation<'a> {
    ids.fold(writes(&script::RENEW, keyspace), |call, id| call.bytes(id))
}

/// `None` keeps what remains.
fn term(call: Invocation<'_>, term: Option<WriteTerm>) -> Invocation<'_> {
    let (term, millis) = match term {
        None => ("", 0),
        Some(WriteTerm::Persistent) => ("never", 0),
        Some(WriteTerm::After(millis)) => ("after", millis),
        Some(WriteTerm::At(deadline)) => ("at", deadline),
        Some(WriteTerm::Idle(span)) => ("idle", span),
    };
    call.bytes(term).number(millis)
}

fn condition<'a>(call: Invocation<'a>, condition: Option<&'a Condition>) -> Invocation<'a> {
    match condition {
        None => call.bytes(""),
        Some(Condition::Absent) => call.bytes("absent"),
        Some(Condition::Version { path, expected }) => call.bytes("version").bytes(*path).number(*expected),
        Some(Condition::Unchanged(record)) => call
            .bytes("same")
            .number(record.len() as u64)
            .fields(record.iter()),
    }
}

fn change<'a>(call: Invocation<'a>, change: &'a Change) -> Invocation<'a> {
    match change {
        Change::Put { place, fields } => self::place(call.bytes("put"), place)
            .number(fields.len() as u64)
            .fields(fields.iter()),
        Change::Add { place, by, min, max } => self::place(call.bytes("add"), place)
            .signed((*by).into())
            .signed(*min)
            .signed(*max),
    }
}

fn place<'a>(call: Invocation<'a>, place: &'a Place) -> Invocation<'a> {
    let call = call.bytes(&place.path).number(place.others.len() as u64);
    let call = place.others.iter().fold(call, |call, other| call.bytes(other));
    place
        .ancestors
        .iter()
        .fold(call.number(place.ancestors.len() as u64), |call, ancestor| {
            call.bytes(&ancestor.path)
                .flag(ancestor.optional)
                .bytes(ancestor.marker)
        })
}

impl<'a> From<&'a Write> for Asked<'a> {
    fn from(write: &'a Write) -> Self {
        Self {
            id: &write.id,
            term: Some(write.term),
            condition: write.condition.as_ref(),
        }
    }
}

impl<'a> From<&'a Update> for Asked<'a> {
    fn from(update: &'a Update) -> Self {
        Self {
            id: &update.id,
            term: update.term,
            condition: update.condition.as_ref(),
        }
    }
}

impl<'a> From<&'a Delete> for Asked<'a> {
    fn from(delete: &'a Delete) -> Self {
        Self {
            id: &delete.id,
            term: None,
            condition: delete.condition.as_ref(),
        }
    }
}
