//! Sequences are indexed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct List<T> {
    list: Vec<T>,
}

fn list<T>(list: impl IntoIterator<Item = T>) -> List<T> {
    List {
        list: list.into_iter().collect(),
    }
}

#[test]
fn elements_have_their_index() {
    stored(
        &list(["a".to_owned(), String::new()]),
        &[("list.[0]", "a"), ("list.[1]", "")],
    );
    let eleven = fields(&list((0..11).map(|n| 5 - n)));
    assert_eq!(eleven.last().unwrap(), &("list.[10]".to_owned(), "-5".to_owned()));
}

#[test]
fn lists_of_lists_and_of_structs_nest() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Mate {
        name: String,
        aliases: Vec<String>,
    }
    stored(
        &list([vec![1_u16, 2], vec![], vec![3]]),
        &[
            ("list.[0].[0]", "1"),
            ("list.[0].[1]", "2"),
            ("list.[1]", "[]"),
            ("list.[2].[0]", "3"),
        ],
    );
    let bram = Mate {
        name: "Bram".into(),
        aliases: vec!["keeper".into()],
    };
    let pia = Mate {
        name: "Pia".into(),
        aliases: vec![],
    };
    stored(
        &list([bram, pia]),
        &[
            ("list.[0].name", "Bram"),
            ("list.[0].aliases.[0]", "keeper"),
            ("list.[1].name", "Pia"),
            ("list.[1].aliases", "[]"),
        ],
    );
}

#[test]
fn indices_sort_as_numbers_and_holes_close() {
    let back: List<String> = read(&[
        ("list.[9]", "second"),
        ("list.[10]", "third"),
        ("list.[1]", "first"),
    ]);
    assert_eq!(back, list(["first", "second", "third"].map(str::to_owned)));
}

#[test]
fn an_index_does_not_swallow_another_that_begins_like_it() {
    let twelve = list((0..12).map(|n| vec![n]));
    same(&twelve);
    let back: List<Vec<u16>> = read(&[
        ("list.[10].[0]", "10"),
        ("list.[1].[0]", "1"),
        ("list.[100].[0]", "100"),
    ]);
    assert_eq!(back, list([vec![1], vec![10], vec![100]]));
}

#[test]
fn an_empty_list_is_marked_and_an_absent_one_is_empty() {
    stored(&list::<u16>([]), &[("list", "[]")]);
    stored(&list::<String>([]), &[("list", "[]")]);
    assert_eq!(read::<List<u16>>(&[]), list([]));
    assert_eq!(read::<List<u16>>(&[("list", "")]), list([]));
}

#[test]
fn a_list_with_a_hole_is_json() {
    stored(
        &list([Some("a".to_owned()), None, Some("c".to_owned())]),
        &[("list", r#"["a",null,"c"]"#)],
    );
    stored(&list([(), ()]), &[("list", "[null,null]")]);
    stored(
        &list([Some(vec![None, Some(1)]), None]),
        &[("list", "[[null,1],null]")],
    );
    stored(&list([Some(1), Some(2)]), &[("list.[0]", "1"), ("list.[1]", "2")]);
    stored(
        &list([vec![Some(1)], vec![None]]),
        &[("list.[0].[0]", "1"), ("list.[1]", "[null]")],
    );
}

#[test]
fn json_keeps_what_plain_json_would_lose() {
    same(&list([
        None,
        Some(f64::INFINITY),
        Some(f64::MIN),
        Some(0.1 + 0.2),
        Some(-0.0),
    ]));
    same(&list([None, Some(None), Some(Some(1))]));
    same(&list([
        None,
        Some(None),
        Some(Some(None)),
        Some(Some(Some("null".to_owned()))),
    ]));
    same(&list([None, Some(())]));
    same(&list([None, Some(u128::MAX)]));
    same(&list([None, Some(i128::MIN)]));
    same(&list([None, Some(f32::MAX), Some(0.1_f32)]));
    same(&list([None, Some('\u{1}'), Some('"')]));
    same(&list([None, Some("\u{0}\u{1f}\u{7f}\u{2028}\\\"/海".to_owned())]));
    same(&list([None, Some(1_u8)]));
}

#[test]
fn other_writers_json_is_read() {
    let back: List<Option<u16>> = read(&[("list", " [ 1 , null,\n2 ] ")]);
    assert_eq!(back, list([Some(1), None, Some(2)]));
    let back: List<String> = read(&[("list", r#"["\u00e5\ud83d\ude00","\n"]"#)]);
    assert_eq!(back, list(["å😀".to_owned(), "\n".to_owned()]));
}

#[test]
fn sets_are_stored_like_lists() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Set {
        set: BTreeSet<String>,
    }
    stored(
        &Set {
            set: BTreeSet::from(["night".to_owned()]),
        },
        &[("set.[0]", "night")],
    );
}

#[test]
fn tuples_and_arrays_are_indexed() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Rgb(u8, u8, u8);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Tuples {
        pair: (String, i32),
        color: Rgb,
        array: [u16; 2],
        none: [u16; 0],
        hole: (Option<u8>, u8),
        late: (u8, String),
    }
    let tuples = Tuples {
        pair: ("a".into(), -1),
        color: Rgb(1, 2, 3),
        array: [4, 5],
        none: [],
        hole: (None, 1),
        late: (9, "x".into()),
    };
    stored(
        &tuples,
        &[
            ("pair.[0]", "a"),
            ("pair.[1]", "-1"),
            ("color.[0]", "1"),
            ("color.[1]", "2"),
            ("color.[2]", "3"),
            ("array.[0]", "4"),
            ("array.[1]", "5"),
            ("none", "[]"),
            ("hole", "[null,1]"),
            ("late.[0]", "9"),
            ("late.[1]", "x"),
        ],
    );
}

#[test]
fn an_array_takes_no_more_than_it_has_room_for() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Array {
        it: [u16; 2],
    }
    assert_eq!(
        refused::<Array>(&[("it.[0]", "1"), ("it.[1]", "2"), ("it.[2]", "3")]).0,
        "it"
    );
    assert_eq!(refused::<Array>(&[("it.[0]", "1")]).0, "it");
}

#[test]
fn an_outer_list_is_not_filled_from_an_inner_one_of_the_same_name() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Line {
        codes: Vec<String>,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Order {
        lines: Vec<Line>,
        codes: Vec<String>,
    }
    let order = Order {
        lines: vec![Line {
            codes: vec!["x".into(), "y".into()],
        }],
        codes: vec![],
    };
    same(&order);
    let back: Order = read(&[("lines.[0].codes.[0]", "x"), ("lines.[0].codes.[1]", "y")]);
    assert_eq!(back, order);
}
