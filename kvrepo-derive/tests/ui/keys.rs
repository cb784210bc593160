use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

// All mistakes of a struct are named at once, each where it is.
#[derive(Serialize, Deserialize, KvEntity)]
#[kv(keyspce = "people", timeToLive = "30m", colour = "red")]
#[kv(shadow_copy = "no", shadow_copy = false, ttl = 30, idle = "30d")]
#[kv(rename_all = "camelCase", json, crate::here, type_alias)]
struct Person {
    #[kv(jsn)]
    id: u32,
    #[kv(keyspace = "names", id, json(yes))]
    name: String,
    #[kv(json, json, rename = "a")]
    notes: Vec<String>,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(max_idle = "30d", idl = "30d", version, expireAt = 5, nested)]
struct Elsewhere {
    #[id]
    id: u32,
    #[kv(ttl, expires_at, expire_at, expiresAt, idle = "30d", revision, nestd)]
    name: String,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[kv]
#[kv = "people"]
#[kv(keyspace =, keyspace "people")]
#[kv(time_to_live_fn = "1 + 1")]
struct Malformed {
    #[id]
    id: u32,
    #[kv]
    tags: Vec<String>,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(crate = "not a path")]
struct Crate {
    #[id]
    id: u32,
}

fn main() {}
