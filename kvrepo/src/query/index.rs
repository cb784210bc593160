//! What a field can be asked, by how it is indexed.

use std::fmt;

use super::comparison::Bound;
use super::geo;
use super::path::{FieldPath, parts};
use super::value::ValueArg;
use super::{Filter, Shape};
use crate::backend::index::{Entry, Index, entries, geo_key};
use crate::backend::{Edge, IndexKind, Order, PathPart, Plan, Sorting};
use crate::error::{Error, Result};
use crate::mapping::{Record, Step};

/// Of a field without an index. It can be asked nothing.
#[derive(Debug, Clone, Copy)]
pub struct NotIndexed;

/// Of a field with `#[indexed]` or `#[indexed(unique)]` that holds an `X`, or a list of such: whether it is, or has, this
/// value.
pub struct Indexed<X>(Lookup<X>);

/// Of a field with `#[indexed(range)]`: also whether it is, or has, a value between others.
pub struct Ranged<X>(Lookup<X>);

/// Of a map with `#[indexed]`: the same of the value under a key, which has to be said first.
pub struct ByKey<X>(Lookup<X>);

/// Of a field with `#[geo_indexed]`: whether it is near, or within an area.
#[derive(Debug, Clone, Copy)]
pub struct Located {
    info: &'static FieldIndex,
}

macro_rules! markers {
    ($($marker:ident),*) => {$(
        impl<X> Clone for $marker<X> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<X> Copy for $marker<X> {}

        impl<X> fmt::Debug for $marker<X> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($marker)).field(&self.0.info.path.path).finish()
            }
        }

        impl<X> IndexMarker for $marker<X> {
            fn gather(&self, out: &mut Indexes) {
                out.add(self.0.info);
            }
        }

        impl<X> FromLookup<X> for $marker<X> {
            fn from_lookup(lookup: Lookup<X>) -> Self {
                Self(lookup)
            }
        }
    )*};
}

markers! { Indexed, Ranged, ByKey }

/// How a field is indexed, as its attribute says.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct IndexSpec {
    pub equality: bool,
    pub unique: bool,
    /// How the values are put in order, for a range index.
    pub range: Option<Order>,
    pub geo: bool,
    /// What the index is called, instead of the field.
    pub name: Option<&'static str>,
    /// What the values stand in.
    pub holder: Holder,
    /// How a value sorts, or what it is if it is none.
    pub value: Result<Order, &'static str>,
    /// Whether its field is written by functions of the user's.
    pub with: bool,
}

/// What indexed values stand in.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// The field itself, or an `Option`.
    One,
    /// A list or a set.
    List,
    /// A map.
    Map,
}

impl Holder {
    /// The step from it to a value.
    pub(super) fn step(self) -> Option<Step> {
        match self {
            Self::One => None,
            Self::List => Some(Step::Each),
            Self::Map => Some(Step::Entry),
        }
    }
}

/// The indexes of one field.
#[derive(Debug)]
pub(crate) struct FieldIndex {
    entity: &'static str,
    /// The way to a value; the field's own, or that to an element.
    path: FieldPath,
    indexes: Vec<Index>,
    /// Why there can be none.
    flaw: Option<String>,
}

impl FieldIndex {
    /// Made once for its type, and kept.
    pub(super) fn leaked(entity: &'static str, path: &FieldPath, spec: IndexSpec) -> &'static Self {
        let path = match spec.holder.step() {
            None => path.clone(),
            Some(step) => path.each(step),
        };
        let kinds = [
            spec.equality.then_some(IndexKind::Equality),
            spec.range.map(IndexKind::Range),
            spec.unique.then_some(IndexKind::Unique),
            spec.geo.then_some(IndexKind::Geo),
        ];
        let several = match spec.value {
            Err(what) => Some(what),
            Ok(order) => order.parts().map(|_| "stored in two fields"),
        };
        let flaw = several.filter(|_| (spec.equality || spec.unique) && !spec.with).map(|what| {
            format!(
                "what is indexed is a single text or number, and this is {what}; use `#[indexed(range)]` for durations and \
                 times, `#[nested]` for structs, and write out the type of a list or a map"
            )
        });
        let indexes = kinds
            .into_iter()
            .flatten()
            .map(|kind| Index::new(kind, path.steps.clone(), spec.name));
        Box::leak(Box::new(Self {
            entity,
            indexes: indexes.collect(),
            path,
            flaw,
        }))
    }

    fn index(&self, kind: impl Fn(IndexKind) -> bool) -> Option<&Index> {
        self.indexes.iter().find(|index| kind(index.kind()))
    }
}

/// The indexes of a type, gathered from the handles of its fields.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Indexes {
    pub(crate) found: Vec<Index>,
    /// The first that cannot be: its entity, its path, and why.
    pub(crate) flaw: Option<(&'static str, String, String)>,
    depth: usize,
}

impl Indexes {
    fn add(&mut self, field: &FieldIndex) {
        self.found.extend(field.indexes.iter().cloned());
        if let (None, Some(flaw)) = (&self.flaw, &field.flaw) {
            self.flaw = Some((field.entity, field.path.path.clone(), flaw.clone()));
        }
    }

    /// Goes into a nested struct, unless that has no end.
    pub(super) fn within(&mut self, entity: &'static str, path: &str, gather: impl FnOnce(&mut Self)) {
        if self.depth >= 12 {
            let reason = "it is nested in itself, so its indexes have no end; remove the inner `#[nested]`";
            self.flaw
                .get_or_insert((entity, path.to_owned(), reason.to_owned()));
            return;
        }
        self.depth += 1;
        gather(self);
        self.depth -= 1;
    }
}

/// What a marker knows of its field's indexes.
#[doc(hidden)]
pub trait IndexMarker: Copy {
    /// Adds them to those of the type.
    fn gather(&self, out: &mut Indexes);
}

impl IndexMarker for NotIndexed {
    fn gather(&self, _: &mut Indexes) {}
}

impl IndexMarker for Located {
    fn gather(&self, out: &mut Indexes) {
        out.add(self.info);
    }
}

/// A marker that is made of a field's indexes and of how a value is encoded.
#[doc(hidden)]
pub trait FromLookup<X> {
    fn from_lookup(lookup: Lookup<X>) -> Self;
}

impl<X> FromLookup<X> for Located {
    fn from_lookup(lookup: Lookup<X>) -> Self {
        Self { info: lookup.info }
    }
}

/// What can be asked whether it is this value.
#[diagnostic::on_unimplemented(
    message = "this field is not indexed, so it cannot be asked for a value",
    label = "not indexed",
    note = "add `#[indexed]` to the field; of a map say first which key: `field.key(…)`"
)]
pub trait EqualityIndex: IndexMarker {
    /// What it is compared with.
    type Value;

    #[doc(hidden)]
    fn lookup(&self) -> Lookup<Self::Value>;
}

impl<X> EqualityIndex for Indexed<X> {
    type Value = X;

    fn lookup(&self) -> Lookup<X> {
        self.0
    }
}

impl<X> EqualityIndex for Ranged<X> {
    type Value = X;

    fn lookup(&self) -> Lookup<X> {
        self.0
    }
}

/// What can be asked whether it is between two values.
#[diagnostic::on_unimplemented(
    message = "this field has no range index, so it cannot be asked for what is less, more or between",
    label = "no range index",
    note = "add `#[indexed(range)]` to the field"
)]
pub trait RangeIndex: EqualityIndex {}

impl<X> RangeIndex for Ranged<X> {}

/// A map of which the value under a key can be asked whether it is this one.
#[diagnostic::on_unimplemented(
    message = "this map is not indexed, so its values cannot be asked for",
    label = "not indexed",
    note = "add `#[indexed]` to the map; an element of a list is asked for by the list itself"
)]
pub trait KeyedIndex: IndexMarker {
    /// What it is compared with.
    type Value;

    #[doc(hidden)]
    fn lookup(&self) -> Lookup<Self::Value>;
}

impl<X> KeyedIndex for ByKey<X> {
    type Value = X;

    fn lookup(&self) -> Lookup<X> {
        self.0
    }
}

/// What can be asked how far it is.
#[diagnostic::on_unimplemented(
    message = "this field has no geo index, so it cannot be asked how far it is",
    label = "no geo index",
    note = "add `#[geo_indexed]` to the field, which has to be a `kvrepo::Point`"
)]
pub trait GeoIndex: IndexMarker {
    #[doc(hidden)]
    fn within<E>(&self, shape: &impl Shape, sorted: bool) -> Filter<E>;
}

impl GeoIndex for Located {
    fn within<E>(&self, shape: &impl Shape, sorted: bool) -> Filter<E> {
        let area = shape.area();
        let Some(index) = self.info.index(|kind| kind == IndexKind::Geo) else {
            return Filter::nothing();
        };
        let name = geo_key(index.name());
        if let Some(reason) = geo::flaw(&area) {
            return Filter::new(Err(Error::InvalidSetting {
                what: "area",
                name: format!("{:?}", area.extent),
                reason: reason.to_owned(),
            }));
        }
        let near = Sorting::Distance {
            name: name.clone(),
            lon: area.lon,
            lat: area.lat,
        };
        let plan = Ok(Plan::Within { name, area });
        if sorted {
            Filter::near(plan, near)
        } else {
            Filter::new(plan)
        }
    }
}

/// How a value of a field is encoded.
pub(super) type EncodeValue<X> = fn(&FieldPath, X) -> Result<Record>;

/// The indexes of a field, and how what they are asked for is encoded: as what is stored.
#[doc(hidden)]
pub struct Lookup<X> {
    pub(super) info: &'static FieldIndex,
    pub(super) encode: EncodeValue<X>,
}

impl<X> Clone for Lookup<X> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<X> Copy for Lookup<X> {}

impl<X> fmt::Debug for Lookup<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lookup").field(&self.info.path.path).finish()
    }
}

/// Where the keys of maps on the way to a value are known, the keys as segments.
pub(super) type Keys<'k> = &'k [String];

impl<X> Lookup<X> {
    /// The entry that an entity with this value has; `None` if it would have none.
    fn entry(&self, index: &Index, keys: Keys<'_>, value: impl ValueArg<X>) -> Result<Option<Entry>> {
        let path = &self.info.path;
        let refused = |reason: &str| Error::Encode {
            entity: self.info.entity,
            path: path.path.clone(),
            reason: reason.to_owned(),
        };
        let wanted = path.steps.iter().filter(|step| **step == Step::Entry).count();
        if wanted != keys.len() {
            return Err(refused(
                "it stands in a map, and which key is meant has to be said first: `field.under(key)`",
            ));
        }
        let mut sample = path.clone();
        sample.path = path.sample(keys);
        let record = (self.encode)(&sample, value.into_value())?;
        let found =
            entries(std::slice::from_ref(index), &record).map_err(|misfit| refused(&misfit.reason))?;
        Ok(found.into_iter().next())
    }

    fn entries<A: ValueArg<X>>(
        &self,
        index: &Index,
        keys: Keys<'_>,
        values: impl IntoIterator<Item = A>,
    ) -> Result<Vec<Entry>> {
        let found = values.into_iter().map(|value| self.entry(index, keys, value));
        Ok(found.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// What has one of these values.
    pub(super) fn equal<A: ValueArg<X>>(
        &self,
        keys: Keys<'_>,
        values: impl IntoIterator<Item = A>,
    ) -> Result<Plan> {
        let order = [IndexKind::Unique, IndexKind::Equality];
        let index = order
            .into_iter()
            .find_map(|wanted| self.info.index(|kind| kind == wanted))
            .or_else(|| self.info.index(|kind| matches!(kind, IndexKind::Range(_))));
        let Some(index) = index else {
            return Ok(Plan::nothing());
        };
        let (mut names, mut found, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
        for entry in self.entries(index, keys, values)? {
            match entry {
                Entry::Equality { name, value } | Entry::Unique { name, value } => {
                    names.push(name);
                    found.push(value);
                }
                Entry::Range { name, key } => ranges.push(Plan::Range {
                    name,
                    from: Edge::Included(key.clone()),
                    to: Edge::Included(key),
                }),
                Entry::Geo { .. } => {}
            }
        }
        if let Some(name) = names.pop() {
            return Ok(match index.kind() {
                IndexKind::Unique => Plan::Unique { name, values: found },
                _ => Plan::Equality {
                    exact: exactly(&self.info.path.steps, keys, &found),
                    name,
                    values: found,
                },
            });
        }
        Ok(match ranges.len() {
            0 => Plan::nothing(),
            1 => ranges.remove(0),
            _ => Plan::Or(ranges),
        })
    }

    /// The place of a value in the range index; `None` if it has none there.
    pub(super) fn bound(&self, value: impl ValueArg<X>) -> Result<Option<Bound>> {
        let index = self.info.index(|kind| matches!(kind, IndexKind::Range(_)));
        let entry = index.map(|index| self.entry(index, &[], value)).transpose()?;
        Ok(match entry.flatten() {
            Some(Entry::Range { name, key }) => Some(Bound { name, key }),
            _ => None,
        })
    }
}

/// The path that a value has at the end of these steps, if its place in a name could be another's: a key of a map with a dot
/// or a colon, or a colon behind one.
pub(crate) fn exactly(steps: &[Step], keys: &[impl AsRef<str>], values: &[Vec<u8>]) -> Option<Vec<PathPart>> {
    let blurred = keys.iter().any(|key| key.as_ref().contains([':', '.']))
        || !keys.is_empty() && values.iter().any(|value| value.contains(&b':'));
    blurred.then(|| parts(steps, keys))
}
