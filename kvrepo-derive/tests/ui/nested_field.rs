use std::time::SystemTime;

use kvrepo::{KvEntity, KvNested};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvNested)]
struct Address {
    city: String,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[nested]
struct Arguments {
    #[id]
    id: u32,
    #[nested(Address)]
    home: Address,
    #[nested]
    #[nested]
    work: Address,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct OtherRoles {
    #[id]
    #[nested]
    id: u32,
    #[version]
    #[nested]
    version: u64,
    #[expires_at]
    #[nested]
    at: SystemTime,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct TheTerm {
    #[id]
    id: u32,
    #[time_to_live]
    #[nested]
    seconds: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct OtherForms {
    #[id]
    id: u32,
    #[kv(json)]
    #[nested]
    json: Address,
    #[serde(flatten)]
    #[nested]
    flattened: Address,
    #[serde(skip_deserializing, default = "address")]
    #[nested]
    skipped: Address,
    #[serde(deserialize_with = "read")]
    #[nested]
    with: Address,
    #[serde(rename(serialize = "adr"))]
    #[nested]
    renamed: Address,
    #[serde(alias = "adr")]
    #[nested]
    alias: Address,
}

fn address() -> Address {
    Address { city: String::new() }
}

fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Address, D::Error> {
    Address::deserialize(deserializer)
}

fn main() {}
