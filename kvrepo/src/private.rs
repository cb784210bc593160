//! What generated code calls. Not part of the public interface.

// What stands in a prelude everywhere else: a derive's call site may have its own `Option` or `bool`.
pub use std::option::Option;
pub use std::primitive::bool;
pub use std::result::Result;
pub use std::string::String;
pub use std::time::Duration;

pub use crate::entity::{EntitySchema, FieldTerm, GenerateId, IdField, KvEntity, KvId, TermField, TermUnit};
