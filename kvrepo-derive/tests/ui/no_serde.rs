use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(KvEntity)]
struct Neither {
    #[id]
    id: u32,
}

#[derive(Serialize, KvEntity)]
struct NotRead {
    #[id]
    id: u32,
}

#[derive(Deserialize, KvEntity)]
struct NotWritten {
    #[id]
    id: u32,
}

fn main() {}
