//! Saving and inserting.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::SystemTime;

use super::Repository;
use super::call_term::term_of_the_call;
use super::codec::system_time;
use super::writing::Options;
use crate::backend::Saved;
use crate::entity::{KvEntity, Versioned};
use crate::error::Result;
use crate::term::Term;

/// What a save did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SaveOutcome {
    /// Whether there was no living entity with this id before.
    pub created: bool,
    /// When the entity expires, by the server's clock; `None` is never.
    pub deadline: Option<SystemTime>,
}

impl From<Saved> for SaveOutcome {
    fn from(saved: Saved) -> Self {
        Self {
            created: saved.created,
            deadline: saved.deadline.map(system_time),
        }
    }
}

impl<T: KvEntity> Repository<T> {
    /// Saves an entity whole, replacing what its id held. One atomic step: whoever reads meanwhile finds the old
    /// entity or the new one.
    ///
    /// An id that is `None` is generated, and set in `entity`. The term is the call's own, or else that of the
    /// entity's `#[time_to_live]` or `#[expires_at]` field or method unless that is `None`, or else that of the store's
    /// settings, or else that of the entity's attribute; without any, the entity never expires. A term that was read
    /// back is what remains, so saving an entity as it was found keeps its deadline.
    ///
    /// With a `#[version]` field the entity is only saved if what is stored has the version that `entity` has (a new
    /// entity, of version 0 or `None`, if there is none), and has the next one afterwards.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use kvrepo::{KvEntity, Store, TimeToLive};
    /// # use serde::{Serialize, Deserialize};
    /// # #[derive(Serialize, Deserialize, KvEntity)]
    /// # struct Code { #[id] id: Option<String>, digits: u32 }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let codes = Store::in_memory().repository::<Code>();
    /// let mut code = Code { id: None, digits: 4711 };
    /// codes.save(&mut code).time_to_live(Duration::from_secs(60)).await?;
    /// let id = code.id.unwrap();
    /// assert!(matches!(codes.time_to_live(&id).await?, TimeToLive::In(_)));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When awaited, and with nothing written: [`Error::InvalidId`], [`Error::InvalidTimeToLive`],
    /// [`Error::DeadlinePassed`], [`Error::Encode`], [`Error::KeyCollision`], [`Error::VersionConflict`]; and
    /// [`Error::Backend`] or [`Error::Timeout`], of which [`Error::is_outcome_unknown`] says whether something may have
    /// been written.
    ///
    /// [`Error::InvalidId`]: crate::Error::InvalidId
    /// [`Error::InvalidTimeToLive`]: crate::Error::InvalidTimeToLive
    /// [`Error::DeadlinePassed`]: crate::Error::DeadlinePassed
    /// [`Error::Encode`]: crate::Error::Encode
    /// [`Error::KeyCollision`]: crate::Error::KeyCollision
    /// [`Error::VersionConflict`]: crate::Error::VersionConflict
    /// [`Error::Backend`]: crate::Error::Backend
    /// [`Error::Timeout`]: crate::Error::Timeout
    /// [`Error::is_outcome_unknown`]: crate::Error::is_outcome_unknown
    pub fn save<'a>(&'a self, entity: &'a mut T) -> Save<'a, T> {
        Save {
            repository: self,
            entity,
            term: Term::Declared,
            version: None,
        }
    }

    /// Saves an entity whose id is not there: never saved, deleted, or expired, if only a moment ago. Else as
    /// [`save`](Self::save).
    ///
    /// # Errors
    ///
    /// When awaited: [`Error::AlreadyExists`](crate::Error::AlreadyExists) if there is a living entity with this id,
    /// with nothing written; and those of [`save`](Self::save).
    pub fn insert<'a>(&'a self, entity: &'a mut T) -> Insert<'a, T> {
        Insert {
            repository: self,
            entity,
            term: Term::Declared,
        }
    }

    /// Saves many entities, as [`save`](Self::save) does each, in as few round trips as memory allows.
    ///
    /// # Errors
    ///
    /// When awaited: [`Error::Batch`](crate::Error::Batch) if some could not be saved, with the reason for each. The
    /// others are saved.
    pub fn save_all<'a>(&'a self, entities: &'a mut [T]) -> SaveAll<'a, T> {
        SaveAll {
            repository: self,
            entities,
            term: Term::Declared,
        }
    }

    /// Inserts many entities, as [`insert`](Self::insert) does each, in as few round trips as memory allows.
    ///
    /// # Errors
    ///
    /// When awaited: [`Error::Batch`](crate::Error::Batch) if some could not be inserted, with the reason for each. The
    /// others are.
    pub fn insert_all<'a>(&'a self, entities: &'a mut [T]) -> InsertAll<'a, T> {
        InsertAll {
            repository: self,
            entities,
            term: Term::Declared,
        }
    }
}

/// A save to be awaited. See [`Repository::save`].
#[derive(Debug)]
#[must_use = "nothing is saved until this is awaited"]
pub struct Save<'a, T: KvEntity> {
    repository: &'a Repository<T>,
    entity: &'a mut T,
    term: Term,
    version: Option<u64>,
}

impl<T: Versioned> Save<'_, T> {
    /// Only if what is stored has this version, whatever the entity's own is; 0 is that of what is not there.
    pub fn if_version(mut self, version: u64) -> Self {
        self.version = Some(version);
        self
    }
}

/// An insertion to be awaited. See [`Repository::insert`].
#[derive(Debug)]
#[must_use = "nothing is inserted until this is awaited"]
pub struct Insert<'a, T: KvEntity> {
    repository: &'a Repository<T>,
    entity: &'a mut T,
    term: Term,
}

/// A save of many to be awaited. See [`Repository::save_all`].
#[derive(Debug)]
#[must_use = "nothing is saved until this is awaited"]
pub struct SaveAll<'a, T: KvEntity> {
    repository: &'a Repository<T>,
    entities: &'a mut [T],
    term: Term,
}

/// An insertion of many to be awaited. See [`Repository::insert_all`].
#[derive(Debug)]
#[must_use = "nothing is inserted until this is awaited"]
pub struct InsertAll<'a, T: KvEntity> {
    repository: &'a Repository<T>,
    entities: &'a mut [T],
    term: Term,
}

term_of_the_call! {
    Save<T: KvEntity>
    Insert<T: KvEntity>
    SaveAll<T: KvEntity>
    InsertAll<T: KvEntity>
}

impl<'a, T: KvEntity> IntoFuture for Save<'a, T> {
    type Output = Result<SaveOutcome>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        let options = Options {
            version: self.version,
            ..Options::saving(self.term)
        };
        Box::pin(self.repository.write_one(self.entity, options))
    }
}

impl<'a, T: KvEntity> IntoFuture for Insert<'a, T> {
    type Output = Result<SaveOutcome>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(
            self.repository
                .write_one(self.entity, Options::inserting(self.term)),
        )
    }
}

impl<'a, T: KvEntity> IntoFuture for SaveAll<'a, T> {
    type Output = Result<Vec<SaveOutcome>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(
            self.repository
                .write_many(self.entities, Options::saving(self.term)),
        )
    }
}

impl<'a, T: KvEntity> IntoFuture for InsertAll<'a, T> {
    type Output = Result<Vec<SaveOutcome>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(
            self.repository
                .write_many(self.entities, Options::inserting(self.term)),
        )
    }
}
