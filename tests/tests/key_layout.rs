//! The bytes on the server, as they are promised: keys, types, fields and terms, shared with Spring Data's services.

#[path = "key_layout/collision.rs"]
mod collision;
#[path = "key_layout/java.rs"]
mod java;

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use kvrepo::{KeyspaceEvents, KeyspaceSettings, KvEntity, Repository, SaveOutcome, Store};
use kvrepo_tests::fixture::Ping;
use kvrepo_tests::harness::TestServer;
use kvrepo_tests::world::{World, next};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "people", type_alias = "person")]
struct Person {
    #[id]
    id: String,
    firstname: String,
    age: Option<u8>,
    alive: bool,
    address: Option<Address>,
    nicknames: Vec<String>,
    attributes: BTreeMap<String, String>,
    #[time_to_live]
    ttl: Option<i64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Address {
    city: String,
}

impl Person {
    fn new(id: &str, firstname: &str) -> Self {
        Self {
            id: id.into(),
            firstname: firstname.into(),
            ..Self::default()
        }
    }
}

fn rand() -> Person {
    Person {
        id: "1".into(),
        firstname: "Rand".into(),
        age: Some(20),
        alive: true,
        address: Some(Address {
            city: "Emond's Field".into(),
        }),
        nicknames: vec!["Dragon".into(), "Lews".into()],
        attributes: [("eye-color".into(), "grey".into())].into(),
        ttl: None,
    }
}

const MINUTE: Duration = Duration::from_secs(60);
const GRACE: u64 = 300_000;

/// A server with a store that does not listen: what a write leaves is the write's alone.
async fn quiet() -> (World, Repository<Person>) {
    let world = World::server().await;
    let people = world
        .open(Store::builder().events(KeyspaceEvents::Off))
        .await
        .repository();
    (world, people)
}

fn server(world: &World) -> &TestServer {
    world.as_server().expect("a real server")
}

/// All keys with their types.
async fn keys(server: &TestServer) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for key in server.query::<Vec<String>, _>(&["KEYS", "*"]).await {
        let kind = server.query(&["TYPE", &key]).await;
        found.insert(key, kind);
    }
    found
}

/// All keys but those that may stay: the event log and what belongs to listening.
async fn residue(server: &TestServer) -> Vec<String> {
    let stays = |key: &String| {
        ["#expired", "#log", "#reaper"]
            .iter()
            .any(|end| key.ends_with(end))
    };
    keys(server).await.into_keys().filter(|key| !stays(key)).collect()
}

fn of(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

async fn hash(server: &TestServer, key: &str) -> BTreeMap<String, String> {
    server.query(&["HGETALL", key]).await
}

async fn expires_at(server: &TestServer, key: &str) -> i64 {
    server.query(&["PEXPIRETIME", key]).await
}

fn deadline(outcome: &SaveOutcome) -> i64 {
    outcome
        .deadline
        .expect("a deadline")
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_millis() as i64
}

#[tokio::test]
async fn a_persistent_entity_is_a_hash_and_its_id() {
    let (world, people) = quiet().await;
    let server = server(&world);
    people.save(&mut rand()).await.unwrap();
    assert_eq!(keys(server).await, of(&[("people", "set"), ("people:1", "hash")]));
    let fields = [
        ("_class", "person"),
        ("address.city", "Emond's Field"),
        ("age", "20"),
        ("alive", "1"),
        ("attributes.[eye-color]", "grey"),
        ("firstname", "Rand"),
        ("id", "1"),
        ("nicknames.[0]", "Dragon"),
        ("nicknames.[1]", "Lews"),
    ];
    assert_eq!(hash(server, "people:1").await, of(&fields));
    assert_eq!(
        server.query::<Vec<String>, _>(&["SMEMBERS", "people"]).await,
        ["1"]
    );
    assert_eq!(
        (
            expires_at(server, "people:1").await,
            expires_at(server, "people").await
        ),
        (-1, -1)
    );
}

/// C63.
#[tokio::test]
async fn none_is_absent_and_an_empty_list_is_json() {
    let (world, people) = quiet().await;
    people.save(&mut Person::new("1", "null")).await.unwrap();
    let fields = of(&[
        ("_class", "person"),
        ("alive", "0"),
        ("attributes", "{}"),
        ("firstname", "null"),
        ("id", "1"),
        ("nicknames", "[]"),
    ]);
    assert_eq!(hash(server(&world), "people:1").await, fields);
}

#[tokio::test]
async fn an_expiring_entity_has_a_phantom_that_outlives_it_by_five_minutes_to_the_millisecond() {
    let (world, people) = quiet().await;
    let server = server(&world);
    let outcome = people.save(&mut rand()).time_to_live(MINUTE).await.unwrap();
    let layout = [
        ("people", "set"),
        ("people#deadlines", "zset"),
        ("people:1", "hash"),
        ("people:1:phantom", "hash"),
    ];
    assert_eq!(keys(server).await, of(&layout));
    let at = deadline(&outcome);
    assert_eq!(expires_at(server, "people:1").await, at);
    assert_eq!(expires_at(server, "people:1:phantom").await, at + GRACE as i64);
    assert_eq!(
        server
            .query::<Vec<String>, _>(&["ZRANGE", "people#deadlines", "0", "-1", "WITHSCORES"])
            .await,
        ["1".to_owned(), at.to_string()]
    );
    assert_eq!(
        hash(server, "people:1:phantom").await,
        hash(server, "people:1").await
    );
    for lasting in ["people", "people#deadlines"] {
        assert_eq!(expires_at(server, lasting).await, -1, "{lasting}");
    }
}

#[tokio::test]
async fn the_phantom_follows_each_save() {
    let (world, people) = quiet().await;
    let server = server(&world);
    people.save(&mut rand()).time_to_live(MINUTE).await.unwrap();
    let mut bare = Person {
        ttl: Some(7_200),
        ..Person::new("1", "Al'Thor")
    };
    let outcome = people.save(&mut bare).await.unwrap();
    let stored = hash(server, "people:1").await;
    assert_eq!(
        (stored["firstname"].as_str(), stored["ttl"].as_str(), stored.len()),
        ("Al'Thor", "7200", 7)
    );
    assert_eq!(hash(server, "people:1:phantom").await, stored);
    assert_eq!(
        expires_at(server, "people:1:phantom").await,
        deadline(&outcome) + GRACE as i64
    );
    assert_eq!(
        server.query::<i64, _>(&["ZSCORE", "people#deadlines", "1"]).await,
        deadline(&outcome)
    );
    // C21: with the term go the phantom and the deadline.
    people.save(&mut bare).persistent().await.unwrap();
    assert_eq!(keys(server).await, of(&[("people", "set"), ("people:1", "hash")]));
    assert_eq!(expires_at(server, "people:1").await, -1);
}

#[tokio::test]
async fn without_a_shadow_copy_there_is_no_phantom() {
    let (world, people) = quiet().await;
    let server = server(&world);
    people
        .store()
        .repository::<Ping>()
        .save(&mut Ping { id: 7 })
        .time_to_live(MINUTE)
        .await
        .unwrap();
    let layout = [("pings", "set"), ("pings#deadlines", "zset"), ("pings:7", "hash")];
    assert_eq!(keys(server).await, of(&layout));
    assert_eq!(hash(server, "pings:7").await, of(&[("id", "7")]));
    // Turned off later, the next save takes the old copy away.
    people.save(&mut rand()).time_to_live(MINUTE).await.unwrap();
    let off = Store::builder().keyspace::<Person>(KeyspaceSettings::new().shadow_copy(false));
    let off = world
        .open(off.events(KeyspaceEvents::Off))
        .await
        .repository::<Person>();
    off.save(&mut rand()).time_to_live(MINUTE).await.unwrap();
    assert!(!keys(server).await.contains_key("people:1:phantom"));
}

#[tokio::test]
async fn a_prefix_stands_before_every_key_and_the_grace_is_as_set() {
    let world = World::server().await;
    let settings = KeyspaceSettings::new()
        .grace(Duration::from_millis(1_234))
        .name("folk");
    let builder = Store::builder()
        .key_prefix("acme:")
        .keyspace::<Person>(settings)
        .events(KeyspaceEvents::Off);
    let people = world.open(builder).await.repository::<Person>();
    let outcome = people
        .save(&mut Person::new("a:b", "Rand"))
        .time_to_live(MINUTE)
        .await
        .unwrap();
    let layout = [
        ("acme:folk", "set"),
        ("acme:folk#deadlines", "zset"),
        ("acme:folk:a:b", "hash"),
        ("acme:folk:a:b:phantom", "hash"),
    ];
    let server = server(&world);
    assert_eq!(keys(server).await, of(&layout));
    assert_eq!(
        expires_at(server, "acme:folk:a:b:phantom").await,
        deadline(&outcome) + 1_234
    );
}

/// C61: whoever deletes, and whoever listens.
#[tokio::test]
async fn a_delete_leaves_no_key() {
    let (world, people) = quiet().await;
    let server = server(&world);
    people.save(&mut rand()).time_to_live(MINUTE).await.unwrap();
    people.save(&mut Person::new("2", "Mat")).await.unwrap();
    let other = world
        .open(Store::builder().events(KeyspaceEvents::Off))
        .await
        .repository::<Person>();
    assert_eq!(other.delete_all_by_id(["1", "2"]).await.unwrap(), 2);
    assert_eq!(keys(server).await, of(&[]));
}

/// C62: and the event of what had expired is not lost with it.
#[tokio::test]
async fn deleting_what_has_expired_leaves_its_event_and_nothing_else() {
    let (world, people) = quiet().await;
    let server = server(&world);
    let outcome = people
        .save(&mut rand())
        .time_to_live(Duration::from_millis(20))
        .await
        .unwrap();
    world.pass(Duration::from_millis(25)).await;
    assert!(!people.delete_by_id("1").await.unwrap());
    assert_eq!(residue(server).await, Vec::<String>::new());
    assert_eq!(
        server.query::<String, _>(&["TYPE", "people#expired"]).await,
        "stream"
    );
    let log: Vec<(String, Vec<(String, String)>)> =
        server.query(&["XRANGE", "people#expired", "-", "+"]).await;
    let (_, fields) = &log[0];
    assert_eq!((log.len(), fields.len()), (1, 11));
    assert_eq!(fields[0], ("id".into(), "1".into()));
    assert_eq!(fields[1], ("deadline".into(), deadline(&outcome).to_string()));
    assert!(fields[2..].contains(&("address.city".into(), "Emond's Field".into())));
    let kept: i64 = server.query(&["PTTL", "people#expired"]).await;
    assert!((3_590_000..=3_600_000).contains(&kept), "{kept}");
}

#[tokio::test]
async fn an_expiry_leaves_the_log_and_nothing_else() {
    let world = World::server().await;
    let people = world.repository::<Person>().await;
    let mut expired = people.expired().await.unwrap();
    people
        .save(&mut rand())
        .time_to_live(Duration::from_millis(20))
        .await
        .unwrap();
    assert_eq!(next(&mut expired).await.value(), Some(&rand()));
    assert_eq!(residue(server(&world)).await, Vec::<String>::new());
}

/// C64: the end of each race is all of the keys or none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_race_of_save_and_delete_ends_with_all_keys_or_none() {
    let (world, people) = quiet().await;
    let server = server(&world);
    for round in 0..200 {
        let (saving, deleting) = (people.clone(), people.clone());
        let save = tokio::spawn(async move { saving.save(&mut rand()).time_to_live(MINUTE).await.unwrap() });
        let delete = tokio::spawn(async move { deleting.delete_by_id("1").await.unwrap() });
        save.await.unwrap();
        delete.await.unwrap();
        let left = keys(server).await.len();
        assert!(left == 0 || left == 4, "round {round}: {left} keys");
    }
}

/// An idle term's span stands in the hash, and in its phantom, under a name that no field can have.
#[tokio::test]
async fn an_idle_term_is_a_field_of_the_hash_and_of_its_phantom() {
    let (world, people) = quiet().await;
    let server = server(&world);
    people
        .save(&mut Person::new("1", "Rand"))
        .idle(MINUTE)
        .await
        .unwrap();
    let mut fields = hash(server, "people:1").await;
    assert_eq!(hash(server, "people:1:phantom").await, fields);
    assert_eq!(fields.remove("#idle").as_deref(), Some("60000"));
    assert_eq!(
        people.find_by_id("1").await.unwrap(),
        Some(Person::new("1", "Rand"))
    );

    // It goes with the term.
    assert!(people.expire("1", MINUTE).await.unwrap());
    assert_eq!(hash(server, "people:1").await, fields);
    assert_eq!(hash(server, "people:1:phantom").await, fields);
    people
        .save(&mut Person::new("1", "Rand"))
        .idle(MINUTE)
        .await
        .unwrap();
    assert!(people.persist("1").await.unwrap());
    assert_eq!(hash(server, "people:1").await, fields);
    assert_eq!(
        keys(server).await,
        of(&[("people", "set"), ("people:1", "hash")]),
        "what does not expire leaves neither phantom nor deadline"
    );
}

#[derive(Debug, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "odd")]
struct Odd {
    #[id]
    id: u8,
    #[serde(rename = "#idle")]
    field: u8,
}

#[tokio::test]
async fn a_field_that_is_called_as_ours_is_refused() {
    let world = World::server().await;
    let odd = world.repository::<Odd>().await;
    let refused = odd.save(&mut Odd { id: 1, field: 7 }).await;
    assert!(
        matches!(&refused, Err(kvrepo::Error::Encode { path, .. }) if path == "#idle"),
        "{refused:?}"
    );
    assert_eq!(keys(server(&world)).await, of(&[]));
}
