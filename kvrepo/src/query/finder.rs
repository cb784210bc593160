//! Derived finders: methods whose names say what they find, read when compiling.
//!
//! All that reads a name is `const fn` and allocates nothing, so a mistake is found by the compiler. An array index that
//! were out of bounds would be an error there too, and never one at run time.

#![expect(
    clippy::result_large_err,
    reason = "nothing can be allocated when compiling, and later nothing of it runs"
)]

mod check;
mod message;
mod nearest;
mod operand;
mod operator;
mod parse;
mod path;
mod plan;
mod predicate;
mod returned;
mod run;
mod subject;
#[cfg(test)]
mod tests;
mod text;

pub use message::Message;
pub use operand::{Accept, HasFields, Operand, Takes, Within, role, sort};
pub use parse::{Signature, or_none, parse, refuse};
pub use plan::{Finder, NONE};
pub use returned::{Outcome, Returned, Returns, never};
pub use run::{Options, Query, stream};
