use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Person {
    name: String,
}

// Being wrong, it is an entity nevertheless: nothing is said of its uses.
fn find<T: KvEntity>() {}

#[allow(dead_code)]
fn uses() {
    find::<Person>();
    let _ = Person::SCHEMA;
}

fn main() {}
