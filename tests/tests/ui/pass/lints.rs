//! Generated code is clean where every warning is an error.
#![deny(missing_docs, warnings, unused_qualifications, clippy::all, clippy::pedantic)]

use std::time::Duration;

use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

/// An entity with every option.
#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(
    keyspace = "sessions",
    time_to_live = "1h 30m",
    shadow_copy = false,
    type_alias = "session"
)]
pub struct Session {
    /// Its id.
    #[id]
    pub id: Option<String>,
    /// Its term.
    #[time_to_live(unit = "min")]
    pub minutes: Option<i64>,
    /// As JSON.
    #[kv(json)]
    pub tags: Vec<String>,
    /// Beside the others.
    #[serde(flatten)]
    pub device: Device,
}

/// What is flattened.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Device {
    /// Its name.
    pub name: String,
}

/// An entity whose term comes from a method.
#[deprecated]
#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(time_to_live_fn = "lives_for", time_to_live = 1_800)]
pub struct Lease {
    /// Its id.
    #[id]
    #[deprecated]
    pub id: u64,
}

#[allow(deprecated)]
impl Lease {
    fn lives_for(&self) -> Duration {
        Duration::from_secs(self.id)
    }
}

/// An entity whose term comes from a function.
#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(time_to_live_fn = "self::lives_for")]
pub struct Loan {
    /// Its id.
    #[id]
    pub id: u64,
}

const fn lives_for(loan: &Loan) -> Option<u64> {
    if loan.id == 0 { None } else { Some(loan.id) }
}

/// Runs it.
#[allow(deprecated, reason = "what is deprecated can be derived all the same")]
pub fn main() {
    use kvrepo::FieldTerm::{Ttl, Unset};

    assert_eq!(Session::SCHEMA.time_to_live, Some(Duration::from_secs(5_400)));
    assert_eq!(KvEntity::term(&Lease { id: 3 }), Ok(Ttl(Duration::from_secs(3))));
    assert_eq!(KvEntity::term(&Loan { id: 3 }), Ok(Ttl(Duration::from_secs(3))));
    assert_eq!(KvEntity::term(&Loan { id: 0 }), Ok(Unset));
}
