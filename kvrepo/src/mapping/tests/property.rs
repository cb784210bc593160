//! Whatever serde can say comes back equal.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::*;

const FLAT: EntitySchema = EntitySchema::new("Flat", "flats", "id").plain_paths(&["id", "wide"]);

/// A float that equals itself.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Float(f64);

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits() || (self.0.is_nan() && other.0.is_nan())
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Numbers {
    a: (u8, i8, u16, i16),
    b: (u32, i32, u64, i64),
    c: u128,
    d: i128,
    e: Float,
    f: Option<f32>,
    g: bool,
    h: char,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum External {
    Unit,
    New(Wide),
    Text(String),
    Maybe(Option<Option<String>>),
    Pair(Option<u8>, String),
    Named { wide: Option<Wide>, text: String },
    Nothing {},
    Empty(),
}

#[expect(
    clippy::large_enum_variant,
    reason = "what is tested is what an enum may hold, not how it is kept"
)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    Text(String),
    Maybe(Option<String>),
    Named { wide: Wide },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t")]
enum Internal {
    Unit,
    Named {
        text: String,
        number: i64,
        maybe: Option<String>,
        list: Vec<Option<String>>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Self>),
    Map(BTreeMap<String, Self>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Tail {
    text: String,
    maybe: Option<String>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

/// One of everything, and itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Wide {
    text: String,
    maybe: Option<Option<Option<String>>>,
    bytes: Vec<u8>,
    patch: Option<Option<Vec<u8>>>,
    #[serde(with = "serde_bytes")]
    raw: Vec<u8>,
    numbers: Option<Box<Numbers>>,
    list: Vec<Option<String>>,
    nested: Vec<Vec<Self>>,
    map: BTreeMap<String, Option<Self>>,
    keys: BTreeMap<(i8, String), u8>,
    by_option: BTreeMap<Option<String>, Vec<u8>>,
    by_number: BTreeMap<i64, String>,
    external: Option<Box<External>>,
    adjacent: Option<Box<Adjacent>>,
    internal: Option<Internal>,
    untagged: Vec<Untagged>,
    value: Value,
    tail: Option<Tail>,
    unit: Option<Option<()>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Flat {
    id: String,
    wide: Wide,
    #[serde(flatten)]
    tail: Tail,
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => prop::sample::select(vec![
            "", "null", "true", "1", "-0", "1.0", "[]", "{}", "[1]", "\"", "\"x\"", "a.b", "[x]", "]", "].", ".", "_class", "_raw",
            "{\"$some\":null}", "$some", " 1 ", "\n", "0", "10", "t", "Unit", "\u{0}", "海",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,8}",
    ]
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        text().prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..6)
    ]
}

fn numbers() -> impl Strategy<Value = Numbers> {
    let edges = (
        any::<[u8; 16]>(),
        any::<f64>(),
        any::<f32>(),
        any::<bool>(),
        any::<char>(),
        0..4_u8,
    );
    edges.prop_map(|(seed, e, f, g, h, edge)| {
        let c = match edge {
            0 => 0,
            1 => u128::MAX,
            2 => u128::MAX / 2,
            _ => u128::from_le_bytes(seed),
        };
        let d = i128::from_le_bytes(c.to_le_bytes());
        let [a, b, ..] = seed;
        let (wide, signed) = (
            u64::from_le_bytes(c.to_le_bytes()[..8].try_into().unwrap()),
            d as i64,
        );
        Numbers {
            a: (a, b as i8, wide as u16, signed as i16),
            b: (wide as u32, signed as i32, wide, signed),
            c,
            d,
            e: Float(e),
            f: (!f.is_nan()).then_some(f),
            g,
            h,
        }
    })
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop::num::f64::NORMAL.prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn untagged() -> impl Strategy<Value = Untagged> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Untagged::Bool),
        any::<i64>().prop_map(Untagged::Number),
        text().prop_map(Untagged::Text),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Untagged::List),
            prop::collection::btree_map(text(), inner, 0..3).prop_map(Untagged::Map),
        ]
    })
}

fn internal() -> impl Strategy<Value = Internal> {
    let named = (
        text(),
        any::<i64>(),
        prop::option::of(text()),
        prop::collection::vec(prop::option::of(text()), 0..3),
    );
    prop_oneof![
        Just(Internal::Unit),
        named.prop_map(|(text, number, maybe, list)| Internal::Named {
            text,
            number,
            maybe,
            list
        }),
    ]
}

fn tail() -> impl Strategy<Value = Tail> {
    (
        text(),
        prop::option::of(text()),
        prop::collection::btree_map(text(), json(), 0..4),
    )
        .prop_map(|(text, maybe, mut rest)| {
            rest.retain(|key, _| !["text", "maybe", "id", "wide"].contains(&key.as_str()));
            Tail { text, maybe, rest }
        })
}

fn leaf() -> impl Strategy<Value = Wide> {
    use prop::collection::{btree_map, vec};
    use prop::option::of;
    let one = (
        text(),
        of(of(of(text()))),
        bytes(),
        of(of(bytes())),
        bytes(),
        of(numbers().prop_map(Box::new)),
    );
    let two = (
        vec(of(text()), 0..3),
        btree_map((any::<i8>(), text()), any::<u8>(), 0..2),
    );
    let three = (
        btree_map(of(text()), bytes(), 0..3),
        btree_map(any::<i64>(), text(), 0..3),
    );
    let four = (
        of(internal()),
        vec(untagged(), 0..3),
        json(),
        of(tail()),
        of(of(Just(()))),
    );
    (one, two, three, four).prop_map(|(one, two, three, four)| {
        let (text, maybe, bytes, patch, raw, numbers) = one;
        let (list, keys) = two;
        let (by_option, by_number) = three;
        let (internal, untagged, value, tail, unit) = four;
        Wide {
            text,
            maybe,
            bytes,
            patch,
            raw,
            numbers,
            list,
            keys,
            by_option,
            by_number,
            internal,
            untagged,
            value,
            tail,
            unit,
            ..Wide::default()
        }
    })
}

fn wide() -> impl Strategy<Value = Wide> {
    use prop::collection::{btree_map, vec};
    use prop::option::of;
    let small = prop_oneof![1 => Just(Wide::default()), 1 => leaf()];
    small.prop_recursive(3, 10, 3, |inner| {
        let external = prop_oneof![
            Just(External::Unit),
            inner.clone().prop_map(External::New),
            text().prop_map(External::Text),
            of(of(text())).prop_map(External::Maybe),
            (of(any::<u8>()), text()).prop_map(|(a, b)| External::Pair(a, b)),
            (of(inner.clone()), text()).prop_map(|(wide, text)| External::Named { wide, text }),
            Just(External::Nothing {}),
            Just(External::Empty()),
        ];
        let adjacent = prop_oneof![
            Just(Adjacent::Unit),
            text().prop_map(Adjacent::Text),
            of(text()).prop_map(Adjacent::Maybe),
            inner.clone().prop_map(|wide| Adjacent::Named { wide }),
        ];
        let nested = vec(vec(inner.clone(), 0..2), 0..3);
        let map = btree_map(text(), of(inner), 0..3);
        (
            leaf(),
            of(external.prop_map(Box::new)),
            of(adjacent.prop_map(Box::new)),
            nested,
            map,
        )
            .prop_map(|(wide, external, adjacent, nested, map)| Wide {
                external,
                adjacent,
                nested,
                map,
                ..wide
            })
    })
}

fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

#[test]
fn everything_comes_back_equal() {
    // Unoptimised, the frames of the strategies for a type this wide do not fit a test's stack.
    let run = || {
        let compared = TestRunner::new(config()).run(&wide(), |wide| {
            same(&wide);
            Ok(())
        });
        compared.unwrap();
    };
    let thread = std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(run)
        .unwrap();
    thread.join().unwrap();
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn everything_comes_back_equal_beside_and_within_a_flattened_field(id in text(), wide in leaf(), tail in tail()) {
        same_by(&FLAT, &Flat { id, wide, tail });
    }

    #[test]
    fn every_json_value_comes_back_equal(value in json()) {
        same(&value);
        same(&vec![Some(value)]);
    }
}
