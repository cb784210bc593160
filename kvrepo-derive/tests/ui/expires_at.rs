use std::time::SystemTime;

use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct TwoFields {
    #[id]
    id: u32,
    #[expires_at]
    first: SystemTime,
    #[expires_at]
    second: SystemTime,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct WithTimeToLive {
    #[id]
    id: u32,
    #[expires_at]
    at: SystemTime,
    #[time_to_live]
    seconds: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct OnOneField {
    #[id]
    id: u32,
    #[time_to_live]
    #[expires_at]
    both: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(time_to_live_fn = "lives_for")]
struct WithFunction {
    #[id]
    id: u32,
    #[expires_at]
    at: SystemTime,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct OnTheId {
    #[id]
    #[expires_at]
    id: u32,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[expires_at]
struct Arguments {
    #[id]
    id: u32,
    #[expires_at(unit = "ms")]
    #[expires_at]
    at: SystemTime,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Milliseconds {
    #[id]
    id: u32,
    #[expires_at]
    at: u64,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Text {
    #[id]
    id: u32,
    #[expires_at]
    at: Option<String>,
}

fn main() {}
