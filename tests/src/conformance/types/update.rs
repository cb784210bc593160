//! The fields that the cases change one by one, by the paths that the cases name.

use kvrepo::{FieldHandle, KvEntity, Unset, Update};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{BarePass, Mate, Pair, PlainByOther, TagMap, TempMate, TenPass};
use crate::conformance::notation::read;

/// A type of which cases change some fields.
pub trait Changed: KvEntity {
    /// Sets the field at this path, or takes it away.
    ///
    /// # Errors
    ///
    /// If there is none, or the value is none of it.
    fn changed<'a>(
        update: Update<'a, Self>,
        path: &str,
        value: Option<&Value>,
    ) -> Result<Update<'a, Self>, String>;
}

fn put<'a, T, F>(update: Update<'a, T>, field: F, value: Option<&Value>) -> Result<Update<'a, T>, String>
where
    T: KvEntity,
    F: FieldHandle<T, Value: Serialize + DeserializeOwned> + Unset<T>,
{
    Ok(match value {
        Some(value) => update.set(field, read(value)?),
        None => update.unset(field),
    })
}

macro_rules! changed {
    ($($type:ident |$fields:ident| { $($path:literal => $field:expr,)* })*) => {$(
        impl Changed for $type {
            fn changed<'a>(
                update: Update<'a, Self>,
                path: &str,
                value: Option<&Value>,
            ) -> Result<Update<'a, Self>, String> {
                let $fields = Self::fields();
                match path {
                    $($path => put(update, $field, value),)*
                    _ => Err(format!("the driver does not know the field `{path}`")),
                }
            }
        }
    )*};
}

changed! {
    Mate |it| {
        "name" => it.name,
        "age" => it.age,
        "spot" => it.spot,
        "spot.town" => it.spot.town,
        "spot.loc" => it.spot.loc,
        "aliases" => it.aliases,
        "aliases.[5]" => it.aliases.index(5),
        "peers.[0]" => it.peers.index(0),
        "marks.[b]" => it.marks.key("b"),
        "kin" => it.kin,
    }
    PlainByOther |it| {
        "name" => it.name,
    }
    TagMap |it| {
        "values.[north]" => it.values.key("north"),
    }
    Pair |it| {
        "addr" => it.addr,
        "tag" => it.tag,
    }
    TempMate |it| {
        "age" => it.age,
        "ttl" => it.ttl,
    }
    TenPass |it| {
        "name" => it.name,
        "ttl" => it.ttl,
    }
    BarePass |it| {
        "name" => it.name,
        "ttl" => it.ttl,
    }
}

macro_rules! unchanged {
    ($($type:ident)*) => {$(
        impl Changed for super::$type {
            fn changed<'a>(_: Update<'a, Self>, path: &str, _: Option<&Value>) -> Result<Update<'a, Self>, String> {
                Err(format!("the driver does not know the field `{path}`"))
            }
        }
    )*};
}

unchanged! {
    City FnPass GeoDeep GeoRoot GeoSpotOnly Hand HandByName ItemList LandHome Lease Member MilliPass MinutePass NumList
    Pass Plain PlainByName PlainByStruct Probe Ranked RefHand Resident Scalars Session TagList Voyage
}
