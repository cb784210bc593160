//! Values as the cases write them.

use kvrepo::{KvEntity, Store};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::reference::Targets;

/// A type that cases hold values of.
pub trait Notated: KvEntity + PartialEq + Clone + std::fmt::Debug {
    /// The value that a case writes so.
    ///
    /// # Errors
    ///
    /// If it is none of this type.
    fn notated(value: &Value) -> Result<Self, String>;

    /// The fields that hold references.
    const REFERENCES: &'static [&'static str] = &[];

    /// The text of a reference to what a case writes in such a field, and the entity.
    ///
    /// # Errors
    ///
    /// As [`written`](super::reference::written).
    fn target(value: &Value) -> Result<(String, Value), String> {
        Err(format!("it refers to nothing, but should to {value}"))
    }

    /// The entities that are there of those that these texts refer to.
    fn referred(_: &Store, _: Vec<Value>) -> impl Future<Output = Result<Targets, String>> + Send {
        std::future::ready(Ok(Targets::new()))
    }
}

/// Reads a value whose serde form is its notation, but for what [`plain`] takes away.
///
/// # Errors
///
/// If it is none of this type, or has fields that the type has not: the type would not be as it was declared.
pub fn read<T: DeserializeOwned + Serialize>(value: &Value) -> Result<T, String> {
    let plain = plain(value);
    let none = |why: &dyn std::fmt::Display| format!("the case's value {value} is none of the type: {why}");
    let read: T = serde_json::from_value(plain.clone()).map_err(|error| none(&error))?;
    let back = serde_json::to_value(&read).map_err(|error| none(&error))?;
    match unknown_field(&plain, &back) {
        Some(field) => Err(none(&format_args!("it has no `{field}`"))),
        None => Ok(read),
    }
}

/// A field that the type has not read.
fn unknown_field(written: &Value, back: &Value) -> Option<String> {
    match (written, back) {
        (Value::Object(written), Value::Object(back)) => written.iter().find_map(|(name, value)| {
            back.get(name)
                .map_or_else(|| Some(name.clone()), |back| unknown_field(value, back))
        }),
        (Value::Array(written), Value::Array(back)) => written
            .iter()
            .zip(back)
            .find_map(|(written, back)| unknown_field(written, back)),
        _ => None,
    }
}

/// A value without the notation's own words: bytes as numbers, durations in ISO text.
#[must_use]
pub fn plain(value: &Value) -> Value {
    if let Some(bytes) = bytes(value) {
        return bytes.into();
    }
    if let Some(ms) = value.get("$duration_ms").and_then(Value::as_u64) {
        return format!("PT{}.{:03}S", ms / 1000, ms % 1000).into();
    }
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect(),
        scalar => scalar.clone(),
    }
}

/// The bytes of `{"$utf8": "…"}` and `{"$hex": "…"}`.
#[must_use]
pub fn bytes(value: &Value) -> Option<Vec<u8>> {
    if let Some(text) = value.get("$utf8") {
        return Some(text.as_str()?.as_bytes().to_vec());
    }
    let hex = value.get("$hex")?.as_str()?.as_bytes();
    hex.chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}
