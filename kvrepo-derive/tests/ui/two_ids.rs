use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Person {
    #[id]
    id: u32,
    #[id]
    email: String,
    #[id]
    name: String,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Twice {
    #[id]
    #[id]
    id: u32,
}

fn main() {}
