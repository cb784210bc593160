//! Values that decode themselves by what they find.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Has {
    it: Value,
    maybe: Option<Value>,
    list: Vec<Value>,
    map: BTreeMap<String, Value>,
}

#[test]
fn every_json_value_comes_back_equal() {
    for it in [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1.0),
        json!(0.1 + 0.2),
        json!(1e300),
        json!(-0.0),
        json!(""),
        json!("1"),
        json!("null"),
        json!("\"quoted\""),
        json!(" 1 "),
        json!("[1"),
        json!("plain"),
        json!([]),
        json!({}),
        json!([1, null, "1", [[]], {"a": {}}]),
        json!({"a": null, "b": [1], "c]": {"0": 1}, "": "x"}),
        json!({"$some": null}),
    ] {
        let has = Has {
            it: it.clone(),
            maybe: Some(it.clone()),
            list: vec![it.clone(), it.clone()],
            map: [("a".to_owned(), it.clone()), ("0".to_owned(), it.clone())].into(),
        };
        same(&has);
        same(&Has {
            maybe: None,
            list: vec![],
            map: BTreeMap::new(),
            ..has.clone()
        });
        same(&vec![Some(has), None]);
        same(&it);
    }
}

#[test]
fn a_lone_string_is_plain_unless_it_looks_like_json() {
    let has = |it: Value| Has {
        it,
        maybe: None,
        list: vec![],
        map: BTreeMap::new(),
    };
    let first = |has: &Has| fields(has).swap_remove(0).1;
    assert_eq!(first(&has(json!("text"))), "text");
    assert_eq!(first(&has(json!("12"))), "\"12\"");
    assert_eq!(first(&has(json!(12))), "12");
    assert_eq!(first(&has(json!(true))), "true");
    assert_eq!(first(&has(json!([1, "a"]))), "[1,\"a\"]");
}

#[test]
fn decimals_stay_plain_text_where_they_can() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Price {
        amount: Decimal,
        list: Vec<Decimal>,
        maybe: Option<Decimal>,
    }
    let amount: Decimal = "1.10".parse().unwrap();
    let price = Price {
        amount,
        list: vec![amount, Decimal::from(7)],
        maybe: None,
    };
    stored(
        &price,
        &[("amount", "1.10"), ("list.[0]", "1.10"), ("list.[1]", "7")],
    );
    let exact = "1234567890123456789.123456789";
    let plain: Price = read(&[("amount", exact), ("maybe", "\"1.10\""), ("list", "[1,\"2\"]")]);
    assert_eq!(
        (plain.amount.to_string().as_str(), plain.maybe),
        (exact, Some(amount))
    );
    assert_eq!(plain.list, [Decimal::from(1), Decimal::from(2)]);
    same(&vec![Some(price), None]);
}

#[test]
fn foreign_flat_data_is_read_as_what_it_looks_like() {
    let has: Has = read(&[
        ("it.a", "text"),
        ("it.b.[0]", "1"),
        ("it.b.[1]", "x"),
        ("it.c.[key]", "true"),
        ("list.[0].a", "1.5"),
        ("map.[k].x", "y"),
    ]);
    assert_eq!(has.it, json!({"a": "text", "b": [1, "x"], "c": {"key": true}}));
    assert_eq!(has.list, [json!({"a": 1.5})]);
    assert_eq!(has.map["k"], json!({"x": "y"}));
    assert_eq!(has.maybe, None);
}

#[test]
fn types_that_contain_themselves_are_walked_to_the_end() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Node {
        value: Value,
        left: Option<Box<Self>>,
        more: Vec<Self>,
        named: BTreeMap<String, Self>,
    }
    fn node(depth: usize) -> Node {
        let child = || (depth > 0).then(|| node(depth - 1));
        Node {
            value: json!(depth.to_string()),
            left: child().map(Box::new),
            more: child().into_iter().collect(),
            named: child().map(|node| ("1".to_owned(), node)).into_iter().collect(),
        }
    }
    same(&node(4));
    assert_eq!(fields(&node(1)).first().unwrap().1, "\"1\"");
}

#[test]
fn links_and_marks_at_one_place_both_count() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Node {
        pair: Option<(f64, Box<Self>, Value)>,
        tagged: Option<Box<Tagged>>,
        text: String,
        value: Value,
    }
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "t", content = "c")]
    enum Tagged {
        Node(Node),
        Value(Value),
        Other { text: String, value: Value, pair: u8 },
        New(Other),
    }
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Other {
        value: Vec<Value>,
        text: Value,
    }
    let one = json!("1");
    let leaf = Node {
        pair: None,
        tagged: None,
        text: "1".into(),
        value: one.clone(),
    };
    let pair = Some((f64::INFINITY, Box::new(leaf.clone()), one.clone()));
    let mut node = Node {
        pair,
        tagged: Some(Box::new(Tagged::Node(leaf))),
        text: "2".into(),
        value: one.clone(),
    };
    same(&node);
    node.pair = None;
    for tagged in [
        Tagged::Node(node.clone()),
        Tagged::Value(one.clone()),
        Tagged::Other {
            text: "1".into(),
            value: one.clone(),
            pair: 1,
        },
        Tagged::New(Other {
            value: vec![one.clone(), one.clone()],
            text: one,
        }),
    ] {
        node.tagged = Some(Box::new(tagged));
        same(&node);
        same(&vec![Some(node.clone()), None]);
    }
}

#[test]
fn generic_types_within_themselves_are_told_apart() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Wrap<T> {
        v: T,
    }
    same(&Wrap {
        v: Wrap {
            v: Wrap { v: json!("1") },
        },
    });
    same(&Wrap {
        v: vec![Wrap { v: json!("1") }],
    });
}

#[test]
fn places_behind_picky_keys_and_elements_are_found() {
    use std::net::IpAddr;
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Picky {
        by_uuid: BTreeMap<uuid::Uuid, Value>,
        by_ip: BTreeMap<IpAddr, Value>,
        by_date: BTreeMap<chrono::NaiveDate, Value>,
        by_instant: BTreeMap<chrono::DateTime<chrono::Utc>, Value>,
        by_number: BTreeMap<std::num::NonZeroU8, Value>,
        tuple: (chrono::NaiveDate, Option<u8>, Value),
        nested: (uuid::Uuid, (IpAddr, Value)),
    }
    let date: chrono::NaiveDate = "2021-03-09".parse().unwrap();
    let picky = Picky {
        by_uuid: [(uuid::Uuid::nil(), json!("1"))].into(),
        by_ip: [("::1".parse().unwrap(), json!("1"))].into(),
        by_date: [(date, json!("1"))].into(),
        by_instant: [("2021-03-09T08:07:06Z".parse().unwrap(), json!("1"))].into(),
        by_number: [(std::num::NonZeroU8::MIN, json!("1"))].into(),
        tuple: (date, Some(3), json!("1")),
        nested: (uuid::Uuid::nil(), ("::1".parse().unwrap(), json!("1"))),
    };
    same(&picky);
}

#[test]
fn options_around_such_values_keep_their_depth() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Deep {
        it: Option<Option<Value>>,
    }
    for it in [
        None,
        Some(None),
        Some(Some(json!(1))),
        Some(Some(json!("null"))),
        Some(Some(json!({"$some": 1}))),
    ] {
        same(&Deep { it });
    }
    same(&Deep {
        it: Some(Some(json!(null))),
    });
}

#[test]
fn raw_json_is_kept_as_it_stands() {
    #[derive(Debug, Serialize, Deserialize)]
    struct Raw {
        it: Box<serde_json::value::RawValue>,
        list: Vec<Box<serde_json::value::RawValue>>,
    }
    let raw = |text: &str| serde_json::value::RawValue::from_string(text.to_owned()).unwrap();
    let value = Raw {
        it: raw(r#"{"b": 1.10,  "a": null}"#),
        list: vec![raw("1"), raw("\"1\"")],
    };
    let record = encode(&PLAIN, &value).unwrap();
    assert_eq!(record.get("it"), Some(br#"{"b": 1.10,  "a": null}"#.as_slice()));
    let back: Raw = decode(&PLAIN, &record).unwrap();
    assert_eq!(back.it.get(), value.it.get());
    assert_eq!(back.list[1].get(), "\"1\"");
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Num {
        Float(f64),
    }
    let error = encode(&PLAIN, &vec![Num::Float(f64::NAN)]).unwrap_err();
    assert!(
        matches!(&error, Error::Encode { path, .. } if path == "[0]"),
        "{error}"
    );
}
