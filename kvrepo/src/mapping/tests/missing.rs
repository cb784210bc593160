//! What is not stored, and what becomes of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct All {
    list: Vec<u16>,
    bytes: Vec<u8>,
    map: BTreeMap<String, u8>,
    nested: Nested,
    unit: (),
    maybe: Option<u8>,
    none: [u8; 0],
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Nested {
    tags: Vec<String>,
    name: Option<String>,
}

#[test]
fn containers_of_which_nothing_is_stored_are_empty() {
    let all = All {
        list: vec![],
        bytes: vec![],
        map: BTreeMap::new(),
        nested: Nested {
            tags: vec![],
            name: None,
        },
        unit: (),
        maybe: None,
        none: [],
    };
    for _ in 0..2 {
        assert_eq!(read::<All>(&[]), all);
    }
    let partly: All = read(&[("nested.name", "x"), ("list.[0]", "1")]);
    assert_eq!(
        partly,
        All {
            list: vec![1],
            nested: Nested {
                tags: vec![],
                name: Some("x".into())
            },
            ..all
        }
    );
}

#[test]
fn a_default_goes_before_that() {
    fn seven() -> Vec<u16> {
        vec![7]
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Defaults {
        #[serde(default = "seven")]
        list: Vec<u16>,
        #[serde(default)]
        n: u8,
        other: Vec<u16>,
    }
    assert_eq!(
        read::<Defaults>(&[]),
        Defaults {
            list: vec![7],
            n: 0,
            other: vec![]
        }
    );
    same(&Defaults {
        list: vec![],
        n: 0,
        other: vec![],
    });
}

#[test]
fn a_required_scalar_is_missed_with_its_path() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Mate {
        name: String,
        age: u8,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Crew {
        list: Vec<u16>,
        mates: Vec<Mate>,
        lead: Mate,
    }
    for _ in 0..2 {
        let missing = "missing field".to_owned();
        assert_eq!(
            refused::<Mate>(&[("name", "a")]),
            ("age".to_owned(), missing.clone())
        );
        let fields = [
            ("mates.[0].name", "a"),
            ("mates.[0].age", "1"),
            ("mates.[1].name", "b"),
        ];
        assert_eq!(
            refused::<Crew>(&fields),
            ("mates.[1].age".to_owned(), missing.clone())
        );
        let (path, reason) = refused::<Crew>(&[]);
        assert!(path.starts_with("lead."), "{path}");
        assert_eq!(reason, missing);
    }
}

#[test]
fn a_missing_field_of_an_enum_is_missed_with_its_path() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Rect { width: u8, tags: Vec<String> },
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Has {
        shape: Shape,
    }
    let back: Has = read(&[("shape.Rect.width", "1")]);
    assert_eq!(
        back.shape,
        Shape::Rect {
            width: 1,
            tags: vec![]
        }
    );
    assert_eq!(
        refused::<Has>(&[("shape.Rect.tags.[0]", "x")]).0,
        "shape.Rect.width"
    );
    assert_eq!(refused::<Has>(&[]).0, "shape");
}

#[test]
fn options_with_a_form_of_their_own_need_no_default() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Watch {
        #[serde(with = "crate::mapping::with::iso_duration::option")]
        span: Option<std::time::Duration>,
        n: u8,
    }
    same(&Watch { span: None, n: 1 });
    same(&Watch {
        span: Some(std::time::Duration::from_secs(1)),
        n: 1,
    });
}

#[test]
fn missing_fields_in_json_are_missed_too() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Inner {
        n: u8,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Has {
        it: Vec<Option<Inner>>,
    }
    let missing = "missing field".to_owned();
    assert_eq!(
        refused::<Has>(&[("it", r#"[null,{"m":1}]"#)]),
        ("it.[1].n".to_owned(), missing)
    );
}

#[test]
fn a_required_struct_that_contains_itself_ends() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Endless {
        it: Box<Self>,
    }
    refused::<Endless>(&[]);
}

#[test]
fn fields_beside_a_flattened_one_may_be_absent() {
    const SCHEMA: EntitySchema =
        EntitySchema::new("Flat", "flats", "id").plain_paths(&["id", "list", "span"]);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Flat {
        id: String,
        list: Vec<u16>,
        #[serde(with = "crate::mapping::with::iso_duration::option")]
        span: Option<std::time::Duration>,
        #[serde(flatten)]
        rest: BTreeMap<String, String>,
    }
    let flat = Flat {
        id: "1".into(),
        list: vec![],
        span: None,
        rest: BTreeMap::new(),
    };
    assert_eq!(decode::<Flat>(&SCHEMA, &record(&[("id", "1")])).unwrap(), flat);
    same_by(&SCHEMA, &flat);
    let missed = decode::<Flat>(&SCHEMA, &record(&[("list.[0]", "1")])).unwrap_err();
    assert!(matches!(missed, Error::Decode { path, .. } if path == "id"));
}
