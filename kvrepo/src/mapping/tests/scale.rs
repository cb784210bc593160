//! Large values take time in proportion.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Mate {
    name: String,
    age: u32,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Big<T> {
    it: T,
}

/// The best of some runs, of writing and of reading in any order.
fn measure<T: Serialize + DeserializeOwned + PartialEq + Debug + 'static>(value: &T) -> Duration {
    let record = encode(&PLAIN, value).unwrap();
    let mut fields: Vec<_> = record.into_iter().collect();
    let len = fields.len();
    for at in 0..len {
        fields.swap(at, at * 7919 % len);
    }
    let shuffled: Record = fields.into_iter().collect();
    let run = || {
        let start = Instant::now();
        drop(encode(&PLAIN, value).unwrap());
        assert_eq!(&decode::<T>(&PLAIN, &shuffled).unwrap(), value);
        start.elapsed()
    };
    (0..5).map(|_| run()).min().unwrap()
}

/// Ten times as much takes about ten times as long; were it the square, it would be a hundred times. In between there
/// is room for memory that is not at hand, and for neighbours on the machine.
#[track_caller]
fn proportional<T: Serialize + DeserializeOwned + PartialEq + Debug + 'static>(make: impl Fn(u32) -> T) {
    let (small, large) = (measure(&make(4_000)), measure(&make(40_000)));
    assert!(large < small * 40, "4,000: {small:?}, 40,000: {large:?}");
}

#[test]
fn lists_scale() {
    proportional(|n| Big {
        it: (0..n).collect::<Vec<_>>(),
    });
}

#[test]
fn maps_scale() {
    proportional(|n| Big {
        it: (0..n)
            .map(|n| (format!("key-{n}"), n))
            .collect::<BTreeMap<_, _>>(),
    });
    proportional(|n| Big {
        it: (0..n).map(|n| (n, n)).collect::<HashMap<_, _>>(),
    });
}

#[test]
fn lists_of_structs_scale() {
    proportional(|n| Big {
        it: (0..n)
            .map(|n| Mate {
                name: n.to_string(),
                age: n,
            })
            .collect::<Vec<_>>(),
    });
}
