//! The JSON of the one field that holds what the flat form cannot.
//!
//! It is plain JSON that other clients can read and write, with three additions where JSON would lose something that
//! serde can say: floats that are no numbers are their names as strings, `Some` of what is itself `null` is
//! [wrapped](WRAP), and a map whose keys have no text is an array of pairs. `serde_json` has none of these, parses
//! floats inexactly unless a feature is switched on, and quotes values in its errors; hence reader and writer of our
//! own. Under a place that decodes itself by what it finds (`deserialize_any`) the additions are left out, since
//! serde's buffer would not understand them.

mod lexer;
mod read;
mod write;

pub(super) use lexer::{Lexer, is_json};
pub(super) use read::JsonDe;
pub(super) use write::{Bare, Json, JsonSer};

use super::fault::Fault;

/// How `Some` of a value that would itself be `null` begins: `{"$some":null}`.
pub(super) const WRAP: &str = "{\"$some\":";

/// How `serde_json` names its raw texts to the formats it knows, and numbers of arbitrary precision.
pub(super) const RAW: &str = "$serde_json::private::RawValue";
pub(super) const NUMBER: &str = "$serde_json::private::Number";

/// Writes a string in quotes.
pub(super) fn write_str(out: &mut Vec<u8>, text: &str) -> Result<(), Fault> {
    serde_json::to_writer(out, text).map_err(|_| Fault::new("a string cannot be written"))
}

/// Whether a message quotes a scalar of this text, if it is JSON.
pub(super) fn mentions_any(text: &str, message: &str) -> bool {
    text.starts_with(['{', '[', '"']) && is_json(text) && mentions(text, message)
}

/// Whether a message quotes a scalar of this JSON text.
pub(super) fn mentions(json: &str, message: &str) -> bool {
    let mut lexer = Lexer::new(json);
    while let Some(byte) = lexer.peek() {
        match byte {
            b'"' => match lexer.string() {
                Ok(text) if text.is_empty() => {}
                Ok(text) if message.contains(text.as_ref()) => return true,
                Ok(_) => {}
                Err(_) => return true,
            },
            b'-' | b'0'..=b'9' => match lexer.number() {
                Ok(text) if message.contains(text) => return true,
                Ok(_) => {}
                Err(_) => return true,
            },
            _ => lexer.advance(),
        }
    }
    false
}
