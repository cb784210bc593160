//! The end of a run: writers stop, all that is left expires, everything is heard; and what is on the server then.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use kvrepo::{KeyspaceEvents, KvEntity, KvId, Position, Store};
use kvrepo_tests::chaos::entity::{Order, Ping, Seat, Subject};
use kvrepo_tests::chaos::journal::{Outcome, Record, What};
use kvrepo_tests::chaos::worker::Role;
use kvrepo_tests::harness::TestServer;
use kvrepo_tests::world::millis;
use tokio::time::{Instant, sleep};

use super::crew::Slot;
use super::oracle::{Call, Own};

/// The longest that each part of it may take.
const PATIENCE: Duration = Duration::from_secs(90);
const SPACES: [&str; 3] = [
    Order::SCHEMA.keyspace,
    Seat::SCHEMA.keyspace,
    Ping::SCHEMA.keyspace,
];

/// Brings everything to rest. Replies with the calls that this took: what never expires is deleted.
pub async fn come_to_rest(server: &TestServer, crew: &mut [Slot]) -> Vec<Own> {
    for slot in crew.iter_mut().filter(|slot| slot.settings.role == Role::Save) {
        slot.stop().await;
        // What its predecessors had sent and the proxy still has.
        slot.proxy.cut();
    }
    let own = empty(server).await;
    all_is_heard(server, crew).await;
    for slot in crew.iter_mut() {
        slot.stop().await;
        slot.read();
    }
    own
}

/// Waits until nothing is alive.
async fn empty(server: &TestServer) -> Vec<Own> {
    let store = Store::builder().events(KeyspaceEvents::Off);
    let store = store.connect(&server.url()).await.expect("a store");
    let mut own = Vec::new();
    wait_for("all to expire", async || {
        delete_persistent::<Order>(server, &store, &mut own).await;
        delete_persistent::<Seat>(server, &store, &mut own).await;
        delete_persistent::<Ping>(server, &store, &mut own).await;
        let mut left = Vec::new();
        for space in SPACES {
            let ids: u64 = server.query(&["SCARD", space]).await;
            let deadlines: u64 = server.query(&["ZCARD", &format!("{space}#deadlines")]).await;
            if ids + deadlines > 0 {
                left.push(format!("{space}: {ids} ids, {deadlines} deadlines"));
            }
        }
        left
    })
    .await;
    own
}

async fn delete_persistent<T: Subject>(server: &TestServer, store: &Store, own: &mut Vec<Own>) {
    let space = T::SCHEMA.keyspace;
    let ids: Vec<String> = server.query(&["SMEMBERS", space]).await;
    for id in ids {
        let left: i64 = server.query(&["PTTL", &format!("{space}:{id}")]).await;
        let Some(typed) = T::Id::from_key(&id).filter(|_| left == -1) else {
            continue;
        };
        let began = millis(SystemTime::now());
        let there = store
            .repository::<T>()
            .delete_by_id(typed)
            .await
            .expect("a delete");
        own.push(Own {
            space,
            id,
            call: Call {
                nonce: own.len() as u64 + 1,
                what: What::Delete,
                began,
                ended: Some((millis(SystemTime::now()), Outcome::There(there))),
            },
        });
    }
}

/// Waits until listeners have noted the last event of each log, and nothing is left to do for groups.
async fn all_is_heard(server: &TestServer, crew: &mut [Slot]) {
    let mut last = HashMap::new();
    for space in SPACES {
        let log = format!("{space}#expired");
        let newest: Vec<(String, Vec<String>)> =
            server.query(&["XREVRANGE", &log, "+", "-", "COUNT", "1"]).await;
        if let Some((position, _)) = newest.first() {
            last.insert(space, position.parse::<Position>().expect("a position"));
        }
    }
    wait_for("all to be heard", async || {
        let mut behind = Vec::new();
        for slot in crew.iter_mut() {
            slot.is_alive();
            slot.read();
            if slot.settings.role == Role::Listen {
                behind.extend(last.iter().filter_map(|(space, last)| {
                    let heard = slot.noted.iter().rev().find_map(|record| match record {
                        Record::Heard(heard) if heard.space == *space => Some(heard.position()),
                        _ => None,
                    });
                    let who = slot.settings.slot;
                    (heard < Some(*last)).then(|| format!("listener {who}: {space} at {heard:?} of {last}"))
                }));
            }
        }
        for space in last.keys() {
            let log = format!("{space}#expired");
            let groups: Vec<HashMap<String, redis::Value>> = server.query(&["XINFO", "GROUPS", &log]).await;
            behind.extend(groups.into_iter().filter_map(|group| {
                let zero = |field: &str| group.get(field) == Some(&redis::Value::Int(0));
                (!zero("pending") || !zero("lag")).then(|| format!("a group of {space}: {group:?}"))
            }));
        }
        behind
    })
    .await;
}

/// The keys that there are besides the logs, their marks, and, as long as it is held, the lease of who reaps.
pub async fn residue(server: &TestServer) -> Vec<String> {
    let mut left: Vec<String> = server.query(&["KEYS", "*"]).await;
    left.retain(|key| {
        let (space, of) = key.split_once('#').unwrap_or((key, ""));
        !SPACES.contains(&space) || !["expired", "log", "reaper"].contains(&of)
    });
    left.sort();
    left
}

/// Waits until nothing is in the way any more.
async fn wait_for(what: &str, mut in_the_way: impl AsyncFnMut() -> Vec<String>) {
    let until = Instant::now() + PATIENCE;
    loop {
        let left = in_the_way().await;
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < until, "in vain waited for {what}: {left:?}");
        sleep(Duration::from_millis(50)).await;
    }
}
