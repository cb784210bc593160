use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct TwoFields {
    #[id]
    id: u32,
    #[time_to_live]
    seconds: u64,
    #[time_to_live(unit = "ms")]
    milliseconds: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(time_to_live_fn = "lives_for")]
struct FieldAndFunction {
    #[id]
    id: u32,
    #[time_to_live]
    seconds: u64,
}

fn main() {}
