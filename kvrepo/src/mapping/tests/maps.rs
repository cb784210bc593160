//! Maps have their keys in brackets.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Map<K: Ord, V> {
    map: BTreeMap<K, V>,
}

fn map<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> Map<K, V> {
    Map {
        map: entries.into_iter().collect(),
    }
}

fn texts(entries: &[(&str, &str)]) -> Map<String, String> {
    map(entries
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned())))
}

#[test]
fn entries_have_their_key() {
    stored(
        &texts(&[("hair-tint", "copper"), ("left-arm", "anchor")]),
        &[("map.[hair-tint]", "copper"), ("map.[left-arm]", "anchor")],
    );
}

#[test]
fn keys_may_be_almost_any_text() {
    stored(
        &texts(&[
            ("", "e"),
            (" ", "s"),
            ("[", "b"),
            ("a.b", "1"),
            ("a.b.[c", "2"),
            ("c d", "3"),
            ("海", "4"),
        ]),
        &[
            ("map.[]", "e"),
            ("map.[ ]", "s"),
            ("map.[[]", "b"),
            ("map.[a.b]", "1"),
            ("map.[a.b.[c]", "2"),
            ("map.[c d]", "3"),
            ("map.[海]", "4"),
        ],
    );
    same(&texts(&[("_class", "x"), ("_raw", "y")]));
}

#[test]
fn a_key_with_a_closing_bracket_makes_the_map_json() {
    stored(
        &texts(&[("a", "1"), ("b]", "2")]),
        &[("map", r#"{"a":"1","b]":"2"}"#)],
    );
    same(&texts(&[("].", "1"), ("]", "2"), ("a].[b", "3")]));
}

#[test]
fn keys_keep_their_type() {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    enum Role {
        #[serde(rename = "DECK")]
        Deck,
    }
    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    struct Id(u64);
    stored(
        &map([(3_u32, 0_u32), (10, 1)]),
        &[("map.[3]", "0"), ("map.[10]", "1")],
    );
    stored(&map([(-3_i8, "x".to_owned())]), &[("map.[-3]", "x")]);
    stored(
        &map([(i128::MIN, 1)]),
        &[("map.[-170141183460469231731687303715884105728]", "1")],
    );
    stored(
        &map([(true, 1), (false, 0)]),
        &[("map.[0]", "0"), ("map.[1]", "1")],
    );
    stored(&map([('x', 1)]), &[("map.[x]", "1")]);
    stored(&map([(Role::Deck, 1)]), &[("map.[DECK]", "1")]);
    stored(&map([(Id(5), 1)]), &[("map.[5]", "1")]);
    stored(&map([(Some(5), 1)]), &[("map.[5]", "1")]);
    same(&map([(uuid::Uuid::from_u128(7), 1)]));
}

#[test]
fn keys_may_be_floats() {
    #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
    struct Ordered(f64);
    impl Eq for Ordered {}
    impl PartialOrd for Ordered {
        fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
            Some(self.cmp(other))
        }
    }
    impl Ord for Ordered {
        fn cmp(&self, other: &Self) -> std::cmp::Ordering {
            self.0.total_cmp(&other.0)
        }
    }
    stored(
        &map([(Ordered(2.5), 7), (Ordered(9.0), 8)]),
        &[("map.[2.5]", "7"), ("map.[9.0]", "8")],
    );
}

#[test]
fn keys_without_a_text_make_the_map_an_array_of_pairs() {
    stored(&map([((1, 2), "x".to_owned())]), &[("map", r#"[[[1,2],"x"]]"#)]);
    stored(
        &map([(None, 1), (Some("a".to_owned()), 2)]),
        &[("map", r#"[[null,1],["a",2]]"#)],
    );
    same(&map([(vec!["a".to_owned()], map([((), 1)]).map)]));
    same(&map([(Some(Some(1)), 1), (Some(None), 2), (None, 3)]));
    stored(
        &map([(std::cmp::Reverse(Some(5)), 1), (std::cmp::Reverse(None), 2)]),
        &[("map", r#"[["5",1],[null,2]]"#)],
    );
}

#[test]
fn an_empty_map_is_marked_and_an_absent_one_is_empty() {
    stored(&texts(&[]), &[("map", "{}")]);
    assert_eq!(read::<Map<String, u8>>(&[]), map([]));
}

#[test]
fn a_map_with_a_hole_is_json() {
    stored(
        &map([("a".to_owned(), Some(1)), ("b".to_owned(), None)]),
        &[("map", r#"{"a":1,"b":null}"#)],
    );
    stored(&map([(1, ())]), &[("map", r#"{"1":null}"#)]);
    same(&map([
        ("a".to_owned(), Some(None)),
        ("b".to_owned(), None),
        ("c".to_owned(), Some(Some(1))),
    ]));
}

#[test]
fn maps_hold_containers() {
    let sets: Map<String, BTreeSet<String>> = map([
        ("a".to_owned(), BTreeSet::from(["x".to_owned()])),
        ("b".to_owned(), BTreeSet::new()),
    ]);
    stored(&sets, &[("map.[a].[0]", "x"), ("map.[b]", "[]")]);
    same(&map([
        ("m".to_owned(), texts(&[("k", "v"), ("]", "")]).map),
        ("n".to_owned(), BTreeMap::new()),
    ]));
    same(&map([(1, map([(2, map([(3, vec![4_u8])]).map)]).map)]));
}

#[test]
fn a_key_that_looks_like_an_index_stays_a_key() {
    same(&texts(&[
        ("0", "a"),
        ("00", "b"),
        ("1", "c"),
        ("18446744073709551616", "d"),
    ]));
}

#[test]
fn hash_maps_come_back_too() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Hashed {
        map: HashMap<u32, HashMap<String, u8>>,
    }
    let map = (0..50)
        .map(|n| (n, HashMap::from([(n.to_string(), 1), ("x".to_owned(), 2)])))
        .collect();
    same(&Hashed { map });
}

#[test]
fn two_keys_with_one_text_are_refused() {
    struct Twice;
    impl Serialize for Twice {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            #[derive(Serialize)]
            struct Outer {
                map: Pairs,
            }
            struct Pairs;
            impl Serialize for Pairs {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.collect_map([("b", 1), ("a", 2), ("b", 3)])
                }
            }
            Outer { map: Pairs }.serialize(serializer)
        }
    }
    impl<'de> Deserialize<'de> for Twice {
        fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
            Ok(Self)
        }
    }
    let error = encode(&PLAIN, &Twice).unwrap_err();
    assert!(
        matches!(&error, Error::Encode { path, .. } if path == "map.[b]"),
        "{error}"
    );
}
