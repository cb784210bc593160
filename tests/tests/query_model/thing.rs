//! The entity that the sequences are about: one field for each kind of index, and some without.

use std::collections::BTreeMap;
use std::fmt;

use kvrepo::{KvEntity, KvNested, Point};
use serde::{Deserialize, Serialize};

/// The ids, sorted by their bytes; keys that begin alike, and bytes that mean something in a range index.
pub(crate) const IDS: [&str; 8] = ["\0x", "1", "11", "1:1", "A", "a", "a b", "ä"];

#[derive(Clone, PartialEq, Default, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "things")]
pub(crate) struct Thing {
    #[id]
    pub(crate) id: String,
    #[indexed]
    pub(crate) kind: String,
    #[indexed]
    pub(crate) mood: Option<String>,
    #[indexed]
    pub(crate) tags: Vec<String>,
    #[indexed]
    pub(crate) marks: BTreeMap<String, String>,
    /// A float that is found by its text.
    #[indexed]
    pub(crate) share: f64,
    #[indexed(range)]
    pub(crate) weight: Option<u64>,
    #[indexed(range)]
    pub(crate) ratio: Option<f64>,
    #[indexed(range)]
    pub(crate) title: Option<String>,
    #[indexed(unique)]
    pub(crate) mail: Option<String>,
    #[nested]
    pub(crate) home: Option<Home>,
    #[nested]
    pub(crate) berths: Vec<Berth>,
    #[nested]
    pub(crate) kin: BTreeMap<String, Kin>,
    #[geo_indexed]
    pub(crate) spot: Option<Point>,
    pub(crate) note: Option<String>,
    pub(crate) count: u8,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvNested)]
pub(crate) struct Home {
    #[indexed]
    pub(crate) city: Option<String>,
    #[indexed(range)]
    pub(crate) floor: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvNested)]
pub(crate) struct Berth {
    #[indexed]
    pub(crate) port: String,
    #[indexed(range)]
    pub(crate) depth: i32,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvNested)]
pub(crate) struct Kin {
    #[indexed]
    pub(crate) city: String,
}

impl fmt::Debug for Thing {
    /// Only what is not as in an empty one, so that a sequence can be read. Different things have different texts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Thing");
        shown.field("id", &self.id);
        let mut field = |name, value: &dyn fmt::Debug, empty: bool| {
            if !empty {
                shown.field(name, value);
            }
        };
        field("kind", &self.kind, self.kind.is_empty());
        field("mood", &self.mood, self.mood.is_none());
        field("tags", &self.tags, self.tags.is_empty());
        field("marks", &self.marks, self.marks.is_empty());
        field("share", &self.share, self.share.to_bits() == 0);
        field("weight", &self.weight, self.weight.is_none());
        field("ratio", &self.ratio, self.ratio.is_none());
        field("title", &self.title, self.title.is_none());
        field("mail", &self.mail, self.mail.is_none());
        field("home", &self.home, self.home.is_none());
        field("berths", &self.berths, self.berths.is_empty());
        field("kin", &self.kin, self.kin.is_empty());
        field("spot", &self.spot, self.spot.is_none());
        field("note", &self.note, self.note.is_none());
        field("count", &self.count, self.count == 0);
        shown.finish()
    }
}
