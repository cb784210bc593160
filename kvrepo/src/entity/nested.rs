//! Structs within entities, whose fields can be named one by one.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::KvEntity;
use crate::query::Field;

/// A struct within an entity, whose fields join those of the entity with their path: `address.city`.
///
/// Derive it, and put `#[nested]` on the entity's field.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a nested struct",
    note = "derive it: `#[derive(Serialize, Deserialize, KvNested)]`; or remove `#[nested]`, if its fields need not be \
            named one by one"
)]
pub trait KvNested: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The handles of its fields, in an entity `E` that holds it as a `V`: as itself, or in an `Option`.
    type Fields<E: KvEntity, V: 'static>: Copy;

    /// The handles of its fields, below the handle of the whole; `optional` if the entity holds it in an `Option`.
    fn fields<E: KvEntity, V: 'static>(whole: Field<E, V>, optional: bool) -> Self::Fields<E, V>;
}

/// A field that `#[nested]` can stand on: a [`KvNested`], or an `Option` of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a nested struct",
    label = "not a nested struct",
    note = "`#[nested]` stands on a struct that derives `KvNested`, or on an `Option` of one"
)]
pub trait NestedField {
    /// The struct, without `Option`.
    type Nested: KvNested;

    /// Whether it is in an `Option`.
    const OPTIONAL: bool;
}

impl<T: KvNested> NestedField for T {
    type Nested = T;

    const OPTIONAL: bool = false;
}

impl<T: KvNested> NestedField for Option<T> {
    type Nested = T;

    const OPTIONAL: bool = true;
}
