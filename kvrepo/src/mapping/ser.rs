//! Serde value to record, in one pass over the value and without a tree in between.
//!
//! Each place is written to the record as it is met. A container that finds in the end that the flat form cannot hold
//! it exactly says so; whoever asked for the place then takes back the fields written under it, and writes the value
//! once more, as JSON in one field. So the common case pays nothing for the rare one.

mod byte;
mod map;
mod seq;
mod structs;

use std::collections::HashSet;

use serde::ser::{Serialize, Serializer};

use self::map::MapSer;
use self::seq::SeqSer;
use self::structs::StructSer;
use super::Record;
use super::fault::Fault;
use super::hash::Seeded;
use super::json::{self, Json, JsonSer, WRAP};
use super::path::{HINT, MAX_DEPTH, MAX_WRAPS, ROOT};
use super::scalar;
use super::shape::{At, Shape};
use crate::{EntitySchema, Error, Result as CrateResult};

/// Writes `value` as a record.
pub(super) fn encode<T: Serialize>(schema: &EntitySchema, shape: &Shape, value: &T) -> CrateResult<Record> {
    let mut out = Out {
        schema,
        record: shape.record(),
        path: String::with_capacity(64),
    };
    let context = Context {
        node: shape.root(),
        loose: false,
        somes: 0,
        depth: 0,
    };
    match out.place(context, value) {
        Ok(_) => {
            out.hint();
            shape.measure(&out.record);
            Ok(out.record)
        }
        Err(fault) => Err(Error::Encode {
            entity: schema.entity,
            path: out.path,
            reason: fault.into_reason(),
        }),
    }
}

/// So many paths are sooner compared than hashed.
const FEW: usize = 16;

/// What came of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stored {
    /// Fields, one at least.
    Fields,
    /// Nothing: it is an absent option, or a unit.
    Nothing,
    /// The fields written do not hold it exactly.
    Inexact,
}

/// What a place inherits from where it stands.
#[derive(Debug, Clone, Copy)]
struct Context<'s> {
    /// Where this is in the type's shape, as far as that matters.
    node: Option<At<'s>>,
    /// Whether readers may have to tell the type from the text, as beside or within a flattened field.
    loose: bool,
    /// How many `Some` have been opened at this place.
    somes: u8,
    depth: u8,
}

impl<'s> Context<'s> {
    #[inline]
    fn child(self, node: Option<At<'s>>) -> Result<Self, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(Fault::too_deep());
        }
        Ok(Self {
            node,
            loose: self.loose,
            somes: 0,
            depth: self.depth + 1,
        })
    }

    #[inline]
    fn field(self, name: &str) -> Result<Self, Fault> {
        self.child(self.node.and_then(|node| node.field(name)))
    }

    #[inline]
    fn each(self) -> Result<Self, Fault> {
        self.child(self.node.and_then(At::each))
    }

    /// Whether the value here is found out by looking at it.
    #[inline]
    fn is_any(self) -> bool {
        self.node.and_then(At::any).is_some()
    }

    /// Whether a text here would be taken for something else than a text.
    #[inline]
    fn is_ambiguous(self, text: &str) -> bool {
        if self.loose {
            json::is_json(text)
        } else {
            self.somes >= 2 && is_like_null(text.as_bytes())
        }
    }
}

/// What an option within an option reads as something else than plain text.
fn is_like_null(text: &[u8]) -> bool {
    text == b"null" || text.starts_with(b"\"") || text.starts_with(WRAP.as_bytes())
}

/// The record that is being written, and where in it.
struct Out<'s> {
    schema: &'s EntitySchema,
    record: Record,
    path: String,
}

impl Out<'_> {
    /// Writes a value at the current path.
    #[inline]
    fn place<T: ?Sized + Serialize>(&mut self, context: Context<'_>, value: &T) -> Result<Stored, Fault> {
        if context.is_any() {
            return self.json(context, value, true);
        }
        let start = self.record.len();
        match value.serialize(Ser { out: self, context })? {
            Stored::Inexact => {
                self.record.truncate(start);
                self.json(context, value, false)
            }
            stored => Ok(stored),
        }
    }

    /// Writes a value as JSON at the current path; where it may be `bare`, a lone string goes without quotes.
    fn json<T: ?Sized + Serialize>(
        &mut self,
        context: Context<'_>,
        value: &T,
        bare: bool,
    ) -> Result<Stored, Fault> {
        let Context {
            node,
            loose,
            somes,
            depth,
        } = context;
        let plain = if depth == 0 { self.schema.plain_paths } else { &[] };
        let json = Json {
            node,
            exact: !loose,
            strip: somes == 0,
            bare,
            somes,
            depth,
            plain,
        };
        if value.serialize(JsonSer::new(self.record.tail(), json))? {
            self.seal(context);
            Ok(Stored::Fields)
        } else {
            Ok(Stored::Nothing)
        }
    }

    /// Makes a field of what was written to the record's tail.
    #[inline]
    fn seal(&mut self, context: Context<'_>) {
        self.record
            .seal(if context.depth == 0 { ROOT } else { &self.path });
    }

    /// A field at the current path.
    #[inline]
    fn field(&mut self, context: Context<'_>, value: &[u8]) -> Stored {
        self.record.tail().extend_from_slice(value);
        self.seal(context);
        Stored::Fields
    }

    /// Goes down to a name, which is taken as it is.
    #[inline]
    fn push_name(&mut self, depth: u8, name: &str) {
        if depth > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
    }

    /// Sees that no path stands twice among the fields from `start` on.
    fn unique_from(&mut self, start: usize) -> Result<(), Fault> {
        let count = self.record.len().saturating_sub(start);
        let path = |at: usize| self.record.field(start + at).map(|(path, _)| path);
        let twice = if count <= FEW {
            (1..count).find(|later| (0..*later).any(|at| path(at) == path(*later)))
        } else {
            let mut seen = HashSet::with_capacity_and_hasher(count, Seeded::default());
            (0..count).find(|at| !seen.insert(path(*at)))
        };
        match twice.and_then(path).map(str::to_owned) {
            Some(path) => {
                self.path = path;
                Err(Fault::new("two values have this path"))
            }
            None => Ok(()),
        }
    }

    /// Adds the type hint, unless the entity has a field of that name.
    fn hint(&mut self) {
        if let Some(alias) = self.schema.type_alias
            && self.record.get(HINT).is_none()
        {
            self.record.add(HINT, alias.as_bytes());
        }
    }
}

/// Writes one value.
struct Ser<'o, 's, 'e> {
    out: &'o mut Out<'e>,
    context: Context<'s>,
}

impl<'o, 's, 'e> Ser<'o, 's, 'e> {
    #[inline]
    fn text(self, text: &str) -> Result<Stored, Fault> {
        if self.context.is_ambiguous(text) {
            json::write_str(self.out.record.tail(), text)?;
            self.out.seal(self.context);
            return Ok(Stored::Fields);
        }
        Ok(self.out.field(self.context, text.as_bytes()))
    }

    #[inline]
    fn number<T: Serialize>(self, number: T) -> Result<Stored, Fault> {
        scalar::write_number(self.out.record.tail(), number)?;
        self.out.seal(self.context);
        Ok(Stored::Fields)
    }

    fn float(self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), Fault>) -> Result<Stored, Fault> {
        write(self.out.record.tail())?;
        self.out.seal(self.context);
        Ok(Stored::Fields)
    }

    fn not_finite(self, name: &'static str) -> Result<Stored, Fault> {
        if self.context.loose {
            return Err(Fault::new(
                "a float that is not a number cannot be stored where fields are flattened",
            ));
        }
        Ok(self.out.field(self.context, name.as_bytes()))
    }

    /// `null`, wrapped as often as there are `Some` around it beyond the first.
    fn null(self) -> Stored {
        let wraps = if self.context.loose {
            0
        } else {
            usize::from(self.context.somes.saturating_sub(1))
        };
        let tail = self.out.record.tail();
        for _ in 0..wraps {
            tail.extend_from_slice(WRAP.as_bytes());
        }
        tail.extend_from_slice(b"null");
        tail.resize(tail.len() + wraps, b'}');
        self.out.seal(self.context);
        Stored::Fields
    }

    /// Goes down to a variant's content; what comes back is its context and where the path ended before.
    fn variant(&mut self, variant: &str) -> Result<(Context<'s>, usize), Fault> {
        let content = self.context.field(variant)?;
        let base = self.out.path.len();
        self.out.push_name(self.context.depth, variant);
        Ok((content, base))
    }
}

macro_rules! numbers {
    ($($method:ident $type:ty),*) => {
        $(#[inline] fn $method(self, value: $type) -> Result<Stored, Fault> { self.number(value) })*
    };
}

impl<'o, 's, 'e> Serializer for Ser<'o, 's, 'e> {
    type Ok = Stored;
    type Error = Fault;
    type SerializeSeq = SeqSer<'o, 's, 'e>;
    type SerializeTuple = SeqSer<'o, 's, 'e>;
    type SerializeTupleStruct = SeqSer<'o, 's, 'e>;
    type SerializeTupleVariant = SeqSer<'o, 's, 'e>;
    type SerializeMap = MapSer<'o, 's, 'e>;
    type SerializeStruct = StructSer<'o, 's, 'e>;
    type SerializeStructVariant = StructSer<'o, 's, 'e>;

    numbers!(serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128);
    numbers!(serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128);

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<Stored, Fault> {
        let text = match (self.context.loose, value) {
            (false, _) => scalar::bool_text(value),
            (true, true) => "true",
            (true, false) => "false",
        };
        Ok(self.out.field(self.context, text.as_bytes()))
    }

    fn serialize_f32(self, value: f32) -> Result<Stored, Fault> {
        match scalar::not_finite(f64::from(value)) {
            Some(name) => self.not_finite(name),
            None => self.float(|out| scalar::write_f32(out, value)),
        }
    }

    fn serialize_f64(self, value: f64) -> Result<Stored, Fault> {
        match scalar::not_finite(value) {
            Some(name) => self.not_finite(name),
            None => self.float(|out| scalar::write_f64(out, value)),
        }
    }

    fn serialize_char(self, value: char) -> Result<Stored, Fault> {
        self.text(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<Stored, Fault> {
        self.text(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Stored, Fault> {
        if self.context.loose {
            return Ok(Stored::Inexact);
        }
        if self.context.somes >= 2 && is_like_null(value) {
            let mut seq = SeqSer::new(self, false)?;
            for byte in value {
                seq.element(byte)?;
            }
            return seq.close();
        }
        Ok(self.out.field(self.context, value))
    }

    #[inline]
    fn serialize_none(self) -> Result<Stored, Fault> {
        if self.context.somes == 0 || self.context.loose {
            Ok(Stored::Nothing)
        } else {
            Ok(self.null())
        }
    }

    #[inline]
    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<Stored, Fault> {
        if self.context.somes >= MAX_WRAPS {
            return Err(Fault::too_deep());
        }
        let context = Context {
            somes: self.context.somes + 1,
            ..self.context
        };
        value.serialize(Ser { context, ..self })
    }

    fn serialize_unit(self) -> Result<Stored, Fault> {
        if self.context.somes == 0 && !self.context.loose {
            Ok(Stored::Nothing)
        } else {
            Ok(self.null())
        }
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Stored, Fault> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Stored, Fault> {
        self.text(variant)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Stored, Fault> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Stored, Fault> {
        let (content, base) = self.variant(variant)?;
        let mut stored = self.out.place(content, value)?;
        if stored == Stored::Nothing {
            stored = if content.loose {
                Ser {
                    out: self.out,
                    context: content,
                }
                .null()
            } else {
                Stored::Inexact
            };
        }
        self.out.path.truncate(base);
        Ok(stored)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Fault> {
        SeqSer::new(self, true)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Fault> {
        SeqSer::new(self, true)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Fault> {
        SeqSer::new(self, false)
    }

    fn serialize_tuple_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Fault> {
        let (context, base) = self.variant(variant)?;
        Ok(SeqSer::new(
            Ser {
                out: self.out,
                context,
            },
            false,
        )?
        .leaving(base))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, Fault> {
        MapSer::new(self, len.is_none())
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeStruct, Fault> {
        Ok(StructSer::new(self, name == json::RAW || name == json::NUMBER))
    }

    fn serialize_struct_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Fault> {
        let (context, base) = self.variant(variant)?;
        Ok(StructSer::new(
            Ser {
                out: self.out,
                context,
            },
            false,
        )
        .leaving(base))
    }
}
