//! Parts of what is found, to be awaited.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use super::{Find, cursor};
use crate::backend::Sorting;
use crate::entity::KvEntity;
use crate::error::{Error, Result};
use crate::query::{Distance, Near, Page, PageRequest};
use crate::repository::Slice;

/// How many entities a slice has, where nobody says.
const SLICE: usize = 100;

/// A page to be awaited. See [`Find::page`].
#[derive(Debug)]
#[must_use = "nothing is looked for until this is awaited"]
pub struct FindPage<'a, T: KvEntity> {
    find: Find<'a, T>,
    request: PageRequest,
}

/// A slice to be awaited. See [`Find::slice`].
#[derive(Debug)]
#[must_use = "nothing is looked for until this is awaited"]
pub struct FindSlice<'a, T: KvEntity> {
    find: Find<'a, T>,
}

/// Entities with their distances, to be awaited. See [`Find::with_distance`].
#[derive(Debug)]
#[must_use = "nothing is looked for until this is awaited"]
pub struct FindNear<'a, T: KvEntity> {
    find: Find<'a, T>,
}

impl<'a, T: KvEntity> FindPage<'a, T> {
    pub(super) fn new(find: Find<'a, T>, request: PageRequest) -> Self {
        Self { find, request }
    }

    async fn run(self) -> Result<Page<T>> {
        let Self { mut find, request } = self;
        // The limit is one of all pages together.
        let first = request.number.saturating_mul(request.size);
        let whole = find.limit;
        find.limit = Some(whole.map_or(request.size, |whole| {
            whole.saturating_sub(first).min(request.size)
        }));
        let mut prepared = find.prepare()?;
        prepared.select.skip = first;
        let (found, total) = prepared.load().await?;
        let items = found.into_iter().map(|found| found.entity);
        let total = whole.map_or(total, |whole| total.min(whole as u64));
        Ok(Page::new(items.collect::<Result<_>>()?, total, request))
    }
}

impl<'a, T: KvEntity> FindSlice<'a, T> {
    pub(super) fn new(find: Find<'a, T>) -> Self {
        Self { find }
    }

    async fn run(self) -> Result<Slice<T>> {
        let mut find = self.find;
        let size = find.limit.unwrap_or(SLICE).max(1);
        // One more says whether there are more.
        find.limit = Some(size.saturating_add(1));
        let (mut found, _) = find.prepare()?.load().await?;
        let more = found.len() > size;
        found.truncate(size);
        let last = found.last().filter(|_| more);
        let next = last.map(|last| cursor::write(&last.keys, &last.id));
        let (mut items, mut failures) = (Vec::with_capacity(found.len()), Vec::new());
        for found in found {
            match found.entity {
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

impl<'a, T: KvEntity> FindNear<'a, T> {
    pub(super) fn new(find: Find<'a, T>) -> Self {
        Self { find }
    }

    async fn run(self) -> Result<Vec<Near<T>>> {
        let prepared = self.find.prepare()?;
        if !matches!(prepared.select.sorting, Sorting::Distance { .. }) {
            return Err(Error::InvalidSetting {
                what: "filter with distances",
                name: T::SCHEMA.entity.to_owned(),
                reason: "distances are those to the point of a `near`, by which what is found is then sorted; take away \
                         `sort`, and put the `near` into no `or`"
                    .into(),
            });
        }
        let (found, _) = prepared.load().await?;
        let near = found.into_iter().map(|found| {
            let distance = Distance::meters(found.distance.unwrap_or(f64::NAN));
            found.entity.map(|entity| Near::new(entity, distance))
        });
        near.collect()
    }
}

macro_rules! awaited {
    ($($request:ident -> $output:ty,)*) => {$(
        impl<'a, T: KvEntity> IntoFuture for $request<'a, T> {
            type Output = Result<$output>;
            type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

            fn into_future(self) -> Self::IntoFuture {
                Box::pin(self.run())
            }
        }
    )*};
}

awaited! {
    FindPage -> Page<T>,
    FindSlice -> Slice<T>,
    FindNear -> Vec<Near<T>>,
}
