//! What generated code calls. Not part of the public interface.

// What stands in a prelude everywhere else: a derive's call site may have its own `Option` or `bool`.
pub use std::option::Option;
pub use std::primitive::str;
pub use std::primitive::{bool, u64};
pub use std::result::Result;
pub use std::string::String;
pub use std::time::Duration;

// For what the handles of fields are made of.
pub use std::clone::Clone;
pub use std::fmt;
pub use std::marker::{Copy, PhantomData};
pub use std::sync::OnceLock;

pub use serde::Serializer;

pub use crate::backend::Order;
pub use crate::entity::{
    DeadlineField, EntitySchema, FieldTerm, GenerateId, IdField, KvEntity, KvId, KvNested, NestedField,
    ReadTerm, ReferenceField, TermField, TermUnit, VersionField, Versioned,
};
pub use crate::query::{
    Amount, ByKey, Field, FieldCodec, FieldPath, FromLookup, GeoField, Getter, Holder, IdHandle, IndexMarker,
    IndexSpec, Indexed, Indexes, Located, Lookup, Nested, NotIndexed, Own, Probe, ProbeNothing, ProbeOrder,
    ProbeShape, RangeValue, Ranged, Reference,
};

/// Compiles only for what a geo index can hold.
pub fn geo_field<V: GeoField>() {}
