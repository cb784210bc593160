use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Tuple(u32, String);

#[derive(Serialize, Deserialize, KvEntity)]
struct Unit;

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "")]
enum Enum {
    A { id: u32 },
}

#[derive(KvEntity)]
union Union {
    id: u32,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Parameters<'a, T, const N: usize> {
    name: &'a str,
    values: Vec<T>,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Empty {}

fn main() {}
