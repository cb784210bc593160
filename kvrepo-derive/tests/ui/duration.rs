use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

macro_rules! entities {
    ($($name:ident: $ttl:literal)*) => {$(
        #[derive(Serialize, Deserialize, KvEntity)]
        #[kv(time_to_live = $ttl)]
        struct $name {
            #[id]
            id: u32,
        }
    )*};
}

entities! {
    NoUnit: "90"
    Unit: "30 minutes"
    Fraction: "1.5h"
    Zero: "0s"
    ZeroSeconds: 0
    Negative: "-5s"
    Empty: ""
    Twice: "1h 1h"
    Overflow: "300000000000w"
    OverflowSeconds: 99999999999999999999999999999999999999999
    Float: 1.5
    Boolean: true
}

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(time_to_live = -1)]
struct Signed {
    #[id]
    id: u32,
}

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(time_to_live = 30 * 60)]
struct Expression {
    #[id]
    id: u32,
}

fn main() {}
