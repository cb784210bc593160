//! Errors name the place, and never quote what is stored there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Mate {
    age: i32,
    ip: Option<std::net::IpAddr>,
    date: Option<chrono::NaiveDate>,
    letter: Option<char>,
    ratio: Option<f64>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Crew {
    mates: Vec<Mate>,
    by: BTreeMap<u8, Mate>,
    json: Option<Vec<Option<Mate>>>,
}

#[test]
fn the_path_is_that_of_the_place() {
    let expected = |path: &str, what: &str| (path.to_owned(), format!("expected {what}"));
    assert_eq!(refused::<Mate>(&[("age", "31x")]), expected("age", "i32"));
    assert_eq!(
        refused::<Crew>(&[("mates.[0].age", "1"), ("mates.[1].age", "secret")]),
        expected("mates.[1].age", "i32")
    );
    assert_eq!(
        refused::<Crew>(&[("by.[7].age", "")]),
        expected("by.[7].age", "i32")
    );
    assert_eq!(refused::<Crew>(&[("by.[x].age", "1")]), expected("by.[x]", "u8"));
    assert_eq!(
        refused::<Crew>(&[("json", r#"[null,{"age":"s"}]"#)]),
        expected("json.[1].age", "i32")
    );
    assert_eq!(refused::<Crew>(&[("mates", "garbage")]).0, "mates.[0]");
    assert_eq!(refused::<Crew>(&[("json", r#"[{"age":1,}]"#)]).0, "json.[0]");
}

#[test]
fn no_message_quotes_a_value() {
    for (path, value) in [
        ("ip", "secret"),
        ("date", "secret"),
        ("letter", "secret"),
        ("ratio", "secret"),
        ("age", "secret"),
        ("age", "99999999999"),
        ("ip", "9"),
    ] {
        let fields = [("age", "1"), (path, value)];
        let fields = if path == "age" { &fields[1..] } else { &fields[..] };
        let (at, reason) = refused::<Mate>(fields);
        assert_eq!(at, path);
        assert!(!reason.contains(value), "{reason}");
        let json = format!(r#"[{{"age":1,"{path}":"{value}"}}]"#);
        if path != "age" {
            let (_, reason) = refused::<Crew>(&[("json", &json)]);
            assert!(!reason.contains(value), "{reason}");
        }
    }
}

#[test]
fn a_users_own_message_is_kept_unless_it_quotes() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(try_from = "String", into = "String")]
    struct Picky(String);
    impl Clone for Picky {
        fn clone(&self) -> Self {
            Self(self.0.clone())
        }
    }
    impl From<Picky> for String {
        fn from(picky: Picky) -> Self {
            picky.0
        }
    }
    impl TryFrom<String> for Picky {
        type Error = String;
        fn try_from(text: String) -> Result<Self, String> {
            match text.as_str() {
                "good" => Ok(Self(text)),
                "loud" => Err("it is loud".into()),
                _ => Err("must be good".into()),
            }
        }
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Has {
        it: Picky,
        json: Vec<Option<Picky>>,
    }
    assert_eq!(
        refused::<Has>(&[("it", "bad")]),
        ("it".to_owned(), "custom: must be good".to_owned())
    );
    let (path, reason) = refused::<Has>(&[("it", "loud")]);
    assert_eq!(path, "it");
    assert!(!reason.contains("loud"), "{reason}");
    let (path, reason) = refused::<Has>(&[("it", "good"), ("json", r#"[null,"loud"]"#)]);
    assert_eq!(path, "json.[1]");
    assert!(!reason.contains("loud"), "{reason}");
}

#[test]
fn messages_of_containers_are_screened_too() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(try_from = "Raw", into = "Raw")]
    struct Range {
        low: u8,
        high: u8,
    }
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Raw {
        low: u8,
        high: u8,
    }
    impl From<Range> for Raw {
        fn from(Range { low, high }: Range) -> Self {
            Self { low, high }
        }
    }
    impl TryFrom<Raw> for Range {
        type Error = String;
        fn try_from(Raw { low, high }: Raw) -> Result<Self, String> {
            if low <= high {
                Ok(Self { low, high })
            } else {
                Err(format!("{low} is above {high}"))
            }
        }
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Has {
        range: Range,
    }
    let (path, reason) = refused::<Has>(&[("range.low", "9"), ("range.high", "7")]);
    assert_eq!(path, "range");
    assert!(!reason.contains('9') && !reason.contains('7'), "{reason}");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let fields = [
        ("age".to_owned(), b"1".to_vec()),
        ("letter".to_owned(), vec![0xff]),
    ];
    let error = decode::<Mate>(&PLAIN, &fields.into_iter().collect()).unwrap_err();
    assert!(
        matches!(&error, Error::Decode { path, .. } if path == "letter"),
        "{error}"
    );
}

#[test]
fn an_encode_error_names_its_place() {
    struct Locked;
    impl Serialize for Locked {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("locked"))
        }
    }
    impl<'de> Deserialize<'de> for Locked {
        fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
            Ok(Self)
        }
    }
    let map = BTreeMap::from([("k".to_owned(), vec![Some(Locked)])]);
    let error = encode(&PLAIN, &map).unwrap_err();
    assert!(
        matches!(&error, Error::Encode { path, reason, .. } if path == "[k].[0]" && reason == "locked"),
        "{error}"
    );
}
