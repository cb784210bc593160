use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(idle = "30d", time_to_live = "60d")]
struct Both {
    #[id]
    id: u32,
}

// Also where one of them is wrong in itself.
#[derive(Serialize, Deserialize, KvEntity)]
#[kv(time_to_live = "90")]
#[kv(idle = 0)]
struct BothWrong {
    #[id]
    id: u32,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(idle)]
struct NoValue {
    #[id]
    id: u32,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(idle = 30.5, idle = "1h")]
struct Fraction {
    #[id]
    id: u32,
}

fn main() {}
