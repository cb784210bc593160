//! A place, asked for a type.

use serde::de::{Deserializer, Visitor};

use super::super::variant::Variant;
use super::{De, Held};
use crate::mapping::fault::Fault;
use crate::mapping::json::{self, RAW, WRAP};
use crate::mapping::key::UnitOnly;
use crate::mapping::scalar;

macro_rules! read {
    ($($method:ident $visit:ident $type:ident),*) => {$(
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
            if let Some(text) = self.json()? {
                return self.read_json(text, |de| de.$method(visitor));
            }
            let text = self.text(stringify!($type))?;
            visitor.$visit(scalar::parse::<$type>(text, stringify!($type))?).map_err(|fault| self.screen(fault))
        }
    )*};
}

impl<'a> Deserializer<'a> for De<'_, '_, 'a> {
    type Error = Fault;

    read!(deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32);
    read!(deserialize_i64 visit_i64 i64, deserialize_i128 visit_i128 i128);
    read!(deserialize_u16 visit_u16 u16, deserialize_u32 visit_u32 u32, deserialize_u64 visit_u64 u64);
    read!(deserialize_u128 visit_u128 u128, deserialize_f32 visit_f32 f32, deserialize_f64 visit_f64 f64);

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.own() {
            Some(own) => match std::str::from_utf8(own) {
                Ok(text) if self.is_numeral(text) => visitor
                    .visit_borrowed_str(text)
                    .map_err(|fault| self.screen(fault)),
                Ok(text) if self.held == Held::Json || json::is_json(text) => {
                    self.read_json(text, |de| de.deserialize_any(visitor))
                }
                Ok(text) => visitor
                    .visit_borrowed_str(text)
                    .map_err(|fault| self.screen(fault)),
                Err(_) => visitor
                    .visit_borrowed_bytes(own)
                    .map_err(|fault| self.screen(fault)),
            },
            None if self.tree().is_list(self.at) => self.elements(None, false, visitor),
            None => self.entries(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        // In JSON a bool may also be written as other clients would write it into a field of its own.
        match self.json()? {
            Some(text) if scalar::parse_bool(text).is_err() => {
                self.read_json(text, |de| de.deserialize_bool(visitor))
            }
            _ => visitor
                .visit_bool(scalar::parse_bool(self.text("a boolean")?)?)
                .map_err(|fault| self.screen(fault)),
        }
    }

    fn deserialize_u8<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        if let Some(text) = self.json()? {
            return self.read_json(text, |de| de.deserialize_u8(visitor));
        }
        let text = self.text("u8")?;
        let byte = if self.element {
            scalar::parse_byte(text)?
        } else {
            scalar::parse(text, "u8")?
        };
        visitor.visit_u8(byte).map_err(|fault| self.screen(fault))
    }

    fn deserialize_char<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        if let Some(text) = self.json()? {
            return self.read_json(text, |de| de.deserialize_char(visitor));
        }
        let text = self.text("a character")?;
        visitor
            .visit_char(scalar::parse_char(text)?)
            .map_err(|fault| self.screen(fault))
    }

    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        if let Some(text) = self.json()? {
            return self.read_json(text, |de| de.deserialize_str(visitor));
        }
        visitor
            .visit_borrowed_str(self.text("a string")?)
            .map_err(|fault| self.screen(fault))
    }

    fn deserialize_string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        if let Some(text) = self.json()? {
            return self.read_json(text, |de| de.deserialize_bytes(visitor));
        }
        match self.own() {
            Some(own) => visitor.visit_borrowed_bytes(own),
            None => visitor.visit_byte_buf(self.bytes()?.ok_or_else(|| Fault::expected("bytes"))?),
        }
        .map_err(|fault| self.screen(fault))
    }

    fn deserialize_byte_buf<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        let nested = self.somes > 0;
        match self.held {
            Held::Flat if self.own() == Some(b"null") => visitor.visit_none(),
            Held::Json | Held::Any if nested => match self.json()? {
                Some(text) => self.read_json(text, |de| de.deserialize_option(visitor)),
                None => visitor.visit_some(self.some()?),
            },
            Held::Plain if nested => match self.own() {
                Some(b"null") => visitor.visit_none(),
                Some(own) if own.starts_with(WRAP.as_bytes()) => {
                    let text = self.text("JSON")?;
                    self.read_json(text, |de| de.deserialize_option(visitor))
                }
                Some(own) if own.starts_with(b"\"") => {
                    let quoted = std::str::from_utf8(own).is_ok_and(json::is_json);
                    let held = if quoted { Held::Json } else { Held::Plain };
                    visitor.visit_some(Self { held, ..self.some()? })
                }
                _ => visitor.visit_some(self.some()?),
            },
            _ => visitor.visit_some(self.some()?),
        }
    }

    fn deserialize_unit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.own() {
            None | Some(b"null" | b"") => visitor.visit_unit().map_err(|fault| self.screen(fault)),
            Some(_) => Err(Fault::expected("nothing, or null")),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'a>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if name == RAW {
            let text = self.text("JSON")?;
            return self.read_json(text, |de| de.deserialize_newtype_struct(RAW, visitor));
        }
        visitor.visit_newtype_struct(self.wrapped()?)
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.elements(None, true, visitor)
    }

    fn deserialize_tuple<V: Visitor<'a>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.elements(Some(len), true, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.elements(Some(len), false, visitor)
    }

    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.container()? {
            Some(text) if self.held == Held::Json || text != "{}" => {
                self.read_json(text, |de| de.deserialize_map(visitor))
            }
            _ => self.entries(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.fields(fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if let Some(text) = self.json()? {
            return self.read_json(text, |de| de.deserialize_enum(name, variants, visitor));
        }
        let Some(_) = self.own() else {
            return visitor
                .visit_enum(Variant::new(self, variants)?)
                .map_err(|fault| self.screen(fault));
        };
        let text = self.text("an enum's variant")?;
        let known = variants.contains(&text);
        if !known && text.starts_with(['{', '"']) {
            return self.read_json(text, |de| de.deserialize_enum(name, variants, visitor));
        }
        let text = if known { text } else { text.trim() };
        visitor
            .visit_enum(UnitOnly(text))
            .map_err(|fault| self.screen(fault))
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }
}
