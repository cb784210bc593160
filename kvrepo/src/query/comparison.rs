//! Comparing a field with a value, by its range index.

use crate::backend::{Edge, Plan};

/// The place of a value in a range index.
pub(crate) struct Bound {
    /// The index.
    pub(super) name: String,
    /// The key that the value has there.
    pub(super) key: Vec<u8>,
}

/// How a field compares with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    StartsWith,
}

impl Comparison {
    /// Those whose field compares so. Nothing is less than what has no place, as `NaN`, or more.
    pub(crate) fn plan(self, bound: Option<Bound>) -> Plan {
        let Some(Bound { name, key }) = bound else {
            return Plan::nothing();
        };
        let (from, to) = match self {
            Self::Less => (Edge::Open, Edge::Excluded(key)),
            Self::LessOrEqual => (Edge::Open, Edge::Included(key)),
            Self::Greater => (Edge::Excluded(key), Edge::Open),
            Self::GreaterOrEqual => (Edge::Included(key), Edge::Open),
            Self::StartsWith => (Edge::Included(key.clone()), Edge::Behind(key)),
        };
        Plan::Range { name, from, to }
    }
}

/// Those whose field is between these, or one of them. Nothing is between what has no place and anything.
pub(crate) fn between(least: Option<Bound>, greatest: Option<Bound>) -> Plan {
    match least.zip(greatest) {
        Some((least, greatest)) => Plan::Range {
            name: least.name,
            from: Edge::Included(least.key),
            to: Edge::Included(greatest.key),
        },
        None => Plan::nothing(),
    }
}
