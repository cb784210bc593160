//! A field that holds a nested struct: a handle of the whole, and of each of its fields.

use std::any::Any;
use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use serde::Serialize;

use super::index::Indexes;
use super::path::FieldPath;
use super::{Element, Field, FieldHandle, Getter, ListField, MapField, Target};
use crate::entity::{KvEntity, KvNested, NestedField};

/// A `#[nested]` field of the entity `E` that holds a `V`: a struct that derives [`KvNested`], or an `Option` of one.
///
/// It names the whole, and by `Deref` has the handles of the struct's own fields.
///
/// ```
/// use kvrepo::{KvEntity, KvNested, Store};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, KvEntity)]
/// struct Person {
///     #[id]
///     id: String,
///     #[nested]
///     address: Option<Address>,
/// }
///
/// #[derive(Debug, PartialEq, Serialize, Deserialize, KvNested)]
/// struct Address {
///     city: String,
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
/// # let people = Store::in_memory().repository::<Person>();
/// # people.save(&mut Person { id: "1".into(), address: None }).await?;
/// let address = Person::fields().address;
/// assert_eq!((address.path(), address.city.path()), ("address", "address.city"));
/// people.update("1").set(address, Some(Address { city: "Bergen".into() })).await?;
/// people.update("1").set(address.city, "Oslo".into()).await?;
/// assert_eq!(people.find_by_id("1").await?.unwrap().address.unwrap().city, "Oslo");
/// # Ok(()) }
/// ```
///
/// A field of a struct that is `None` cannot be set, since the rest of the struct would be missing: that is
/// [`Error::Encode`](crate::Error::Encode). The fields of structs in a list or a map have no one place, and can only be
/// looked for: `addresses.city.eq("Oslo")` finds those with an address there, `places.city.under("home").eq("Oslo")` those
/// with this one.
pub struct Nested<E, V> {
    whole: Field<E, V>,
    /// Its `Fields<E>`, once somebody has asked for them: a struct can be nested in itself. The type is not named, so that a
    /// `V` that is no nested struct is one mistake, where it is derived, and not one wherever this is used.
    fields: &'static OnceLock<Box<dyn Any + Send + Sync>>,
    /// Its `Getter<E, V>`, of which the same can be said.
    get: &'static (dyn Any + Send + Sync),
}

impl<E: KvEntity, V: NestedField> Nested<E, V> {
    /// Kept for good: it is made once for each type.
    pub(crate) fn new(whole: Field<E, V>, get: Getter<E, V>) -> Self {
        Self {
            whole,
            fields: Box::leak(Box::new(OnceLock::new())),
            get: Box::leak(Box::new(get)),
        }
    }

    #[expect(clippy::expect_used, reason = "`new` has put just this type there")]
    fn make(&self) -> <V::Nested as KvNested>::Fields<E> {
        let whole = self.whole.whereabouts();
        let path: &'static FieldPath = match V::HOLDER.step() {
            None => whole,
            Some(step) => Box::leak(Box::new(whole.each(step))),
        };
        let get: &Getter<E, V> = self.get.downcast_ref().expect("the field's getter");
        V::Nested::fields::<E>(path, V::OPTIONAL, get.within(V::each))
    }

    /// Adds the indexes of its fields to those of the type.
    pub(crate) fn gather(&self, out: &mut Indexes) {
        out.within(E::SCHEMA.entity, self.path(), |out| {
            <V::Nested as KvNested>::gather(self, out);
        });
    }
}

impl<E, V> Nested<E, V> {
    /// Where the whole stands in the hash: `address`.
    #[must_use]
    pub fn path(&self) -> &'static str {
        self.whole.path()
    }
}

impl<E: KvEntity, V> Nested<E, V> {
    /// The value of a map under this key, as a whole; see [`Field::key`].
    #[must_use]
    pub fn key<Q>(&self, key: &Q) -> Element<E, V::Value>
    where
        V: MapField<Key: Borrow<Q>, Value: Serialize>,
        Q: Serialize + ?Sized,
    {
        self.whole.key(key)
    }

    /// The element of a list at this index, as a whole; see [`Field::index`].
    #[must_use]
    pub fn index(&self, index: u32) -> Element<E, V::Item>
    where
        V: ListField<Item: Serialize>,
    {
        self.whole.index(index)
    }
}

impl<E: KvEntity, V: NestedField> Deref for Nested<E, V> {
    type Target = <V::Nested as KvNested>::Fields<E>;

    #[expect(clippy::expect_used, reason = "just this type was put there")]
    fn deref(&self) -> &Self::Target {
        self.fields
            .get_or_init(|| Box::new(self.make()))
            .downcast_ref()
            .expect("the handles of the struct's fields")
    }
}

impl<E: KvEntity, V> FieldHandle<E> for Nested<E, V> {
    type Value = V;

    fn target(self) -> Target<V> {
        self.whole.target()
    }
}

impl<E, V> Clone for Nested<E, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, V> Copy for Nested<E, V> {}

impl<E, V> fmt::Debug for Nested<E, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Nested").field(&self.path()).finish()
    }
}
