//! The entity that the sequences are about: one field of each kind that is stored in its own way.

use std::collections::BTreeMap;
use std::fmt;

use kvrepo::{KvEntity, KvNested};
use serde::{Deserialize, Serialize};

/// The ids, sorted: so few that calls meet, and each key the beginning of another.
pub(crate) const IDS: [&str; 3] = ["1", "11", "1:1"];

#[derive(Clone, PartialEq, Default, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "items")]
pub(crate) struct Item {
    #[id]
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) note: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) attributes: BTreeMap<String, String>,
    #[nested]
    pub(crate) address: Option<Address>,
    /// Begins as the paths within `address` do, and is none of them.
    pub(crate) address_note: Option<String>,
    /// So small that a sum does not fit soon.
    pub(crate) count: u8,
    /// Seconds.
    #[time_to_live]
    pub(crate) ttl: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvNested)]
pub(crate) struct Address {
    pub(crate) city: Option<String>,
    pub(crate) visits: Option<u8>,
    #[nested]
    pub(crate) door: Option<Door>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvNested)]
pub(crate) struct Door {
    pub(crate) code: Option<String>,
}

impl fmt::Debug for Item {
    /// Only what is not as in an empty one, so that a sequence can be read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            id,
            text,
            note,
            tags,
            attributes,
            address,
            address_note,
            count,
            ttl,
        } = self;
        let mut shown = f.debug_struct("Item");
        shown.field("id", id);
        let mut field = |name, value: &dyn fmt::Debug, empty: bool| {
            if !empty {
                shown.field(name, value);
            }
        };
        field("text", text, text.is_empty());
        field("note", note, note.is_none());
        field("tags", tags, tags.is_empty());
        field("attributes", attributes, attributes.is_empty());
        field("address", address, address.is_none());
        field("address_note", address_note, address_note.is_none());
        field("count", count, *count == 0);
        field("ttl", ttl, ttl.is_none());
        shown.finish()
    }
}
