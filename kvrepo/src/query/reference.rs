//! A field that holds references: a handle of the field, and the way to what it holds.

use std::any::Any;
use std::fmt;
use std::ops::Deref;

use super::{Field, FieldHandle, Getter, NotIndexed, Target};
use crate::entity::{KvEntity, Ref, ReferenceField};

/// A `#[reference]` field of the entity `E` that holds a `V`: a [`Ref`], a list or a set of them, or an `Option` of one of
/// these.
///
/// It names the field as a [`Field`] does, to which it derefs, and loads what the field refers to in any number of
/// entities: [`load_all`](Self::load_all).
pub struct Reference<E, V, I = NotIndexed> {
    field: Field<E, V, I>,
    /// Its `Getter<E, V>`. The type is not named, since it asks of `E` and `V` what a struct of handles does not state.
    get: &'static (dyn Any + Send + Sync),
}

impl<E: KvEntity, V: ReferenceField, I> Reference<E, V, I> {
    pub(crate) fn new(field: Field<E, V, I>, get: Getter<E, V>) -> Self {
        Self {
            field,
            get: Box::leak(Box::new(get)),
        }
    }

    /// The references that the field holds in this entity.
    #[expect(clippy::expect_used, reason = "`new` has put just this type there")]
    pub(crate) fn references<'e>(&self, entity: &'e E) -> Vec<&'e Ref<V::Entity>> {
        let get: &Getter<E, V> = self.get.downcast_ref().expect("the field's getter");
        let mut references = Vec::new();
        get.each(entity, &mut |value| references.extend(value.references()));
        references
    }
}

impl<E, V, I> Deref for Reference<E, V, I> {
    type Target = Field<E, V, I>;

    fn deref(&self) -> &Field<E, V, I> {
        &self.field
    }
}

impl<E: KvEntity, V, I> FieldHandle<E> for Reference<E, V, I> {
    type Value = V;

    fn target(self) -> Target<V> {
        self.field.target()
    }
}

impl<E, V, I: Copy> Clone for Reference<E, V, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, V, I: Copy> Copy for Reference<E, V, I> {}

impl<E, V, I> fmt::Debug for Reference<E, V, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reference").field(&self.path()).finish()
    }
}
