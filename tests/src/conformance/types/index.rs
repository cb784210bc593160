//! The types of `indexes.json`. What a case indexes outside the type is an attribute here, so such a case has a type of its
//! own. Entities within others are structs of their own, since those have no id.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use kvrepo::{KvEntity, KvNested, Point, Ref};
use serde::{Deserialize, Serialize};

use super::{Home, Role};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "homes")]
pub struct LandHome {
    #[id]
    pub id: Option<String>,
    pub town: Option<String>,
    #[indexed]
    pub land: Option<String>,
}

/// A `Home`, as `indexes.json` declares it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvNested)]
pub struct IndexedHome {
    pub town: Option<String>,
    #[indexed]
    pub land: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "hands")]
pub struct Hand {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    #[nested]
    pub home: Option<IndexedHome>,
}

/// A [`Hand`] that is also indexed by its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "hands")]
pub struct HandByName {
    #[id]
    pub id: Option<String>,
    #[indexed]
    pub name: Option<String>,
    #[nested]
    pub home: Option<IndexedHome>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "voyages")]
pub struct Voyage {
    #[id]
    pub id: Option<String>,
    #[nested]
    pub crew: Option<Vec<Place>>,
    #[nested]
    pub places: Option<BTreeMap<String, Place>>,
}

/// A `Hand` or a `Port` of a voyage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvNested)]
pub struct Place {
    pub id: Option<String>,
    pub name: Option<String>,
    #[nested]
    pub home: Option<IndexedHome>,
}

/// A `Plain` that is indexed by its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "plains")]
pub struct PlainByName {
    #[id]
    pub id: Option<String>,
    #[indexed]
    pub name: Option<String>,
}

/// The same, and the index is called something else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "plains")]
pub struct PlainByOther {
    #[id]
    pub id: Option<String>,
    #[indexed(name = "byName")]
    pub name: Option<String>,
}

/// A `Plain` with an index of what is no single text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "plains")]
pub struct PlainByStruct {
    #[id]
    pub id: Option<String>,
    #[indexed]
    pub name: Option<Home>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "itemlists")]
pub struct ItemList {
    #[id]
    pub id: Option<String>,
    #[nested]
    pub list: Option<Vec<NamedItem>>,
    #[nested]
    pub map: Option<BTreeMap<String, NamedItem>>,
    #[nested]
    pub nums: Option<BTreeMap<i32, NamedItem>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvNested)]
pub struct NamedItem {
    #[indexed]
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "tagmaps")]
pub struct TagMap {
    #[id]
    pub id: Option<String>,
    #[indexed]
    pub values: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "taglists")]
pub struct TagList {
    #[id]
    pub id: Option<String>,
    #[indexed]
    pub values: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "numlists")]
pub struct NumList {
    #[id]
    pub id: Option<String>,
    #[indexed]
    pub values: Option<Vec<i32>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "hands")]
pub struct RefHand {
    #[id]
    pub id: Option<String>,
    #[reference]
    pub lodging: Option<Ref<HomeRef>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "homerefs")]
pub struct HomeRef {
    #[id]
    pub id: Option<String>,
    pub town: Option<String>,
    #[indexed]
    pub land: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "scalars")]
pub struct Scalars {
    #[id]
    pub id: Option<String>,
    #[indexed]
    pub flag: Option<bool>,
    #[indexed]
    pub role: Option<Role>,
    #[indexed]
    pub count: Option<i64>,
    #[indexed]
    pub ratio: Option<f64>,
    #[indexed]
    pub text: Option<String>,
    #[indexed]
    pub day: Option<NaiveDate>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "georoots")]
pub struct GeoRoot {
    #[id]
    pub id: Option<String>,
    #[geo_indexed]
    pub loc: Option<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "geodeeps")]
pub struct GeoDeep {
    #[id]
    pub id: Option<String>,
    #[nested]
    pub leaf: Option<GeoLeaf>,
    #[nested]
    pub mid: Option<GeoMid>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvNested)]
pub struct GeoLeaf {
    #[geo_indexed]
    pub loc: Option<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvNested)]
pub struct GeoMid {
    #[nested]
    pub leaf: Option<GeoLeaf>,
}
