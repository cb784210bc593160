//! Finding what is at hand, in a store with a near cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use kvrepo::{Error, KvEntity, NearCache, NearCacheStatistics, Repository, Store, StoreBuilder, TimeToLive};
use serde::{Deserialize, Serialize};

use crate::fixture::{Person, Session};
use crate::world::{World, eventually};

const MINUTE: Duration = Duration::from_secs(60);

/// A store with a cache; `None` where there can be none, which it has to say.
async fn open(world: &World, builder: StoreBuilder) -> Option<Store> {
    match world.try_open(builder).await {
        Ok(store) if world.has_near_cache() => Some(store),
        Err(Error::Unsupported { what }) if !world.has_near_cache() => {
            assert!(what.contains("near cache") && what.contains("RESP2"), "{what}");
            None
        }
        other => panic!("{other:?}"),
    }
}

async fn near(world: &World) -> Option<Store> {
    open(world, Store::builder().near_cache(NearCache::new())).await
}

fn statistics<T: KvEntity>(repository: &Repository<T>) -> NearCacheStatistics {
    repository.store().near_cache().expect("a cache")
}

/// That it comes to be at hand, and how it is. The word of what a store itself has written comes a little later than the answer,
/// and what is on its way then is not kept: so not always the first time.
async fn at_hand(people: &Repository<Person>, id: &str) -> Option<Person> {
    let before = statistics(people).hits;
    for _ in 0..3 {
        let found = people.find_by_id(id).await.unwrap();
        if statistics(people).hits > before {
            return found;
        }
    }
    panic!("{id} is not at hand");
}

/// That it is not at hand, and how it is.
async fn asked_for(people: &Repository<Person>, id: &str) -> Option<Person> {
    let before = statistics(people).misses;
    let found = people.find_by_id(id).await.unwrap();
    assert_eq!(statistics(people).misses, before + 1, "{id} is at hand");
    found
}

pub async fn what_was_found_is_at_hand(world: &World) {
    let Some(store) = near(world).await else { return };
    let people = store.repository::<Person>();
    let mut ann = Person::new("1", "Ann");
    ann.tags = vec!["a".into(), "b".into()];
    people.save(&mut ann).await.unwrap();
    assert_eq!(asked_for(&people, "1").await.as_ref(), Some(&ann));
    for _ in 0..3 {
        // Nothing was known of it before, so the first time will do.
        assert_eq!(at_hand(&people, "1").await.as_ref(), Some(&ann));
    }
    let counted = statistics(&people);
    assert_eq!((counted.hits, counted.misses, counted.entries), (3, 1, 1));
    assert!((200..2_000).contains(&counted.bytes), "{counted:?}");
    // Whoever has no cache says so.
    assert_eq!(world.try_open(Store::builder()).await.unwrap().near_cache(), None);
}

pub async fn what_a_store_has_written_it_finds(world: &World) {
    let Some(store) = near(world).await else { return };
    let people = store.repository::<Person>();
    let p = Person::fields();
    people.insert(&mut Person::new("1", "0")).await.unwrap();
    let name = async |expected: &str| {
        let found = asked_for(&people, "1").await.expect("a person");
        assert_eq!(found.firstname, expected);
        assert_eq!(at_hand(&people, "1").await.unwrap().firstname, expected);
    };
    name("0").await;
    people.save(&mut Person::new("1", "1")).await.unwrap();
    name("1").await;
    people
        .save_all(&mut [Person::new("2", "x"), Person::new("1", "2")])
        .await
        .unwrap();
    name("2").await;
    people.update("1").set(p.firstname, "3".to_owned()).await.unwrap();
    name("3").await;
    people
        .update_with("1", |person| person.firstname = "4".into())
        .await
        .unwrap();
    name("4").await;
    people.take("1").await.unwrap().unwrap();
    assert_eq!(asked_for(&people, "1").await, None);
    for number in 0..4 {
        people.save(&mut Person::new("1", "again")).await.unwrap();
        name("again").await;
        match number {
            0 => assert!(people.delete_by_id("1").await.unwrap()),
            1 => assert_eq!(people.delete_all_by_id(["1"]).await.unwrap(), 1),
            2 => assert!(people.delete(&Person::new("1", "")).await.unwrap()),
            _ => assert_eq!(people.delete_all().await.unwrap(), 2),
        }
        assert_eq!(asked_for(&people, "1").await, None);
    }
    // A write that is refused has written nothing, and what is there is found.
    people.save(&mut Person::new("1", "last")).await.unwrap();
    name("last").await;
    people.insert(&mut Person::new("1", "no")).await.unwrap_err();
    name("last").await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "counters")]
struct Count {
    #[id]
    id: String,
    #[indexed]
    kind: String,
    number: u64,
}

impl Count {
    fn new(id: &str, number: u64) -> Self {
        Self {
            id: id.to_owned(),
            kind: "k".to_owned(),
            number,
        }
    }
}

pub async fn what_a_query_deletes_is_at_hand_no_more(world: &World) {
    let Some(store) = near(world).await else { return };
    let counts = store.repository::<Count>();
    counts.save(&mut Count::new("1", 1)).await.unwrap();
    for _ in 0..2 {
        assert!(counts.find_by_id("1").await.unwrap().is_some());
    }
    assert_eq!(
        counts.find(Count::fields().kind.eq("k")).delete().await.unwrap(),
        1
    );
    assert_eq!(counts.find_by_id("1").await.unwrap(), None);
}

pub async fn a_term_goes_on_for_what_is_at_hand_and_ends_it(world: &World) {
    let Some(store) = near(world).await else { return };
    let people = store.repository::<Person>();
    let mut ann = Person::new("1", "Ann");
    ann.ttl = Some(60);
    people.save(&mut ann).await.unwrap();
    assert_eq!(asked_for(&people, "1").await.unwrap().ttl, Some(60));
    world.pass(Duration::from_millis(1_100)).await;
    assert_eq!(at_hand(&people, "1").await.unwrap().ttl, Some(59));

    assert!(people.expire("1", Duration::from_millis(200)).await.unwrap());
    assert_eq!(asked_for(&people, "1").await.unwrap().ttl, Some(1));
    world.pass(Duration::from_millis(201)).await;
    assert_eq!(asked_for(&people, "1").await, None);

    // Other terms are other lives of what is at hand.
    people.save(&mut ann).await.unwrap();
    asked_for(&people, "1").await.unwrap();
    assert!(people.persist("1").await.unwrap());
    assert_eq!(asked_for(&people, "1").await.unwrap().ttl, None);
    assert_eq!(at_hand(&people, "1").await.unwrap().ttl, None);
    let soon = SystemTime::UNIX_EPOCH + Duration::from_millis(world.now().await + 30_000);
    assert!(people.expire_at("1", soon).await.unwrap());
    assert_eq!(asked_for(&people, "1").await.unwrap().ttl, Some(30));
}

/// Very many, by a clock that is compared at each: what is at hand is there, by the clock of the backend.
pub async fn nothing_is_found_past_its_deadline(world: &World) {
    let Some(store) = near(world).await else { return };
    let sessions = store.repository::<Session>();
    for round in 0..5_u64 {
        let id = round.to_string();
        let saved = sessions
            .save(&mut Session::new(&id, "ann"))
            .time_to_live(Duration::from_millis(150 + round))
            .await
            .unwrap();
        let deadline = crate::world::millis(saved.deadline.expect("a deadline"));
        let mut found = 0;
        loop {
            let before = world.now().await;
            let there = sessions.find_by_id(&id).await.unwrap().is_some();
            assert!(
                !there || before <= deadline,
                "found {} ms late",
                before - deadline
            );
            if !there {
                break;
            }
            found += 1;
            world.pass(Duration::from_millis(1)).await;
        }
        assert!(found > 3, "{found}");
    }
    assert!(statistics(&sessions).hits > 10);
}

pub async fn what_is_idle_is_not_kept(world: &World) {
    let Some(store) = near(world).await else { return };
    let sessions = store.repository::<Session>();
    let span = Duration::from_secs(2);
    sessions
        .save(&mut Session::new("1", "ann"))
        .idle(span)
        .await
        .unwrap();
    // Longer than its term, in which it is read.
    for _ in 0..5 {
        assert!(sessions.find_by_id("1").await.unwrap().is_some());
        world.pass(Duration::from_millis(500)).await;
    }
    let counted = statistics(&sessions);
    assert_eq!((counted.hits, counted.entries), (0, 0), "{counted:?}");
    // From when it is not idle any more it is kept.
    sessions
        .save(&mut Session::new("1", "ann"))
        .time_to_live(MINUTE)
        .await
        .unwrap();
    eventually("it to be at hand", async || {
        assert!(sessions.find_by_id("1").await.unwrap().is_some());
        statistics(&sessions).hits == 1
    })
    .await;
}

pub async fn what_is_not_there_is_asked_for_each_time(world: &World) {
    let Some(store) = near(world).await else { return };
    let people = store.repository::<Person>();
    for _ in 0..3 {
        assert_eq!(asked_for(&people, "1").await, None);
    }
    assert_eq!(statistics(&people).entries, 0);
    // Lists neither ask it nor fill it.
    people.save(&mut Person::new("1", "Ann")).await.unwrap();
    assert_eq!(people.find_all_by_id(["1"]).await.unwrap().len(), 1);
    assert_eq!(people.find_all().await.unwrap().len(), 1);
    assert!(people.exists_by_id("1").await.unwrap());
    assert_eq!(people.time_to_live("1").await.unwrap(), TimeToLive::Persistent);
    let counted = statistics(&people);
    assert_eq!((counted.hits, counted.misses, counted.entries), (0, 3, 0));
}

pub async fn what_another_store_writes_is_found(world: &World) {
    let Some(store) = near(world).await else { return };
    let (people, others) = (store.repository::<Person>(), world.repository::<Person>().await);
    for number in 0..20 {
        let name = number.to_string();
        others.save(&mut Person::new("1", &name)).await.unwrap();
        let found = async || people.find_by_id("1").await.unwrap().expect("a person").firstname;
        eventually("it to be found", async || found().await == name).await;
        // And then for good: nothing that was on its way brings the old back.
        for _ in 0..20 {
            assert_eq!(found().await, name);
        }
    }
    assert!(others.delete_by_id("1").await.unwrap());
    eventually("it to be gone", async || {
        people.find_by_id("1").await.unwrap().is_none()
    })
    .await;
    let counted = statistics(&people);
    assert!(
        counted.hits >= 19 * 20 && counted.invalidations >= 20,
        "{counted:?}"
    );
}

pub async fn tenants_have_each_their_own_at_hand(world: &World) {
    let builder = |prefix| Store::builder().near_cache(NearCache::new()).key_prefix(prefix);
    let Some(acme) = open(world, builder("acme:")).await else {
        return;
    };
    let Some(beta) = open(world, builder("beta:")).await else {
        return;
    };
    let (acme, beta) = (acme.repository::<Session>(), beta.repository::<Session>());
    acme.save(&mut Session::new("1", "ann")).await.unwrap();
    beta.save(&mut Session::new("1", "bob")).await.unwrap();
    let user = async |sessions: &Repository<Session>| sessions.find_by_id("1").await.unwrap().unwrap().user;
    for _ in 0..2 {
        assert_eq!(
            (user(&acme).await, user(&beta).await),
            ("ann".to_owned(), "bob".to_owned())
        );
    }
    acme.save(&mut Session::new("1", "eve")).await.unwrap();
    assert_eq!(
        (user(&acme).await, user(&beta).await),
        ("eve".to_owned(), "bob".to_owned())
    );
    assert_eq!((statistics(&acme).hits, statistics(&beta).hits), (1, 2));
}

/// Not `Clone`, in the keyspace of one that is.
#[derive(Debug, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "counters")]
struct Plain {
    #[id]
    id: String,
    number: u64,
}

pub async fn what_is_done_to_what_was_found_is_not_done_to_what_is_at_hand(world: &World) {
    let Some(store) = near(world).await else { return };
    let (counts, plain) = (store.repository::<Count>(), store.repository::<Plain>());
    counts.save(&mut Count::new("1", 7)).await.unwrap();
    for _ in 0..3 {
        let mut found = counts.find_by_id("1").await.unwrap().unwrap();
        assert_eq!(found.number, 7);
        found.number = 8;
        let mut found = plain.find_by_id("1").await.unwrap().unwrap();
        assert_eq!(found.number, 7);
        found.number = 8;
    }
    assert_eq!(statistics(&counts).hits, 5);
}

pub async fn a_cache_has_its_bounds(world: &World) {
    for (refused, settings) in [
        ("size", NearCache::new().max_bytes(0)),
        ("age", NearCache::new().max_age(Duration::ZERO)),
    ] {
        let opened = world.try_open(Store::builder().near_cache(settings)).await;
        let Err(Error::InvalidSetting { what, .. }) = opened else {
            panic!("{opened:?}")
        };
        assert!(what.contains(refused), "{what}");
    }
    let small = NearCache::new()
        .max_bytes(40_000)
        .max_age(Duration::from_millis(300));
    let Some(store) = open(world, Store::builder().near_cache(small)).await else {
        return;
    };
    let people = store.repository::<Person>();
    let mut all: Vec<Person> = (0..500).map(|id| Person::new(&id.to_string(), "Ann")).collect();
    all.push(Person::new("large", &"x".repeat(50_000)));
    people.save_all(&mut all).await.unwrap();
    for person in &all {
        assert!(
            people
                .find_by_id(person.id.as_ref().unwrap())
                .await
                .unwrap()
                .is_some()
        );
        let counted = statistics(&people);
        assert!(counted.bytes <= 40_000, "{counted:?}");
    }
    assert!(
        (20..400).contains(&statistics(&people).entries),
        "{:?}",
        statistics(&people)
    );
    assert!(asked_for(&people, "large").await.is_some());

    people.find_by_id("1").await.unwrap();
    at_hand(&people, "1").await;
    world.pass(Duration::from_millis(301)).await;
    asked_for(&people, "1").await;
    at_hand(&people, "1").await;
}

/// Writers and readers of the same store, in a race. Each id has one writer, who counts; a find that begins after a write was
/// answered finds that or a later one.
pub async fn a_find_after_a_write_never_finds_what_was_before(world: &World) {
    let Some(store) = near(world).await else { return };
    race(&store.repository::<Count>(), Duration::from_millis(1_500)).await;
}

const RACED: usize = 4;

async fn race(counts: &Repository<Count>, length: Duration) {
    let ids: [String; RACED] = std::array::from_fn(|at| format!("raced-{at}"));
    let mut all = ids.each_ref().map(|id| Count::new(id, 0));
    counts.save_all(&mut all).await.unwrap();
    let answered: Arc<[AtomicU64; RACED]> = Arc::default();
    let until = Instant::now() + length;
    let mut tasks = Vec::new();
    for (at, id) in ids.iter().cloned().enumerate() {
        let (counts, answered) = (counts.clone(), Arc::clone(&answered));
        tasks.push(tokio::spawn(async move {
            for number in 1.. {
                if number % 3 == 0 {
                    let update = counts.update(&id).set(Count::fields().number, number);
                    assert!(update.await.unwrap());
                } else {
                    counts.save(&mut Count::new(&id, number)).await.unwrap();
                }
                answered[at].store(number, Ordering::SeqCst);
                // Its own write is found by the writer itself, too, at once and a little later.
                for pause in 0..number % 7 {
                    assert!(counts.find_by_id(&id).await.unwrap().unwrap().number >= number);
                    for _ in 0..pause * 10 {
                        tokio::task::yield_now().await;
                    }
                }
                if Instant::now() >= until {
                    break;
                }
            }
        }));
    }
    for reader in 0..8 {
        let (counts, answered, ids) = (counts.clone(), Arc::clone(&answered), ids.clone());
        tasks.push(tokio::spawn(async move {
            let mut last = [0; RACED];
            for turn in reader.. {
                let at = turn % RACED;
                let least = answered[at].load(Ordering::SeqCst);
                let found = counts.find_by_id(&ids[at]).await.unwrap().unwrap().number;
                assert!(found >= least, "found {found} after {least} was answered");
                // Nobody else writes, so nobody finds less than before either.
                assert!(found >= last[at], "found {found} after {}", last[at]);
                last[at] = found;
                if Instant::now() >= until {
                    break;
                }
            }
        }));
    }
    for task in tasks {
        task.await.expect("nobody finds what was before");
    }
    let counted = statistics(counts);
    let written: u64 = answered
        .iter()
        .map(|answered| answered.load(Ordering::SeqCst))
        .sum();
    assert!(
        counted.hits > 100 && written > 20,
        "{written} writes: {counted:?}"
    );
}
