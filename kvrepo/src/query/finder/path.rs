//! Finding the field that a part of a finder's name names.

use super::message::Message;
use super::nearest::distance;
use super::plan::{DEPTH, NONE, Way};
use super::text::{stands_at, word_ends};
use crate::query::Holder;
use crate::query::table::FieldInfo;

/// A field that is named: `address_city` is the field `city` of the struct in `address`.
#[derive(Clone, Copy)]
pub(super) struct Path {
    pub(super) way: Way,
    /// Where its name ends.
    pub(super) end: usize,
    /// The way to another field of the same name.
    pub(super) other: Option<Way>,
}

/// The field with the longest name that stands at this place and ends before another.
pub(super) const fn longest(
    table: &'static [FieldInfo],
    text: &str,
    at: usize,
    before: usize,
) -> Option<Path> {
    let mut found = None;
    walk(table, text, at, before, 0, [NONE; DEPTH], &mut found);
    found
}

const fn walk(
    table: &'static [FieldInfo],
    text: &str,
    at: usize,
    before: usize,
    depth: usize,
    above: Way,
    found: &mut Option<Path>,
) {
    let mut i = 0;
    while i < table.len() {
        let field = &table[i];
        let end = at + field.name.len();
        if stands_at(text, at, field.name) && word_ends(text, end) {
            let mut way = above;
            way[depth] = i;
            if end < before {
                consider(way, end, found);
            }
            if !field.nested.is_empty() && depth + 1 < DEPTH && end < text.len() {
                walk(field.nested, text, end + 1, before, depth + 1, way, found);
            }
        }
        i += 1;
    }
}

const fn consider(way: Way, end: usize, found: &mut Option<Path>) {
    match found {
        Some(path) if path.end > end => {}
        Some(path) if path.end == end => path.other = Some(way),
        _ => {
            *found = Some(Path {
                way,
                end,
                other: None,
            });
        }
    }
}

/// The field at the end of a way.
pub(super) const fn field_at(table: &'static [FieldInfo], way: &Way) -> &'static FieldInfo {
    let mut field = &table[way[0]];
    let mut depth = 1;
    while depth < DEPTH && way[depth] != NONE {
        field = &field.nested[way[depth]];
        depth += 1;
    }
    field
}

/// What holds several values.
#[derive(Clone, Copy)]
pub(super) enum Hold {
    /// A map.
    Map,
    /// A list, a set or a map.
    Any,
}

/// Whether the field at the end of a way is this, or stands in it.
pub(super) const fn is_held(table: &'static [FieldInfo], way: &Way, by: Hold) -> bool {
    let mut table = table;
    let mut depth = 0;
    while depth < DEPTH && way[depth] != NONE {
        let field = &table[way[depth]];
        match (field.holder, by) {
            (Holder::Map, _) | (Holder::List, Hold::Any) => return true,
            _ => {}
        }
        table = field.nested;
        depth += 1;
    }
    false
}

/// The names along a way, in backticks: `address.city`.
pub(super) const fn shown(table: &'static [FieldInfo], way: &Way, message: Message) -> Message {
    let mut message = message.and("`");
    let mut table = table;
    let mut depth = 0;
    while depth < DEPTH && way[depth] != NONE {
        if depth > 0 {
            message = message.and(".");
        }
        let field = &table[way[depth]];
        message = message.and(field.name);
        table = field.nested;
        depth += 1;
    }
    message.and("`")
}

/// The name of the field that was probably meant, and how far it is.
pub(super) const fn nearest(table: &'static [FieldInfo], written: &str) -> Option<(Message, usize)> {
    let mut found = None;
    near(table, written, 0, &Message::new(""), &mut found);
    found
}

const fn near(
    table: &'static [FieldInfo],
    written: &str,
    depth: usize,
    above: &Message,
    found: &mut Option<(Message, usize)>,
) {
    let mut i = 0;
    while i < table.len() {
        let field = &table[i];
        let name = above.and(field.name);
        // Nothing is asked of a struct as a whole.
        let distance = if field.nested.is_empty() {
            distance(written, name.text())
        } else {
            None
        };
        if let Some(distance) = distance {
            let nearer = match found {
                Some((_, other)) => distance < *other,
                None => true,
            };
            if nearer {
                *found = Some((name, distance));
            }
        }
        if depth + 1 < DEPTH {
            near(field.nested, written, depth + 1, &name.and("_"), found);
        }
        i += 1;
    }
}
