//! Terms: which counts, which are refused, and what a write does to the one before. Reading back is in `term_read`.

use std::future::IntoFuture;
use std::time::{Duration, SystemTime};

use kvrepo::{Error, KeyspaceSettings, KvEntity, SaveOutcome, Store, TimeToLive};
use serde::{Deserialize, Serialize};

use crate::fixture::{Person, Session};
use crate::world::{World, millis, next, nothing_before};

pub(super) const MINUTE: Duration = Duration::from_secs(60);
/// The longest term that there is; see `GREATEST_TERM`.
const LONGEST: Duration = Duration::from_millis(4_000_000_000_000_000);

/// A term on the type, and one in a field that can say "never".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "leases", time_to_live = "30m")]
pub(super) struct Lease {
    #[id]
    id: String,
    #[time_to_live]
    pub(super) ttl: Option<i64>,
}

impl Lease {
    pub(super) fn new(id: &str, ttl: Option<i64>) -> Self {
        Self { id: id.into(), ttl }
    }
}

/// Awaits a save, and demands that what it saved expires after just this term; `None` is never.
pub(super) async fn expires_after(
    world: &World,
    save: impl IntoFuture<Output = kvrepo::Result<SaveOutcome>>,
    term: Option<Duration>,
) -> SaveOutcome {
    let before = world.now().await;
    let outcome = save.await.expect("a save");
    let after = world.now().await;
    match (
        outcome.deadline.map(millis),
        term.map(|term| term.as_millis() as u64),
    ) {
        (None, None) => {}
        (Some(at), Some(term)) => assert!(
            (before + term..=after + term).contains(&at),
            "{term} ms: {at}, {before}"
        ),
        (at, term) => panic!("the deadline is {at:?}, the term {term:?} ms"),
    }
    outcome
}

/// C30: the call's own, the field's, the settings', the attribute's, none.
pub async fn the_nearest_term_counts(world: &World) {
    let settings = KeyspaceSettings::new().time_to_live(2 * MINUTE);
    let (unset, set) = (
        world.store().await,
        world.open(Store::builder().keyspace::<Lease>(settings)).await,
    );
    for (store, default) in [(unset, 30 * MINUTE), (set, 2 * MINUTE)] {
        let leases = store.repository::<Lease>();
        let (mut stated, mut silent, mut never) = (
            Lease::new("1", Some(5)),
            Lease::new("1", None),
            Lease::new("1", Some(-1)),
        );
        for lease in [&mut stated, &mut silent, &mut never] {
            expires_after(world, leases.save(lease).time_to_live(MINUTE), Some(MINUTE)).await;
            expires_after(world, leases.save(lease).persistent(), None).await;
            let deadline = SystemTime::UNIX_EPOCH + Duration::from_millis(world.now().await) + MINUTE;
            let outcome = leases.save(lease).expires_at(deadline).await.unwrap();
            assert_eq!(outcome.deadline, Some(deadline));
        }
        expires_after(world, leases.save(&mut stated), Some(Duration::from_secs(5))).await;
        expires_after(world, leases.save(&mut silent), Some(default)).await;
        expires_after(world, leases.save(&mut never), None).await;
    }
    expires_after(
        world,
        world.repository().await.save(&mut Session::new("1", "ann")),
        Some(30 * MINUTE),
    )
    .await;
    expires_after(
        world,
        world.repository().await.save(&mut Person::new("1", "Ann")),
        None,
    )
    .await;
}

macro_rules! refused {
    ($world:ident: $($type:ty = [$($value:expr),*];)*) => {$({
        #[derive(Debug, Serialize, Deserialize, KvEntity)]
        #[kv(keyspace = "refused")]
        struct Refused {
            #[id]
            id: u8,
            #[time_to_live]
            ttl: $type,
        }
        let repository = $world.repository::<Refused>().await;
        for ttl in [$($value),*] {
            let what = format!("{ttl:?}");
            let refused = repository.save(&mut Refused { id: 1, ttl }).await;
            assert!(matches!(refused, Err(Error::InvalidTimeToLive { entity: "Refused", .. })), "{what}: {refused:?}");
            // What the field says does not matter where the call says something.
            repository.save(&mut Refused { id: 2, ttl }).persistent().await.unwrap();
            assert!(repository.delete_by_id(2).await.unwrap());
        }
        assert_eq!(repository.count().await.unwrap(), 0);
    })*};
}

/// C20, C27, C28.
pub async fn a_term_that_is_none_is_refused_and_nothing_is_written(world: &World) {
    let people = world.repository::<Person>().await;
    let none = [
        Duration::ZERO,
        Duration::from_nanos(999_999),
        LONGEST + Duration::from_millis(1),
        Duration::MAX,
    ];
    for term in none {
        let refused = people.save(&mut Person::new("1", "Ann")).time_to_live(term).await;
        assert!(
            matches!(refused, Err(Error::InvalidTimeToLive { entity: "Person", .. })),
            "{term:?}: {refused:?}"
        );
        let refused = people
            .save_all(&mut [Person::new("1", "Ann"), Person::new("2", "Bo")])
            .time_to_live(term)
            .await;
        let Err(Error::Batch { total: 2, failures }) = refused else {
            panic!("{refused:?}")
        };
        assert!(
            failures
                .iter()
                .all(|failure| matches!(failure.error, Error::InvalidTimeToLive { .. }))
        );
    }
    refused! { world:
        i64 = [0, -2, i64::MIN, i64::MAX];
        Option<i8> = [Some(0), Some(-2), Some(i8::MIN)];
        u64 = [0, u64::MAX];
        u128 = [u128::MAX];
        Option<f64> = [Some(0.0), Some(-0.0), Some(-1.5), Some(f64::NAN), Some(f64::INFINITY), Some(0.000_1)];
        f32 = [f32::NEG_INFINITY, f32::MAX];
        Duration = [Duration::ZERO, Duration::from_micros(999), Duration::MAX];
    }
    if let Some(server) = world.as_server() {
        assert_eq!(server.query::<u64, _>(&["DBSIZE"]).await, 0);
    }

    // What is there stays as it was, and the longest term that is one works.
    let kept = expires_after(
        world,
        people.save(&mut Person::new("1", "Ann")).time_to_live(LONGEST),
        Some(LONGEST),
    )
    .await;
    for term in none {
        people
            .save(&mut Person::new("1", "Bo"))
            .time_to_live(term)
            .await
            .unwrap_err();
    }
    people
        .save(&mut Person {
            ttl: Some(0),
            ..Person::new("1", "Bo")
        })
        .await
        .unwrap_err();
    assert_eq!(people.find_by_id("1").await.unwrap().unwrap().firstname, "Ann");
    stored_as_told(world, "people", "1", kept).await;
}

/// Looks at the bytes: whatever holds the deadline on the server is to hold the same.
async fn stored_as_told(world: &World, keyspace: &str, id: &str, outcome: SaveOutcome) {
    const GRACE: i64 = 300_000;
    let Some(server) = world.as_server() else { return };
    let (key, phantom) = (format!("{keyspace}:{id}"), format!("{keyspace}:{id}:phantom"));
    let deadlines = format!("{keyspace}#deadlines");
    let score: Option<f64> = server.query(&["ZSCORE", &deadlines, id]).await;
    let stored: [i64; 2] = [
        server.query(&["PEXPIRETIME", &key]).await,
        server.query(&["PEXPIRETIME", &phantom]).await,
    ];
    match outcome.deadline.map(millis) {
        Some(at) => {
            assert_eq!(stored, [at as i64, at as i64 + GRACE], "{key}");
            assert_eq!(score, Some(at as f64), "{key}");
        }
        None => {
            assert_eq!(stored, [-1, -2], "{key}");
            assert_eq!(score, None, "{key}");
        }
    }
    assert!(
        server.query::<bool, _>(&["SISMEMBER", keyspace, id]).await,
        "{key}"
    );
}

/// C23.
pub async fn every_write_path_sets_the_same_deadline(world: &World) {
    let settings = KeyspaceSettings::new().time_to_live(MINUTE);
    let (unset, set) = (
        world.store().await,
        world.open(Store::builder().keyspace::<Lease>(settings)).await,
    );
    let leases = unset.repository::<Lease>();
    for (repository, ttl) in [(&leases, Some(60)), (&set.repository::<Lease>(), None)] {
        let saved = expires_after(world, repository.save(&mut Lease::new("1", ttl)), Some(MINUTE)).await;
        stored_as_told(world, "leases", "1", saved).await;
        many(
            world,
            repository.save_all(&mut [Lease::new("2", ttl), Lease::new("3", ttl)]),
            Some(MINUTE),
        )
        .await;
    }
    let call = leases
        .save(&mut Lease::new("1", None))
        .time_to_live(MINUTE)
        .await
        .unwrap();
    stored_as_told(world, "leases", "1", call).await;
    let mut two = [Lease::new("2", None), Lease::new("3", None)];
    many(
        world,
        leases.save_all(&mut two).time_to_live(MINUTE),
        Some(MINUTE),
    )
    .await;
    many(world, leases.save_all(&mut two), Some(30 * MINUTE)).await;
    many(world, leases.save_all(&mut two).persistent(), None).await;

    let at = SystemTime::UNIX_EPOCH + Duration::from_millis(world.now().await) + MINUTE;
    let saved = leases
        .save(&mut Lease::new("1", None))
        .expires_at(at)
        .await
        .unwrap();
    assert_eq!(saved.deadline, Some(at));
    stored_as_told(world, "leases", "1", saved).await;
    for saved in leases.save_all(&mut two).expires_at(at).await.unwrap() {
        assert_eq!(saved.deadline, Some(at));
    }
    let TimeToLive::In(left) = leases.time_to_live("1").await.unwrap() else {
        panic!("it expires")
    };
    assert!(left <= MINUTE && left > MINUTE / 2, "{left:?}");
}

/// Of entities `2` and `3` of the leases.
async fn many(
    world: &World,
    save: impl IntoFuture<Output = kvrepo::Result<Vec<SaveOutcome>>>,
    term: Option<Duration>,
) {
    let before = world.now().await;
    let outcomes = save.await.unwrap();
    let after = world.now().await;
    assert_eq!(outcomes.len(), 2);
    for (id, outcome) in ["2", "3"].into_iter().zip(outcomes) {
        let least = term.map(|term| before + term.as_millis() as u64);
        let most = term.map(|term| after + term.as_millis() as u64);
        let deadline = outcome.deadline.map(millis);
        assert!(
            least <= deadline && deadline <= most,
            "{deadline:?}, not {least:?} to {most:?}"
        );
        stored_as_told(world, "leases", id, outcome).await;
    }
}

/// C21.
pub async fn a_persistent_save_takes_the_term_away(world: &World) {
    let people = world.repository::<Person>().await;
    let mut expired = people.expired().await.unwrap();
    let short = Duration::from_millis(400);
    for id in ["by call", "by field", "by -1"] {
        people
            .save(&mut Person::new(id, "Ann"))
            .time_to_live(short)
            .await
            .unwrap();
    }
    let by_call = people
        .save(&mut Person {
            ttl: Some(1),
            ..Person::new("by call", "Bo")
        })
        .persistent()
        .await
        .unwrap();
    let by_field = people.save(&mut Person::new("by field", "Bo")).await.unwrap();
    let by_minus_one = people
        .save(&mut Person {
            ttl: Some(-1),
            ..Person::new("by -1", "Bo")
        })
        .await
        .unwrap();
    for (id, outcome) in [
        ("by call", by_call),
        ("by field", by_field),
        ("by -1", by_minus_one),
    ] {
        assert_eq!((outcome.created, outcome.deadline), (false, None), "{id}");
        stored_as_told(world, "people", id, outcome).await;
    }
    world.pass(short).await;
    nothing_before(world, &people, &mut expired, &mut Person::new("marker", "M")).await;
    for id in ["by call", "by field", "by -1"] {
        assert_eq!(people.time_to_live(id).await.unwrap(), TimeToLive::Persistent);
        assert_eq!(people.find_by_id(id).await.unwrap().unwrap().firstname, "Bo");
    }
    assert_eq!(people.count().await.unwrap(), 3);
}

pub async fn a_shorter_term_replaces_a_longer_one(world: &World) {
    let people = world.repository::<Person>().await;
    let mut expired = people.expired().await.unwrap();
    people
        .save(&mut Person::new("1", "Ann"))
        .time_to_live(MINUTE)
        .await
        .unwrap();
    let short = Duration::from_millis(300);
    let outcome = expires_after(
        world,
        people.save(&mut Person::new("1", "Bo")).time_to_live(short),
        Some(short),
    )
    .await;
    stored_as_told(world, "people", "1", outcome).await;
    world.pass(Duration::from_millis(302)).await;
    let event = next(&mut expired).await;
    assert_eq!(
        (event.value().unwrap().firstname.as_str(), Some(event.deadline())),
        ("Bo", outcome.deadline)
    );
    assert_eq!(people.time_to_live("1").await.unwrap(), TimeToLive::Missing);
    assert_eq!(people.count().await.unwrap(), 0);
}

/// C29.
pub async fn a_deadline_in_the_past_is_refused(world: &World) {
    let people = world.repository::<Person>().await;
    let now = SystemTime::UNIX_EPOCH + Duration::from_millis(world.now().await);
    let past = [
        now,
        now - Duration::from_millis(1),
        SystemTime::UNIX_EPOCH,
        SystemTime::UNIX_EPOCH - MINUTE,
    ];
    for deadline in past {
        let refused = people
            .save(&mut Person::new("1", "Ann"))
            .expires_at(deadline)
            .await;
        let Err(Error::DeadlinePassed {
            entity: "Person",
            deadline: told,
        }) = refused
        else {
            panic!("{refused:?}")
        };
        assert_eq!(told, deadline);
        let refused = people
            .save_all(&mut [Person::new("1", "Ann")])
            .expires_at(deadline)
            .await;
        let Err(Error::Batch { total: 1, failures }) = refused else {
            panic!("{refused:?}")
        };
        assert!(matches!(failures[0].error, Error::DeadlinePassed { .. }));
    }
    let far = SystemTime::UNIX_EPOCH + LONGEST;
    let refused = people
        .save(&mut Person::new("1", "Ann"))
        .expires_at(far + Duration::from_millis(1))
        .await;
    assert!(
        matches!(refused, Err(Error::InvalidTimeToLive { entity: "Person", .. })),
        "{refused:?}"
    );
    assert_eq!(people.count().await.unwrap(), 0);

    // What is there stays as it was.
    let saved = people
        .save(&mut Person::new("1", "Ann"))
        .expires_at(far)
        .await
        .unwrap();
    assert_eq!(saved.deadline, Some(far));
    for deadline in past {
        people
            .save(&mut Person::new("1", "Bo"))
            .expires_at(deadline)
            .await
            .unwrap_err();
    }
    assert_eq!(people.find_by_id("1").await.unwrap().unwrap().firstname, "Ann");
    stored_as_told(world, "people", "1", saved).await;
}

/// A term by a method, which leaves some to the default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "tickets", time_to_live = "1h", time_to_live_fn = "lives_for")]
struct Ticket {
    #[id]
    id: String,
    days: Option<u8>,
}

impl Ticket {
    fn lives_for(&self) -> Option<Duration> {
        self.days.map(|days| 24 * 60 * MINUTE * u32::from(days))
    }
}

pub async fn a_term_by_a_method_counts(world: &World) {
    let tickets = world.repository::<Ticket>().await;
    let ticket = |days| Ticket { id: "1".into(), days };
    expires_after(world, tickets.save(&mut ticket(Some(2))), Some(48 * 60 * MINUTE)).await;
    expires_after(world, tickets.save(&mut ticket(None)), Some(60 * MINUTE)).await;
    expires_after(
        world,
        tickets.save(&mut ticket(Some(2))).time_to_live(MINUTE),
        Some(MINUTE),
    )
    .await;
    expires_after(world, tickets.save(&mut ticket(Some(2))).persistent(), None).await;
    let refused = tickets.save(&mut ticket(Some(0))).await;
    assert!(
        matches!(refused, Err(Error::InvalidTimeToLive { entity: "Ticket", .. })),
        "{refused:?}"
    );
    assert_eq!(tickets.find_by_id("1").await.unwrap(), Some(ticket(Some(2))));
}
