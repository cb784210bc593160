//! Naming an entity's fields, checked when compiling.

mod element;
mod field;
mod nested;

pub use element::{Element, ListField, MapField};
#[doc(hidden)]
pub use field::{Amount, FieldCodec, FieldPath, Own};
pub use field::{Field, FieldHandle, Increment, Target};
pub use nested::Nested;
