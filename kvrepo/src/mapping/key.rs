//! A map's key as text, and back.

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, Visitor};
use serde::ser::{Impossible, Serialize, Serializer};

use super::fault::Fault;
use super::scalar;

/// Adds the text of a key. Keys without one are a [key fault](Fault::key).
pub(super) struct KeySer<'o> {
    out: &'o mut String,
}

impl<'o> KeySer<'o> {
    pub(super) fn new(out: &'o mut String) -> Self {
        Self { out }
    }

    fn text(self, text: &str) -> Result<(), Fault> {
        self.out.push_str(text);
        Ok(())
    }
}

macro_rules! numbers {
    ($($method:ident $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<(), Fault> { self.text(&value.to_string()) })*
    };
}

impl Serializer for KeySer<'_> {
    type Ok = ();
    type Error = Fault;
    type SerializeSeq = Impossible<(), Fault>;
    type SerializeTuple = Impossible<(), Fault>;
    type SerializeTupleStruct = Impossible<(), Fault>;
    type SerializeTupleVariant = Impossible<(), Fault>;
    type SerializeMap = Impossible<(), Fault>;
    type SerializeStruct = Impossible<(), Fault>;
    type SerializeStructVariant = Impossible<(), Fault>;

    numbers!(serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128);
    numbers!(serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128);

    fn serialize_bool(self, value: bool) -> Result<(), Fault> {
        self.text(scalar::bool_text(value))
    }

    fn serialize_f32(self, value: f32) -> Result<(), Fault> {
        let mut text = Vec::new();
        scalar::write_f32(&mut text, value)?;
        self.text(&String::from_utf8_lossy(&text))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Fault> {
        let mut text = Vec::new();
        scalar::write_f64(&mut text, value)?;
        self.text(&String::from_utf8_lossy(&text))
    }

    fn serialize_char(self, value: char) -> Result<(), Fault> {
        self.out.push(value);
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), Fault> {
        self.text(value)
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Fault> {
        Err(Fault::key())
    }

    fn serialize_none(self) -> Result<(), Fault> {
        Err(Fault::key())
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), Fault> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Fault> {
        Err(Fault::key())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Fault> {
        Err(Fault::key())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Fault> {
        self.text(variant)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Fault> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Fault> {
        Err(Fault::key())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Fault> {
        Err(Fault::key())
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Fault> {
        Err(Fault::key())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Fault> {
        Err(Fault::key())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Fault> {
        Err(Fault::key())
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Fault> {
        Err(Fault::key())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Fault> {
        Err(Fault::key())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Fault> {
        Err(Fault::key())
    }
}

/// Reads a key from its text.
#[derive(Clone, Copy)]
pub(super) struct KeyDe<'a> {
    text: &'a str,
}

impl<'a> KeyDe<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text }
    }

    fn screen(self, fault: Fault) -> Fault {
        fault.screened(|message| !self.text.is_empty() && message.contains(self.text))
    }
}

macro_rules! read {
    ($($method:ident $visit:ident $type:ident),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            visitor.$visit(scalar::parse::<$type>(self.text, stringify!($type))?).map_err(|e| self.screen(e))
        }
    )*};
}

impl<'de> Deserializer<'de> for KeyDe<'_> {
    type Error = Fault;

    read!(deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32);
    read!(deserialize_i64 visit_i64 i64, deserialize_i128 visit_i128 i128);
    read!(deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16, deserialize_u32 visit_u32 u32);
    read!(deserialize_u64 visit_u64 u64, deserialize_u128 visit_u128 u128);
    read!(deserialize_f32 visit_f32 f32, deserialize_f64 visit_f64 f64);

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_str(self.text).map_err(|e| self.screen(e))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor
            .visit_bool(scalar::parse_bool(self.text)?)
            .map_err(|e| self.screen(e))
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor
            .visit_char(scalar::parse_char(self.text)?)
            .map_err(|e| self.screen(e))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor
            .visit_enum(UnitOnly(self.text))
            .map_err(|e| self.screen(e))
    }

    serde::forward_to_deserialize_any! {
        str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// An enum of which no more than the name is stored.
pub(super) struct UnitOnly<'a>(pub(super) &'a str);

impl<'de> de::EnumAccess<'de> for UnitOnly<'_> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Fault> {
        Ok((seed.deserialize(StrDeserializer::new(self.0))?, self))
    }
}

impl<'de> de::VariantAccess<'de> for UnitOnly<'_> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value, Fault> {
        Err(Fault::expected("the variant's content"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Fault> {
        Err(Fault::expected("the variant's content"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Fault> {
        Err(Fault::expected("the variant's content"))
    }
}
