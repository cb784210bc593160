//! What an entity and an event take of a real server's memory, beside the hash and the payload alone.
//!
//! ```text
//! cargo bench -p kvrepo --bench memory
//! cargo bench -p kvrepo --bench memory -- --what entities --sizes usual --entities 100000
//! ```
//!
//! | argument | default | |
//! | --- | --- | --- |
//! | `--what` | `entities,events` | |
//! | `--sizes` | `small,usual,large` | of 3, 10 and 100 fields |
//! | `--entities` | 20000 | among how many the memory is divided; of large ones a tenth |
//! | `--json` | | one object a line |
//!
//! `bytes` is by how much the server's `used_memory` shrinks when all is deleted, without its clients' buffers and each time when it
//! has come to rest, divided by the number of entities. So it has a share of all tables, which are as full as they are at this
//! number: most of an expiring entity's take 35 bytes more when they have just been doubled (28,700) than when they are full (57,000).
//! `hash` is the same
//! of plain hashes under the same keys without a term, and `beside` the rest: what kvrepo costs. The columns behind are of what
//! `MEMORY USAGE` says of each kind of key, all elements looked at; it knows nothing of the tables that the keys are in, nor of
//! the terms, so they come to less.
//!
//! An event's `payload` is the id, the deadline's digits, and the paths and values of the fields.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark reports, and ends where it cannot go on"
)]

#[path = "memory/arguments.rs"]
mod arguments;
#[path = "memory/contents.rs"]
mod contents;
#[path = "memory/entity.rs"]
mod entity;
#[path = "memory/event.rs"]
mod event;
#[path = "memory/meter.rs"]
mod meter;
#[path = "memory/report.rs"]
mod report;
#[expect(dead_code, reason = "of the samples of another benchmark, what is written")]
#[path = "operations/sample.rs"]
mod sample;

use arguments::Arguments;
use contents::Kind;
use kvrepo_tests::harness::TestServer;
use sample::{IndexedLarge, IndexedSmall, IndexedUsual, Large, Sample, Small, Usual};

fn main() {
    let arguments = Arguments::parse();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(run(arguments));
}

async fn run(arguments: Arguments) {
    let server = TestServer::start().await;
    for size in &arguments.sizes {
        match size.as_str() {
            "small" => of::<Small, IndexedSmall>(&server, &arguments).await,
            "usual" => of::<Usual, IndexedUsual>(&server, &arguments).await,
            _ => of::<Large, IndexedLarge>(&server, &arguments).await,
        }
    }
    server.stop().await;
}

async fn of<P: Sample, I: Sample>(server: &TestServer, arguments: &Arguments) {
    // Large ones are few, or they would take gigabytes.
    let count = arguments.entities / if P::SIZE == "large" { 10 } else { 1 };
    if arguments.entities_too {
        let plain = [Kind::Persistent, Kind::ExpiringNoShadow, Kind::Expiring];
        entity::measure::<P>(server, arguments, count, &plain).await;
        let indexed = [Kind::Persistent, Kind::Expiring];
        entity::measure::<I>(server, arguments, count, &indexed).await;
    }
    if arguments.events_too {
        event::measure::<P>(server, arguments, count).await;
    }
}
