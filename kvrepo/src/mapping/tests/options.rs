//! `None` is absent, and nothing else is.

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Maybe<T> {
    it: Option<T>,
}

#[track_caller]
fn text<T: Serialize + DeserializeOwned + PartialEq + Debug + 'static>(it: T, expected: &str) {
    stored(&Maybe { it: Some(it) }, &[("it", expected)]);
}

#[test]
fn none_is_absent_and_an_empty_text_is_not() {
    stored(&Maybe::<String> { it: None }, &[]);
    text(String::new(), "");
    text("null".to_owned(), "null");
    text("None".to_owned(), "None");
    stored(&Maybe::<f64> { it: None }, &[]);
}

#[test]
fn empty_containers_are_not_none() {
    text(Vec::<u16>::new(), "[]");
    text(Vec::<u8>::new(), "[]");
    text(std::collections::BTreeMap::<u8, u8>::new(), "{}");
    text(Maybe::<u8> { it: None }, "{}");
    text((), "null");
}

#[test]
fn options_of_options_keep_their_depth() {
    stored(&Maybe::<Option<u8>> { it: None }, &[]);
    text(None::<u8>, "null");
    text(Some(5_u8), "5");
    text(Some(String::new()), "");
    text(Some("a".to_owned()), "a");
    text(Some("null".to_owned()), "\"null\"");
    text(Some("\"null\"".to_owned()), r#""\"null\"""#);
    text(Some("\"".to_owned()), r#""\"""#);
    text(Some(r#"{"$some":null}"#.to_owned()), r#""{\"$some\":null}""#);
    text(Some('"'), r#""\"""#);
    text(Some(None::<u8>), r#"{"$some":null}"#);
    text(Some(Some(None::<u8>)), r#"{"$some":{"$some":null}}"#);
    text(Some(()), r#"{"$some":null}"#);
    text(None::<()>, "null");
    text(Some(Some(Some("x".to_owned()))), "x");
}

#[test]
fn options_of_options_hold_containers() {
    same(&Maybe {
        it: Some(Some(vec![1_u16])),
    });
    same(&Maybe {
        it: Some(Some(Vec::<u16>::new())),
    });
    same(&Maybe {
        it: Some(Some(vec![None, Some(1)])),
    });
    same(&Maybe {
        it: Some(None::<Vec<u16>>),
    });
    same(&Maybe {
        it: Some(Some(Maybe::<u8> { it: None })),
    });
    for bytes in [
        b"null".as_slice(),
        b"\"x\"",
        b"\"",
        b"[]",
        b"{\"$some\":null}",
        b"",
        b"\xff",
    ] {
        same(&Maybe {
            it: Some(Some(bytes.to_vec())),
        });
        same(&Maybe {
            it: Some(Some(serde_bytes::ByteBuf::from(bytes.to_vec()))),
        });
        same(&Maybe {
            it: Some(Some(Some(bytes.to_vec()))),
        });
    }
    let some = std::collections::BTreeMap::from([("$some".to_owned(), None::<u8>)]);
    same(&Maybe {
        it: Some(Some(some.clone())),
    });
    same(&Maybe {
        it: Some(Some(Some(some))),
    });
    same(&Maybe {
        it: Some(Some(uuid::Uuid::nil())),
    });
}

#[test]
fn enums_in_options_of_options_come_back() {
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    enum Odd {
        #[serde(rename = "null")]
        Null,
        #[serde(rename = "\"q\"")]
        Quoted,
        Data(Option<u8>),
    }
    for odd in [Odd::Null, Odd::Quoted, Odd::Data(None), Odd::Data(Some(1))] {
        same(&Maybe {
            it: Some(odd.clone()),
        });
        same(&Maybe {
            it: Some(Some(odd.clone())),
        });
        same(&Maybe {
            it: Some(Some(Some(odd))),
        });
    }
}
