//! What cannot be indexed.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use kvrepo::{KvEntity, KvNested, Point};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Roles {
    #[id]
    #[indexed]
    id: String,
    #[version]
    #[indexed]
    version: u64,
    #[time_to_live]
    #[indexed(range)]
    ttl: Option<u64>,
    #[nested]
    #[indexed]
    nested: Inner,
    #[kv(json)]
    #[indexed]
    json: String,
    #[serde(skip)]
    #[indexed]
    skipped: String,
    #[serde(flatten)]
    #[indexed]
    flat: HashMap<String, String>,
}

#[derive(Serialize, Deserialize, KvNested)]
struct Inner {
    #[indexed]
    deep: Vec<Vec<String>>,
    #[indexed]
    holes: Vec<Option<String>>,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Kinds {
    #[id]
    id: String,
    #[indexed(range)]
    map: BTreeMap<String, u32>,
    #[indexed(unique)]
    other: Option<HashMap<String, u32>>,
    #[indexed]
    #[geo_indexed]
    twice: Point,
    #[indexed]
    doubled: Option<Option<String>>,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Keys {
    #[id]
    id: String,
    #[indexed(rang)]
    a: u32,
    #[indexed(uniq)]
    b: u32,
    #[indexed(sorted)]
    c: u32,
    #[indexed(range, range)]
    d: u32,
    #[indexed(range = 1)]
    e: u32,
    #[indexed(name = "a:b")]
    f: u32,
    #[indexed(name = "")]
    g: u32,
    #[indexed(name)]
    h: u32,
    #[indexed = "x"]
    i: u32,
    #[geo_indexed(range)]
    j: Point,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Types {
    #[id]
    id: String,
    #[geo_indexed]
    pair: (f64, f64),
    #[geo_indexed]
    points: Vec<Point>,
    #[indexed(range)]
    flag: bool,
    #[indexed(range)]
    span: Option<Duration>,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[indexed]
#[kv(indexed)]
struct Misplaced {
    #[id]
    id: String,
    #[kv(index)]
    name: String,
}

fn main() {}
