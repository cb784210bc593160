//! A place in the record at which something is stored.

use std::any::type_name;

use serde::de::{Deserializer, Visitor};

use super::entries::{Elements, Entries, Fields};
use super::own::OwnSeq;
use super::tree::Id;
use super::variant::Variant;
use super::{Source, Tree};
use crate::mapping::fault::Fault;
use crate::mapping::json::{self, JsonDe, Lexer, RAW, WRAP};
use crate::mapping::key::UnitOnly;
use crate::mapping::path::{MAX_DEPTH, MAX_WRAPS};
use crate::mapping::scalar;
use crate::mapping::shape::At;

/// How the field is written that stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// As the type's text; as JSON only for containers.
    Plain,
    /// As JSON, or as a string that does not look like it: the type is found out by looking.
    Any,
    /// The same, within a flattened field, where options are `null`.
    Flat,
    /// As JSON.
    Json,
}

/// Reads one place.
#[derive(Clone, Copy)]
pub(super) struct De<'x, 't, 'a> {
    pub(super) source: &'x Source<'t, 'a>,
    pub(super) at: Id,
    pub(super) held: Held,
    /// Where this is in the type's shape, as far as that matters.
    node: Option<At<'x>>,
    /// How many options have been opened here.
    somes: u8,
    wraps: u8,
    pub(super) depth: u8,
    /// Whether it is a list's element: only there are Java's negative bytes told from a mistake.
    element: bool,
}

impl<'x, 't, 'a> De<'x, 't, 'a> {
    pub(super) fn root(source: &'x Source<'t, 'a>, node: Option<At<'x>>) -> Self {
        let held = if node.and_then(At::any).is_some() {
            Held::Any
        } else {
            Held::Plain
        };
        Self {
            source,
            at: 0,
            held,
            node,
            somes: 0,
            wraps: 0,
            depth: 0,
            element: false,
        }
    }

    #[inline]
    pub(super) fn tree(&self) -> &'t Tree<'a> {
        self.source.tree
    }

    #[inline]
    fn child(self, at: Id, held: Held, node: Option<At<'x>>) -> Result<Self, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(Fault::too_deep());
        }
        let any = held == Held::Plain && node.and_then(At::any).is_some();
        let held = if any { Held::Any } else { held };
        Ok(Self {
            at,
            held,
            node,
            somes: 0,
            wraps: 0,
            depth: self.depth + 1,
            element: false,
            ..self
        })
    }

    /// What a place's children inherit.
    #[inline]
    fn inherited(self) -> Held {
        if self.held == Held::Flat {
            Held::Flat
        } else {
            Held::Plain
        }
    }

    /// The field or variant of this name, which stands at `at`.
    #[inline]
    pub(super) fn field(self, at: Id, name: &str) -> Result<Self, Fault> {
        let json = self.at == 0 && self.source.schema.json_paths.contains(&name);
        let held = if json { Held::Json } else { self.inherited() };
        self.child(at, held, self.node.and_then(|node| node.field(name)))
    }

    /// An element, or the entry of a map.
    #[inline]
    pub(super) fn each(self, at: Id, element: bool) -> Result<Self, Fault> {
        let child = self.child(at, self.inherited(), self.node.and_then(At::each))?;
        Ok(Self { element, ..child })
    }

    /// What stands beside or within a flattened field.
    pub(super) fn flat(self, at: Id) -> Result<Self, Fault> {
        self.child(at, Held::Flat, None)
    }

    /// Whether this is the root of a struct with a flattened field.
    pub(super) fn is_flat_root(self) -> bool {
        self.at == 0 && !self.source.schema.plain_paths.is_empty()
    }

    #[inline]
    pub(super) fn own(self) -> Option<&'a [u8]> {
        self.tree().own(self.at)
    }

    /// The text of the field here, or the complaint that there is no `expected` one.
    #[inline]
    fn text(self, expected: &str) -> Result<&'a str, Fault> {
        let own = self.own().ok_or_else(|| Fault::expected(expected))?;
        std::str::from_utf8(own)
            .map_err(|_| Fault::new(format!("expected {expected}, found bytes that are not UTF-8")))
    }

    /// The JSON text of the field here, if any type would be read from JSON here.
    #[inline]
    fn json(self) -> Result<Option<&'a str>, Fault> {
        match (self.held, self.own()) {
            (Held::Plain, _) | (_, None) => Ok(None),
            (Held::Json, Some(_)) => self.text("JSON").map(Some),
            (Held::Any | Held::Flat, Some(own)) => {
                Ok(std::str::from_utf8(own).ok().filter(|text| json::is_json(text)))
            }
        }
    }

    /// The JSON text of the field here, for a container.
    #[inline]
    fn container(self) -> Result<Option<&'a str>, Fault> {
        match self.own() {
            Some(_) => self.text("JSON").map(Some),
            None => Ok(None),
        }
    }

    pub(super) fn read_json<T>(
        self,
        text: &'a str,
        read: impl FnOnce(JsonDe<'_, 'a>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut lexer = Lexer::new(text);
        let value = read(JsonDe::new(&mut lexer, self.depth))?;
        lexer.end()?;
        Ok(value)
    }

    pub(super) fn screen(self, fault: Fault) -> Fault {
        fault.screened(|message| self.tree().mentions(self.at, message))
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

    fn some(self) -> Result<Self, Fault> {
        let inner = self.wrapped()?;
        Ok(Self {
            somes: self.somes + 1,
            ..inner
        })
    }

    /// Reads a map, or a struct with a flattened field.
    fn entries<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        let owner = type_name::<V>();
        visitor
            .visit_map(Entries::new(self, owner))
            .map_err(|fault| self.screen(fault.claimed(owner)))
    }

    /// Reads a struct's fields.
    pub(super) fn fields<V: Visitor<'a>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        // What stands at a root's own path is the root's only if that is not the name of a field.
        let own = if self.at == 0 && fields.contains(&crate::mapping::path::ROOT) {
            None
        } else {
            self.container()?
        };
        if let Some(text) = own.filter(|text| !(self.held != Held::Json && *text == "{}")) {
            return self.read_json(text, |de| de.deserialize_struct("", fields, visitor));
        }
        let owner = type_name::<V>();
        visitor
            .visit_map(Fields::new(self, owner, fields))
            .map_err(|fault| self.screen(fault.claimed(owner)))
    }

    /// Reads a sequence, or a tuple of exactly `len` elements.
    pub(super) fn elements<V: Visitor<'a>>(
        self,
        len: Option<usize>,
        raw: bool,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.own() {
            None | Some(b"[]" | b"") if self.held != Held::Json || self.own().is_none() => {}
            Some(own) if self.held == Held::Plain && raw => {
                let mut seq = OwnSeq::new(self, own);
                let value = visitor.visit_seq(&mut seq).map_err(|fault| self.screen(fault))?;
                return if seq.finish()? {
                    Ok(value)
                } else {
                    Err(Fault::expected("fewer elements"))
                };
            }
            _ => {
                let text = self.text("JSON")?;
                return self.read_json(text, |de| de.deserialize_seq(visitor));
            }
        }
        let mut elements = Elements::new(self);
        let value = visitor
            .visit_seq(&mut elements)
            .map_err(|fault| self.screen(fault))?;
        if let Some(len) = len
            && !elements.is_over()
        {
            return Err(Fault::expected(format_args!("{len} elements, found more")));
        }
        Ok(value)
    }

    /// The bytes here: raw, or a list of decimal ones.
    fn bytes(self) -> Result<Option<Vec<u8>>, Fault> {
        let elements = self.tree().elements(self.at);
        if elements.is_empty() {
            return Ok(None);
        }
        let mut bytes = Vec::with_capacity(elements.len());
        for (index, at) in elements {
            let byte = self
                .each(at, true)
                .and_then(|de| scalar::parse_byte(de.text("u8")?));
            bytes.push(byte.map_err(|fault| fault.in_bracket(index))?);
        }
        Ok(Some(bytes))
    }
}

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
