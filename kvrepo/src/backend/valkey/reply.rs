//! Replies of the server, read into what a backend answers.

use redis::Value;

use crate::backend::{LogEntry, ParkedEntry, Position};
use crate::error::{Error, Outcome, Result};
use crate::mapping::Record;

/// A reply of another shape than the command has.
pub(super) fn unexpected(operation: &'static str) -> Error {
    Error::Backend {
        operation,
        outcome: Outcome::Unknown,
        transient: false,
        source: "the server's reply has an unknown shape".into(),
    }
}

pub(super) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        Value::BulkString(bytes) => std::str::from_utf8(bytes).ok()?.parse().ok(),
        Value::SimpleString(text) => text.parse().ok(),
        _ => None,
    }
}

/// Whole numbers, all of them or none.
pub(super) fn integers<const N: usize>(value: &Value) -> Option<[i64; N]> {
    let Value::Array(items) = value else { return None };
    let numbers: Vec<i64> = items.iter().filter_map(integer).collect();
    numbers.try_into().ok()
}

pub(super) fn text(value: Value) -> Option<String> {
    match value {
        Value::BulkString(bytes) => String::from_utf8(bytes).ok(),
        Value::SimpleString(text) => Some(text),
        _ => None,
    }
}

/// A page of a scan: the cursor of the next, which is `0` after the last, and what was found.
pub(super) fn page(operation: &'static str, value: Value) -> Result<(String, Vec<Value>)> {
    let (next, found) = pair(value).ok_or_else(|| unexpected(operation))?;
    match (text(next), found) {
        (Some(next), Value::Array(found)) => Ok((next, found)),
        _ => Err(unexpected(operation)),
    }
}

pub(super) fn into_bytes(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes),
        Value::SimpleString(text) => Some(text.into_bytes()),
        _ => None,
    }
}

fn bytes(value: &Value) -> Option<&[u8]> {
    match value {
        Value::BulkString(bytes) => Some(bytes),
        Value::SimpleString(text) => Some(text.as_bytes()),
        _ => None,
    }
}

/// The field of a hash that holds the span of an idle term; see `write.lua`.
pub(super) const IDLE: &str = "#idle";

/// The span of an idle term, in milliseconds.
pub(super) fn span(value: &Value) -> Option<u64> {
    integer(value).and_then(|span| u64::try_from(span).ok())
}

/// An entity's hash, in RESP2's form or in RESP3's: its fields, and the span of its idle term, if it has one.
pub(super) fn hash(value: &Value) -> Option<(Record, Option<u64>)> {
    match value {
        Value::Map(pairs) => Some(fields(pairs.iter().map(|(path, value)| (path, value)))),
        Value::Array(items) => Some(fields(flat(items))),
        _ => None,
    }
}

/// Paths and values in turn.
fn flat(items: &[Value]) -> impl ExactSizeIterator<Item = (&Value, &Value)> {
    let (pairs, _) = items.as_chunks::<2>();
    pairs.iter().map(|[path, value]| (path, value))
}

/// A field whose name is no text is nobody's, and an idle term's is ours.
fn fields<'v>(pairs: impl ExactSizeIterator<Item = (&'v Value, &'v Value)>) -> (Record, Option<u64>) {
    let mut record = Record::with_capacity(pairs.len());
    let mut idle = None;
    for (path, value) in pairs {
        let path = bytes(path).and_then(|path| std::str::from_utf8(path).ok());
        match (path, bytes(value)) {
            (Some(IDLE), _) => idle = span(value),
            (Some(path), Some(value)) => record.add(path, value),
            _ => {}
        }
    }
    (record, idle)
}

/// The replies of `XREAD`: for each stream its key and its entries.
pub(super) fn streams(value: Value) -> Option<Vec<(String, Vec<LogEntry>)>> {
    let pairs: Vec<(Value, Value)> = match value {
        Value::Nil => Vec::new(),
        Value::Map(pairs) => pairs,
        Value::Array(items) => items.into_iter().filter_map(pair).collect(),
        _ => return None,
    };
    pairs
        .into_iter()
        .map(|(key, found)| Some((text(key)?, entries(found)?)))
        .collect()
}

/// The replies of `XRANGE`. An entry that is not of our form is kept as one without an id, so that nobody waits for it
/// for ever.
pub(super) fn entries(value: Value) -> Option<Vec<LogEntry>> {
    let Value::Array(items) = value else { return None };
    items.into_iter().map(entry).collect()
}

pub(super) fn entry(value: Value) -> Option<LogEntry> {
    let (position, fields) = placed(value)?;
    Some(event(position, &fields))
}

/// An event that was put aside, as `claim.lua` does it.
pub(super) fn parked(value: Value) -> Option<ParkedEntry> {
    let (place, fields) = placed(value)?;
    let [_, position, _, deliveries, fields @ ..] = &fields[..] else {
        return None;
    };
    let position = std::str::from_utf8(bytes(position)?).ok()?.parse().ok()?;
    let deliveries = u32::try_from(integer(deliveries)?).ok()?;
    Some(ParkedEntry::new(event(position, fields), deliveries, place))
}

/// An entry of a stream: where it stands, and its names and values in turn.
fn placed(value: Value) -> Option<(Position, Vec<Value>)> {
    let (position, fields) = pair(value)?;
    let fields = match fields {
        Value::Array(fields) => fields,
        Value::Map(pairs) => pairs
            .into_iter()
            .flat_map(|(path, value)| [path, value])
            .collect(),
        _ => return None,
    };
    Some((text(position)?.parse().ok()?, fields))
}

/// What is not of our form has no id.
fn event(position: Position, fields: &[Value]) -> LogEntry {
    known_event(position, fields)
        .unwrap_or_else(|| LogEntry::new(position, String::new(), position.millis(), None))
}

fn known_event(position: Position, fields: &[Value]) -> Option<LogEntry> {
    let [first, id, second, deadline, rest @ ..] = fields else {
        return None;
    };
    if (bytes(first)?, bytes(second)?) != (b"id", b"deadline") {
        return None;
    }
    let id = String::from_utf8(bytes(id)?.to_vec()).ok()?;
    let deadline = std::str::from_utf8(bytes(deadline)?).ok()?.parse().ok()?;
    let record = match rest {
        [] => None,
        [name, packed] if bytes(name)? == b"#packed" => Some(self::fields(flat(&unpack(bytes(packed)?)?)).0),
        fields => Some(self::fields(flat(fields)).0),
    };
    Some(LogEntry::new(position, id, deadline, record))
}

fn pair(value: Value) -> Option<(Value, Value)> {
    let Value::Array(items) = value else { return None };
    let [first, second] = <[Value; 2]>::try_from(items).ok()?;
    Some((first, second))
}

/// Values that `life.lua` packed into one field, each behind its length: `3:abc1:x`.
fn unpack(mut packed: &[u8]) -> Option<Vec<Value>> {
    let mut parts = Vec::new();
    while !packed.is_empty() {
        let colon = packed.iter().position(|byte| *byte == b':')?;
        let length: usize = std::str::from_utf8(packed.get(..colon)?).ok()?.parse().ok()?;
        let (part, rest) = packed.get(colon + 1..)?.split_at_checked(length)?;
        parts.push(Value::BulkString(part.to_vec()));
        packed = rest;
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_values_are_unpacked_and_broken_ones_are_not_taken() {
        let values = |parts: &[&str]| {
            parts
                .iter()
                .map(|p| Value::BulkString(p.as_bytes().to_vec()))
                .collect()
        };
        assert_eq!(unpack(b"3:a:c0:1:x"), Some(values(&["a:c", "", "x"])));
        assert_eq!(unpack(b""), Some(vec![]));
        for broken in [&b"3:ab"[..], b"x:ab", b"3", b"-1:a"] {
            assert_eq!(unpack(broken), None);
        }
    }
}
