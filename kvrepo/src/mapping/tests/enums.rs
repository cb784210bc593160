//! Enums of every kind.

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Shape {
    Dot,
    Circle(f64),
    Line(i32, i32),
    Rect {
        width: u32,
        label: Option<String>,
    },
    Blank {
        label: Option<String>,
    },
    Maybe(Option<u8>),
    Unit(()),
    Pair(Option<u8>, u8),
    Empty(),
    Nested(Box<Self>),
    List(Vec<Self>),
    #[serde(rename = " spaced ")]
    Spaced,
    #[serde(rename = "{curly}")]
    Curly,
    #[serde(rename = "a.b")]
    Dotted(u8),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Holder {
    shape: Shape,
}

#[track_caller]
fn shape(shape: &Shape, expected: &[(&str, &str)]) {
    stored(&Holder { shape: shape.clone() }, expected);
    same(&vec![shape.clone(), Shape::Dot, shape.clone()]);
    same(&(Some(shape.clone()), None::<u8>));
    same(shape);
}

#[test]
fn external_tags_are_names_or_children() {
    shape(&Shape::Dot, &[("shape", "Dot")]);
    shape(&Shape::Circle(1.5), &[("shape.Circle", "1.5")]);
    shape(
        &Shape::Line(1, -2),
        &[("shape.Line.[0]", "1"), ("shape.Line.[1]", "-2")],
    );
    shape(
        &Shape::Rect {
            width: 3,
            label: None,
        },
        &[("shape.Rect.width", "3")],
    );
    shape(
        &Shape::Nested(Box::new(Shape::Circle(2.0))),
        &[("shape.Nested.Circle", "2.0")],
    );
    shape(&Shape::Nested(Box::new(Shape::Dot)), &[("shape.Nested", "Dot")]);
    shape(
        &Shape::List(vec![Shape::Dot, Shape::Circle(1.0)]),
        &[("shape.List.[0]", "Dot"), ("shape.List.[1].Circle", "1.0")],
    );
    shape(&Shape::List(vec![]), &[("shape.List", "[]")]);
    shape(&Shape::Dotted(1), &[("shape.a.b", "1")]);
    shape(&Shape::Spaced, &[("shape", " spaced ")]);
    shape(&Shape::Curly, &[("shape", "{curly}")]);
}

#[test]
fn a_variant_of_whose_content_nothing_is_stored_is_marked_or_json() {
    shape(&Shape::Blank { label: None }, &[("shape.Blank", "{}")]);
    shape(&Shape::Maybe(None), &[("shape", r#"{"Maybe":null}"#)]);
    shape(&Shape::Maybe(Some(1)), &[("shape.Maybe", "1")]);
    shape(&Shape::Unit(()), &[("shape", r#"{"Unit":null}"#)]);
    shape(&Shape::Pair(None, 1), &[("shape", r#"{"Pair":[null,1]}"#)]);
    shape(&Shape::Empty(), &[("shape.Empty", "[]")]);
}

#[test]
fn a_name_may_be_padded_or_quoted() {
    assert_eq!(read::<Holder>(&[("shape", " Dot ")]).shape, Shape::Dot);
    assert_eq!(read::<Holder>(&[("shape", "\"Dot\"")]).shape, Shape::Dot);
    assert_eq!(
        read::<Holder>(&[("shape", r#"{"Line":[1,2]}"#)]).shape,
        Shape::Line(1, 2)
    );
}

#[test]
fn an_unknown_name_is_refused_with_its_path() {
    let (path, reason) = refused::<Holder>(&[("shape", "GALLEY")]);
    assert_eq!(path, "shape");
    assert!(reason.contains("GALLEY") && reason.contains("Circle"), "{reason}");
}

#[test]
fn what_is_stored_beside_a_variant_is_ignored() {
    let back: Holder = read(&[
        ("shape._class", "x"),
        ("shape.other", "1"),
        ("shape.Circle", "2.5"),
    ]);
    assert_eq!(back.shape, Shape::Circle(2.5));
    assert_eq!(
        refused::<Holder>(&[("shape.other", "1"), ("shape.more", "1")]).0,
        "shape"
    );
}

#[test]
fn aliases_and_catch_alls_work() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Role {
        #[serde(alias = "boss")]
        Chief(u8),
        #[serde(alias = "hand")]
        Mate,
        #[serde(other)]
        Other,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Crew {
        role: Role,
    }
    assert_eq!(read::<Crew>(&[("role", "hand")]).role, Role::Mate);
    assert_eq!(read::<Crew>(&[("role.boss", "3")]).role, Role::Chief(3));
    assert_eq!(read::<Crew>(&[("role", "anything")]).role, Role::Other);
}

#[test]
fn adjacent_tags_are_two_fields() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Unit,
        New(u8),
        Text(String),
        Maybe(Option<u8>),
        Pair(u8, String),
        Named { a: String },
        Value(serde_json::Value),
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Has {
        it: Adjacent,
    }
    for it in [
        Adjacent::Unit,
        Adjacent::New(1),
        Adjacent::Text("1".into()),
        Adjacent::Maybe(None),
        Adjacent::Maybe(Some(1)),
        Adjacent::Pair(1, "2".into()),
        Adjacent::Named { a: "null".into() },
        Adjacent::Value(serde_json::json!("1")),
        Adjacent::Value(serde_json::json!(null)),
    ] {
        same(&Has { it: it.clone() });
        same(&vec![Some(it.clone()), None]);
        same(&vec![it]);
    }
}

#[test]
fn adjacent_content_is_flat_as_far_as_serde_asks_for_its_type() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Unit,
        Text(String),
        New(Named),
        Pair(u16, String),
    }
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Named {
        a: String,
        b: Option<Vec<u16>>,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "t", content = "c")]
    enum Struct {
        Unit,
        Named { a: String, b: Option<Option<u8>> },
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Has {
        all: Vec<Adjacent>,
        structs: Vec<Struct>,
    }
    let new = Adjacent::New(Named {
        a: "1".into(),
        b: Some(vec![2]),
    });
    let all = vec![
        Adjacent::Unit,
        Adjacent::Text("1".into()),
        new,
        Adjacent::Pair(1, "2".into()),
    ];
    let structs = vec![
        Struct::Unit,
        Struct::Named {
            a: "1".into(),
            b: Some(None),
        },
    ];
    stored(
        &Has { all, structs },
        &[
            ("all.[0].t", "Unit"),
            ("all.[1].t", "Text"),
            ("all.[1].c", "1"),
            ("all.[2].t", "New"),
            ("all.[2].c.a", "1"),
            ("all.[2].c.b.[0]", "2"),
            ("all.[3].t", "Pair"),
            ("all.[3].c.[0]", "1"),
            ("all.[3].c.[1]", "2"),
            ("structs.[0].t", "Unit"),
            ("structs.[1].t", "Named"),
            ("structs.[1].c", r#"{"a":"1","b":{"$some":null}}"#),
        ],
    );
}

#[test]
fn internal_tags_and_no_tags_are_json() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "type")]
    enum Internal {
        Unit,
        Named { n: String, list: Vec<u8>, o: Option<u8> },
    }
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Number(i64),
        Float(f64),
        Bool(bool),
        List(Vec<Self>),
        Text(String),
        Named { it: Internal },
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Has {
        i: Internal,
        u: Untagged,
        o: Option<Untagged>,
        list: Vec<Untagged>,
        map: std::collections::BTreeMap<String, Internal>,
    }
    let named = Internal::Named {
        n: "1".into(),
        list: vec![1],
        o: None,
    };
    for u in [
        Untagged::Number(1),
        Untagged::Float(1.0),
        Untagged::Bool(true),
        Untagged::Text("1".into()),
        Untagged::Text("true".into()),
        Untagged::Text("plain".into()),
        Untagged::Text(String::new()),
        Untagged::Text("[1]".into()),
        Untagged::Text(" 1".into()),
        Untagged::List(vec![Untagged::Text("1".into()), Untagged::Number(1)]),
        Untagged::List(vec![]),
        Untagged::Named { it: named.clone() },
    ] {
        let map = [("a".to_owned(), named.clone()), ("b".to_owned(), Internal::Unit)].into();
        let has = Has {
            i: named.clone(),
            u: u.clone(),
            o: Some(u.clone()),
            list: vec![u.clone(), u.clone()],
            map,
        };
        same(&has);
        same(&vec![Some(u), None]);
    }
    let has = Has {
        i: Internal::Unit,
        u: Untagged::Text("plain".into()),
        o: None,
        list: vec![Untagged::Text("1".into()), Untagged::Number(1)],
        map: std::collections::BTreeMap::new(),
    };
    stored(
        &has,
        &[
            ("i", r#"{"type":"Unit"}"#),
            ("u", "plain"),
            ("list.[0]", "\"1\""),
            ("list.[1]", "1"),
            ("map", "{}"),
        ],
    );
}
