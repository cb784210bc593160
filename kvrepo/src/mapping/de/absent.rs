//! A place of which nothing is stored.

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, Visitor};

use std::any::type_name;

use super::super::fault::Fault;
use super::super::path::MAX_DEPTH;
use super::Source;

/// Reads as what can be there without being stored: an empty sequence or map, `None`, a unit, a struct of such.
pub(super) struct AbsentDe<'x, 't, 'a> {
    source: &'x Source<'t, 'a>,
    depth: u8,
}

impl<'x, 't, 'a> AbsentDe<'x, 't, 'a> {
    pub(super) fn new(source: &'x Source<'t, 'a>, depth: u8) -> Self {
        Self { source, depth }
    }
}

macro_rules! missing {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Fault> {
            Err(Fault::absent())
        }
    )*};
}

impl<'de> Deserializer<'de> for AbsentDe<'_, '_, '_> {
    type Error = Fault;

    missing! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_identifier
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor
            .visit_unit()
            .map_err(|fault: Fault| fault.screened(|_| false))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_none()
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(Fault::too_deep());
        }
        visitor.visit_newtype_struct(Self {
            depth: self.depth + 1,
            ..self
        })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor
            .visit_seq(Nothing)
            .map_err(|fault| fault.screened(|_| false))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        if len > 0 {
            return Err(Fault::absent());
        }
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor
            .visit_map(Nothing)
            .map_err(|fault| fault.screened(|_| false))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(Fault::too_deep());
        }
        let owner = type_name::<V>();
        let offered = Offered {
            source: self.source,
            depth: self.depth + 1,
            owner,
            fields,
            field: "",
        };
        visitor
            .visit_map(offered)
            .map_err(|fault| fault.claimed(owner).screened(|_| false))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Fault> {
        Err(Fault::absent())
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }
}

/// Neither elements nor entries.
struct Nothing;

impl<'de> de::SeqAccess<'de> for Nothing {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, _: S) -> Result<Option<S::Value>, Fault> {
        Ok(None)
    }
}

impl<'de> de::MapAccess<'de> for Nothing {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, _: S) -> Result<Option<S::Value>, Fault> {
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, _: S) -> Result<S::Value, Fault> {
        Err(Fault::absent())
    }
}

/// The fields of an absent struct that it requires, absent themselves.
struct Offered<'x, 't, 'a> {
    source: &'x Source<'t, 'a>,
    depth: u8,
    owner: &'static str,
    fields: &'static [&'static str],
    field: &'static str,
}

impl<'de> de::MapAccess<'de> for Offered<'_, '_, '_> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        while let Some((field, rest)) = self.fields.split_first() {
            self.fields = rest;
            if self.source.offers(self.owner, field) {
                self.field = field;
                return seed.deserialize(StrDeserializer::new(field)).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(AbsentDe::new(self.source, self.depth))
            .map_err(|fault| fault.in_name(self.field))
    }
}
