//! The way of events to their subscribers: all of them, once, in order, or a gap that says what is missing.

use std::time::Duration;

use futures_util::TryStreamExt;
use kvrepo::{Error, Expired, KeyspaceEvents, KeyspaceSettings, KvEntity, NoValue, Position, Store};
use serde::{Deserialize, Serialize};

use crate::access::OPTIONAL;
use crate::fixture::{Person, Ping, Session};
use crate::world::{PATIENCE, World, millis, next, nothing_before};

const SHORT: Duration = Duration::from_millis(20);
const PAST: Duration = Duration::from_millis(22);
/// More than a subscriber is fed with from memory; see `FEED` in kvrepo's `listener/space.rs`.
const MORE_THAN_FED: usize = 1_500;

fn session(i: usize) -> Session {
    Session::new(&i.to_string(), &format!("user {i}"))
}

fn sessions(count: usize) -> Vec<Session> {
    (0..count).map(session).collect()
}

/// The next so many events are those of [`sessions`], each once, with its value, in the order of their positions.
async fn all_of(expired: &mut Expired<Session>, count: usize) {
    let (mut numbers, mut last) = (Vec::with_capacity(count), None);
    for _ in 0..count {
        let event = next(expired).await;
        assert!(last < Some(event.position()), "{last:?} before {event:?}");
        last = Some(event.position());
        let number: usize = event.id().parse().expect("a number");
        assert_eq!(event.into_value(), Some(session(number)));
        numbers.push(number);
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (0..count).collect::<Vec<_>>());
}

/// C33: in five processes, two in each.
pub async fn ten_subscribers_get_every_event_with_its_value(world: &World) {
    const COUNT: usize = 300;
    let (mut repositories, mut reading) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let repository = world.repository::<Session>().await;
        for _ in 0..2 {
            let mut expired = repository.expired().await.unwrap();
            reading.push(tokio::spawn(async move { all_of(&mut expired, COUNT).await }));
        }
        repositories.push(repository);
    }
    // Written by all of them.
    for (i, portion) in sessions(COUNT).chunks_mut(COUNT / 5).enumerate() {
        repositories[i]
            .save_all(portion)
            .time_to_live(SHORT)
            .await
            .unwrap();
    }
    world.pass(PAST).await;
    for reading in reading {
        reading.await.unwrap();
    }
}

/// C99: whether or not the one that saves listens.
pub async fn a_subscriber_hears_what_another_process_saved(world: &World) {
    let listening = world.repository::<Session>().await;
    let mut expired = listening.expired().await.unwrap();
    let off = Store::builder().events(KeyspaceEvents::Off);
    for store in [world.open(off).await, world.store().await] {
        let writing = store.repository::<Session>();
        for i in 0..3 {
            let saved = writing.save(&mut session(i)).time_to_live(SHORT).await.unwrap();
            world.pass(PAST).await;
            let event = next(&mut expired).await;
            assert_eq!(
                (event.value(), Some(event.deadline())),
                (Some(&session(i)), saved.deadline)
            );
        }
    }
}

/// A process that reaps and goes away leaves its work to those that stay.
pub async fn a_subscriber_hears_on_when_another_process_has_gone(world: &World) {
    let gone = world.repository::<Session>().await;
    let mut heard = gone.expired().await.unwrap();
    gone.save(&mut session(0)).time_to_live(SHORT).await.unwrap();
    world.pass(PAST).await;
    assert_eq!(next(&mut heard).await.id(), "0");
    let staying = world.repository::<Session>().await;
    let mut expired = staying.expired().await.unwrap();
    staying.save(&mut session(1)).time_to_live(SHORT).await.unwrap();
    drop((gone, heard));
    world.pass(PAST).await;
    assert_eq!(next(&mut expired).await.into_value(), Some(session(1)));
}

/// C101.
pub async fn a_thousand_saved_right_after_subscribing_all_come(world: &World) {
    let repository = world.repository::<Session>().await;
    let mut expired = repository.expired().await.unwrap();
    let mut many = sessions(1_000);
    for portion in many.chunks_mut(100) {
        repository
            .save_all(portion)
            .time_to_live(Duration::from_millis(1))
            .await
            .unwrap();
    }
    world.pass(Duration::from_millis(3)).await;
    all_of(&mut expired, 1_000).await;
    nothing_before(world, &repository, &mut expired, &mut Session::new("marker", "m")).await;
}

/// C52.
pub async fn a_slow_subscriber_loses_nothing(world: &World) {
    let repository = world.repository::<Session>().await;
    let (mut slow, mut quick) = (
        repository.expired().await.unwrap(),
        repository.expired().await.unwrap(),
    );
    repository
        .save_all(&mut sessions(2 * MORE_THAN_FED))
        .time_to_live(SHORT)
        .await
        .unwrap();
    world.pass(PAST).await;
    // By then the feed has passed all of them.
    all_of(&mut quick, 2 * MORE_THAN_FED).await;
    all_of(&mut slow, 2 * MORE_THAN_FED).await;
    for expired in [&mut slow, &mut quick] {
        repository
            .save(&mut Session::new("marker", "m"))
            .time_to_live(SHORT)
            .await
            .unwrap();
        world.pass(PAST).await;
        assert_eq!(next(expired).await.id(), "marker");
    }
    assert_eq!(next(&mut slow).await.id(), "marker");
}

/// `next` may be dropped, as `select!` does, without an event being lost.
pub async fn a_wait_that_is_given_up_loses_no_event(world: &World) {
    let repository = world.repository::<Session>().await;
    let mut expired = repository.expired().await.unwrap();
    let mut heard = Vec::new();
    for i in 0..30 {
        repository
            .save(&mut session(i))
            .time_to_live(Duration::from_millis(2))
            .await
            .unwrap();
        world.pass(Duration::from_millis(3)).await;
        if let Ok(event) = tokio::time::timeout(Duration::from_micros(i as u64 * 50), expired.next()).await {
            heard.push(event.unwrap().unwrap().id().clone());
        }
    }
    while heard.len() < 30 {
        heard.push(next(&mut expired).await.id().clone());
    }
    assert_eq!(heard, (0..30).map(|i| i.to_string()).collect::<Vec<_>>());
}

/// C35.
pub async fn other_keyspaces_events_are_not_ours(world: &World) {
    let store = world.store().await;
    let (people, repository) = (store.repository::<Person>(), store.repository::<Session>());
    let (mut persons, mut expired) = (
        people.expired().await.unwrap(),
        repository.expired().await.unwrap(),
    );
    // The same id, and the same keyspace under a prefix.
    let tenant = world
        .open(Store::builder().key_prefix("t:"))
        .await
        .repository::<Session>();
    people
        .save(&mut Person::new("1", "Ann"))
        .time_to_live(SHORT)
        .await
        .unwrap();
    tenant
        .save(&mut Session::new("1", "of the tenant"))
        .time_to_live(SHORT)
        .await
        .unwrap();
    if let Some(server) = world.as_server() {
        for foreign in [
            "cache:42",
            "plain",
            "sessions",
            "sessionsx:1",
            "a:b:c",
            "sessions:9:idx",
            "sessions:\u{e9}",
        ] {
            server.command(&["SET", foreign, "x", "PX", "10"]).await;
        }
        server
            .command(&[&b"SET"[..], b"sessions:\xff", b"x", b"PX", b"10"])
            .await;
    }
    world.pass(PAST).await;
    if let Some(server) = world.as_server() {
        server
            .command(&[
                "EXISTS",
                "cache:42",
                "plain",
                "sessions",
                "sessionsx:1",
                "sessions:9:idx",
            ])
            .await;
    }
    nothing_before(world, &repository, &mut expired, &mut Session::new("marker", "m")).await;
    let event = next(&mut persons).await;
    assert_eq!((event.id().as_str(), event.keyspace()), ("1", "people"));
    nothing_before(world, &people, &mut persons, &mut Person::new("marker", "M")).await;
}

/// C98, on the way to the server's own word of expirations: flags are added, none is taken, and none if one may not.
pub async fn listening_adds_to_the_flags_of_the_server(world: &World) {
    let Some(server) = world.as_server() else { return };
    world.may_also(OPTIONAL).await;
    server
        .command(&["CONFIG", "SET", "notify-keyspace-events", "Kg"])
        .await;
    for (builder, added) in [
        (Store::builder().leave_notification_flags(), false),
        (Store::builder(), true),
    ] {
        let repository = world.open(builder).await.repository::<Session>();
        let mut expired = repository.expired().await.unwrap();
        let [_, flags]: [String; 2] = server.query(&["CONFIG", "GET", "notify-keyspace-events"]).await;
        assert!(flags.contains('K') && flags.contains('g'), "{flags}");
        assert_eq!(
            (flags.contains('E'), flags.contains('x')),
            (added, added),
            "{flags}"
        );
        // Events come with flags and without.
        repository
            .save(&mut session(0))
            .time_to_live(SHORT)
            .await
            .unwrap();
        assert_eq!(next(&mut expired).await.into_value(), Some(session(0)));
    }
}

/// A term of its own.
#[derive(Debug, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "timers")]
struct Timer {
    #[id]
    id: u64,
    #[time_to_live(unit = "ms")]
    ms: u64,
}

const TIMERS: u64 = 600;

/// Saves [`TIMERS`], which expire over a tenth of a second in an order that is not theirs.
async fn save_scattered(world: &World, store: &Store) {
    let mut timers: Vec<Timer> = (0..TIMERS)
        .map(|id| Timer {
            id,
            ms: 50 + id * 37 % 100,
        })
        .collect();
    store.repository().save_all(&mut timers).await.unwrap();
    world.pass(Duration::from_millis(152)).await;
}

async fn in_order(expired: &mut Expired<Timer>) {
    let (mut deadline, mut position) = (0, Position::START);
    for _ in 0..TIMERS {
        let event = next(expired).await;
        assert!(
            deadline <= millis(event.deadline()),
            "{deadline} before {event:?}"
        );
        assert!(position < event.position(), "{position} before {event:?}");
        (deadline, position) = (millis(event.deadline()), event.position());
    }
}

/// Those of a backlog, and those that come as it is time for them, however the server itself goes about it.
pub async fn events_are_in_the_order_of_deadlines(world: &World) {
    let off = Store::builder().events(KeyspaceEvents::Off);
    save_scattered(world, &world.open(off).await).await;
    let store = world.store().await;
    let mut expired = store.repository::<Timer>().expired().await.unwrap();
    in_order(&mut expired).await;

    if let Some(server) = world.as_server() {
        server.command(&["CONFIG", "SET", "hz", "500"]).await;
    }
    for _ in 0..3 {
        save_scattered(world, &store).await;
        in_order(&mut expired).await;
    }
}

/// A subscriber that reads too late: of events that are past the retention it is told as of one gap.
struct Late {
    retention: Duration,
    store: Store,
    /// Reads nothing until the end.
    late: Expired<Session>,
    /// Reads all along.
    prompt: Expired<Session>,
}

impl Late {
    async fn new(world: &World, retention: Duration) -> Self {
        let settings = KeyspaceSettings::new().retention(retention);
        let store = world.open(Store::builder().keyspace::<Session>(settings)).await;
        let repository = store.repository::<Session>();
        let (late, prompt) = (
            repository.expired().await.unwrap(),
            repository.expired().await.unwrap(),
        );
        Self {
            retention,
            store,
            late,
            prompt,
        }
    }

    /// Lets so many expire, and the prompt one hear of them.
    async fn expire(&mut self, world: &World, count: usize) {
        let repository = self.store.repository();
        let expire = async {
            repository
                .save_all(&mut sessions(count))
                .time_to_live(SHORT)
                .await
                .unwrap();
            world.pass(PAST).await;
        };
        tokio::join!(expire, all_of(&mut self.prompt, count));
    }

    /// Drops what is past the retention.
    async fn sweep(&self) {
        self.store.repository::<Session>().sweep().await.unwrap();
    }

    /// One gap from this position on, and these events behind it.
    async fn expect_gap(&mut self, from: Option<Position>, count: usize) {
        let item = tokio::time::timeout(PATIENCE, self.late.next())
            .await
            .expect("something comes")
            .unwrap();
        let Err(Error::Gap {
            keyspace,
            from: begin,
            to,
        }) = item
        else {
            panic!("no gap, but {item:?}")
        };
        assert_eq!(keyspace, "sessions");
        assert!(
            from.is_none_or(|from| from == begin) && begin < to,
            "{begin} to {to}"
        );
        assert!(self.store.health().await.gaps > 0, "it is counted");
        all_of(&mut self.late, count).await;
    }
}

pub async fn an_event_past_the_retention_is_a_gap_to_who_had_not_read_it(world: &World) {
    let mut late = Late::new(world, Duration::from_millis(800)).await;
    late.expire(world, 1).await;
    let heard = next(&mut late.late).await.position();
    late.expire(world, MORE_THAN_FED).await;
    world.pass(late.retention / 2).await;
    late.expire(world, 10).await;
    world.pass(late.retention / 2 + SHORT).await;
    late.sweep().await;
    late.expect_gap(Some(heard), 10).await;
    late.expire(world, 1).await;
    all_of(&mut late.late, 1).await;
}

/// One that subscribed before there ever was an event.
pub async fn a_gap_is_told_to_who_had_not_read_anything(world: &World) {
    let mut late = Late::new(world, Duration::from_millis(800)).await;
    late.expire(world, MORE_THAN_FED).await;
    world.pass(late.retention / 2).await;
    late.expire(world, 10).await;
    world.pass(late.retention / 2 + SHORT).await;
    late.sweep().await;
    late.expect_gap(None, 10).await;
}

/// When nothing in the log is younger than the retention, the log as a whole may be gone.
pub async fn a_log_that_is_gone_is_a_gap_as_well(world: &World) {
    let mut late = Late::new(world, Duration::from_millis(500)).await;
    late.expire(world, 1).await;
    let heard = next(&mut late.late).await.position();
    late.expire(world, MORE_THAN_FED).await;
    world.pass(late.retention + SHORT).await;
    late.sweep().await;
    late.expire(world, 10).await;
    late.expect_gap(Some(heard), 10).await;
}

/// However long ago the gap was.
pub async fn a_gap_does_not_pass_with_time(world: &World) {
    let mut late = Late::new(world, Duration::from_millis(500)).await;
    late.expire(world, 1).await;
    let heard = next(&mut late.late).await.position();
    late.expire(world, MORE_THAN_FED).await;
    world.pass(late.retention / 2).await;
    late.expire(world, 10).await;
    world.pass(late.retention / 2 + SHORT).await;
    late.sweep().await;
    world.pass(late.retention * 3).await;
    late.sweep().await;
    late.expire(world, 10).await;
    late.expect_gap(Some(heard), 10).await;
}

/// Lives among people, and can be without what a [`Person`] has to have.
#[derive(Debug, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "people")]
struct Stranger {
    #[id]
    id: String,
    firstname: Option<String>,
}

/// Lives in the keyspace of [`Ping`], with ids that are none of a ping's.
#[derive(Debug, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "pings")]
struct NamedPing {
    #[id]
    id: String,
}

/// C51: neither what a handler makes of an event, nor an event that is none to this type, ends the stream.
pub async fn a_handler_that_fails_does_not_end_the_stream(world: &World) {
    let store = world.store().await;
    let (people, strangers) = (store.repository::<Person>(), store.repository::<Stranger>());
    let mut persons = people.expired().await.unwrap();
    let stranger = |name: Option<&str>| Stranger {
        id: "stranger".into(),
        firstname: name.map(str::to_owned),
    };
    for round in 0..2 {
        strangers
            .save(&mut stranger(None))
            .time_to_live(SHORT)
            .await
            .unwrap();
        world.pass(PAST).await;
        let event = next(&mut persons).await;
        assert!(
            matches!(event.no_value(), Some(NoValue::Undecodable(Error::Decode { entity: "Person", path, .. })) if path == "firstname"),
            "{event:?}"
        );
        people
            .save(&mut Person::new("1", &format!("Ann {round}")))
            .time_to_live(SHORT)
            .await
            .unwrap();
        world.pass(PAST).await;
        let event = next(&mut persons).await;
        let name = event.value().unwrap().firstname.clone();
        let handler = tokio::spawn(async move { assert_eq!(event.id(), "none", "a handler that fails") });
        assert!(handler.await.unwrap_err().is_panic());
        assert_eq!(name, format!("Ann {round}"));
    }

    let (pings, named) = (store.repository::<Ping>(), store.repository::<NamedPing>());
    let mut expired = pings.expired().await.unwrap();
    for round in 0..2 {
        named
            .save(&mut NamedPing {
                id: "not a number".into(),
            })
            .time_to_live(SHORT)
            .await
            .unwrap();
        world.pass(PAST).await;
        let item = tokio::time::timeout(PATIENCE, expired.try_next())
            .await
            .expect("an item");
        assert!(
            matches!(item, Err(Error::Decode { entity: "Ping", ref path, .. }) if path == "id"),
            "{item:?}"
        );
        pings
            .save(&mut Ping { id: round })
            .time_to_live(SHORT)
            .await
            .unwrap();
        world.pass(PAST).await;
        assert_eq!(*next(&mut expired).await.id(), round);
    }
}
