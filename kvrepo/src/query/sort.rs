//! What finds are sorted by.

use std::fmt;
use std::marker::PhantomData;

use crate::backend::SortKey;
use crate::error::{Error, Result};

/// The order of finds: by one field after the other, and in the end by the ids, so that it is the same each time.
///
/// Numbers, durations and times sort as such, all else by the bytes of its text. What is `None` comes first, and last of a
/// descending sort.
///
/// ```
/// # use kvrepo::{KvEntity, Sort};
/// # use serde::{Serialize, Deserialize};
/// # #[derive(Serialize, Deserialize, KvEntity)]
/// # struct Person { #[id] id: u32, city: String, age: u8 }
/// let person = Person::fields();
/// let sort: Sort<Person> = person.city.asc().then(person.age.desc());
/// ```
#[must_use = "it says in what order; hand it to `sort`"]
pub struct Sort<E> {
    keys: Result<Vec<SortKey>>,
    entity: PhantomData<fn() -> E>,
}

impl<E> fmt::Debug for Sort<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sort").field(&self.keys).finish()
    }
}

impl<E> Sort<E> {
    /// By the ids alone.
    pub fn by_id() -> Self {
        Self::new(Ok(Vec::new()))
    }

    pub(super) fn new(keys: Result<Vec<SortKey>>) -> Self {
        Self {
            keys,
            entity: PhantomData,
        }
    }

    /// And what is equal by that, by this.
    pub fn then(mut self, then: Self) -> Self {
        match (&mut self.keys, then.keys) {
            (Ok(keys), Ok(then)) => keys.extend(then),
            (keys @ Ok(_), Err(error)) => *keys = Err(error),
            (Err(_), _) => {}
        }
        self
    }

    pub(crate) fn into_keys(self) -> Result<Vec<SortKey>> {
        self.keys
    }
}

/// What is said of a field that nothing can be sorted by.
pub(super) fn unfit(entity: &'static str, path: &str, reason: &str) -> Error {
    Error::InvalidSetting {
        what: "sort key",
        name: format!("{entity}.{path}"),
        reason: reason.to_owned(),
    }
}
