//! Naming an entity's fields, checked when compiling.

mod field;

#[doc(hidden)]
pub use field::{Amount, FieldCodec, FieldPath, Own};
pub use field::{Field, FieldHandle, Increment};
