//! The entities of the suite.

use std::collections::BTreeMap;

use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

/// The running example: a term in seconds on the entity, a default nowhere.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "people")]
pub struct Person {
    /// The id; generated while it is `None`.
    #[id]
    pub id: Option<String>,
    pub firstname: String,
    pub nick: Option<String>,
    pub tags: Vec<String>,
    pub address: Option<Address>,
    pub attributes: BTreeMap<String, String>,
    /// Seconds.
    #[time_to_live]
    pub ttl: Option<i64>,
}

impl Person {
    /// Somebody with this id and name, and nothing else.
    #[must_use]
    pub fn new(id: &str, firstname: &str) -> Self {
        Self {
            id: Some(id.to_owned()),
            firstname: firstname.to_owned(),
            ..Self::default()
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Address {
    pub city: String,
    pub zip: Option<String>,
}

/// A term on the type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "sessions", time_to_live = "30m")]
pub struct Session {
    #[id]
    pub id: String,
    pub user: String,
}

impl Session {
    /// The session with this id.
    #[must_use]
    pub fn new(id: &str, user: &str) -> Self {
        Self {
            id: id.to_owned(),
            user: user.to_owned(),
        }
    }
}

/// Without a phantom: events carry the id alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "pings", shadow_copy = false)]
pub struct Ping {
    #[id]
    pub id: u32,
}
