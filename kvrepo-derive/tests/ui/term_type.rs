use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Text {
    #[id]
    id: u32,
    #[time_to_live]
    ttl: Option<String>,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(time_to_live_fn = "lives_for")]
struct ByMethod {
    #[id]
    id: u32,
}

impl ByMethod {
    fn lives_for(&self) -> &'static str {
        "30m"
    }
}

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(time_to_live_fn = "missing")]
struct NoMethod {
    #[id]
    id: u32,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(time_to_live_fn = "self::missing")]
struct NoFunction {
    #[id]
    id: u32,
}

fn main() {}
