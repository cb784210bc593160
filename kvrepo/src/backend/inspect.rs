//! Whether all that belongs together agrees: hashes, ids, indexes, phantoms and deadlines.

/// What to look at, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inspect {
    /// Where to go on; `None` begins.
    pub cursor: Option<String>,
    /// About how much to look at in this call.
    pub count: usize,
    /// Whether to mend what disagrees.
    pub mend: bool,
    /// Where the id stands in a hash: a hash that is not listed is taken for an entity if it holds its id there.
    pub id_path: &'static str,
}

impl Inspect {
    /// Looks at what comes behind a cursor.
    #[must_use]
    pub fn new(cursor: Option<String>, count: usize, mend: bool, id_path: &'static str) -> Self {
        Self {
            cursor,
            count,
            mend,
            id_path,
        }
    }
}

/// What was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Inspected {
    /// What disagrees, or did.
    pub findings: Vec<Finding>,
    /// How much was looked at in this call: ids, and then keys.
    pub looked: u64,
    /// How much there is to look at in all, as far as that can be told.
    pub total: u64,
    /// Where to go on; `None` when all was looked at.
    pub next: Option<String>,
}

/// Something that disagrees.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The id of the entity.
    pub id: String,
    /// What is wrong with it.
    pub disagreement: Disagreement,
}

impl Finding {
    /// Something that disagrees.
    #[must_use]
    pub fn new(id: String, disagreement: Disagreement) -> Self {
        Self { id, disagreement }
    }
}

/// How things can disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Disagreement {
    /// The id is listed, and there is no entity: it was evicted, or deleted by another client. Mended by taking all away that
    /// is left of it.
    Gone,
    /// A phantom, a deadline or a helper is left of an entity that is not there, nor listed. Mended by taking it away.
    Left,
    /// There is a hash under an entity's key, and its id is not listed. Mended by listing it, if it holds that id.
    Unlisted,
    /// The deadline is not that of the entity's TTL. Mended by that of the TTL.
    Deadline,
    /// The phantom is missing, differs from the entity or ends at the wrong time, or is there and should not. Mended by a new
    /// copy, or by taking it away.
    Phantom,
    /// An index does not have the entity under a value that it has. Mended by putting it there.
    Missing(String),
    /// An index has the entity, or one that is not there, under a value that it does not have. Mended by taking it out.
    Stale(String),
    /// A unique value is that of another living entity as well. Not mended: change one of the two.
    Taken(String),
}
