//! What a near cache is worth: `find_by_id` of a store that has one beside one that has none, on one server.
//!
//! ```text
//! cargo bench -p kvrepo --bench near
//! cargo bench -p kvrepo --bench near -- --rounds 25
//! ```
//!
//! Entities of ten fields, 5,000 of them, all of them at hand; 64 callers at once, on a runtime of two threads. Short rounds, in
//! which both have their turn. `ratio` is the throughput with the cache by that without, the median of those of the rounds.
//! The second line is the same while a hundredth of the calls are saves, which every store has to hear of.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark reports, and ends where it cannot go on"
)]

#[expect(dead_code, reason = "the other benchmark needs more of it")]
#[path = "operations/meter.rs"]
mod meter;
#[expect(dead_code, unused_imports, reason = "the other benchmark needs more of it")]
#[path = "operations/sample.rs"]
mod sample;

use std::sync::Arc;
use std::time::Duration;

use kvrepo::{KeyspaceEvents, NearCache, Repository, Store, StoreBuilder};
use kvrepo_tests::harness::{ServerOptions, TestServer};

use meter::{Reading, Used};
use sample::{Sample, Usual};

const ENTITIES: usize = 5_000;
const CALLERS: usize = 64;
/// How long a turn is, about.
const TURN: Duration = Duration::from_millis(200);
const TERM: Duration = Duration::from_secs(3_600);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let rounds = arguments
        .windows(2)
        .find(|pair| pair[0] == "--rounds")
        .map_or(11, |pair| pair[1].parse().expect("a number of rounds"));
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(run(rounds));
}

async fn run(rounds: usize) {
    let server = TestServer::with(ServerOptions::new()).await;
    let people = |builder: StoreBuilder| async {
        let builder = builder.events(KeyspaceEvents::Off);
        let store = builder.connect(&server.url()).await.expect("a store");
        store.repository::<Usual>()
    };
    let far = people(Store::builder()).await;
    let near = people(Store::builder().near_cache(NearCache::new())).await;
    let mut all: Vec<Usual> = (0..ENTITIES).map(Usual::number).collect();
    let saved = far.save_all(&mut all).time_to_live(TERM).await;
    saved.expect("a save");
    let ids = Arc::new((0..ENTITIES).map(sample::id).collect::<Vec<_>>());
    for saves in [0, 100] {
        let (mut rounds_taken, mut calls) = (Vec::new(), [CALLERS * 100; 2]);
        for round in 0..rounds + 2 {
            let mut costs = [Cost::default(); 2];
            // Neither is always the first, which finds the processor's caches cold.
            for at in [round % 2, (round + 1) % 2] {
                let reading = Reading::begin(&server).await;
                turn([&far, &near][at], &ids, calls[at], saves, round).await;
                costs[at] = Cost::of(reading.end(&server).await, calls[at]);
            }
            calls = costs.map(|cost| (TURN.as_secs_f64() / cost.time) as usize);
            // The first make the cache full, and turns as long as they should be.
            if round >= 2 {
                rounds_taken.push(costs);
            }
        }
        report(saves, &rounds_taken);
    }
    println!("{:?}", near.store().near_cache().expect("a cache"));
}

/// What one call has cost: seconds, and microseconds of this process's processor.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    time: f64,
    client: f64,
}

impl Cost {
    fn of(used: Used, calls: usize) -> Self {
        let calls = calls as f64;
        Self {
            time: used.time.as_secs_f64() / calls,
            client: used.client / calls,
        }
    }
}

fn report(saves: usize, rounds: &[[Cost; 2]]) {
    let all = |of: fn(&[Cost; 2]) -> f64| {
        let mut all: Vec<f64> = rounds.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let median = |of| {
        let all = all(of);
        all[all.len() / 2]
    };
    let ratios = all(|[far, near]| far.time / near.time);
    println!(
        "op=find_by_id_near size=usual concurrency={CALLERS} saves={} far_ops={:.0} near_ops={:.0} ratio={:.1} \
         spread={:.1}..{:.1} far_client_us={:.2} near_client_us={:.2} rounds={}",
        if saves == 0 {
            "none".to_owned()
        } else {
            format!("1/{saves}")
        },
        1.0 / median(|[far, _]| far.time),
        1.0 / median(|[_, near]| near.time),
        ratios[ratios.len() / 2],
        ratios[0],
        ratios[ratios.len() - 1],
        median(|[far, _]| far.client),
        median(|[_, near]| near.client),
        rounds.len(),
    );
}

/// So many calls, by all callers together.
async fn turn(people: &Repository<Usual>, ids: &Arc<Vec<String>>, calls: usize, saves: usize, round: usize) {
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let people = people.clone();
            let ids = Arc::clone(ids);
            tokio::spawn(async move {
                for call in 0..calls.div_ceil(CALLERS) {
                    let number = (caller * 7919 + call * 31 + round) % ENTITIES;
                    if saves > 0 && (call + caller) % saves == 0 {
                        let mut entity = Usual::number(number);
                        people.save(&mut entity).time_to_live(TERM).await.expect("a save");
                    } else {
                        let found = people.find_by_id(&ids[number]).await.expect("an answer");
                        assert!(found.is_some(), "{number} is there");
                    }
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.expect("a caller");
    }
}
