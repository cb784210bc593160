//! Every term through every write path: the same deadline, in the hash, the phantom and the deadline index.

use std::time::{Duration, SystemTime};

use kvrepo::{KeyspaceSettings, KvEntity, Repository, Store};
use serde::{Deserialize, Serialize};

use crate::world::{World, millis};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);
/// How far two places of one deadline may be apart.
const CLOSE: u64 = 5;

/// What the call says.
#[derive(Debug, Clone, Copy)]
enum Call {
    Nothing,
    Ttl(Duration),
    /// So long after now.
    At(Duration),
    Idle(Duration),
    Persistent,
}

/// What has to come of it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Expected {
    Never,
    After(Duration),
    Idle(Duration),
}

macro_rules! with_call {
    ($call:expr, $now:expr, $request:expr) => {
        match $call {
            Call::Nothing => $request.await,
            Call::Ttl(term) => $request.time_to_live(term).await,
            Call::At(after) => $request.expires_at(time($now) + after).await,
            Call::Idle(span) => $request.idle(span).await,
            Call::Persistent => $request.persistent().await,
        }
        .expect("the write succeeds")
    };
}

fn time(millis: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(millis)
}

/// One row of the table: the entities of one type, made so, with one thing said by the call.
struct Row<'a, T: KvEntity> {
    world: &'a World,
    entities: &'a Repository<T>,
    make: &'a (dyn Fn(&str) -> T + Sync),
    name: String,
    call: Call,
    expected: Expected,
}

impl<T: KvEntity<Id = String>> Row<'_, T> {
    /// Walks through every path by which this row can be written.
    async fn run(&self) {
        let Self {
            world,
            entities,
            make,
            call,
            ..
        } = *self;
        let id = |path: &str| format!("{}-{path}", self.name);
        let start = world.now().await;

        with_call!(call, start, entities.save(&mut make(&id("new"))));
        self.check(start, &id("new")).await;

        for (path, earlier) in [
            ("over-term", Call::Ttl(7 * MINUTE)),
            ("over-none", Call::Persistent),
        ] {
            with_call!(earlier, start, entities.save(&mut make(&id(path))));
            let start = world.now().await;
            with_call!(call, start, entities.save(&mut make(&id(path))));
            self.check(start, &id(path)).await;
        }

        let start = world.now().await;
        with_call!(call, start, entities.insert(&mut make(&id("inserted"))));
        self.check(start, &id("inserted")).await;

        let start = world.now().await;
        with_call!(
            call,
            start,
            entities.save_all(&mut [make(&id("all-1")), make(&id("all-2"))])
        );
        self.check(start, &id("all-2")).await;

        let start = world.now().await;
        with_call!(
            call,
            start,
            entities.insert_all(&mut [make(&id("ins-1")), make(&id("ins-2"))])
        );
        self.check(start, &id("ins-1")).await;

        for (path, earlier) in [
            ("refreshed-term", Call::Ttl(7 * MINUTE)),
            ("refreshed-none", Call::Persistent),
        ] {
            with_call!(earlier, start, entities.save(&mut make(&id(path))));
            let start = world.now().await;
            assert!(with_call!(
                call,
                start,
                entities.update(id(path)).refresh_time_to_live()
            ));
            self.check(start, &id(path)).await;

            with_call!(earlier, start, entities.save(&mut make(&id(path))));
            let start = world.now().await;
            let changed = with_call!(
                call,
                start,
                entities.update_with(id(path), |_| {}).refresh_time_to_live()
            );
            assert!(changed.is_some());
            self.check(start, &id(path)).await;
        }

        // And what was given stays, where a write is asked to keep it.
        let start = world.now().await;
        with_call!(call, start, entities.save(&mut make(&id("kept"))));
        entities
            .save(&mut make(&id("kept")))
            .keep_time_to_live()
            .await
            .expect("a save");
        entities.update_with(id("kept"), |_| {}).await.expect("a change");
        entities.update(id("kept")).await.expect("an update");
        self.check(start, &id("kept")).await;

        with_call!(
            Call::Idle(7 * MINUTE),
            start,
            entities.save(&mut make(&id("given")))
        );
        let start = world.now().await;
        let given = match call {
            Call::Ttl(term) => entities.expire(id("given"), term).await,
            Call::At(after) => entities.expire_at(id("given"), time(start) + after).await,
            Call::Persistent => entities.persist(id("given")).await,
            Call::Nothing | Call::Idle(_) => return,
        };
        assert!(given.expect("a term is given"));
        self.check(start, &id("given")).await;
    }

    async fn check(&self, start: u64, id: &str) {
        let end = self.world.now().await;
        let entry = self
            .entities
            .entry(id)
            .await
            .expect("it can be read")
            .expect("it is there");
        let deadline = entry.deadline.map(millis);
        let (term, idle) = match self.expected {
            Expected::Never => (None, None),
            Expected::After(term) => (Some(term), None),
            Expected::Idle(span) => (Some(span), Some(span)),
        };
        assert_eq!(entry.idle, idle, "{id}");
        match (deadline, term) {
            (None, None) => {}
            (Some(deadline), Some(term)) => {
                let term = term.as_millis() as u64;
                let range = start + term - CLOSE..=end + term + CLOSE;
                assert!(range.contains(&deadline), "{id}: {deadline} is not in {range:?}");
            }
            (deadline, term) => panic!("{id}: the deadline is {deadline:?}, the term {term:?}"),
        }
        self.check_bytes(id, deadline).await;
    }

    /// The three places on a server, to a few milliseconds.
    async fn check_bytes(&self, id: &str, deadline: Option<u64>) {
        let Some(server) = self.world.as_server() else {
            return;
        };
        let keyspace = T::SCHEMA.keyspace;
        let key = format!("{keyspace}:{id}");
        let expires = async |key: &str| -> i64 { server.query(&["PEXPIRETIME", key]).await };
        let (hash, phantom) = (expires(&key).await, expires(&format!("{key}:phantom")).await);
        let score: Option<f64> = server
            .query(&["ZSCORE", &format!("{keyspace}#deadlines"), id])
            .await;
        let Some(deadline) = deadline else {
            assert_eq!((hash, phantom, score), (-1, -2, None), "{id}");
            return;
        };
        let close = |at: i64, what: &str, than: u64| {
            assert!(
                at.unsigned_abs().abs_diff(than) <= CLOSE,
                "{id}: the {what} has {at}, and not {than}"
            );
        };
        close(hash, "hash", deadline);
        close(phantom, "phantom", deadline + 300_000);
        close(score.expect("it is in the index") as i64, "index", deadline);
    }
}

macro_rules! types {
    ($($(#[$attr:meta])* $name:ident { $($(#[$field_attr:meta])* $field:ident: $type:ty),* })*) => {$(
        #[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
        $(#[$attr])*
        struct $name {
            #[id]
            id: String,
            $($(#[$field_attr])* $field: $type,)*
        }
    )*};
}

types! {
    Silent {}
    #[kv(time_to_live = "20m")]
    Declared {}
    #[kv(idle = "25m")]
    Idle {}
    #[kv(time_to_live = "20m")]
    Field { #[time_to_live] ttl: Option<u64> }
    #[kv(idle = "20m")]
    Millis { #[time_to_live(unit = "ms")] ttl: i64 }
    #[kv(time_to_live = "20m")]
    Until { #[expires_at] until: Option<SystemTime> }
    #[kv(time_to_live_fn = "lasts")]
    Method { minutes: u32 }
}

impl Method {
    fn lasts(&self) -> Duration {
        self.minutes * MINUTE
    }
}

/// Each with what it expects if the call says nothing; whatever the call says counts for all of them.
async fn rows<T: KvEntity<Id = String>>(
    world: &World,
    store: &Store,
    name: &str,
    silent: Expected,
    make: impl Fn(&str) -> T + Sync,
) {
    let calls = [
        (Call::Nothing, silent),
        (Call::Ttl(10 * MINUTE), Expected::After(10 * MINUTE)),
        (Call::At(HOUR), Expected::After(HOUR)),
        (Call::Idle(40 * MINUTE), Expected::Idle(40 * MINUTE)),
        (Call::Persistent, Expected::Never),
    ];
    let entities = store.repository::<T>();
    for (number, (call, expected)) in calls.into_iter().enumerate() {
        let name = format!("{name}-{number}");
        let row = Row {
            world,
            entities: &entities,
            make: &make,
            name,
            call,
            expected,
        };
        row.run().await;
    }
}

/// C23, C25.
pub async fn every_term_through_every_path_is_the_same_deadline(world: &World) {
    let store = world.store().await;
    let id = |id: &str| id.to_owned();
    rows(world, &store, "silent", Expected::Never, |i| Silent { id: id(i) }).await;
    rows(world, &store, "declared", Expected::After(20 * MINUTE), |i| {
        Declared { id: id(i) }
    })
    .await;
    rows(world, &store, "idle", Expected::Idle(25 * MINUTE), |i| Idle {
        id: id(i),
    })
    .await;
    rows(world, &store, "field", Expected::After(90 * MINUTE), |i| Field {
        id: id(i),
        ttl: Some(5_400),
    })
    .await;
    rows(world, &store, "unset", Expected::After(20 * MINUTE), |i| Field {
        id: id(i),
        ttl: None,
    })
    .await;
    rows(world, &store, "millis", Expected::After(HOUR), |i| Millis {
        id: id(i),
        ttl: 3_600_000,
    })
    .await;
    rows(world, &store, "never", Expected::Never, |i| Millis {
        id: id(i),
        ttl: -1,
    })
    .await;
    rows(world, &store, "method", Expected::After(15 * MINUTE), |i| {
        Method {
            id: id(i),
            minutes: 15,
        }
    })
    .await;
    rows(world, &store, "no-deadline", Expected::After(20 * MINUTE), |i| {
        Until {
            id: id(i),
            until: None,
        }
    })
    .await;

    let ttl = KeyspaceSettings::new().time_to_live(35 * MINUTE);
    let set = world.open(Store::builder().keyspace::<Declared>(ttl)).await;
    rows(world, &set, "set", Expected::After(35 * MINUTE), |i| Declared {
        id: id(i),
    })
    .await;
    let idle = KeyspaceSettings::new().idle(35 * MINUTE);
    let set = world.open(Store::builder().keyspace::<Silent>(idle)).await;
    rows(world, &set, "set-idle", Expected::Idle(35 * MINUTE), |i| Silent {
        id: id(i),
    })
    .await;
}

/// The deadline is a time, not a span: it is the same for all paths however long they take.
pub async fn a_deadline_that_the_entity_states_is_that_of_every_path(world: &World) {
    let entities = world.repository::<Until>().await;
    let until = time(world.now().await + 3_600_000);
    let make = |id: &str| Until {
        id: id.into(),
        until: Some(until),
    };
    entities.save(&mut make("1")).await.unwrap();
    entities.insert(&mut make("2")).await.unwrap();
    entities.save_all(&mut [make("3"), make("4")]).await.unwrap();
    entities.save(&mut make("5")).persistent().await.unwrap();
    assert!(entities.update("5").refresh_time_to_live().await.unwrap());
    entities.save(&mut make("6")).persistent().await.unwrap();
    entities
        .update_with("6", |_| {})
        .refresh_time_to_live()
        .await
        .unwrap();
    for id in ["1", "2", "3", "4", "5", "6"] {
        let entry = entities.entry(id).await.unwrap().unwrap();
        assert_eq!(
            (entry.deadline, entry.value.until),
            (Some(until), Some(until)),
            "{id}"
        );
    }
    // And it shows the one that was given last.
    let later = until + HOUR;
    entities.expire_at("1", later).await.unwrap();
    let mut found = entities.find_by_id("1").await.unwrap().unwrap();
    assert_eq!(found.until, Some(later));
    entities.save(&mut found).await.unwrap();
    assert_eq!(entities.entry("1").await.unwrap().unwrap().deadline, Some(later));
    entities.persist("1").await.unwrap();
    assert_eq!(entities.find_by_id("1").await.unwrap().unwrap().until, None);
    let passed = entities
        .save(&mut Until {
            id: "9".into(),
            until: Some(time(1_000)),
        })
        .await;
    assert!(
        matches!(passed, Err(kvrepo::Error::DeadlinePassed { .. })),
        "{passed:?}"
    );
    assert!(!entities.exists_by_id("9").await.unwrap());
}
