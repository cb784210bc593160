//! Expiring: what ends a life, and what its event says. How events reach their subscribers is in `expiry_log`.

use std::time::{Duration, SystemTime};

use futures_util::TryStreamExt;
use kvrepo::{
    Error, KeyspaceEvents, KeyspaceSettings, KvEntity, NoValue, Repository, Store, Swept, TimeToLive,
};

use crate::access::OPTIONAL;
use crate::fixture::{Address, Person, Ping, Session};
use crate::harness::TestServer;
use crate::world::{PATIENCE, World, millis, next, next_ids, nothing_before};

const SHORT: Duration = Duration::from_millis(20);
/// More than [`SHORT`]: an entity is expired once the clock is past its deadline.
const PAST: Duration = Duration::from_millis(22);
/// Long enough for a few calls on a busy machine, and short enough to be waited for.
const AWHILE: Duration = Duration::from_millis(400);
const MINUTE: Duration = Duration::from_secs(60);

/// A store that does not listen: what expires stays until a write or a sweep comes by.
async fn deaf(world: &World) -> Store {
    world.open(Store::builder().events(KeyspaceEvents::Off)).await
}

/// So many sessions, `0` and up, whose user names their id.
fn sessions(count: usize) -> Vec<Session> {
    (0..count)
        .map(|i| Session::new(&i.to_string(), &format!("user {i}")))
        .collect()
}

/// Of the keyspace that is alone on this server.
async fn nothing_but_the_log(server: &TestServer, keyspace: &str) {
    let log = format!("{keyspace}#expired");
    assert!(server.query::<bool, _>(&["EXISTS", &log]).await);
    let beside = ["#reaper", "#log"].map(|key| format!("{keyspace}{key}"));
    let known: u64 = server.query(&["EXISTS", &log, &beside[0], &beside[1]]).await;
    assert_eq!(server.query::<u64, _>(&["DBSIZE"]).await, known);
}

async fn absent(repository: &Repository<Session>, id: &str) {
    assert_eq!(repository.count().await.unwrap(), 1);
    assert_eq!(repository.find_by_id(id).await.unwrap(), None);
    assert!(!repository.exists_by_id(id).await.unwrap());
    assert_eq!(repository.time_to_live(id).await.unwrap(), TimeToLive::Missing);
    assert_eq!(repository.find_all_by_id([id, "alive"]).await.unwrap().len(), 1);
    let streamed: Vec<Session> = repository.find_all().stream().try_collect().await.unwrap();
    assert_eq!(
        streamed
            .iter()
            .map(|session| session.id.as_str())
            .collect::<Vec<_>>(),
        ["alive"]
    );
    assert_eq!(repository.find_all().await.unwrap(), streamed);
}

/// C71, C72: whether or not anybody listens.
pub async fn an_expired_entity_is_absent_to_every_call(world: &World) {
    for store in [deaf(world).await, world.store().await] {
        let repository = store.repository::<Session>();
        repository.save(&mut Session::new("alive", "ann")).await.unwrap();
        repository
            .save(&mut Session::new("1", "bob"))
            .time_to_live(SHORT)
            .await
            .unwrap();
        repository
            .save(&mut Session::new("2", "bob"))
            .time_to_live(SHORT)
            .await
            .unwrap();
        repository
            .save(&mut Session::new("3", "bob"))
            .time_to_live(SHORT)
            .await
            .unwrap();
        if world.as_server().is_none() {
            world.pass(SHORT).await;
            assert_eq!(
                repository.count().await.unwrap(),
                4,
                "at their very deadline they are still there"
            );
            assert!(repository.find_by_id("1").await.unwrap().is_some());
        }
        world.pass(PAST).await;
        absent(&repository, "1").await;
        assert!(!repository.delete_by_id("2").await.unwrap());
        assert!(
            repository
                .save(&mut Session::new("3", "cy"))
                .await
                .unwrap()
                .created
        );
        assert_eq!(repository.delete_all().await.unwrap(), 2);
    }
}

pub async fn an_event_carries_the_value(world: &World) {
    let people = world.repository::<Person>().await;
    let mut expired = people.expired().await.unwrap();
    let mut ann = Person::new("1", "Ann");
    ann.nick = Some(String::new());
    ann.tags = vec!["a".into(), String::new(), "c".into()];
    ann.address = Some(Address {
        city: "Low Quay".into(),
        zip: None,
    });
    ann.attributes.insert("eye-color".into(), "grey".into());
    ann.ttl = Some(60);
    people.save(&mut ann).time_to_live(MINUTE).await.unwrap();
    ann.firstname = "Anna".into();
    people.save(&mut ann).time_to_live(SHORT).await.unwrap();
    world.pass(PAST).await;
    let event = next(&mut expired).await;
    assert!(event.no_value().is_none());
    assert_eq!(event.value(), Some(&ann));
    assert_eq!(event.into_value(), Some(ann));
}

pub async fn an_event_says_what_it_is_about(world: &World) {
    let repository = world.repository::<Session>().await;
    let mut expired = repository.expired().await.unwrap();
    let mut last = None;
    for id in ["a:b", "2"] {
        let mut session = Session::new(id, "ann");
        let saved = repository.save(&mut session).time_to_live(SHORT).await.unwrap();
        let before = SystemTime::UNIX_EPOCH + Duration::from_millis(world.now().await);
        world.pass(PAST).await;
        let event = next(&mut expired).await;
        assert_eq!(
            (event.id().as_str(), event.key()),
            (id, format!("sessions:{id}").as_str())
        );
        assert_eq!(
            (event.keyspace(), event.channel()),
            ("sessions", "sessions#expired")
        );
        assert_eq!(event.value(), Some(&session));
        assert_eq!(Some(event.deadline()), saved.deadline);
        assert!(
            event.seen_at() > event.deadline() && event.seen_at() >= before,
            "{event:?}"
        );
        assert!(millis(event.seen_at()) <= world.now().await, "{event:?}");
        assert_eq!(event.position().written_at(), event.seen_at());
        assert!(last < Some(event.position()), "{event:?}");
        assert_eq!(event.position().to_string().parse(), Ok(event.position()));
        last = Some(event.position());
    }
}

/// C55.
pub async fn each_life_has_its_own_event(world: &World) {
    let repository = world.repository::<Session>().await;
    let mut expired = repository.expired().await.unwrap();
    for life in 0..20 {
        let mut session = Session::new("1", &format!("life {life}"));
        let saved = repository
            .save(&mut session)
            .time_to_live(Duration::from_millis(5))
            .await
            .unwrap();
        assert!(saved.created);
        world.pass(Duration::from_millis(7)).await;
        // Some are read at once, others once the next life has begun.
        if life % 3 == 0 {
            let event = next(&mut expired).await;
            assert_eq!(
                (event.value(), Some(event.deadline())),
                (Some(&session), saved.deadline)
            );
        } else if life % 3 == 2 {
            for life in [life - 1, life] {
                assert_eq!(
                    next(&mut expired).await.value().unwrap().user,
                    format!("life {life}")
                );
            }
        }
    }
    assert_eq!(next(&mut expired).await.value().unwrap().user, "life 19");
    nothing_before(world, &repository, &mut expired, &mut Session::new("marker", "m")).await;
}

/// C55.
pub async fn a_life_that_was_not_reaped_is_reaped_by_the_next_save(world: &World) {
    let repository = deaf(world).await.repository::<Session>();
    let first = repository
        .save(&mut Session::new("1", "rand"))
        .time_to_live(SHORT)
        .await
        .unwrap();
    world.pass(PAST).await;
    // It only hears: its own listener finds the first life reaped, or the second one alive.
    let listening = world.repository::<Session>().await;
    let mut expired = listening.expired().await.unwrap();
    assert!(
        repository
            .save(&mut Session::new("1", "nela"))
            .time_to_live(MINUTE)
            .await
            .unwrap()
            .created
    );
    assert_eq!(
        repository.sweep().await.unwrap(),
        Swept::default(),
        "the save has reaped it"
    );
    let event = next(&mut expired).await;
    assert_eq!(
        (event.value().unwrap().user.as_str(), Some(event.deadline())),
        ("rand", first.deadline)
    );
    assert_eq!(repository.find_by_id("1").await.unwrap().unwrap().user, "nela");
    assert_eq!(repository.find_all().await.unwrap().len(), 1);
    assert_eq!(repository.count().await.unwrap(), 1);
    nothing_before(world, &listening, &mut expired, &mut Session::new("marker", "m")).await;

    // So with a term as well as without, and in a batch.
    let mut two = [Session::new("1", "a"), Session::new("2", "b")];
    repository.save_all(&mut two).time_to_live(SHORT).await.unwrap();
    world.pass(PAST).await;
    repository
        .save_all(&mut [Session::new("1", "c"), Session::new("2", "d")])
        .persistent()
        .await
        .unwrap();
    for _ in 0..2 {
        let event = next(&mut expired).await;
        assert!(two.contains(event.value().unwrap()), "{event:?}");
    }
    nothing_before(world, &listening, &mut expired, &mut Session::new("marker", "m")).await;
    assert_eq!(repository.count().await.unwrap(), 2);
}

/// C61, C62.
pub async fn a_life_that_was_not_reaped_is_reaped_by_a_delete(world: &World) {
    let repository = deaf(world).await.repository::<Session>();
    let mut many = sessions(4);
    repository.save_all(&mut many).time_to_live(SHORT).await.unwrap();
    world.pass(PAST).await;
    let listening = world.repository::<Session>().await;
    let mut expired = listening.expired().await.unwrap();
    assert!(!repository.delete_by_id("0").await.unwrap());
    assert!(!repository.delete(&many[1]).await.unwrap());
    assert_eq!(repository.delete_all_by_id(["2"]).await.unwrap(), 0);
    assert_eq!(repository.delete_all().await.unwrap(), 0);
    assert_eq!(
        repository.sweep().await.unwrap(),
        Swept::default(),
        "the deletes have reaped them"
    );
    assert_eq!(next_ids(&mut expired, 4).await, ["0", "1", "2", "3"]);
    if let Some(server) = world.as_server() {
        assert_eq!(server.query::<u64, _>(&["XLEN", "sessions#expired"]).await, 4);
        nothing_but_the_log(server, "sessions").await;
    }
}

pub async fn a_renewed_entity_does_not_expire_early(world: &World) {
    let repository = world.repository::<Session>().await;
    let mut expired = repository.expired().await.unwrap();
    for term in [AWHILE, MINUTE] {
        let mut two = [Session::new("1", "ann"), Session::new("2", "ann")];
        repository.save_all(&mut two).time_to_live(term).await.unwrap();
    }
    world.pass(AWHILE + PAST).await;
    nothing_before(world, &repository, &mut expired, &mut Session::new("marker", "m")).await;
    let renewed = repository
        .save(&mut Session::new("2", "bob"))
        .time_to_live(SHORT)
        .await
        .unwrap();
    assert!(!renewed.created);
    world.pass(PAST).await;
    let event = next(&mut expired).await;
    assert_eq!(
        (event.id().as_str(), Some(event.deadline())),
        ("2", renewed.deadline)
    );
    assert_eq!(event.value().unwrap().user, "bob");
    assert_eq!(repository.find_by_id("1").await.unwrap().unwrap().user, "ann");
    assert_eq!(repository.count().await.unwrap(), 1);
}

/// Another client speaks of entities that are ours: C49, C54, C70, and its own `PEXPIRE`.
pub async fn what_another_client_does_to_a_key_is_respected(world: &World) {
    let Some(server) = world.as_server() else { return };
    // That another client has shortened a life only the server can tell of.
    world.may_also(OPTIONAL).await;
    let repository = world.repository::<Session>().await;
    let mut expired = repository.expired().await.unwrap();
    for id in ["longer", "shorter", "never", "gone"] {
        let term = if id == "shorter" { MINUTE } else { AWHILE };
        repository
            .save(&mut Session::new(id, "ann"))
            .time_to_live(term)
            .await
            .unwrap();
    }
    repository
        .save(&mut Session::new("other's phantom", "ann"))
        .persistent()
        .await
        .unwrap();
    server.command(&["PEXPIRE", "sessions:longer", "60000"]).await;
    server.command(&["PERSIST", "sessions:never"]).await;
    server.command(&["DEL", "sessions:gone"]).await;
    assert_eq!(repository.sweep().await.unwrap().repaired, 1, "not an expiry");
    server.command(&["PEXPIRE", "sessions:shorter", "10"]).await;
    server
        .command(&[
            "HSET",
            "sessions:other's phantom:phantom",
            "id",
            "other's phantom",
        ])
        .await;
    server
        .command(&["PEXPIRE", "sessions:other's phantom:phantom", "10"])
        .await;
    world.pass(SHORT).await;
    // The server need not say at once that a key has expired, but it does when the key is asked for.
    server
        .command(&["EXISTS", "sessions:shorter", "sessions:other's phantom:phantom"])
        .await;
    let event = next(&mut expired).await;
    assert_eq!(
        (event.id().as_str(), event.value().is_some()),
        ("shorter", true),
        "{event:?}"
    );
    world.pass(AWHILE).await;
    let mut alive: Vec<String> = repository
        .find_all()
        .await
        .unwrap()
        .into_iter()
        .map(|session| session.id)
        .collect();
    alive.sort();
    assert_eq!(alive, ["longer", "never", "other's phantom"]);
    assert_eq!(repository.count().await.unwrap(), 3);
    nothing_before(world, &repository, &mut expired, &mut Session::new("marker", "m")).await;
}

/// C39, C58: whoever it is that listens first.
pub async fn a_backlog_is_reaped_by_the_first_to_listen(world: &World) {
    const COUNT: usize = 600;
    let writing = deaf(world).await.repository::<Session>();
    writing
        .save_all(&mut sessions(COUNT))
        .time_to_live(SHORT)
        .await
        .unwrap();
    world.pass(PAST).await;
    let (first, second) = (
        world.repository::<Session>().await,
        world.repository::<Session>().await,
    );
    let mut expired = first.expired().await.unwrap();
    let mut ids = Vec::new();
    for _ in 0..COUNT {
        let event = next(&mut expired).await;
        let id = event.id().clone();
        assert_eq!(event.into_value(), Some(Session::new(&id, &format!("user {id}"))));
        ids.push(id);
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), COUNT);
    let mut late = second.expired().await.unwrap();
    nothing_before(world, &second, &mut late, &mut Session::new("marker", "m")).await;
    assert_eq!(next(&mut expired).await.id(), "marker");
}

/// C32, C47: because nobody came in time, or because the phantom was lost.
pub async fn after_the_grace_there_is_an_event_without_a_value(world: &World) {
    let brief =
        || Store::builder().keyspace::<Session>(KeyspaceSettings::new().grace(Duration::from_millis(10)));
    let writing = world
        .open(brief().events(KeyspaceEvents::Off))
        .await
        .repository::<Session>();
    let saved = writing
        .save(&mut Session::new("1", "ann"))
        .time_to_live(SHORT)
        .await
        .unwrap();
    world.pass(Duration::from_millis(40)).await;
    let repository = world.open(brief()).await.repository::<Session>();
    let mut expired = repository.expired().await.unwrap();
    let event = next(&mut expired).await;
    assert_eq!(
        (event.id().as_str(), Some(event.deadline())),
        ("1", saved.deadline)
    );
    assert!(matches!(event.no_value(), Some(NoValue::NoPhantom)), "{event:?}");
    assert_eq!(event.into_value(), None);
    assert_eq!(repository.count().await.unwrap(), 0);

    if let Some(server) = world.as_server() {
        nothing_but_the_log(server, "sessions").await;
        repository
            .save(&mut Session::new("2", "ann"))
            .time_to_live(AWHILE)
            .await
            .unwrap();
        server.command(&["DEL", "sessions:2:phantom"]).await;
        let event = next(&mut expired).await;
        assert_eq!((event.id().as_str(), event.value()), ("2", None));
        nothing_but_the_log(server, "sessions").await;
    }
}

pub async fn without_a_shadow_copy_the_event_has_the_id_alone(world: &World) {
    let none = KeyspaceSettings::new().shadow_copy(false);
    let store = world.open(Store::builder().keyspace::<Session>(none)).await;
    let (pings, sessions) = (store.repository::<Ping>(), store.repository::<Session>());
    let (mut of_pings, mut of_sessions) = (pings.expired().await.unwrap(), sessions.expired().await.unwrap());
    let ping = pings
        .save(&mut Ping { id: 4711 })
        .time_to_live(SHORT)
        .await
        .unwrap();
    sessions
        .save(&mut Session::new("1", "ann"))
        .time_to_live(SHORT)
        .await
        .unwrap();
    if let Some(server) = world.as_server() {
        assert_eq!(
            server
                .query::<u64, _>(&["EXISTS", "pings:4711:phantom", "sessions:1:phantom"])
                .await,
            0
        );
    }
    world.pass(PAST).await;
    let event = next(&mut of_pings).await;
    assert_eq!(
        (*event.id(), event.key(), Some(event.deadline())),
        (4711, "pings:4711", ping.deadline)
    );
    assert!(matches!(event.no_value(), Some(NoValue::NoPhantom)), "{event:?}");
    let event = next(&mut of_sessions).await;
    assert_eq!((event.id().as_str(), event.value()), ("1", None));

    // A phantom of an earlier save does not stay when the type keeps none.
    world
        .repository()
        .await
        .save(&mut Session::new("2", "with"))
        .time_to_live(MINUTE)
        .await
        .unwrap();
    sessions
        .save(&mut Session::new("2", "without"))
        .time_to_live(SHORT)
        .await
        .unwrap();
    world.pass(PAST).await;
    let event = next(&mut of_sessions).await;
    assert_eq!((event.id().as_str(), event.value()), ("2", None));
}

/// Nobody subscribes and nobody saves, and still there are tasks that listen.
pub async fn from_the_start_a_store_reaps_without_anybody_subscribing(world: &World) {
    let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = alive();
    let _on_demand = world
        .open(Store::builder().events(KeyspaceEvents::OnDemand))
        .await;
    let connections = alive() - before;
    let builder = Store::builder().events(KeyspaceEvents::OnStartup);
    let _from_the_start = world
        .open(builder.keyspace::<Session>(KeyspaceSettings::new()))
        .await;
    let started = async {
        while alive() <= before + 2 * connections {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, started)
        .await
        .expect("the listener starts");
}

pub async fn with_events_off_subscribing_is_an_error_and_a_sweep_reaps(world: &World) {
    let repository = deaf(world).await.repository::<Session>();
    assert!(matches!(repository.expired().await, Err(Error::EventsDisabled)));
    repository
        .save_all(&mut sessions(300))
        .time_to_live(MINUTE)
        .await
        .unwrap();
    assert_eq!(repository.sweep().await.unwrap(), Swept::default());
    repository
        .save_all(&mut sessions(300))
        .time_to_live(SHORT)
        .await
        .unwrap();
    world.pass(PAST).await;
    let swept = repository.sweep().await.unwrap();
    assert_eq!((swept.expired, swept.repaired), (300, 0));
    if let Some(server) = world.as_server() {
        nothing_but_the_log(server, "sessions").await;
        assert_eq!(server.query::<u64, _>(&["XLEN", "sessions#expired"]).await, 300);
    }
}

/// C49, C58, C70: once for each, also when two sweep at the same time.
pub async fn a_sweep_leaves_nothing_to_a_second_one(world: &World) {
    let (one, two) = (
        deaf(world).await.repository::<Session>(),
        deaf(world).await.repository::<Session>(),
    );
    one.save_all(&mut sessions(1_000))
        .time_to_live(SHORT)
        .await
        .unwrap();
    one.save(&mut Session::new("alive", "ann")).await.unwrap();
    world.pass(PAST).await;
    let (first, second) = tokio::join!(one.sweep(), two.sweep());
    let (first, second) = (first.unwrap(), second.unwrap());
    // What one found in the id set, the other may have reaped; neither is a repair.
    assert_eq!((first.repaired, second.repaired), (0, 0));
    assert!(first.expired + second.expired <= 1_000);
    assert_eq!(one.sweep().await.unwrap(), Swept::default());
    assert_eq!(
        (one.count().await.unwrap(), one.find_all().await.unwrap().len()),
        (1, 1)
    );
    if let Some(server) = world.as_server() {
        assert_eq!(server.query::<u64, _>(&["XLEN", "sessions#expired"]).await, 1_000);
        one.save_all(&mut sessions(10))
            .time_to_live(MINUTE)
            .await
            .unwrap();
        server.command(&["DEL", "sessions:3", "sessions:4"]).await;
        let swept = one.sweep().await.unwrap();
        assert_eq!((swept.expired, swept.repaired), (0, 2));
        assert_eq!(
            server
                .query::<u64, _>(&["EXISTS", "sessions:3:phantom", "sessions:4:phantom"])
                .await,
            0
        );
        assert_eq!(one.count().await.unwrap(), 9);
    }
}

/// C77: nothing but a save brings an entity into being; a listener that sees one expire leaves no ghost of it.
pub async fn of_what_has_expired_nothing_is_left(world: &World) {
    let people = world.repository::<Person>().await;
    let mut expired = people.expired().await.unwrap();
    let mut many: Vec<Person> = (0..50)
        .map(|i| Person {
            ttl: Some(60),
            ..Person::new(&i.to_string(), "P")
        })
        .collect();
    people.save_all(&mut many).time_to_live(SHORT).await.unwrap();
    world.pass(PAST).await;
    next_ids(&mut expired, 50).await;
    assert_eq!(people.sweep().await.unwrap(), Swept::default());
    if let Some(server) = world.as_server() {
        nothing_but_the_log(server, Person::SCHEMA.keyspace).await;
    }
}
