//! Naming an entity's fields, checked when compiling.

mod element;
mod field;
mod filter;
#[doc(hidden)]
pub mod finder;
mod geo;
mod getter;
mod id;
mod index;
mod nested;
mod page;
mod reference;
mod sort;
mod table;
mod value;

pub use element::{Element, ListField, MapField};
#[doc(hidden)]
pub use field::{Amount, FieldCodec, FieldPath, Own};
pub use field::{Field, FieldHandle, Increment, Target, Under};
pub use filter::{Conjunct, Filter, Negated};
#[doc(hidden)]
pub use geo::GeoField;
pub use geo::{BoundingBox, Circle, Distance, Point, Shape};
#[doc(hidden)]
pub use getter::Getter;
pub use id::IdHandle;
pub(crate) use index::exactly;
pub use index::{
    ByKey, EqualityIndex, GeoIndex, Indexed, KeyedIndex, Located, NotIndexed, RangeIndex, Ranged,
};
#[doc(hidden)]
pub use index::{FromLookup, Holder, IndexMarker, IndexSpec, Indexes, Lookup};
pub use nested::Nested;
pub use page::{Near, Page, PageRequest};
pub use reference::Reference;
pub use sort::Sort;
#[doc(hidden)]
pub use table::FieldInfo;
#[doc(hidden)]
pub use value::{Probe, ProbeNothing, ProbeOrder, ProbeShape};
pub use value::{RangeValue, TextValue, ValueArg};
