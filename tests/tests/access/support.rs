//! What the tests of access share.

use std::collections::HashMap;
use std::time::Duration;

use kvrepo::{KvEntity, Point, Store, StoreBuilder};
use kvrepo_tests::access::Access;
use kvrepo_tests::harness::{ServerOptions, TestServer};
use redis::Value;
use serde::{Deserialize, Serialize};

pub const PASSWORD: &str = "right4711";
pub const PROTOCOLS: [&str; 2] = ["resp2", "resp3"];
pub const MINUTE: Duration = Duration::from_secs(60);

/// The parts that a user needs who listens to nothing and verifies nothing.
pub fn data_alone() -> Access {
    Access::required()
        .without("Events")
        .without("Groups")
        .without("Verification")
}

/// With an index of each kind, a version, and fields that are text, number and list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "guests")]
pub struct Guest {
    #[id]
    pub id: String,
    #[version]
    pub version: u64,
    #[indexed]
    pub city: String,
    #[indexed(range)]
    pub age: u32,
    #[indexed(unique)]
    pub email: Option<String>,
    #[geo_indexed]
    pub home: Option<Point>,
    pub tags: Vec<String>,
}

impl Guest {
    pub fn new(id: &str, city: &str, age: u32) -> Self {
        Self {
            id: id.to_owned(),
            version: 0,
            city: city.to_owned(),
            age,
            email: Some(format!("{id}@example.org")),
            home: Some(Point::new(10.0, 60.0)),
            tags: vec!["a".to_owned(), "b".to_owned()],
        }
    }
}

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A server, notifications off, on which `ann` has this access to [`Guest`]s.
pub async fn server_for(access: &Access) -> TestServer {
    TestServer::with(ServerOptions::new().user(&access.user("ann", PASSWORD, &["guests"]))).await
}

/// A store of `ann`.
pub async fn store(server: &TestServer, builder: StoreBuilder, protocol: &str) -> Store {
    let url = format!("{}?protocol={protocol}", server.url_as("ann", PASSWORD));
    builder
        .connect(&url)
        .await
        .unwrap_or_else(|error| panic!("{protocol}: {error:?}"))
}

/// Whether this says that a script was denied the command. Older servers do not say which.
pub fn is_denial(text: &str, command: &str) -> bool {
    text.contains(&format!("'{command}'")) || text.contains("can't run this command")
}

/// What the server has denied to anybody: commands, keys and channels.
pub async fn denied(server: &TestServer) -> Vec<String> {
    let log: Vec<HashMap<String, Value>> = server.query(&["ACL", "LOG"]).await;
    let objects = log.into_iter().map(|mut entry| entry.remove("object"));
    objects
        .map(|object| redis::from_redis_value(object.expect("an object")).expect("a text"))
        .collect()
}
