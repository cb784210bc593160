//! What is put on the server.

use std::time::Duration;

use kvrepo::{KeyspaceEvents, KeyspaceSettings, Repository, Store};
use kvrepo_tests::harness::TestServer;
use redis::Pipeline;
use redis::aio::MultiplexedConnection;

use crate::sample::Sample;

/// How many at one time.
const PORTION: usize = 1_000;

/// As what entities are saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Persistent,
    ExpiringNoShadow,
    Expiring,
}

impl Kind {
    pub(crate) fn name(self, indexed: bool) -> &'static str {
        match (self, indexed) {
            (Self::Persistent, false) => "persistent",
            (Self::ExpiringNoShadow, false) => "expiring_no_shadow",
            (Self::Expiring, false) => "expiring",
            (Self::Persistent, true) => "persistent_indexed",
            (Self::ExpiringNoShadow, true) => "expiring_no_shadow_indexed",
            (Self::Expiring, true) => "expiring_indexed",
        }
    }
}

pub(crate) async fn people<T: Sample>(server: &TestServer, kind: Kind) -> Repository<T> {
    let settings = KeyspaceSettings::new().shadow_copy(kind == Kind::Expiring);
    let store = Store::builder()
        .events(KeyspaceEvents::Off)
        .call_deadline(Duration::from_secs(30))
        .keyspace::<T>(settings);
    store.connect(&server.url()).await.expect("a store").repository()
}

/// By kvrepo. What does not expire lives for ever, and what does for this long.
pub(crate) async fn fill<T: Sample>(people: &Repository<T>, kind: Kind, count: usize, term: Duration) {
    for from in (0..count).step_by(PORTION) {
        let mut entities: Vec<T> = (from..count.min(from + PORTION)).map(T::number).collect();
        let save = people.save_all(&mut entities);
        let save = if kind == Kind::Persistent {
            save
        } else {
            save.time_to_live(term)
        };
        save.await.expect("a save");
    }
}

/// Nothing but hashes, by hand.
pub(crate) async fn fill_plainly<T: Sample>(server: &TestServer, count: usize) {
    let client = redis::Client::open(server.url()).expect("a client");
    let mut connection: MultiplexedConnection = client
        .get_multiplexed_async_connection()
        .await
        .expect("a connection");
    for from in (0..count).step_by(PORTION) {
        let mut pipeline = Pipeline::new();
        for number in from..count.min(from + PORTION) {
            let entity = T::number(number);
            let mut command = redis::cmd("HSET");
            command.arg(key::<T>(entity.key()));
            entity.write(&mut command);
            pipeline.add_command(command).ignore();
        }
        let () = pipeline.query_async(&mut connection).await.expect("hashes");
    }
}

/// The key of an entity.
pub(crate) fn key<T: Sample>(id: &str) -> String {
    format!("{}:{id}", T::SCHEMA.keyspace)
}
