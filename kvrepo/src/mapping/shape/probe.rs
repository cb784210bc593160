//! The deserializer that finds out where a type asks for *any*.
//!
//! One run follows one path: of a struct a single field is offered, of an enum one variant. Which one is a *choice*;
//! the runs replay the choices made before and vary the last one, until all are exhausted. Values that must be valid
//! for a run to get further (a map's key, a tuple's earlier elements) are made in *quick* mode, which tries the next
//! candidate only where the last one was refused. A type that contains itself is followed once and then linked.

mod access;
mod fake;

use std::cell::{Cell, RefCell};

use serde::de::DeserializeOwned;

use self::fake::Fake;
use super::{ELEMENTS, Node};
use crate::mapping::fault::Fault;

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

/// The visitor of a [`Ref`](crate::Ref), whose text begins with a keyspace. It takes the id alone as bytes.
const REF_VISITOR: &str = concat!(env!("CARGO_PKG_NAME"), "::entity::reference::RefVisitor<");

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
        drop(T::deserialize(Fake::root(&probe)));
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

/// There is nothing more to be seen on this path.
fn stop() -> Fault {
    Fault::new("the probe goes no further")
}
