//! What is read back of a term, and that it is converted there and back without loss.

use std::time::Duration;

use futures_util::TryStreamExt;
use kvrepo::{FieldTerm, KeyspaceSettings, KvEntity, Repository, SaveOutcome, Store, TimeToLive};
use serde::{Deserialize, Serialize};

use super::term::{Lease, MINUTE, expires_after};
use crate::fixture::{Person, Session};
use crate::world::{World, millis};

/// Milliseconds, in a field that can say neither "never" nor "nothing".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "ticks")]
struct Tick {
    #[id]
    id: String,
    #[time_to_live(unit = "ms")]
    ms: u64,
}

/// What the entity with this id says of its term, by every way of reading it.
async fn readings<T: KvEntity + Clone>(repository: &Repository<T>, id: T::Id) -> Vec<T>
where
    T::Id: Clone,
{
    let mut found = vec![
        repository
            .find_by_id(id.clone())
            .await
            .unwrap()
            .expect("it is there"),
    ];
    found.extend(repository.find_all_by_id([id]).await.unwrap());
    found.extend(repository.find_all().await.unwrap());
    found.extend(
        repository
            .find_all()
            .stream()
            .try_collect::<Vec<_>>()
            .await
            .unwrap(),
    );
    assert_eq!(found.len(), 4);
    found
}

/// `-1` is what a persistent entity reads, so it has to be what makes one.
pub async fn minus_one_is_persistent_and_reads_back(world: &World) {
    let settings = KeyspaceSettings::new().time_to_live(MINUTE);
    let defaulted = world
        .open(Store::builder().keyspace::<Person>(settings))
        .await
        .repository::<Person>();
    let leases = world.repository::<Lease>().await;
    expires_after(world, leases.save(&mut Lease::new("1", Some(-1))), None).await;
    let mut never = Person {
        ttl: Some(-1),
        ..Person::new("1", "Ann")
    };
    expires_after(world, defaulted.save(&mut never), None).await;
    // `None` would have the default at the next save.
    for mut found in readings(&leases, "1".into()).await {
        assert_eq!(found.ttl, Some(-1));
        expires_after(world, leases.save(&mut found), None).await;
    }
    for mut found in readings(&defaulted, "1".into()).await {
        assert_eq!(found.ttl, Some(-1));
        expires_after(world, defaulted.save(&mut found), None).await;
    }
    assert_eq!(leases.time_to_live("1").await.unwrap(), TimeToLive::Persistent);

    // Without a default it would not, and says what it means.
    let people = world.repository::<Person>().await;
    expires_after(
        world,
        people.save(&mut Person {
            ttl: Some(-1),
            ..Person::new("1", "Ann")
        }),
        None,
    )
    .await;
    for mut found in readings(&people, "1".into()).await {
        assert_eq!(found.ttl, None);
        expires_after(world, people.save(&mut found), None).await;
    }
}

/// What is left of a term is rounded up to the unit.
pub async fn what_remains_is_read_back(world: &World) {
    let (people, ticks) = (
        world.repository::<Person>().await,
        world.repository::<Tick>().await,
    );
    let saved = people
        .save(&mut Person {
            ttl: Some(60),
            ..Person::new("1", "Ann")
        })
        .await
        .unwrap();
    let ticking = ticks
        .save(&mut Tick {
            id: "1".into(),
            ms: 60_000,
        })
        .await
        .unwrap();
    for passed in [0, 30, 990] {
        world.pass(Duration::from_millis(passed)).await;
        let before = world.now().await;
        let (persons, found) = (
            readings(&people, "1".into()).await,
            readings(&ticks, "1".into()).await,
        );
        let after = world.now().await;
        let left = |outcome: SaveOutcome| {
            let deadline = millis(outcome.deadline.expect("it expires"));
            (deadline - after, deadline - before)
        };
        let (least, most) = left(saved);
        let seconds = least.div_ceil(1_000) as i64..=most.div_ceil(1_000) as i64;
        assert!(
            persons
                .iter()
                .all(|person| seconds.contains(&person.ttl.unwrap())),
            "{seconds:?}: {persons:?}"
        );
        let (least, most) = left(ticking);
        assert!(
            found.iter().all(|tick| (least..=most).contains(&tick.ms)),
            "{least} to {most}: {found:?}"
        );
    }

    // What is alive never reads 0.
    people
        .save(&mut Person {
            ttl: Some(60),
            ..Person::new("1", "Ann")
        })
        .time_to_live(Duration::from_millis(900))
        .await
        .unwrap();
    assert!(
        readings(&people, "1".into())
            .await
            .iter()
            .all(|person| person.ttl == Some(1))
    );
    if world.as_server().is_none() {
        ticks
            .save(&mut Tick {
                id: "1".into(),
                ms: 5,
            })
            .await
            .unwrap();
        world.pass(Duration::from_millis(5)).await;
        assert!(
            readings(&ticks, "1".into()).await.iter().all(|tick| tick.ms == 1),
            "at its very deadline"
        );
    }

    // What cannot say "never" keeps what was stored.
    ticks
        .save(&mut Tick {
            id: "1".into(),
            ms: 60_000,
        })
        .persistent()
        .await
        .unwrap();
    assert!(
        readings(&ticks, "1".into())
            .await
            .iter()
            .all(|tick| tick.ms == 60_000)
    );
    people
        .save(&mut Person {
            ttl: Some(60),
            ..Person::new("1", "Ann")
        })
        .persistent()
        .await
        .unwrap();
    assert!(
        readings(&people, "1".into())
            .await
            .iter()
            .all(|person| person.ttl.is_none())
    );
}

/// C31: to the unit of the field, and what passes between finding and saving.
pub async fn saving_what_was_found_keeps_its_deadline(world: &World) {
    let (people, ticks) = (
        world.repository::<Person>().await,
        world.repository::<Tick>().await,
    );
    let first = people
        .save(&mut Person {
            ttl: Some(60),
            ..Person::new("1", "Ann")
        })
        .await
        .unwrap();
    let ticking = ticks
        .save(&mut Tick {
            id: "1".into(),
            ms: 60_000,
        })
        .await
        .unwrap();
    world.pass(Duration::from_millis(30)).await;

    let before = world.now().await;
    let mut person = people.find_by_id("1").await.unwrap().unwrap();
    let mut tick = ticks.find_by_id("1").await.unwrap().unwrap();
    let (again, ticked) = (
        people.save(&mut person).await.unwrap(),
        ticks.save(&mut tick).await.unwrap(),
    );
    let between = world.now().await - before;
    let later = |old: SaveOutcome, new: SaveOutcome| {
        millis(new.deadline.unwrap()).checked_sub(millis(old.deadline.unwrap()))
    };
    assert!(
        later(ticking, ticked).is_some_and(|later| later <= between),
        "{ticking:?} {ticked:?} {between}"
    );
    assert!(
        later(first, again).is_some_and(|later| later <= between + 1_000),
        "{first:?} {again:?} {between}"
    );

    // To give it another term, set the field, or say so in the call.
    person.ttl = Some(90);
    expires_after(world, people.save(&mut person), Some(Duration::from_secs(90))).await;
    expires_after(world, people.save(&mut person).time_to_live(MINUTE), Some(MINUTE)).await;

    // C22: what does not read its term back has the declared one again.
    let sessions = world.repository::<Session>().await;
    expires_after(
        world,
        sessions.save(&mut Session::new("1", "ann")),
        Some(30 * MINUTE),
    )
    .await;
    world.pass(Duration::from_millis(30)).await;
    let mut session = sessions.find_by_id("1").await.unwrap().unwrap();
    expires_after(world, sessions.save(&mut session), Some(30 * MINUTE)).await;
}

macro_rules! units {
    ($world:ident: $(#[$unit:meta] $type:ty = $value:expr => $millis:literal;)*) => {$({
        #[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
        #[kv(keyspace = "units")]
        struct Stated {
            #[id]
            id: u8,
            #[$unit]
            ttl: $type,
        }
        unit($world, Stated { id: 1, ttl: $value }, Duration::from_millis($millis)).await;
    })*};
}

/// Saves with the term that the entity states, and reads it back.
async fn unit<T: KvEntity<Id = u8> + Clone>(world: &World, mut entity: T, term: Duration) {
    let repository = world.repository::<T>().await;
    let before = world.now().await;
    expires_after(world, repository.save(&mut entity), Some(term)).await;
    for found in readings(&repository, 1).await {
        let elapsed = Duration::from_millis(world.now().await - before);
        let Ok(FieldTerm::Ttl(left)) = found.term() else {
            panic!("{:?}", found.term())
        };
        assert!(
            left <= term && left + elapsed >= term,
            "{left:?} of {term:?}, {elapsed:?} later"
        );
    }
}

/// C25, C27. The least is of the call, and of a field that counts milliseconds.
pub async fn every_unit_is_converted_once(world: &World) {
    units! { world:
        #[time_to_live] u64 = 86_400 => 86_400_000;
        #[time_to_live] u8 = 90 => 90_000;
        #[time_to_live(unit = "s")] Option<i32> = Some(90) => 90_000;
        #[time_to_live(unit = "ms")] u16 = 40_000 => 40_000;
        #[time_to_live(unit = "min")] i8 = 120 => 7_200_000;
        #[time_to_live(unit = "m")] u128 = 2 => 120_000;
        #[time_to_live(unit = "h")] Option<u32> = Some(24) => 86_400_000;
        #[time_to_live(unit = "d")] isize = 7 => 604_800_000;
        #[time_to_live] f64 = 90.25 => 90_250;
        #[time_to_live(unit = "min")] Option<f32> = Some(0.5) => 30_000;
        #[time_to_live] Duration = Duration::from_micros(60_000_500) => 60_001;
        #[time_to_live] Option<Duration> = Some(Duration::from_millis(90_400)) => 90_400;
    }
    let ticks = world.repository::<Tick>().await;
    let mut tick = Tick {
        id: "1".into(),
        ms: 1,
    };
    expires_after(world, ticks.save(&mut tick), Some(Duration::from_millis(1))).await;
    expires_after(
        world,
        ticks
            .save(&mut tick)
            .time_to_live(Duration::from_nanos(1_000_001)),
        Some(Duration::from_millis(2)),
    )
    .await;
    expires_after(
        world,
        ticks.save(&mut tick).time_to_live(Duration::from_millis(900)),
        Some(Duration::from_millis(900)),
    )
    .await;
}
