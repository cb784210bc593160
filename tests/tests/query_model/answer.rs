//! What a call answers, as the oracle and a repository both say it.

use kvrepo::Error;

use crate::thing::Thing;

#[derive(Debug, Clone)]
#[expect(dead_code, reason = "answers are compared by their texts")]
pub(crate) enum Answer {
    /// Whether it was created.
    Saved(bool),
    /// Each of them, or the places and the faults of those that failed.
    AllSaved(Result<Vec<bool>, Vec<(usize, Fault)>>),
    Done(bool),
    Counted(u64),
    Found(Option<Box<Thing>>),
    Things(Vec<Thing>),
    Ids(Vec<String>),
    Page {
        things: Vec<Thing>,
        total: u64,
        more: bool,
    },
    /// How great each slice was, and what was in them.
    Walked(Vec<usize>, Vec<Thing>),
    Distances(Vec<(Thing, f64)>),
    /// What disagrees.
    Findings(Vec<String>),
    Refused(Fault),
    Nothing,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fault {
    Exists,
    Taken,
    NotUnique,
    /// A value that cannot be stored.
    Unfit,
    /// An example, or a filter with distances, that cannot be used.
    Setting,
    /// Any that is never expected.
    Other(String),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match error {
            Error::AlreadyExists { .. } => Self::Exists,
            Error::UniqueViolation { field, .. } if field == "mail" => Self::Taken,
            Error::NotUnique { .. } => Self::NotUnique,
            Error::Encode { .. } => Self::Unfit,
            Error::InvalidSetting { what, .. }
                if what.starts_with("example") || what.starts_with("filter") =>
            {
                Self::Setting
            }
            other => Self::Other(format!("{other:?}")),
        }
    }
}

impl Answer {
    /// Whether this answer is the expected one, but for distances that differ by a few meters. By their texts, in which `NaN`
    /// is itself and `-0.0` is not `0.0`.
    pub(crate) fn agrees(&self, expected: &Self) -> bool {
        let mut own = self.clone();
        if let (Self::Distances(own), Self::Distances(expected)) = (&mut own, expected) {
            for (own, expected) in own.iter_mut().zip(expected) {
                if (own.1 - expected.1).abs() < 5.0 {
                    own.1 = expected.1;
                }
            }
        }
        format!("{own:?}") == format!("{expected:?}")
    }
}
