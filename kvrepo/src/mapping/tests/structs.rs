//! Structs flatten with dots.

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
struct Home {
    town: Option<String>,
    land: Option<String>,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Pair {
    addr: Option<Home>,
    address: Option<Home>,
    tag: Option<String>,
    tags: Option<Vec<String>>,
}

#[test]
fn nested_fields_have_dotted_paths() {
    let home = Home {
        town: Some("Low Quay".into()),
        land: Some("Sund".into()),
    };
    stored(
        &Pair {
            addr: Some(home),
            ..Pair::default()
        },
        &[("addr.town", "Low Quay"), ("addr.land", "Sund")],
    );
}

#[test]
fn a_field_does_not_swallow_another_that_begins_like_it() {
    let town = |town: &str| {
        Some(Home {
            town: Some(town.into()),
            land: None,
        })
    };
    let pair = Pair {
        addr: town("A"),
        address: town("B"),
        tag: Some("t".into()),
        tags: Some(vec!["x".into()]),
    };
    stored(
        &pair,
        &[
            ("addr.town", "A"),
            ("address.town", "B"),
            ("tag", "t"),
            ("tags.[0]", "x"),
        ],
    );
    same(&Pair {
        address: town("B"),
        tags: Some(vec![]),
        ..Pair::default()
    });
}

#[test]
fn a_struct_of_which_nothing_would_be_stored_leaves_a_mark() {
    stored(
        &Pair {
            addr: Some(Home::default()),
            ..Pair::default()
        },
        &[("addr", "{}")],
    );
    stored(
        &Pair {
            addr: None,
            tag: Some(String::new()),
            ..Pair::default()
        },
        &[("tag", "")],
    );
}

#[test]
fn a_mark_does_not_hide_a_field_that_was_added_later() {
    let pair: Pair = read(&[("addr", "{}"), ("addr.town", "A")]);
    assert_eq!(pair.addr.unwrap().town.as_deref(), Some("A"));
}

#[test]
fn a_struct_may_be_json_in_one_field() {
    let pair: Pair = read(&[("addr", r#"{"town":"A","more":[1,{"x":null}]}"#)]);
    assert_eq!(
        pair.addr,
        Some(Home {
            town: Some("A".into()),
            land: None
        })
    );
}

#[test]
fn a_struct_may_contain_itself() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Folk {
        first: Option<String>,
        parent: Option<Box<Self>>,
    }
    let mum = Folk {
        first: Some("Mum".into()),
        parent: None,
    };
    let kid = Folk {
        first: Some("Kid".into()),
        parent: Some(Box::new(mum)),
    };
    stored(&kid, &[("first", "Kid"), ("parent.first", "Mum")]);
}

#[test]
fn unknown_fields_are_ignored() {
    let pair: Pair = read(&[
        ("tag", "t"),
        ("rank", "9"),
        ("addr.floor", "3"),
        ("crew.[0].x", "1"),
    ]);
    assert_eq!(
        pair,
        Pair {
            tag: Some("t".into()),
            addr: Some(Home::default()),
            ..Pair::default()
        }
    );
}

#[test]
fn names_may_hold_dots_and_brackets() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Odd {
        #[serde(rename = "a.b")]
        dotted: Home,
        #[serde(rename = "[x]")]
        bracket: u8,
        #[serde(rename = "tags[]")]
        tags: Vec<u16>,
    }
    let home = Home {
        town: Some("T".into()),
        land: None,
    };
    let odd = Odd {
        dotted: home,
        bracket: 1,
        tags: vec![2],
    };
    stored(&odd, &[("a.b.town", "T"), ("[x]", "1"), ("tags[].[0]", "2")]);
}

#[test]
fn units_store_nothing() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Unit;
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Units {
        a: (),
        b: Unit,
        c: std::marker::PhantomData<u8>,
        d: Option<()>,
        e: Option<Unit>,
        n: u8,
    }
    let units = Units {
        a: (),
        b: Unit,
        c: std::marker::PhantomData,
        d: None,
        e: None,
        n: 1,
    };
    stored(&units, &[("n", "1")]);
    let units = Units {
        d: Some(()),
        e: Some(Unit),
        ..units
    };
    stored(&units, &[("d", "null"), ("e", "null"), ("n", "1")]);
}

#[test]
fn a_marked_field_is_always_json() {
    const SCHEMA: EntitySchema =
        EntitySchema::new("Held", "helds", "id").json_paths(&["home", "name", "age", "maybe"]);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Held {
        home: Home,
        name: String,
        age: u8,
        maybe: Option<Option<u8>>,
        plain: Home,
    }
    let home = Home {
        town: Some("T".into()),
        land: None,
    };
    let mut held = Held {
        home: home.clone(),
        name: "1".into(),
        age: 3,
        maybe: None,
        plain: home,
    };
    let expected = [
        ("home", r#"{"town":"T","land":null}"#),
        ("name", "\"1\""),
        ("age", "3"),
        ("plain.town", "T"),
    ];
    assert_eq!(
        fields_by(&SCHEMA, &held),
        expected.map(|(path, value)| (path.to_owned(), value.to_owned()))
    );
    for maybe in [None, Some(None), Some(Some(7))] {
        held.maybe = maybe;
        same_by(&SCHEMA, &held);
    }
}

#[test]
fn the_root_may_be_anything() {
    same(&vec![1_u16, 2]);
    same(&Vec::<u16>::new());
    same(&vec![1_u8, 2]);
    same(&vec![Some(1_u16), None]);
    same(&std::collections::BTreeMap::from([("a".to_owned(), 1_u8)]));
    same(&std::collections::BTreeMap::from([("a]".to_owned(), 1_u8)]));
    same(&"text".to_owned());
    same(&7_i64);
    same(&serde_json::json!({"a": [1, null, "1"]}));
    same(&Home::default());
    assert!(encode(&PLAIN, &Home::default()).unwrap().is_empty());
}

#[test]
fn a_field_may_have_the_name_of_the_roots_own() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Raw {
        #[serde(rename = "_raw")]
        raw: String,
        n: u8,
    }
    stored(
        &Raw {
            raw: "{}".into(),
            n: 1,
        },
        &[("_raw", "{}"), ("n", "1")],
    );
}
