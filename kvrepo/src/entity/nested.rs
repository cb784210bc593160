//! Structs within entities, whose fields can be named one by one.

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::KvEntity;
use crate::query::{Field, FieldInfo, FieldPath, Getter, Holder, Indexes, Nested, Sort};

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

    /// What finders can ask for. With two structs in it that are in each other; a struct can be nested in itself, and what
    /// has no end could not be read when compiling.
    #[doc(hidden)]
    const FIELDS_3: &'static [FieldInfo];

    /// With one.
    #[doc(hidden)]
    const FIELDS_2: &'static [FieldInfo];

    /// With none.
    #[doc(hidden)]
    const FIELDS_1: &'static [FieldInfo];

    /// The handles of its fields, where it stands at this path, and is found by `get`; `optional` if it is in an `Option`
    /// there.
    #[doc(hidden)]
    fn fields<E: KvEntity>(path: &'static FieldPath, optional: bool, get: Getter<E, Self>)
    -> Self::Fields<E>;

    /// Adds the indexes of these fields to those of the entity.
    #[doc(hidden)]
    fn gather<E: KvEntity>(fields: &Self::Fields<E>, out: &mut Indexes);

    /// Sorts by the field at the end of this way, whose steps are numbers in [`FIELDS_3`](Self::FIELDS_3).
    #[doc(hidden)]
    fn sort_by<E: KvEntity>(fields: &Self::Fields<E>, way: &[usize], descending: bool) -> Sort<E>;
}

/// The same struct, elsewhere in memory.
impl<T: KvNested> KvNested for Box<T> {
    type Fields<E: KvEntity> = T::Fields<E>;

    const FIELDS_3: &'static [FieldInfo] = T::FIELDS_3;
    const FIELDS_2: &'static [FieldInfo] = T::FIELDS_2;
    const FIELDS_1: &'static [FieldInfo] = T::FIELDS_1;

    fn fields<E: KvEntity>(path: &'static FieldPath, optional: bool, get: Getter<E, Self>) -> T::Fields<E> {
        T::fields(path, optional, get.child(|boxed| &**boxed))
    }

    fn gather<E: KvEntity>(fields: &T::Fields<E>, out: &mut Indexes) {
        <T as KvNested>::gather(fields, out);
    }

    fn sort_by<E: KvEntity>(fields: &T::Fields<E>, way: &[usize], descending: bool) -> Sort<E> {
        T::sort_by(fields, way, descending)
    }
}

/// A field that `#[nested]` can stand on: a [`KvNested`], a list of them, a map to them, or an `Option` of one
/// of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a nested struct",
    label = "not a nested struct",
    note = "`#[nested]` stands on a struct that derives `KvNested`, on a list or a map of such, or on an `Option`; derive \
            it, or remove `#[nested]`, if the fields need not be named one by one"
)]
pub trait NestedField: Sized + 'static {
    /// The struct, without `Option`.
    type Nested: KvNested;

    /// Whether it is in an `Option`.
    const OPTIONAL: bool = false;

    /// What it stands in.
    #[doc(hidden)]
    const HOLDER: Holder = Holder::One;

    /// What finders can ask for.
    #[doc(hidden)]
    const FIELDS_3: &'static [FieldInfo] = <Self::Nested as KvNested>::FIELDS_3;

    /// With one struct in it.
    #[doc(hidden)]
    const FIELDS_2: &'static [FieldInfo] = <Self::Nested as KvNested>::FIELDS_2;

    /// With none.
    #[doc(hidden)]
    const FIELDS_1: &'static [FieldInfo] = <Self::Nested as KvNested>::FIELDS_1;

    /// Calls the function with each struct that is there.
    fn each<'s>(&'s self, found: &mut dyn FnMut(&'s Self::Nested));

    /// The handles of its fields, with that of the whole, which is found by `get`.
    #[must_use]
    fn handle<E: KvEntity>(whole: Field<E, Self>, get: Getter<E, Self>) -> Nested<E, Self> {
        Nested::new(whole, get)
    }

    /// Adds the indexes of its fields to those of the entity.
    #[doc(hidden)]
    fn gather<E: KvEntity>(handle: &Nested<E, Self>, out: &mut Indexes) {
        handle.gather(out);
    }

    /// Sorts by the field at the end of this way.
    #[doc(hidden)]
    fn sort_by<E: KvEntity>(nested: &Nested<E, Self>, way: &[usize], descending: bool) -> Sort<E> {
        <Self::Nested as KvNested>::sort_by(nested, way, descending)
    }
}

impl<T: KvNested> NestedField for T {
    type Nested = T;

    fn each<'s>(&'s self, found: &mut dyn FnMut(&'s T)) {
        found(self);
    }
}

impl<T: NestedField> NestedField for Option<T> {
    type Nested = T::Nested;

    const OPTIONAL: bool = true;
    const HOLDER: Holder = T::HOLDER;

    fn each<'s>(&'s self, found: &mut dyn FnMut(&'s T::Nested)) {
        self.iter().for_each(|some| some.each(found));
    }
}

macro_rules! holders {
    ($($holder:ident $each:ident <$($param:ident),*> $type:ty;)*) => {$(
        impl<$($param: 'static,)* T: KvNested> NestedField for $type {
            type Nested = T;

            const HOLDER: Holder = Holder::$holder;

            fn each<'s>(&'s self, found: &mut dyn FnMut(&'s T)) {
                self.$each().for_each(found);
            }
        }
    )*};
}

holders! {
    List iter <> Vec<T>;
    List iter <> VecDeque<T>;
    Map values <K> BTreeMap<K, T>;
    Map values <K, S> HashMap<K, T, S>;
}
