use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Unit {
    #[id]
    id: u32,
    #[time_to_live(unit = "weeks")]
    a: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct NoString {
    #[id]
    id: u32,
    #[time_to_live(unit = ms, unit = "s")]
    a: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct UnknownKey {
    #[id(generated)]
    id: u32,
    #[time_to_live(units = "ms")]
    a: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Value {
    #[id]
    id: u32,
    #[time_to_live = "30m"]
    a: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[time_to_live(30)]
#[id]
struct OnStruct {
    id: u32,
}

fn main() {}
