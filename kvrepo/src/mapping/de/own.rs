//! A sequence of which one field holds all.
//!
//! Raw bytes and a JSON array cannot be told apart by looking at them; but the sequence's first element says what it
//! wants to be: a byte, or anything else.

use serde::de::{self, DeserializeSeed, Deserializer, Visitor};

use super::place::De;
use crate::mapping::fault::Fault;
use crate::mapping::json::{JsonDe, Lexer};
use crate::mapping::path::MAX_DEPTH;

enum State<'a> {
    /// No element has been asked for.
    Undecided(&'a [u8]),
    Bytes(&'a [u8]),
    Json(Lexer<'a>),
}

/// The elements in a sequence's own field, which is not empty.
pub(super) struct OwnSeq<'a> {
    state: State<'a>,
    depth: u8,
    index: usize,
}

impl<'a> OwnSeq<'a> {
    pub(super) fn new(de: De<'_, '_, 'a>, own: &'a [u8]) -> Self {
        Self {
            state: State::Undecided(own),
            depth: de.depth,
            index: 0,
        }
    }

    /// Whether all elements were taken.
    pub(super) fn finish(mut self) -> Result<bool, Fault> {
        match &mut self.state {
            // Nobody looked at them.
            State::Undecided(_) => Ok(false),
            State::Bytes(left) => Ok(left.is_empty()),
            State::Json(lexer) => {
                if lexer.eat(b']') {
                    lexer.end()?;
                    return Ok(true);
                }
                Ok(false)
            }
        }
    }
}

impl<'a> de::SeqAccess<'a> for OwnSeq<'a> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        let index = self.index;
        let depth = self.depth.saturating_add(1);
        self.index += 1;
        match &mut self.state {
            State::Undecided(own) => {
                let own = *own;
                let first = FirstDe {
                    own,
                    state: &mut self.state,
                    depth,
                };
                seed.deserialize(first)
                    .map(Some)
                    .map_err(|fault| fault.in_bracket(index))
            }
            State::Bytes(left) => match left.split_first() {
                Some((byte, rest)) => {
                    *left = rest;
                    seed.deserialize(de::value::U8Deserializer::new(*byte)).map(Some)
                }
                None => Ok(None),
            },
            State::Json(lexer) => {
                if lexer.peek() == Some(b']') {
                    return Ok(None);
                }
                lexer.need(b',', "a comma after each element")?;
                seed.deserialize(JsonDe::new(lexer, depth))
                    .map(Some)
                    .map_err(|fault| fault.in_bracket(index))
            }
        }
    }

    fn size_hint(&self) -> Option<usize> {
        match &self.state {
            State::Undecided(own) => Some(own.len()),
            State::Bytes(left) => Some(left.len()),
            State::Json(_) => None,
        }
    }
}

/// The first element, which decides.
pub(super) struct FirstDe<'x, 'a> {
    own: &'a [u8],
    state: &'x mut State<'a>,
    depth: u8,
}

impl<'a> FirstDe<'_, 'a> {
    /// It is not a byte, so the field is a JSON array.
    fn json<T>(self, read: impl FnOnce(JsonDe<'_, 'a>) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth > MAX_DEPTH {
            return Err(Fault::too_deep());
        }
        let text = std::str::from_utf8(self.own).map_err(|_| Fault::expected("a JSON array"))?;
        let mut lexer = Lexer::new(text);
        lexer.need(b'[', "an array here")?;
        *self.state = State::Json(lexer);
        match self.state {
            State::Json(lexer) => read(JsonDe::new(lexer, self.depth)),
            _ => Err(Fault::expected("a JSON array")),
        }
    }
}

macro_rules! json {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
            self.json(|de| de.$method(visitor))
        }
    )*};
}

impl<'a> Deserializer<'a> for FirstDe<'_, 'a> {
    type Error = Fault;

    json! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_i128 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_option deserialize_unit deserialize_seq deserialize_map
        deserialize_identifier deserialize_ignored_any
    }

    fn deserialize_u8<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.own.split_first() {
            Some((byte, rest)) => {
                *self.state = State::Bytes(rest);
                visitor.visit_u8(*byte)
            }
            None => Err(Fault::expected("u8")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if name == crate::mapping::json::RAW {
            return self.json(|de| de.deserialize_newtype_struct(name, visitor));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_unit_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.json(|de| de.deserialize_unit_struct(name, visitor))
    }

    fn deserialize_tuple<V: Visitor<'a>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.json(|de| de.deserialize_tuple(len, visitor))
    }

    fn deserialize_tuple_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.json(|de| de.deserialize_tuple_struct(name, len, visitor))
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.json(|de| de.deserialize_struct(name, fields, visitor))
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.json(|de| de.deserialize_enum(name, variants, visitor))
    }
}
