use kvrepo::{KvEntity, KvNested};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(indexed = "name")]
struct Person {
    #[id]
    id: u32,
    #[indexed(range)]
    age: u32,
    #[geo_indexed]
    location: (f64, f64),
    #[kv(indexed)]
    name: String,
}

#[derive(Serialize, Deserialize, KvNested)]
#[kv(indexed = "city")]
#[indexed]
struct Address {
    #[indexed]
    city: String,
    #[geo_indexed]
    location: (f64, f64),
    #[kv(indexed)]
    street: String,
}

fn main() {}
