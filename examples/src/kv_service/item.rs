//! The entity.

use std::time::SystemTime;

use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

/// A key's value. Its term comes with each request, so it states none itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "items")]
pub struct Item {
    /// The key.
    #[id]
    pub id: String,
    /// Whatever was put there.
    pub value: String,
    /// Read back as the server has it; `None` if it does not expire, or not at a fixed time.
    #[expires_at]
    pub expires_at: Option<SystemTime>,
}

impl Item {
    pub(super) fn new(id: String, value: String) -> Self {
        Self {
            id,
            value,
            expires_at: None,
        }
    }
}
