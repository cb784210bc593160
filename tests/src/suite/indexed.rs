//! Indexes: what is found follows what is stored, whatever call changed it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, NaiveDate, Utc};
use kvrepo::{Circle, Distance, Error, Filter, KeyspaceEvents, KvEntity, KvNested, Point, Repository, Store};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::world::World;

/// With an index of every kind.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "members")]
pub struct Member {
    #[id]
    pub id: String,
    #[indexed]
    pub name: Option<String>,
    #[indexed]
    pub role: Option<Role>,
    #[indexed]
    pub active: bool,
    #[indexed]
    pub token: Option<Uuid>,
    #[indexed]
    pub tags: Vec<String>,
    #[indexed]
    pub groups: BTreeSet<u16>,
    #[indexed]
    pub marks: BTreeMap<String, String>,
    #[indexed(range)]
    pub age: Option<u64>,
    #[indexed(range)]
    pub score: Option<f64>,
    #[indexed(range)]
    pub title: Option<String>,
    #[indexed(range)]
    pub born: Option<NaiveDate>,
    #[indexed(range)]
    pub seen: Option<DateTime<Utc>>,
    #[indexed(range)]
    pub changed: Option<SystemTime>,
    #[indexed(range)]
    pub pause: Option<Duration>,
    #[serde(with = "kvrepo::with::iso_duration::option", default)]
    #[indexed(range)]
    pub shift: Option<Duration>,
    #[indexed(unique, name = "mail")]
    pub email: Option<String>,
    #[indexed(range, unique)]
    pub number: Option<u128>,
    #[nested]
    pub home: Option<Home>,
    #[nested]
    pub berths: Vec<Berth>,
    #[nested]
    pub kin: BTreeMap<String, Kin>,
    #[geo_indexed]
    pub spot: Option<Point>,
    #[time_to_live]
    pub ttl: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvNested)]
#[serde(rename_all = "camelCase")]
pub struct Home {
    #[indexed(name = "town")]
    pub city_name: String,
    #[geo_indexed]
    pub at: Option<Point>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvNested)]
pub struct Berth {
    #[indexed]
    pub port: String,
    #[indexed(range)]
    pub depth: f32,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvNested)]
pub struct Kin {
    #[indexed]
    pub city: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Role {
    Cook,
    #[serde(rename = "first-mate")]
    Mate,
}

impl Member {
    /// Somebody of whom nothing is known.
    #[must_use]
    pub fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            ..Self::default()
        }
    }

    /// Somebody of this name.
    #[must_use]
    pub fn named(id: &str, name: &str) -> Self {
        Self {
            name: Some(name.to_owned()),
            ..Self::new(id)
        }
    }
}

pub(super) async fn found(members: &Repository<Member>, filter: Filter<Member>) -> Vec<String> {
    members.find(filter).ids().await.unwrap()
}

/// Somebody with a value in every index.
pub(super) fn full(id: &str) -> Member {
    Member {
        id: id.to_owned(),
        name: Some("a:b".into()),
        role: Some(Role::Mate),
        active: true,
        token: Some(Uuid::from_u128(7)),
        tags: vec!["red-42".into(), "a*b".into(), "[x]".into()],
        groups: [3, 10].into(),
        marks: [("arm".into(), "anchor".into()), ("x.y:z".into(), "star".into())].into(),
        age: Some(9_007_199_254_740_993),
        score: Some(-1.5),
        title: Some("Café".into()),
        born: NaiveDate::from_ymd_opt(1990, 2, 3),
        seen: DateTime::from_timestamp(1_700_000_000, 500),
        changed: Some(SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_250)),
        pause: Some(Duration::from_millis(1_500)),
        shift: Some(Duration::from_secs(277_560)),
        email: Some("ann@x".into()),
        number: Some(u128::MAX),
        home: Some(Home {
            city_name: "Oslo".into(),
            at: Some(Point::new(10.75, 59.91)),
        }),
        berths: vec![
            Berth {
                port: "Bergen".into(),
                depth: 4.5,
            },
            Berth {
                port: "Moss".into(),
                depth: 9.0,
            },
        ],
        kin: [("mother".into(), Kin { city: "Vik".into() })].into(),
        spot: Some(Point::new(-70.0, -33.0)),
        ttl: None,
    }
}

/// One filter for each index, by which `full` is found, and a name for it.
fn each_index() -> Vec<(&'static str, Filter<Member>)> {
    let member = Member::fields();
    let since = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    vec![
        ("name", member.name.eq("a:b")),
        ("role", member.role.eq(Role::Mate)),
        ("active", member.active.is_true()),
        ("token", member.token.eq(Uuid::from_u128(7))),
        ("tags", member.tags.eq("a*b")),
        ("groups", member.groups.eq(10)),
        ("marks", member.marks.key("arm").eq("anchor")),
        ("marks, odd", member.marks.key("x.y:z").eq("star")),
        ("age", member.age.gt(9_007_199_254_740_992)),
        ("age is", member.age.eq(9_007_199_254_740_993)),
        ("score", member.score.between(-2.0, -1.0)),
        ("title", member.title.starts_with("Ca")),
        (
            "born",
            member.born.lt(NaiveDate::from_ymd_opt(1990, 2, 4).unwrap()),
        ),
        (
            "seen",
            member
                .seen
                .ge(DateTime::from_timestamp(1_700_000_000, 500).unwrap()),
        ),
        ("changed", member.changed.gt(since(1_700_000_000))),
        ("pause", member.pause.eq(Duration::from_millis(1_500))),
        ("shift", member.shift.gt(Duration::from_secs(277_559))),
        ("mail", member.email.eq("ann@x")),
        ("number", member.number.eq(u128::MAX)),
        ("number, least", member.number.ge(u128::MAX)),
        ("town", member.home.city_name.eq("Oslo")),
        (
            "at",
            member
                .home
                .at
                .near(Point::new(10.7, 59.9), Distance::kilometers(5.0)),
        ),
        ("port", member.berths.port.eq("Moss")),
        ("depth", member.berths.depth.lt(5.0)),
        ("kin", member.kin.city.under("mother").eq("Vik")),
        (
            "spot",
            member
                .spot
                .within(Circle::new(Point::new(-70.0, -33.0), Distance::meters(1.0))),
        ),
    ]
}

async fn nothing_is_found(members: &Repository<Member>) {
    for (index, filter) in each_index() {
        assert_eq!(found(members, filter).await, [""; 0], "{index}");
    }
}

pub async fn every_index_finds_what_was_saved(world: &World) {
    let members = world.repository::<Member>().await;
    members.save(&mut full("1")).await.unwrap();
    members.save(&mut Member::new("2")).await.unwrap();
    for (index, filter) in each_index() {
        assert_eq!(found(&members, filter).await, ["1"], "{index}");
    }
    let ann = members.find(Member::fields().name.eq("a:b")).await.unwrap();
    assert_eq!(ann, [full("1")]);
}

pub async fn a_value_that_is_replaced_or_none_is_not_found_any_more(world: &World) {
    let members = world.repository::<Member>().await;
    members.save(&mut full("1")).await.unwrap();
    members.save(&mut Member::new("1")).await.unwrap();
    nothing_is_found(&members).await;
    if let Some(server) = world.as_server() {
        let index: Vec<String> = server.query(&["SMEMBERS", "members:1:idx"]).await;
        assert_eq!(index, ["members:active:0"]);
        let keys = ["members", "members:1", "members:1:idx", "members:active:0"];
        assert_eq!(world.keys().await, keys);
    }
}

pub async fn what_is_deleted_is_in_no_index(world: &World) {
    let members = world.repository::<Member>().await;
    members.save(&mut full("1")).await.unwrap();
    members.delete_by_id("1").await.unwrap();
    nothing_is_found(&members).await;
    if world.as_server().is_some() {
        assert_eq!(world.keys().await, [""; 0]);
    }
}

pub async fn what_has_expired_is_in_no_index(world: &World) {
    let store = world.open(Store::builder().events(KeyspaceEvents::Off)).await;
    let members = store.repository::<Member>();
    let term = Duration::from_millis(150);
    members.save(&mut full("1")).time_to_live(term).await.unwrap();
    world.pass(term + Duration::from_millis(2)).await;
    nothing_is_found(&members).await;
    for (index, filter) in each_index() {
        assert_eq!(members.find(filter).count().await.unwrap(), 0, "{index}");
    }
    for (index, filter) in each_index() {
        assert!(!members.find(filter).exists().await.unwrap(), "{index}");
    }
    for (index, filter) in each_index() {
        assert_eq!(members.find(filter).await.unwrap(), [], "{index}");
    }
    // A unique value is free at once.
    let mut next = Member::new("2");
    (next.email, next.number) = (Some("ann@x".into()), Some(u128::MAX));
    members.save(&mut next).await.unwrap();
    let mail = || Member::fields().email.eq("ann@x");
    assert_eq!(found(&members, mail()).await, ["2"]);
    members.sweep().await.unwrap();
    assert_eq!(found(&members, mail()).await, ["2"]);
    members.delete_by_id("2").await.unwrap();
    if world.as_server().is_some() {
        assert_eq!(world.keys().await, ["members#expired", "members#log"]);
    }
}

pub async fn a_life_that_was_not_reaped_leaves_nothing_in_the_next(world: &World) {
    let store = world.open(Store::builder().events(KeyspaceEvents::Off)).await;
    let members = store.repository::<Member>();
    members
        .save(&mut full("1"))
        .time_to_live(Duration::from_millis(20))
        .await
        .unwrap();
    world.pass(Duration::from_millis(22)).await;
    members.save(&mut Member::named("1", "b")).await.unwrap();
    nothing_is_found(&members).await;
    assert_eq!(found(&members, Member::fields().name.eq("b")).await, ["1"]);
}

pub async fn a_partial_update_moves_only_what_it_changes(world: &World) {
    let members = world.repository::<Member>().await;
    members.save(&mut full("1")).await.unwrap();
    let member = Member::fields();
    let changed = members
        .update("1")
        .set(member.name, Some("Ben".into()))
        .set(member.tags, vec!["blue".into()])
        .set(member.marks.key("leg"), "snake".into())
        .unset(member.marks.key("arm"))
        .unset(member.home.at)
        .increment(member.age, 1)
        .set(member.email, Some("ben@x".into()))
        .await
        .unwrap();
    assert!(changed);
    let moved = ["name", "tags", "marks", "at", "age is", "mail"];
    for (index, filter) in each_index() {
        let expected: &[&str] = if moved.contains(&index) { &[] } else { &["1"] };
        assert_eq!(found(&members, filter).await, expected, "{index}");
    }
    for filter in [
        member.name.eq("Ben"),
        member.tags.eq("blue"),
        member.marks.key("leg").eq("snake"),
        member.age.eq(9_007_199_254_740_994),
        member.email.eq("ben@x"),
        member.home.city_name.eq("Oslo"),
    ] {
        assert_eq!(found(&members, filter).await, ["1"]);
    }
    members
        .update("1")
        .unset(member.home)
        .unset(member.name)
        .await
        .unwrap();
    assert_eq!(found(&members, member.home.city_name.eq("Oslo")).await, [""; 0]);
    assert_eq!(found(&members, member.name.eq("Ben")).await, [""; 0]);
    assert_eq!(found(&members, member.tags.eq("blue")).await, ["1"]);
    members
        .update_with("1", |member| member.name = Some("Cleo".into()))
        .await
        .unwrap();
    assert_eq!(found(&members, member.name.eq("Cleo")).await, ["1"]);
    // A term alone moves nothing.
    members.expire("1", Duration::from_secs(60)).await.unwrap();
    members.persist("1").await.unwrap();
    assert_eq!(found(&members, member.name.eq("Cleo")).await, ["1"]);
}

pub async fn a_field_in_each_element_of_a_list_is_not_changed_by_itself(world: &World) {
    let members = world.repository::<Member>().await;
    members.save(&mut full("1")).await.unwrap();
    let member = Member::fields();
    let refused = members
        .update("1")
        .set(member.berths.port, "Moss".into())
        .await
        .unwrap_err();
    assert!(
        matches!(&refused, Error::Encode { path, .. } if path == "berths.port"),
        "{refused:?}"
    );
    let refused = members
        .find(member.name.eq("a:b"))
        .sort(member.berths.depth.asc())
        .await
        .unwrap_err();
    assert!(
        matches!(refused, Error::InvalidSetting { what: "sort key", .. }),
        "{refused:?}"
    );
    let refused = members.find(member.kin.city.eq("Vik")).await.unwrap_err();
    assert!(
        matches!(&refused, Error::Encode { path, .. } if path == "kin.city"),
        "{refused:?}"
    );
    // An element as a whole is changed, and the indexes with it.
    let berth = Berth {
        port: "Horten".into(),
        depth: 1.0,
    };
    members
        .update("1")
        .set(member.berths.index(1), berth)
        .await
        .unwrap();
    assert_eq!(found(&members, member.berths.port.eq("Moss")).await, [""; 0]);
    assert_eq!(found(&members, member.berths.port.eq("Horten")).await, ["1"]);
    assert_eq!(found(&members, member.berths.port.eq("Bergen")).await, ["1"]);
    assert_eq!(
        found(&members, member.berths.depth.between(0.5, 1.0)).await,
        ["1"]
    );
}

pub async fn none_is_not_indexed_and_the_text_null_is(world: &World) {
    let members = world.repository::<Member>().await;
    members.save(&mut Member::new("1")).await.unwrap();
    members.save(&mut Member::named("2", "null")).await.unwrap();
    members.save(&mut Member::named("3", "")).await.unwrap();
    let name = Member::fields().name;
    assert_eq!(found(&members, name.eq("null")).await, ["2"]);
    assert_eq!(found(&members, name.eq("")).await, ["3"]);
    assert_eq!(found(&members, name.eq("None")).await, [""; 0]);
}

/// Texts that mean something to layouts, patterns and scripts.
const HOSTILE: [&str; 22] = [
    "",
    ":",
    "a:b",
    "a::b",
    "idx",
    "phantom",
    ":idx",
    ":phantom",
    "#",
    "a#b",
    "*",
    "a*b",
    "[x]",
    "?",
    "red-42",
    "a b",
    "%d+",
    "\\0",
    "\0",
    "a\0b",
    "\u{10ffff}",
    "🦀",
];

pub async fn any_text_is_found_as_itself_and_nothing_else(world: &World) {
    let members = world.repository::<Member>().await;
    for (i, text) in HOSTILE.iter().enumerate() {
        let text = || Some((*text).to_owned());
        let mut member = Member::new(&format!("m{i:02}"));
        (member.name, member.title, member.email) = (text(), text(), text());
        member.tags = vec![text().unwrap()];
        member.home = Some(Home {
            city_name: text().unwrap(),
            at: None,
        });
        members.save(&mut member).await.unwrap();
    }
    let member = Member::fields();
    for (i, text) in HOSTILE.iter().enumerate() {
        let only = [format!("m{i:02}")];
        for filter in [
            member.name.eq(*text),
            member.title.eq(*text),
            member.email.eq(*text),
            member.tags.eq(*text),
            member.home.city_name.eq(*text),
            member.title.between(*text, *text),
        ] {
            assert_eq!(found(&members, filter).await, only, "{text:?}");
        }
    }
    let mut sorted = HOSTILE;
    sorted.sort_unstable();
    let titles = members
        .find(member.title.ge(""))
        .sort(member.title.asc())
        .await
        .unwrap();
    let titles: Vec<_> = titles
        .iter()
        .map(|member| member.title.as_deref().unwrap())
        .collect();
    assert_eq!(titles, sorted);
    for least in HOSTILE {
        let count = |holds: &dyn Fn(&str) -> bool| sorted.iter().filter(|text| holds(text)).count() as u64;
        for (filter, expected) in [
            (member.title.ge(least), count(&|text| text >= least)),
            (member.title.gt(least), count(&|text| text > least)),
            (member.title.le(least), count(&|text| text <= least)),
            (member.title.lt(least), count(&|text| text < least)),
            (
                member.title.starts_with(least),
                count(&|text| text.starts_with(least)),
            ),
        ] {
            assert_eq!(members.find(filter).count().await.unwrap(), expected, "{least:?}");
        }
    }
    for i in 0..HOSTILE.len() {
        members.delete_by_id(format!("m{i:02}")).await.unwrap();
    }
    if world.as_server().is_some() {
        assert_eq!(world.keys().await, [""; 0]);
    }
}

pub async fn keys_of_maps_that_look_like_others_are_told_apart(world: &World) {
    let members = world.repository::<Member>().await;
    for (id, key, value) in [
        ("1", "a", "b:c"),
        ("2", "a:b", "c"),
        ("3", "a.b", "c"),
        ("4", "a", "c"),
    ] {
        let mut member = Member::new(id);
        member.marks.insert(key.to_owned(), value.to_owned());
        members.save(&mut member).await.unwrap();
    }
    let marks = Member::fields().marks;
    assert_eq!(found(&members, marks.key("a").eq("b:c")).await, ["1"]);
    assert_eq!(found(&members, marks.key("a:b").eq("c")).await, ["2"]);
    assert_eq!(found(&members, marks.key("a.b").eq("c")).await, ["3"]);
    assert_eq!(found(&members, marks.key("a").eq("c")).await, ["4"]);
    assert_eq!(
        found(&members, marks.key("a").is_in(["c", "b:c"])).await,
        ["1", "4"]
    );
}

pub async fn a_unique_value_is_one_living_entitys(world: &World) {
    let members = world.repository::<Member>().await;
    let with = |id: &str, email: &str| Member {
        email: Some(email.into()),
        ..Member::new(id)
    };
    members.save(&mut with("1", "a@x")).await.unwrap();
    // The same entity may save it again.
    members.save(&mut with("1", "a@x")).await.unwrap();
    for refused in [
        members.save(&mut with("2", "a@x")).await.unwrap_err(),
        members.insert(&mut with("2", "a@x")).await.unwrap_err(),
    ] {
        assert!(
            matches!(&refused, Error::UniqueViolation { keyspace, field } if keyspace == "members" && field == "mail"),
            "{refused:?}"
        );
        assert!(refused.is_conflict());
    }
    assert_eq!(members.find_by_id("2").await.unwrap(), None);
    members.save(&mut with("2", "b@x")).await.unwrap();
    let email = Member::fields().email;
    let refused = members
        .update("2")
        .set(email, Some("a@x".into()))
        .await
        .unwrap_err();
    assert!(matches!(refused, Error::UniqueViolation { .. }), "{refused:?}");
    assert_eq!(found(&members, email.eq("b@x")).await, ["2"]);
    // In one batch the first has it.
    let batch = members
        .save_all(&mut [with("3", "c@x"), with("4", "c@x")])
        .await
        .unwrap_err();
    let Error::Batch { failures, .. } = batch else {
        panic!("{batch:?}");
    };
    assert!(
        matches!(failures[..], [ref failure] if failure.index == 1),
        "{failures:?}"
    );
    // Given up, or deleted with its entity, it is free.
    members.save(&mut Member::new("1")).await.unwrap();
    members.save(&mut with("4", "a@x")).await.unwrap();
    members.delete_by_id("4").await.unwrap();
    members.save(&mut with("5", "a@x")).await.unwrap();
    assert_eq!(found(&members, email.eq("a@x")).await, ["5"]);
}

pub async fn of_a_hundred_who_insert_one_unique_value_one_wins(world: &World) {
    let members = world.repository::<Member>().await;
    let tasks: Vec<_> = (0..100)
        .map(|i| {
            let members = members.clone();
            tokio::spawn(async move {
                let mut member = Member::named(&format!("m{i}"), "racer");
                member.email = Some("one@x".into());
                members
                    .insert(&mut member)
                    .time_to_live(Duration::from_secs(60))
                    .await
            })
        })
        .collect();
    let (mut won, mut lost) = (0, 0);
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => won += 1,
            Err(Error::UniqueViolation { field, .. }) if field == "mail" => lost += 1,
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!((won, lost), (1, 99));
    assert_eq!(members.count().await.unwrap(), 1);
    let racers = members.find(Member::fields().name.eq("racer"));
    assert_eq!(racers.count().await.unwrap(), 1);
    let winner = found(&members, Member::fields().email.eq("one@x")).await;
    members.delete_by_id(&winner[0]).await.unwrap();
    if world.as_server().is_some() {
        let mut left = world.keys().await;
        left.retain(|key| key.starts_with("members") && key != "members#reaper");
        assert_eq!(left, [""; 0]);
    }
}
