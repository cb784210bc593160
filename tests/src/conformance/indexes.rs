//! Runs `indexes.json`, each case on a real server of its own, since the cases say which keys there are in all.

mod trial;

use serde_json::Value;

use self::trial::Trial;
use super::Check;
use super::case::{Case, LeftOut, Ruling};
use super::tally::Tally;
use super::types::{
    GeoDeep, GeoRoot, Hand, HandByName, ItemList, LandHome, Mate, NumList, Plain, PlainByName, PlainByOther,
    PlainByStruct, RefHand, Scalars, TagList, TagMap, Voyage,
};

/// The cases.
pub const FILE: &str = include_str!("../../conformance/indexes.json");

/// What `design.md` has otherwise.
pub const RULED: &[Ruling] = &[
    Ruling {
        id: "ix-pu-many-values-glob",
        why: "an id that begins with an indexed path and a colon is refused, with nothing written",
        instead: r#"{"when_errors": {"0": {"kind": "invalid-id"}},
                 "then": {"sets": {"mates": ["1"], "mates:name:Bram": ["1"], "mates:1:idx": ["mates:name:Bram"]},
                          "absent": ["mates:name:Ines", "mates:name:zed"]},
                 "all_keys": ["mates", "mates:1", "mates:1:idx", "mates:name:Bram"]}"#,
    },
    Ruling {
        id: "ix-geo-limits",
        why: "a server finds nothing at 180 degrees: it is the same meridian as -180, where it does",
        instead: r#"{"then": {"sets": {"georoots": ["1", "2"]},
                     "geo": {"georoots:loc": {"1": [-180.0, 85.0], "2": [-180.0, -85.0]}}}}"#,
    },
];

/// What is not there in Rust.
pub const LEFT_OUT: &[LeftOut] = &[
    LeftOut {
        // `#[indexed]` stands on the whole map.
        group: "one key of a map",
        features: &[],
        ids: &[
            "ix-config-map-scalar",
            "ix-config-map-other-key",
            "ix-config-map-struct",
            "ix-config-map-null",
        ],
    },
    LeftOut {
        // `KvNested` is derived by structs alone.
        group: "fields of an enum's variants",
        features: &["type-hint"],
        ids: &[],
    },
    LeftOut {
        group: "computed values",
        features: &["computed"],
        ids: &[],
    },
    LeftOut {
        // An index follows the fields of the hash; a list with a `None` in it is one JSON field, a point is a `Point`.
        group: "refused when compiling",
        features: &[],
        ids: &["ix-json-converted", "ix-list-null-inside", "ix-geo-wrong-type"],
    },
];

/// Runs all cases.
///
/// # Panics
///
/// As [`TestServer::start`](crate::harness::TestServer::start).
pub async fn run() -> Tally {
    let (tally, cases) = Tally::sort("indexes", Case::all(FILE), RULED, LEFT_OUT);
    tally.run_all(cases, RULED, run_case).await
}

async fn run_case(case: &Case) -> Check {
    macro_rules! by_name {
        ($($type:ident)*) => {
            match declared(case)? {
                $(stringify!($type) => Trial::<$type>::run(case).await,)*
                other => Err(format!("the type `{other}` is not declared")),
            }
        };
    }
    by_name! {
        GeoDeep GeoRoot Hand HandByName ItemList LandHome Mate NumList Plain PlainByName PlainByOther PlainByStruct
        RefHand Scalars TagList TagMap Voyage
    }
}

/// The type with what a case indexes outside of its own.
fn declared(case: &Case) -> Result<&str, String> {
    let name = case.type_name();
    let outside: Vec<_> = case
        .list("config")
        .iter()
        .map(|index| (index["path"].as_str(), index["name"].as_str()))
        .collect();
    match (name, &outside[..]) {
        (name, []) => Ok(name),
        ("Plain", [(Some("name"), Some("name"))]) if case.get("error").is_some() => Ok("PlainByStruct"),
        ("Plain", [(Some("name"), Some("name"))]) => Ok("PlainByName"),
        ("Plain", [(Some("name"), Some("byName"))]) => Ok("PlainByOther"),
        ("Hand", [(Some("name"), Some("name"))]) => Ok("HandByName"),
        (name, outside) => Err(format!("no `{name}` is declared with {outside:?}")),
    }
}

/// The texts of a list.
fn texts(list: &[Value]) -> Vec<&str> {
    list.iter().filter_map(Value::as_str).collect()
}
