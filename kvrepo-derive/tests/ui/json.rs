use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Address {
    city: String,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Person {
    #[id]
    id: u32,
    #[kv(json)]
    #[serde(flatten)]
    address: Address,
    #[kv(json)]
    #[serde(skip)]
    tags: Vec<String>,
}

fn main() {}
