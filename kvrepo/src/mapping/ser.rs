//! Serde value to record, in one pass over the value and without a tree in between.
//!
//! Each place is written to the record as it is met. A container that finds in the end that the flat form cannot hold
//! it exactly says so; whoever asked for the place then takes back the fields written under it, and writes the value
//! once more, as JSON in one field. So the common case pays nothing for the rare one.

mod byte;
mod map;
mod seq;
mod structs;
mod value;

use std::collections::HashSet;
use std::hash::BuildHasher;

use serde::ser::Serialize;

use self::value::Ser;
use super::fault::Fault;
use super::hash::Seeded;
use super::json::{self, Bare, Json, JsonSer, WRAP};
use super::path::{HINT, MAX_DEPTH, ROOT};
use super::shape::{At, Shape};
use super::{Record, Step, scratch};
use crate::{EntitySchema, Error, Result as CrateResult};

/// Writes `value` as a record.
pub(super) fn encode<T: Serialize>(schema: &EntitySchema, shape: &Shape, value: &T) -> CrateResult<Record> {
    let mut out = Out {
        schema,
        record: shape.record(),
        path: scratch::path(),
    };
    let context = Context {
        node: shape.root(),
        loose: false,
        somes: 0,
        depth: 0,
    };
    match out.place(context, value) {
        Ok(_) => {
            out.hint();
            shape.measure(&out.record);
            scratch::keep_path(out.path);
            Ok(out.record)
        }
        Err(fault) => Err(Error::Encode {
            entity: schema.entity,
            path: out.path,
            reason: fault.into_reason(),
        }),
    }
}

/// Writes the value of one field, to which `steps` lead.
pub(super) fn encode_field<T: Serialize + ?Sized>(
    schema: &EntitySchema,
    shape: &Shape,
    steps: &[Step],
    path: &str,
    value: &T,
) -> CrateResult<Record> {
    let mut out = Out {
        schema,
        record: Record::new(),
        path: path.to_owned(),
    };
    let root = Context {
        node: shape.root(),
        loose: false,
        somes: 0,
        depth: 0,
    };
    let json = matches!(steps, [Step::Field(name)] if schema.json_paths.contains(name));
    let stored = steps
        .iter()
        .try_fold(root, |context, step| match step {
            Step::Field(name) => context.field(name),
            Step::Each | Step::Entry => context.each(),
        })
        .and_then(|context| {
            if json {
                out.json(context, value, Bare::Never)
            } else {
                out.place(context, value)
            }
        });
    match stored {
        Ok(_) => Ok(out.record),
        Err(fault) => Err(Error::Encode {
            entity: schema.entity,
            path: out.path,
            reason: fault.into_reason(),
        }),
    }
}

/// So many paths are sooner compared than hashed.
const FEW: usize = 16;

/// What came of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stored {
    /// Fields, one at least.
    Fields,
    /// Nothing: it is an absent option, or a unit.
    Nothing,
    /// The fields written do not hold it exactly.
    Inexact,
}

/// What a place inherits from where it stands.
#[derive(Debug, Clone, Copy)]
struct Context<'s> {
    /// Where this is in the type's shape, as far as that matters.
    node: Option<At<'s>>,
    /// Whether readers may have to tell the type from the text, as beside or within a flattened field.
    loose: bool,
    /// How many `Some` have been opened at this place.
    somes: u8,
    depth: u8,
}

impl<'s> Context<'s> {
    #[inline]
    fn child(self, node: Option<At<'s>>) -> Result<Self, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(Fault::too_deep());
        }
        Ok(Self {
            node,
            loose: self.loose,
            somes: 0,
            depth: self.depth + 1,
        })
    }

    #[inline]
    fn field(self, name: &str) -> Result<Self, Fault> {
        self.child(self.node.and_then(|node| node.field(name)))
    }

    #[inline]
    fn each(self) -> Result<Self, Fault> {
        self.child(self.node.and_then(At::each))
    }

    fn element(self, at: usize) -> Result<Self, Fault> {
        self.child(self.node.and_then(|node| node.element(at)))
    }

    /// Whether the value here is found out by looking at it.
    #[inline]
    fn is_any(self) -> bool {
        self.node.and_then(At::any).is_some()
    }

    /// Whether a text here would be taken for something else than a text.
    #[inline]
    fn is_ambiguous(self, text: &str) -> bool {
        if self.loose {
            json::is_json(text)
        } else {
            self.somes >= 2 && is_like_null(text.as_bytes())
        }
    }
}

/// What an option within an option reads as something else than plain text.
fn is_like_null(text: &[u8]) -> bool {
    text == b"null" || text.starts_with(b"\"") || text.starts_with(WRAP.as_bytes())
}

/// The record that is being written, and where in it.
struct Out<'s> {
    schema: &'s EntitySchema,
    record: Record,
    path: String,
}

impl Out<'_> {
    /// Writes a value at the current path.
    #[inline]
    fn place<T: ?Sized + Serialize>(&mut self, context: Context<'_>, value: &T) -> Result<Stored, Fault> {
        if context.is_any() {
            let numeral = context.node.is_some_and(At::is_numeral);
            return self.json(context, value, if numeral { Bare::Always } else { Bare::Unlike });
        }
        let start = self.record.len();
        match value.serialize(Ser { out: self, context })? {
            Stored::Inexact => {
                self.record.truncate(start);
                self.json(context, value, Bare::Never)
            }
            stored => Ok(stored),
        }
    }

    /// Writes a value as JSON at the current path; a lone string maybe `bare`.
    fn json<T: ?Sized + Serialize>(
        &mut self,
        context: Context<'_>,
        value: &T,
        bare: Bare,
    ) -> Result<Stored, Fault> {
        let Context {
            node,
            loose,
            somes,
            depth,
        } = context;
        let plain = if depth == 0 { self.schema.plain_paths } else { &[] };
        let json = Json {
            node,
            exact: !loose,
            strip: somes == 0,
            bare,
            somes,
            depth,
            plain,
        };
        if value.serialize(JsonSer::new(self.record.tail(), json))? {
            self.seal(context);
            Ok(Stored::Fields)
        } else {
            Ok(Stored::Nothing)
        }
    }

    /// Makes a field of what was written to the record's tail.
    #[inline]
    fn seal(&mut self, context: Context<'_>) {
        self.record
            .seal(if context.depth == 0 { ROOT } else { &self.path });
    }

    /// A field at the current path.
    #[inline]
    fn field(&mut self, context: Context<'_>, value: &[u8]) -> Stored {
        self.record.tail().extend_from_slice(value);
        self.seal(context);
        Stored::Fields
    }

    /// Goes down to a name, which is taken as it is.
    #[inline]
    fn push_name(&mut self, depth: u8, name: &str) {
        if depth > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
    }

    /// Sees that no path stands twice among the fields from `start` on.
    fn unique_from(&mut self, start: usize) -> Result<(), Fault> {
        let count = self.record.len().saturating_sub(start);
        let path = |at: usize| self.record.field(start + at).map(|(path, _)| path);
        let twice = if count <= FEW {
            (1..count).find(|later| (0..*later).any(|at| path(at) == path(*later)))
        } else {
            // Hashes alone take half the room, and are as good until two of them are the same.
            let state = Seeded::default();
            let mut hashes = HashSet::with_capacity_and_hasher(count, state);
            if (0..count).all(|at| hashes.insert(state.hash_one(path(at)))) {
                return Ok(());
            }
            let mut seen = HashSet::with_capacity_and_hasher(count, state);
            (0..count).find(|at| !seen.insert(path(*at)))
        };
        match twice.and_then(path).map(str::to_owned) {
            Some(path) => {
                self.path = path;
                Err(Fault::new("two values have this path"))
            }
            None => Ok(()),
        }
    }

    /// Adds the type hint, unless the entity has a field of that name.
    fn hint(&mut self) {
        if let Some(alias) = self.schema.type_alias
            && self.record.get(HINT).is_none()
        {
            self.record.add(HINT, alias.as_bytes());
        }
    }
}
