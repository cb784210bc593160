//! The fields that the cases look for and sort by, or ignore, by the paths that the cases name.

use kvrepo::{
    Circle, Distance, EqualityIndex, Example, Field, Filter, GeoIndex, IdArg, IdHandle, KvEntity, Point, Sort,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{City, Hand, Mate, Member, Probe, Ranked, TagList, TempMate};
use crate::conformance::notation::read;

/// A type that cases look for.
pub trait Sought: KvEntity {
    /// Those with this value at this path.
    ///
    /// # Errors
    ///
    /// If there is no such index, or the value is none of it.
    fn equal(path: &str, _: &Value) -> Result<Filter<Self>, String> {
        unknown("index", path)
    }

    /// Those within a circle around the point at this path; the nearest first, where they are `near` it.
    ///
    /// # Errors
    ///
    /// If there is no such index.
    fn around(path: &str, _: Circle, _: bool) -> Result<Filter<Self>, String> {
        unknown("geo index", path)
    }

    /// The order by this path.
    ///
    /// # Errors
    ///
    /// If there is no such field.
    fn sorted(path: &str, _: bool) -> Result<Sort<Self>, String> {
        unknown("sort key", path)
    }

    /// The example, whatever is at this path.
    ///
    /// # Errors
    ///
    /// If there is no such field.
    fn ignoring(_: Example<Self>, path: &str) -> Result<Example<Self>, String> {
        unknown("field", path)
    }

    /// What a case's `where` says.
    ///
    /// # Errors
    ///
    /// As the others; or if it says something else.
    fn sought(place: &Value) -> Result<Filter<Self>, String> {
        let unknown = || format!("the driver does not know the filter {place}");
        let (word, told) = place
            .as_object()
            .and_then(|object| object.iter().next())
            .ok_or_else(unknown)?;
        let path = told[0].as_str().unwrap_or_default();
        match word.as_str() {
            "eq" => Self::equal(path, &told[1]),
            "near" | "within_circle" => Self::around(path, circle(told).ok_or_else(unknown)?, word == "near"),
            "and" | "or" => {
                let parts = told.as_array().into_iter().flatten().map(Self::sought);
                let join = if word == "and" { Filter::and } else { Filter::or };
                parts
                    .reduce(|a, b| Ok(join(a?, b?)))
                    .unwrap_or_else(|| Err(unknown()))
            }
            _ => Err(unknown()),
        }
    }
}

fn unknown<X>(what: &str, path: &str) -> Result<X, String> {
    Err(format!("the driver does not know the {what} `{path}`"))
}

/// `[path, [longitude, latitude], {"km": radius}]`.
fn circle(told: &Value) -> Option<Circle> {
    let middle = Point::new(told[1][0].as_f64()?, told[1][1].as_f64()?);
    Some(Circle::new(middle, Distance::kilometers(told[2]["km"].as_f64()?)))
}

/// A handle that is asked for a value.
trait Equal<E> {
    fn is(self, value: &Value) -> Result<Filter<E>, String>;
}

impl<E, V, I> Equal<E> for Field<E, V, I>
where
    E: KvEntity,
    I: EqualityIndex<Value: Serialize + DeserializeOwned>,
{
    fn is(self, value: &Value) -> Result<Filter<E>, String> {
        Ok(self.eq(read::<I::Value>(value)?))
    }
}

impl<E: KvEntity> Equal<E> for IdHandle<E>
where
    String: IdArg<E::Id>,
{
    fn is(self, value: &Value) -> Result<Filter<E>, String> {
        Ok(self.eq(read::<String>(value)?))
    }
}

fn within<E: KvEntity, V, I: GeoIndex>(field: Field<E, V, I>, circle: Circle, near: bool) -> Filter<E> {
    if near {
        field.near(circle.middle, circle.radius)
    } else {
        field.within(circle)
    }
}

macro_rules! sought {
    ($($type:ident |$fields:ident| {
        $(equal { $($path:literal => $field:expr,)* })?
        $(around { $($geo:literal => $point:expr,)* })?
        $(ignoring { $($ignored:literal => $of_any:expr,)* })?
        $(sorted { $($sort:literal => $key:expr,)* })?
    })*) => {$(
        impl Sought for $type {
            $(fn equal(path: &str, value: &Value) -> Result<Filter<Self>, String> {
                let $fields = Self::fields();
                match path {
                    $($path => $field.is(value),)*
                    _ => unknown("index", path),
                }
            })?

            $(fn around(path: &str, circle: Circle, near: bool) -> Result<Filter<Self>, String> {
                let $fields = Self::fields();
                match path {
                    $($geo => Ok(within($point, circle, near)),)*
                    _ => unknown("geo index", path),
                }
            })?

            $(fn ignoring(example: Example<Self>, path: &str) -> Result<Example<Self>, String> {
                let $fields = Self::fields();
                match path {
                    $($ignored => Ok(example.ignoring($of_any)),)*
                    _ => unknown("field", path),
                }
            })?

            $(fn sorted(path: &str, descending: bool) -> Result<Sort<Self>, String> {
                let $fields = Self::fields();
                match path {
                    $($sort => Ok(if descending { $key.desc() } else { $key.asc() }),)*
                    _ => unknown("sort key", path),
                }
            })?
        }
    )*};
}

sought! {
    City |it| {
        around { "loc" => it.loc, }
    }
    Hand |it| {
        equal { "home.land" => it.home.land, }
    }
    Mate |it| {
        equal { "name" => it.name, }
    }
    Member |it| {
        equal {
            "id" => it.id,
            "name" => it.name,
            "active" => it.active,
            "surname" => it.surname,
        }
        around { "town.loc" => it.town.loc, }
        sorted { "name" => it.name, }
    }
    Probe |it| {
        equal {
            "id" => it.id,
            "name" => it.name,
            "grade" => it.grade,
            "age" => it.age,
            "kind.name" => it.kind.name,
        }
        ignoring {
            "grade" => it.grade,
            "age" => it.age,
            "relative" => it.relative,
        }
    }
    Ranked |it| {
        equal { "team" => it.team, }
        sorted {
            "rank" => it.rank,
            "team" => it.team,
        }
    }
    TagList |it| {
        equal { "values" => it.values, }
    }
    TempMate |it| {
        equal { "name" => it.name, }
    }
}

macro_rules! unsought {
    ($($type:ident)*) => {$(
        impl Sought for super::$type {}
    )*};
}

unsought! {
    BarePass FnPass GeoDeep GeoRoot GeoSpotOnly HandByName ItemList LandHome Lease MilliPass MinutePass NumList Pair Pass
    Plain PlainByName PlainByOther PlainByStruct RefHand Resident Scalars Session TagMap TenPass Voyage
}
