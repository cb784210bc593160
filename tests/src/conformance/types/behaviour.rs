//! The types of `behaviour.json`, as far as this issue needs them.

use std::collections::BTreeMap;

use kvrepo::{KvEntity, KvNested, Ref};
use serde::{Deserialize, Serialize};

use super::Point;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "mates")]
pub struct Mate {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    pub grade: Option<Grade>,
    pub aliases: Option<Vec<String>>,
    pub peers: Option<Vec<Self>>,
    pub age: Option<i32>,
    pub aboard: Option<bool>,
    #[nested]
    pub spot: Option<Spot>,
    pub marks: Option<BTreeMap<String, String>>,
    pub kin: Option<BTreeMap<String, Self>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Grade {
    #[serde(rename = "JUNIOR", alias = "Junior")]
    Junior,
    #[serde(rename = "SENIOR", alias = "Senior")]
    Senior,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvNested)]
pub struct Spot {
    pub town: Option<String>,
    pub land: Option<String>,
    pub loc: Option<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "members")]
pub struct Member {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    pub active: Option<bool>,
    pub surname: Option<String>,
    #[reference]
    pub city: Option<Ref<City>>,
    pub town: Option<City>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "cities")]
pub struct City {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    pub loc: Option<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "leases", time_to_live = 45)]
pub struct Lease {
    #[id]
    pub id: Option<String>,
    pub value: Option<String>,
}

/// A [`Mate`] that expires.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "mates")]
pub struct TempMate {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    pub age: Option<i32>,
    #[time_to_live]
    pub ttl: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "plains")]
pub struct Plain {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "passes", time_to_live = 7)]
pub struct Pass {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "minutepasses", time_to_live = 7)]
pub struct MinutePass {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    #[time_to_live(unit = "min")]
    pub ttl: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "tenpasses", time_to_live = 10)]
pub struct TenPass {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    #[time_to_live]
    pub ttl: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "barepasses")]
pub struct BarePass {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    #[time_to_live]
    pub ttl: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "fnpasses", time_to_live_fn = "secs")]
pub struct FnPass {
    #[id]
    pub id: Option<String>,
    pub secs: Option<i64>,
}

impl FnPass {
    fn secs(&self) -> Option<i64> {
        self.secs
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "millipasses")]
pub struct MilliPass {
    #[id]
    pub id: Option<String>,
    #[time_to_live(unit = "ms")]
    pub ttl: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "spots")]
pub struct GeoSpotOnly {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    pub loc: Option<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "web:app:sessions")]
pub struct Session {
    #[id]
    pub id: Option<String>,
    pub principal: Option<String>,
}
