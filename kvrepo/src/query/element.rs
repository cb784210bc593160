//! One element of a list, or one entry of a map, as a value that knows its path and its type.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;

use super::Filter;
use super::field::{Encode, Field, FieldHandle, Own, encode};
use super::index::{KeyedIndex, NotIndexed};
use super::path::FieldPath;
use super::target::{Spot, Target};
use super::under::under_keys;
use super::value::ValueArg;
use crate::entity::KvEntity;
use crate::error::{Error, Result};
use crate::mapping::{self, Step};

/// An element of a list, or the value of an entry of a map: [`Field::index`], [`Field::key`].
pub struct Element<E, V, I = NotIndexed> {
    /// Or what is wrong with it: the entity, the path, and the reason.
    path: Result<FieldPath, (&'static str, String, String)>,
    encode: Encode<V>,
    /// The key, of an entry of a map.
    key: Result<String, String>,
    index: I,
    entity: PhantomData<fn() -> E>,
}

impl<E, V, I: Clone> Clone for Element<E, V, I> {
    fn clone(&self) -> Self {
        Self {
            path: self.path.clone(),
            encode: self.encode,
            key: self.key.clone(),
            index: self.index.clone(),
            entity: PhantomData,
        }
    }
}

impl<E, V, I> fmt::Debug for Element<E, V, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Element")
            .field(&self.path.as_ref().map(|path| &path.path))
            .finish()
    }
}

impl<E: KvEntity, V, I> Element<E, V, I> {
    /// Those whose map has this value under the key.
    pub fn eq<A: ValueArg<I::Value>>(self, value: A) -> Filter<E>
    where
        I: KeyedIndex,
    {
        self.is_in([value])
    }

    /// Those whose map has one of these values under the key.
    pub fn is_in<A: ValueArg<I::Value>>(self, values: impl IntoIterator<Item = A>) -> Filter<E>
    where
        I: KeyedIndex,
    {
        under_keys(self.index.lookup(), self.key.map(|key| vec![key]), values)
    }
}

impl<E, V, I> FieldHandle<E> for Element<E, V, I> {
    type Value = V;

    fn target(self) -> Target<V> {
        Target(match self.path {
            Ok(path) => Ok(Spot {
                path: Cow::Owned(path),
                encode: self.encode,
                element: true,
            }),
            Err((entity, path, reason)) => Err(Error::Encode { entity, path, reason }),
        })
    }
}

/// A map, or an `Option` of one.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a map", note = "only maps have entries with a key")]
pub trait MapField {
    /// What the entries are found by.
    type Key;
    /// What they hold.
    type Value;
    /// Whether there may be no map.
    const OPTIONAL: bool;
}

impl<K, V, S> MapField for HashMap<K, V, S> {
    type Key = K;
    type Value = V;
    const OPTIONAL: bool = false;
}

impl<K, V> MapField for BTreeMap<K, V> {
    type Key = K;
    type Value = V;
    const OPTIONAL: bool = false;
}

impl<M: MapField> MapField for Option<M> {
    type Key = M::Key;
    type Value = M::Value;
    const OPTIONAL: bool = true;
}

/// A list, or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list",
    note = "only lists have elements with an index"
)]
pub trait ListField {
    /// What it holds.
    type Item;
    /// Whether there may be no list.
    const OPTIONAL: bool;
}

impl<V> ListField for Vec<V> {
    type Item = V;
    const OPTIONAL: bool = false;
}

impl<V> ListField for VecDeque<V> {
    type Item = V;
    const OPTIONAL: bool = false;
}

impl<L: ListField> ListField for Option<L> {
    type Item = L::Item;
    const OPTIONAL: bool = true;
}

impl<E: KvEntity, V, I: Copy> Field<E, V, I> {
    /// The entry of a map with this key: to be set, incremented, or unset, which takes it out; and, where the map has
    /// `#[indexed]`, to be asked for by [`eq`](Element::eq).
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use kvrepo::{KvEntity, Store};
    /// # use serde::{Serialize, Deserialize};
    /// # #[derive(Serialize, Deserialize, KvEntity)]
    /// # struct Stock { #[id] id: String, pieces: BTreeMap<String, u32> }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let stocks = Store::in_memory().repository::<Stock>();
    /// # stocks.save(&mut Stock { id: "1".into(), pieces: [("pen".into(), 3)].into() }).await?;
    /// let pieces = Stock::fields().pieces;
    /// stocks.update("1").increment(pieces.key("pen"), -1).set(pieces.key("cup"), 7).await?;
    /// let stock = stocks.find_by_id("1").await?.unwrap();
    /// assert_eq!(stock.pieces, [("cup".into(), 7), ("pen".into(), 2)].into());
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn key<Q>(&self, key: &Q) -> Element<E, V::Value, I>
    where
        V: MapField<Key: Borrow<Q>, Value: Serialize>,
        Q: Serialize + ?Sized,
    {
        let key = mapping::key_text(key);
        let segment = key.clone().map(|key| format!("[{key}]"));
        Element {
            key,
            ..self.element(V::OPTIONAL, segment, Step::Entry, "{}", self.index)
        }
    }

    /// The element of a list at this index, counted from 0. One that is set behind the end becomes the last; one that is
    /// taken out by `unset` leaves no hole.
    #[must_use]
    pub fn index(&self, index: u32) -> Element<E, V::Item>
    where
        V: ListField<Item: Serialize>,
    {
        self.element(
            V::OPTIONAL,
            Ok(format!("[{index}]")),
            Step::Each,
            "[]",
            NotIndexed,
        )
    }

    fn element<X: Serialize, J>(
        &self,
        optional: bool,
        segment: Result<String, String>,
        step: Step,
        marker: &'static str,
        index: J,
    ) -> Element<E, X, J> {
        let schema = E::SCHEMA;
        let json = matches!(self.path.steps[..], [Step::Field(name)] if schema.json_paths.contains(&name));
        let segment = match segment {
            Ok(_) if json => Err("it is stored as JSON in one field; set it as a whole".to_owned()),
            Ok(_) if self.path.many => {
                Err("it stands in each element of a list or a map; set that as a whole".to_owned())
            }
            Ok(_) if !self.own => Err("it is not serialized by its own type; set it as a whole".to_owned()),
            segment => segment,
        };
        let path = match segment {
            Ok(segment) => {
                let path = format!("{}.{segment}", self.path.path);
                Ok(self.path.within(path, step, optional, marker))
            }
            Err(reason) => Err((schema.entity, self.path.path.clone(), reason)),
        };
        Element {
            path,
            encode: encode::<E, X, Own>,
            key: Ok(String::new()),
            index,
            entity: PhantomData,
        }
    }
}
