//! Sequences and tuples: `name.[i]`, or raw bytes.

use serde::ser::{self, Serialize};

use super::byte::byte;
use super::{Context, Fault, Out, Ser, Stored, is_like_null};
use crate::mapping::path::push_index;

/// What the elements have been so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Elements {
    /// Nothing but bytes. They stand in the record's tail, not a field yet.
    Bytes,
    Fields,
    /// One cannot be told from a hole, so all of them will be written as JSON.
    Inexact,
}

/// A sequence being written.
pub(super) struct SeqSer<'o, 's, 'e> {
    out: &'o mut Out<'e>,
    context: Context<'s>,
    item: Context<'s>,
    /// Whether each element has a type of its own, and that matters.
    tuple: bool,
    elements: Elements,
    count: usize,
    /// Where the path ends that is the sequence's own.
    own: usize,
    /// Where it is to end afterwards.
    base: usize,
}

impl<'o, 's, 'e> SeqSer<'o, 's, 'e> {
    /// A sequence, which may be raw bytes.
    pub(super) fn list(ser: Ser<'o, 's, 'e>) -> Result<Self, Fault> {
        Self::new(ser, false, true)
    }

    /// A tuple, which may be raw bytes if it has no name, for then it may be an array.
    pub(super) fn tuple(ser: Ser<'o, 's, 'e>, named: bool) -> Result<Self, Fault> {
        Self::new(ser, true, !named)
    }

    pub(super) fn new(ser: Ser<'o, 's, 'e>, tuple: bool, may_be_bytes: bool) -> Result<Self, Fault> {
        let Ser { out, context } = ser;
        let item = if tuple {
            context.element(0)?
        } else {
            context.each()?
        };
        let tuple = tuple && context.node.is_some();
        let bytes = may_be_bytes && !item.is_any();
        let elements = if bytes { Elements::Bytes } else { Elements::Fields };
        let own = out.path.len();
        Ok(Self {
            out,
            context,
            item,
            tuple,
            elements,
            count: 0,
            own,
            base: own,
        })
    }

    /// Leaves the path so long afterwards.
    pub(super) fn leaving(self, base: usize) -> Self {
        Self { base, ..self }
    }

    pub(super) fn element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Fault> {
        match self.elements {
            Elements::Inexact => return Ok(()),
            Elements::Bytes => {
                if let Some(byte) = byte(value) {
                    self.out.record.tail().push(byte);
                    self.count += 1;
                    return Ok(());
                }
                self.spread()?;
            }
            Elements::Fields => {}
        }
        self.indexed(value)
    }

    /// Turns the bytes that stand in the tail into a field each.
    fn spread(&mut self) -> Result<(), Fault> {
        self.elements = Elements::Fields;
        self.count = 0;
        let start = self.out.record.tail_start();
        if self.out.record.tail().len() > start {
            for byte in self.out.record.tail().split_off(start) {
                self.indexed(&byte)?;
            }
        }
        Ok(())
    }

    fn indexed<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Fault> {
        if self.tuple {
            self.item = self.context.element(self.count)?;
        }
        push_index(&mut self.out.path, self.context.depth > 0, self.count);
        self.count += 1;
        if self.out.place(self.item, value)? == Stored::Nothing {
            if self.item.loose {
                Ser {
                    out: self.out,
                    context: self.item,
                }
                .null();
            } else {
                self.elements = Elements::Inexact;
            }
        }
        self.out.path.truncate(self.own);
        Ok(())
    }

    pub(super) fn close(mut self) -> Result<Stored, Fault> {
        let stored = self.written()?;
        self.out.path.truncate(self.base);
        Ok(stored)
    }

    fn written(&mut self) -> Result<Stored, Fault> {
        if self.count == 0 {
            // The root needs no mark: nothing can be there in its place.
            return Ok(if self.context.depth > 0 {
                self.out.field(self.context, b"[]")
            } else {
                Stored::Fields
            });
        }
        match self.elements {
            Elements::Inexact => Ok(Stored::Inexact),
            Elements::Fields => Ok(Stored::Fields),
            Elements::Bytes if self.context.loose => Ok(Stored::Inexact),
            Elements::Bytes => {
                let start = self.out.record.tail_start();
                let bytes = self.out.record.tail().get(start..).unwrap_or_default();
                if bytes == b"[]" || (self.context.somes >= 2 && is_like_null(bytes)) {
                    self.spread()?;
                } else {
                    self.out.seal(self.context);
                }
                Ok(Stored::Fields)
            }
        }
    }
}

macro_rules! seq {
    ($($trait:ident $method:ident),*) => {$(
        impl ser::$trait for SeqSer<'_, '_, '_> {
            type Ok = Stored;
            type Error = Fault;

            fn $method<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Fault> {
                self.element(value)
            }

            fn end(self) -> Result<Stored, Fault> {
                self.close()
            }
        }
    )*};
}

seq!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);
