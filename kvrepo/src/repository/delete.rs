//! Deleting.

use super::{Repository, codec};
use crate::entity::{IdArg, KvEntity};
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
        self.delete_id(codec::id_of(entity)?).await
    }

    /// Deletes the entity with this id; says whether it was alive. See [`delete`](Self::delete).
    ///
    /// # Errors
    ///
    /// Those of [`delete`](Self::delete).
    pub async fn delete_by_id(&self, id: impl IdArg<T::Id>) -> Result<bool> {
        self.delete_id(codec::id_to_find::<T>(&id)?).await
    }

    async fn delete_id(&self, id: String) -> Result<bool> {
        let results = self
            .store
            .backend()
            .delete(&self.registered()?.keyspace, &[id])
            .await?;
        results.into_iter().next().unwrap_or(Ok(false))
    }

    /// Deletes the entities with these ids; returns how many of them were alive. One round trip for each 256 ids.
    ///
    /// # Errors
    ///
    /// [`Error::Batch`] if some could not be deleted, with the reason for each; the others are deleted.
    pub async fn delete_all_by_id<I: IdArg<T::Id>>(&self, ids: impl IntoIterator<Item = I>) -> Result<u64> {
        let mut keys = Vec::new();
        let (mut indices, mut failures, mut total) = (Vec::new(), Vec::new(), 0);
        for (index, id) in ids.into_iter().enumerate() {
            total += 1;
            match codec::id_to_find::<T>(&id) {
                Ok(key) => {
                    keys.push(key);
                    indices.push(index);
                }
                Err(error) => failures.push(ItemFailure::new(index, error)),
            }
        }
        let mut deleted = 0;
        let results = self
            .store
            .backend()
            .delete(&self.registered()?.keyspace, &keys)
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
            let page = backend.scan(&registered.keyspace, cursor.as_deref()).await?;
            for result in backend.delete(&registered.keyspace, &page.ids).await? {
                deleted += u64::from(result?);
            }
            match page.next {
                Some(next) => cursor = Some(next),
                None => return Ok(deleted),
            }
        }
    }
}
