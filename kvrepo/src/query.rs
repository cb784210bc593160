//! Naming an entity's fields, checked when compiling.

mod comparison;
mod element;
mod field;
mod filter;
#[doc(hidden)]
pub mod finder;
mod geo;
mod getter;
mod id;
mod increment;
mod index;
mod nested;
mod page;
mod path;
mod reference;
mod sort;
mod table;
mod target;
mod under;
mod value;

pub use element::{Element, ListField, MapField};
pub use field::{Field, FieldHandle};
#[doc(hidden)]
pub use field::{FieldCodec, Own};
pub use filter::{Conjunct, Filter, Negated};
#[doc(hidden)]
pub use geo::GeoField;
pub use geo::{BoundingBox, Circle, Distance, Point, Shape};
#[doc(hidden)]
pub use getter::Getter;
pub use id::IdHandle;
#[doc(hidden)]
pub use increment::Amount;
pub use increment::Increment;
pub(crate) use index::exactly;
pub use index::{
    ByKey, EqualityIndex, GeoIndex, Indexed, KeyedIndex, Located, NotIndexed, RangeIndex, Ranged,
};
#[doc(hidden)]
pub use index::{FromLookup, Holder, IndexMarker, IndexSpec, Indexes, Lookup};
pub use nested::Nested;
pub use page::{Near, Page, PageRequest};
#[doc(hidden)]
pub use path::FieldPath;
pub use reference::Reference;
pub use sort::Sort;
#[doc(hidden)]
pub use table::FieldInfo;
pub use target::Target;
pub use under::Under;
#[doc(hidden)]
pub use value::{Probe, ProbeNothing, ProbeOrder, ProbeShape};
pub use value::{RangeValue, TextValue, ValueArg};
