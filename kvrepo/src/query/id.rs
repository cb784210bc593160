//! The id, as something to look for.

use std::fmt;
use std::marker::PhantomData;

use super::Filter;
use crate::backend::Plan;
use crate::entity::{IdArg, KvEntity};

/// The id of the entity `E`, for filters that ask for more than it.
pub struct IdHandle<E> {
    entity: PhantomData<fn() -> E>,
}

impl<E> Clone for IdHandle<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for IdHandle<E> {}

impl<E> fmt::Debug for IdHandle<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdHandle")
    }
}

impl<E: KvEntity> IdHandle<E> {
    #[doc(hidden)]
    #[must_use]
    pub fn new() -> Self {
        Self { entity: PhantomData }
    }

    /// The one with this id.
    pub fn eq(self, id: impl IdArg<E::Id>) -> Filter<E> {
        self.is_in([id])
    }

    /// Those with one of these ids. With none of them nothing is found.
    pub fn is_in<I: IdArg<E::Id>>(self, ids: impl IntoIterator<Item = I>) -> Filter<E> {
        let ids = ids.into_iter().map(|id| id.to_id_key().into_owned());
        Filter::new(Ok(Plan::Ids(ids.collect())))
    }
}
