//! A field of an entity, as a value that knows its path and its type.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::{Serialize, Serializer};

use super::index::{
    EqualityIndex, FieldIndex, FromLookup, GeoIndex, IndexMarker, IndexSpec, Indexes, Lookup, NotIndexed,
    RangeIndex,
};
use super::value::{TextValue, ValueArg};
use super::{Circle, Distance, Filter, Point, Shape, Sort, sort};
use crate::backend::{Ancestor, Edge, Order, PathPart, Place, SortKey};
use crate::entity::KvEntity;
use crate::error::{Error, Result};
use crate::mapping::{self, Record, Step};

/// Where a field stands in the hash. That of a declared field is made once for its type, and kept.
#[derive(Debug, Clone)]
pub struct FieldPath {
    /// The path under which it is written.
    pub(crate) path: String,
    /// Other paths under which it is read, by serde's `alias`.
    pub(crate) others: Vec<String>,
    /// What it stands in, the outermost first.
    pub(crate) ancestors: Vec<Ancestor>,
    /// The way from the entity down to it.
    pub(crate) steps: Vec<Step>,
    /// Whether it stands in the elements of a list or a map, and so not at one place.
    pub(crate) many: bool,
}

impl FieldPath {
    /// A field of the entity itself: the name under which it is written, and all others under which it is read.
    #[must_use]
    pub fn root(name: &'static str, others: &[&str]) -> &'static Self {
        Box::leak(Box::new(Self {
            path: name.to_owned(),
            others: others.iter().map(|&name| name.to_owned()).collect(),
            ancestors: Vec::new(),
            steps: vec![Step::Field(name)],
            many: false,
        }))
    }

    /// A field of the struct that stands here, in an `Option` or not.
    #[must_use]
    pub fn child(&self, optional: bool, name: &'static str, others: &[&str]) -> &'static Self {
        let below = |name: &str| format!("{}.{name}", self.path);
        let mut child = self.within(below(name), Step::Field(name), optional, "{}");
        child.others = others.iter().map(|name| below(name)).collect();
        Box::leak(Box::new(child))
    }

    /// What stands one step below this, at a path of its own. Of nothing but it, `marker` would stand here.
    pub(super) fn within(&self, path: String, step: Step, optional: bool, marker: &'static str) -> Self {
        let mut steps = self.steps.clone();
        steps.push(step);
        let mut ancestors = self.ancestors.clone();
        ancestors.push(Ancestor::new(self.path.clone(), optional, marker));
        Self {
            path,
            others: Vec::new(),
            ancestors,
            steps,
            many: self.many,
        }
    }

    /// What stands in each element of this, a list or a map. For indexes: it is at no place of its own.
    pub(crate) fn each(&self, step: Step) -> Self {
        let mut each = self.within(self.path.clone(), step, false, "{}");
        each.many = true;
        each
    }

    /// A path that a value could have, with these keys of maps.
    pub(super) fn sample(&self, keys: &[String]) -> String {
        let parts = parts(&self.steps, keys).into_iter().map(|part| match part {
            PathPart::Text(text) => text,
            PathPart::Position => "0".to_owned(),
        });
        parts.collect()
    }

    pub(crate) fn place(&self) -> Place {
        Place::new(self.path.clone(), self.others.clone(), self.ancestors.clone())
    }
}

/// The parts of the path that a value has at the end of these steps, with these keys of maps.
pub(super) fn parts(steps: &[Step], keys: &[impl AsRef<str>]) -> Vec<PathPart> {
    let (mut parts, mut text, mut keys) = (Vec::new(), String::new(), keys.iter());
    for (at, step) in steps.iter().enumerate() {
        if at > 0 {
            text.push('.');
        }
        match step {
            Step::Field(name) => text.push_str(name),
            Step::Entry => {
                let key = keys.next().map_or("", AsRef::as_ref);
                text.extend(["[", key, "]"]);
            }
            Step::Each => {
                text.push('[');
                parts.extend([PathPart::Text(std::mem::take(&mut text)), PathPart::Position]);
                text.push(']');
            }
        }
    }
    parts.push(PathPart::Text(text));
    parts
}

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
        Under {
            index: self.index,
            keys: Ok(Vec::new()),
            entity: PhantomData,
        }
        .under(key)
    }

    /// Those whose field is less.
    pub fn lt<A: ValueArg<I::Value>>(self, value: A) -> Filter<E>
    where
        I: RangeIndex,
    {
        self.range(None, Some(value), |_, to| (Edge::Open, excluded(to)))
    }

    /// Those whose field is less, or this.
    pub fn le<A: ValueArg<I::Value>>(self, value: A) -> Filter<E>
    where
        I: RangeIndex,
    {
        self.range(None, Some(value), |_, to| (Edge::Open, included(to)))
    }

    /// Those whose field is more.
    pub fn gt<A: ValueArg<I::Value>>(self, value: A) -> Filter<E>
    where
        I: RangeIndex,
    {
        self.range(Some(value), None, |from, _| (excluded(from), Edge::Open))
    }

    /// Those whose field is more, or this.
    pub fn ge<A: ValueArg<I::Value>>(self, value: A) -> Filter<E>
    where
        I: RangeIndex,
    {
        self.range(Some(value), None, |from, _| (included(from), Edge::Open))
    }

    /// Those whose field is between these, or one of them.
    pub fn between<A: ValueArg<I::Value>>(self, least: A, greatest: A) -> Filter<E>
    where
        I: RangeIndex,
    {
        self.range(Some(least), Some(greatest), |from, to| {
            (included(from), included(to))
        })
    }

    /// Those whose text starts so; all that have a text, if this is empty.
    pub fn starts_with<A: ValueArg<I::Value>>(self, prefix: A) -> Filter<E>
    where
        I: RangeIndex<Value: TextValue>,
    {
        self.range(Some(prefix), None, |from, _| {
            let from = from.unwrap_or_default();
            (Edge::Included(from.clone()), Edge::Behind(from))
        })
    }

    fn range<A: ValueArg<I::Value>>(
        &self,
        from: Option<A>,
        to: Option<A>,
        edges: impl FnOnce(Option<Vec<u8>>, Option<Vec<u8>>) -> (Edge, Edge),
    ) -> Filter<E>
    where
        I: RangeIndex,
    {
        Filter::new(self.index.lookup().range(&[], from, to, edges))
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

fn included(key: Option<Vec<u8>>) -> Edge {
    key.map_or(Edge::Open, Edge::Included)
}

fn excluded(key: Option<Vec<u8>>) -> Edge {
    key.map_or(Edge::Open, Edge::Excluded)
}

/// A field within the value that a map has under a key. See [`Field::under`].
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
        Filter::new(match self.keys {
            Ok(keys) => self.index.lookup().equal(&keys, values),
            Err(reason) => Err(Error::Encode {
                entity: E::SCHEMA.entity,
                path: String::new(),
                reason,
            }),
        })
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

/// A place in an entity, and how values are written there; or why it is none.
pub struct Target<V>(pub(super) Result<Spot<V>>);

pub(super) struct Spot<V> {
    pub(super) path: Cow<'static, FieldPath>,
    pub(super) encode: Encode<V>,
    /// Whether it is in a list or a map, in which nothing can be absent.
    pub(super) element: bool,
}

impl<V> fmt::Debug for Target<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Target")
            .field(&self.0.as_ref().map(|target| &target.path.path))
            .finish()
    }
}

impl<V> Target<V> {
    pub(crate) fn place(self) -> Result<Place> {
        Ok(self.0?.path.place())
    }

    /// The place, and the fields of the hash that hold `value`; none, if it is an absent option.
    pub(crate) fn encode(self, entity: &'static str, value: &V) -> Result<(Place, Record)> {
        let Spot {
            path,
            encode,
            element,
        } = self.0?;
        let fields = encode(&path, value)?;
        if element && fields.is_empty() {
            return Err(Error::Encode {
                entity,
                path: path.path.clone(),
                reason:
                    "a list or a map with a `None` in it is stored as JSON in one field; set it as a whole"
                        .into(),
            });
        }
        Ok((path.place(), fields))
    }
}

/// A number that can be incremented where it is stored: integers of up to 64 bits, floats, and their `Option`s, of
/// which `None` counts as 0.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be incremented in the store",
    note = "integers of up to 64 bits, `f32`, `f64` and `Option`s of these can; for others use `update_with`"
)]
pub trait Increment {
    /// By how much: `i64`, or `f64` for floats.
    type By: Copy + Send;

    #[doc(hidden)]
    fn increment(by: Self::By) -> Amount;
}

/// By how much, and what the field can hold.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    Integer { by: i64, min: i128, max: i128 },
    Float { by: f64, single: bool },
}

macro_rules! integers {
    ($($int:ty)*) => {$(
        impl Increment for $int {
            type By = i64;

            fn increment(by: i64) -> Amount {
                // Lossless: none of these has more than 64 bits.
                Amount::Integer { by, min: Self::MIN as i128, max: Self::MAX as i128 }
            }
        }
    )*};
}

integers! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize }

impl Increment for f64 {
    type By = Self;

    fn increment(by: Self) -> Amount {
        Amount::Float { by, single: false }
    }
}

impl Increment for f32 {
    type By = f64;

    fn increment(by: f64) -> Amount {
        Amount::Float { by, single: true }
    }
}

impl<N: Increment> Increment for Option<N> {
    type By = N::By;

    fn increment(by: N::By) -> Amount {
        N::increment(by)
    }
}
