//! Changing an entity by a function, while others may do so too.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::time::Duration;

use super::call_term::term_of_the_call;
use super::retry::Retry;
use super::{Repository, codec, writing};
use crate::backend::{Condition, Saved, TimeToLive, Write, WriteTerm};
use crate::entity::{IdArg, KvEntity};
use crate::error::{Error, Result};
use crate::store::Registered;
use crate::term::{self, Term};

impl<T: KvEntity> Repository<T> {
    /// Reads an entity, lets `change` change it, and saves it if nobody else has changed it meanwhile; else it begins
    /// again, with what is there then. Awaited, it returns the entity as it was saved, or `None` if there is none.
    ///
    /// The entity is shown to `change` as it is stored: a `#[time_to_live]` field holds the term as it was stated, not what
    /// remains. What remains stays, unless `change` states another term or the request does. The id stays the same.
    ///
    /// ```
    /// # use kvrepo::{KvEntity, Store};
    /// # use serde::{Serialize, Deserialize};
    /// # #[derive(Debug, PartialEq, Serialize, Deserialize, KvEntity)]
    /// # struct Cart { #[id] id: String, items: Vec<String> }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let carts = Store::in_memory().repository::<Cart>();
    /// # carts.save(&mut Cart { id: "1".into(), items: vec![] }).await?;
    /// let cart = carts.update_with("1", |cart| cart.items.push("book".into())).await?;
    /// assert_eq!(cart.unwrap().items, ["book"]);
    /// assert_eq!(carts.update_with("2", |cart| cart.items.clear()).await?, None);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When awaited: [`Error::VersionConflict`] if others race it for too long (200 attempts), with nothing changed; and
    /// those of [`find_by_id`](Self::find_by_id) and [`save`](Self::save).
    pub fn update_with<F>(&self, id: impl IdArg<T::Id>, change: F) -> UpdateWith<'_, T, F>
    where
        F: FnMut(&mut T) + Send,
    {
        UpdateWith {
            repository: self,
            id: codec::id_to_find::<T>(id),
            change,
            term: Term::Keep,
        }
    }
}

/// A change by a function to be awaited. See [`Repository::update_with`].
#[must_use = "nothing is changed until this is awaited"]
pub struct UpdateWith<'a, T: KvEntity, F> {
    repository: &'a Repository<T>,
    id: Result<String>,
    change: F,
    term: Term,
}

impl<T: KvEntity, F> fmt::Debug for UpdateWith<'_, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateWith")
            .field("entity", &T::SCHEMA.entity)
            .field("id", &self.id)
            .field("term", &self.term)
            .finish_non_exhaustive()
    }
}

term_of_the_call! { UpdateWith<T: KvEntity, F> }

impl<T: KvEntity, F> UpdateWith<'_, T, F> {
    /// Lets the term begin anew: the one that the entity states after the change, or else the default.
    pub fn refresh_time_to_live(mut self) -> Self {
        self.term = Term::Declared;
        self
    }
}

impl<'a, T: KvEntity, F: FnMut(&mut T) + Send + 'a> IntoFuture for UpdateWith<'a, T, F> {
    type Output = Result<Option<T>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<T: KvEntity, F: FnMut(&mut T) + Send> UpdateWith<'_, T, F> {
    async fn run(mut self) -> Result<Option<T>> {
        let repository = self.repository;
        let registered = repository.registered()?;
        let id = std::mem::replace(&mut self.id, Ok(String::new()))?;
        let mut retry = Retry::new();
        let _turn = registered.turns.take(&id).await;
        loop {
            let ids = std::slice::from_ref(&id);
            let loaded = repository.load_raw(registered, ids, false, false).await?;
            let Some(loaded) = loaded.into_iter().next().flatten() else {
                return Ok(None);
            };
            let mut entity: T = codec::decode(&id, &loaded.record)?;
            let version = entity.version();
            let stated = entity.term();
            (self.change)(&mut entity);
            if codec::id_of(&entity)? != id {
                return Err(Error::InvalidId {
                    entity: T::SCHEMA.entity,
                    id: codec::id_of(&entity)?,
                    reason: format!("the entity has the id `{id}`, and a change cannot give it another"),
                });
            }
            let keep = entity.term() == stated && self.term == Term::Keep;
            let term = if keep {
                // There is a living entity, or nothing is written.
                WriteTerm::Persistent
            } else {
                term::resolve(self.term, &entity, registered.default_term)?
            };
            let (record, next) = match (T::SCHEMA.version_path, version) {
                (Some(path), Some(version)) => {
                    let (record, next) = writing::encode_at_next(&mut entity, path, version, version)?;
                    (record, Some(next))
                }
                _ => (codec::encode(&entity)?, None),
            };
            let mut write = Write::new(&registered.keyspace, id.clone(), record, term)?;
            write.keep = keep;
            write.condition = Some(match (T::SCHEMA.version_path, version) {
                // The first version is that of what is there without one.
                (Some(path), Some(expected @ 1..)) => Condition::Version { path, expected },
                _ => Condition::Unchanged(loaded.record),
            });
            match repository.write(registered, &[write]).await?.pop() {
                Some(Ok(saved)) => {
                    writing::advance(&mut entity, next);
                    let idle = if keep {
                        loaded.idle.is_some()
                    } else {
                        matches!(term, WriteTerm::Idle(_))
                    };
                    show(&mut entity, &saved, idle, registered);
                    return Ok(Some(entity));
                }
                Some(Err(Error::VersionConflict { .. })) if retry.again().await => {}
                Some(Err(error)) => return Err(error),
                None => return Err(writing::unanswered()),
            }
        }
    }
}

/// Puts what remains into the field that holds it.
fn show<T: KvEntity>(entity: &mut T, saved: &Saved, idle: bool, registered: &Registered) {
    let remaining = saved.deadline.map_or(TimeToLive::Persistent, |deadline| {
        TimeToLive::In(Duration::from_millis(deadline.saturating_sub(saved.now).max(1)))
    });
    codec::show_term(entity, remaining, saved.deadline, idle, registered.default_term);
}
