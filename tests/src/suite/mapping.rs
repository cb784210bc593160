//! Mapping, through every backend: whatever is saved comes back equal, from the entity and from its event.
//! Maps, enums and untyped JSON are in `mapping_kind`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;
use std::time::Duration;

use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

use crate::fixture::{Address, Person};
use crate::world::{World, next};

const SHORT: Duration = Duration::from_millis(20);
const PAST: Duration = Duration::from_millis(22);

/// Declares an entity of these fields in the keyspace `mapped`.
macro_rules! mapped {
    ($name:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* }) => {
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
        #[kv(keyspace = "mapped")]
        struct $name {
            #[id]
            id: u8,
            $($(#[$meta])* $field: $type,)*
        }
    };
}

pub(super) use mapped;

/// Saves one after the other under the same id; each is found as it was, and is in its event as it was.
pub(super) async fn come_back<T: KvEntity<Id = u8> + Clone + PartialEq + Debug>(
    world: &World,
    values: impl IntoIterator<Item = T>,
) {
    let repository = world.repository::<T>().await;
    let mut expired = repository.expired().await.unwrap();
    for value in values {
        repository.save(&mut value.clone()).await.unwrap();
        assert_eq!(repository.find_by_id(1).await.unwrap(), Some(value.clone()));
        repository
            .save(&mut value.clone())
            .time_to_live(SHORT)
            .await
            .unwrap();
        world.pass(PAST).await;
        let event = next(&mut expired).await;
        assert_eq!(event.value(), Some(&value), "{:?}", event.no_value());
    }
}

/// The names of the fields that the only entity has on the server, sorted; `None` without a server.
async fn stored_fields(world: &World, key: &str) -> Option<Vec<String>> {
    let mut names: Vec<String> = world.as_server()?.query(&["HKEYS", key]).await;
    names.sort();
    Some(names)
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Size {
    pub(super) width: Option<u32>,
    pub(super) height: Option<f64>,
}

mapped! { Holes {
    list: Vec<String>,
    set: BTreeSet<u8>,
    map: BTreeMap<String, u8>,
    maybe_list: Option<Vec<String>>,
    maybe_map: Option<HashMap<String, u8>>,
    text: Option<String>,
    flag: Option<bool>,
    twice: Option<Option<u8>>,
    unit: (),
    maybe_unit: Option<()>,
    size: Size,
    maybe_size: Option<Size>,
} }

/// C01, C09.
pub async fn empty_and_none_come_back_as_they_were(world: &World) {
    let none = Holes {
        id: 1,
        list: vec![],
        set: BTreeSet::new(),
        map: BTreeMap::new(),
        maybe_list: None,
        maybe_map: None,
        text: None,
        flag: None,
        twice: None,
        unit: (),
        maybe_unit: None,
        size: Size::default(),
        maybe_size: None,
    };
    let empty = Holes {
        maybe_list: Some(vec![]),
        maybe_map: Some(HashMap::new()),
        text: Some(String::new()),
        flag: Some(false),
        twice: Some(None),
        maybe_unit: Some(()),
        maybe_size: Some(Size::default()),
        ..none.clone()
    };
    let full = Holes {
        list: vec![String::new()],
        set: [0].into(),
        map: [(String::new(), 0), ("null".into(), 1)].into(),
        maybe_list: Some(vec!["null".into()]),
        maybe_map: Some([("[]".into(), 7)].into()),
        text: Some("null".into()),
        flag: Some(true),
        twice: Some(Some(0)),
        size: Size {
            width: Some(0),
            height: None,
        },
        maybe_size: Some(Size {
            width: None,
            height: Some(-0.0),
        }),
        ..empty.clone()
    };
    let texts = ["{}", "[]", "\"\"", "true", " ", "0"].map(|text| Holes {
        text: Some(text.into()),
        ..none.clone()
    });
    // Each also in the place of a fuller one, of which nothing may be left.
    come_back(
        world,
        [full.clone(), empty.clone(), none.clone(), full, none, empty]
            .into_iter()
            .chain(texts),
    )
    .await;
}

/// A list of which another writer stored nothing is empty; and so is what Spring stores for one.
pub async fn what_is_not_stored_reads_as_empty_or_none(world: &World) {
    let Some(server) = world.as_server() else { return };
    server
        .command(&[
            "HSET",
            "people:1",
            "id",
            "1",
            "firstname",
            "Ann",
            "unknown",
            "x",
            "_class",
            "com.acme.Other",
        ])
        .await;
    let people = world.repository::<Person>().await;
    assert_eq!(
        people.find_by_id("1").await.unwrap(),
        Some(Person::new("1", "Ann"))
    );
    // The key is the truth about the id; C14.
    server.command(&["HDEL", "people:1", "id", "_class"]).await;
    assert_eq!(
        people.find_by_id("1").await.unwrap(),
        Some(Person::new("1", "Ann"))
    );
    // A save makes it whole, and takes away what is not the type's.
    people.save(&mut Person::new("1", "Ann")).await.unwrap();
    let stored = stored_fields(world, "people:1").await.expect("a server");
    assert_eq!(stored, ["attributes", "firstname", "id", "tags"]);
}

mapped! { Marks { marks: Vec<Option<i64>>, deep: Vec<Vec<Option<String>>>, sizes: Vec<Size>, maybe: Vec<Option<Size>>, } }

/// C03.
pub async fn a_hole_in_a_list_stays_a_hole(world: &World) {
    let size = |width| Size { width, height: None };
    come_back(
        world,
        [
            Marks {
                id: 1,
                marks: vec![Some(1), None, Some(i64::MIN), None],
                deep: vec![
                    vec![],
                    vec![None],
                    vec![Some("null".into()), None, Some(String::new())],
                ],
                sizes: vec![size(None), size(Some(1)), size(None)],
                maybe: vec![None, Some(size(None)), Some(size(Some(2))), None],
            },
            Marks {
                id: 1,
                marks: vec![None],
                deep: vec![vec![]],
                sizes: vec![size(None)],
                maybe: vec![None, None],
            },
            Marks {
                id: 1,
                marks: (0..12).map(Some).collect(),
                deep: vec![],
                sizes: vec![],
                maybe: vec![],
            },
        ],
    )
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Line {
    codes: Vec<String>,
}

mapped! { Order { codes: Vec<String>, codes2: Vec<String>, lines: Vec<Line>, line: Option<Line>, } }

/// C02.
pub async fn lists_of_one_name_on_two_levels_are_kept_apart(world: &World) {
    let codes = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect::<Vec<_>>();
    let line = |of: &[&str]| Line { codes: codes(of) };
    come_back(
        world,
        [
            Order {
                id: 1,
                codes: vec![],
                codes2: codes(&["z"]),
                lines: vec![line(&["x", "y"])],
                line: Some(line(&["w"])),
            },
            Order {
                id: 1,
                codes: codes(&["a"]),
                codes2: vec![],
                lines: vec![line(&[]), line(&["x"])],
                line: Some(line(&[])),
            },
            Order {
                id: 1,
                codes: codes(&["a", "b"]),
                codes2: vec![],
                lines: vec![],
                line: None,
            },
        ],
    )
    .await;
}

mapped! { Avatar { avatar: Vec<u8>, hash: [u8; 4], maybe: Option<Vec<u8>>, several: Vec<Vec<u8>>, } }

/// C05: and each in one field.
pub async fn bytes_come_back_as_they_were(world: &World) {
    let mut state = 0x2545_f491_u32;
    let random = (0..4_000).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    let avatar = Avatar {
        id: 1,
        avatar: random.collect(),
        hash: [0, 0xff, 0xfe, b'\n'],
        maybe: Some(vec![]),
        several: vec![vec![0xff, 0], vec![], b"[]".to_vec()],
    };
    let bare = Avatar {
        id: 1,
        avatar: vec![],
        hash: [0; 4],
        maybe: None,
        several: vec![],
    };
    let json = Avatar {
        avatar: b"[1,2]".to_vec(),
        maybe: Some(b"null".to_vec()),
        ..bare.clone()
    };
    come_back(world, [avatar.clone(), bare, json]).await;

    world.repository().await.save(&mut avatar.clone()).await.unwrap();
    if let Some(server) = world.as_server() {
        assert_eq!(
            server.query::<Vec<u8>, _>(&["HGET", "mapped:1", "avatar"]).await,
            avatar.avatar
        );
        assert_eq!(
            server.query::<Vec<u8>, _>(&["HGET", "mapped:1", "hash"]).await,
            avatar.hash
        );
    }
}

/// C15.
pub async fn shrinking_leaves_nothing_behind(world: &World) {
    let people = world.repository::<Person>().await;
    let mut big = Person::new("1", "Ann");
    big.nick = Some("x".into());
    big.tags = (0..5).map(|i| i.to_string()).collect();
    big.address = Some(Address {
        city: "Low Quay".into(),
        zip: Some("1".into()),
    });
    big.attributes.insert("eye-color".into(), "grey".into());
    people
        .save(&mut big)
        .time_to_live(Duration::from_secs(60))
        .await
        .unwrap();
    let mut small = Person::new("1", "Ann");
    small.tags = vec!["a".into(), "b".into()];
    people
        .save(&mut small)
        .time_to_live(Duration::from_secs(60))
        .await
        .unwrap();
    for key in ["people:1", "people:1:phantom"] {
        if let Some(names) = stored_fields(world, key).await {
            assert_eq!(
                names,
                ["attributes", "firstname", "id", "tags.[0]", "tags.[1]"],
                "{key}"
            );
        }
    }
    small.ttl = Some(60);
    assert_eq!(people.find_by_id("1").await.unwrap(), Some(small));
}

mapped! { Long { list: Vec<String>, } }

/// More than goes into one call of a script, on the way in and on the way out.
pub async fn forty_thousand_elements_expire_with_their_value(world: &World) {
    let repository = world.repository::<Long>().await;
    let mut expired = repository.expired().await.unwrap();
    for count in [40_000, 6_001, 2_999] {
        let long = Long {
            id: 1,
            list: (0..count).map(|i| format!("{i}:{}", "x".repeat(i % 3))).collect(),
        };
        repository.save(&mut long.clone()).await.unwrap();
        let found = repository.find_by_id(1).await.unwrap();
        assert!(found.as_ref() == Some(&long), "{count}: what was found differs");
        repository
            .save(&mut long.clone())
            .time_to_live(SHORT)
            .await
            .unwrap();
        world.pass(PAST).await;
        let value = next(&mut expired).await.into_value();
        assert!(
            value.as_ref() == Some(&long),
            "{count}: the event's value differs"
        );
    }
}

mapped! { Scalars {
    small: (i8, u8, i16, u16),
    large: (i64, u64, i128, u128),
    single: f32,
    double: f64,
    letter: char,
    flag: bool,
    text: String,
    span: Duration,
    tuple: (String, Option<u8>, Vec<u8>),
} }

/// C09, C10: the shortest exact form, at the ends of the ranges.
pub async fn scalars_come_back_to_the_last_bit(world: &World) {
    let scalars = Scalars {
        id: 1,
        small: (i8::MIN, u8::MAX, i16::MIN, u16::MAX),
        large: (i64::MIN, u64::MAX, i128::MIN, u128::MAX),
        single: f32::MIN_POSITIVE,
        double: 0.1 + 0.2,
        letter: '\u{10ffff}',
        flag: true,
        text: "\u{0}\r\n\"\\ 海".into(),
        span: Duration::new(u64::MAX, 999_999_999),
        tuple: ("1".into(), None, vec![0, 255]),
    };
    let mut all = vec![scalars.clone()];
    for (single, double) in [
        (f32::MAX, f64::MAX),
        (-0.0, 5e-324),
        (f32::INFINITY, f64::NEG_INFINITY),
        (1.0, 1e21),
    ] {
        all.push(Scalars {
            single,
            double,
            flag: false,
            tuple: (String::new(), Some(1), vec![]),
            ..scalars.clone()
        });
    }
    come_back(world, all).await;
    if let Some(server) = world.as_server() {
        world.repository().await.save(&mut scalars.clone()).await.unwrap();
        for (field, text) in [
            ("flag", "1"),
            ("double", "0.30000000000000004"),
            ("large.[0]", "-9223372036854775808"),
        ] {
            assert_eq!(
                server
                    .query::<Option<String>, _>(&["HGET", "mapped:1", field])
                    .await
                    .as_deref(),
                Some(text)
            );
        }
        // What others write for a `bool` is read as well.
        server.command(&["HSET", "mapped:1", "flag", "false"]).await;
        let found = world
            .repository::<Scalars>()
            .await
            .find_by_id(1)
            .await
            .unwrap()
            .unwrap();
        assert!(!found.flag);
    }
}
