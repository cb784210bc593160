//! What generated code calls. Not part of the public interface.

// What stands in a prelude everywhere else: a derive's call site may have its own `Option` or `bool`.
pub use std::option::Option;
pub use std::primitive::{bool, str, u64, usize};
pub use std::result::Result;
pub use std::string::String;
pub use std::time::Duration;
pub use std::vec::Vec;

// For what the handles of fields are made of.
pub use std::clone::Clone;
pub use std::convert::identity;
pub use std::fmt;
pub use std::future::Future;
pub use std::marker::{Copy, PhantomData, Send};
pub use std::sync::OnceLock;

pub use serde::Serializer;

pub use crate::backend::Order;
pub use crate::entity::{
    DeadlineField, EntitySchema, FieldTerm, GenerateId, IdField, KvEntity, KvId, KvNested, NestedField,
    ReadTerm, ReferenceField, TermField, TermUnit, VersionField, Versioned,
};
pub use crate::query::finder;
pub use crate::query::{
    Amount, ByKey, Field, FieldCodec, FieldInfo, FieldPath, FromLookup, GeoField, Getter, Holder, IdHandle,
    IndexMarker, IndexSpec, Indexed, Indexes, Located, Lookup, Nested, NotIndexed, Own, Probe, ProbeNothing,
    ProbeOrder, ProbeShape, RangeValue, Ranged, Reference, Sort,
};
pub use crate::repository::Repository;

// For the benchmark of the mapping.
pub use crate::repository::codec::{decode, encode};

/// Compiles only for what a geo index can hold.
pub fn geo_field<V: GeoField>() {}

/// Copies what is `Clone`. What is not has only the trait's method, which is the second choice.
#[derive(Debug)]
pub struct Copying<'e, E>(pub &'e E);

impl<E: Clone> Copying<'_, E> {
    #[must_use]
    pub fn copied(&self) -> Option<E> {
        Some(self.0.clone())
    }
}

pub trait CopyingNothing<E> {
    fn copied(&self) -> Option<E>;
}

impl<E> CopyingNothing<E> for Copying<'_, E> {
    fn copied(&self) -> Option<E> {
        None
    }
}
