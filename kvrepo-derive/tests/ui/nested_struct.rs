use std::time::SystemTime;

use kvrepo::{KvEntity, KvNested};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvNested)]
struct Tuple(u32);

#[derive(Serialize, Deserialize, KvNested)]
enum Enum {
    A { city: String },
}

#[derive(Serialize, Deserialize, KvNested)]
struct Parameters<'a, T> {
    name: &'a str,
    value: T,
}

#[derive(Serialize, Deserialize, KvNested)]
#[kv(keyspace = "addresses", time_to_live = "30m", colour = "red", crat = "kvrepo")]
#[kv]
#[id]
#[nested]
struct OnTheStruct {
    city: String,
}

#[derive(Serialize, Deserialize, KvNested)]
struct Roles {
    #[id]
    id: u32,
    #[time_to_live]
    seconds: u64,
    #[expires_at]
    at: SystemTime,
    #[version]
    version: u64,
}

#[derive(Serialize, Deserialize, KvNested)]
struct Forms {
    #[kv(json)]
    json: Vec<u32>,
    #[kv(idle = "30d", jsn)]
    keys: u32,
    #[serde(flatten)]
    flattened: Inner,
    #[serde(alias = "in")]
    #[nested]
    inner: Inner,
}

#[derive(Clone, Serialize, Deserialize, KvNested)]
struct Inner {
    city: String,
}

#[derive(Clone, Serialize, Deserialize, KvNested)]
#[serde(into = "Inner", from = "Inner")]
struct Converted {
    city: String,
}

impl From<Inner> for Converted {
    fn from(inner: Inner) -> Self {
        Self { city: inner.city }
    }
}

impl From<Converted> for Inner {
    fn from(converted: Converted) -> Self {
        Self { city: converted.city }
    }
}

#[derive(Serialize, Deserialize, KvNested)]
#[serde(transparent)]
struct Transparent {
    inner: Inner,
}

// What is wrong is nested nevertheless, and has its fields.
#[derive(Serialize, Deserialize, KvEntity)]
struct Person {
    #[id]
    id: u32,
    #[nested]
    roles: Roles,
    #[nested]
    forms: Option<Forms>,
    #[nested]
    one: Enum,
}

fn main() {
    let fields = Person::fields();
    let _ = (fields.roles.seconds, fields.forms.inner.city, fields.one);
}
