//! Serde ⇄ record: how an entity's value becomes the fields of a hash, and comes back equal.
//!
//! The rules are Spring's, so that a Java service can share the data: scalars are their text, structs flatten with
//! dots (`address.city`), sequences with indices (`nicknames.[0]`), maps with keys (`attributes.[eye-color]`), bytes
//! are raw, `None` is absent. They lose things that serde can say. *What the flat form cannot hold exactly is
//! therefore stored as JSON in the one field at that path*: an empty sequence or map, a list with a `None` in it, a
//! map whose key contains `]`, a value that decodes itself by what it finds. When reading, a field that stands at a
//! container's own path is JSON. Nothing else needs an escape.
//!
//! | module | what it knows |
//! | --- | --- |
//! | [`record`] | the fields of a hash, in order |
//! | [`path`] | how the text of a path is put together and taken apart |
//! | [`scalar`] | the text of numbers, bools and characters |
//! | [`key`] | the text of a map's key |
//! | [`json`] | the JSON in one field |
//! | [`single`] | whether a type is one value |
//! | [`shape`] | where a type decodes itself by what it finds |
//! | [`ser`], [`de`] | the two ways |
//! | [`hash`] | how tables of paths are hashed |
//! | [`scratch`] | the memory that a thread keeps |
//! | [`fault`] | what went wrong, and where; never with a stored value in it |
//! | [`with`] | other forms that a field may have |

mod de;
mod fault;
mod hash;
mod json;
mod key;
mod path;
mod record;
mod scalar;
mod scratch;
mod ser;
mod shape;
mod single;
pub mod with;

#[cfg(test)]
mod tests;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use path::within;
pub use record::Record;
pub(crate) use single::single;

use self::shape::Shape;
use crate::{EntitySchema, Result};

/// Writes an entity as a record.
///
/// # Errors
///
/// [`Error::Encode`](crate::Error::Encode) if it holds something that could not be read back.
pub(crate) fn encode<T>(schema: &EntitySchema, value: &T) -> Result<Record>
where
    T: Serialize + DeserializeOwned + 'static,
{
    ser::encode(schema, Shape::of::<T>(schema.plain_paths), value)
}

/// One step on the way from an entity to a value in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// To the field of this name.
    Field(&'static str),
    /// To an element of a list.
    Each,
    /// To the value of an entry of a map.
    Entry,
}

/// The text of a map's key in a path, or the reason why it cannot be one.
pub(crate) fn key_text<K: Serialize + ?Sized>(key: &K) -> Result<String, String> {
    let mut text = String::new();
    key.serialize(key::KeySer::new(&mut text))
        .map_err(fault::Fault::into_reason)?;
    if text.contains(']') {
        return Err(
            "a map with a key that contains `]` is stored as JSON in one field; set the map as a whole"
                .into(),
        );
    }
    Ok(text)
}

/// Writes the value of one field of the entity `E` as the fields of a hash, as they would stand in the whole. None, if
/// it is an absent option. `steps` lead to it from the entity, and make its `path`.
///
/// # Errors
///
/// [`Error::Encode`](crate::Error::Encode) if it holds something that could not be read back.
pub(crate) fn encode_field<E, V>(
    schema: &EntitySchema,
    steps: &[Step],
    path: &str,
    value: &V,
) -> Result<Record>
where
    E: Serialize + DeserializeOwned + 'static,
    V: Serialize + ?Sized,
{
    ser::encode_field(schema, Shape::of::<E>(schema.plain_paths), steps, path, value)
}

/// The text of a float, in the shortest form that is exact for 64 bits or, of a `single`, for 32.
pub(crate) fn float_text(number: f64, single: bool) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let written = if single {
        scalar::write_f32(&mut text, number as f32)
    } else {
        scalar::write_f64(&mut text, number)
    };
    written.map_err(fault::Fault::into_reason).map(|()| text)
}

/// Reads an entity from a record.
///
/// # Errors
///
/// [`Error::Decode`](crate::Error::Decode) with the path of what is not stored as the type needs it.
pub(crate) fn decode<T>(schema: &EntitySchema, record: &Record) -> Result<T>
where
    T: Serialize + DeserializeOwned + 'static,
{
    de::decode(schema, Shape::of::<T>(schema.plain_paths), record)
}
