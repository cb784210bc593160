//! JSON to serde value.

mod access;

use std::borrow::Cow;

use serde::de::{Deserializer, Visitor};

use self::access::{List, Object, Pairs, Raw, Variant};
use super::{Lexer, RAW, WRAP, mentions};
use crate::mapping::fault::Fault;
use crate::mapping::key::UnitOnly;
use crate::mapping::path::{MAX_DEPTH, MAX_WRAPS};
use crate::mapping::scalar;

/// Reads the value that comes next.
pub(in crate::mapping) struct JsonDe<'r, 'a> {
    lexer: &'r mut Lexer<'a>,
    depth: u8,
    wraps: u8,
}

impl<'r, 'a> JsonDe<'r, 'a> {
    pub(in crate::mapping) fn new(lexer: &'r mut Lexer<'a>, depth: u8) -> Self {
        Self {
            lexer,
            depth,
            wraps: 0,
        }
    }

    fn deeper(&self) -> Result<u8, Fault> {
        if self.depth >= MAX_DEPTH {
            Err(Fault::too_deep())
        } else {
            Ok(self.depth + 1)
        }
    }

    fn wrapped(self) -> Result<Self, Fault> {
        if self.wraps >= MAX_WRAPS {
            return Err(Fault::too_deep());
        }
        Ok(Self {
            wraps: self.wraps + 1,
            ..self
        })
    }

    /// Reads one value with `read`, and screens what it says of it.
    fn screened<T>(&mut self, read: impl FnOnce(&mut Lexer<'a>) -> Result<T, Fault>) -> Result<T, Fault> {
        let start = self.lexer.position();
        read(self.lexer).map_err(|fault| fault.screened(|message| mentions(self.lexer.since(start), message)))
    }

    fn text<V: Visitor<'a>>(mut self, visitor: V) -> Result<V::Value, Fault> {
        self.screened(|lexer| match lexer.string()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        })
    }

    fn array<V: Visitor<'a>>(mut self, visitor: V) -> Result<V::Value, Fault> {
        let depth = self.deeper()?;
        self.screened(|lexer| {
            lexer.need(b'[', "an array here")?;
            let mut list = List::new(lexer, depth);
            let value = visitor.visit_seq(&mut list)?;
            list.finish()?;
            Ok(value)
        })
    }

    fn object<V: Visitor<'a>>(mut self, visitor: V) -> Result<V::Value, Fault> {
        let depth = self.deeper()?;
        self.screened(|lexer| {
            lexer.need(b'{', "an object here")?;
            let mut object = Object::new(lexer, depth);
            let value = visitor.visit_map(&mut object)?;
            object.finish()?;
            Ok(value)
        })
    }

    fn null<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.lexer.literal("null") {
            visitor.visit_unit()
        } else {
            Err(Fault::expected("null in JSON"))
        }
    }
}

macro_rules! read {
    ($($method:ident $visit:ident $type:ident),*) => {$(
        fn $method<V: Visitor<'a>>(mut self, visitor: V) -> Result<V::Value, Fault> {
            self.screened(|lexer| match lexer.number() {
                Ok(text) => visitor.$visit(scalar::parse::<$type>(text, stringify!($type))?),
                Err(_) => Err(Fault::expected(stringify!($type))),
            })
        }
    )*};
}

macro_rules! read_float {
    ($($method:ident $visit:ident $type:ident),*) => {$(
        fn $method<V: Visitor<'a>>(mut self, visitor: V) -> Result<V::Value, Fault> {
            self.screened(|lexer| {
                let text = if lexer.peek() == Some(b'"') { lexer.string() } else { lexer.number().map(Cow::Borrowed) };
                match text {
                    Ok(text) => visitor.$visit(scalar::parse::<$type>(&text, stringify!($type))?),
                    Err(_) => Err(Fault::expected(stringify!($type))),
                }
            })
        }
    )*};
}

impl<'a> Deserializer<'a> for JsonDe<'_, 'a> {
    type Error = Fault;

    read!(deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32);
    read!(deserialize_i64 visit_i64 i64, deserialize_i128 visit_i128 i128);
    read!(deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16, deserialize_u32 visit_u32 u32);
    read!(deserialize_u64 visit_u64 u64, deserialize_u128 visit_u128 u128);
    read_float!(deserialize_f32 visit_f32 f32, deserialize_f64 visit_f64 f64);

    fn deserialize_any<V: Visitor<'a>>(mut self, visitor: V) -> Result<V::Value, Fault> {
        match self.lexer.peek() {
            Some(b'{') => self.object(visitor),
            Some(b'[') => self.array(visitor),
            Some(b'"') => self.text(visitor),
            Some(b't' | b'f') => self.deserialize_bool(visitor),
            Some(b'-' | b'0'..=b'9') => self.screened(|lexer| {
                let text = lexer.number()?;
                if text != "-0" {
                    if let Ok(number) = text.parse() {
                        return visitor.visit_u64(number);
                    }
                    if let Ok(number) = text.parse() {
                        return visitor.visit_i64(number);
                    }
                }
                let number: f64 = scalar::parse(text, "a number")?;
                if number.is_finite() {
                    visitor.visit_f64(number)
                } else {
                    Err(Fault::expected("a number in range"))
                }
            }),
            _ => self.null(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'a>>(mut self, visitor: V) -> Result<V::Value, Fault> {
        self.screened(|lexer| {
            if lexer.literal("true") {
                visitor.visit_bool(true)
            } else if lexer.literal("false") {
                visitor.visit_bool(false)
            } else {
                Err(Fault::expected("a boolean in JSON"))
            }
        })
    }

    fn deserialize_char<V: Visitor<'a>>(mut self, visitor: V) -> Result<V::Value, Fault> {
        self.screened(|lexer| visitor.visit_char(scalar::parse_char(&lexer.string()?)?))
    }

    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.text(visitor)
    }

    fn deserialize_string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.text(visitor)
    }

    fn deserialize_identifier<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.text(visitor)
    }

    fn deserialize_bytes<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_byte_buf(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'a>>(mut self, visitor: V) -> Result<V::Value, Fault> {
        self.screened(|lexer| {
            if lexer.peek() == Some(b'"') {
                return visitor.visit_byte_buf(lexer.string()?.into_owned().into_bytes());
            }
            lexer.need(b'[', "an array of bytes")?;
            let mut bytes = Vec::new();
            if !lexer.eat(b']') {
                loop {
                    bytes.push(scalar::parse_byte(lexer.number()?)?);
                    if !lexer.eat(b',') {
                        lexer.need(b']', "an array of bytes")?;
                        break;
                    }
                }
            }
            visitor.visit_byte_buf(bytes)
        })
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.lexer.literal("null") {
            return visitor.visit_none();
        }
        if self.lexer.literal(WRAP) {
            let depth = self.deeper()?;
            let value = visitor.visit_some(JsonDe::new(self.lexer, depth))?;
            self.lexer.need(b'}', "one value in its wrapping")?;
            return Ok(value);
        }
        visitor.visit_some(self.wrapped()?)
    }

    fn deserialize_unit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.null(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'a>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        self.null(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if name == RAW {
            let start = self.lexer.position();
            self.lexer.skip()?;
            return visitor.visit_map(Raw::new(self.lexer.since(start)));
        }
        visitor.visit_newtype_struct(self.wrapped()?)
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.array(visitor)
    }

    fn deserialize_tuple<V: Visitor<'a>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.array(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.array(visitor)
    }

    fn deserialize_map<V: Visitor<'a>>(mut self, visitor: V) -> Result<V::Value, Fault> {
        if self.lexer.peek() != Some(b'[') {
            return self.object(visitor);
        }
        let depth = self.deeper()?;
        self.screened(|lexer| {
            lexer.need(b'[', "an array of pairs")?;
            let mut pairs = Pairs::new(lexer, depth);
            let value = visitor.visit_map(&mut pairs)?;
            pairs.finish()?;
            Ok(value)
        })
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if self.lexer.peek() == Some(b'[') {
            self.array(visitor)
        } else {
            self.object(visitor)
        }
    }

    fn deserialize_enum<V: Visitor<'a>>(
        mut self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let depth = self.deeper()?;
        self.screened(|lexer| {
            if lexer.peek() == Some(b'"') {
                return visitor.visit_enum(UnitOnly(&lexer.string()?));
            }
            lexer.need(b'{', "an enum's variant here")?;
            let name = lexer.key()?;
            let value = visitor.visit_enum(Variant::new(lexer, name, depth))?;
            lexer.need(b'}', "one variant here")?;
            Ok(value)
        })
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.lexer.skip()?;
        visitor.visit_unit()
    }
}
