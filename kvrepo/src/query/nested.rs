//! A field that holds a nested struct: a handle of the whole, and of each of its fields.

use std::any::Any;
use std::fmt;
use std::ops::Deref;

use super::{Field, FieldHandle, Target};
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
/// [`Error::Encode`](crate::Error::Encode).
pub struct Nested<E, V> {
    whole: Field<E, V>,
    /// Its `Fields<E>`. The type is not named, so that a `V` that is no nested struct is one mistake, where it is
    /// derived, and not one wherever this is used.
    fields: &'static (dyn Any + Send + Sync),
}

impl<E: KvEntity, V: NestedField> Nested<E, V> {
    /// These handles, kept for good: they are made once for each type.
    pub(crate) fn new(whole: Field<E, V>, fields: <V::Nested as KvNested>::Fields<E>) -> Self {
        Self {
            whole,
            fields: Box::leak(Box::new(fields)),
        }
    }
}

impl<E, V> Nested<E, V> {
    /// Where the whole stands in the hash: `address`.
    #[must_use]
    pub fn path(&self) -> &'static str {
        self.whole.path()
    }
}

impl<E: KvEntity, V: NestedField> Deref for Nested<E, V> {
    type Target = <V::Nested as KvNested>::Fields<E>;

    #[expect(clippy::expect_used, reason = "`new` has put just this type there")]
    fn deref(&self) -> &Self::Target {
        self.fields
            .downcast_ref()
            .expect("the handles of the struct's fields")
    }
}

impl<E, V> FieldHandle<E> for Nested<E, V> {
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
