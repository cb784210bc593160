//! What an array, an object or an enum's variant holds.

use std::borrow::Cow;

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{self, DeserializeSeed, Visitor};

use super::JsonDe;
use crate::mapping::fault::Fault;
use crate::mapping::json::{Lexer, RAW};
use crate::mapping::key::KeyDe;

/// The elements of an array.
pub(super) struct List<'r, 'a> {
    lexer: &'r mut Lexer<'a>,
    depth: u8,
    index: usize,
    ended: bool,
}

impl<'r, 'a> List<'r, 'a> {
    pub(super) fn new(lexer: &'r mut Lexer<'a>, depth: u8) -> Self {
        Self {
            lexer,
            depth,
            index: 0,
            ended: false,
        }
    }

    fn has_next(&mut self) -> Result<bool, Fault> {
        if !self.ended {
            self.ended = self.lexer.eat(b']');
            if !self.ended && self.index > 0 {
                self.lexer.need(b',', "a comma after each element")?;
            }
        }
        Ok(!self.ended)
    }

    pub(super) fn finish(&mut self) -> Result<(), Fault> {
        if self.has_next()? {
            Err(Fault::expected("fewer elements in a JSON array"))
        } else {
            Ok(())
        }
    }
}

impl<'a> de::SeqAccess<'a> for List<'_, 'a> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        if !self.has_next()? {
            return Ok(None);
        }
        let index = self.index;
        self.index += 1;
        seed.deserialize(JsonDe::new(self.lexer, self.depth))
            .map(Some)
            .map_err(|fault| fault.in_bracket(index))
    }
}

/// The entries of an object.
pub(super) struct Object<'r, 'a> {
    lexer: &'r mut Lexer<'a>,
    depth: u8,
    first: bool,
    ended: bool,
    key: Cow<'a, str>,
}

impl<'r, 'a> Object<'r, 'a> {
    pub(super) fn new(lexer: &'r mut Lexer<'a>, depth: u8) -> Self {
        Self {
            lexer,
            depth,
            first: true,
            ended: false,
            key: Cow::Borrowed(""),
        }
    }

    fn has_next(&mut self) -> Result<bool, Fault> {
        if !self.ended {
            self.ended = self.lexer.eat(b'}');
            if !self.ended && !std::mem::take(&mut self.first) {
                self.lexer.need(b',', "a comma after each value")?;
            }
        }
        Ok(!self.ended)
    }

    pub(super) fn finish(&mut self) -> Result<(), Fault> {
        if self.has_next()? {
            Err(Fault::expected("fewer values in a JSON object"))
        } else {
            Ok(())
        }
    }
}

impl<'a> de::MapAccess<'a> for Object<'_, 'a> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        if !self.has_next()? {
            return Ok(None);
        }
        self.key = self.lexer.key()?;
        seed.deserialize(KeyDe::new(&self.key))
            .map(Some)
            .map_err(|fault| fault.in_name(&self.key))
    }

    fn next_value_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(JsonDe::new(self.lexer, self.depth))
            .map_err(|fault| fault.in_name(&self.key))
    }
}

/// A map whose keys have no text: an array of pairs.
pub(super) struct Pairs<'r, 'a> {
    lexer: &'r mut Lexer<'a>,
    depth: u8,
    index: usize,
    ended: bool,
}

impl<'r, 'a> Pairs<'r, 'a> {
    pub(super) fn new(lexer: &'r mut Lexer<'a>, depth: u8) -> Self {
        Self {
            lexer,
            depth,
            index: 0,
            ended: false,
        }
    }

    fn has_next(&mut self) -> Result<bool, Fault> {
        if !self.ended {
            self.ended = self.lexer.eat(b']');
            if !self.ended && self.index > 0 {
                self.lexer.need(b',', "a comma after each pair")?;
            }
        }
        Ok(!self.ended)
    }

    pub(super) fn finish(&mut self) -> Result<(), Fault> {
        if self.has_next()? {
            Err(Fault::expected("fewer pairs in a JSON array"))
        } else {
            Ok(())
        }
    }
}

impl<'a> de::MapAccess<'a> for Pairs<'_, 'a> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        if !self.has_next()? {
            return Ok(None);
        }
        self.index += 1;
        self.lexer.need(b'[', "a pair for each entry")?;
        // A key with a text may have been written before it turned out that not all of them have one.
        let key = if self.lexer.peek() == Some(b'"') {
            seed.deserialize(KeyDe::new(&self.lexer.string()?))
        } else {
            seed.deserialize(JsonDe::new(self.lexer, self.depth))
        }
        .map_err(|fault| fault.in_bracket(self.index - 1))?;
        self.lexer.need(b',', "a pair for each entry")?;
        Ok(Some(key))
    }

    fn next_value_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let value = seed
            .deserialize(JsonDe::new(self.lexer, self.depth))
            .map_err(|fault| fault.in_bracket(self.index.saturating_sub(1)))?;
        self.lexer.need(b']', "a pair for each entry")?;
        Ok(value)
    }
}

/// An enum's variant with content.
pub(super) struct Variant<'r, 'a> {
    lexer: &'r mut Lexer<'a>,
    name: Cow<'a, str>,
    depth: u8,
}

/// The content itself.
pub(super) struct Content<'r, 'a>(JsonDe<'r, 'a>, Cow<'a, str>);

impl<'r, 'a> Variant<'r, 'a> {
    pub(super) fn new(lexer: &'r mut Lexer<'a>, name: Cow<'a, str>, depth: u8) -> Self {
        Self { lexer, name, depth }
    }
}

impl<'r, 'a> de::EnumAccess<'a> for Variant<'r, 'a> {
    type Error = Fault;
    type Variant = Content<'r, 'a>;

    fn variant_seed<S: DeserializeSeed<'a>>(self, seed: S) -> Result<(S::Value, Content<'r, 'a>), Fault> {
        let variant = seed.deserialize(StrDeserializer::new(&self.name))?;
        Ok((variant, Content(JsonDe::new(self.lexer, self.depth), self.name)))
    }
}

impl<'a> de::VariantAccess<'a> for Content<'_, 'a> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        de::Deserialize::deserialize(self.0)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'a>>(self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(self.0).map_err(|fault| fault.in_name(&self.1))
    }

    fn tuple_variant<V: Visitor<'a>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.0.array(visitor).map_err(|fault| fault.in_name(&self.1))
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.0.object(visitor).map_err(|fault| fault.in_name(&self.1))
    }
}

/// A JSON text that is kept as it stands.
pub(super) struct Raw<'a> {
    text: &'a str,
    told: bool,
}

impl<'a> Raw<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, told: false }
    }
}

impl<'a> de::MapAccess<'a> for Raw<'a> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        if std::mem::replace(&mut self.told, true) {
            return Ok(None);
        }
        seed.deserialize(BorrowedStrDeserializer::new(RAW)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(BorrowedStrDeserializer::new(self.text))
    }
}
