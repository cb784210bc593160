//! Maps: `name.[key]`; and structs with a flattened field, which come as maps of unknown length: `name.field`.

use serde::ser::{self, Serialize};

use super::{Bare, Context, Fault, HINT, Out, ROOT, Ser, Stored};
use crate::mapping::key::KeySer;
use crate::mapping::path::{index, is_odd};

/// A map being written.
pub(super) struct MapSer<'o, 's, 'e> {
    out: &'o mut Out<'e>,
    context: Context<'s>,
    entry: Context<'s>,
    /// Whether it is like a struct, with a flattened field in it.
    dotted: bool,
    /// Whether it can only be written as JSON.
    inexact: bool,
    /// Whether all keys look like indices.
    indices: bool,
    /// Whether the keys came in no order, so that two of them may have the same text.
    unsorted: bool,
    count: usize,
    /// How many fields there were before it.
    start: usize,
    /// Where the path ends that is the map's own.
    own: usize,
    /// How the entry is written whose key has come.
    pending: Pending,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pending {
    /// As everywhere.
    Plain,
    /// As JSON.
    Json,
    /// So that its type can be told from its text.
    Loose,
}

impl<'o, 's, 'e> MapSer<'o, 's, 'e> {
    pub(super) fn new(ser: Ser<'o, 's, 'e>, dotted: bool) -> Result<Self, Fault> {
        let Ser { out, context } = ser;
        let entry = context.each()?;
        let (own, start) = (out.path.len(), out.record.len());
        Ok(Self {
            out,
            context,
            entry,
            dotted,
            inexact: false,
            indices: true,
            unsorted: false,
            count: 0,
            start,
            own,
            pending: Pending::Plain,
        })
    }

    /// Goes down to the entry with this key.
    fn key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Fault> {
        self.count += 1;
        if self.context.depth > 0 {
            self.out.path.push('.');
        }
        if !self.dotted {
            self.out.path.push('[');
        }
        let start = self.out.path.len();
        if let Err(fault) = key.serialize(KeySer::new(&mut self.out.path)) {
            self.inexact = true;
            return if fault.is_key() { Ok(()) } else { Err(fault) };
        }
        let key = self.out.path.get(start..).unwrap_or_default();
        if self.dotted {
            self.dotted_key(start);
        } else {
            self.inexact |= key.contains(']');
            self.indices &= index(key).is_some();
            self.out.path.push(']');
        }
        if self.count > 1 {
            let in_order = self
                .out
                .record
                .last_path()
                .is_none_or(|last| last < self.out.path.as_str());
            self.unsorted |= !in_order;
        }
        Ok(())
    }

    /// A key beside a flattened field, or from one.
    fn dotted_key(&mut self, start: usize) {
        let root = self.context.depth == 0;
        let key = self.out.path.get(start..).unwrap_or_default();
        self.pending = if root && self.out.schema.json_paths.contains(&key) {
            Pending::Json
        } else if root && self.out.schema.plain_paths.contains(&key) {
            Pending::Plain
        } else {
            Pending::Loose
        };
        if self.pending != Pending::Loose {
            return;
        }
        if is_odd(key) || key == HINT || (root && key == ROOT) {
            // In brackets the key is told from names; but only at the root is it certain that what stands there is loose.
            self.inexact |= !root || key.contains("].");
            self.out.path.insert(start, '[');
            self.out.path.push(']');
        }
    }

    fn value<T: ?Sized + Serialize>(&mut self, value: &T, declared: bool) -> Result<(), Fault> {
        if !self.inexact {
            let (context, json) = self.entry_context()?;
            let stored = if json {
                self.out.json(context, value, Bare::Never)?
            } else {
                self.out.place(context, value)?
            };
            if stored == Stored::Nothing && !(self.dotted && (declared || !context.loose)) {
                if context.loose {
                    Ser {
                        out: self.out,
                        context,
                    }
                    .null();
                } else {
                    self.inexact = true;
                }
            }
        }
        self.out.path.truncate(self.own);
        Ok(())
    }

    fn entry_context(&self) -> Result<(Context<'s>, bool), Fault> {
        if !self.dotted {
            return Ok((self.entry, false));
        }
        if self.pending == Pending::Loose {
            return Ok((
                Context {
                    node: None,
                    loose: true,
                    ..self.entry
                },
                false,
            ));
        }
        let key = self.out.path.get(self.own..).unwrap_or_default();
        Ok((self.context.field(key)?, self.pending == Pending::Json))
    }

    fn close(self) -> Result<Stored, Fault> {
        let ambiguous = self.context.loose && !self.dotted && self.indices && self.count > 0;
        if self.inexact || ambiguous {
            return Ok(Stored::Inexact);
        }
        if self.unsorted {
            self.out.unique_from(self.start)?;
        }
        if self.context.depth > 0 && self.is_bare() {
            return Ok(self.out.field(self.context, b"{}"));
        }
        Ok(Stored::Fields)
    }

    /// Whether nothing was stored under it.
    fn is_bare(&self) -> bool {
        let under = |last: &str| {
            last.strip_prefix(self.out.path.as_str())
                .is_some_and(|rest| rest.starts_with('.'))
        };
        self.count == 0 || !self.out.record.last_path().is_some_and(under)
    }
}

impl ser::SerializeMap for MapSer<'_, '_, '_> {
    type Ok = Stored;
    type Error = Fault;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Fault> {
        self.key(key)
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Fault> {
        self.value(value, false)
    }

    fn serialize_entry<K: ?Sized + Serialize, V: ?Sized + Serialize>(
        &mut self,
        key: &K,
        value: &V,
    ) -> Result<(), Fault> {
        self.key(key)?;
        // Serde's own code names a struct's fields by `&str`, which is two words; a map's keys come by reference to
        // a type with a size. A declared field that is `None` is absent, an entry of a map must not be.
        self.value(value, size_of::<&K>() > size_of::<usize>())
    }

    fn end(self) -> Result<Stored, Fault> {
        self.close()
    }
}
