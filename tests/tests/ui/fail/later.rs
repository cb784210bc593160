use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(idle = "30d")]
#[version]
struct Person {
    #[id]
    id: u32,
    #[indexed(range)]
    age: u32,
    #[geo_indexed]
    location: (f64, f64),
    #[nested]
    address: String,
    #[reference]
    friend: String,
    #[version]
    version: u64,
    #[expires_at]
    until: u64,
    #[kv(indexed)]
    name: String,
}

fn main() {}
