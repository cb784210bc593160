//! Large values take time in proportion.

use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Mate {
    name: String,
    age: u32,
    city: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Big<T> {
    it: T,
}

/// Ten times as much takes about ten times as long, as much as this at most; were it the square, it would be a hundred
/// times. In between there is room for memory that is not at hand.
const BOUND: u32 = 15;

/// How often is measured in any case, and how often at most until the bound holds.
const ROUNDS: (usize, usize) = (2, 12);

/// What one test measures the others had better not disturb.
static ALONE: Mutex<()> = Mutex::new(());

fn mate(n: u32) -> Mate {
    Mate {
        name: format!("name {n}"),
        age: n,
        city: format!("city {n}"),
    }
}

/// The same fields as a server returns them: in no order.
fn shuffled(record: &Record) -> Record {
    let mut fields: Vec<_> = record.clone().into_iter().collect();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for at in (1..fields.len()).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        fields.swap(at, (random % (at as u64 + 1)) as usize);
    }
    fields.into_iter().collect()
}

/// How long this thread has been running. What others do meanwhile does not count where the system can tell.
fn running(since: Instant) -> Duration {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .filter(|nanos| *nanos > 0)
        .map_or_else(|| since.elapsed(), Duration::from_nanos)
}

fn timed(times: u32, run: impl Fn()) -> Duration {
    let since = Instant::now();
    let start = running(since);
    for _ in 0..times {
        run();
    }
    running(since).saturating_sub(start)
}

/// Ten small ones in turn with a large one, so that both last as long and meet the same neighbours: the least of each.
#[track_caller]
fn proportional(what: &str, small: impl Fn(), large: impl Fn()) {
    let (mut ten_small, mut one_large) = (Duration::MAX, Duration::MAX);
    for round in 1..=ROUNDS.1 {
        ten_small = ten_small.min(timed(10, &small));
        one_large = one_large.min(timed(1, &large));
        if round >= ROUNDS.0 && one_large * 10 < ten_small * BOUND {
            println!(
                "{what}: {:.1} times, {round} rounds",
                10.0 * one_large.div_duration_f64(ten_small)
            );
            return;
        }
    }
    panic!("{what}: 10 * 4,000: {ten_small:?}, 40,000: {one_large:?}");
}

#[track_caller]
fn scales<T: Serialize + DeserializeOwned + PartialEq + Debug + 'static>(
    what: &str,
    make: impl Fn(u32) -> T,
) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let values = [4_000, 40_000].map(|n| Big { it: make(n) });
    let [small, large] = values.each_ref().map(|value| encode(&PLAIN, value).unwrap());
    let [few, many] = [&small, &large].map(shuffled);
    for (record, value) in [&small, &large, &few, &many]
        .into_iter()
        .zip(values.iter().cycle())
    {
        assert_eq!(&decode::<Big<T>>(&PLAIN, record).unwrap(), value);
    }
    let write = |value| drop(black_box(encode(&PLAIN, value).unwrap()));
    let read = |record| drop(black_box(decode::<Big<T>>(&PLAIN, record).unwrap()));
    let [value, values] = &values;
    proportional(&format!("{what}, written"), || write(value), || write(values));
    proportional(&format!("{what}, read"), || read(&small), || read(&large));
    proportional(
        &format!("{what}, read in no order"),
        || read(&few),
        || read(&many),
    );
}

#[test]
fn lists_scale() {
    scales("numbers", |n| (0..n).collect::<Vec<_>>());
    scales("strings", |n| {
        (0..n).map(|n| format!("string {n}")).collect::<Vec<_>>()
    });
}

#[test]
fn maps_scale() {
    scales("by strings", |n| {
        (0..n)
            .map(|n| (format!("key-{n}"), n))
            .collect::<BTreeMap<_, _>>()
    });
    scales("by numbers", |n| {
        (0..n).map(|n| (n, n)).collect::<HashMap<_, _>>()
    });
}

#[test]
fn lists_of_structs_scale() {
    scales("structs", |n| (0..n).map(mate).collect::<Vec<_>>());
}

#[test]
fn maps_of_structs_scale() {
    scales("structs by strings", |n| {
        (0..n)
            .map(|n| (format!("key-{n}"), mate(n)))
            .collect::<HashMap<_, _>>()
    });
}
