use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
struct PersonId(u32);

#[derive(Serialize, Deserialize, KvEntity)]
struct Newtype {
    name: String,
    #[id]
    id: PersonId,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct NotGenerated {
    name: String,
    #[id]
    id: Option<u32>,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Float {
    #[id]
    id: f64,
}

fn main() {}
