//! A field of an entity, as a value that knows its path and its type.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::{Serialize, Serializer};

use crate::backend::{Ancestor, Place};
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
        }
    }

    pub(crate) fn place(&self) -> Place {
        Place::new(self.path.clone(), self.others.clone(), self.ancestors.clone())
    }
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
pub struct Field<E, V> {
    pub(super) path: &'static FieldPath,
    encode: Encode<V>,
    /// Whether what is in it is serialized by its own type.
    pub(super) own: bool,
    entity: PhantomData<fn() -> E>,
}

/// Writes a value as the fields of a hash.
pub(super) type Encode<V> = fn(&FieldPath, &V) -> Result<Record>;

/// [`Encode`], for the values of the entity `E` that the codec `C` serializes.
pub(super) fn encode<E: KvEntity, V, C: FieldCodec<V>>(path: &FieldPath, value: &V) -> Result<Record> {
    let value = Coded::<V, C>(value, PhantomData);
    mapping::encode_field::<E, _>(&E::SCHEMA, &path.steps, &path.path, &value)
}

impl<E, V> Clone for Field<E, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, V> Copy for Field<E, V> {}

impl<E, V> fmt::Debug for Field<E, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Field").field(&self.path.path).finish()
    }
}

impl<E: KvEntity, V> Field<E, V> {
    /// The field at this path, whose values the codec `C` serializes.
    #[doc(hidden)]
    #[must_use]
    pub fn at<C: FieldCodec<V>>(path: &'static FieldPath) -> Self {
        Self {
            path,
            encode: encode::<E, V, C>,
            own: C::OWN,
            entity: PhantomData,
        }
    }

    /// Where the field stands, with the structs around it.
    #[must_use]
    pub(crate) fn whereabouts(&self) -> &'static FieldPath {
        self.path
    }
}

impl<E, V> Field<E, V> {
    /// Where the field stands in the hash: `address.city`.
    #[must_use]
    pub fn path(&self) -> &'static str {
        &self.path.path
    }
}

/// What names a field of the entity `E`: a [`Field`], a [`Nested`](crate::Nested), which stands for the whole struct, or an
/// [`Element`](crate::Element) of a list or a map.
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

impl<E, V> FieldHandle<E> for Field<E, V> {
    type Value = V;

    fn target(self) -> Target<V> {
        Target(Ok(Located {
            path: Cow::Borrowed(self.path),
            encode: self.encode,
            element: false,
        }))
    }
}

/// A place in an entity, and how values are written there; or why it is none.
pub struct Target<V>(pub(super) Result<Located<V>>);

pub(super) struct Located<V> {
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
        let Located {
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
