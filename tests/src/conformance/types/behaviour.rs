//! The types of `behaviour.json`, but for those that `indexes.json` has, too.

use std::collections::BTreeMap;

use kvrepo::{KvEntity, KvNested, Point, Ref};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "mates")]
pub struct Mate {
    #[id]
    pub id: Option<String>,
    #[indexed]
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
    #[indexed]
    pub land: Option<String>,
    #[geo_indexed]
    pub loc: Option<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "members")]
pub struct Member {
    #[id]
    pub id: Option<String>,
    #[indexed]
    pub name: Option<String>,
    #[indexed]
    pub active: Option<bool>,
    #[indexed]
    pub surname: Option<String>,
    #[reference]
    pub city: Option<Ref<City>>,
    #[nested]
    pub town: Option<Town>,
}

/// A [`City`] within a member, of which the cases do not look at the id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvNested)]
pub struct Town {
    pub id: Option<String>,
    pub name: Option<String>,
    #[geo_indexed]
    pub loc: Option<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "cities")]
pub struct City {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    #[geo_indexed]
    pub loc: Option<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "leases", time_to_live = 45)]
pub struct Lease {
    #[id]
    pub id: Option<String>,
    pub value: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "ranked")]
pub struct Ranked {
    #[id]
    pub id: Option<String>,
    #[indexed]
    pub team: Option<String>,
    pub rank: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "probes")]
pub struct Probe {
    #[id]
    pub id: Option<String>,
    #[indexed]
    pub name: Option<String>,
    pub surname: Option<String>,
    #[indexed]
    pub grade: Option<Grade>,
    pub aliases: Option<Vec<String>>,
    #[indexed]
    pub age: Option<i32>,
    pub marks: Option<BTreeMap<String, String>>,
    #[reference]
    pub relative: Option<Ref<Self>>,
    #[nested]
    pub kind: Option<Kind>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvNested)]
pub struct Kind {
    #[indexed]
    pub name: Option<String>,
}

/// Its town is a [`Kind`], which is declared alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "residents")]
pub struct Resident {
    #[id]
    pub id: Option<String>,
    #[indexed]
    pub name: Option<String>,
    pub surname: Option<String>,
    #[nested]
    pub town: Option<Kind>,
}

/// A [`Mate`] that expires.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "mates")]
pub struct TempMate {
    #[id]
    pub id: Option<String>,
    #[indexed]
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
    #[indexed]
    pub name: Option<String>,
    #[geo_indexed]
    pub loc: Option<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "web:app:sessions")]
pub struct Session {
    #[id]
    pub id: Option<String>,
    pub principal: Option<String>,
}
