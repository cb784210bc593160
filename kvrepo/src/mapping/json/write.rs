//! Serde value to JSON.

mod containers;

use serde::ser::{Serialize, Serializer};

use self::containers::{JsonList, JsonMap, JsonObject};
use super::{NUMBER, RAW, WRAP, write_str};
use crate::mapping::fault::Fault;
use crate::mapping::path::MAX_DEPTH;
use crate::mapping::scalar;
use crate::mapping::shape::At;

/// Whether a lone string stands without quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mapping) enum Bare {
    Never,
    /// Where it does not look like JSON.
    Unlike,
    Always,
}

/// How JSON is written at a place.
#[derive(Debug, Clone, Copy)]
pub(in crate::mapping) struct Json<'s> {
    /// Where this is in the type's shape.
    pub(in crate::mapping) node: Option<At<'s>>,
    /// With the additions that keep what plain JSON would lose.
    pub(in crate::mapping) exact: bool,
    /// The outermost `Some` is told by the field's being there.
    pub(in crate::mapping) strip: bool,
    /// Whether a lone string stands without quotes.
    pub(in crate::mapping) bare: Bare,
    pub(in crate::mapping) somes: u8,
    pub(in crate::mapping) depth: u8,
    /// The fields beside a flattened one, where this is the root.
    pub(in crate::mapping) plain: &'static [&'static str],
}

impl<'s> Json<'s> {
    /// Whether this place decodes itself by what it finds.
    fn settle(mut self) -> Self {
        if self
            .node
            .and_then(At::any)
            .is_some_and(|options| options <= self.somes)
        {
            self.exact = false;
        }
        self
    }

    fn child(self, node: Option<At<'s>>) -> Result<Self, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(Fault::too_deep());
        }
        let depth = self.depth + 1;
        Ok(Self {
            node,
            strip: false,
            bare: Bare::Never,
            somes: 0,
            depth,
            plain: &[],
            ..self
        }
        .settle())
    }

    fn field(self, name: &str) -> Result<Self, Fault> {
        self.child(self.node.and_then(|node| node.field(name)))
    }

    fn each(self) -> Result<Self, Fault> {
        self.child(self.node.and_then(At::each))
    }

    fn element(self, at: usize) -> Result<Self, Fault> {
        self.child(self.node.and_then(|node| node.element(at)))
    }
}

/// Writes one value. What comes back is false if it was an absent option, of which nothing was written.
pub(in crate::mapping) struct JsonSer<'o, 's> {
    out: &'o mut Vec<u8>,
    json: Json<'s>,
}

impl<'o, 's> JsonSer<'o, 's> {
    pub(in crate::mapping) fn new(out: &'o mut Vec<u8>, json: Json<'s>) -> Self {
        Self {
            out,
            json: json.settle(),
        }
    }

    fn raw(self, text: &str) -> Result<bool, Fault> {
        self.out.extend_from_slice(text.as_bytes());
        Ok(true)
    }

    fn number<T: Serialize>(self, number: T) -> Result<bool, Fault> {
        scalar::write_number(self.out, number)?;
        Ok(true)
    }

    fn not_finite(self, name: &str) -> Result<bool, Fault> {
        if self.json.exact {
            write_str(self.out, name)?;
            return Ok(true);
        }
        Err(Fault::new(
            "a float that is not a number cannot be stored where the type is found by looking at the value",
        ))
    }

    /// `{"Variant":`
    fn variant(&mut self, variant: &str) -> Result<(), Fault> {
        self.out.push(b'{');
        write_str(self.out, variant)?;
        self.out.push(b':');
        Ok(())
    }

    fn list(self, json: Json<'s>, tuple: bool, close: &'static str) -> Result<JsonList<'o, 's>, Fault> {
        let item = json.each()?;
        self.out.push(b'[');
        Ok(JsonList {
            out: self.out,
            json,
            item,
            tuple,
            at: 0,
            close,
        })
    }

    fn object(self, json: Json<'s>, close: &'static str) -> JsonObject<'o, 's> {
        self.out.push(b'{');
        JsonObject {
            out: self.out,
            json,
            first: true,
            close,
        }
    }
}

macro_rules! numbers {
    ($($method:ident $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<bool, Fault> { self.number(value) })*
    };
}

impl<'o, 's> Serializer for JsonSer<'o, 's> {
    type Ok = bool;
    type Error = Fault;
    type SerializeSeq = JsonList<'o, 's>;
    type SerializeTuple = JsonList<'o, 's>;
    type SerializeTupleStruct = JsonList<'o, 's>;
    type SerializeTupleVariant = JsonList<'o, 's>;
    type SerializeMap = JsonMap<'o, 's>;
    type SerializeStruct = JsonObject<'o, 's>;
    type SerializeStructVariant = JsonObject<'o, 's>;

    numbers!(serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128);
    numbers!(serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128);

    fn serialize_bool(self, value: bool) -> Result<bool, Fault> {
        self.raw(if value { "true" } else { "false" })
    }

    fn serialize_f32(self, value: f32) -> Result<bool, Fault> {
        match scalar::not_finite(f64::from(value)) {
            Some(name) => self.not_finite(name),
            None => self.number(value),
        }
    }

    fn serialize_f64(self, value: f64) -> Result<bool, Fault> {
        match scalar::not_finite(value) {
            Some(name) => self.not_finite(name),
            None => self.number(value),
        }
    }

    fn serialize_char(self, value: char) -> Result<bool, Fault> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<bool, Fault> {
        match self.json.bare {
            Bare::Always => return self.raw(value),
            Bare::Unlike if !super::is_json(value) => return self.raw(value),
            _ => {}
        }
        write_str(self.out, value)?;
        Ok(true)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<bool, Fault> {
        value.serialize(self)
    }

    fn serialize_none(self) -> Result<bool, Fault> {
        if self.json.strip {
            Ok(false)
        } else {
            self.raw("null")
        }
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<bool, Fault> {
        let Json { strip, exact, .. } = self.json;
        let mut json = self.json;
        json.strip = false;
        json.somes = json.somes.saturating_add(1);
        let start = self.out.len();
        value.serialize(JsonSer::new(self.out, json))?;
        if exact && !strip {
            let written = self.out.get(start..).unwrap_or_default();
            if written == b"null" || written.starts_with(WRAP.as_bytes()) {
                self.out.splice(start..start, WRAP.bytes());
                self.out.push(b'}');
            }
        }
        Ok(true)
    }

    fn serialize_unit(self) -> Result<bool, Fault> {
        self.raw("null")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<bool, Fault> {
        self.raw("null")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<bool, Fault> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<bool, Fault> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<bool, Fault> {
        self.variant(variant)?;
        let json = self.json.field(variant)?;
        value.serialize(JsonSer::new(self.out, json))?;
        self.out.push(b'}');
        Ok(true)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Fault> {
        let json = self.json;
        self.list(json, false, "]")
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Fault> {
        let json = self.json;
        self.list(json, true, "]")
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleStruct, Fault> {
        self.serialize_tuple(len)
    }

    fn serialize_tuple_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Fault> {
        self.variant(variant)?;
        let json = self.json.field(variant)?;
        self.list(json, true, "]}")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Fault> {
        let each = self.json.each()?;
        let start = self.out.len();
        self.out.push(b'{');
        Ok(JsonMap {
            out: self.out,
            json: self.json,
            value: each,
            each,
            start,
            first: true,
            pairs: false,
        })
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeStruct, Fault> {
        if name == RAW || name == NUMBER {
            return Ok(JsonObject {
                out: self.out,
                json: self.json,
                first: true,
                close: "",
            });
        }
        let json = self.json;
        Ok(self.object(json, "}"))
    }

    fn serialize_struct_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Fault> {
        self.variant(variant)?;
        let json = self.json.field(variant)?;
        Ok(self.object(json, "}}"))
    }
}
