//! An item as it is kept, by an account of its own: its value, its term, and the fields that have to be stored of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::answer::Fault;
use crate::item::{Address, Item};
use crate::operation::{Change, Number, Slot};

/// A hash's fields.
pub(crate) type Stored = BTreeMap<String, String>;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Life {
    pub(crate) item: Item,
    /// In milliseconds since the sequence began.
    pub(crate) deadline: Option<u64>,
    /// The span of an idle term, in milliseconds.
    pub(crate) idle: Option<u64>,
    /// Collections that were unset: of those nothing is stored, whereas `[]` or `{}` is of those that were saved empty.
    bare: BTreeSet<&'static str>,
}

impl Life {
    /// Of an item that was saved whole.
    pub(crate) fn of(item: Item, deadline: Option<u64>, idle: Option<u64>) -> Self {
        Self {
            item,
            deadline,
            idle,
            bare: BTreeSet::new(),
        }
    }

    /// Does changes one after the other; after a fault none is done.
    pub(crate) fn change(&mut self, changes: &[Change]) -> Result<(), Fault> {
        let mut changed = self.clone();
        for change in changes {
            changed.check(change)?;
            change.edit(&mut changed.item);
            match change {
                Change::Tags(_) => changed.bare.remove("tags"),
                Change::Unset(Slot::Tags) => changed.bare.insert("tags"),
                Change::Attributes(_) => changed.bare.remove("attributes"),
                Change::Unset(Slot::Attributes) => changed.bare.insert("attributes"),
                _ => false,
            };
        }
        *self = changed;
        Ok(())
    }

    /// A sum that does not fit cannot be stored, and neither can anything in a struct that is not there.
    fn check(&self, change: &Change) -> Result<(), Fault> {
        let encode = |path: &str| Err(Fault::Encode(path.to_owned()));
        let Item {
            address, count, ttl, ..
        } = &self.item;
        if let Change::Add(number, by) = change {
            let visits = address.as_ref().and_then(|address| address.visits);
            let (path, before, fits): (_, i64, fn(i64) -> bool) = match number {
                Number::Count => ("count", (*count).into(), |sum| u8::try_from(sum).is_ok()),
                Number::Visits => ("address.visits", visits.unwrap_or(0).into(), |sum| {
                    u8::try_from(sum).is_ok()
                }),
                Number::Ttl => ("ttl", ttl.unwrap_or(0), |_| true),
            };
            if !before.checked_add(*by).is_some_and(fits) {
                return encode(path);
            }
        }
        let in_address = matches!(
            change,
            Change::City(Some(_))
                | Change::Visits(Some(_))
                | Change::Door(Some(_))
                | Change::Code(Some(_))
                | Change::Add(Number::Visits, _)
        );
        match address {
            None if in_address => encode("address"),
            Some(Address { door: None, .. }) if matches!(change, Change::Code(Some(_))) => {
                encode("address.door")
            }
            _ => Ok(()),
        }
    }

    /// What has to be stored, but for the mark of an idle term.
    pub(crate) fn stored(&self) -> Stored {
        let Item {
            id,
            text,
            note,
            tags,
            attributes,
            address,
            address_note,
            count,
            ttl,
        } = &self.item;
        let mut stored = Stored::new();
        let mut put = |path: &str, value: &str| {
            stored.insert(path.to_owned(), value.to_owned());
        };
        put("id", id);
        put("text", text);
        put("count", &count.to_string());
        if let Some(note) = note {
            put("note", note);
        }
        if let Some(note) = address_note {
            put("address_note", note);
        }
        if let Some(ttl) = ttl {
            put("ttl", &ttl.to_string());
        }
        if tags.is_empty() && !self.bare.contains("tags") {
            put("tags", "[]");
        }
        for (i, tag) in tags.iter().enumerate() {
            put(&format!("tags.[{i}]"), tag);
        }
        if attributes.keys().any(|key| key.contains(']')) {
            put(
                "attributes",
                &serde_json::to_string(attributes).expect("text is JSON"),
            );
        } else {
            if attributes.is_empty() && !self.bare.contains("attributes") {
                put("attributes", "{}");
            }
            for (key, value) in attributes {
                put(&format!("attributes.[{key}]"), value);
            }
        }
        match address {
            Some(Address {
                city: None,
                visits: None,
                door: None,
            }) => put("address", "{}"),
            Some(Address { city, visits, door }) => {
                if let Some(city) = city {
                    put("address.city", city);
                }
                if let Some(visits) = visits {
                    put("address.visits", &visits.to_string());
                }
                match door.as_ref().map(|door| &door.code) {
                    Some(Some(code)) => put("address.door.code", code),
                    Some(None) => put("address.door", "{}"),
                    None => {}
                }
            }
            None => {}
        }
        stored
    }
}
