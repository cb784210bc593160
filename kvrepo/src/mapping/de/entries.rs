//! What a container holds: a struct's fields, a map's entries, a list's elements.

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{self, DeserializeSeed};

use super::absent::AbsentDe;
use super::place::De;
use super::tree::Id;
use crate::mapping::fault::Fault;
use crate::mapping::key::KeyDe;
use crate::mapping::path::{HINT, Segment, is_odd};

/// A struct's fields, in its own order, as far as they are stored or required.
pub(super) struct Fields<'x, 't, 'a> {
    de: De<'x, 't, 'a>,
    owner: &'static str,
    fields: &'static [&'static str],
    field: &'static str,
    /// Where the field stands, or 0 if nothing is stored of it.
    at: Id,
    /// Where the next one will be if they were written in the same order.
    likely: Id,
}

impl<'x, 't, 'a> Fields<'x, 't, 'a> {
    pub(super) fn new(de: De<'x, 't, 'a>, owner: &'static str, fields: &'static [&'static str]) -> Self {
        let likely = de.tree().first(de.at);
        Self {
            de,
            owner,
            fields,
            field: "",
            at: 0,
            likely,
        }
    }

    /// Whether something is stored of the field at `at`.
    fn is_stored(&self, at: Id, field: &str) -> bool {
        let tree = self.de.tree();
        tree.is_live(at) || (at != 0 && field == HINT && tree.is_hint(at))
    }
}

impl<'a> de::MapAccess<'a> for Fields<'_, '_, 'a> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        while let Some((field, rest)) = self.fields.split_first() {
            self.fields = rest;
            self.field = field;
            let tree = self.de.tree();
            self.at = tree.named(self.de.at, field, self.likely);
            if self.is_stored(self.at, field) {
                self.likely = tree.next(self.at);
            } else if self.de.source.offers(self.owner, field) {
                self.at = 0;
            } else {
                continue;
            }
            return seed.deserialize(BorrowedStrDeserializer::new(field)).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        if self.at == 0 {
            seed.deserialize(AbsentDe::new(self.de.source, self.de.depth))
        } else {
            self.de
                .field(self.at, self.field)
                .and_then(|de| seed.deserialize(de))
        }
        .map_err(|fault| fault.in_name(self.field))
    }
}

/// One entry of a map.
#[derive(Clone, Copy)]
enum Entry {
    /// A declared field beside a flattened one.
    Plain(&'static str, Id),
    /// Whatever stands there.
    Stored(Id),
    /// A required field of which nothing is stored.
    Absent(&'static str),
    None,
}

/// A map's entries, or all that a struct with a flattened field may want to see.
pub(super) struct Entries<'x, 't, 'a> {
    de: De<'x, 't, 'a>,
    owner: &'static str,
    /// The declared fields whose names are more than one segment, where this is the root.
    odd: &'static [&'static str],
    at: Id,
    offers: usize,
    entry: Entry,
}

impl<'x, 't, 'a> Entries<'x, 't, 'a> {
    pub(super) fn new(de: De<'x, 't, 'a>, owner: &'static str) -> Self {
        let odd = if de.at == 0 {
            de.source.schema.plain_paths
        } else {
            &[]
        };
        Self {
            de,
            owner,
            odd,
            at: de.tree().first(de.at),
            offers: 0,
            entry: Entry::None,
        }
    }

    fn plain_paths(&self) -> &'static [&'static str] {
        if self.de.at == 0 {
            self.de.source.schema.plain_paths
        } else {
            &[]
        }
    }

    fn json_paths(&self) -> &'static [&'static str] {
        if self.de.at == 0 {
            self.de.source.schema.json_paths
        } else {
            &[]
        }
    }

    fn next(&mut self) -> Entry {
        let tree = self.de.tree();
        while let Some((name, rest)) = self.odd.split_first() {
            self.odd = rest;
            let at = if is_odd(name) {
                tree.named(self.de.at, name, 0)
            } else {
                0
            };
            if tree.is_live(at) {
                return Entry::Plain(name, at);
            }
        }
        while self.at != 0 {
            let at = self.at;
            self.at = tree.next(at);
            let segment = tree.segment(at);
            let declared = match segment {
                Segment::Name(name) => self
                    .plain_paths()
                    .iter()
                    .chain(self.json_paths())
                    .find(|path| **path == name),
                Segment::Bracket(_) => None,
            };
            match declared {
                Some(name) if tree.is_live(at) || (*name == HINT && tree.is_hint(at)) => {
                    return Entry::Plain(name, at);
                }
                None if tree.is_live(at) && !self.begins_odd(segment) => return Entry::Stored(at),
                _ => {}
            }
        }
        let offers = self.de.source.offers;
        while let Some(offer) = offers.get(self.offers) {
            self.offers += 1;
            if offer.owner == self.owner && !tree.is_live(tree.named(self.de.at, offer.field, 0)) {
                return Entry::Absent(offer.field);
            }
        }
        Entry::None
    }

    /// Whether a declared field's name begins with this segment and goes on.
    fn begins_odd(&self, segment: Segment<'_>) -> bool {
        self.plain_paths()
            .iter()
            .any(|plain| is_odd(plain) && Segment::at(plain, 0).0 == segment)
    }
}

impl<'a> de::MapAccess<'a> for Entries<'_, '_, 'a> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        self.entry = self.next();
        match self.entry {
            Entry::Plain(name, _) | Entry::Absent(name) => {
                seed.deserialize(StrDeserializer::new(name)).map(Some)
            }
            Entry::Stored(at) => {
                let tree = self.de.tree();
                let key = KeyDe::new(tree.segment(at).text());
                seed.deserialize(key)
                    .map(Some)
                    .map_err(|fault| tree.locate(at, fault))
            }
            Entry::None => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let de = self.de;
        match self.entry {
            Entry::Plain(name, at) => de
                .field(at, name)
                .and_then(|de| seed.deserialize(de))
                .map_err(|fault| fault.in_name(name)),
            Entry::Stored(at) => {
                let entry = match de.tree().segment(at) {
                    Segment::Name(_) => de.flat(at),
                    Segment::Bracket(_) if de.is_flat_root() => de.flat(at),
                    Segment::Bracket(_) => de.each(at, false),
                };
                entry
                    .and_then(|de| seed.deserialize(de))
                    .map_err(|fault| de.tree().locate(at, fault))
            }
            Entry::Absent(name) => seed
                .deserialize(AbsentDe::new(de.source, de.depth))
                .map_err(|fault| fault.in_name(name)),
            Entry::None => Err(Fault::absent()),
        }
    }
}

/// A list's elements, by index.
pub(super) struct Elements<'x, 't, 'a> {
    de: De<'x, 't, 'a>,
    next: Next,
    /// Whether each has a type of its own, and how many have been taken.
    tuple: bool,
    taken: usize,
}

enum Next {
    /// The children stand in order: the next one.
    Sibling(Id),
    /// They had to be put in order first.
    Sorted(std::vec::IntoIter<(u32, Id)>),
}

impl<'x, 't, 'a> Elements<'x, 't, 'a> {
    pub(super) fn new(de: De<'x, 't, 'a>, tuple: bool) -> Self {
        let tree = de.tree();
        let next = if tree.is_ordered(de.at) {
            Next::Sibling(tree.first(de.at))
        } else {
            Next::Sorted(tree.elements(de.at).into_iter())
        };
        Self {
            de,
            next,
            tuple,
            taken: 0,
        }
    }

    fn next(&mut self) -> Option<(u32, Id)> {
        match &mut self.next {
            Next::Sibling(at) => {
                let tree = self.de.tree();
                let (index, id) = tree.element(*at)?;
                *at = tree.next(id);
                Some((index, id))
            }
            Next::Sorted(elements) => elements.next(),
        }
    }

    /// Whether there is one more.
    pub(super) fn is_over(&mut self) -> bool {
        self.next().is_none()
    }
}

impl<'a> de::SeqAccess<'a> for Elements<'_, '_, 'a> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'a>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        let Some((index, at)) = self.next() else {
            return Ok(None);
        };
        let value = self
            .de
            .element(at, self.taken, self.tuple)
            .and_then(|de| seed.deserialize(de));
        self.taken += 1;
        value.map(Some).map_err(|fault| fault.in_bracket(index))
    }

    fn size_hint(&self) -> Option<usize> {
        match &self.next {
            Next::Sibling(_) => Some(self.de.tree().count(self.de.at)),
            Next::Sorted(elements) => Some(elements.len()),
        }
    }
}
