//! References: fields that hold the id of another entity.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter;
use std::marker::PhantomData;

use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};

use super::{KvEntity, KvId};
use crate::query::{Field, Getter, Reference};

/// A reference to an entity `T`: its id, and nothing of its value.
///
/// It is stored as one text, `keyspace:id`, by the keyspace that the type declares, whatever a store's settings call it.
/// The entity need not be there; it is looked for when it is asked for: one by [`load`](Self::load), many by
/// [`Repository::load_all`](crate::Repository::load_all). A reference whose entity is gone dangles, and stays what it is:
/// saving what holds it writes it again.
///
/// ```
/// use kvrepo::{KvEntity, Ref, Store};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, KvEntity)]
/// struct Person {
///     #[id]
///     id: String,
///     #[reference]
///     boss: Option<Ref<Person>>,
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
/// let people = Store::in_memory().repository::<Person>();
/// let mut ann = Person { id: "ann".into(), boss: None };
/// people.save(&mut ann).await?;
/// people.save(&mut Person { id: "bob".into(), boss: Some(Ref::to(&ann)?) }).await?;
///
/// let boss = people.find_by_id("bob").await?.unwrap().boss.unwrap();
/// assert_eq!(boss.to_string(), "person:ann");
/// assert_eq!(boss.load(&people).await?.id, "ann");
///
/// people.delete(&ann).await?;
/// assert!(boss.load(&people).await.is_err_and(|error| error.is_not_found()));
/// # Ok(()) }
/// ```
pub struct Ref<T: KvEntity> {
    id: T::Id,
}

impl<T: KvEntity> Ref<T> {
    /// A reference to the entity with this id, whether or not there is one.
    #[must_use]
    pub const fn new(id: T::Id) -> Self {
        Self { id }
    }

    /// The id of the entity.
    #[must_use]
    pub const fn id(&self) -> &T::Id {
        &self.id
    }

    /// The reference of which this is the text.
    fn of_text(text: &str) -> Option<Self> {
        let id = text.strip_prefix(T::SCHEMA.keyspace)?.strip_prefix(':')?;
        Self::of_key(id)
    }

    fn of_key(id: &str) -> Option<Self> {
        if id.is_empty() {
            return None;
        }
        T::Id::from_key(id).map(Self::new)
    }
}

/// The text that is stored.
impl<T: KvEntity> fmt::Display for Ref<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", T::SCHEMA.keyspace, self.id.to_key())
    }
}

impl<T: KvEntity> fmt::Debug for Ref<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ref").field(&self.to_string()).finish()
    }
}

impl<T: KvEntity> Clone for Ref<T> {
    fn clone(&self) -> Self {
        Self::new(self.id.clone())
    }
}

impl<T: KvEntity<Id: Copy>> Copy for Ref<T> {}

impl<T: KvEntity<Id: PartialEq>> PartialEq for Ref<T> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<T: KvEntity<Id: Eq>> Eq for Ref<T> {}

impl<T: KvEntity<Id: Hash>> Hash for Ref<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl<T: KvEntity<Id: PartialOrd>> PartialOrd for Ref<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.id.partial_cmp(&other.id)
    }
}

impl<T: KvEntity<Id: Ord>> Ord for Ref<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }
}

impl<T: KvEntity> Serialize for Ref<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.id.to_key().is_empty() {
            return Err(ser::Error::custom(
                "a reference whose id is empty refers to nothing",
            ));
        }
        serializer.collect_str(self)
    }
}

impl<'de, T: KvEntity> Deserialize<'de> for Ref<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(RefVisitor(PhantomData))
    }
}

/// Reads a reference, and nothing that only resembles one.
struct RefVisitor<T>(PhantomData<fn() -> T>);

impl<T: KvEntity> Visitor<'_> for RefVisitor<T> {
    type Value = Ref<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = T::SCHEMA;
        write!(
            f,
            "a reference: `{}:` and the id of a `{}`",
            schema.keyspace, schema.entity
        )
    }

    fn visit_str<Er: de::Error>(self, text: &str) -> Result<Ref<T>, Er> {
        // What was found is not shown.
        Ref::of_text(text).ok_or_else(|| de::Error::invalid_value(Unexpected::Other("another text"), &self))
    }

    /// The id alone, which is never stored so: the mapping's probe, which asks what a type holds, has no keyspace to offer.
    fn visit_bytes<Er: de::Error>(self, id: &[u8]) -> Result<Ref<T>, Er> {
        std::str::from_utf8(id)
            .ok()
            .and_then(Ref::of_key)
            .ok_or_else(|| de::Error::invalid_value(Unexpected::Other("bytes"), &self))
    }
}

/// A field that `#[reference]` can stand on: a [`Ref`], a list or a set of them, or an `Option` of one of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reference",
    label = "not a reference",
    note = "`#[reference]` stands on a `kvrepo::Ref<T>`, where `T` is an entity; on a `Vec`, `VecDeque`, `HashSet` or \
            `BTreeSet` of these; or on an `Option` of one of them"
)]
pub trait ReferenceField: Sized + 'static {
    /// What is referred to.
    type Entity: KvEntity;

    /// The references that the field holds, in its order.
    fn references(&self) -> impl Iterator<Item = &Ref<Self::Entity>>;

    /// The handle of the field, with the way to its values.
    #[doc(hidden)]
    #[must_use]
    fn handle<E: KvEntity, I>(field: Field<E, Self, I>, get: Getter<E, Self>) -> Reference<E, Self, I> {
        Reference::new(field, get)
    }
}

impl<T: KvEntity> ReferenceField for Ref<T> {
    type Entity = T;

    fn references(&self) -> impl Iterator<Item = &Self> {
        iter::once(self)
    }
}

impl<R: ReferenceField> ReferenceField for Option<R> {
    type Entity = R::Entity;

    fn references(&self) -> impl Iterator<Item = &Ref<R::Entity>> {
        self.iter().flat_map(R::references)
    }
}

macro_rules! collections {
    ($(<T $(, $param:ident)?> $collection:ty),*) => {$(
        impl<T: KvEntity $(, $param: 'static)?> ReferenceField for $collection {
            type Entity = T;

            fn references(&self) -> impl Iterator<Item = &Ref<T>> {
                self.iter()
            }
        }
    )*};
}

collections! {
    <T> Vec<Ref<T>>, <T> VecDeque<Ref<T>>, <T> BTreeSet<Ref<T>>, <T, S> HashSet<Ref<T>, S>
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EntitySchema, FieldTerm, ReadTerm};

    /// Refers to itself, which is no circle.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    struct Line {
        id: u32,
        next: Option<Ref<Self>>,
    }

    impl KvEntity for Line {
        type Id = u32;

        const SCHEMA: EntitySchema = EntitySchema::new("Line", "web:lines", "id");

        fn id(&self) -> Option<&u32> {
            Some(&self.id)
        }

        fn set_id(&mut self, id: u32) {
            self.id = id;
        }

        fn generate_id() -> Option<u32> {
            None
        }

        fn term(&self) -> Result<FieldTerm, String> {
            Ok(FieldTerm::Unset)
        }

        fn set_term(&mut self, _: &ReadTerm) {}
    }

    #[test]
    fn a_reference_is_keyspace_and_id() {
        let reference = Ref::<Line>::new(7);
        let json = serde_json::to_string(&reference).unwrap();
        assert_eq!(json, r#""web:lines:7""#);
        assert_eq!(serde_json::from_str::<Ref<Line>>(&json).unwrap(), reference);
        assert_eq!(
            format!("{reference} {reference:?}"),
            r#"web:lines:7 Ref("web:lines:7")"#
        );
        assert!(reference < Ref::new(10), "by the id, and not by its text");
    }

    #[test]
    fn a_text_that_only_resembles_one_is_none() {
        for text in [
            "",
            "7",
            ":7",
            "web:lines",
            "web:lines:",
            "web:lines:07",
            "web:lines:x",
            "web:lines7",
            "lines:7",
            "Web:lines:7",
            " web:lines:7",
            "web:lines:7 ",
            "web:lines::7",
            "web:lines:-1",
        ] {
            let json = serde_json::to_string(text).unwrap();
            let error = serde_json::from_str::<Ref<Line>>(&json).unwrap_err().to_string();
            assert!(
                error.contains("`web:lines:` and the id of a `Line`"),
                "{text}: {error}"
            );
        }
    }
}
