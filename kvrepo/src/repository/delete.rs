//! Deleting.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use super::{Repository, codec};
use crate::backend::{Condition, Delete, PAGE};
use crate::entity::{IdArg, KvEntity, Versioned};
use crate::error::{Error, ItemFailure, Result};

impl<T: KvEntity> Repository<T> {
    /// Deletes this entity; says whether it was alive. Afterwards nothing of it is left, but for events of earlier
    /// lives. What had expired already becomes its event, as if it had not been deleted.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidId`] if the entity has no id, [`Error::KeyCollision`], [`Error::Backend`] and
    /// [`Error::Timeout`].
    pub async fn delete(&self, entity: &T) -> Result<bool> {
        self.delete_one(Delete::new(codec::id_of(entity)?)).await
    }

    /// Deletes the entity with this id; says whether it was alive. See [`delete`](Self::delete).
    ///
    /// # Errors
    ///
    /// When awaited, those of [`delete`](Self::delete).
    pub fn delete_by_id(&self, id: impl IdArg<T::Id>) -> DeleteById<'_, T> {
        DeleteById {
            repository: self,
            delete: codec::id_to_find::<T>(id).map(Delete::new),
        }
    }

    /// Deletes the entity with this id and returns it, in one step: of many who ask for it one gets it. `None` if it is
    /// not there. For codes that can be used once.
    ///
    /// # Errors
    ///
    /// Those of [`delete`](Self::delete); and [`Error::Decode`] if what was stored is not a `T`, which is deleted then all
    /// the same.
    pub async fn take(&self, id: impl IdArg<T::Id>) -> Result<Option<T>> {
        let registered = self.registered()?;
        let id = codec::id_to_find::<T>(id)?;
        let taken = self.store.backend().take(&registered.keyspace, &id).await?;
        taken
            .map(|loaded| codec::decode_loaded(&id, &loaded, registered.default_term))
            .transpose()
    }

    async fn delete_one(&self, delete: Delete) -> Result<bool> {
        let keyspace = &self.registered()?.keyspace;
        let results = self.store.backend().delete(keyspace, &[delete]).await?;
        results.into_iter().next().unwrap_or(Ok(false))
    }

    /// Deletes the entities with these ids; returns how many of them were alive. One round trip for each 256 ids.
    ///
    /// # Errors
    ///
    /// [`Error::Batch`] if some could not be deleted, with the reason for each; the others are deleted.
    pub async fn delete_all_by_id<I: IdArg<T::Id>>(&self, ids: impl IntoIterator<Item = I>) -> Result<u64> {
        let mut deletes = Vec::new();
        let (mut indices, mut failures, mut total) = (Vec::new(), Vec::new(), 0);
        for (index, id) in ids.into_iter().enumerate() {
            total += 1;
            match codec::id_to_find::<T>(id) {
                Ok(key) => {
                    deletes.push(Delete::new(key));
                    indices.push(index);
                }
                Err(error) => failures.push(ItemFailure::new(index, error)),
            }
        }
        let mut deleted = 0;
        let results = self
            .store
            .backend()
            .delete(&self.registered()?.keyspace, &deletes)
            .await?;
        for (index, result) in indices.into_iter().zip(results) {
            match result {
                Ok(alive) => deleted += u64::from(alive),
                Err(error) => failures.push(ItemFailure::new(index, error)),
            }
        }
        if failures.is_empty() {
            return Ok(deleted);
        }
        failures.sort_by_key(|failure| failure.index);
        Err(Error::Batch { total, failures })
    }

    /// Deletes all entities, in portions; returns how many were alive. Only what the keyspace's own ids name is
    /// touched, never a key that merely begins alike. Entities saved meanwhile may stay.
    ///
    /// # Errors
    ///
    /// [`Error::KeyCollision`], [`Error::Backend`] and [`Error::Timeout`]; what was deleted before stays deleted.
    pub async fn delete_all(&self) -> Result<u64> {
        let registered = self.registered()?;
        let backend = self.store.backend();
        let (mut deleted, mut cursor) = (0, None::<String>);
        loop {
            let page = backend
                .scan(&registered.keyspace, cursor.as_deref(), PAGE)
                .await?;
            let deletes: Vec<_> = page.ids.into_iter().map(Delete::new).collect();
            for result in backend.delete(&registered.keyspace, &deletes).await? {
                deleted += u64::from(result?);
            }
            match page.next {
                Some(next) => cursor = Some(next),
                None => return Ok(deleted),
            }
        }
    }
}

/// A deletion to be awaited. See [`Repository::delete_by_id`].
#[derive(Debug)]
#[must_use = "nothing is deleted until this is awaited"]
pub struct DeleteById<'a, T: KvEntity> {
    repository: &'a Repository<T>,
    delete: Result<Delete>,
}

impl<T: Versioned> DeleteById<'_, T> {
    /// Only if the entity has this version; else, and also if it is not there, [`Error::VersionConflict`].
    pub fn if_version(mut self, version: u64) -> Self {
        if let (Ok(delete), Some(path)) = (&mut self.delete, T::SCHEMA.version_path) {
            delete.condition = Some(Condition::Version {
                path,
                expected: version,
            });
        }
        self
    }
}

impl<'a, T: KvEntity> IntoFuture for DeleteById<'a, T> {
    type Output = Result<bool>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.repository.delete_one(self.delete?).await })
    }
}
