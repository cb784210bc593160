//! Finding.

use std::collections::HashSet;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use futures_core::Stream;
use futures_util::stream;

use super::{Repository, codec};
use crate::backend::{Loaded, PAGE, Read};
use crate::entity::{IdArg, KvEntity};
use crate::error::{Error, Result};
use crate::store::Registered;

/// Entities of one page, and what to ask for the next.
type Page<T> = (Vec<Result<T>>, Option<String>);

impl<T: KvEntity> Repository<T> {
    /// The living entity with this id, or `None`. Its idle term, if it has one, begins anew.
    ///
    /// In a store with a near cache it may be at hand, and then costs no round trip.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidId`](crate::Error::InvalidId), [`Error::Decode`](crate::Error::Decode) if what is stored is
    /// not a `T`, [`Error::KeyCollision`](crate::Error::KeyCollision), [`Error::Backend`](crate::Error::Backend) and
    /// [`Error::Timeout`](crate::Error::Timeout).
    pub async fn find_by_id(&self, id: impl IdArg<T::Id>) -> Result<Option<T>> {
        let id = codec::id_to_find::<T>(id)?;
        #[cfg(feature = "near-cache")]
        if let Some(found) = self.recall(&id).await? {
            return Ok(Some(found));
        }
        self.load(&[id], true).await?.pop().flatten().transpose()
    }

    /// The living entities with these ids, in the order of `ids`. Those that are not there are left out, and an id
    /// that stands twice is found twice. One round trip for each 1,024 ids. Renews no idle terms.
    ///
    /// # Errors
    ///
    /// Those of [`find_by_id`](Self::find_by_id).
    pub async fn find_all_by_id<I: IdArg<T::Id>>(&self, ids: impl IntoIterator<Item = I>) -> Result<Vec<T>> {
        let ids: Vec<String> = ids
            .into_iter()
            .map(codec::id_to_find::<T>)
            .collect::<Result<_>>()?;
        self.load(&ids, false).await?.into_iter().flatten().collect()
    }

    /// All living entities, in no particular order: awaited, in a `Vec`; or as a stream, in constant memory. Renews no
    /// idle terms.
    ///
    /// ```
    /// # use kvrepo::{KvEntity, Store};
    /// # use serde::{Serialize, Deserialize};
    /// # #[derive(Serialize, Deserialize, KvEntity)]
    /// # struct Person { #[id] id: String }
    /// use futures_util::TryStreamExt;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let people = Store::in_memory().repository::<Person>();
    /// people.save(&mut Person { id: "1".into() }).await?;
    /// assert_eq!(people.find_all().await?.len(), 1);
    ///
    /// let mut all = people.find_all().stream();
    /// while let Some(person) = all.try_next().await? {
    ///     assert_eq!(person.id, "1");
    /// }
    /// # Ok(()) }
    /// ```
    pub fn find_all(&self) -> FindAll<'_, T> {
        FindAll { repository: self }
    }

    /// Whether there is a living entity with this id. Its idle term, if it has one, begins anew.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidId`](crate::Error::InvalidId), [`Error::Backend`](crate::Error::Backend) and
    /// [`Error::Timeout`](crate::Error::Timeout).
    pub async fn exists_by_id(&self, id: impl IdArg<T::Id>) -> Result<bool> {
        let registered = self.registered()?;
        let id = codec::id_to_find::<T>(id)?;
        self.store.backend().exists(&registered.keyspace, &id, true).await
    }

    /// How many entities are alive. Takes the server the same time however many there are.
    ///
    /// Exact about expiry. Entities that were evicted, or deleted by another client that left their ids, are counted
    /// until something meets them: [`find_all`](Self::find_all), or [`sweep`](Self::sweep).
    ///
    /// # Errors
    ///
    /// [`Error::Backend`](crate::Error::Backend) and [`Error::Timeout`](crate::Error::Timeout).
    pub async fn count(&self) -> Result<u64> {
        self.store.backend().count(&self.registered()?.keyspace).await
    }

    pub(super) async fn load(&self, ids: &[String], renew: bool) -> Result<Vec<Option<Result<T>>>> {
        let registered = self.registered()?;
        let loaded = self
            .load_raw(registered, ids, T::SCHEMA.reads_remaining, renew)
            .await?;
        let decode = |(id, found): (&String, Option<_>)| {
            found.map(|loaded| codec::decode_loaded(id, &loaded, registered.default_term))
        };
        Ok(ids.iter().zip(loaded).map(decode).collect())
    }

    /// What is stored, with the term if `term`; a use of it if `renew`.
    pub(super) async fn load_raw(
        &self,
        registered: &Registered,
        ids: &[String],
        term: bool,
        renew: bool,
    ) -> Result<Vec<Option<Loaded>>> {
        let mut read = Read::fields();
        read.term = term;
        read.renew = renew;
        read.idle = registered.expects_idle();
        let loaded = self.store.backend().load(&registered.keyspace, ids, read).await?;
        if loaded.iter().flatten().any(|loaded| loaded.idle.is_some()) {
            registered.saw_idle();
        }
        Ok(loaded)
    }

    /// The entities of a page of ids. Ids without an entity are cleaned up after, unless they have expired.
    async fn page(
        &self,
        cursor: Option<&str>,
        count: usize,
        seen: &mut impl FnMut(&String) -> bool,
    ) -> Result<Page<T>> {
        let registered = self.registered()?;
        let page = self
            .store
            .backend()
            .scan(&registered.keyspace, cursor, count)
            .await?;
        let mut ids = page.ids;
        ids.retain(seen);
        let (mut entities, mut gone) = (Vec::with_capacity(ids.len()), Vec::new());
        for (id, found) in ids.iter().zip(self.load(&ids, false).await?) {
            match found {
                Some(entity) => entities.push(entity),
                None => gone.push(id.clone()),
            }
        }
        self.meet_gone(registered, gone).await?;
        Ok((entities, page.next))
    }

    /// Sees to ids that were met without their entity.
    pub(super) async fn meet_gone(&self, registered: &Registered, gone: Vec<String>) -> Result<()> {
        if gone.is_empty() {
            return Ok(());
        }
        // While somebody listens, the server may yet say that one of them has expired; the listener knows.
        if self.store.listener().is_started() {
            registered.space.suspect(gone);
        } else {
            let (keyspace, telemetry) = (&registered.keyspace, self.store.telemetry());
            let repaired = self.store.backend().repair(keyspace, &gone).await?;
            telemetry.repaired(keyspace.name(), repaired.events, repaired.cleaned);
        }
        Ok(())
    }
}

/// All entities, to be awaited or streamed. See [`Repository::find_all`].
#[derive(Debug)]
#[must_use = "nothing is read until this is awaited or streamed"]
pub struct FindAll<'a, T: KvEntity> {
    pub(super) repository: &'a Repository<T>,
}

impl<'a, T: KvEntity> FindAll<'a, T> {
    /// One entity after the other, in constant memory however many there are. Each that is there all the while comes;
    /// while the id set grows or shrinks much, one can come twice. An entity that cannot be decoded is an error of
    /// its own, and the stream goes on behind it.
    pub fn stream(self) -> impl Stream<Item = Result<T>> + Send + Unpin + use<T> {
        let repository = self.repository.clone();
        let begin = (repository, Some(None::<String>), Vec::new().into_iter());
        Box::pin(stream::unfold(
            begin,
            |(repository, mut next, mut page)| async move {
                loop {
                    if let Some(entity) = page.next() {
                        return Some((entity, (repository, next, page)));
                    }
                    let cursor = next.take()?;
                    let mut seen = HashSet::new();
                    match repository
                        .page(cursor.as_deref(), PAGE, &mut |id: &String| {
                            seen.insert(id.clone())
                        })
                        .await
                    {
                        Ok((entities, cursor)) => {
                            next = cursor.map(Some);
                            page = entities.into_iter();
                        }
                        Err(error) => return Some((Err(error), (repository, None, page))),
                    }
                }
            },
        ))
    }
}

impl<T: KvEntity> FindAll<'_, T> {
    /// Some of the entities, from a cursor on, which is the last slice's; `None` begins. For lists that are walked through
    /// over many requests: nothing is kept between them. `size` is about how many there are; it can be more, and can be
    /// none although there are more to come. Each entity that is there all the while comes at least once.
    ///
    /// ```
    /// # use kvrepo::{KvEntity, Store};
    /// # use serde::{Serialize, Deserialize};
    /// # #[derive(Serialize, Deserialize, KvEntity)]
    /// # struct Person { #[id] id: u32 }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let people = Store::in_memory().repository::<Person>();
    /// # for id in 0..5 { people.save(&mut Person { id }).await?; }
    /// let (mut cursor, mut count) = (None, 0);
    /// loop {
    ///     let slice = people.find_all().slice(cursor.as_deref(), 2).await?;
    ///     count += slice.items.len();
    ///     cursor = slice.next;
    ///     if cursor.is_none() {
    ///         break;
    ///     }
    /// }
    /// assert_eq!(count, 5);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSetting`](crate::Error::InvalidSetting) if the cursor is none of a slice;
    /// [`Error::KeyCollision`](crate::Error::KeyCollision),
    /// [`Error::Backend`](crate::Error::Backend) and [`Error::Timeout`](crate::Error::Timeout).
    pub async fn slice(self, cursor: Option<&str>, size: usize) -> Result<Slice<T>> {
        let mut seen = HashSet::new();
        let (found, next) = self
            .repository
            .page(cursor, size, &mut |id: &String| seen.insert(id.clone()))
            .await?;
        let (mut items, mut failures) = (Vec::with_capacity(found.len()), Vec::new());
        for item in found {
            match item {
                Ok(item) => items.push(item),
                Err(error) => failures.push(error),
            }
        }
        Ok(Slice {
            items,
            failures,
            next,
        })
    }
}

/// Some of the entities, and where to go on. See [`FindAll::slice`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Slice<T> {
    /// The entities; there can be none although there are more to come.
    pub items: Vec<T>,
    /// Those that cannot be decoded.
    pub failures: Vec<Error>,
    /// The cursor of the next slice; `None` after the last.
    pub next: Option<String>,
}

impl<'a, T: KvEntity> IntoFuture for FindAll<'a, T> {
    type Output = Result<Vec<T>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (mut all, mut ids, mut cursor) = (Vec::new(), HashSet::new(), None::<String>);
            loop {
                let seen = &mut |id: &String| ids.insert(id.clone());
                let (page, next) = self.repository.page(cursor.as_deref(), PAGE, seen).await?;
                for entity in page {
                    all.push(entity?);
                }
                match next {
                    Some(next) => cursor = Some(next),
                    None => return Ok(all),
                }
            }
        })
    }
}
