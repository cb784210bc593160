//! Random entities, changes, deadlines and queries, held against an oracle that looks at every entity: whatever is asked in
//! whatever order, memory and a server find what is there, and nothing else.
//!
//! | module | what it knows |
//! | --- | --- |
//! | [`thing`] | the entity |
//! | [`operation`], [`change`], [`ask`], [`query`], [`generate`] | what a sequence is, and random ones |
//! | [`oracle`] | what has to come of it |
//! | [`call`], [`answer`] | doing it, and what is answered |
//! | [`site`] | where it runs |
//! | [`sequences`](mod@sequences) | running many, and making one small that fails |
//!
//! Each sequence has a number, from which it is made. One that fails is made as small as it can be and printed;
//! `KVREPO_SEED` with its number begins with it. `KVREPO_LOAD=full` runs many more.

#[path = "query_model/answer.rs"]
mod answer;
#[path = "query_model/ask.rs"]
mod ask;
#[path = "query_model/call.rs"]
mod call;
#[path = "query_model/change.rs"]
mod change;
#[path = "query_model/generate.rs"]
mod generate;
#[path = "query_model/operation.rs"]
mod operation;
#[path = "query_model/oracle.rs"]
mod oracle;
#[path = "query_model/query.rs"]
mod query;
#[path = "shared/sequences.rs"]
mod sequences;
#[path = "query_model/site.rs"]
mod site;
#[path = "query_model/thing.rs"]
mod thing;

use std::sync::atomic::{AtomicU64, Ordering};

use kvrepo_tests::world::World;

use self::ask::{AREAS, SPOTS};
use self::operation::run;
use self::sequences::{full, runtime, sequences};
use self::site::Site;

#[test]
fn what_is_asked_in_memory_is_found_as_the_oracle_says() {
    let count = if full() { 15_000 } else { 800 };
    sequences(count, 2, 20_000, generate::sequence, |runtime, sequence| {
        runtime.block_on(async { run(&Site::memory(), sequence).await })
    });
}

#[test]
fn what_is_asked_on_a_server_is_found_as_the_oracle_says() {
    let count = if full() { 4_000 } else { 250 };
    let own = runtime();
    let world = own.block_on(World::server());
    let names = AtomicU64::new(0);
    sequences(count, 4, 600, generate::sequence, |runtime, sequence| {
        let name = format!("things{:06}", names.fetch_add(1, Ordering::Relaxed));
        runtime.block_on(async {
            let site = Site::server(&world, &name);
            let result = run(&site, sequence).await;
            site.clear().await;
            result
        })
    });
}

/// What is near the edge of an area, or as far away as another, would be found by rounding.
#[test]
fn no_point_is_where_rounding_matters() {
    for area in AREAS {
        for (a, spot) in SPOTS.iter().enumerate() {
            let here = area.margin(spot);
            assert!(here.abs() > 1_000.0, "{area:?} {spot:?}: {here}");
            for other in &SPOTS[..a] {
                let apart = area.distance(spot) - area.distance(other);
                assert!(apart.abs() > 100.0, "{area:?} {spot:?} {other:?}: {apart}");
            }
        }
    }
}
