//! One value at the current path.

use serde::ser::{Serialize, Serializer};

use super::map::MapSer;
use super::seq::SeqSer;
use super::structs::StructSer;
use super::{Context, Fault, Out, Stored, WRAP, is_like_null};
use crate::mapping::path::MAX_WRAPS;
use crate::mapping::{json, scalar};

/// Writes one value.
pub(super) struct Ser<'o, 's, 'e> {
    pub(super) out: &'o mut Out<'e>,
    pub(super) context: Context<'s>,
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
    pub(super) fn null(self) -> Stored {
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
            let mut seq = SeqSer::tuple(self, true)?;
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
        SeqSer::list(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Fault> {
        SeqSer::tuple(self, false)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Fault> {
        SeqSer::tuple(self, true)
    }

    fn serialize_tuple_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Fault> {
        let (context, base) = self.variant(variant)?;
        Ok(SeqSer::tuple(
            Ser {
                out: self.out,
                context,
            },
            true,
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
