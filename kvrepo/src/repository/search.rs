//! Finding by what entities hold.

mod cursor;
mod part;

pub use part::{FindNear, FindPage, FindSlice};

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use futures_core::Stream;
use futures_util::stream;

use super::{FindAll, Repository};
use crate::backend::{Plan, Select, Selected, Sorting, explained};
use crate::entity::{KvEntity, KvId};
use crate::error::{Error, Result};
use crate::query::{Filter, PageRequest, Sort};
use crate::store::Registered;

/// How many entities a stream reads at a time, and a deletion deletes.
const PORTION: usize = 1024;

impl<T: KvEntity> Repository<T> {
    /// Finds entities by what they hold: those that the filter asks for, among the living. Awaited, all of them, sorted as
    /// the request says, and else by their ids' bytes. Renews no idle terms.
    ///
    /// The filter is worked out on the server, by indexes, in one step; then the entities are read, and only those that
    /// are asked for. Two round trips, and one more for each further 1,024 entities.
    ///
    /// ```
    /// # use kvrepo::{KvEntity, PageRequest, Store};
    /// # use serde::{Serialize, Deserialize};
    /// #[derive(Debug, PartialEq, Serialize, Deserialize, KvEntity)]
    /// struct Person {
    ///     #[id]
    ///     id: u32,
    ///     #[indexed]
    ///     city: String,
    ///     #[indexed(range)]
    ///     age: u8,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let people = Store::in_memory().repository::<Person>();
    /// # for (id, city, age) in [(1, "Oslo", 17), (2, "Oslo", 30), (3, "Bergen", 40)] {
    /// #     people.save(&mut Person { id, city: city.into(), age }).await?;
    /// # }
    /// let person = Person::fields();
    /// let in_oslo = people.find(person.city.eq("Oslo")).sort(person.age.desc()).await?;
    /// assert_eq!(in_oslo.iter().map(|person| person.age).collect::<Vec<_>>(), [30, 17]);
    ///
    /// let page = people.find(person.age.ge(18)).page(PageRequest::first(1)).await?;
    /// assert_eq!((page.items.len(), page.total), (1, 2));
    /// assert_eq!(people.find(person.city.eq("Paris")).first().await?, None);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When awaited: [`Error::Encode`] if a value that is asked for cannot be stored in its field,
    /// [`Error::InvalidSetting`] if an area, a cursor or a sort key cannot be used, [`Error::Decode`] if what is stored is not
    /// a `T`, [`Error::KeyCollision`], [`Error::Backend`] and [`Error::Timeout`].
    pub fn find(&self, filter: Filter<T>) -> Find<'_, T> {
        Find {
            repository: self,
            filter,
            sort: None,
            limit: None,
            after: None,
        }
    }
}

/// Finding, to be awaited, or to be asked for a part, a number or a deletion. See [`Repository::find`].
#[derive(Debug)]
#[must_use = "nothing is looked for until this is awaited"]
pub struct Find<'a, T: KvEntity> {
    repository: &'a Repository<T>,
    filter: Filter<T>,
    sort: Option<Sort<T>>,
    limit: Option<usize>,
    after: Option<String>,
}

impl<'a, T: KvEntity> FindAll<'a, T> {
    /// The same as something to be sorted and cut.
    fn filtered(self) -> Find<'a, T> {
        self.repository.find(Filter::new(Ok(Plan::All)))
    }

    /// Sorted; see [`Find::sort`]. All ids are looked at for it, on the server.
    pub fn sort(self, sort: Sort<T>) -> Find<'a, T> {
        self.filtered().sort(sort)
    }

    /// So many at most; see [`Find::limit`].
    pub fn limit(self, limit: usize) -> Find<'a, T> {
        self.filtered().limit(limit)
    }

    /// Behind a cursor; see [`Find::after`].
    pub fn after(self, cursor: impl Into<String>) -> Find<'a, T> {
        self.filtered().after(cursor)
    }

    /// A page of them; see [`Find::page`].
    pub fn page(self, request: PageRequest) -> FindPage<'a, T> {
        self.filtered().page(request)
    }

    /// The ids; see [`Find::ids`].
    ///
    /// # Errors
    ///
    /// Those of [`Find::ids`].
    pub async fn ids(self) -> Result<Vec<T::Id>> {
        self.filtered().ids().await
    }
}

impl<'a, T: KvEntity> Find<'a, T> {
    /// Sorts what is found; of several calls each sorts what is equal by those before. What is equal in all comes by its
    /// id. First sorted, then cut.
    pub fn sort(mut self, sort: Sort<T>) -> Self {
        self.sort = Some(match self.sort.take() {
            Some(first) => first.then(sort),
            None => sort,
        });
        self
    }

    /// So many at most.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Only what comes behind a cursor, which is [`Slice::next`](crate::Slice::next) of an earlier slice with the same filter and sort. For lists without
    /// end: nothing is found twice or left out, whatever comes or goes in between.
    pub fn after(mut self, cursor: impl Into<String>) -> Self {
        self.after = Some(cursor.into());
        self
    }

    /// A page of what is found, with how many there are in all. The order is the same each time, so that over all pages each
    /// entity comes once.
    pub fn page(self, request: PageRequest) -> FindPage<'a, T> {
        FindPage::new(self, request)
    }

    /// As much as [`limit`](Self::limit) says, 100 unless set, and the cursor of what is behind.
    pub fn slice(self) -> FindSlice<'a, T> {
        FindSlice::new(self)
    }

    /// Each with its distance to the point that [`near`](crate::Field::near) was given.
    pub fn with_distance(self) -> FindNear<'a, T> {
        FindNear::new(self)
    }

    /// The only one, or `None`.
    ///
    /// # Errors
    ///
    /// [`Error::NotUnique`] if there are several; and those of [`Repository::find`].
    pub async fn one(mut self) -> Result<Option<T>> {
        let limit = self.limit.map_or(2, |limit| limit.min(2));
        self.limit = Some(limit);
        let repository = self.repository;
        let mut found = self.await?;
        if found.len() > 1 {
            return Err(Error::NotUnique {
                keyspace: repository.registered()?.keyspace.name().to_owned(),
            });
        }
        Ok(found.pop())
    }

    /// The first one, or `None`.
    ///
    /// # Errors
    ///
    /// Those of [`Repository::find`].
    pub async fn first(mut self) -> Result<Option<T>> {
        self.limit = Some(self.limit.map_or(1, |limit| limit.min(1)));
        Ok(self.await?.pop())
    }

    /// How many there are. Reads none; [`limit`](Self::limit) and [`after`](Self::after) do not count.
    ///
    /// # Errors
    ///
    /// Those of [`Repository::find`].
    pub async fn count(mut self) -> Result<u64> {
        (self.limit, self.after, self.sort) = (Some(0), None, None);
        let mut prepared = self.prepare()?;
        prepared.select.sorting = Sorting::By(Vec::new());
        Ok(prepared.run().await?.total)
    }

    /// Whether there is one. Reads none.
    ///
    /// # Errors
    ///
    /// Those of [`Repository::find`].
    pub async fn exists(mut self) -> Result<bool> {
        self.limit = Some(1);
        Ok(!self.prepare()?.run().await?.hits.is_empty())
    }

    /// The ids, in order. Reads none of the entities.
    ///
    /// # Errors
    ///
    /// Those of [`Repository::find`]; and [`Error::Decode`] if an id is none of this type.
    pub async fn ids(self) -> Result<Vec<T::Id>> {
        let mut prepared = self.prepare()?;
        prepared.select.look = true;
        prepared.select.loose = false;
        let hits = prepared.run().await?.hits;
        let ids = hits.into_iter().map(|hit| {
            T::Id::from_key(&hit.id).ok_or_else(|| Error::Decode {
                entity: T::SCHEMA.entity,
                path: T::SCHEMA.id_path.to_owned(),
                reason: "the key's id is none of this type".to_owned(),
            })
        });
        ids.collect()
    }

    /// Deletes what is found, as [`delete`](Repository::delete) does; says how many were alive. Whether an entity is still
    /// what was looked for is asked in the step that deletes it. One round trip to find them, and one for each 256.
    ///
    /// # Errors
    ///
    /// Those of [`Repository::find`]; what was deleted before stays deleted.
    pub async fn delete(self) -> Result<u64> {
        let prepared = self.prepare()?;
        let hits = prepared.run().await?.hits;
        let ids: Vec<String> = hits.into_iter().map(|hit| hit.id).collect();
        let Prepared {
            repository,
            registered,
            select,
        } = prepared;
        let backend = repository.store.backend();
        backend
            .delete_where(&registered.keyspace, &select.plan, &ids)
            .await
    }

    /// One after the other, in order. The ids are looked up once, at the beginning, and the entities then read in portions;
    /// what has gone by then is left out. An entity that cannot be decoded is an error of its own, and the stream goes on
    /// behind it.
    pub fn stream(self) -> impl Stream<Item = Result<T>> + Send + Unpin + use<T> {
        let repository = self.repository.clone();
        let select = self.select();
        let begin = Some((repository, Progress::Begin(Box::new(select))));
        Box::pin(stream::unfold(begin, |state| async move {
            let (repository, mut progress) = state?;
            loop {
                progress = match progress {
                    Progress::Begin(select) => match repository.begin(*select).await {
                        Ok(ids) => Progress::Read(ids.into_iter(), Vec::new().into_iter()),
                        Err(error) => return Some((Err(error), None)),
                    },
                    Progress::Read(mut ids, mut read) => {
                        if let Some(entity) = read.next() {
                            return Some((entity, Some((repository, Progress::Read(ids, read)))));
                        }
                        let portion: Vec<String> = ids.by_ref().take(PORTION).collect();
                        if portion.is_empty() {
                            return None;
                        }
                        match repository.read(&portion, None).await {
                            Ok(read) => {
                                let read: Vec<_> = read.into_iter().flatten().collect();
                                Progress::Read(ids, read.into_iter())
                            }
                            Err(error) => return Some((Err(error), None)),
                        }
                    }
                };
            }
        }))
    }

    /// How this would be found: the plan, and the commands that it takes. Nothing is sent. The text has the values that are
    /// looked for in it.
    ///
    /// # Errors
    ///
    /// [`Error::Encode`] and [`Error::InvalidSetting`], as [`Repository::find`].
    pub fn explain(self) -> Result<String> {
        let prepared = self.prepare()?;
        Ok(explained(&prepared.registered.keyspace, &prepared.select))
    }

    fn select(self) -> Result<Select> {
        let (plan, near) = self.filter.into_plan()?;
        let mut select = Select::new(plan);
        select.sorting = match (self.sort, near) {
            (Some(sort), _) => Sorting::By(sort.into_keys()?),
            (None, Some(near)) => near,
            (None, None) => Sorting::By(Vec::new()),
        };
        select.limit = self.limit;
        select.look = self.limit.is_some();
        // Unless somebody says otherwise, what is found is read.
        select.loose = true;
        select.after = self
            .after
            .map(|cursor| cursor::read(&cursor, &select.sorting))
            .transpose()?;
        Ok(select)
    }

    fn prepare(self) -> Result<Prepared<'a, T>> {
        let repository = self.repository;
        let registered = repository.registered()?;
        Ok(Prepared {
            repository,
            registered,
            select: self.select()?,
        })
    }
}

/// A stream that has not begun, or the ids that are left and the entities that were read.
enum Progress<T> {
    Begin(Box<Result<Select>>),
    Read(std::vec::IntoIter<String>, std::vec::IntoIter<Result<T>>),
}

/// What is to be looked for.
struct Prepared<'a, T: KvEntity> {
    repository: &'a Repository<T>,
    registered: &'a Registered,
    select: Select,
}

impl<T: KvEntity> Prepared<'_, T> {
    async fn run(&self) -> Result<Selected> {
        self.repository.run(self.registered, &self.select).await
    }

    /// What is found, each with the entity.
    async fn load(&self) -> Result<(Vec<Found<T>>, u64)> {
        let selected = self.run().await?;
        let ids: Vec<String> = selected.hits.iter().map(|hit| hit.id.clone()).collect();
        let read = self.repository.read(&ids, Some(&self.select.plan)).await?;
        let mut found = Vec::with_capacity(ids.len());
        for (hit, entity) in selected.hits.into_iter().zip(read) {
            if let Some(entity) = entity {
                found.push(Found {
                    entity,
                    distance: hit.distance,
                    keys: hit.keys,
                    id: hit.id,
                });
            }
        }
        Ok((found, selected.total))
    }
}

/// An entity that was found, and where it stands among others.
struct Found<T> {
    entity: Result<T>,
    distance: Option<f64>,
    keys: Vec<Option<Vec<u8>>>,
    id: String,
}

impl<T: KvEntity> Repository<T> {
    async fn run(&self, registered: &Registered, select: &Select) -> Result<Selected> {
        let mut selected = self.store.backend().select(&registered.keyspace, select).await?;
        self.tidy(registered, &select.plan, std::mem::take(&mut selected.gone))
            .await?;
        Ok(selected)
    }

    /// Cleans up after entities that are gone, also in the indexes that named them.
    async fn tidy(&self, registered: &Registered, plan: &Plan, gone: Vec<String>) -> Result<()> {
        if !gone.is_empty() {
            self.store
                .backend()
                .tidy(&registered.keyspace, plan, &gone)
                .await?;
        }
        self.meet_gone(registered, gone).await
    }

    async fn begin(&self, select: Result<Select>) -> Result<Vec<String>> {
        let selected = self.run(self.registered()?, &select?).await?;
        Ok(selected.hits.into_iter().map(|hit| hit.id).collect())
    }

    /// Reads entities that were found. Those that are not there any more are cleaned up after, unless they have expired.
    async fn read(&self, ids: &[String], plan: Option<&Plan>) -> Result<Vec<Option<Result<T>>>> {
        let registered = self.registered()?;
        let read = self.load(ids, false).await?;
        let gone = ids
            .iter()
            .zip(&read)
            .filter(|(_, entity)| entity.is_none())
            .map(|(id, _)| id.clone())
            .collect();
        match plan {
            Some(plan) => self.tidy(registered, plan, gone).await?,
            None => self.meet_gone(registered, gone).await?,
        }
        Ok(read)
    }
}

impl<'a, T: KvEntity> IntoFuture for Find<'a, T> {
    type Output = Result<Vec<T>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (found, _) = self.prepare()?.load().await?;
            found.into_iter().map(|found| found.entity).collect()
        })
    }
}
