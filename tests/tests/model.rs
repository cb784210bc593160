//! Random sequences of calls, held against an oracle after each of them: no ghost, no hash without its term, no stale
//! phantom, no event too many or too few, and memory and a server that do the same.
//!
//! | module | what it knows |
//! | --- | --- |
//! | [`item`] | the entity |
//! | [`operation`], [`generate`] | what a sequence is, and random ones |
//! | [`oracle`], [`life`], [`term`] | what has to come of it |
//! | [`call`], [`answer`] | doing it, and what is answered |
//! | [`site`], [`audit`] | where it runs, and what is stored there |
//! | [`run`] | running it |
//! | [`sequences`](mod@sequences) | running many, and making one small that fails |
//!
//! Each sequence has a number, from which it is made. One that fails is made as small as it can be and printed;
//! `KVREPO_SEED` with its number begins with it. `KVREPO_LOAD=full` runs many more.

#[path = "model/answer.rs"]
mod answer;
#[path = "model/audit.rs"]
mod audit;
#[path = "model/call.rs"]
mod call;
#[path = "model/generate.rs"]
mod generate;
#[path = "model/item.rs"]
mod item;
#[path = "model/life.rs"]
mod life;
#[path = "model/operation.rs"]
mod operation;
#[path = "model/oracle.rs"]
mod oracle;
#[path = "model/run.rs"]
mod run;
#[path = "shared/sequences.rs"]
mod sequences;
#[path = "model/site.rs"]
mod site;
#[path = "model/term.rs"]
mod term;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kvrepo_tests::world::{World, eventually};

use self::sequences::{full, runtime, sequences};
use self::site::Site;

#[test]
fn thousands_of_sequences_in_memory_go_as_the_oracle_says() {
    let count = if full() { 10_000 } else { 2_000 };
    sequences(count, 2, 20_000, generate::sequence, |runtime, sequence| {
        runtime.block_on(run::run(&Site::memory(sequence.settings), sequence))
    });
}

#[test]
fn thousands_of_sequences_on_a_server_go_as_the_oracle_says() {
    let count = if full() { 4_000 } else { 300 };
    let own = runtime();
    let world = own.block_on(World::server());
    let names = AtomicU64::new(0);
    // More threads than there are processors: most of the time they wait for the server, or for an event.
    sequences(count, 6, 400, generate::sequence, |runtime, sequence| {
        let name = format!("items{:06}", names.fetch_add(1, Ordering::Relaxed));
        runtime.block_on(async {
            let site = Site::server(&world, &name, sequence.settings).await;
            let result = run::run(&site, sequence).await;
            site.clear().await;
            result
        })
    });
    own.block_on(nothing_is_left(&world));
}

/// The leases of the last reapers lapse.
async fn nothing_is_left(world: &World) {
    let server = world.as_server().expect("a server");
    eventually("an empty server", async || {
        let size: u64 = server.query(&["DBSIZE"]).await;
        if size > 0 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        size == 0
    })
    .await;
}
