//! Saving.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::{Duration, SystemTime};

use super::{Repository, codec};
use crate::backend::{Saved, Write, WriteTerm};
use crate::entity::KvEntity;
use crate::error::{Error, ItemFailure, Result};
use crate::store::Registered;
use crate::term::{self, CallTerm};

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
        let deadline = saved
            .deadline
            .map(|ms| SystemTime::UNIX_EPOCH + Duration::from_millis(ms));
        Self {
            created: saved.created,
            deadline,
        }
    }
}

impl<T: KvEntity> Repository<T> {
    /// Saves an entity whole, replacing what its id held. One atomic step: whoever reads meanwhile finds the old
    /// entity or the new one.
    ///
    /// An id that is `None` is generated, and set in `entity`. The term is the call's own, or else that of the
    /// entity's `#[time_to_live]` field or method unless that is `None`, or else that of the store's settings, or
    /// else that of the entity's attribute; without any, the entity never expires. A term that was read back is what
    /// remains, so saving an entity as it was found keeps its deadline.
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
    /// [`Error::DeadlinePassed`], [`Error::Encode`], [`Error::KeyCollision`]; and [`Error::Backend`] or
    /// [`Error::Timeout`], of which [`Error::is_outcome_unknown`] says whether something may have been written.
    pub fn save<'a>(&'a self, entity: &'a mut T) -> Save<'a, T> {
        Save {
            repository: self,
            entity,
            term: CallTerm::Unset,
        }
    }

    /// Saves many entities, as [`save`](Self::save) does each, in as few round trips as memory allows.
    ///
    /// # Errors
    ///
    /// When awaited: [`Error::Batch`] if some could not be saved, with the reason for each. The others are saved.
    pub fn save_all<'a>(&'a self, entities: &'a mut [T]) -> SaveAll<'a, T> {
        SaveAll {
            repository: self,
            entities,
            term: CallTerm::Unset,
        }
    }
}

/// A save to be awaited. See [`Repository::save`].
#[derive(Debug)]
#[must_use = "nothing is saved until this is awaited"]
pub struct Save<'a, T: KvEntity> {
    repository: &'a Repository<T>,
    entity: &'a mut T,
    term: CallTerm,
}

/// A save of many to be awaited. See [`Repository::save_all`].
#[derive(Debug)]
#[must_use = "nothing is saved until this is awaited"]
pub struct SaveAll<'a, T: KvEntity> {
    repository: &'a Repository<T>,
    entities: &'a mut [T],
    term: CallTerm,
}

macro_rules! term_of_the_call {
    ($request:ident) => {
        impl<T: KvEntity> $request<'_, T> {
            /// To expire after this term, whatever entity and settings say. At least a millisecond.
            pub fn time_to_live(mut self, term: Duration) -> Self {
                self.term = CallTerm::Ttl(term);
                self
            }

            /// To expire at this time by the server's clock, whatever entity and settings say.
            pub fn expires_at(mut self, deadline: SystemTime) -> Self {
                self.term = CallTerm::At(deadline);
                self
            }

            /// Never to expire, whatever entity and settings say.
            pub fn persistent(mut self) -> Self {
                self.term = CallTerm::Persistent;
                self
            }
        }
    };
}

term_of_the_call!(Save);
term_of_the_call!(SaveAll);

impl<'a, T: KvEntity> IntoFuture for Save<'a, T> {
    type Output = Result<SaveOutcome>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let registered = self.repository.registered()?;
            let write = prepare(registered, self.entity, self.term)?;
            let mut results = self.repository.write(registered, &[write]).await?;
            results.pop().unwrap_or_else(|| Err(unanswered()))
        })
    }
}

impl<'a, T: KvEntity> IntoFuture for SaveAll<'a, T> {
    type Output = Result<Vec<SaveOutcome>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let registered = self.repository.registered()?;
            let total = self.entities.len();
            let mut outcomes = Vec::with_capacity(total);
            let mut failures = Vec::new();
            // In portions, so that what is encoded at one time is bounded.
            for (portion, entities) in self.entities.chunks_mut(PORTION).enumerate() {
                let (mut writes, mut indices) = (
                    Vec::with_capacity(entities.len()),
                    Vec::with_capacity(entities.len()),
                );
                for (i, entity) in entities.iter_mut().enumerate() {
                    let index = portion * PORTION + i;
                    match prepare(registered, entity, self.term) {
                        Ok(write) => {
                            writes.push(write);
                            indices.push(index);
                        }
                        Err(error) => failures.push(ItemFailure::new(index, error)),
                    }
                }
                let results = match self.repository.write(registered, &writes).await {
                    Ok(results) => results,
                    Err(error) if portion == 0 && failures.is_empty() && total <= PORTION => {
                        return Err(error);
                    }
                    Err(error) => indices.iter().map(|_| Err(error.again())).collect(),
                };
                for (index, result) in indices.into_iter().zip(results) {
                    match result {
                        Ok(outcome) => outcomes.push(outcome),
                        Err(error) => failures.push(ItemFailure::new(index, error)),
                    }
                }
            }
            if failures.is_empty() {
                return Ok(outcomes);
            }
            failures.sort_by_key(|failure| failure.index);
            Err(Error::Batch { total, failures })
        })
    }
}

/// How many entities of a batch are encoded at one time.
const PORTION: usize = 1024;

/// All that can be refused without asking the server is refused here.
fn prepare<T: KvEntity>(registered: &Registered, entity: &mut T, term: CallTerm) -> Result<Write> {
    let term = term::resolve(term, entity, registered.default_term)?;
    if entity.id().is_none()
        && let Some(id) = T::generate_id()
    {
        entity.set_id(id);
    }
    let id = codec::id_of(entity)?;
    Ok(Write::new(id, codec::encode(entity)?, term))
}

fn unanswered() -> Error {
    Error::Unsupported {
        what: "a backend that answers with fewer results than it was given items".into(),
    }
}

impl<T: KvEntity> Repository<T> {
    async fn write(&self, registered: &Registered, writes: &[Write]) -> Result<Vec<Result<SaveOutcome>>> {
        if writes.iter().any(|write| write.term != WriteTerm::Persistent) {
            self.store.listen_in_background();
        }
        let results = self.store.backend().save(&registered.keyspace, writes).await?;
        let mut nearest: Option<u64> = None;
        let outcomes = results
            .into_iter()
            .map(|result| {
                let saved = result?;
                if let Some(deadline) = saved.deadline {
                    let remaining = deadline.saturating_sub(saved.now);
                    nearest = Some(nearest.map_or(remaining, |nearest| nearest.min(remaining)));
                }
                Ok(saved.into())
            })
            .collect();
        if let Some(nearest) = nearest {
            registered.space.expires_in(Duration::from_millis(nearest));
        }
        Ok(outcomes)
    }
}
