//! What others do on the server: foreign keys, other databases, and hands in our own data.

use std::time::Duration;

use kvrepo::{KeyspaceEvents, NoValue, Repository, Store};
use kvrepo_tests::fixture::{Person, Session};
use kvrepo_tests::harness::{Monitor, ServerOptions, TestServer};
use kvrepo_tests::world::{World, next, nothing_before};

use super::support::{GRACE, each_once, eventually, java_saves, ms, over, people, server};

/// C35, and keys that are no text.
#[tokio::test]
async fn foreign_keys_expire_without_a_command_of_ours() {
    let world = World::on(ServerOptions::new().hz(100).notify("Ex")).await;
    let sessions: Repository<Session> = world.repository().await;
    let mut expired = sessions.expired().await.unwrap();
    let server = server(&world);
    let monitor = Monitor::start(server).await;
    let names: [&[u8]; 6] = [
        b"cache:42",
        b"plain",
        b"people",
        b"a:b:c",
        b"\xff\xfe:\x00",
        b"sessionsx:1",
    ];
    let expirations = async || {
        let stats: String = server.query(&["INFO", "stats"]).await;
        let count = stats
            .lines()
            .find_map(|line| line.strip_prefix("expired_keys:"))
            .expect("a count");
        count.trim().parse::<u64>().expect("a number")
    };
    let before = expirations().await;
    for round in 0..100 {
        for name in names {
            let key = [name, round.to_string().as_bytes()].concat();
            server
                .command(&[b"SET".as_slice(), &key, b"x", b"PX", b"1"])
                .await;
        }
        for name in names {
            server
                .command(&[b"SET".as_slice(), name, b"x", b"PX", b"1"])
                .await;
        }
    }
    eventually("the foreign keys' expiry", async || {
        expirations().await - before >= 606
    })
    .await;
    // The next event comes only after all that was told before.
    let mut marker = Session::new("marker", "M");
    nothing_before(&world, &sessions, &mut expired, &mut marker).await;
    let ours = monitor.commands().await.without_handshakes();
    let foreign = ours.filter(|command| {
        let told = |arg: &Vec<u8>| names.iter().any(|name| arg.len() < 64 && arg.starts_with(name));
        command.args.iter().skip(1).any(told)
    });
    assert!(foreign.is_empty(), "{foreign}");
    // Six hundred expirations: commands because of them would be as many.
    let reaped = ours
        .by_clients()
        .filter(|command| command.verb().starts_with("EVAL"));
    assert!(reaped.len() < 200, "{} commands", reaped.len());
}

#[tokio::test]
async fn another_databases_expirations_are_not_ours() {
    let world = World::on(ServerOptions::new().hz(100)).await;
    let (here, there) = (
        over(&server(&world).url_with_db(0)).await,
        over(&server(&world).url_with_db(1)).await,
    );
    let (mut heard_here, mut heard_there) = (here.expired().await.unwrap(), there.expired().await.unwrap());
    here.save(&mut Person::new("1", "P1")).await.unwrap();
    there
        .save_all(&mut people(1, 20))
        .time_to_live(ms(30))
        .await
        .unwrap();
    each_once(&mut heard_there, 1, 20).await;
    nothing_before(&world, &here, &mut heard_here, &mut Person::new("marker", "M")).await;
    assert!(here.exists_by_id("1").await.unwrap());
}

/// C32.
#[tokio::test]
async fn an_entity_whose_phantom_was_deleted_has_an_event_without_a_value() {
    let world = World::server().await;
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    let server = server(&world);
    repository
        .save(&mut Person::new("1", "P1"))
        .time_to_live(ms(150))
        .await
        .unwrap();
    server.command(&["SADD", "people:firstname:P1", "1"]).await;
    server
        .command(&["SADD", "people:1:idx", "people:firstname:P1"])
        .await;
    server.command(&["DEL", "people:1:phantom"]).await;
    let event = next(&mut expired).await;
    assert_eq!((event.id().as_str(), event.value()), ("1", None));
    assert!(matches!(event.no_value(), Some(NoValue::NoPhantom)), "{event:?}");
    let left = server.query::<Vec<String>, _>(&["KEYS", "people*"]).await;
    assert!(left.iter().all(|key| key.starts_with("people#")), "{left:?}");
    nothing_before(&world, &repository, &mut expired, &mut Person::new("marker", "M")).await;
}

/// C54.
#[tokio::test]
async fn a_phantoms_own_expiry_is_nobodys_event() {
    let world = World::on(ServerOptions::new().hz(100)).await;
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    let server = server(&world);
    repository.save(&mut Person::new("1", "P1")).await.unwrap();
    server
        .command(&["HSET", "people:1:phantom", "id", "1", "firstname", "old"])
        .await;
    server.command(&["PEXPIRE", "people:1:phantom", "5"]).await;
    eventually("the phantom's end", async || {
        !server
            .query::<Vec<String>, _>(&["KEYS", "*"])
            .await
            .contains(&"people:1:phantom".to_owned())
    })
    .await;
    nothing_before(&world, &repository, &mut expired, &mut Person::new("marker", "M")).await;
    assert!(repository.exists_by_id("1").await.unwrap());
    assert_eq!(repository.count().await.unwrap(), 1);
}

/// C55: an event belongs to the life that ended; the next life is not touched by it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_life_saved_while_its_predecessor_is_reaped_is_left_alone() {
    const LIVES: usize = 300;
    let world = World::on(ServerOptions::new().hz(500)).await;
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    for life in 0..LIVES {
        let id = life.to_string();
        repository
            .save(&mut Person::new(&id, "rand"))
            .time_to_live(ms(2))
            .await
            .unwrap();
        // Saved anew at about the moment of its end: sometimes before, sometimes after, sometimes while it is reaped.
        tokio::time::sleep(Duration::from_micros(1_500 + 10 * life as u64)).await;
        repository
            .save(&mut Person::new(&id, "nela"))
            .time_to_live(Duration::from_secs(60))
            .await
            .unwrap();
    }
    repository
        .save(&mut Person::new("marker", "M"))
        .time_to_live(ms(5))
        .await
        .unwrap();
    let mut ended = std::collections::HashSet::new();
    loop {
        let event = next(&mut expired).await;
        let name = event.value().expect("a value").firstname.clone();
        if name == "M" {
            break;
        }
        assert_eq!(name, "rand");
        assert!(ended.insert(event.id().clone()), "an event came twice");
    }
    assert!(
        !ended.is_empty(),
        "no life ended before the next began; the test proves nothing"
    );
    assert_eq!(repository.count().await.unwrap(), LIVES as u64);
    let all = repository.find_all().await.unwrap();
    assert!(all.len() == LIVES && all.iter().all(|person| person.firstname == "nela"));
    let phantoms = server(&world)
        .query::<Vec<String>, _>(&["KEYS", "people:*:phantom"])
        .await;
    assert_eq!(phantoms.len(), LIVES);
}

/// C56.
#[tokio::test]
async fn the_end_of_a_single_field_is_no_event() {
    let world = World::on(ServerOptions::new().hz(100).notify("KEA")).await;
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    let mut ann = Person {
        nick: Some("A".into()),
        ..Person::new("1", "Ann")
    };
    repository
        .save(&mut ann)
        .time_to_live(Duration::from_secs(60))
        .await
        .unwrap();
    let server = server(&world);
    if server
        .try_command(&["HPEXPIRE", "people:1", "5", "FIELDS", "1", "nick"])
        .await
        .is_err()
    {
        let version: String = server.query(&["INFO", "server"]).await;
        assert!(
            version.contains("redis_version:7.") && !version.contains("valkey_version:9"),
            "{version}"
        );
        return;
    }
    eventually("the field's end", async || {
        repository
            .find_by_id("1")
            .await
            .unwrap()
            .is_some_and(|person| person.nick.is_none())
    })
    .await;
    nothing_before(&world, &repository, &mut expired, &mut Person::new("marker", "M")).await;
}

/// Of an entity with a term of `term`, another client sends a command; then the next event has to be its own.
async fn with_a_hand_in_it(
    world: &World,
    command: &[&str],
) -> (Repository<Person>, kvrepo::KeyExpired<Person>) {
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    repository
        .save(&mut people(1, 1)[0])
        .time_to_live(Duration::from_secs(60))
        .await
        .unwrap();
    server(world).command(command).await;
    let event = next(&mut expired).await;
    assert_eq!(event.id(), "1");
    (repository, event)
}

#[tokio::test]
async fn a_term_that_another_client_shortened_ends_when_it_says_with_the_value() {
    let world = World::on(ServerOptions::new().hz(100)).await;
    let (repository, event) = with_a_hand_in_it(&world, &["PEXPIRE", "people:1", "200"]).await;
    assert_eq!(repository.count().await.unwrap(), 0);
    assert_eq!(event.value(), Some(&people(1, 1)[0]), "{:?}", event.no_value());
}

#[tokio::test]
async fn a_term_that_another_client_lengthened_ends_when_it_says_with_the_value() {
    let world = World::server().await;
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    repository
        .save(&mut people(1, 1)[0])
        .time_to_live(ms(100))
        .await
        .unwrap();
    server(&world).command(&["PEXPIRE", "people:1", "700"]).await;
    let until: i64 = server(&world).query(&["PEXPIRETIME", "people:1"]).await;
    repository
        .save(&mut people(2, 1)[0])
        .time_to_live(ms(300))
        .await
        .unwrap();
    assert_eq!(next(&mut expired).await.id(), "2");
    assert!(repository.exists_by_id("1").await.unwrap());
    assert_eq!(repository.count().await.unwrap(), 1);
    let event = next(&mut expired).await;
    let deadline = event
        .deadline()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis() as i64;
    assert_eq!((event.value(), deadline), (Some(&people(1, 1)[0]), until));
}

/// Longer than the phantom would have lived: it is kept as long as the entity.
#[tokio::test]
async fn a_term_that_another_client_lengthened_past_the_grace_keeps_its_value() {
    let world = World::server().await;
    let settings = kvrepo::KeyspaceSettings::new().grace(ms(200));
    let repository = world
        .open(Store::builder().keyspace::<Person>(settings))
        .await
        .repository::<Person>();
    let mut expired = repository.expired().await.unwrap();
    repository
        .save(&mut people(1, 1)[0])
        .time_to_live(ms(100))
        .await
        .unwrap();
    server(&world).command(&["PEXPIRE", "people:1", "800"]).await;
    let event = next(&mut expired).await;
    assert_eq!(event.value(), Some(&people(1, 1)[0]), "{:?}", event.no_value());
}

#[tokio::test]
async fn an_entity_that_another_client_made_persistent_lives_on() {
    let world = World::on(ServerOptions::new().hz(100)).await;
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    repository
        .save(&mut people(1, 1)[0])
        .time_to_live(ms(150))
        .await
        .unwrap();
    let server = server(&world);
    server.command(&["PERSIST", "people:1"]).await;
    eventually("its deadline to be forgotten", async || {
        server
            .query::<Option<f64>, _>(&["ZSCORE", "people#deadlines", "1"])
            .await
            .is_none()
    })
    .await;
    nothing_before(&world, &repository, &mut expired, &mut Person::new("marker", "M")).await;
    assert!(repository.exists_by_id("1").await.unwrap());
    assert_eq!(repository.count().await.unwrap(), 1);
}

/// What has no deadline in our index is told of by the server alone.
#[tokio::test]
async fn what_a_java_service_wrote_expires_by_notification() {
    let world = World::on(ServerOptions::new().hz(100)).await;
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    for id in 0..20 {
        java_saves(server(&world), &id.to_string(), 50).await;
    }
    each_once(&mut expired, 0, 20).await;
    let left = server(&world).query::<Vec<String>, _>(&["KEYS", "people*"]).await;
    assert!(left.iter().all(|key| key.starts_with("people#")), "{left:?}");
}

/// A server that has evicted some of 3,000 entities, whose deadline is that much away.
async fn evicted_some(repository: &Repository<Person>, server: &TestServer, term: Duration) -> u64 {
    let info: String = server.query(&["INFO", "memory"]).await;
    let used = info
        .lines()
        .find_map(|line| line.strip_prefix("used_memory:"))
        .expect("memory");
    let used: u64 = used.trim().parse().expect("a number");
    server
        .command(&["CONFIG", "SET", "maxmemory", &(used + 3_000_000).to_string()])
        .await;
    let mut many = people(0, 3_000);
    many.iter_mut()
        .for_each(|person| person.nick = Some("x".repeat(1_000)));
    repository.save_all(&mut many).time_to_live(term).await.unwrap();
    server.command(&["CONFIG", "SET", "maxmemory", "0"]).await;
    let mut living = 0;
    for person in &many {
        living += server
            .query::<u64, _>(&["EXISTS", &format!("people:{}", person.id.as_deref().unwrap())])
            .await;
    }
    assert!(living < 3_000, "nothing was evicted; the test proves nothing");
    living
}

fn evicting() -> ServerOptions {
    ServerOptions::new().arg("--maxmemory-policy").arg("volatile-lru")
}

/// C49: without notifications, what nobody has met.
#[tokio::test]
async fn an_eviction_is_no_expiry_and_the_sweep_cleans_up() {
    let world = World::on(evicting()).await;
    let server = server(&world);
    let silent = Store::builder().leave_notification_flags();
    let repository = world.open(silent).await.repository::<Person>();
    let mut expired = repository.expired().await.unwrap();
    let living = evicted_some(&repository, server, Duration::from_secs(3_600)).await;
    let swept = repository.sweep().await.unwrap();
    assert_eq!((swept.repaired, swept.expired), (3_000 - living, 0));
    nothing_before(&world, &repository, &mut expired, &mut Person::new("marker", "M")).await;
    assert_eq!(repository.find_all().await.unwrap().len() as u64, living);
    nothing_is_left_of_the_evicted(&repository, server, living).await;
}

/// C49: with them it is cleaned up after at once, and has no event when its deadline comes.
#[tokio::test]
async fn what_is_evicted_has_no_event_at_its_deadline() {
    let world = World::on(evicting()).await;
    let server = server(&world);
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    let living = evicted_some(&repository, server, Duration::from_secs(3_600)).await;
    eventually("the listener to clean up", async || {
        repository.count().await.unwrap() == living
    })
    .await;
    nothing_is_left_of_the_evicted(&repository, server, living).await;
    world.skip(&["people"], Duration::from_secs(3_600)).await;
    for _ in 0..living {
        next(&mut expired).await;
    }
    nothing_before(&world, &repository, &mut expired, &mut Person::new("marker", "M")).await;
}

async fn nothing_is_left_of_the_evicted(repository: &Repository<Person>, server: &TestServer, living: u64) {
    assert_eq!(repository.count().await.unwrap(), living);
    let mut keys: Vec<String> = server.query(&["KEYS", "people:*"]).await;
    keys.retain(|key| key.ends_with(":phantom"));
    for phantom in keys {
        let hash = phantom.trim_end_matches(":phantom");
        assert!(
            server.query::<bool, _>(&["EXISTS", hash]).await,
            "{phantom} is left of an evicted entity"
        );
    }
    assert_eq!(
        server.query::<u64, _>(&["ZCARD", "people#deadlines"]).await,
        living
    );
}

/// What was deleted by hand, id and all, is no event either; what was left in the id set is repaired.
#[tokio::test]
async fn what_another_client_deleted_is_no_event() {
    let world = World::server().await;
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    repository
        .save_all(&mut people(0, 2))
        .time_to_live(ms(100))
        .await
        .unwrap();
    let server = server(&world);
    server.command(&["DEL", "people:0", "people:0:phantom"]).await;
    server.command(&["SREM", "people", "0"]).await;
    each_once(&mut expired, 1, 1).await;
    nothing_before(&world, &repository, &mut expired, &mut Person::new("marker", "M")).await;
    assert_eq!(server.query::<u64, _>(&["ZCARD", "people#deadlines"]).await, 0);
    // Long before its deadline, and its id left behind.
    let quiet = world
        .open(Store::builder().events(KeyspaceEvents::Off))
        .await
        .repository::<Person>();
    quiet
        .save_all(&mut people(5, 2))
        .time_to_live(Duration::from_millis(GRACE))
        .await
        .unwrap();
    server.command(&["DEL", "people:5"]).await;
    let swept = quiet.sweep().await.unwrap();
    assert_eq!((swept.expired, swept.repaired), (0, 1));
    assert_eq!(quiet.count().await.unwrap(), 1);
    nothing_before(&world, &repository, &mut expired, &mut Person::new("marker", "M")).await;
}
