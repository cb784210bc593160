//! What each operation costs: kvrepo beside the best commands that somebody would write by hand.
//!
//! ```text
//! cargo bench -p kvrepo --bench operations
//! cargo bench -p kvrepo --bench operations -- --ops save_ttl,find_by_id --sizes usual --concurrency 64 --rounds 25
//! ```
//!
//! | argument | default | |
//! | --- | --- | --- |
//! | `--ops` | all | which operations; see `operations/operation.rs` |
//! | `--sizes` | `small,usual,large` | entities of 3, 10 and 100 fields |
//! | `--concurrency` | usual: `1,16,64`, others: `64` | how many callers at once; those of 10,000 entities: 1 unless given |
//! | `--rounds` | 3 to 7 | how often each form has its turn; more if there is time, or so often as is said |
//! | `--millis` | 25 | how long a turn is, about |
//! | `--batch` | 10000 | how many entities `save_all` and `delete_all` are about; of large ones a tenth |
//! | `--entities` | 20000 | among how many `query`, `page` and `find_all_by_id` look; a query finds a twentieth |
//! | `--threads` | 2 | of the program |
//! | `--json` | | one object a line |
//! | `--markdown` | | the table of README.md, and what is printed otherwise on the standard error |
//! | `--svg` | | draws the ratios; the path is seen from the root of the workspace |
//!
//! Table and picture are about the usual size if it is measured, each operation at the highest concurrency it is measured with.
//!
//! Each operation comes in up to three forms, all on multiplexed connections with the same settings to one server:
//!
//! - *kvrepo*;
//! - *raw*: by hand, for just this type, with the same promises: one step, no key of another type touched, what has expired
//!   and nobody reaped becomes its event, indexes and phantom follow. So where there is something to be promised, the
//!   tightest script (`operations/hand/*.lua`), else commands and pipelines;
//! - *unguarded*: by hand without them, by `MULTI` and pipelines. `COPY` for the phantom, the program's clock for the deadline.
//!
//! Before an operation is measured all forms do the same in databases of their own, and what they leave and answer is compared:
//! keys, types, encodings, contents in order, terms. Then short rounds in which each form has its turn.
//!
//! `ratio` is kvrepo's throughput by that of raw, the median of those of the rounds; `spread` is the least and the greatest.
//! `server_us` is what a call takes of the server's processor (user and system, from `INFO`, reading and writing of sockets
//! included), `client_us` of this process's. `round_trips` are counted by a proxy in calls made one after another; a pipeline
//! that is longer than the buffers counts for several. `bytes_out` is what the server is sent.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark reports, and ends where it cannot go on"
)]

#[path = "operations/arguments.rs"]
mod arguments;
#[path = "operations/bench.rs"]
mod bench;
#[path = "operations/call.rs"]
mod call;
#[path = "operations/compare.rs"]
mod compare;
#[path = "operations/contents.rs"]
mod contents;
#[path = "operations/hand.rs"]
mod hand;
#[path = "operations/measure.rs"]
mod measure;
#[path = "operations/median.rs"]
mod median;
#[path = "operations/meter.rs"]
mod meter;
#[path = "operations/operation.rs"]
mod operation;
#[path = "operations/picture.rs"]
mod picture;
#[path = "operations/report.rs"]
mod report;
#[path = "operations/sample.rs"]
mod sample;
#[path = "operations/summary.rs"]
mod summary;
#[path = "shared/svg.rs"]
mod svg;

use kvrepo_tests::harness::{ServerOptions, TestServer};

use arguments::Arguments;
use bench::Bench;
use sample::{IndexedLarge, IndexedSmall, IndexedUsual, Large, Small, Usual};
use summary::Summary;

fn main() {
    let arguments = Arguments::parse();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(arguments.threads).enable_all().build();
    runtime.expect("a runtime").block_on(run(arguments));
}

async fn run(arguments: Arguments) {
    let server = TestServer::with(ServerOptions::new()).await;
    let sizes = arguments.sizes.clone();
    let mut bench = Bench::new(server, arguments).await;
    for size in sizes {
        match size.as_str() {
            "small" => bench.size::<Small, IndexedSmall>().await,
            "usual" => bench.size::<Usual, IndexedUsual>().await,
            _ => bench.size::<Large, IndexedLarge>().await,
        }
    }
    let summary = Summary::of(&bench.lines);
    if bench.arguments.markdown {
        print!("{summary}");
    }
    if let Some(path) = &bench.arguments.svg {
        let machine = svg::machine(&bench.server).await;
        picture::draw(&summary, &bench.arguments, &machine).write(path);
    }
    bench.end().await;
}
