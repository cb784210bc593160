//! A place in the record at which something is stored.

mod read;

use std::any::type_name;

use serde::de::{Deserializer, Visitor};

use super::entries::{Elements, Entries, Fields};
use super::own::OwnSeq;
use super::tree::Id;
use super::{Source, Tree};
use crate::mapping::fault::Fault;
use crate::mapping::json::{self, JsonDe, Lexer};
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

    /// An element of a list, or of a tuple.
    pub(super) fn element(self, at: Id, position: usize, tuple: bool) -> Result<Self, Fault> {
        if !tuple {
            return self.each(at, true);
        }
        let child = self.child(
            at,
            self.inherited(),
            self.node.and_then(|node| node.element(position)),
        )?;
        Ok(Self {
            element: true,
            ..child
        })
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

    /// Whether this is a text of digits to what asks for it, though it looks like a number in JSON.
    fn is_numeral(self, text: &str) -> bool {
        text.starts_with(|first: char| first.is_ascii_digit() || first == '-')
            && self.node.is_some_and(At::is_numeral)
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
        let mut elements = Elements::new(self, len.is_some());
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
