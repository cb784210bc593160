//! How late expirations are: kvrepo beside the listener that only waits for the server's notifications.
//!
//! ```text
//! cargo bench -p kvrepo --bench expiry -- --background 1000000 --due 1000 --notifications on
//! cargo bench -p kvrepo --bench expiry -- --due 1600 --keyspaces 16 --json
//! ```
//!
//! | argument | default | |
//! | --- | --- | --- |
//! | `--background` | 100000 | how many other keys there are, all with a TTL |
//! | `--due` | 1000 | how many entities expire |
//! | `--notifications` | `on` | or `off`: whether the server tells of expirations |
//! | `--burst` | | all are due at one instant, and not spread over two seconds |
//! | `--keyspaces` | 1 | over how many keyspaces of one store they are spread, 16 at most; each has one subscriber |
//! | `--groups` | 0 | of how many consumers a group is that is measured besides |
//! | `--json` | | one object a line |
//! | `--svg` | | draws the lags; the path is seen from the root of the workspace |
//!
//! Starts a server of its own, fills it, lets the entities expire, and prints one line for each listener, with the lags of all
//! its keyspaces together:
//!
//! - *kvrepo*, whose keyspaces share the store's connections;
//! - *kvrepo-group*, each consumer with a store of its own, that acknowledges one event after the other;
//! - *plain-listener*: the hash and its copy written by hand, and one subscription to the server's notifications.
//!
//! A lag is the time between an entity's deadline and the moment at which the event, value decoded, is in the program's hands;
//! server and program read the same clock.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark reports, and ends where it cannot go on"
)]

#[path = "expiry/arguments.rs"]
mod arguments;
#[path = "expiry/group.rs"]
mod group;
#[path = "expiry/lag.rs"]
mod lag;
#[path = "expiry/picture.rs"]
mod picture;
#[path = "expiry/plain.rs"]
mod plain;
#[path = "expiry/seat.rs"]
mod seat;
#[path = "expiry/subscriber.rs"]
mod subscriber;
#[path = "shared/svg.rs"]
mod svg;
#[path = "expiry/table.rs"]
mod table;

use kvrepo_tests::harness::{ServerOptions, TestServer};

use arguments::Arguments;

/// How many entities or keys are written by one call.
const PORTION: usize = 10_000;

#[tokio::main]
async fn main() {
    let arguments = Arguments::parse();
    let flags = if arguments.notifications { "Ex" } else { "" };
    let server = TestServer::with(ServerOptions::new().notify(flags)).await;
    fill(&server, arguments.background).await;
    let mut lines = vec![subscriber::measure(&server, &arguments).await];
    if arguments.groups > 0 {
        lines.push(group::measure(&server, &arguments).await);
    }
    lines.push(plain::measure(&server, &arguments).await);
    if let Some(path) = &arguments.svg {
        let machine = svg::machine(&server).await;
        picture::draw(&lines, &arguments, &machine).write(path);
    }
    server.stop().await;
}

/// Other keys with a TTL of an hour and more.
async fn fill(server: &TestServer, keys: usize) {
    const FILL: &str =
        "for i = ARGV[1], ARGV[2] do redis.call('SET', 'other:' .. i, 'x', 'PX', 3600000 + i) end";
    for from in (0..keys).step_by(PORTION) {
        let to = (from + PORTION).min(keys) - 1;
        server
            .command(&["EVAL", FILL, "0", &from.to_string(), &to.to_string()])
            .await;
    }
}
