//! What is looked for: a plan over indexes, and how its finds are to be put in order and cut.

use super::Order;

/// Which entities are looked for. Names of indexes are those of [`Index::name`](super::Index::name), with the key of a map
/// in the place of its `*`; keys are those of the index's [`Order`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Plan {
    /// All.
    All,
    /// Those with one of these ids.
    Ids(Vec<String>),
    /// Those that an equality index has under one of these values.
    Equality {
        /// The index.
        name: String,
        /// The values.
        values: Vec<Vec<u8>>,
        /// Where the values stand, if the name and a value together could be another name and another value: then what is
        /// stored is looked at. With `*` for positions in lists.
        exact: Option<Vec<PathPart>>,
    },
    /// Those that hold one of these unique values.
    Unique {
        /// The index.
        name: String,
        /// The values.
        values: Vec<Vec<u8>>,
    },
    /// Those that a range index has between two keys.
    Range {
        /// The index.
        name: String,
        /// The least key.
        from: Edge,
        /// The greatest.
        to: Edge,
    },
    /// Those within an area.
    Within {
        /// The index.
        name: String,
        /// The area.
        area: Area,
    },
    /// Of those that others find, in an `And`: those whose hash has these fields.
    Stored(Vec<(String, Vec<u8>)>),
    /// Those that all of these find, and none of the second.
    And(Vec<Self>, Vec<Self>),
    /// Those that one of these finds.
    Or(Vec<Self>),
}

impl Plan {
    /// Finds nothing.
    #[must_use]
    pub fn nothing() -> Self {
        Self::Ids(Vec::new())
    }
}

/// A part of a path in the hash.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathPart {
    /// Just this text.
    Text(String),
    /// Any position in a list.
    Position,
}

/// An end of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edge {
    /// There is none.
    Open,
    /// This key, and what is equal to it.
    Included(Vec<u8>),
    /// This key, without what is equal to it.
    Excluded(Vec<u8>),
    /// Behind all texts that begin so.
    Behind(Vec<u8>),
}

/// A part of the earth's surface around a point.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Area {
    /// The longitude of its middle, in degrees.
    pub lon: f64,
    /// The latitude of its middle, in degrees.
    pub lat: f64,
    /// How far it goes.
    pub extent: Extent,
}

impl Area {
    /// An area around a point.
    #[must_use]
    pub fn new(lon: f64, lat: f64, extent: Extent) -> Self {
        Self { lon, lat, extent }
    }
}

/// How far an area goes, in meters.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Extent {
    /// So far in each direction.
    Radius(f64),
    /// So wide and so high.
    Box {
        /// From east to west.
        width: f64,
        /// From north to south.
        height: f64,
    },
}

/// One of the values that finds are sorted by. Those that have none come first, or last of a descending sort.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SortKey {
    /// Where it stands in the hash.
    pub path: String,
    /// What is less.
    pub order: Order,
    /// Whether the greatest comes first.
    pub descending: bool,
}

impl SortKey {
    /// Sorts by what stands at this path.
    #[must_use]
    pub fn new(path: String, order: Order, descending: bool) -> Self {
        Self {
            path,
            order,
            descending,
        }
    }
}

/// What to sort by.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Sorting {
    /// These, one after the other, and then the ids, by their bytes.
    By(Vec<SortKey>),
    /// The distance to the middle of an area, and then the ids.
    Distance {
        /// The geo index.
        name: String,
        /// The longitude of the middle.
        lon: f64,
        /// The latitude.
        lat: f64,
    },
}

/// A place in a sorted list of finds: just behind one that need not be there any more.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct After {
    /// The keys that it was sorted by, or the distance in meters.
    pub keys: Vec<Option<Vec<u8>>>,
    /// Its id.
    pub id: String,
}

impl After {
    /// Behind the entity with these keys and this id.
    #[must_use]
    pub fn new(keys: Vec<Option<Vec<u8>>>, id: String) -> Self {
        Self { keys, id }
    }
}

/// What to look for, and which part of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Select {
    /// Which entities.
    pub plan: Plan,
    /// In what order.
    pub sorting: Sorting,
    /// Only those behind this one.
    pub after: Option<After>,
    /// How many of these to leave out first.
    pub skip: usize,
    /// How many at most.
    pub limit: Option<usize>,
    /// Whether to look if the entities are there, for those whose entity was evicted or deleted by another client. Where
    /// there is a limit, those do not count; without one, who reads the entities finds out.
    pub look: bool,
    /// Whether ids of what has expired do no harm, since the entities are read, or asked for again, anyway. Then a backend may
    /// leave them in.
    pub loose: bool,
}

impl Select {
    /// All that the plan finds, by their ids.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        Self {
            plan,
            sorting: Sorting::By(Vec::new()),
            after: None,
            skip: 0,
            limit: None,
            look: false,
            loose: false,
        }
    }
}

/// One that was found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// The keys that it was sorted by.
    pub keys: Vec<Option<Vec<u8>>>,
    /// How far away it is, in meters, where that is what is sorted by.
    pub distance: Option<f64>,
}

impl Hit {
    /// An entity that was found.
    #[must_use]
    pub fn new(id: String) -> Self {
        Self {
            id,
            keys: Vec::new(),
            distance: None,
        }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Selected {
    /// The part that was asked for, in order.
    pub hits: Vec<Hit>,
    /// How many there are in all, before any part is cut out.
    pub total: u64,
    /// Ids that indexes name and whose entity is gone for another reason than its deadline.
    pub gone: Vec<String>,
}

impl Selected {
    /// Whether a script leaves the order to whoever asked: it is by ids alone, and all are wanted.
    pub(super) fn is_unordered(select: &Select) -> bool {
        matches!(&select.sorting, Sorting::By(keys) if keys.is_empty())
            && (&select.after, select.skip, select.limit) == (&None, 0, None)
    }
}
