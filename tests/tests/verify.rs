//! Verifying and rebuilding: everything that disagrees is told, and mended while others write.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::TryStreamExt;
use kvrepo::{Disagreement, Error, Finding, KeyspaceEvents, KvEntity, Point, Repository, Store};
use kvrepo_tests::harness::TestServer;
use kvrepo_tests::world::World;
use serde::{Deserialize, Serialize};

/// As it was before it had indexes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "things")]
struct Old {
    #[id]
    id: String,
    name: String,
    size: u32,
    code: String,
    spot: Option<Point>,
}

/// As it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "things")]
struct Thing {
    #[id]
    id: String,
    #[indexed]
    name: String,
    #[indexed(range)]
    size: u32,
    #[indexed(unique)]
    code: String,
    #[geo_indexed]
    spot: Option<Point>,
}

impl Thing {
    fn new(id: &str, name: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            size: 7,
            code: format!("c{id}"),
            spot: Some(Point::new(10.0, 60.0)),
        }
    }
}

impl Old {
    fn new(id: &str, code: &str) -> Self {
        let Thing {
            id, name, size, spot, ..
        } = Thing::new(id, "n");
        Self {
            id,
            name,
            size,
            code: code.to_owned(),
            spot,
        }
    }
}

async fn quiet(world: &World) -> Store {
    world.open(Store::builder().events(KeyspaceEvents::Off)).await
}

fn told(findings: Vec<Finding>) -> BTreeSet<String> {
    let told = findings.into_iter().map(|finding| {
        let what = match finding.disagreement {
            Disagreement::Missing(index) => format!("missing {index}"),
            Disagreement::Stale(index) => format!("stale {index}"),
            Disagreement::Taken(index) => format!("taken {index}"),
            other => format!("{other:?}"),
        };
        format!("{}: {what}", finding.id)
    });
    told.collect()
}

/// An index that was added to a type that has data.
async fn an_index_that_was_added_is_built(world: &World) {
    let store = quiet(world).await;
    let (old, things) = (store.repository::<Old>(), store.repository::<Thing>());
    let mut all: Vec<Old> = (0..1_234)
        .map(|i| Old::new(&format!("{i:04}"), &format!("c{i}")))
        .collect();
    old.save_all(&mut all)
        .time_to_live(Duration::from_secs(600))
        .await
        .unwrap();
    let thing = Thing::fields();
    assert_eq!(things.find(thing.name.eq("n")).count().await.unwrap(), 0);
    assert_eq!(things.verify().await.unwrap().len(), 4 * 1_234);
    let (mut steps, mut done, mut mended) = (things.rebuild_indexes().stream(), 0, 0);
    let mut last = None;
    while let Some(progress) = steps.try_next().await.unwrap() {
        assert!(progress.done >= done && progress.total >= progress.done);
        done = progress.done;
        mended += progress.findings.len();
        last = Some(progress);
    }
    let last = last.unwrap();
    assert_eq!((last.done, last.cursor), (last.total, None));
    assert_eq!(mended, 4 * 1_234);
    assert_eq!(things.find(thing.name.eq("n")).count().await.unwrap(), 1_234);
    assert_eq!(things.find(thing.size.gt(6)).count().await.unwrap(), 1_234);
    assert!(things.find(thing.code.eq("c77")).exists().await.unwrap());
    let near = thing
        .spot
        .near(Point::new(10.0, 60.0), kvrepo::Distance::meters(5.0));
    assert_eq!(things.find(near).count().await.unwrap(), 1_234);
    assert_eq!(things.verify().await.unwrap(), []);
    // A unique value that two have.
    old.save(&mut Old::new("x", "c77")).await.unwrap();
    let unmended = things.rebuild_indexes().await.unwrap();
    assert!(
        unmended
            .iter()
            .any(|finding| finding.id == "x" && matches!(&finding.disagreement, Disagreement::Taken(_))),
        "{unmended:?}"
    );
    let left = told(things.verify().await.unwrap());
    assert_eq!(left, ["x: taken things#unique:code:c77".to_owned()].into());
    let refused = things.verify().resume("nonsense:1").await;
    if world.as_server().is_some() {
        assert!(
            matches!(refused, Err(Error::InvalidSetting { what: "cursor", .. })),
            "{refused:?}"
        );
    }
}

/// Stopped after the first step and gone on with, it sees all the same.
async fn a_stopped_walk_goes_on_where_it_was(world: &World) {
    let store = quiet(world).await;
    let (old, things) = (store.repository::<Old>(), store.repository::<Thing>());
    let mut all: Vec<Old> = (0..1_500)
        .map(|i| Old::new(&format!("{i:04}"), &format!("c{i}")))
        .collect();
    old.save_all(&mut all).await.unwrap();
    let mut cursor = None::<String>;
    let mut steps = 0;
    loop {
        let mut rebuild = things.rebuild_indexes();
        if let Some(cursor) = &cursor {
            rebuild = rebuild.resume(cursor);
        }
        let progress = rebuild.stream().try_next().await.unwrap().unwrap();
        steps += 1;
        cursor = progress.cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert!(steps > 2);
    assert_eq!(
        things.find(Thing::fields().name.eq("n")).count().await.unwrap(),
        1_500
    );
    assert_eq!(things.verify().await.unwrap(), []);
}

/// While others write, nothing is broken by mending.
async fn others_write_meanwhile(world: &World) {
    let store = quiet(world).await;
    let things = store.repository::<Thing>();
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let (things, stop) = (things.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                let mut round = 0_u32;
                while !stop.load(Ordering::Relaxed) {
                    round += 1;
                    let id = format!("{writer}-{}", round % 40);
                    match round % 5 {
                        0 => drop(things.delete_by_id(&id).await.unwrap()),
                        1 => {
                            let name = Thing::fields().name;
                            things.update(&id).set(name, format!("n{round}")).await.unwrap();
                        }
                        _ => {
                            let mut thing = Thing::new(&id, &format!("n{round}"));
                            things
                                .save(&mut thing)
                                .time_to_live(Duration::from_secs(60))
                                .await
                                .unwrap();
                        }
                    }
                }
            })
        })
        .collect();
    for _ in 0..20 {
        let found = things.rebuild_indexes().await.unwrap();
        assert_eq!(found, [], "nothing was wrong, whatever was written meanwhile");
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(things.verify().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_memory() {
    an_index_that_was_added_is_built(&World::memory()).await;
    a_stopped_walk_goes_on_where_it_was(&World::memory()).await;
    others_write_meanwhile(&World::memory()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_server() {
    an_index_that_was_added_is_built(&World::server().await).await;
    a_stopped_walk_goes_on_where_it_was(&World::server().await).await;
    others_write_meanwhile(&World::server().await).await;
}

async fn raw(server: &TestServer, commands: &[&str]) {
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        server.command(&words).await;
    }
}

async fn disagreements(things: &Repository<Thing>) -> BTreeSet<String> {
    told(things.verify().await.unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_that_disagrees_is_told_and_mended() {
    let world = World::server().await;
    let server = world.as_server().unwrap();
    let store = quiet(&world).await;
    let things = store.repository::<Thing>();
    for id in 'a'..='k' {
        let mut thing = Thing::new(&id.to_string(), "n");
        things
            .save(&mut thing)
            .time_to_live(Duration::from_secs(600))
            .await
            .unwrap();
    }
    let mut forever = Thing::new("p", "n");
    things.save(&mut forever).await.unwrap();
    // One that has expired, and waits to be reaped, is no disagreement.
    let mut brief = Thing::new("z", "n");
    things
        .save(&mut brief)
        .time_to_live(Duration::from_millis(20))
        .await
        .unwrap();
    world.pass(Duration::from_millis(25)).await;
    assert_eq!(disagreements(&things).await, BTreeSet::new());

    raw(
        server,
        &[
            // Evicted; and deleted by hand, but for its phantom.
            "DEL things:a",
            "DEL things:b things:b:idx",
            "SREM things b",
            // Fallen out of the id set.
            "SREM things c",
            // A TTL that another client changed, and a deadline that is missing.
            "PEXPIRE things:d 900000",
            "ZREM things#deadlines e",
            // Phantoms: missing, different, and of what never ends.
            "DEL things:f:phantom",
            "HSET things:g:phantom name other",
            "COPY things:p things:p:phantom",
            // Indexes: an entry missing, in the helper and not there, a value of another, and ids of nobody.
            "SREM things:name:n h",
            "DEL things:i:idx",
            "SADD things:name:other j",
            "ZADD things#range:size 0 p015\u{0}nobody",
            "HSET things#unique:code ghost nobody",
            "HSET things:k name changed",
            // Not ours: another type of key, another keyspace, a hash that is no entity.
            "SET things:text x",
            "SADD thingsome x",
            "HSET things:foreign a b",
        ],
    )
    .await;
    let expected: BTreeSet<String> = [
        "a: Gone",
        "b: Left",
        "b: stale things:name:n",
        "b: stale things:spot",
        "b: stale things#range:size:p017",
        "b: stale things#unique:code:cb",
        "c: Unlisted",
        "d: Deadline",
        "d: Phantom",
        "e: Deadline",
        "f: Phantom",
        "g: Phantom",
        "p: Phantom",
        "h: missing things:name:n",
        "i: missing things:name:n",
        "i: missing things:spot",
        "i: missing things#range:size:p017",
        "i: missing things#unique:code:ci",
        "i: stale things:name:n",
        "i: stale things:spot",
        "i: stale things#range:size:p017",
        "i: stale things#unique:code:ci",
        "j: stale things:name:other",
        "nobody: stale things#range:size:p015",
        "nobody: stale things#unique:code:ghost",
        "k: stale things:name:n",
        "k: missing things:name:changed",
        "k: Phantom",
        "foreign: Unlisted",
    ]
    .into_iter()
    .map(str::to_owned)
    .collect();
    assert_eq!(disagreements(&things).await, expected);
    // Looking changes nothing.
    assert_eq!(disagreements(&things).await, expected);
    let mended = told(things.rebuild_indexes().await.unwrap());
    for finding in &mended {
        assert!(expected.contains(finding), "{finding}");
    }
    assert_eq!(
        disagreements(&things).await,
        ["foreign: Unlisted".to_owned()].into()
    );
    let thing = Thing::fields();
    let named = things.find(thing.name.eq("n")).ids().await.unwrap();
    assert_eq!(named.concat(), "cdefghijp");
    assert_eq!(things.find(thing.name.eq("changed")).ids().await.unwrap(), ["k"]);
    assert_eq!(things.find(thing.name.eq("other")).count().await.unwrap(), 0);
    let swept = things.sweep().await.unwrap();
    assert_eq!((swept.expired, swept.repaired), (1, 0));
}

/// Saves derive entries here, and changes and verifications on the server: they have to agree on every value.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_sides_derive_the_same_entries() {
    use kvrepo_tests::suite::indexed::{Berth, Home, Kin, Member};

    let world = World::server().await;
    let members = quiet(&world).await.repository::<Member>();
    let texts = [
        "",
        ":",
        "a:b",
        "%",
        "^$()%.[]*+-?",
        "\0",
        "\0\u{ff}",
        "ä",
        "🦀",
        "[0]",
        "x.y",
        "1e5",
        "-",
        "P",
        "null",
    ];
    let floats = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.1,
        1e15,
        1e16,
        1e-7,
        5e-324,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        9_007_199_254_740_993.0,
    ];
    let seconds = [
        0,
        1,
        59,
        86_399,
        951_782_400,
        1_709_164_800,
        4_102_444_800,
        -1,
        -86_401,
        -62_135_596_800,
        -62_167_219_201,
    ];
    let numbers = [0, 1, 9, 10, 99, u64::MAX, 1 << 53, (1 << 53) + 1];
    let mut all = Vec::new();
    for i in 0..60_usize {
        let text = texts[i % texts.len()].to_owned();
        let (second, number) = (seconds[i % seconds.len()], numbers[i % numbers.len()]);
        let float = floats[i % floats.len()];
        let nanos = [0, 1, 500_000_000, 999_999_999, 120][i % 5];
        let mut member = Member::new(&format!("m{i}"));
        member.name = Some(text.clone());
        member.tags = vec![text.clone(), "b".into()];
        member.marks = [(text.replace(']', ""), text.clone())].into();
        member.age = Some(number);
        member.score = Some(float);
        member.title = Some(text.clone());
        member.seen = chrono::DateTime::from_timestamp(second, nanos);
        member.born = member.seen.map(|seen| seen.date_naive());
        let span = Duration::new(second.unsigned_abs(), nanos);
        member.changed = std::time::SystemTime::UNIX_EPOCH.checked_add(span);
        member.pause = Some(span);
        member.shift = Some(Duration::new(second.unsigned_abs(), nanos));
        member.email = Some(format!("{i}{text}"));
        member.number = Some(u128::MAX - i as u128);
        member.home = Some(Home {
            city_name: text.clone(),
            at: Some(Point::new(second as f64 % 180.0, float.clamp(-85.0, 85.0)).clean()),
        });
        member.berths = vec![
            Berth {
                port: text.clone(),
                depth: float as f32,
            };
            3
        ];
        member.kin = [(text.replace(']', ""), Kin { city: text })].into();
        all.push(member);
    }
    members.save_all(&mut all).await.unwrap();
    assert_eq!(members.verify().await.unwrap(), []);
    let member = Member::fields();
    for (i, other) in all.iter().enumerate() {
        let other = other.clone();
        let next = &all[(i + 1) % all.len()];
        members
            .update(&other.id)
            .set(member.name, next.name.clone())
            .set(member.score, next.score)
            .set(member.seen, next.seen)
            .set(member.changed, next.changed)
            .set(member.pause, next.pause)
            .set(member.shift, next.shift)
            .set(member.marks, next.marks.clone())
            .set(member.berths, next.berths.clone())
            .set(member.kin, next.kin.clone())
            .set(member.home, next.home.clone())
            .set(member.title, next.title.clone())
            .await
            .unwrap();
    }
    assert_eq!(members.verify().await.unwrap(), []);
    // And what was derived there is what is asked for here.
    for other in &all {
        let seen = members.find(member.seen.eq(other.seen.unwrap()));
        assert!(seen.exists().await.unwrap());
        let pause = members.find(member.pause.eq(other.pause.unwrap()));
        assert!(pause.exists().await.unwrap());
        let shift = members.find(member.shift.eq(other.shift.unwrap()));
        assert!(shift.exists().await.unwrap());
        let title = members.find(member.title.eq(other.title.as_deref().unwrap()));
        assert!(title.exists().await.unwrap());
        let score = other.score.unwrap();
        assert_eq!(
            members.find(member.score.eq(score)).exists().await.unwrap(),
            !score.is_nan()
        );
    }
    // Sorted there as here.
    let sorted = members.find_all().sort(member.seen.asc()).await.unwrap();
    assert!(sorted.iter().map(|member| member.seen).is_sorted());
    let sorted = members.find_all().sort(member.pause.desc()).await.unwrap();
    assert!(sorted.iter().rev().map(|member| member.pause).is_sorted());
    let sorted = members.find_all().sort(member.title.asc()).await.unwrap();
    assert!(sorted.iter().map(|member| member.title.clone()).is_sorted());
}

trait Clean {
    /// Without `NaN`.
    fn clean(self) -> Self;
}

impl Clean for Point {
    fn clean(self) -> Self {
        let number = |number: f64| if number.is_nan() { 0.0 } else { number };
        Self::new(number(self.lon), number(self.lat))
    }
}
