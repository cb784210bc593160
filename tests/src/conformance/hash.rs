//! Hashes as the cases write them.

use std::collections::BTreeMap;

use kvrepo::Record;
use serde_json::{Map, Value};

use super::{Check, notation};
use crate::demand;

/// The fields of a hash, as they are stored.
pub type Fields = BTreeMap<String, Vec<u8>>;

/// How much of a hash is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it, but for type hints that are not expected.
    Whole,
    /// The same, and for the id.
    WholeButId,
    /// At least this.
    Part,
}

/// What a case has stored.
#[must_use]
pub fn record(hash: &Map<String, Value>) -> Record {
    let bytes = |value: &Value| match value.get("$json") {
        Some(json) => json.to_string().into_bytes(),
        None => text(value),
    };
    hash.iter()
        .map(|(path, value)| (path.clone(), bytes(value)))
        .collect()
}

/// Compares a hash with what is expected; `any` has further texts that are as good.
///
/// # Errors
///
/// All that differs.
pub fn compare(
    expected: &Map<String, Value>,
    any: &Map<String, Value>,
    found: &Fields,
    extent: Extent,
) -> Check {
    let mut faults = Vec::new();
    for (path, value) in expected {
        let also = any
            .get(path)
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let fits = |found: &Vec<u8>| {
            [value]
                .into_iter()
                .chain(also)
                .any(|value| is(value, found, extent))
        };
        match found.get(path) {
            Some(found) if fits(found) => {}
            Some(found) => faults.push(format!("`{path}` is {}, not {value}", shown(found))),
            None => faults.push(format!("`{path}` is not there, but should be {value}")),
        }
    }
    for (path, value) in found {
        let hint = path.rsplit('.').next() == Some("_class");
        let id = extent == Extent::WholeButId && path == "id";
        if extent != Extent::Part && !expected.contains_key(path) && !hint && !id {
            faults.push(format!("`{path}` should not be there, but is {}", shown(value)));
        }
    }
    demand!(faults.is_empty(), "{}", faults.join("; "));
    Ok(())
}

fn is(expected: &Value, found: &[u8], extent: Extent) -> bool {
    let Some(json) = expected.get("$json") else {
        return text(expected) == found;
    };
    let Ok(mut found) = serde_json::from_slice::<Value>(found) else {
        return false;
    };
    if let (Extent::WholeButId, Some(object)) = (extent, found.as_object_mut()) {
        object.remove("id");
    }
    found == *json
}

fn text(value: &Value) -> Vec<u8> {
    let plain = || value.as_str().map(|text| text.as_bytes().to_vec());
    notation::bytes(value)
        .or_else(plain)
        .unwrap_or_else(|| panic!("{value} is no field of a hash"))
}

fn shown(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}
