//! Type hints: written at the root if asked for, never taken for data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sailor {
    name: Option<String>,
    aliases: Option<Vec<String>>,
    marks: Option<BTreeMap<String, String>>,
    home: Option<Home>,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Home {
    land: Option<String>,
}

#[test]
fn the_alias_is_the_last_field() {
    const SCHEMA: EntitySchema = EntitySchema::new("Sailor", "sailors", "id").type_alias("sailor");
    let sailor = Sailor {
        name: Some("Ines".into()),
        ..Sailor::default()
    };
    let expected =
        [("name", "Ines"), ("_class", "sailor")].map(|(path, value)| (path.to_owned(), value.to_owned()));
    assert_eq!(fields_by(&SCHEMA, &sailor), expected);
    same_by(&SCHEMA, &sailor);
}

#[test]
fn hints_never_decide_anything() {
    let sailor: Sailor = read(&[
        ("_class", "never-registered"),
        ("aliases.[0]", "a"),
        ("aliases.[0]._class", "java.lang.String"),
        ("aliases.[1]", "b"),
        ("marks.[k]", "v"),
        ("marks.[k]._class", "java.lang.String"),
        ("marks._class", "java.util.HashMap"),
        ("home._class", "home"),
        ("name._class", "x"),
    ]);
    let marks = [("k".to_owned(), "v".to_owned())].into();
    let aliases = vec!["a".to_owned(), "b".to_owned()];
    assert_eq!(
        sailor,
        Sailor {
            aliases: Some(aliases),
            marks: Some(marks),
            ..Sailor::default()
        }
    );
}

#[test]
fn a_declared_field_of_that_name_is_data() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Typed {
        #[serde(rename = "_class")]
        class: String,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Outer {
        #[serde(rename = "_class")]
        class: String,
        typed: Option<Typed>,
        list: Vec<Typed>,
    }
    let typed = || Typed { class: "t".into() };
    same(&Outer {
        class: "o".into(),
        typed: Some(typed()),
        list: vec![typed(), typed()],
    });
    const SCHEMA: EntitySchema = EntitySchema::new("Outer", "outers", "id").type_alias("alias");
    let outer = Outer {
        class: "o".into(),
        typed: None,
        list: vec![],
    };
    assert_eq!(
        encode(&SCHEMA, &outer).unwrap().get("_class"),
        Some(b"o".as_slice())
    );
}

#[test]
fn names_that_end_like_a_hint_are_data() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Seat {
        seat_class: String,
    }
    stored(
        &Seat {
            seat_class: "first".into(),
        },
        &[("seat_class", "first")],
    );
}
