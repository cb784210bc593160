//! The conditions and orders of a finder's name.
//!
//! A word of a field's name can be a word of ours as well: `logged_in`, `brand_and_model`. So the longest field is tried
//! first, and a shorter one only if what follows makes no sense then.

use super::message::Message;
use super::nearest::nearest;
use super::operator::{self, Found, NAMES, condition_ends};
use super::path::{self, Path};
use super::plan::{CONDITIONS, Condition, Finder, ORDERS, Order};
use super::text::{between, same, stands_at, word_ends};
use crate::query::table::FieldInfo;

/// What is read.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) entity: &'static str,
    pub(super) table: &'static [FieldInfo],
    pub(super) method: &'static str,
}

/// Where it makes no sense, and why.
#[derive(Clone, Copy)]
pub(super) struct Fault {
    at: usize,
    pub(super) message: Message,
}

/// Nothing shorter is tried then.
const AT_ONCE: usize = usize::MAX;

/// Reads a condition, which begins here, and all behind it.
pub(super) const fn conditions(of: &Reading, at: usize, finder: Finder) -> Result<Finder, Fault> {
    if finder.len == CONDITIONS {
        return fault(AT_ONCE, Message::new("a finder has 8 conditions at most"));
    }
    let mut found = None;
    let mut before = usize::MAX;
    while let Some(path) = path::longest(of.table, of.method, at, before) {
        match condition(of, at, &path, finder) {
            Ok(finder) => return Ok(finder),
            Err(fault) => found = further(found, fault),
        }
        before = path.end;
    }
    match found {
        Some(fault) => Err(fault),
        None => fault(at, unknown_field(of, at)),
    }
}

const fn condition(of: &Reading, at: usize, path: &Path, mut finder: Finder) -> Result<Finder, Fault> {
    let text = of.method;
    let (operator, end) = match operator::behind(text, path.end) {
        Found::Operator(operator, end) => (operator, end),
        Found::Refused(word) => return fault(path.end, refused(of, at, path, word)),
        Found::Unknown => return fault(path.end, unknown_operator(of, at, path)),
    };
    if let Some(fault) = two_of_a_name(of, at, path) {
        return Err(fault);
    }
    let group = match finder.len {
        0 => 0,
        len => {
            let last = finder.conditions[len - 1].group;
            // What stands before this condition.
            if stands_at(text, at - "_or_".len(), "_or_") {
                last + 1
            } else {
                last
            }
        }
    };
    finder.conditions[finder.len] = Condition {
        way: path.way,
        operator,
        group,
        first: 0,
        name: between(text, at, path.end),
    };
    finder.len += 1;
    if end == text.len() {
        Ok(finder)
    } else if stands_at(text, end, "_and_") {
        conditions(of, end + "_and_".len(), finder)
    } else if stands_at(text, end, "_or_") {
        conditions(of, end + "_or_".len(), finder)
    } else {
        orders(of, end + "_order_by_".len(), finder)
    }
}

/// Reads a field by which is ordered, which begins here, and all behind it.
const fn orders(of: &Reading, at: usize, finder: Finder) -> Result<Finder, Fault> {
    if finder.ordered == ORDERS {
        return fault(AT_ONCE, Message::new("a finder orders by 4 fields at most"));
    }
    let mut found = None;
    let mut before = usize::MAX;
    while let Some(path) = path::longest(of.table, of.method, at, before) {
        match order(of, at, &path, finder) {
            Ok(finder) => return Ok(finder),
            Err(fault) => found = further(found, fault),
        }
        before = path.end;
    }
    match found {
        Some(fault) => Err(fault),
        None => fault(at, unknown_order(of, at)),
    }
}

const fn order(of: &Reading, at: usize, path: &Path, mut finder: Finder) -> Result<Finder, Fault> {
    let text = of.method;
    let (descending, end) = if stands_at(text, path.end, "_desc") && word_ends(text, path.end + 5) {
        (true, path.end + 5)
    } else if stands_at(text, path.end, "_asc") && word_ends(text, path.end + 4) {
        (false, path.end + 4)
    } else if path.end == text.len() {
        (false, path.end)
    } else {
        let message = Message::new("behind ")
            .name(between(text, at, path.end))
            .and(" comes `asc` or `desc`, and not ")
            .name(between(text, path.end + 1, text.len()));
        return fault(path.end, message);
    };
    if let Some(fault) = two_of_a_name(of, at, path) {
        return Err(fault);
    }
    finder.orders[finder.ordered] = Order {
        way: path.way,
        descending,
        name: between(text, at, path.end),
    };
    finder.ordered += 1;
    if end == text.len() {
        Ok(finder)
    } else {
        orders(of, end + 1, finder)
    }
}

const fn two_of_a_name(of: &Reading, at: usize, path: &Path) -> Option<Fault> {
    let Some(other) = &path.other else { return None };
    let message = Message::new("")
        .name(between(of.method, at, path.end))
        .and(" is ");
    let message = path::shown(of.table, &path.way, message).and(" or ");
    let message = path::shown(of.table, other, message).and("; rename one of the fields");
    Some(Fault { at: AT_ONCE, message })
}

const fn fault(at: usize, message: Message) -> Result<Finder, Fault> {
    Err(Fault { at, message })
}

/// The one that makes sense for longer; else the first.
const fn further(found: Option<Fault>, fault: Fault) -> Option<Fault> {
    match found {
        Some(found) if found.at >= fault.at => Some(found),
        _ => Some(fault),
    }
}

/// Where the condition ends that begins here.
const fn end_of_condition(text: &str, from: usize) -> usize {
    let mut end = from;
    while !condition_ends(text, end) {
        end += 1;
    }
    end
}

const fn unknown_field(of: &Reading, at: usize) -> Message {
    let text = of.method;
    let end = end_of_condition(text, at);
    if at == end {
        return Message::new("")
            .name(text)
            .and(" names no field behind its last word");
    }
    // Without the operator, unless nothing is left.
    let mut name_end = end;
    let mut i = at + 1;
    while i < end {
        if text.as_bytes()[i] == b'_' && !matches!(operator::behind(text, i), Found::Unknown) {
            name_end = i;
            break;
        }
        i += 1;
    }
    no_field(of, between(text, at, name_end))
}

const fn unknown_order(of: &Reading, at: usize) -> Message {
    let text = of.method;
    let mut end = at;
    while end < text.len()
        && !(stands_at(text, end, "_asc") && word_ends(text, end + 4))
        && !(stands_at(text, end, "_desc") && word_ends(text, end + 5))
    {
        end += 1;
    }
    if at == end {
        return Message::new("")
            .name(text)
            .and(" names no field behind its last word");
    }
    no_field(of, between(text, at, end))
}

const fn no_field(of: &Reading, name: &str) -> Message {
    let meant = match path::nearest(of.table, name) {
        Some((meant, _)) => Some(meant),
        None => None,
    };
    Message::new("")
        .name(of.entity)
        .and(" has no field ")
        .name(name)
        .or_else(meant)
}

const fn refused(of: &Reading, at: usize, path: &Path, word: &'static str) -> Message {
    Message::new("")
        .name(word)
        .and(" is not supported, since no index serves it (behind ")
        .name(between(of.method, at, path.end))
        .and(")")
}

/// Either the operator is mistaken, or the field, of whose name only the beginning was found.
const fn unknown_operator(of: &Reading, at: usize, path: &Path) -> Message {
    let text = of.method;
    let mut end = end_of_condition(text, at);
    if end <= path.end {
        end = text.len();
    }
    let (word, whole) = (between(text, path.end + 1, end), between(text, at, end));
    if same(word, "and") || same(word, "or") || same(word, "order_by") {
        return Message::new("")
            .name(text)
            .and(" names no field behind its last word");
    }
    if !path::field_at(of.table, &path.way).nested.is_empty() {
        return unknown_field(of, at);
    }
    let message = Message::new("unknown word ")
        .name(word)
        .and(" behind the field ")
        .name(between(text, at, path.end));
    let meant = match (nearest(word, &NAMES), path::nearest(of.table, whole)) {
        (Some((_, far)), Some((field, distance))) if distance < far => Some(field),
        (Some((operator, _)), _) => Some(Message::new(operator)),
        (None, Some((field, _))) => Some(field),
        (None, None) => None,
    };
    message.or_else(meant)
}
