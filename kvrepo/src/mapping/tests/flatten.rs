//! Structs with `#[serde(flatten)]`.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::*;

const SCHEMA: EntitySchema =
    EntitySchema::new("Flat", "flats", "id").plain_paths(&["id", "on", "name", "data", "list", "bytes"]);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Flat<T> {
    id: String,
    on: bool,
    name: Option<String>,
    data: Value,
    list: Vec<u16>,
    bytes: Vec<u8>,
    #[serde(flatten)]
    rest: T,
}

fn flat<T>(rest: T) -> Flat<T> {
    Flat {
        id: "1".into(),
        on: true,
        name: None,
        data: json!("1"),
        list: vec![1],
        bytes: vec![255],
        rest,
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Inner {
    city: String,
    zip: Option<String>,
    open: bool,
    floors: Vec<i32>,
    deep: Deep,
    maybe: Option<Deep>,
    raw: Vec<u8>,
    by: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Deep {
    x: Option<f64>,
    y: Option<String>,
}

fn inner() -> Inner {
    Inner {
        city: "12".into(),
        zip: None,
        open: true,
        floors: vec![1, 2],
        deep: Deep {
            x: Some(1.0),
            y: Some("true".into()),
        },
        maybe: None,
        raw: vec![1, 255],
        by: BTreeMap::new(),
    }
}

#[test]
fn fields_beside_a_flattened_one_are_written_as_everywhere() {
    let fields = fields_by(&SCHEMA, &flat(Map::new()));
    assert_eq!(
        fields[..4],
        [("id", "1"), ("on", "1"), ("data", "\"1\""), ("list.[0]", "1")]
            .map(|(path, value)| (path.to_owned(), value.to_owned()))
    );
    assert_eq!(fields[4].0, "bytes");
    assert_eq!(fields.len(), 5);
    same_by(&SCHEMA, &flat(Map::new()));
}

#[test]
fn a_flattened_struct_keeps_its_types() {
    let fields: HashMap<String, String> = fields_by(&SCHEMA, &flat(inner())).into_iter().collect();
    assert_eq!(fields["city"], "\"12\"");
    assert_eq!(fields["open"], "true");
    assert_eq!(fields["deep.x"], "1.0");
    assert_eq!(fields["raw"], "[1,255]");
    assert_eq!(fields["floors.[1]"], "2");
    assert_eq!(fields["by"], "{}");
    assert!(!fields.contains_key("zip"), "None is absent");
    assert!(!fields.contains_key("maybe"));
    same_by(&SCHEMA, &flat(inner()));
    let more = Inner {
        zip: Some("null".into()),
        city: "Low Quay".into(),
        maybe: Some(Deep { x: None, y: None }),
        floors: vec![],
        deep: Deep {
            x: None,
            y: Some(String::new()),
        },
        by: [("0".to_owned(), "a".to_owned()), ("1".to_owned(), "1".to_owned())].into(),
        ..inner()
    };
    same_by(&SCHEMA, &flat(more));
}

#[test]
fn a_flattened_map_keeps_everything() {
    let value = json!({
        "text": "t", "number": 1, "numeric": "1", "null": null, "yes": true, "nulls": "null",
        "list": [1, null, "1", []], "map": {"a": {"b": null}}, "indices": {"0": "a", "1": "b"},
        "a.b": 1, "[x]": "2", "": 3, "_class": "c", "_raw": 4, "x]": 5, "quoted": "\"", "empty": "", "obj": {}, "arr": [],
        "odd": {"a]": 1}, "sp": " 1", "f": 1.0
    });
    let mut rest = value.as_object().unwrap().clone();
    rest.remove("list");
    same_by(&SCHEMA, &flat(rest.clone()));
    same_by(
        &SCHEMA,
        &flat(rest.clone().into_iter().collect::<HashMap<String, Value>>()),
    );
    let tails: BTreeMap<String, Value> = [("more".to_owned(), json!([1, null, "1", []]))].into();
    same_by(&SCHEMA, &flat(tails));
    rest.insert("a].b".into(), json!(1));
    same_by(&SCHEMA, &flat(rest));
}

#[test]
fn a_flattened_map_of_options_keeps_its_nulls() {
    let rest: HashMap<String, Option<String>> = [
        ("a".to_owned(), None),
        ("b".to_owned(), Some("null".to_owned())),
        ("c".to_owned(), Some("x".to_owned())),
    ]
    .into();
    let fields: HashMap<String, String> = fields_by(&SCHEMA, &flat(rest.clone())).into_iter().collect();
    assert_eq!(
        (fields["a"].as_str(), fields["b"].as_str(), fields["c"].as_str()),
        ("null", "\"null\"", "x")
    );
    same_by(&SCHEMA, &flat(rest));
}

#[test]
fn an_optional_flattened_struct_may_be_absent() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Opt {
        city: String,
    }
    same_by(&SCHEMA, &flat(None::<Opt>));
    same_by(&SCHEMA, &flat(Some(Opt { city: "1".into() })));
}

#[test]
fn a_flattened_enum_comes_back() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "kind")]
    enum Kind {
        A { n: u8, text: String },
        B,
    }
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    enum External {
        #[serde(rename = "ext")]
        Ext {
            n: String,
        },
        New(u8),
    }
    same_by(
        &SCHEMA,
        &flat(Kind::A {
            n: 1,
            text: "1".into(),
        }),
    );
    same_by(&SCHEMA, &flat(Kind::B));
    same_by(&SCHEMA, &flat(External::Ext { n: "1".into() }));
    same_by(&SCHEMA, &flat(External::New(1)));
}

#[test]
fn a_nested_struct_with_a_flattened_field_comes_back() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Outer {
        it: Flat<BTreeMap<String, Value>>,
        list: Vec<Flat<Inner>>,
        maybe: Option<Flat<HashMap<String, Option<u8>>>>,
    }
    let rest: BTreeMap<String, Value> = [("x".to_owned(), json!(null)), ("y".to_owned(), json!("1"))].into();
    let outer = Outer {
        it: flat(rest),
        list: vec![flat(inner()), flat(inner())],
        maybe: None,
    };
    same(&outer);
    let odd: BTreeMap<String, Value> = [("a.b".to_owned(), json!("1")), ("]".to_owned(), json!(1))].into();
    let maybe = Some(flat([("n".to_owned(), None), ("m".to_owned(), Some(1))].into()));
    same(&Outer {
        it: flat(odd),
        maybe,
        list: vec![],
    });
}

#[test]
fn plain_text_of_other_writers_is_read() {
    let fields = [
        ("id", "7"),
        ("on", "true"),
        ("data", "x"),
        ("city", "Low Quay"),
        ("open", "true"),
        ("raw", "[1]"),
    ];
    let more = [("floors.[0]", "4"), ("deep.y", "z"), ("by.[k]", "a")];
    let all: Vec<_> = fields.iter().chain(&more).copied().collect();
    let back: Flat<Inner> = decode(&SCHEMA, &record(&all)).unwrap();
    assert_eq!((back.id.as_str(), back.rest.city.as_str()), ("7", "Low Quay"));
    assert_eq!(back.rest.floors, [4]);
    assert!(back.list.is_empty() && back.bytes.is_empty());
}

#[test]
fn a_custom_map_of_unknown_length_comes_back() {
    #[derive(Debug, Clone, PartialEq)]
    struct Sieve(BTreeMap<String, String>);
    impl Serialize for Sieve {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.0.iter().filter(|_| true))
        }
    }
    impl<'de> Deserialize<'de> for Sieve {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            BTreeMap::deserialize(deserializer).map(Self)
        }
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Has {
        it: Sieve,
    }
    let texts = ["1", "true", "null", "x", "\"x\"", "{}", "[]", ""];
    same(&Has {
        it: Sieve(
            texts
                .iter()
                .map(|text| (format!("k{text}"), (*text).to_owned()))
                .collect(),
        ),
    });
    same(&Has {
        it: Sieve(
            texts
                .iter()
                .map(|text| ((*text).to_owned(), (*text).to_owned()))
                .collect(),
        ),
    });
    same(&Has {
        it: Sieve(BTreeMap::from([("k".to_owned(), "1".to_owned())])),
    });
    same(&Has {
        it: Sieve(BTreeMap::new()),
    });
}

#[test]
fn a_key_that_is_a_declared_fields_name_is_refused() {
    let rest: BTreeMap<String, Value> = [("id".to_owned(), json!("2"))].into();
    assert!(matches!(encode(&SCHEMA, &flat(rest)), Err(Error::Encode { path, .. }) if path == "id"));
}
