//! What is left on a server after much has happened: exactly what belongs to living entities.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kvrepo::{KeyspaceEvents, Repository, Store, Swept};
use kvrepo_tests::fixture::{Person, Session};
use kvrepo_tests::harness::{Proxy, TestServer};
use kvrepo_tests::world::{PATIENCE, World};
use redis::Value;

/// The whole number with `KVREPO_LOAD=full`, else a tenth.
fn load(full: usize) -> usize {
    if std::env::var("KVREPO_LOAD").is_ok_and(|load| load == "full") {
        full
    } else {
        full / 10
    }
}

fn quiet() -> kvrepo::StoreBuilder {
    Store::builder().events(KeyspaceEvents::Off)
}

async fn keys(server: &TestServer) -> Vec<String> {
    server.query(&["KEYS", "*"]).await
}

/// That nothing is left but the event log, what is noted of it, and the lease of whoever reaps.
async fn only_the_log(server: &TestServer) {
    let mut left = keys(server).await;
    left.retain(|key| !["people#expired", "people#log", "people#reaper"].contains(&key.as_str()));
    assert_eq!(left, Vec::<String>::new());
    assert_eq!(
        server.query::<String, _>(&["TYPE", "people#expired"]).await,
        "stream"
    );
}

/// What a keyspace holds, as one script sees it at one moment; nothing can expire in between.
const AUDIT: &str = "
local base, wrong, hashes = ARGV[1], {}, 0
local function note(what) wrong[#wrong + 1] = what end
for _, id in ipairs(redis.call('SMEMBERS', base)) do
  local key, at = base .. ':' .. id, redis.call('PEXPIRETIME', base .. ':' .. id)
  if at == -2 then note('an id without a hash: ' .. id) end
  if at == -1 then note('a hash without a term: ' .. id) end
  if tostring(redis.call('ZSCORE', base .. '#deadlines', id)) ~= string.format('%.0f', at) then note('another deadline: ' .. id) end
  if redis.call('PEXPIRETIME', key .. ':phantom') ~= at + 300000 then note('a phantom of another term: ' .. id) end
  local function flat(key)
    local fields, pairs = redis.call('HGETALL', key), {}
    for i = 1, #fields, 2 do pairs[#pairs + 1] = fields[i] .. '=' .. fields[i + 1] end
    table.sort(pairs)
    return table.concat(pairs, ' ')
  end
  if flat(key) ~= flat(key .. ':phantom') then note('a phantom that differs: ' .. id) end
  hashes = hashes + 1
end
if redis.call('ZCARD', base .. '#deadlines') ~= hashes then note('more deadlines than ids') end
for _, key in ipairs(redis.call('KEYS', base .. ':*')) do
  local id = string.gsub(string.sub(key, #base + 2), ':phantom$', '')
  if redis.call('SISMEMBER', base, id) == 0 then note('a key without an id: ' .. key) end
end
return wrong";

async fn audit(server: &TestServer, keyspace: &str) {
    let wrong: Vec<String> = server.query(&["EVAL", AUDIT, "0", keyspace]).await;
    assert!(
        wrong.is_empty(),
        "{} findings, among them {:?}",
        wrong.len(),
        &wrong[..wrong.len().min(5)]
    );
}

/// C24: 64 tasks save, and now and then delete, while their connections are cut at random.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_connections_under_load_leave_no_hash_without_a_term_and_nothing_by_halves() {
    const TASKS: usize = 64;
    let each = load(10_000);
    let server = TestServer::start().await;
    let proxy = Proxy::in_front_of(&server).await;
    let store = quiet().connect(&proxy.url()).await.unwrap();
    proxy.cut_randomly(24, 300);
    let tasks: Vec<_> = (0..TASKS)
        .map(|task| {
            let sessions: Repository<Session> = store.repository();
            tokio::spawn(async move {
                let (mut saved, mut failed) = (0, 0);
                for round in 0..each {
                    // Ids that the tasks share, so that they meet.
                    let id = ((task * 31 + round * 7) % 2_000).to_string();
                    let user = format!("user {task} {round}");
                    let result = if round % 10 == 9 {
                        sessions.delete_by_id(&id).await.map(drop)
                    } else {
                        sessions.save(&mut Session::new(&id, &user)).await.map(drop)
                    };
                    match result {
                        Ok(()) => saved += 1,
                        Err(error) => {
                            assert!(error.is_transient(), "{error:?}");
                            failed += 1;
                        }
                    }
                }
                (saved, failed)
            })
        })
        .collect();
    let (mut saved, mut failed) = (0, 0);
    for task in tasks {
        let (of_saved, of_failed) = task.await.unwrap();
        saved += of_saved;
        failed += of_failed;
    }
    proxy.cut_randomly(0, 0);
    let cuts = proxy.counts().connections;
    assert!(
        cuts > 10 && failed > 0,
        "{cuts} connections, {failed} failures; the test proves nothing"
    );
    assert!(saved > failed * 5, "{saved} saved, {failed} failed");
    assert!(server.query::<u64, _>(&["SCARD", "sessions"]).await > 1_000);
    audit(&server, "sessions").await;
}

/// C58.
#[tokio::test]
async fn one_sweep_over_ten_thousand_expired_leaves_only_the_log() {
    const MANY: usize = 10_000;
    let world = World::server().await;
    let server = world.as_server().expect("a real server");
    let people: Repository<Person> = world.open(quiet()).await.repository();
    let mut many: Vec<Person> = (0..MANY).map(|i| Person::new(&i.to_string(), "P")).collect();
    people
        .save_all(&mut many)
        .time_to_live(Duration::from_millis(50))
        .await
        .unwrap();
    world.pass(Duration::from_millis(60)).await;
    // Absent before anybody has cleaned up.
    assert_eq!(people.count().await.unwrap(), 0);
    assert!(
        people
            .find_all_by_id((0..10).map(|i| i.to_string()))
            .await
            .unwrap()
            .is_empty()
    );
    let swept = people.sweep().await.unwrap();
    assert_eq!((swept.expired, swept.repaired), (MANY as u64, 0));
    only_the_log(server).await;
    assert_eq!(server.query::<usize, _>(&["XLEN", "people#expired"]).await, MANY);
    assert_eq!(people.sweep().await.unwrap(), Swept::default());
}

/// The same by looking at them: a `find_all` turns what it meets into events.
#[tokio::test]
async fn a_listener_that_comes_late_leaves_only_the_log() {
    const MANY: usize = 10_000;
    let world = World::server().await;
    let server = world.as_server().expect("a real server");
    let people: Repository<Person> = world.open(quiet()).await.repository();
    let mut many: Vec<Person> = (0..MANY).map(|i| Person::new(&i.to_string(), "P")).collect();
    people
        .save_all(&mut many)
        .time_to_live(Duration::from_millis(50))
        .await
        .unwrap();
    world.pass(Duration::from_millis(60)).await;
    assert!(people.find_all().await.unwrap().is_empty());
    let late = world.repository::<Person>().await;
    let mut expired = late.expired().await.unwrap();
    let logged = async {
        while server.query::<usize, _>(&["XLEN", "people#expired"]).await < MANY {
            tokio::time::timeout(PATIENCE, expired.next())
                .await
                .expect("an event")
                .unwrap()
                .unwrap();
        }
    };
    tokio::time::timeout(PATIENCE, logged)
        .await
        .expect("all are reaped");
    assert_eq!(
        server.query::<usize, _>(&["XLEN", "people#expired"]).await,
        MANY,
        "some came twice"
    );
    only_the_log(server).await;
}

/// C117: all bytes of all keys.
async fn everything(server: &TestServer) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for key in keys(server).await {
        let Value::BulkString(dump) = server.command(&["DUMP", &key]).await else {
            panic!("no dump of {key}")
        };
        // A dump is compressed at times; what is read is not.
        let read = match server.query::<String, _>(&["TYPE", &key]).await.as_str() {
            "hash" => server.command(&["HGETALL", &key]).await,
            "set" => server.command(&["SMEMBERS", &key]).await,
            "zset" => server.command(&["ZRANGE", &key, "0", "-1"]).await,
            "stream" => server.command(&["XRANGE", &key, "-", "+"]).await,
            _ => server.command(&["GET", &key]).await,
        };
        let mut bytes = dump;
        bytes.extend(format!("{key} {read:?}").bytes());
        found.insert(key, bytes);
    }
    found
}

async fn holding(server: &TestServer, sentinel: &str) -> Vec<String> {
    let holds = |bytes: &[u8]| {
        bytes
            .windows(sentinel.len())
            .any(|window| window == sentinel.as_bytes())
    };
    everything(server)
        .await
        .into_iter()
        .filter(|(_, bytes)| holds(bytes))
        .map(|(key, _)| key)
        .collect()
}

/// C117.
#[tokio::test]
async fn after_a_delete_no_byte_of_the_entity_is_left() {
    const SENTINEL: &str = "S3NT1NEL-VALUE";
    let world = World::server().await;
    let server = world.as_server().expect("a real server");
    let people = world.repository::<Person>().await;
    let _expired = people.expired().await.unwrap();
    let mut secret = Person {
        nick: Some(SENTINEL.into()),
        tags: vec![SENTINEL.into()],
        ..Person::new(SENTINEL, SENTINEL)
    };
    secret.attributes.insert(SENTINEL.into(), SENTINEL.into());
    people
        .save(&mut Person::new("other", "O"))
        .time_to_live(Duration::from_secs(60))
        .await
        .unwrap();
    for term in [None, Some(Duration::from_secs(60))] {
        let save = people.save(&mut secret);
        match term {
            Some(term) => save.time_to_live(term).await.unwrap(),
            None => save.await.unwrap(),
        };
        let index = format!("people:firstname:{SENTINEL}");
        server.command(&["SADD", &index, SENTINEL]).await;
        server
            .command(&["SADD", &format!("people:{SENTINEL}:idx"), &index])
            .await;
        assert!(
            holding(server, SENTINEL).await.len() >= 4,
            "the sentinel is not found where it is"
        );
        assert!(people.delete_by_id(SENTINEL).await.unwrap());
        assert_eq!(holding(server, SENTINEL).await, Vec::<String>::new());
    }
    // Overwritten is gone as well, phantom included.
    people
        .save(&mut secret)
        .time_to_live(Duration::from_secs(60))
        .await
        .unwrap();
    let mut bare = Person::new(SENTINEL, "B");
    people
        .save(&mut bare)
        .time_to_live(Duration::from_secs(60))
        .await
        .unwrap();
    people.delete_all().await.unwrap();
    assert_eq!(holding(server, SENTINEL).await, Vec::<String>::new());
}

/// C112.
#[tokio::test]
async fn deleting_all_leaves_what_only_begins_alike() {
    let server = TestServer::start().await;
    let people: Repository<Person> = quiet().connect(&server.url()).await.unwrap().repository();
    let foreign = [
        "people:cache:9",
        "peoples",
        "people2",
        "people-x:1",
        "people:firstname:x",
        "apeople:1",
        "people#foreign",
        "x",
    ];
    for key in foreign {
        server.command(&["SET", key, "x"]).await;
    }
    let mut many: Vec<Person> = (0..1_500).map(|i| Person::new(&format!("a:{i}*"), "P")).collect();
    many.push(Person::new("*", "P"));
    people
        .save_all(&mut many)
        .time_to_live(Duration::from_secs(60))
        .await
        .unwrap();
    assert_eq!(people.delete_all().await.unwrap(), 1_501);
    let left: BTreeSet<String> = keys(&server).await.into_iter().collect();
    assert_eq!(left, foreign.map(str::to_owned).into());
    assert_eq!(people.sweep().await.unwrap(), Swept::default());
    assert_eq!(keys(&server).await.len(), foreign.len());
}

/// C58 and C70: hashes that went without a word are passed over, and what is left of them is cleaned up.
#[tokio::test]
async fn what_vanished_behind_our_back_is_cleaned_up_by_whoever_meets_it() {
    let server = TestServer::start().await;
    let people: Repository<Person> = quiet().connect(&server.url()).await.unwrap().repository();
    let mut many: Vec<Person> = (0..1_000).map(|i| Person::new(&i.to_string(), "P")).collect();
    people
        .save_all(&mut many)
        .time_to_live(Duration::from_secs(600))
        .await
        .unwrap();
    for id in 0..300 {
        server.command(&["DEL", &format!("people:{id}")]).await;
    }
    assert_eq!(people.find_all().await.unwrap().len(), 700);
    assert_eq!(people.count().await.unwrap(), 700);
    audit(&server, "people").await;
    assert!(
        !server.query::<bool, _>(&["EXISTS", "people#expired"]).await,
        "nothing had expired"
    );
}

/// C58 of entities with indexes: nobody finds them, and one sweep leaves nothing.
#[tokio::test]
async fn of_many_indexed_entities_that_expired_nothing_is_found_or_left() {
    use kvrepo_tests::suite::query::Person;

    let world = World::server().await;
    let people: Repository<Person> = world.open(quiet()).await.repository();
    let many = load(10_000);
    let mut all: Vec<Person> = (0..many)
        .map(|i| Person {
            id: i.to_string(),
            city: format!("city {}", i % 7),
            age: Some(i as i64),
            spot: Some(kvrepo::Point::new(10.0, 60.0)),
            ..Person::default()
        })
        .collect();
    let term = Duration::from_secs(1);
    people.save_all(&mut all).time_to_live(term).await.unwrap();
    world.pass(term + Duration::from_millis(5)).await;
    let p = Person::fields();
    let near = p
        .spot
        .near(kvrepo::Point::new(10.0, 60.0), kvrepo::Distance::meters(10.0));
    for filter in [p.city.eq("city 3"), p.age.ge(0), near] {
        assert_eq!(people.find(filter).await.unwrap(), []);
    }
    assert_eq!(people.find_all().await.unwrap(), []);
    assert_eq!(people.find(p.age.ge(0)).count().await.unwrap(), 0);
    assert_eq!(people.sweep().await.unwrap().expired, many as u64);
    let mut left = world.keys().await;
    left.sort();
    assert_eq!(left, ["folk#expired", "folk#log"]);
}
