//! Structs within entities, whose fields can be named one by one.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::KvEntity;
use crate::query::{Field, FieldPath, Nested};

/// A struct within an entity, whose fields join those of the entity with their path: `address.city`.
///
/// Derive it, and put `#[nested]` on the entity's field; the macro's page ([`derive@crate::KvNested`]) has the rules.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a nested struct",
    label = "not a nested struct",
    note = "derive it: `#[derive(Serialize, Deserialize, KvNested)]`; or remove `#[nested]`, if its fields need not be \
            named one by one"
)]
pub trait KvNested: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The handles of its fields, in an entity `E`.
    type Fields<E: KvEntity>: Copy + Send + Sync + 'static;

    /// The handles of its fields, where it stands at this path; `optional` if it is in an `Option` there.
    #[doc(hidden)]
    fn fields<E: KvEntity>(path: &'static FieldPath, optional: bool) -> Self::Fields<E>;
}

/// A field that `#[nested]` can stand on: a [`KvNested`], or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a nested struct",
    label = "not a nested struct",
    note = "`#[nested]` stands on a struct that derives `KvNested`, or on an `Option` of one; derive it, or remove \
            `#[nested]`, if the fields need not be named one by one"
)]
pub trait NestedField: Sized + 'static {
    /// The struct, without `Option`.
    type Nested: KvNested;

    /// Whether it is in an `Option`.
    const OPTIONAL: bool;

    /// The handles of its fields, with that of the whole.
    #[must_use]
    fn handle<E: KvEntity>(whole: Field<E, Self>) -> Nested<E, Self> {
        Nested::new(
            whole,
            Self::Nested::fields::<E>(whole.whereabouts(), Self::OPTIONAL),
        )
    }
}

impl<T: KvNested> NestedField for T {
    type Nested = T;

    const OPTIONAL: bool = false;
}

impl<T: KvNested> NestedField for Option<T> {
    type Nested = T;

    const OPTIONAL: bool = true;
}
