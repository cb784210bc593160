//! The way from an entity to the values of one of its fields.

use std::fmt;

/// Finds what an entity `E` holds in one field: a `V`; none, where a struct around it is `None`; and as many as there are
/// structs around it.
#[doc(hidden)]
pub struct Getter<E: 'static, V: 'static>(&'static Way<E, V>);

/// Calls a function with each value, in their order.
type Way<E, V> = dyn for<'e> Fn(&'e E, &mut dyn FnMut(&'e V)) + Send + Sync;

/// Calls a function with each `W` in a `V`.
type Inner<V, W> = for<'v> fn(&'v V, &mut dyn FnMut(&'v W));

impl<E, V> Getter<E, V> {
    /// Kept for good: one is made for each field.
    fn new(way: impl for<'e> Fn(&'e E, &mut dyn FnMut(&'e V)) + Send + Sync + 'static) -> Self {
        Self(Box::leak(Box::new(way)))
    }

    /// That of a field of the entity itself.
    #[must_use]
    pub fn root(field: fn(&E) -> &V) -> Self {
        Self::new(move |entity, found| found(field(entity)))
    }

    /// That of a field of the struct to which this leads.
    #[must_use]
    pub fn child<W>(self, field: fn(&V) -> &W) -> Getter<E, W> {
        Getter::new(move |entity, found| self.each(entity, &mut |value| found(field(value))))
    }

    /// That of what is in this, by a function that calls another with each.
    pub(crate) fn within<W>(self, inner: Inner<V, W>) -> Getter<E, W> {
        Getter::new(move |entity, found| self.each(entity, &mut |value| inner(value, found)))
    }

    /// Calls the function with what is found in this entity.
    pub(super) fn each<'e>(&self, entity: &'e E, found: &mut dyn FnMut(&'e V)) {
        (self.0)(entity, found);
    }
}

impl<E, V> Clone for Getter<E, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, V> Copy for Getter<E, V> {}

impl<E, V> fmt::Debug for Getter<E, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Getter")
    }
}
