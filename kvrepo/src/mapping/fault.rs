//! Why a value could not be mapped, on its way up to where its path is known.
//!
//! No message holds a stored value. Serde's stock messages quote what they did not expect, so each of them is worded
//! anew here, and the messages of a user's own types are screened against what is stored at their place.

use std::fmt;

use serde::de::{self, Expected, Unexpected};
use serde::ser;

use crate::Error;

/// A field that a struct asked for although nothing is stored of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offer {
    /// The struct, by its visitor's type.
    pub(super) owner: &'static str,
    pub(super) field: &'static str,
}

#[derive(Debug)]
enum Kind {
    /// Nothing but a reason.
    Plain,
    /// Worded by a type of the user's, and not screened yet.
    Custom,
    /// Serde missed a field, of a struct not known yet.
    Missing(&'static str),
    /// The same, and which struct it was.
    Claimed(Offer),
    /// A map's key has no text.
    Key,
}

/// What went wrong. Its path grows while it goes up.
#[derive(Debug)]
pub(super) struct Fault(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    reason: String,
    /// From the innermost outwards.
    segments: Vec<String>,
}

impl Fault {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self::of(Kind::Plain, reason.into())
    }

    pub(super) fn expected(what: impl fmt::Display) -> Self {
        Self::new(format!("expected {what}"))
    }

    pub(super) fn too_deep() -> Self {
        Self::new("nested too deeply")
    }

    /// A place of which nothing is stored has no value of the type that was asked for.
    pub(super) fn absent() -> Self {
        Self::new("missing field")
    }

    /// A map's key has no text.
    pub(super) fn key() -> Self {
        Self::of(
            Kind::Key,
            "a map's key must have a text: a string, number, bool, char or unit variant".into(),
        )
    }

    fn of(kind: Kind, reason: String) -> Self {
        Self(Box::new(Inner {
            kind,
            reason,
            segments: Vec::new(),
        }))
    }

    pub(super) fn is_key(&self) -> bool {
        matches!(self.0.kind, Kind::Key)
    }

    /// The fault of something that stands in a field of this name.
    pub(super) fn in_name(mut self, name: &str) -> Self {
        self.0.segments.push(name.to_owned());
        self
    }

    /// The fault of something that stands at this key or index.
    pub(super) fn in_bracket(mut self, key: impl fmt::Display) -> Self {
        self.0.segments.push(format!("[{key}]"));
        self
    }

    /// Keeps a custom message only if it holds nothing that is stored, as `mentions` tells.
    pub(super) fn screened(mut self, mentions: impl FnOnce(&str) -> bool) -> Self {
        match self.0.kind {
            Kind::Custom => {
                self.0.kind = Kind::Plain;
                self.0.reason = if mentions(&self.0.reason) {
                    "what is stored was refused by the field's type".to_owned()
                } else {
                    format!("custom: {}", self.0.reason)
                };
                self
            }
            Kind::Missing(field) => {
                self.0.kind = Kind::Plain;
                self.in_name(field)
            }
            _ => self,
        }
    }

    /// Notes which struct it was that missed a field.
    pub(super) fn claimed(mut self, owner: &'static str) -> Self {
        if let Kind::Missing(field) = self.0.kind {
            self.0.kind = Kind::Claimed(Offer { owner, field });
            return self.in_name(field);
        }
        self
    }

    /// The field that was missed, and by which struct.
    pub(super) fn offer(&self) -> Option<Offer> {
        match self.0.kind {
            Kind::Claimed(offer) => Some(offer),
            _ => None,
        }
    }

    /// What was wrong, in words.
    pub(super) fn into_reason(self) -> String {
        self.0.reason
    }

    pub(super) fn into_decode(self, entity: &'static str) -> Error {
        let path = self
            .0
            .segments
            .iter()
            .rev()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(".");
        Error::Decode {
            entity,
            path,
            reason: self.0.reason,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.reason)
    }
}

impl std::error::Error for Fault {}

impl ser::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::of(Kind::Custom, message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}, found {}", kind(found)))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expected(expected)
    }

    fn invalid_length(len: usize, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}, found {len} elements"))
    }

    /// The one message that quotes what is stored: an unknown constant is of no use without its name.
    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let shown: String = variant.chars().take(64).collect();
        Self::new(format!(
            "unknown variant `{shown}`, expected {}",
            one_of(expected)
        ))
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("unknown field, expected {}", one_of(expected)))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::of(Kind::Missing(field), "missing field".to_owned())
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("the field `{field}` is stored twice"))
    }
}

fn one_of(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        [only] => format!("`{only}`"),
        _ => format!("one of `{}`", names.join("`, `")),
    }
}

fn kind(found: Unexpected<'_>) -> &'static str {
    match found {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "an integer",
        Unexpected::Float(_) => "a float",
        Unexpected::Char(_) => "a character",
        Unexpected::Str(_) => "a string",
        Unexpected::Bytes(_) => "bytes",
        Unexpected::Unit => "nothing",
        Unexpected::Option => "an option",
        Unexpected::NewtypeStruct => "a newtype",
        Unexpected::Seq => "a sequence",
        Unexpected::Map => "a map",
        Unexpected::Enum => "an enum",
        Unexpected::UnitVariant => "a unit variant",
        Unexpected::NewtypeVariant => "a newtype variant",
        Unexpected::TupleVariant => "a tuple variant",
        Unexpected::StructVariant => "a struct variant",
        Unexpected::Other(_) => "another type",
    }
}
