//! Mapping of what has keys, kinds or no type: maps, enums, untyped JSON.

use std::collections::{BTreeMap, HashMap, HashSet};

use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::mapping::{Size, come_back, mapped};
use crate::fixture::Address;
use crate::world::World;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
enum Colour {
    Teal,
    #[serde(rename = "dark red")]
    DarkRed,
}

mapped! { Keys {
    numbers: HashMap<u32, u32>,
    signed: BTreeMap<i64, String>,
    ids: HashMap<Uuid, bool>,
    colours: BTreeMap<Colour, f32>,
    flags: BTreeMap<bool, char>,
    letters: BTreeMap<char, Option<u8>>,
    texts: BTreeMap<String, String>,
} }

/// C06.
pub async fn map_keys_keep_their_type(world: &World) {
    let keys = Keys {
        id: 1,
        numbers: [(3, 0), (10, 1), (u32::MAX, 2)].into(),
        signed: [(-1, "minus".into()), (i64::MIN, String::new())].into(),
        ids: [(Uuid::nil(), true), (Uuid::max(), false)].into(),
        colours: [(Colour::Teal, 0.1), (Colour::DarkRed, -1.5e30)].into(),
        flags: [(true, 't'), (false, '\0')].into(),
        letters: [('a', Some(1)), ('.', Some(2))].into(),
        texts: ["", ".", "a.b", "[0]", "]", "[", "a].[b", "å 海", "\r\n", "null"]
            .map(|key| (key.into(), key.into()))
            .into(),
    };
    let flat = Keys {
        texts: [
            ("eye-color".into(), "grey".into()),
            ("a.b [".into(), "odd".into()),
        ]
        .into(),
        ..keys.clone()
    };
    let holes = Keys {
        letters: [('a', None), (']', Some(1)), ('[', None)].into(),
        ..keys.clone()
    };
    come_back(world, [keys, flat, holes]).await;
}

mapped! { Groups {
    groups: HashMap<String, HashSet<String>>,
    nested: BTreeMap<u8, BTreeMap<String, Vec<u16>>>,
    addresses: BTreeMap<String, Vec<Address>>,
} }

/// C08.
pub async fn maps_of_sets_come_back(world: &World) {
    let set = |of: &[&str]| of.iter().map(|item| (*item).to_owned()).collect::<HashSet<_>>();
    let address = |city: &str, zip: Option<&str>| Address {
        city: city.into(),
        zip: zip.map(str::to_owned),
    };
    come_back(
        world,
        [
            Groups {
                id: 1,
                groups: [
                    ("a".into(), set(&["x", "y", ""])),
                    ("b".into(), set(&[])),
                    ("c].d".into(), set(&["."])),
                ]
                .into(),
                nested: [
                    (0, [("k".into(), vec![1, 2]), ("l".into(), vec![])].into()),
                    (1, BTreeMap::new()),
                ]
                .into(),
                addresses: [(
                    "home".into(),
                    vec![address("Low Quay", None), address("", Some("1"))],
                )]
                .into(),
            },
            Groups {
                id: 1,
                groups: HashMap::new(),
                nested: BTreeMap::new(),
                addresses: BTreeMap::new(),
            },
        ],
    )
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Shape {
    Dot,
    Circle(f64),
    Segment((i8, i8), (i8, i8)),
    Box { size: Size, tags: Vec<String> },
    Nothing {},
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Internal {
    Start,
    Named { name: String, when: Option<u64> },
    Wrapped(Size),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Start,
    Text(String),
    Pair(u8, String),
    Named { list: Vec<Option<u8>> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Flag(bool),
    Number(i64),
    Text(String),
    List(Vec<Untagged>),
    Named { untagged: Box<Untagged> },
}

mapped! { Enums { colour: Colour, shape: Shape, shapes: Vec<Shape>, maybe: Option<Shape>, internal: Internal, adjacent: Adjacent, untagged: Untagged, } }

pub async fn every_kind_of_enum_comes_back(world: &World) {
    let shapes = [
        Shape::Dot,
        Shape::Circle(0.1),
        Shape::Segment((0, -1), (i8::MAX, i8::MIN)),
        Shape::Box {
            size: Size {
                width: Some(1),
                height: None,
            },
            tags: vec![],
        },
        Shape::Box {
            size: Size::default(),
            tags: vec!["a".into(), String::new()],
        },
        Shape::Nothing {},
    ];
    let internal = [
        Internal::Start,
        Internal::Named {
            name: "1".into(),
            when: None,
        },
        Internal::Wrapped(Size {
            width: None,
            height: Some(1.0),
        }),
    ];
    let adjacent = [
        Adjacent::Start,
        Adjacent::Text("1".into()),
        Adjacent::Pair(1, String::new()),
        Adjacent::Named {
            list: vec![None, Some(1)],
        },
    ];
    let untagged = [
        Untagged::Text("1".into()),
        Untagged::Number(1),
        Untagged::Flag(true),
        Untagged::List(vec![Untagged::Text("true".into()), Untagged::List(vec![])]),
        Untagged::Named {
            untagged: Box::new(Untagged::Text("x".into())),
        },
    ];
    let all = (0..shapes.len()).map(|i| Enums {
        id: 1,
        colour: if i % 2 == 0 { Colour::Teal } else { Colour::DarkRed },
        shape: shapes[i].clone(),
        shapes: shapes[i..].to_vec(),
        maybe: (i % 2 == 0).then(|| shapes[i].clone()),
        internal: internal[i % internal.len()].clone(),
        adjacent: adjacent[i % adjacent.len()].clone(),
        untagged: untagged[i % untagged.len()].clone(),
    });
    come_back(world, all.collect::<Vec<_>>()).await;
}

mapped! { Untyped { value: Value, list: Vec<Value>, map: BTreeMap<String, Value>, maybe: Option<Value>, #[kv(json)] whole: Vec<Size>, } }

pub async fn untyped_json_comes_back(world: &World) {
    let values = [
        json!(null),
        json!("1"),
        json!(1),
        json!(1.0),
        json!(u64::MAX),
        json!([]),
        json!({}),
        json!({"a": [1, "1", null, {"b.c": {"[0]": false}}], "": ""}),
    ];
    let all = values.iter().enumerate().map(|(i, value)| Untyped {
        id: 1,
        value: value.clone(),
        list: values[..i].to_vec(),
        map: values[..i]
            .iter()
            .enumerate()
            .map(|(i, value)| (format!("k{i}"), value.clone()))
            .collect(),
        // Serde itself cannot tell a `null` that is there from one that is not.
        maybe: Some(value.clone()).filter(|value| !value.is_null()),
        whole: vec![
            Size {
                width: Some(i as u32),
                height: None
            };
            i % 3
        ],
    });
    come_back(world, all.collect::<Vec<_>>()).await;
}
