//! What each call costs: round trips, commands on the wire, and commands in scripts.

#[path = "round_trips/query.rs"]
mod query;
#[path = "round_trips/together.rs"]
mod together;

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use kvrepo::{KeyspaceEvents, KvEntity, Ref, Repository, Store, TimeToLive};
use kvrepo_tests::fixture::{Person, Session};
use kvrepo_tests::harness::{Monitor, Proxy, TestServer};
use kvrepo_tests::world::{PATIENCE, World, eventually, next};
use serde::{Deserialize, Serialize};

const MINUTE: Duration = Duration::from_secs(60);

#[derive(Clone, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "visits")]
struct Visit {
    #[id]
    id: u32,
    #[reference]
    session: Ref<Session>,
}

/// A store that does not listen, through a proxy that counts.
async fn counted() -> (TestServer, Proxy, Store) {
    let server = TestServer::start().await;
    let proxy = Proxy::in_front_of(&server).await;
    let builder = Store::builder().events(KeyspaceEvents::Off);
    let store = builder.connect(&proxy.url()).await.expect("a store");
    (server, proxy, store)
}

fn people(count: usize) -> Vec<Person> {
    (0..count)
        .map(|i| Person::new(&i.to_string(), &format!("P{i}")))
        .collect()
}

/// Makes a call, and demands that it is one round trip with these commands.
async fn costs<T>(
    proxy: &Proxy,
    monitor: &Monitor,
    verbs: &[&str],
    call: impl Future<Output = kvrepo::Result<T>>,
) -> T {
    monitor.clear().await;
    let before = proxy.counts().round_trips;
    let result = call.await.expect("the call succeeds");
    assert_eq!(proxy.counts().round_trips - before, 1, "{verbs:?}");
    let commands = monitor.commands().await.by_clients();
    assert_eq!(commands.verbs(), verbs, "{commands}");
    result
}

#[tokio::test]
async fn every_call_for_one_entity_is_one_round_trip() {
    let (server, proxy, store) = counted().await;
    let (people, sessions): (Repository<Person>, Repository<Session>) =
        (store.repository(), store.repository());
    let (mut ann, mut session) = (Person::new("1", "Ann"), Session::new("1", "ann"));
    // The first call of each script makes it known to the server.
    people.save(&mut ann).await.unwrap();
    people.count().await.unwrap();
    people.expire("1", MINUTE).await.unwrap();
    people.delete_by_id("1").await.unwrap();
    people.take("1").await.unwrap();
    let monitor = Monitor::start(&server).await;
    let (proxy, monitor) = (&proxy, &monitor);

    costs(proxy, monitor, &["EVALSHA"], people.save(&mut ann).into_future()).await;
    costs(
        proxy,
        monitor,
        &["EVALSHA"],
        people.save(&mut ann).time_to_live(MINUTE).into_future(),
    )
    .await;
    costs(
        proxy,
        monitor,
        &["EVALSHA"],
        sessions.save(&mut session).into_future(),
    )
    .await;
    let found = costs(proxy, monitor, &["HGETALL"], sessions.find_by_id("1")).await;
    assert_eq!(found, Some(session));
    let transaction = ["MULTI", "HGETALL", "PTTL", "PEXPIRETIME", "EXEC"];
    let found = costs(proxy, monitor, &transaction, people.find_by_id("1")).await;
    assert_eq!(found.unwrap().ttl, Some(60));
    assert!(costs(proxy, monitor, &["HGET", "PTTL"], people.exists_by_id("1")).await);
    assert_eq!(costs(proxy, monitor, &["EVALSHA"], people.count()).await, 1);
    let left = costs(proxy, monitor, &["PTTL"], people.time_to_live("1")).await;
    assert!(matches!(left, TimeToLive::In(left) if left <= MINUTE));
    assert!(costs(proxy, monitor, &["EVALSHA"], people.expire("1", MINUTE)).await);
    assert!(costs(proxy, monitor, &["EVALSHA"], people.persist("1")).await);
    let entry = costs(proxy, monitor, &transaction, people.entry("1"))
        .await
        .unwrap();
    assert_eq!(entry.remaining, TimeToLive::Persistent);
    assert!(costs(proxy, monitor, &["EVALSHA"], people.delete(&ann)).await);
    costs(
        proxy,
        monitor,
        &["EVALSHA"],
        people.insert(&mut ann).into_future(),
    )
    .await;
    assert_eq!(
        costs(proxy, monitor, &["EVALSHA"], people.take("1")).await,
        Some(ann.clone())
    );
    // What is not there costs no more.
    assert!(
        costs(proxy, monitor, &transaction, people.find_by_id("1"))
            .await
            .is_none()
    );
    assert!(
        !costs(
            proxy,
            monitor,
            &["EVALSHA"],
            people.delete_by_id("1").into_future()
        )
        .await
    );
    assert_eq!(
        costs(proxy, monitor, &["PTTL"], people.time_to_live("1")).await,
        TimeToLive::Missing
    );
}

/// An idle entity that needs no renewal is read in one round trip, without a write; one that does, as well, and is
/// renewed with others a second later.
#[tokio::test]
async fn reading_an_idle_entity_is_one_round_trip_and_no_write() {
    let (server, proxy, store) = counted().await;
    let sessions: Repository<Session> = store.repository();
    let mut all: Vec<_> = (0..100).map(|i| Session::new(&i.to_string(), "ann")).collect();
    sessions.save_all(&mut all).idle(MINUTE).await.unwrap();
    let monitor = Monitor::start(&server).await;
    let (proxy, monitor) = (&proxy, &monitor);
    let transaction = ["MULTI", "HGETALL", "PTTL", "PEXPIRETIME", "EXEC"];
    assert!(
        costs(proxy, monitor, &transaction, sessions.find_by_id("1"))
            .await
            .is_some()
    );
    assert!(costs(proxy, monitor, &["HGET", "PTTL"], sessions.exists_by_id("1")).await);

    // More than a thirtieth later: each read is noted, and one script renews them all.
    let world = World::of(server);
    world.skip(&["sessions"], MINUTE / 3).await;
    let server = world.as_server().expect("it is on one");
    let before = monitor.commands().await.of("EVALSHA").len();
    let mut trips = proxy.counts().round_trips;
    for _ in 0..3 {
        for session in &all {
            assert!(sessions.find_by_id(&session.id).await.unwrap().is_some());
            let now = proxy.counts().round_trips;
            assert!(
                now - trips <= 2,
                "a read is one round trip; beside it there can be a renewal"
            );
            trips = now;
        }
    }
    eventually("all are renewed", async || {
        let left: Vec<i64> = server.query(&["EVAL", LEFT, "1", "sessions"]).await;
        left.iter().all(|left| *left > 50_000)
    })
    .await;
    let renewals = monitor.commands().await.by_clients().of("EVALSHA").len() - before;
    assert!(
        renewals <= 3,
        "{renewals} scripts renewed 100 entities that were read 300 times"
    );
}

/// What is left of each entity of a keyspace.
const LEFT: &str = "local left = {}
for i, id in ipairs(redis.call('SMEMBERS', KEYS[1])) do left[i] = redis.call('PTTL', KEYS[1] .. ':' .. id) end
return left";

/// What can be refused without the server is.
#[tokio::test]
async fn what_is_invalid_is_refused_without_a_round_trip() {
    let (_server, proxy, store) = counted().await;
    let people: Repository<Person> = store.repository();
    let before = proxy.counts();
    people.save(&mut Person::new("", "Ann")).await.unwrap_err();
    people
        .save(&mut Person::new("1", "Ann"))
        .time_to_live(Duration::ZERO)
        .await
        .unwrap_err();
    people
        .save(&mut Person {
            ttl: Some(-7),
            ..Person::new("1", "Ann")
        })
        .await
        .unwrap_err();
    people.find_by_id("1:idx").await.unwrap_err();
    people.delete_by_id("").await.unwrap_err();
    assert_eq!(proxy.counts(), before);
}

/// C105.
#[tokio::test]
async fn a_thousand_are_found_in_at_most_ten_round_trips() {
    let (server, proxy, store) = counted().await;
    let (persons, sessions): (Repository<Person>, Repository<Session>) =
        (store.repository(), store.repository());
    persons.save_all(&mut people(1_000)).await.unwrap();
    let mut many: Vec<_> = (0..1_000).map(|i| Session::new(&i.to_string(), "ann")).collect();
    sessions.save_all(&mut many).await.unwrap();
    let ids = || (0..1_000).map(|i| i.to_string());
    let monitor = Monitor::start(&server).await;

    let before = proxy.counts().round_trips;
    assert_eq!(persons.find_all_by_id(ids()).await.unwrap(), people(1_000));
    assert_eq!(sessions.find_all_by_id(ids()).await.unwrap().len(), 1_000);
    // The count is that of turns on the wire: a pipeline answered while it is still written has several.
    let turns = proxy.counts().round_trips - before;
    assert!(turns <= 20, "{turns}");
    let commands = monitor.commands().await.by_clients();
    assert_eq!(commands.of("HGETALL").len(), 2_000);
    assert_eq!(
        commands.len(),
        6_000,
        "nothing but MULTI, HGETALL, PTTL, PEXPIRETIME, EXEC and HGETALL"
    );

    let before = proxy.counts().round_trips;
    assert_eq!(persons.find_all().await.unwrap().len(), 1_000);
    let turns = proxy.counts().round_trips - before;
    assert!(turns <= 20, "{turns}");
}

/// One command for each entity that is referred to, however many refer to it, and none for each that refers.
#[tokio::test]
async fn what_many_refer_to_is_loaded_in_pipelines() {
    let (server, proxy, store) = counted().await;
    let (sessions, visits): (Repository<Session>, Repository<Visit>) =
        (store.repository(), store.repository());
    let mut all: Vec<_> = (0..300).map(|i| Session::new(&i.to_string(), "ann")).collect();
    sessions.save_all(&mut all).await.unwrap();
    let session = |id: u32| Ref::new((id % 310).to_string());
    let all: Vec<_> = (0..2_000)
        .map(|id| Visit {
            id,
            session: session(id),
        })
        .collect();
    let monitor = Monitor::start(&server).await;

    let before = proxy.counts().round_trips;
    let loaded = Visit::fields().session.load_all(&sessions, &all).await.unwrap();
    // As above: a pipeline answered while it is still written has several.
    let turns = proxy.counts().round_trips - before;
    assert!((1..=6).contains(&turns), "{turns}");
    assert_eq!((loaded.entities().len(), loaded.dangling.len()), (300, 10));
    let commands = monitor.commands().await.by_clients();
    assert_eq!(
        (commands.of("HGETALL").len(), commands.len()),
        (310, 310),
        "{commands}"
    );

    // What is read holds the reference, and asks for nothing more.
    visits.save(&mut all[0].clone()).await.unwrap();
    let read = costs(&proxy, &monitor, &["HGETALL"], visits.find_by_id(0))
        .await
        .unwrap();
    costs(&proxy, &monitor, &["HGETALL"], read.session.load(&sessions)).await;
}

/// C106.
#[tokio::test]
async fn saving_ten_thousand_at_once_is_ten_times_as_fast_as_one_by_one() {
    const ALL: usize = 10_000;
    const SAMPLE: usize = 100;
    let (server, proxy, store) = counted().await;
    let persons: Repository<Person> = store.repository();
    proxy.delay(Duration::from_millis(1));
    let mut many = people(ALL);
    persons.save(&mut many[0]).await.unwrap();
    let begun = Instant::now();
    for person in &mut many[..SAMPLE] {
        persons.save(person).await.unwrap();
    }
    let one_by_one = begun.elapsed() * (ALL / SAMPLE) as u32;
    let begun = Instant::now();
    let outcomes = persons.save_all(&mut many).await.unwrap();
    let at_once = begun.elapsed();
    assert_eq!(
        (
            outcomes.len(),
            server.query::<usize, _>(&["SCARD", "people"]).await
        ),
        (ALL, ALL)
    );
    assert!(at_once * 10 <= one_by_one, "{at_once:?} and {one_by_one:?}");
}

/// C107: commands by clients and in scripts.
#[tokio::test]
async fn a_save_costs_the_same_among_ten_and_among_a_hundred_thousand() {
    let (server, _proxy, store) = counted().await;
    let persons: Repository<Person> = store.repository();
    // The first call of each script makes it known to the server.
    persons.save(&mut Person::new("1", "Ann")).await.unwrap();
    persons.delete_by_id("1").await.unwrap();
    let mut counts = Vec::new();
    for among in [10, 100_000] {
        // As save.lua writes them, without its price.
        let fill = "for i = 1, ARGV[1] do local key = 'people:f' .. i; redis.call('HSET', key, 'id', 'f' .. i, 'firstname', 'F')\
            redis.call('SADD', 'people', 'f' .. i); redis.call('PEXPIREAT', key, 9999999999999)\
            redis.call('ZADD', 'people#deadlines', 9999999999999, 'f' .. i) end";
        server.command(&["EVAL", fill, "0", &among.to_string()]).await;
        persons
            .save(&mut Person::new("1", "Ann"))
            .time_to_live(MINUTE)
            .await
            .unwrap();
        let monitor = Monitor::start(&server).await;
        let mut cost = Vec::new();
        for term in [Some(MINUTE), None] {
            monitor.clear().await;
            let mut person = Person::new("1", "Anna");
            let save = persons.save(&mut person);
            match term {
                Some(term) => save.time_to_live(term).await.unwrap(),
                None => save.await.unwrap(),
            };
            cost.push(monitor.commands().await.verbs());
            monitor.clear().await;
            persons.delete_by_id("1").await.unwrap();
            cost.push(monitor.commands().await.verbs());
            persons.save(&mut person).await.unwrap();
        }
        assert_eq!(persons.count().await.unwrap(), among + 1);
        persons.delete_by_id("1").await.unwrap();
        counts.push(cost);
    }
    assert_eq!(counts[0], counts[1]);
    assert!(counts[0].iter().all(|verbs| verbs.len() <= 20), "{:?}", counts[0]);
}

/// Every operation there is, on a store that listens.
async fn everything(store: &Store) {
    let persons: Repository<Person> = store.repository();
    let mut expired = persons.expired().await.unwrap();
    persons.save(&mut Person::new("1", "Ann")).await.unwrap();
    persons
        .save_all(&mut people(600))
        .time_to_live(MINUTE)
        .await
        .unwrap();
    persons
        .save(&mut Person::new("brief", "B"))
        .time_to_live(Duration::from_millis(5))
        .await
        .unwrap();
    assert_eq!(
        tokio::time::timeout(PATIENCE, next(&mut expired))
            .await
            .unwrap()
            .id(),
        "brief"
    );
    assert!(persons.find_by_id("1").await.unwrap().is_some());
    assert_eq!(persons.find_all_by_id(["1", "2", "none"]).await.unwrap().len(), 2);
    assert_eq!(persons.find_all().await.unwrap().len(), 600);
    assert_eq!(persons.find_all().stream().count().await, 600);
    assert_eq!(persons.count().await.unwrap(), 600);
    assert!(persons.exists_by_id("1").await.unwrap());
    assert!(matches!(
        persons.time_to_live("1").await.unwrap(),
        TimeToLive::In(_)
    ));
    assert!(persons.delete_by_id("1").await.unwrap());
    assert_eq!(persons.delete_all_by_id(["2", "3"]).await.unwrap(), 2);
    assert_eq!(persons.sweep().await.unwrap(), kvrepo::Swept::default());
    assert_eq!(persons.delete_all().await.unwrap(), 597);
}

/// C104.
#[tokio::test]
async fn nothing_ever_looks_through_the_whole_database() {
    let server = TestServer::start().await;
    let monitor = Monitor::start(&server).await;
    everything(&Store::connect(&server.url()).await.unwrap()).await;
    let commands = monitor.commands().await;
    for verb in [
        "KEYS",
        "SCAN",
        "RANDOMKEY",
        "DBSIZE",
        "FLUSHDB",
        "FLUSHALL",
        "SMEMBERS",
    ] {
        // The helper set of one entity is small; the id set is not.
        let found = commands
            .of(verb)
            .filter(|command| !command.arg(1).ends_with(":idx"));
        assert!(found.is_empty(), "{found}");
    }
    assert!(commands.of("SSCAN").len() > 1 && !commands.by_scripts().is_empty());
}

#[tokio::test]
async fn scripts_that_the_server_has_forgotten_are_healed() {
    let server = TestServer::start().await;
    let store = Store::builder()
        .events(KeyspaceEvents::Off)
        .connect(&server.url())
        .await
        .unwrap();
    let persons: Repository<Person> = store.repository();
    let flush = async || drop(server.command(&["SCRIPT", "FLUSH"]).await);
    flush().await;
    assert!(
        persons
            .save(&mut Person::new("1", "Ann"))
            .time_to_live(MINUTE)
            .await
            .unwrap()
            .created
    );
    flush().await;
    assert!(!persons.save(&mut Person::new("1", "Anna")).await.unwrap().created);
    flush().await;
    assert_eq!(persons.count().await.unwrap(), 1);
    flush().await;
    assert_eq!(
        persons
            .save_all(&mut people(500))
            .time_to_live(MINUTE)
            .await
            .unwrap()
            .len(),
        500
    );
    flush().await;
    assert_eq!(persons.sweep().await.unwrap(), kvrepo::Swept::default());
    flush().await;
    assert_eq!(persons.delete_all_by_id(["1", "2", "none"]).await.unwrap(), 2);
    flush().await;
    assert_eq!(persons.delete_all().await.unwrap(), 498);
}

/// A pipeline whose scripts are forgotten in its middle: each item is done once, and none is left out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scripts_that_are_forgotten_in_the_middle_of_a_batch_are_healed() {
    let server = TestServer::start().await;
    let store = Store::builder()
        .events(KeyspaceEvents::Off)
        .connect(&server.url())
        .await
        .unwrap();
    let persons: Repository<Person> = store.repository();
    let monitor = Monitor::start(&server).await;
    let work = async {
        for round in 0..2 {
            let outcomes = persons
                .save_all(&mut people(2_000))
                .time_to_live(MINUTE)
                .await
                .unwrap();
            assert!(
                outcomes.len() == 2_000 && outcomes.iter().all(|outcome| outcome.created),
                "round {round}"
            );
            assert_eq!(persons.count().await.unwrap(), 2_000);
            assert_eq!(persons.delete_all().await.unwrap(), 2_000);
        }
    };
    let flushing = async {
        loop {
            server.command(&["SCRIPT", "FLUSH"]).await;
        }
    };
    tokio::select! {
        () = work => {}
        () = flushing => {}
    }
    let healed = monitor.commands().await.by_clients().of("EVAL").len();
    assert!(
        healed > 0,
        "the scripts were never forgotten; the test proves nothing"
    );
}

/// While somebody listens as well.
#[tokio::test]
async fn a_listener_survives_forgotten_scripts() {
    let server = TestServer::start().await;
    let store = Store::connect(&server.url()).await.unwrap();
    let persons: Repository<Person> = store.repository();
    let mut expired = persons.expired().await.unwrap();
    for round in 0..5 {
        server.command(&["SCRIPT", "FLUSH"]).await;
        persons
            .save(&mut Person::new(&round.to_string(), "P"))
            .time_to_live(Duration::from_millis(5))
            .await
            .unwrap();
        server.command(&["SCRIPT", "FLUSH"]).await;
        assert_eq!(next(&mut expired).await.id(), &round.to_string());
    }
}
