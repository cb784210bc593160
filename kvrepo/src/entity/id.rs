//! What can be an id: the types, how they stand in a key, and how a finder takes them.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use uuid::Uuid;

/// A type that can be the id of an entity.
///
/// Implemented for `String`, for every integer type and for [`uuid::Uuid`] (hyphenated, lower case). Implement it for
/// a newtype, or for an id of several parts:
///
/// ```
/// use std::borrow::Cow;
///
/// use kvrepo::KvId;
///
/// #[derive(Debug, Clone, PartialEq)]
/// struct LineId {
///     order: u64,
///     line: u32,
/// }
///
/// impl KvId for LineId {
///     fn to_key(&self) -> Cow<'_, str> {
///         Cow::Owned(format!("{}-{}", self.order, self.line))
///     }
///
///     fn from_key(key: &str) -> Option<Self> {
///         let (order, line) = key.split_once('-')?;
///         Some(Self { order: KvId::from_key(order)?, line: KvId::from_key(line)? })
///     }
/// }
///
/// let id = LineId { order: 4711, line: 2 };
/// assert_eq!(id.to_key(), "4711-2");
/// assert_eq!(LineId::from_key("4711-2"), Some(id));
/// assert_eq!(LineId::from_key("4711-02"), None);
/// ```
///
/// The two functions are each other's inverse: two ids that differ have keys that differ, and
/// `from_key(&id.to_key())` is `Some(id)`. The field itself is stored as serde writes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the id of an entity",
    label = "not a `KvId`",
    note = "an id is a `String`, an integer, a `uuid::Uuid`, or a type of your own that implements `kvrepo::KvId`"
)]
pub trait KvId: Clone + Debug + Send + Sync + 'static {
    /// The text that stands for this id in a key.
    fn to_key(&self) -> Cow<'_, str>;

    /// The id whose text this is. `None` if it is no id's text; a text that only resembles one (`007`, `+7`, a UUID in
    /// upper case) is none, since its id would be found under another key.
    fn from_key(key: &str) -> Option<Self>
    where
        Self: Sized;
}

impl KvId for String {
    fn to_key(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }

    fn from_key(key: &str) -> Option<Self> {
        Some(key.to_owned())
    }
}

impl KvId for Uuid {
    fn to_key(&self) -> Cow<'_, str> {
        Cow::Owned(self.hyphenated().to_string())
    }

    fn from_key(key: &str) -> Option<Self> {
        let id = Self::try_parse(key).ok()?;
        let mut canonical = Self::encode_buffer();
        (id.hyphenated().encode_lower(&mut canonical) == key).then_some(id)
    }
}

/// Whether a text that parses as an integer is the one that the integer is written as.
fn is_canonical(key: &str) -> bool {
    match key.strip_prefix('-').unwrap_or(key).as_bytes() {
        [b'0'] => key.len() == 1,
        [first, ..] => matches!(first, b'1'..=b'9'),
        [] => false,
    }
}

macro_rules! integer_ids {
    ($($int:ty)*) => {$(
        impl KvId for $int {
            fn to_key(&self) -> Cow<'_, str> {
                Cow::Owned(self.to_string())
            }

            fn from_key(key: &str) -> Option<Self> {
                if is_canonical(key) { key.parse().ok() } else { None }
            }
        }
    )*};
}

integer_ids! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

/// A type that kvrepo can make ids of.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "ids of type `{Self}` are not generated",
    note = "only `Option<String>` and `Option<uuid::Uuid>` are; declare other ids without `Option` and set them yourself"
)]
pub trait GenerateId {
    /// A new id, a UUID of version 7: later ones sort behind earlier ones.
    fn generate_id() -> Self;
}

impl GenerateId for Uuid {
    fn generate_id() -> Self {
        Self::now_v7()
    }
}

impl GenerateId for String {
    fn generate_id() -> Self {
        Uuid::now_v7().hyphenated().to_string()
    }
}

/// A field that `#[id]` can stand on.
///
/// Every [`KvId`] is one: it is there from the start, and never generated. `Option<String>` and `Option<Uuid>` are
/// one: `None` until the entity is saved for the first time, when a UUID of version 7 is put there.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` cannot be the id of an entity",
    label = "cannot be an `#[id]`",
    note = "an id is a `String`, an integer, a `uuid::Uuid`, or a type of your own that implements `kvrepo::KvId`",
    note = "in an `Option` only `String` and `uuid::Uuid` can be ids, since only these are generated; \
            declare any other id without `Option`"
)]
pub trait IdField {
    /// The type of the id, without `Option`.
    type Id: KvId;

    /// The id, or `None` while it has not been generated.
    fn get(&self) -> Option<&Self::Id>;

    /// Replaces the id.
    fn put(&mut self, id: Self::Id);

    /// A new id, or `None` if ids of this field are not generated.
    fn generate() -> Option<Self::Id>;
}

impl<T: KvId> IdField for T {
    type Id = T;

    fn get(&self) -> Option<&T> {
        Some(self)
    }

    fn put(&mut self, id: T) {
        *self = id;
    }

    fn generate() -> Option<Self::Id> {
        None
    }
}

impl<T: KvId + GenerateId> IdField for Option<T> {
    type Id = T;

    fn get(&self) -> Option<&T> {
        self.as_ref()
    }

    fn put(&mut self, id: T) {
        *self = Some(id);
    }

    fn generate() -> Option<Self::Id> {
        Some(T::generate_id())
    }
}

/// What a call takes where it asks for an id of type `I`.
///
/// The id, or a reference to it; for a `String` id also `&str`, `Cow<str>`, `Box<str>` and `Arc<str>`.
///
/// ```
/// use kvrepo::IdArg;
///
/// fn key(id: impl IdArg<String>) -> String {
///     id.to_id_key().into_owned()
/// }
///
/// let id = String::from("4711");
/// assert_eq!(key("4711"), "4711");
/// assert_eq!(key(&id), "4711");
/// assert_eq!(key(id), "4711");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name an id of type `{I}`",
    label = "not an id of type `{I}`",
    note = "pass the id itself or a reference to it; where ids are `String`s, a `&str` will do"
)]
pub trait IdArg<I: KvId> {
    /// The text that stands for the id in a key.
    fn to_id_key(&self) -> Cow<'_, str>;
}

impl<I: KvId> IdArg<I> for I {
    fn to_id_key(&self) -> Cow<'_, str> {
        self.to_key()
    }
}

impl<I: KvId> IdArg<I> for &I {
    fn to_id_key(&self) -> Cow<'_, str> {
        (**self).to_key()
    }
}

impl<I: KvId> IdArg<I> for &&I {
    fn to_id_key(&self) -> Cow<'_, str> {
        (***self).to_key()
    }
}

macro_rules! text_args {
    ($($text:ty)*) => {$(
        impl IdArg<String> for $text {
            fn to_id_key(&self) -> Cow<'_, str> {
                Cow::Borrowed(self)
            }
        }
    )*};
}

text_args! { &str &&str Cow<'_, str> &Cow<'_, str> Box<str> &Box<str> Arc<str> &Arc<str> }

#[cfg(test)]
mod tests {
    use super::*;

    fn round<I: KvId + PartialEq>(id: I, key: &str) {
        assert_eq!(id.to_key(), key);
        assert_eq!(I::from_key(key), Some(id));
    }

    #[expect(clippy::needless_pass_by_value, reason = "as every finder takes it")]
    fn key<I: KvId>(id: impl IdArg<I>) -> String {
        id.to_id_key().into_owned()
    }

    #[test]
    fn an_id_is_read_back_from_its_key() {
        round(String::from("a:b c"), "a:b c");
        round(0_u8, "0");
        round(u128::MAX, "340282366920938463463374607431768211455");
        round(i64::MIN, "-9223372036854775808");
        round(-1_isize, "-1");
        round(Uuid::from_u128(0xabcdef), "00000000-0000-0000-0000-000000abcdef");
    }

    #[test]
    fn a_text_that_only_resembles_an_id_is_none() {
        for text in [
            "", "-", "+1", "007", "-0", "00", "-01", " 1", "1 ", "1.0", "0x1", "--1", "128",
        ] {
            assert_eq!(i8::from_key(text), None, "{text:?}");
        }
        assert_eq!(u8::from_key("-1"), None);
        for text in [
            "",
            "00000000-0000-0000-0000-000000ABCDEF",
            "00000000000000000000000000abcdef",
            "{00000000-0000-0000-0000-000000abcdef}",
            "urn:uuid:00000000-0000-0000-0000-000000abcdef",
        ] {
            assert_eq!(Uuid::from_key(text), None, "{text:?}");
        }
    }

    #[test]
    fn only_optional_ids_are_generated() {
        assert_eq!(<u32 as IdField>::generate(), None);
        assert_eq!(<String as IdField>::generate(), None);
        let id = <Option<Uuid> as IdField>::generate().unwrap();
        assert_eq!(id.get_version_num(), 7);
        let text = <Option<String> as IdField>::generate().unwrap();
        assert_eq!(Uuid::from_key(&text).map(|id| id.get_version_num()), Some(7));
        assert!(text < <Option<String> as IdField>::generate().unwrap());

        let mut field: Option<String> = None;
        assert_eq!(IdField::get(&field), None);
        IdField::put(&mut field, text.clone());
        assert_eq!(IdField::get(&field), Some(&text));
    }

    #[test]
    fn an_id_can_be_passed_by_value_and_by_reference() {
        let id = String::from("a");
        let (boxed, arc): (Box<str>, Arc<str>) = ("a".into(), "a".into());
        for key in [
            key::<String>("a"),
            key::<String>(&"a"),
            key::<String>(&id),
            key::<String>(&&id),
            key::<String>(Cow::Borrowed("a")),
            key::<String>(&boxed),
            key::<String>(boxed),
            key::<String>(&arc),
            key::<String>(id),
        ] {
            assert_eq!(key, "a");
        }
        assert_eq!(key::<u64>(7), "7");
        assert_eq!(key::<u64>(&7), "7");
        assert_eq!(key::<Uuid>(Uuid::nil()), "00000000-0000-0000-0000-000000000000");
        assert!(matches!("a".to_id_key(), Cow::Borrowed(_)));
    }
}
