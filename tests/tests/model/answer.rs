//! What a call answers, as the oracle and a repository both say it.

use std::time::Duration;

use kvrepo::{Error, TimeToLive};

use crate::item::Item;

/// Times are milliseconds since the sequence began.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Saved(Saved),
    /// Each of them, or the places and the faults of those that failed.
    AllSaved(Result<Vec<Saved>, Vec<(usize, Fault)>>),
    Done(bool),
    Counted(u64),
    Found(Option<Item>),
    /// Sorted by id where no order is promised.
    AllFound(Vec<Item>),
    Entry(Option<Entry>),
    Left(Left),
    Swept {
        expired: u64,
        repaired: u64,
    },
    Refused(Fault),
    Nothing,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Saved {
    pub(crate) created: bool,
    pub(crate) deadline: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) item: Item,
    pub(crate) left: Left,
    pub(crate) deadline: Option<u64>,
    pub(crate) idle: Option<u64>,
}

/// What is left of a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Left {
    Missing,
    Persistent,
    In(u64),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fault {
    InvalidTerm,
    Passed,
    Exists,
    /// With the path.
    Encode(String),
    /// Any that is never expected.
    Other(String),
}

impl From<TimeToLive> for Left {
    fn from(left: TimeToLive) -> Self {
        match left {
            TimeToLive::Missing => Self::Missing,
            TimeToLive::Persistent => Self::Persistent,
            TimeToLive::In(left) => Self::In(millis(left)),
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match error {
            Error::InvalidTimeToLive { entity: "Item", .. } => Self::InvalidTerm,
            Error::DeadlinePassed { entity: "Item", .. } => Self::Passed,
            Error::AlreadyExists { .. } => Self::Exists,
            Error::Encode {
                entity: "Item", path, ..
            } => Self::Encode(path),
            other => Self::Other(format!("{other:?}")),
        }
    }
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Whether two times are the same, but for what passes during a call.
pub(crate) fn near(a: u64, b: u64, tolerance: Duration) -> bool {
    a.abs_diff(b) <= millis(tolerance)
}

impl Answer {
    /// Whether this answer is the expected one, but for times that differ by no more than the tolerance.
    pub(crate) fn agrees(&self, expected: &Self, tolerance: Duration) -> bool {
        // Takes over the times that are near enough, and compares the rest as it is.
        let mut own = self.clone();
        own.adopt(expected, tolerance);
        own == *expected
    }

    fn adopt(&mut self, expected: &Self, tolerance: Duration) {
        match (self, expected) {
            (Self::Saved(own), Self::Saved(expected)) => {
                adopt(&mut own.deadline, expected.deadline, tolerance);
            }
            (Self::AllSaved(Ok(own)), Self::AllSaved(Ok(expected))) => {
                for (own, expected) in own.iter_mut().zip(expected) {
                    adopt(&mut own.deadline, expected.deadline, tolerance);
                }
            }
            (Self::Found(Some(own)), Self::Found(Some(expected))) => adopt_shown(own, expected, tolerance),
            (Self::AllFound(own), Self::AllFound(expected)) => {
                for (own, expected) in own.iter_mut().zip(expected) {
                    adopt_shown(own, expected, tolerance);
                }
            }
            (Self::Entry(Some(own)), Self::Entry(Some(expected))) => {
                adopt_shown(&mut own.item, &expected.item, tolerance);
                adopt(&mut own.deadline, expected.deadline, tolerance);
                own.left.adopt(expected.left, tolerance);
            }
            (Self::Left(own), Self::Left(expected)) => own.adopt(*expected, tolerance),
            _ => {}
        }
    }
}

impl Left {
    fn adopt(&mut self, expected: Self, tolerance: Duration) {
        if let (Self::In(own), Self::In(expected)) = (self, expected)
            && near(*own, expected, tolerance)
        {
            *own = expected;
        }
    }
}

fn adopt(own: &mut Option<u64>, expected: Option<u64>, tolerance: Duration) {
    if let (Some(own), Some(expected)) = (own, expected)
        && near(*own, expected, tolerance)
    {
        *own = expected;
    }
}

/// The seconds that are left, which an item shows. What is no term is the same to the second.
fn adopt_shown(own: &mut Item, expected: &Item, tolerance: Duration) {
    if let (Some(shown @ 1..), Some(expected @ 1..)) = (&mut own.ttl, expected.ttl)
        && shown.abs_diff(expected) <= tolerance.as_secs()
    {
        *shown = expected;
    }
}
