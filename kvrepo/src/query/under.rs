//! A field within the value that a map has under a key.

use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;

use super::Filter;
use super::index::{EqualityIndex, Lookup};
use super::value::ValueArg;
use crate::entity::KvEntity;
use crate::error::Error;
use crate::mapping;

/// A field within the value that a map has under a key. See [`Field::under`](crate::Field::under).
pub struct Under<E, I> {
    index: I,
    keys: Result<Vec<String>, String>,
    entity: PhantomData<fn() -> E>,
}

impl<E, I> fmt::Debug for Under<E, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Under").field(&self.keys).finish()
    }
}

impl<E: KvEntity, I: EqualityIndex> Under<E, I> {
    /// Under no key yet.
    pub(super) fn new(index: I) -> Self {
        Self {
            index,
            keys: Ok(Vec::new()),
            entity: PhantomData,
        }
    }

    /// Where there is a map in a map: the key in the inner one.
    #[must_use]
    pub fn under<Q: Serialize + ?Sized>(mut self, key: &Q) -> Self {
        self.keys = self.keys.and_then(|mut keys| {
            keys.push(mapping::key_text(key)?);
            Ok(keys)
        });
        self
    }

    /// Those that have this value there.
    pub fn eq<A: ValueArg<I::Value>>(self, value: A) -> Filter<E> {
        self.is_in([value])
    }

    /// Those that have one of these values there.
    pub fn is_in<A: ValueArg<I::Value>>(self, values: impl IntoIterator<Item = A>) -> Filter<E> {
        under_keys(self.index.lookup(), self.keys, values)
    }
}

/// Those that have one of these values under these keys, or the reason why one cannot be a key.
pub(super) fn under_keys<E: KvEntity, X, A: ValueArg<X>>(
    lookup: Lookup<X>,
    keys: Result<Vec<String>, String>,
    values: impl IntoIterator<Item = A>,
) -> Filter<E> {
    Filter::new(match keys {
        Ok(keys) => lookup.equal(&keys, values),
        Err(reason) => Err(Error::Encode {
            entity: E::SCHEMA.entity,
            path: String::new(),
            reason,
        }),
    })
}
