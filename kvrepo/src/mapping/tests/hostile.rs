//! Records that nobody in their right mind would write.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    a: Option<Box<Self>>,
    b: Vec<Self>,
    c: BTreeMap<String, Self>,
    d: Option<Value>,
    e: Option<Kind>,
    f: Vec<u8>,
    g: Option<(u8, String)>,
    h: Option<Option<String>>,
    n: Option<i32>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Unit,
    New(Box<Self>),
    Tuple(u8, Option<u8>),
    Named { a: Option<Box<Self>> },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wrap(Option<Box<Self>>);

fn try_all(record: &Record) {
    let _ = decode::<Everything>(&PLAIN, record);
    let _ = decode::<Value>(&PLAIN, record);
    let _ = decode::<BTreeMap<String, BTreeMap<String, String>>>(&PLAIN, record);
    let _ = decode::<Vec<Vec<String>>>(&PLAIN, record);
    let _ = decode::<Kind>(&PLAIN, record);
    let _ = decode::<Wrap>(&PLAIN, record);
}

#[test]
fn broken_paths_do_no_harm() {
    for path in [
        "",
        ".",
        "..",
        "[",
        "]",
        "[]",
        "a.[",
        "a..b",
        "a.]",
        "a.[]",
        "b.[x]",
        "b.[-1]",
        "b.[99999999999999999999]",
        "b.[0",
        "[0].[",
        "a.",
        ".a",
        "c.[]].x",
        "_class",
        "a._class",
        "_raw",
        "_raw.x",
        "[_raw]",
    ] {
        for value in [
            "",
            "1",
            "{",
            "[",
            "{}",
            "[]",
            "\"",
            "null",
            "{\"a\":",
            "[1,",
            "{\"$some\":",
            "{\"$some\":null",
            "\\u",
            "-",
            "1e",
            "\"\\ud800\"",
        ] {
            try_all(&record(&[(path, value)]));
            try_all(&record(&[(path, value), ("a.b", "x"), ("b.[0].n", "1")]));
        }
    }
}

#[test]
fn deep_nesting_is_refused_and_does_not_overflow() {
    for depth in [100, 1_000, 50_000] {
        for (open, close) in [
            ("[", "]"),
            ("{\"a\":", "}"),
            ("{\"New\":", "}"),
            ("{\"$some\":", "}"),
            ("[{\"b\":", "}]"),
        ] {
            let json = format!("{}null{}", open.repeat(depth), close.repeat(depth));
            for path in ["_raw", "a", "b", "c.[x]", "d", "e", "h"] {
                try_all(&record(&[(path, &json)]));
            }
        }
        for segment in ["a", "[0]", "c.[x]", "New", "b.[0]", ""] {
            let path = vec![segment; depth].join(".");
            try_all(&record(&[(&path, "1")]));
            try_all(&record(&[(&format!("d.{path}"), "1")]));
            try_all(&record(&[(&format!("e.{path}"), "Unit")]));
        }
    }
}

#[test]
fn values_that_nest_too_deeply_are_not_written() {
    fn nested(depth: usize) -> Value {
        (0..depth).fold(Value::Null, |value, _| Value::Array(vec![value]))
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Folk {
        parent: Option<Box<Self>>,
    }
    fn folk(depth: usize) -> Folk {
        (0..depth).fold(Folk { parent: None }, |folk, _| Folk {
            parent: Some(Box::new(folk)),
        })
    }
    same(&nested(100));
    same(&folk(100));
    assert!(matches!(encode(&PLAIN, &nested(200)), Err(Error::Encode { .. })));
    assert!(matches!(encode(&PLAIN, &folk(200)), Err(Error::Encode { .. })));
    for depth in 100..140 {
        if let Ok(record) = encode(&PLAIN, &nested(depth)) {
            decode::<Value>(&PLAIN, &record).expect("what was written should be read");
        }
        if let Ok(record) = encode(&PLAIN, &folk(depth)) {
            decode::<Folk>(&PLAIN, &record).expect("what was written should be read");
        }
    }
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "g", "h", "n", "_class", "_raw", "New", "Unit", "Tuple", "Named", ""]).prop_map(str::to_owned),
        3 => prop::sample::select(vec!["[0]", "[1]", "[10]", "[x]", "[]", "[", "]", "[a.b]", "[a]b]"]).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ]
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => prop::sample::select(vec!["", "1", "-1", "null", "true", "{}", "[]", "x", "\"x\"", "[1,2]", "[null]", "{\"a\":{}}", "{\"$some\":null}", "Unit", "[[[", "{\"Tuple\":[1,null]}"]).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_record_makes_it_panic(fields in prop::collection::vec((prop::collection::vec(piece(), 1..6), value()), 0..10)) {
        let record: Record = fields.into_iter().map(|(pieces, value)| (pieces.join("."), value)).collect();
        try_all(&record);
    }
}
