//! Giving a living entity another term.

use std::time::{Duration, SystemTime};

use super::{Repository, codec, writing};
use crate::backend::Update;
use crate::entity::{IdArg, KvEntity};
use crate::error::Result;
use crate::term::{self, Term};

impl<T: KvEntity> Repository<T> {
    /// Lets a living entity expire after this term, at least a millisecond; says whether there is one. It ends an idle
    /// term.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidTimeToLive`](crate::Error::InvalidTimeToLive) with nothing changed,
    /// [`Error::InvalidId`](crate::Error::InvalidId), [`Error::KeyCollision`](crate::Error::KeyCollision),
    /// [`Error::Backend`](crate::Error::Backend) and [`Error::Timeout`](crate::Error::Timeout).
    pub async fn expire(&self, id: impl IdArg<T::Id>, term: Duration) -> Result<bool> {
        self.give_term(codec::id_to_find::<T>(id)?, Term::Ttl(term)).await
    }

    /// Lets a living entity expire at this time by the server's clock; says whether there is one. It ends an idle term.
    ///
    /// # Errors
    ///
    /// [`Error::DeadlinePassed`](crate::Error::DeadlinePassed) with nothing changed, if that time is over; and those of
    /// [`expire`](Self::expire).
    pub async fn expire_at(&self, id: impl IdArg<T::Id>, deadline: SystemTime) -> Result<bool> {
        self.give_term(codec::id_to_find::<T>(id)?, Term::At(deadline))
            .await
    }

    /// Lets a living entity never expire; says whether there is one. It ends an idle term.
    ///
    /// # Errors
    ///
    /// Those of [`expire`](Self::expire).
    pub async fn persist(&self, id: impl IdArg<T::Id>) -> Result<bool> {
        self.give_term(codec::id_to_find::<T>(id)?, Term::Persistent)
            .await
    }

    async fn give_term(&self, id: String, term: Term) -> Result<bool> {
        let mut update = Update::new(id);
        update.term = term::of_call(T::SCHEMA.entity, term)?;
        self.change(update).await
    }

    /// Does an update; says whether there was an entity.
    pub(super) async fn change(&self, update: Update) -> Result<bool> {
        let registered = self.registered()?;
        self.before_terms(registered, update.term.into_iter());
        let keyspace = &registered.keyspace;
        let results = self.store.backend().update(keyspace, &[update]).await?;
        let Some(saved) = results.into_iter().next().transpose()?.flatten() else {
            return Ok(false);
        };
        writing::after_terms(registered, std::iter::once(&saved));
        Ok(true)
    }
}
