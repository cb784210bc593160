use kvrepo::{KvEntity, Store};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Two {
    #[id]
    id: u32,
    #[version]
    a: u64,
    #[version]
    b: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[version]
struct Twice {
    #[id]
    id: u32,
    #[version]
    #[version(1)]
    version: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct TheId {
    #[id]
    #[version]
    id: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct TheTerm {
    #[id]
    id: u32,
    #[version]
    #[time_to_live]
    seconds: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct TheDeadline {
    #[id]
    id: u32,
    #[version]
    #[expires_at]
    at: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Json {
    #[id]
    id: u32,
    #[kv(json)]
    #[version]
    version: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Skipped {
    #[id]
    id: u32,
    #[serde(skip)]
    #[version]
    version: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Flattened {
    #[id]
    id: u32,
    #[serde(flatten)]
    #[version]
    version: Option<u64>,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[serde(rename_all(serialize = "UPPERCASE"))]
struct TwoNames {
    #[id]
    #[serde(rename = "id")]
    id: u32,
    #[version]
    version: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Alias {
    #[id]
    id: u32,
    #[version]
    #[serde(alias = "rev", alias = "revision")]
    version: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct With {
    #[id]
    id: u32,
    #[version]
    #[serde(with = "text")]
    version: u64,
}

mod text {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(version: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        version.to_string().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        Ok(String::deserialize(deserializer)?.len() as u64)
    }
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Signed {
    #[id]
    id: u32,
    #[version]
    version: Option<i64>,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct None {
    #[id]
    id: u32,
}

fn main() {
    let _ = Store::in_memory().repository::<None>().update(1).if_version(1);
}
