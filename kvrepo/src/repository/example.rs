//! Finding by an example.

use std::fmt;
use std::marker::PhantomData;

use super::{Find, Repository, codec};
use crate::backend::index::{Entry, for_each};
use crate::backend::{Edge, Index, IndexKind, Plan};
use crate::entity::{KvEntity, KvId};
use crate::error::{Error, Result};
use crate::mapping::{Record, Step, within};
use crate::query::{FieldHandle, Filter, exactly};

/// What is looked for, as an entity that is filled as far as that is known. See [`Repository::find_by_example`].
#[must_use = "it says what is looked for; hand it to `find_by_example`"]
pub struct Example<T> {
    /// What is stored of the probe.
    record: Result<Record>,
    /// The id, where there need not be one.
    id: Option<String>,
    ignored: Vec<String>,
    any: bool,
    entity: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for Example<T> {
    /// Without values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Example")
            .field("record", &self.record)
            .field("ignored", &self.ignored)
            .field("any", &self.any)
            .finish_non_exhaustive()
    }
}

impl<T: KvEntity> Example<T> {
    /// Looks for entities like this one.
    pub fn of(probe: &T) -> Self {
        let generated = T::generate_id().is_some();
        Self {
            record: codec::encode(probe),
            id: probe
                .id()
                .filter(|_| generated)
                .map(|id| id.to_key().into_owned()),
            ignored: Vec::new(),
            any: false,
            entity: PhantomData,
        }
    }

    /// Whatever this field holds. For fields without an `Option`, which always hold something.
    pub fn ignoring(mut self, field: impl FieldHandle<T>) -> Self {
        match field.target().place() {
            Ok(place) => self.ignored.push(place.path),
            Err(error) => self.record = Err(error),
        }
        self
    }

    /// One of the fields has to be as in the example, and not all of them.
    pub fn any(mut self) -> Self {
        self.any = true;
        self
    }

    fn plan(self, indexes: &[Index]) -> Result<Plan> {
        let schema = T::SCHEMA;
        let refused = |reason: String| Error::InvalidSetting {
            what: "example",
            name: schema.entity.to_owned(),
            reason,
        };
        let record = self.record?;
        let counts = |path: &str| !self.ignored.iter().any(|ignored| within(path, ignored));
        let mut parts: Vec<Plan> = self.id.into_iter().map(|id| Plan::Ids(vec![id])).collect();
        for index in best(indexes) {
            if counts(&shown(index)) {
                // What cannot be indexed cannot be stored either, so nothing is like it.
                let add = |keys: &[&str], entry| parts.extend(plan(index, keys, entry));
                for_each(index, &record, add).map_err(|misfit| Error::Encode {
                    entity: schema.entity,
                    path: misfit.path,
                    reason: misfit.reason,
                })?;
            }
        }
        let others: Vec<(String, Vec<u8>)> = record
            .iter()
            .filter(|(path, _)| {
                counts(path)
                    && schema
                        .optional_paths
                        .iter()
                        .any(|optional| within(path, optional))
            })
            .map(|(path, value)| (path.to_owned(), value.to_vec()))
            .collect();
        let unindexed = || {
            others
                .iter()
                .map(|(path, _)| format!("`{path}`"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        if parts.is_empty() {
            return Err(refused(if others.is_empty() {
                "nothing is filled in that is indexed, and without that it would be everything; fill in an indexed field"
                    .to_owned()
            } else {
                format!(
                    "of what is filled in, {} is not indexed; add `#[indexed]`, or fill in a field with it",
                    unindexed()
                )
            }));
        }
        if self.any && !others.is_empty() {
            return Err(refused(format!(
                "{} is not indexed, so it cannot be one of several that suffice; ignore it, or add `#[indexed]`",
                unindexed()
            )));
        }
        if !others.is_empty() {
            parts.push(Plan::Stored(others));
        }
        Ok(match (parts.len(), self.any) {
            (1, _) => parts.remove(0),
            (_, true) => Plan::Or(parts),
            (_, false) => Plan::And(parts, Vec::new()),
        })
    }
}

/// Of the indexes of each field the one that is asked first.
fn best(indexes: &[Index]) -> impl Iterator<Item = &Index> {
    let rank = |index: &Index| match index.kind() {
        IndexKind::Unique => 0,
        IndexKind::Equality => 1,
        IndexKind::Range(_) => 2,
        IndexKind::Geo => 3,
    };
    indexes.iter().filter(move |index| {
        let same = indexes.iter().filter(|other| other.path() == index.path());
        rank(index) < 3 && same.map(rank).min() == Some(rank(index))
    })
}

/// The path of an index as that of a field is told.
fn shown(index: &Index) -> String {
    let names = index.path().iter().filter_map(|step| match step {
        Step::Field(name) => Some(*name),
        Step::Each | Step::Entry => None,
    });
    names.collect::<Vec<_>>().join(".")
}

/// What finds those that have this entry, which stands under these keys of maps.
fn plan(index: &Index, keys: &[&str], entry: Entry) -> Option<Plan> {
    Some(match entry {
        Entry::Equality { name, value } => {
            let values = vec![value];
            Plan::Equality {
                exact: exactly(index.path(), keys, &values),
                name,
                values,
            }
        }
        Entry::Unique { name, value } => Plan::Unique {
            name,
            values: vec![value],
        },
        Entry::Range { name, key } => Plan::Range {
            name,
            from: Edge::Included(key.clone()),
            to: Edge::Included(key),
        },
        Entry::Geo { .. } => return None,
    })
}

impl<T: KvEntity> Repository<T> {
    /// Finds entities like an example: all of its indexed fields count that are not `None`, of lists and maps each element, and
    /// of an id that is generated the id. A field in an `Option` that is not indexed counts as well if it is there, and is
    /// compared with what is stored of those that the others find. To be sorted, cut and counted as any [`Find`].
    ///
    /// ```
    /// # use kvrepo::{Example, KvEntity, Store};
    /// # use serde::{Serialize, Deserialize};
    /// #[derive(Debug, Default, PartialEq, Serialize, Deserialize, KvEntity)]
    /// struct Person {
    ///     #[id]
    ///     id: Option<String>,
    ///     #[indexed]
    ///     city: Option<String>,
    ///     #[indexed]
    ///     trade: Option<String>,
    ///     #[indexed]
    ///     active: bool,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let people = Store::in_memory().repository::<Person>();
    /// # for (city, trade) in [("Oslo", "cook"), ("Oslo", "smith"), ("Bergen", "cook")] {
    /// #     let (city, trade) = (Some(city.into()), Some(trade.into()));
    /// #     people.save(&mut Person { id: None, city, trade, active: true }).await?;
    /// # }
    /// let probe = Person { city: Some("Oslo".into()), trade: Some("cook".into()), ..Person::default() };
    /// let example = || Example::of(&probe).ignoring(Person::fields().active);
    /// assert_eq!(people.find_by_example(example()).count().await?, 1);
    /// assert_eq!(people.find_by_example(example().any()).count().await?, 3);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When awaited: [`Error::InvalidSetting`] if nothing is filled in that is indexed, which is never taken for everything, or if
    /// a field that is not indexed is to suffice after [`any`](Example::any); and those of [`find`](Self::find).
    pub fn find_by_example(&self, example: Example<T>) -> Find<'_, T> {
        let plan = self
            .registered()
            .and_then(|registered| example.plan(registered.keyspace.indexes()));
        self.find(Filter::new(plan))
    }
}
