use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Skipped {
    #[id]
    #[serde(skip)]
    id: u32,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct NotWritten {
    #[id]
    #[serde(default, skip_serializing)]
    id: u32,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Flattened {
    #[id]
    #[serde(flatten)]
    id: Option<String>,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Json {
    #[id]
    #[kv(json)]
    id: u32,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct TwoNames {
    #[id]
    #[serde(rename(serialize = "key"))]
    id: u32,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[serde(rename_all(deserialize = "camelCase"))]
struct TwoRules {
    #[id]
    person_id: u32,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Both {
    #[id]
    #[time_to_live]
    id: u32,
}

fn main() {}
