//! What is written, and on what condition.

use super::Keyspace;
use super::index::{self, Entry};
use crate::error::Result;
use crate::mapping::Record;

/// When a write expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteTerm {
    /// Never.
    Persistent,
    /// So many milliseconds after the write, by the backend's clock.
    After(u64),
    /// At so many milliseconds since 1970, by the backend's clock.
    At(u64),
    /// So many milliseconds after the write, or after a read that renews it.
    Idle(u64),
}

/// What has to hold of an entity for a write to be done. Asked in the step that writes; if it does not hold, nothing is
/// written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Condition {
    /// There is no living entity; else [`Error::AlreadyExists`](crate::Error::AlreadyExists).
    Absent,
    /// The living entity is at this version; else [`Error::VersionConflict`](crate::Error::VersionConflict).
    Version {
        /// Where the version stands in the hash.
        path: &'static str,
        /// The version; 0 is that of an entity that is not there, or that has none.
        expected: u64,
    },
    /// The living entity has exactly these fields; else [`Error::VersionConflict`](crate::Error::VersionConflict).
    Unchanged(Record),
}

impl Condition {
    /// Whether it holds of what is stored of the living entity; `None` if there is none.
    pub(crate) fn holds(&self, living: Option<&Record>) -> bool {
        match self {
            Self::Absent => living.is_none(),
            Self::Version { path, expected } => {
                let stored = living.and_then(|record| record.get(path));
                stored.map_or(*expected == 0, |stored| stored == expected.to_string().as_bytes())
            }
            Self::Unchanged(fields) => living.is_some_and(|record| same_fields(record, fields)),
        }
    }
}

/// Whether two records have the same fields, in whatever order.
fn same_fields(a: &Record, b: &Record) -> bool {
    fn sorted(record: &Record) -> Vec<(&str, &[u8])> {
        let mut fields: Vec<_> = record.iter().collect();
        fields.sort_unstable();
        fields
    }
    a.len() == b.len() && sorted(a) == sorted(b)
}

/// One entity to be written.
#[derive(Debug)]
#[non_exhaustive]
pub struct Write {
    /// The id, as it stands in the key.
    pub id: String,
    /// The fields; at least one.
    pub record: Record,
    /// When it expires.
    pub term: WriteTerm,
    /// Whether a living entity keeps what remains of its term instead, and whether that is renewed by reading.
    pub keep: bool,
    /// What has to hold.
    pub condition: Option<Condition>,
    /// What it has in indexes.
    pub(crate) entries: Vec<Entry>,
}

impl Write {
    /// Writes `record` under `id`, to expire as `term` says, whatever is there.
    ///
    /// # Errors
    ///
    /// [`Error::Encode`](crate::Error::Encode) if a value cannot be in the index of the keyspace that it belongs to.
    pub fn new(keyspace: &Keyspace, id: String, record: Record, term: WriteTerm) -> Result<Self> {
        let entries =
            index::entries(keyspace.indexes(), &record).map_err(|misfit| keyspace.misfit(misfit))?;
        Ok(Self {
            id,
            record,
            term,
            keep: false,
            condition: None,
            entries,
        })
    }
}

/// One change of an entity's fields. A field is all that stands at its path and, as of a struct, a list or a map, below
/// it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// Puts these fields in the place of what stands at the path.
    Put {
        /// Where.
        place: Place,
        /// The fields, each with its whole path; none, if the value is absent.
        fields: Record,
    },
    /// Adds to a whole number; what is not there counts as 0.
    Add {
        /// Where.
        place: Place,
        /// How much.
        by: i64,
        /// The least that the field can hold; of at most 64 bits.
        min: i128,
        /// The greatest that the field can hold; of at most 64 bits.
        max: i128,
    },
}

/// Where a field stands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The path under which it is written.
    pub path: String,
    /// Other paths under which it may have been written.
    pub others: Vec<String>,
    /// What it stands in, the outermost first.
    pub ancestors: Vec<Ancestor>,
}

/// What a field stands in: a struct, a map or a list. As long as there is nothing in it, its marker stands at its path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ancestor {
    /// Where it stands.
    pub path: String,
    /// Whether it is in an `Option`. If nothing at all is stored of it then it is `None`, and there is nothing to change
    /// in it.
    pub optional: bool,
    /// `{}` or `[]`.
    pub marker: &'static str,
}

impl Ancestor {
    /// What stands at this path.
    #[must_use]
    pub fn new(path: String, optional: bool, marker: &'static str) -> Self {
        Self {
            path,
            optional,
            marker,
        }
    }
}

impl Place {
    /// A field at this path.
    #[must_use]
    pub fn new(path: String, others: Vec<String>, ancestors: Vec<Ancestor>) -> Self {
        Self {
            path,
            others,
            ancestors,
        }
    }
}

/// A change of one living entity: of some of its fields, of its term, or of both. Never brings one into being.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Update {
    /// The id, as it stands in the key.
    pub id: String,
    /// In the order in which they are done.
    pub changes: Vec<Change>,
    /// The term that it gets; `None` keeps what remains.
    pub term: Option<WriteTerm>,
    /// Where the version stands, if it is to count on by one.
    pub version_path: Option<&'static str>,
    /// What has to hold.
    pub condition: Option<Condition>,
}

impl Update {
    /// Changes nothing yet.
    #[must_use]
    pub fn new(id: String) -> Self {
        Self {
            id,
            changes: Vec::new(),
            term: None,
            version_path: None,
            condition: None,
        }
    }
}

/// One entity to be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delete {
    /// The id, as it stands in the key.
    pub id: String,
    /// What has to hold.
    pub condition: Option<Condition>,
}

impl Delete {
    /// Deletes what is there.
    #[must_use]
    pub fn new(id: String) -> Self {
        Self { id, condition: None }
    }
}

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Saved {
    /// Whether there was no living entity with this id before.
    pub created: bool,
    /// The deadline that was set, in milliseconds since 1970 by the backend's clock; `None` is persistent.
    pub deadline: Option<u64>,
    /// What the backend's clock said.
    pub now: u64,
}

impl Saved {
    /// The answer to a write.
    #[must_use]
    pub fn new(created: bool, deadline: Option<u64>, now: u64) -> Self {
        Self {
            created,
            deadline,
            now,
        }
    }
}
