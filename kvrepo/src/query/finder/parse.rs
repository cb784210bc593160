//! Reading a finder.

use super::check::check;
use super::message::Message;
use super::plan::{DEPTH, Finder};
use super::predicate::{Reading, conditions};
use super::returned::Returns;
use super::subject::subject;
use crate::query::table::FieldInfo;

/// What a method says besides its values' types.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    /// Its name.
    pub method: &'static str,
    /// How many values it takes.
    pub values: usize,
    /// What it returns.
    pub returns: Returns,
    /// Whether it takes an order.
    pub sort: bool,
    /// Whether it takes a page.
    pub page: bool,
}

/// Reads a finder of an entity of this name, whose fields are these.
///
/// # Errors
///
/// What is wrong with its name, or with its signature.
pub const fn parse(
    entity: &'static str,
    table: &'static [FieldInfo],
    signature: &Signature,
) -> Result<Finder, Message> {
    let of = Reading {
        entity,
        table,
        method: signature.method,
    };
    // The mistakes of structs are said where they are derived.
    if has_unknown(table, 0) {
        return Ok(Finder::EMPTY);
    }
    let (finder, at) = match subject(signature.method) {
        Ok(subject) => subject,
        Err(message) => return Err(message),
    };
    let finder = match conditions(&of, at, finder) {
        Ok(finder) => finder.numbered(),
        Err(fault) => return Err(fault.message),
    };
    match check(&of, &finder, signature) {
        Some(message) => Err(message),
        None => Ok(finder),
    }
}

const fn has_unknown(table: &'static [FieldInfo], depth: usize) -> bool {
    let mut i = 0;
    while i < table.len() && depth < DEPTH {
        if table[i].is_unknown() || has_unknown(table[i].nested, depth + 1) {
            return true;
        }
        i += 1;
    }
    false
}

/// The finder; or one that asks nothing, so that a mistake is said once and by [`refuse`] alone.
#[must_use]
pub const fn or_none(read: &Result<Finder, Message>) -> Finder {
    match read {
        Ok(finder) => *finder,
        Err(_) => Finder::EMPTY,
    }
}

/// Ends compiling with the mistake, if there is one.
///
/// # Panics
///
/// If there is one: it is called when compiling.
#[track_caller]
pub const fn refuse(read: &Result<Finder, Message>) {
    if let Err(message) = read {
        panic!("{}", message.text());
    }
}
