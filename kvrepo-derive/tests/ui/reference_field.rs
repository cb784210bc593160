use std::time::SystemTime;

use kvrepo::{KvEntity, KvNested, Ref};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
#[reference]
#[kv(reference = "person")]
struct Arguments {
    #[id]
    id: u32,
    #[reference(Arguments)]
    boss: Ref<Arguments>,
    #[reference]
    #[reference]
    friend: Ref<Arguments>,
    #[kv(reference)]
    as_key: Ref<Arguments>,
    #[kv(references)]
    misspelt: Ref<Arguments>,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct OtherRoles {
    #[id]
    #[reference]
    id: u32,
    #[version]
    #[reference]
    version: u64,
    #[expires_at]
    #[reference]
    at: SystemTime,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct TheTerm {
    #[id]
    id: u32,
    #[time_to_live]
    #[reference]
    seconds: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct OtherForms {
    #[id]
    id: u32,
    #[nested]
    #[reference]
    nested: Address,
    #[kv(json)]
    #[reference]
    json: Ref<TheTerm>,
    #[serde(flatten)]
    #[reference]
    flattened: Ref<TheTerm>,
    #[serde(skip)]
    #[reference]
    skipped: Option<Ref<TheTerm>>,
    #[serde(skip_deserializing)]
    #[reference]
    not_read: Option<Ref<TheTerm>>,
    #[serde(serialize_with = "write")]
    #[reference]
    with: Ref<TheTerm>,
}

fn write<S: serde::Serializer>(reference: &Ref<TheTerm>, serializer: S) -> Result<S::Ok, S::Error> {
    reference.serialize(serializer)
}

#[derive(Clone, Serialize, Deserialize, KvEntity)]
#[serde(into = "u32", from = "u32")]
struct Converted {
    #[id]
    id: u32,
    #[reference]
    boss: Option<Ref<Converted>>,
}

impl From<u32> for Converted {
    fn from(id: u32) -> Self {
        Self { id, boss: None }
    }
}

impl From<Converted> for u32 {
    fn from(converted: Converted) -> Self {
        converted.id
    }
}

#[derive(Serialize, Deserialize, KvNested)]
struct Address {
    #[id]
    #[reference]
    id: u32,
    #[nested]
    #[reference]
    inner: Inner,
    #[serde(skip)]
    #[reference]
    skipped: Option<Ref<TheTerm>>,
}

#[derive(Serialize, Deserialize, KvNested)]
struct Inner {
    city: String,
}

fn main() {}
