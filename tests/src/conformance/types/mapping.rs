//! The types of `mapping.json`, but for those with a form of their own.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use kvrepo::{KvEntity, Ref};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::time::{EpochMillis, OffsetTime, Period, ZoneId, ZonedDateTime};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "sailors")]
pub struct Sailor {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    pub role: Option<Role>,
    pub aliases: Option<Vec<String>>,
    pub mates: Option<Vec<Self>>,
    pub scores: Option<Vec<i32>>,
    pub age: Option<i32>,
    pub aboard: Option<bool>,
    pub home: Option<Home>,
    pub marks: Option<BTreeMap<String, String>>,
    pub kin: Option<BTreeMap<String, Self>>,
    pub watch: Option<BTreeMap<i32, Self>>,
    #[reference]
    pub port: Option<Ref<Port>>,
    #[reference]
    pub calls: Option<Vec<Ref<Port>>>,
    pub vessel: Option<Vessel>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "ports")]
pub struct Port {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    pub home: Option<Home>,
}

/// The aliases are the notation's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Role {
    #[serde(rename = "DECK", alias = "Deck")]
    Deck,
    #[serde(rename = "ENGINE", alias = "Engine")]
    Engine,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Home {
    pub town: Option<String>,
    pub land: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Vessel {
    pub name: Option<String>,
    pub nicknames: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "lodgers")]
pub struct Lodger {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    pub home: Option<HomeWithId>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HomeWithId {
    pub id: Option<String>,
    pub town: Option<String>,
    pub land: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "beacons")]
pub struct Beacon {
    #[id]
    pub id: Option<String>,
    pub loc: Option<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Longitude.
    pub x: f64,
    /// Latitude.
    pub y: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "bundles")]
pub struct Bundle {
    #[id]
    pub id: Option<String>,
    pub labels: Option<Vec<String>>,
    pub fleet: Option<Vec<Vessel>>,
    pub counts: Option<Vec<i32>>,
    pub photo: Option<Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "campers", type_alias = "camper")]
pub struct Camper {
    #[id]
    pub id: Option<String>,
    pub shelter: Option<Shelter>,
    pub stops: Option<Vec<Shelter>>,
    pub past: Option<BTreeMap<String, Shelter>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Shelter {
    Plain(Home),
    Zip(HomeWithZip),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HomeWithZip {
    pub town: Option<String>,
    pub land: Option<String>,
    pub zip: Option<String>,
}

/// Without `default`, a number that is not stored would be an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "dims")]
pub struct Dims {
    #[id]
    pub id: Option<String>,
    #[serde(default)]
    pub width: i32,
    #[serde(default)]
    pub height: i32,
    #[serde(default)]
    pub depth: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "folk")]
pub struct Folk {
    #[id]
    pub id: Option<String>,
    pub first: Option<String>,
    pub last: Option<String>,
    pub parent: Option<Box<Self>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "frozen")]
pub struct Frozen {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    pub nested: Option<Box<Self>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "gadgets")]
pub struct Gadget {
    #[id]
    pub id: Option<String>,
    pub now: Option<DateTime<Utc>>,
    pub profiles: Option<BTreeSet<String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "gauges")]
pub struct Gauge {
    #[id]
    pub id: Option<String>,
    pub ratio: Option<f64>,
    pub big: Option<i64>,
    pub small: Option<f32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "maps")]
pub struct Maps {
    #[id]
    pub id: Option<String>,
    pub ints: Option<BTreeMap<i32, i32>>,
    pub ratios: Option<BTreeMap<OrderedF64, String>>,
    pub days: Option<BTreeMap<EpochMillis, String>>,
    pub roles: Option<BTreeMap<Role, i64>>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct OrderedF64(pub f64);

impl Ord for OrderedF64 {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for OrderedF64 {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for OrderedF64 {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for OrderedF64 {}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "moments")]
pub struct Moments {
    #[id]
    pub id: Option<String>,
    pub date: Option<NaiveDate>,
    pub stamp: Option<NaiveDateTime>,
    pub time: Option<NaiveTime>,
    pub instant: Option<DateTime<Utc>>,
    pub zoned: Option<ZonedDateTime>,
    pub zone: Option<ZoneId>,
    #[serde(default, with = "kvrepo::with::iso_duration::option")]
    pub span: Option<Duration>,
    pub period: Option<Period>,
    pub born: Option<EpochMillis>,
    pub offset: Option<DateTime<FixedOffset>>,
    pub offtime: Option<OffsetTime>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "outers")]
pub struct Outer {
    #[id]
    pub id: Option<String>,
    pub inners: Option<Vec<Inner>>,
    pub values: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inner {
    pub values: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "pairs")]
pub struct Pair {
    #[id]
    pub id: Option<String>,
    pub addr: Option<Home>,
    pub address: Option<Home>,
    pub tag: Option<String>,
    pub tags: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "sparses")]
pub struct Sparse {
    #[id]
    pub id: Option<String>,
    pub slots: Vec<Option<String>>,
    pub notes: BTreeMap<String, Option<String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "tokens")]
pub struct Token {
    #[id]
    pub id: Option<String>,
    pub key: Option<Uuid>,
}
