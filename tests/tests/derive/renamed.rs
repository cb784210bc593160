//! `crate = "…"` says where kvrepo is.

extern crate kvrepo as other;

mod facade {
    pub use super::other::*;
}

/// Not what is meant.
#[allow(dead_code)]
mod kvrepo {}

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, other::KvEntity)]
#[kv(crate = "other")]
struct ByName {
    #[id]
    id: String,
    #[time_to_live]
    ttl: u32,
}

#[derive(Serialize, Deserialize, other::KvEntity)]
#[kv(crate = "crate::renamed::facade")]
struct ByPath {
    #[id]
    id: String,
}

#[derive(Serialize, Deserialize, other::KvEntity)]
#[kv(crate = "::kvrepo")]
struct Absolute {
    #[id]
    id: String,
}

#[test]
fn the_crate_can_have_another_name() {
    use other::KvEntity;

    assert_eq!(ByName::SCHEMA.keyspace, "by_name");
    assert_eq!(ByPath::SCHEMA.keyspace, "by_path");
    assert_eq!(Absolute::SCHEMA.keyspace, "absolute");
}
