//! What the mapping promises, rule by rule.

mod any;
mod bytes;
mod enums;
mod errors;
mod flatten;
mod hints;
mod hostile;
mod maps;
mod missing;
mod options;
mod property;
mod scalars;
mod scale;
mod sequences;
mod spring;
mod structs;
mod with;

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Record, decode, encode};
use crate::{EntitySchema, Error};

const PLAIN: EntitySchema = EntitySchema::new("Thing", "things", "id");

/// The fields of a value as text.
#[track_caller]
fn fields_by<T: Serialize + DeserializeOwned + 'static>(
    schema: &EntitySchema,
    value: &T,
) -> Vec<(String, String)> {
    let record = encode(schema, value).expect("the value should be encoded");
    record
        .iter()
        .map(|(path, value)| (path.to_owned(), String::from_utf8_lossy(value).into_owned()))
        .collect()
}

#[track_caller]
fn fields<T: Serialize + DeserializeOwned + 'static>(value: &T) -> Vec<(String, String)> {
    fields_by(&PLAIN, value)
}

/// A record of texts.
fn record(fields: &[(&str, &str)]) -> Record {
    fields
        .iter()
        .map(|(path, value)| ((*path).to_owned(), value.as_bytes().to_vec()))
        .collect()
}

#[track_caller]
fn read<T: Serialize + DeserializeOwned + 'static>(fields: &[(&str, &str)]) -> T {
    decode(&PLAIN, &record(fields)).expect("the record should be decoded")
}

/// Where decoding failed, and why.
#[track_caller]
fn refused<T: Serialize + DeserializeOwned + Debug + 'static>(fields: &[(&str, &str)]) -> (String, String) {
    match decode::<T>(&PLAIN, &record(fields)) {
        Err(Error::Decode { path, reason, .. }) => (path, reason),
        other => panic!("should have been refused: {other:?}"),
    }
}

/// Writes the value, compares its fields, and reads it back from them, in this order and in the opposite one.
#[track_caller]
fn stored<T>(value: &T, expected: &[(&str, &str)])
where
    T: Serialize + DeserializeOwned + PartialEq + Debug + 'static,
{
    let fields = fields(value);
    let fields: Vec<_> = fields
        .iter()
        .map(|(path, value)| (path.as_str(), value.as_str()))
        .collect();
    assert_eq!(fields, expected);
    same(value);
}

/// The value comes back equal.
#[track_caller]
fn same<T: Serialize + DeserializeOwned + PartialEq + Debug + 'static>(value: &T) {
    same_by(&PLAIN, value);
}

#[track_caller]
fn same_by<T>(schema: &EntitySchema, value: &T)
where
    T: Serialize + DeserializeOwned + PartialEq + Debug + 'static,
{
    let record = encode(schema, value).expect("the value should be encoded");
    let back: T =
        decode(schema, &record).unwrap_or_else(|error| panic!("{error}: {value:?} as {}", show(&record)));
    assert_eq!(&back, value, "through {}", show(&record));
    let mut fields: Vec<_> = record.clone().into_iter().collect();
    fields.reverse();
    let back: T = decode(schema, &fields.into_iter().collect()).expect("the order should not matter");
    assert_eq!(&back, value, "backwards through {}", show(&record));
}

fn show(record: &Record) -> String {
    record
        .iter()
        .map(|(path, value)| format!("\n  {path} = {:?}", String::from_utf8_lossy(value)))
        .collect()
}
