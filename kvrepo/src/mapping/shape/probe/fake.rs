//! The place that the probe is at, as the type sees it.

use std::any::type_name;

use serde::de::{Deserializer, Visitor};

use super::access::{FakeEnum, FakeMap, FakeSeq, FakeStruct};
use super::{Probe, REF_VISITOR, STRUCT_VISITOR, TEXTS, UNIT_VISITOR, stop};
use crate::mapping::fault::Fault;
use crate::mapping::json::RAW;
use crate::mapping::path::MAX_DEPTH;
use crate::mapping::shape::TYPED;

/// A place that is being walked.
#[derive(Clone, Copy)]
pub(super) struct Fake<'p> {
    pub(super) probe: &'p Probe,
    pub(super) node: u32,
    options: u8,
    pub(super) quick: bool,
    pub(super) depth: u8,
}

impl<'p> Fake<'p> {
    pub(super) fn root(probe: &'p Probe) -> Self {
        Self {
            probe,
            node: 0,
            options: 0,
            quick: false,
            depth: 0,
        }
    }

    pub(super) fn child(self, node: u32, quick: bool) -> Result<Self, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(stop());
        }
        Ok(Self {
            node,
            quick,
            options: 0,
            depth: self.depth + 1,
            ..self
        })
    }

    /// Visits a type of the user's, unless it is being visited further out already.
    fn enter<V>(
        self,
        visit: impl FnOnce(Self) -> Result<V, Fault>,
        visitor: &'static str,
    ) -> Result<V, Fault> {
        if self.quick {
            // A value has an end, so there is one without going round; and what has none is too deep.
            return visit(self.child(self.node, true)?);
        }
        let stack = &self.probe.stack;
        let outer = stack
            .borrow()
            .iter()
            .find(|(name, _)| *name == visitor)
            .map(|(_, node)| *node);
        if let Some(outer) = outer {
            let mut nodes = self.probe.nodes.borrow_mut();
            if let Some(node) = nodes.get_mut(self.node as usize).filter(|_| outer != self.node) {
                node.link = Some(outer);
            }
            return Err(stop());
        }
        stack.borrow_mut().push((visitor, self.node));
        let value = visit(self);
        stack.borrow_mut().pop();
        value
    }

    /// Tries `of` candidates, one a run, until one is accepted.
    fn attempt<V>(self, of: usize, visit: impl FnOnce(usize) -> Result<V, Fault>) -> Result<V, Fault> {
        if !self.quick {
            return visit(0);
        }
        let (step, chosen) = self.probe.choose(of);
        let value = visit(chosen)?;
        self.probe.settle(step);
        Ok(value)
    }

    /// This is a place where *any* is asked for. What is not found out by who asks is by what it accepts.
    fn found<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let name = type_name::<V>();
        if name.contains(UNIT_VISITOR) {
            return Err(stop());
        }
        let options = if name.contains(STRUCT_VISITOR) {
            TYPED
        } else {
            self.options
        };
        let (_, chosen) = self.probe.choose(2);
        let accepted = visitor
            .visit_str::<Fault>(if chosen == 0 { "a text" } else { "1" })
            .is_ok();
        if let Some(node) = self.probe.nodes.borrow_mut().get_mut(self.node as usize) {
            node.any = Some(node.any.map_or(options, |known| known.min(options)));
            node.takes_text |= accepted && chosen == 0;
            node.takes_digits |= accepted && chosen == 1;
        }
        Err(stop())
    }

    fn text<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.attempt(TEXTS.len(), |chosen| {
            let text = TEXTS.get(chosen).copied().unwrap_or_default();
            if type_name::<V>().starts_with(REF_VISITOR) {
                return visitor.visit_bytes(text.as_bytes());
            }
            visitor.visit_str(text)
        })
    }

    pub(super) fn tuple<'de, V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_seq(FakeSeq::tuple(self, len))
    }

    pub(super) fn fields<'de, V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_map(FakeStruct::of(self, name, fields))
    }
}

macro_rules! ones {
    ($($method:ident $visit:ident $type:ty),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            self.attempt(2, |chosen| visitor.$visit(if chosen == 0 { 1 as $type } else { 0 as $type }))
        }
    )*};
}

impl<'de> Deserializer<'de> for Fake<'_> {
    type Error = Fault;

    ones!(deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32);
    ones!(deserialize_i64 visit_i64 i64, deserialize_i128 visit_i128 i128, deserialize_f32 visit_f32 f32);
    ones!(deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16, deserialize_u32 visit_u32 u32);
    ones!(deserialize_u64 visit_u64 u64, deserialize_u128 visit_u128 u128, deserialize_f64 visit_f64 f64);

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if !self.quick {
            return self.found(visitor);
        }
        self.attempt(TEXTS.len() + 4, |chosen| match chosen {
            0 => visitor.visit_u64(1),
            1 => visitor.visit_unit(),
            2 => visitor.visit_bool(false),
            3 => visitor.visit_seq(FakeSeq::empty(self)),
            _ => visitor.visit_str(TEXTS.get(chosen - 4).copied().unwrap_or_default()),
        })
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_bool(false)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_char('a')
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.text(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.text(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_bytes(b"")
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_bytes(b"")
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.quick {
            return visitor.visit_none();
        }
        let options = self
            .options
            .checked_add(1)
            .filter(|options| *options < 64)
            .ok_or_else(stop)?;
        visitor.visit_some(Self { options, ..self })
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
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if name == RAW {
            return self.deserialize_any(visitor);
        }
        self.enter(|fake| visitor.visit_newtype_struct(fake), type_name::<V>())
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.quick {
            return visitor.visit_seq(FakeSeq::empty(self));
        }
        visitor.visit_seq(FakeSeq::one(self))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.tuple(len, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.enter(|fake| fake.tuple(len, visitor), type_name::<V>())
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(FakeMap::of(self))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.enter(|fake| fake.fields(name, fields, visitor), type_name::<V>())
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.probe.note_enum(self.node, name);
        let visit = |fake: Self| {
            let (step, chosen) = fake.probe.choose(variants.len());
            let variant = variants.get(chosen).copied().ok_or_else(stop)?;
            let value = visitor.visit_enum(FakeEnum { fake, name, variant })?;
            if fake.quick {
                fake.probe.settle(step);
            }
            Ok(value)
        };
        self.enter(visit, type_name::<V>())
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }
}
