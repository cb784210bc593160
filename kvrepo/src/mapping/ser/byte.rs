//! Whether a value is a single byte, so that a list of them can be one field of raw bytes.

use std::fmt;

use serde::ser::{self, Impossible, Serialize, Serializer};

/// The byte that `value` is, if it says so itself.
pub(super) fn byte<T: ?Sized + Serialize>(value: &T) -> Option<u8> {
    value.serialize(ByteSer).ok()
}

struct ByteSer;

/// Not a byte. Says nothing, so that asking costs nothing.
#[derive(Debug)]
struct NotByte;

impl fmt::Display for NotByte {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a byte")
    }
}

impl std::error::Error for NotByte {}

impl ser::Error for NotByte {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

macro_rules! not {
    ($($method:ident $type:ty),*) => {
        $(fn $method(self, _: $type) -> Result<u8, NotByte> { Err(NotByte) })*
    };
}

impl Serializer for ByteSer {
    type Ok = u8;
    type Error = NotByte;
    type SerializeSeq = Impossible<u8, NotByte>;
    type SerializeTuple = Impossible<u8, NotByte>;
    type SerializeTupleStruct = Impossible<u8, NotByte>;
    type SerializeTupleVariant = Impossible<u8, NotByte>;
    type SerializeMap = Impossible<u8, NotByte>;
    type SerializeStruct = Impossible<u8, NotByte>;
    type SerializeStructVariant = Impossible<u8, NotByte>;

    not!(serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128);
    not!(serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128);
    not!(serialize_f32 f32, serialize_f64 f64, serialize_bool bool, serialize_char char);
    not!(serialize_str &str, serialize_bytes &[u8], serialize_unit_struct &'static str);

    fn serialize_u8(self, value: u8) -> Result<u8, NotByte> {
        Ok(value)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<u8, NotByte> {
        value.serialize(self)
    }

    fn collect_str<T: ?Sized + fmt::Display>(self, _: &T) -> Result<u8, NotByte> {
        Err(NotByte)
    }

    fn serialize_none(self) -> Result<u8, NotByte> {
        Err(NotByte)
    }

    fn serialize_some<T: ?Sized + Serialize>(self, _: &T) -> Result<u8, NotByte> {
        Err(NotByte)
    }

    fn serialize_unit(self) -> Result<u8, NotByte> {
        Err(NotByte)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<u8, NotByte> {
        Err(NotByte)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<u8, NotByte> {
        Err(NotByte)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, NotByte> {
        Err(NotByte)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, NotByte> {
        Err(NotByte)
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, NotByte> {
        Err(NotByte)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, NotByte> {
        Err(NotByte)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, NotByte> {
        Err(NotByte)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, NotByte> {
        Err(NotByte)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, NotByte> {
        Err(NotByte)
    }
}
