//! A field of an entity, as a value that knows its path and its type.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::{Serialize, Serializer};

use super::comparison::{self, Comparison};
use super::index::{
    EqualityIndex, FieldIndex, FromLookup, GeoIndex, IndexMarker, IndexSpec, Indexes, Lookup, NotIndexed,
    RangeIndex,
};
use super::path::FieldPath;
use super::target::{Spot, Target};
use super::value::{TextValue, ValueArg};
use super::{Circle, Distance, Filter, Point, Shape, Sort, Under, sort};
use crate::backend::{Order, SortKey};
use crate::entity::KvEntity;
use crate::error::{Error, Result};
use crate::mapping::{self, Record};

/// How a field's value is serialized: by its own type, or as `#[serde(with = "…")]` says.
#[doc(hidden)]
pub trait FieldCodec<V> {
    /// Whether it is that of the value's own type, and so of all that is in it.
    const OWN: bool = false;

    /// Serializes the value as the entity would.
    fn serialize<S: Serializer>(value: &V, serializer: S) -> Result<S::Ok, S::Error>;
}

/// By its own type.
#[doc(hidden)]
#[derive(Debug)]
pub struct Own;

impl<V: Serialize> FieldCodec<V> for Own {
    const OWN: bool = true;

    fn serialize<S: Serializer>(value: &V, serializer: S) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }
}

/// A value with its codec.
struct Coded<'v, V, C>(&'v V, PhantomData<C>);

impl<V, C: FieldCodec<V>> Serialize for Coded<'_, V, C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        C::serialize(self.0, serializer)
    }
}

/// A field of the entity `E` that holds a `V`. The entity's `fields()`, which the derive writes, has one for each.
///
/// ```
/// use kvrepo::{KvEntity, Store};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, KvEntity)]
/// struct Person {
///     #[id]
///     id: String,
///     city: Option<String>,
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
/// # let people = Store::in_memory().repository::<Person>();
/// people.save(&mut Person { id: "1".into(), city: None }).await?;
/// let city = Person::fields().city;
/// assert_eq!(city.path(), "city");
/// people.update("1").set(city, Some("Oslo".into())).await?;
/// assert_eq!(people.find_by_id("1").await?.unwrap().city.as_deref(), Some("Oslo"));
/// # Ok(()) }
/// ```
///
/// What it can be asked depends on how it is indexed, which `I` says: [`Indexed`](crate::Indexed),
/// [`Ranged`](crate::Ranged), [`ByKey`](crate::ByKey) or [`Located`](crate::Located).
pub struct Field<E, V, I = NotIndexed> {
    pub(super) path: &'static FieldPath,
    encode: Encode<V>,
    /// Whether what is in it is serialized by its own type.
    pub(super) own: bool,
    /// How it sorts, or what it is if it does not.
    order: Result<Order, &'static str>,
    pub(super) index: I,
    entity: PhantomData<fn() -> E>,
}

/// Writes a value as the fields of a hash.
pub(super) type Encode<V> = fn(&FieldPath, &V) -> Result<Record>;

/// [`Encode`], for the values of the entity `E` that the codec `C` serializes.
pub(super) fn encode<E: KvEntity, V, C: FieldCodec<V>>(path: &FieldPath, value: &V) -> Result<Record> {
    let value = Coded::<V, C>(value, PhantomData);
    mapping::encode_field::<E, _>(&E::SCHEMA, &path.steps, &path.path, &value)
}

impl<E, V, I: Copy> Clone for Field<E, V, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, V, I: Copy> Copy for Field<E, V, I> {}

impl<E, V, I> fmt::Debug for Field<E, V, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Field").field(&self.path.path).finish()
    }
}

impl<E: KvEntity, V> Field<E, V> {
    /// The field at this path, whose values the codec `C` serializes.
    #[doc(hidden)]
    #[must_use]
    pub fn at<C: FieldCodec<V>>(path: &'static FieldPath, order: Result<Order, &'static str>) -> Self {
        Self {
            path,
            encode: encode::<E, V, C>,
            own: C::OWN,
            order,
            index: NotIndexed,
            entity: PhantomData,
        }
    }

    /// The same field with indexes, whose values are an `X`.
    #[doc(hidden)]
    #[must_use]
    pub fn indexed<X: Serialize, I: FromLookup<X>>(self, spec: IndexSpec) -> Field<E, V, I> {
        self.with_lookup(spec, encode_value::<E, X>)
    }

    /// The same field with indexes of what the codec `C` writes of it.
    #[doc(hidden)]
    #[must_use]
    pub fn indexed_with<X, I: FromLookup<X>, C: FieldCodec<V>>(self, spec: IndexSpec) -> Field<E, V, I>
    where
        V: From<X>,
    {
        self.with_lookup(spec, |path, value| encode::<E, V, C>(path, &V::from(value)))
    }

    fn with_lookup<X, I: FromLookup<X>>(
        self,
        spec: IndexSpec,
        encode: fn(&FieldPath, X) -> Result<Record>,
    ) -> Field<E, V, I> {
        let info = FieldIndex::leaked(E::SCHEMA.entity, self.path, spec);
        Field {
            path: self.path,
            encode: self.encode,
            own: self.own,
            order: self.order,
            index: I::from_lookup(Lookup { info, encode }),
            entity: PhantomData,
        }
    }

    /// Where the field stands, with the structs around it.
    #[must_use]
    pub(crate) fn whereabouts(&self) -> &'static FieldPath {
        self.path
    }
}

/// [`Encode`], for one of the values that an index has.
fn encode_value<E: KvEntity, X: Serialize>(path: &FieldPath, value: X) -> Result<Record> {
    mapping::encode_field::<E, _>(&E::SCHEMA, &path.steps, &path.path, &value)
}

impl<E, V, I> Field<E, V, I> {
    /// Where the field stands in the hash: `address.city`.
    #[must_use]
    pub fn path(&self) -> &'static str {
        &self.path.path
    }
}

impl<E, V, I: IndexMarker> Field<E, V, I> {
    /// Adds the field's indexes to those of the type.
    #[doc(hidden)]
    pub fn gather(&self, out: &mut Indexes) {
        self.index.gather(out);
    }
}

impl<E: KvEntity, V, I> Field<E, V, I> {
    /// Sorts by this field, the least first. What is `None` comes first.
    pub fn asc(self) -> Sort<E> {
        self.sorted(false)
    }

    /// Sorts by this field, the greatest first. What is `None` comes last.
    pub fn desc(self) -> Sort<E> {
        self.sorted(true)
    }

    pub(super) fn sorted(&self, descending: bool) -> Sort<E> {
        let unfit = |reason: &str| Err(sort::unfit(E::SCHEMA.entity, &self.path.path, reason));
        Sort::new(match self.order {
            _ if self.path.many => unfit("it stands in a list or a map, and so has no one value to sort by"),
            Ok(order) => Ok(vec![SortKey::new(self.path.path.clone(), order, descending)]),
            Err(what) => unfit(&format!("it is {what}, and not a single value to sort by")),
        })
    }

    /// Those whose field is this value; of a list or a set, those that have it in it.
    pub fn eq<A: ValueArg<I::Value>>(self, value: A) -> Filter<E>
    where
        I: EqualityIndex,
    {
        self.is_in([value])
    }

    /// Those whose field is one of these values, or has one of them in it. With none of them nothing is found.
    pub fn is_in<A: ValueArg<I::Value>>(self, values: impl IntoIterator<Item = A>) -> Filter<E>
    where
        I: EqualityIndex,
    {
        Filter::new(self.index.lookup().equal(&[], values))
    }

    /// Those whose field is true.
    pub fn is_true(self) -> Filter<E>
    where
        I: EqualityIndex<Value = bool>,
    {
        self.eq(true)
    }

    /// Those whose field is false.
    pub fn is_false(self) -> Filter<E>
    where
        I: EqualityIndex<Value = bool>,
    {
        self.eq(false)
    }

    /// Of a field within a map's values: that of the value under this key, to be asked as the field is.
    #[must_use]
    pub fn under<Q: Serialize + ?Sized>(self, key: &Q) -> Under<E, I>
    where
        I: EqualityIndex,
    {
        Under::new(self.index).under(key)
    }

    /// Those whose field is less.
    pub fn lt<A: ValueArg<I::Value>>(self, value: A) -> Filter<E>
    where
        I: RangeIndex,
    {
        self.compared(Comparison::Less, value)
    }

    /// Those whose field is less, or this.
    pub fn le<A: ValueArg<I::Value>>(self, value: A) -> Filter<E>
    where
        I: RangeIndex,
    {
        self.compared(Comparison::LessOrEqual, value)
    }

    /// Those whose field is more.
    pub fn gt<A: ValueArg<I::Value>>(self, value: A) -> Filter<E>
    where
        I: RangeIndex,
    {
        self.compared(Comparison::Greater, value)
    }

    /// Those whose field is more, or this.
    pub fn ge<A: ValueArg<I::Value>>(self, value: A) -> Filter<E>
    where
        I: RangeIndex,
    {
        self.compared(Comparison::GreaterOrEqual, value)
    }

    /// Those whose field is between these, or one of them.
    pub fn between<A: ValueArg<I::Value>>(self, least: A, greatest: A) -> Filter<E>
    where
        I: RangeIndex,
    {
        let lookup = self.index.lookup();
        let bounds = lookup
            .bound(least)
            .and_then(|least| Ok((least, lookup.bound(greatest)?)));
        Filter::new(bounds.map(|(least, greatest)| comparison::between(least, greatest)))
    }

    /// Those whose text starts so; all that have a text, if this is empty.
    pub fn starts_with<A: ValueArg<I::Value>>(self, prefix: A) -> Filter<E>
    where
        I: RangeIndex<Value: TextValue>,
    {
        self.compared(Comparison::StartsWith, prefix)
    }

    fn compared<A: ValueArg<I::Value>>(&self, comparison: Comparison, value: A) -> Filter<E>
    where
        I: RangeIndex,
    {
        let bound = self.index.lookup().bound(value);
        Filter::new(bound.map(|bound| comparison.plan(bound)))
    }

    /// Those within this distance of a point, the nearest first unless something else is sorted by.
    pub fn near(self, point: Point, distance: Distance) -> Filter<E>
    where
        I: GeoIndex,
    {
        self.index.within(&Circle::new(point, distance), true)
    }

    /// Those within an area: a [`Circle`] or a [`BoundingBox`](crate::BoundingBox).
    pub fn within(self, shape: impl Shape) -> Filter<E>
    where
        I: GeoIndex,
    {
        self.index.within(&shape, false)
    }
}

/// What names a field of the entity `E`: a [`Field`], a [`Nested`](crate::Nested), which stands for the whole struct, a
/// [`Reference`](crate::Reference), or an [`Element`](crate::Element) of a list or a map.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a field of `{E}`",
    note = "take it from `{E}::fields()`"
)]
pub trait FieldHandle<E>: Sized {
    /// What the field holds.
    type Value;

    /// What is to be changed.
    fn target(self) -> Target<Self::Value>;
}

impl<E: KvEntity, V, I> FieldHandle<E> for Field<E, V, I> {
    type Value = V;

    fn target(self) -> Target<V> {
        if self.path.many {
            return Target(Err(Error::Encode {
                entity: E::SCHEMA.entity,
                path: self.path.path.clone(),
                reason: "it stands in each element of a list or a map; set that as a whole".into(),
            }));
        }
        Target(Ok(Spot {
            path: Cow::Borrowed(self.path),
            encode: self.encode,
            element: false,
        }))
    }
}
