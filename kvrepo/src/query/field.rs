//! A field of an entity, as a value that knows its path and its type.

use std::fmt;
use std::marker::PhantomData;

use serde::{Serialize, Serializer};

use crate::entity::KvEntity;
use crate::error::Result;
use crate::mapping::{self, Record};

/// Where a field stands in the hash. Made once for each field of a type, and kept.
#[derive(Debug)]
pub struct FieldPath {
    /// The path under which it is written.
    pub(crate) path: String,
    /// Other paths under which it is read, by serde's `alias`.
    pub(crate) others: Vec<String>,
    /// The structs that it stands in, the outermost first: their own paths, and whether each is in an `Option`.
    pub(crate) ancestors: Vec<(String, bool)>,
    /// The names from the entity down to the field.
    pub(crate) names: Vec<&'static str>,
}

impl FieldPath {
    /// A field of the entity itself: the name under which it is written, and all others under which it is read.
    #[must_use]
    pub fn root(name: &'static str, others: &[&str]) -> &'static Self {
        Box::leak(Box::new(Self {
            path: name.to_owned(),
            others: others.iter().map(|&name| name.to_owned()).collect(),
            ancestors: Vec::new(),
            names: vec![name],
        }))
    }

    /// A field of the struct that stands here, in an `Option` or not.
    #[must_use]
    pub fn child(&self, optional: bool, name: &'static str, others: &[&str]) -> &'static Self {
        let below = |name: &str| format!("{}.{name}", self.path);
        let mut names = self.names.clone();
        names.push(name);
        let mut ancestors = self.ancestors.clone();
        ancestors.push((self.path.clone(), optional));
        Box::leak(Box::new(Self {
            path: below(name),
            others: others.iter().map(|name| below(name)).collect(),
            ancestors,
            names,
        }))
    }
}

/// How a field's value is serialized: by its own type, or as `#[serde(with = "…")]` says.
#[doc(hidden)]
pub trait FieldCodec<V> {
    /// Serializes the value as the entity would.
    fn serialize<S: Serializer>(value: &V, serializer: S) -> Result<S::Ok, S::Error>;
}

/// By its own type.
#[doc(hidden)]
#[derive(Debug)]
pub struct Own;

impl<V: Serialize> FieldCodec<V> for Own {
    fn serialize<S: Serializer>(value: &V, serializer: S) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }
}

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
    pub(crate) path: &'static FieldPath,
    encode: fn(&FieldPath, &V) -> Result<Record>,
    entity: PhantomData<fn() -> E>,
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
            encode: |path, value| {
                let value = Coded::<V, C>(value, PhantomData);
                mapping::encode_field::<E, _>(&E::SCHEMA, &path.names, &path.path, &value)
            },
            entity: PhantomData,
        }
    }

    /// Where the field of a nested struct stands.
    #[doc(hidden)]
    #[must_use]
    pub fn whereabouts(&self) -> &'static FieldPath {
        self.path
    }

    /// The fields of the hash that hold `value`; none, if it is an absent option.
    pub(crate) fn encode(&self, value: &V) -> Result<Record> {
        (self.encode)(self.path, value)
    }
}

impl<E, V> Field<E, V> {
    /// Where the field stands in the hash: `address.city`.
    #[must_use]
    pub fn path(&self) -> &'static str {
        &self.path.path
    }
}

/// What names a field of the entity `E`: a [`Field`], or the handles of a nested struct, which stand for the whole.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a field of `{E}`",
    note = "take it from `{E}::fields()`"
)]
pub trait FieldHandle<E> {
    /// What the field holds.
    type Value;

    /// The field.
    fn field(&self) -> Field<E, Self::Value>;
}

impl<E, V> FieldHandle<E> for Field<E, V> {
    type Value = V;

    fn field(&self) -> Self {
        *self
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
