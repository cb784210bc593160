//! The deserializer that finds out where a type asks for *any*.
//!
//! One run follows one path: of a struct a single field is offered, of an enum one variant. Which one is a *choice*;
//! the runs replay the choices made before and vary the last one, until all are exhausted. Values that must be valid
//! for a run to get further (a map's key, a tuple's earlier elements) are made in *quick* mode, which tries the next
//! candidate only where the last one was refused. A type that contains itself is followed once and then linked.

mod access;

use std::any::type_name;
use std::cell::{Cell, RefCell};

use serde::de::{DeserializeOwned, Deserializer, Visitor};

use self::access::{FakeEnum, FakeMap, FakeSeq, FakeStruct};
use super::super::fault::Fault;
use super::super::json::RAW;
use super::super::path::MAX_DEPTH;
use super::Node;

/// No type is worth more than this.
const MAX_RUNS: usize = 10_000;

/// Texts that most types with a text of their own accept one of.
const TEXTS: &[&str] = &[
    "1",
    "3f0c2a6e-9a51-4d0e-8b1d-2c7f5e6a9b10",
    "2021-03-09T08:07:06Z",
    "2021-03-09T08:07:06",
    "2021-03-09",
    "08:07:06",
    "127.0.0.1",
    "::1",
    "127.0.0.1:80",
    "P1D",
    "UTC",
    "http://a.example/",
    "a",
];

/// The visitor with which serde asks for the content of an adjacently tagged unit variant, of which there is none.
const UNIT_VISITOR: &str = "UntaggedUnitVisitor";

/// The visitor with which it asks for the content of a struct variant: for *any*, though it takes nothing but a map.
const STRUCT_VISITOR: &str = "__Visitor";

struct Choice {
    at: usize,
    of: usize,
}

struct Probe {
    nodes: RefCell<Vec<Node>>,
    /// The choices of this run, and how far it has come in them.
    script: RefCell<Vec<Choice>>,
    step: Cell<usize>,
    /// The types that are being deserialized, and where.
    stack: RefCell<Vec<(&'static str, u32)>>,
    /// Places that were asked for an enum, and its name.
    enums: RefCell<Vec<(u32, &'static str)>>,
    plain: &'static [&'static str],
}

/// Walks all of `T`, whose fields beside a flattened one are `plain`.
pub(super) fn probe<T: DeserializeOwned>(plain: &'static [&'static str]) -> Vec<Node> {
    let probe = Probe {
        nodes: RefCell::new(vec![Node::default()]),
        script: RefCell::default(),
        step: Cell::new(0),
        stack: RefCell::default(),
        enums: RefCell::default(),
        plain,
    };
    for _ in 0..MAX_RUNS {
        probe.step.set(0);
        probe.stack.borrow_mut().clear();
        drop(T::deserialize(Fake {
            probe: &probe,
            node: 0,
            options: 0,
            quick: false,
            depth: 0,
        }));
        if !probe.vary() {
            break;
        }
    }
    probe.nodes.into_inner()
}

impl Probe {
    /// Takes the next choice of `of`: its number in the script, and what is chosen.
    fn choose(&self, of: usize) -> (usize, usize) {
        let step = self.step.get();
        self.step.set(step + 1);
        let mut script = self.script.borrow_mut();
        match script.get(step) {
            Some(choice) => (step, choice.at),
            None => {
                script.push(Choice { at: 0, of });
                (step, 0)
            }
        }
    }

    /// The choice was good: nothing else is to be tried for it.
    fn settle(&self, step: usize) {
        if let Some(choice) = self.script.borrow_mut().get_mut(step) {
            choice.of = choice.at + 1;
        }
    }

    /// Changes the last choice that can be; false if all have been made.
    fn vary(&self) -> bool {
        let mut script = self.script.borrow_mut();
        script.truncate(self.step.get());
        while let Some(choice) = script.last_mut() {
            choice.at += 1;
            if choice.at < choice.of {
                return true;
            }
            script.pop();
        }
        false
    }

    /// The node of a field, made when it is first met.
    fn field(&self, node: u32, name: &'static str) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        let Ok(new) = u32::try_from(nodes.len()) else {
            return node;
        };
        let Some(parent) = nodes.get_mut(node as usize) else {
            return node;
        };
        if let Some((_, id)) = parent.fields.iter().find(|(field, _)| *field == name) {
            return *id;
        }
        parent.fields.push((name, new));
        nodes.push(Node::default());
        new
    }

    fn note_enum(&self, node: u32, name: &'static str) {
        let mut enums = self.enums.borrow_mut();
        if !enums.contains(&(node, name)) {
            enums.push((node, name));
        }
    }

    fn each(&self, node: u32) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        let Ok(new) = u32::try_from(nodes.len()) else {
            return node;
        };
        let Some(parent) = nodes.get_mut(node as usize) else {
            return node;
        };
        if let Some(id) = parent.each {
            return id;
        }
        parent.each = Some(new);
        nodes.push(Node::default());
        new
    }
}

/// A place that is being walked.
#[derive(Clone, Copy)]
struct Fake<'p> {
    probe: &'p Probe,
    node: u32,
    options: u8,
    quick: bool,
    depth: u8,
}

fn stop() -> Fault {
    Fault::new("the probe goes no further")
}

impl Fake<'_> {
    fn child(self, node: u32, quick: bool) -> Result<Self, Fault> {
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
    fn enter<V>(self, visit: impl FnOnce() -> Result<V, Fault>, visitor: &'static str) -> Result<V, Fault> {
        let outer = self
            .probe
            .stack
            .borrow()
            .iter()
            .find(|(name, _)| *name == visitor)
            .map(|(_, node)| *node);
        if let Some(outer) = outer {
            if !self.quick
                && outer != self.node
                && let Some(node) = self.probe.nodes.borrow_mut().get_mut(self.node as usize)
            {
                node.link = Some(outer);
            }
            return Err(stop());
        }
        self.probe.stack.borrow_mut().push((visitor, self.node));
        let value = visit();
        self.probe.stack.borrow_mut().pop();
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

    fn text<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.attempt(TEXTS.len(), |chosen| {
            visitor.visit_str(TEXTS.get(chosen).copied().unwrap_or_default())
        })
    }

    fn tuple<'de, V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_seq(FakeSeq::of(self, len))
    }

    fn fields<'de, V: Visitor<'de>>(
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
            let visitor = type_name::<V>();
            let options = if visitor.contains(STRUCT_VISITOR) {
                super::TYPED
            } else {
                self.options
            };
            if !visitor.contains(UNIT_VISITOR)
                && let Some(node) = self.probe.nodes.borrow_mut().get_mut(self.node as usize)
            {
                node.any = Some(node.any.map_or(options, |known| known.min(options)));
            }
            return Err(stop());
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
        self.enter(|| visitor.visit_newtype_struct(self), type_name::<V>())
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.quick {
            return visitor.visit_seq(FakeSeq::empty(self));
        }
        visitor.visit_seq(FakeSeq::of(self, 1))
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
        self.enter(|| self.tuple(len, visitor), type_name::<V>())
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
        self.enter(|| self.fields(name, fields, visitor), type_name::<V>())
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.probe.note_enum(self.node, name);
        self.enter(
            || {
                let (step, chosen) = self.probe.choose(variants.len());
                let variant = variants.get(chosen).copied().ok_or_else(stop)?;
                let value = visitor.visit_enum(FakeEnum {
                    fake: self,
                    name,
                    variant,
                })?;
                if self.quick {
                    self.probe.settle(step);
                }
                Ok(value)
            },
            type_name::<V>(),
        )
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }
}
