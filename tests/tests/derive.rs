//! What `#[derive(KvEntity)]` and its like accept, and what comes of it. What they refuse is in `kvrepo-derive/tests/ui`.

#[path = "derive/fields.rs"]
mod fields;
#[path = "derive/finder.rs"]
pub mod finder;
#[path = "derive/hostile.rs"]
mod hostile;
#[path = "derive/lints.rs"]
mod lints;
#[path = "derive/reference.rs"]
mod reference;
#[path = "derive/renamed.rs"]
mod renamed;
#[path = "derive/schema.rs"]
mod schema;
#[path = "derive/scopes.rs"]
pub mod scopes;
#[path = "derive/types.rs"]
mod types;
