//! Structs: `name.field`.

use serde::ser::{self, Serialize};

use super::{Bare, Context, Fault, HINT, Out, Ser, Stored};

/// A struct being written.
pub(super) struct StructSer<'o, 's, 'e> {
    out: &'o mut Out<'e>,
    context: Context<'s>,
    /// It is no struct but a text of `serde_json`'s in the clothes of one.
    raw: bool,
    /// Whether anything was stored that is not taken for a type hint.
    present: bool,
    /// Where the path ends that is the struct's own.
    own: usize,
    /// Where it is to end afterwards.
    base: usize,
}

impl<'o, 's, 'e> StructSer<'o, 's, 'e> {
    #[inline]
    pub(super) fn new(ser: Ser<'o, 's, 'e>, raw: bool) -> Self {
        let Ser { out, context } = ser;
        let own = out.path.len();
        Self {
            out,
            context,
            raw,
            present: false,
            own,
            base: own,
        }
    }

    /// Leaves the path so long afterwards.
    pub(super) fn leaving(self, base: usize) -> Self {
        Self { base, ..self }
    }

    #[inline]
    fn field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), Fault> {
        if self.raw {
            return Ok(());
        }
        let context = self.context.field(name)?;
        self.out.push_name(self.context.depth, name);
        let stored = if self.context.depth == 0 && self.out.schema.json_paths.contains(&name) {
            self.out.json(context, value, Bare::Never)?
        } else {
            self.out.place(context, value)?
        };
        self.present |= stored == Stored::Fields && name != HINT;
        self.out.path.truncate(self.own);
        Ok(())
    }

    #[inline]
    fn close(self) -> Stored {
        let stored = if self.raw {
            Stored::Inexact
        } else if self.present || self.context.depth == 0 {
            Stored::Fields
        } else {
            self.out.field(self.context, b"{}")
        };
        self.out.path.truncate(self.base);
        stored
    }
}

macro_rules! fields {
    ($($trait:ident),*) => {$(
        impl ser::$trait for StructSer<'_, '_, '_> {
            type Ok = Stored;
            type Error = Fault;

            fn serialize_field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), Fault> {
                self.field(name, value)
            }

            fn end(self) -> Result<Stored, Fault> {
                Ok(self.close())
            }
        }
    )*};
}

fields!(SerializeStruct, SerializeStructVariant);
