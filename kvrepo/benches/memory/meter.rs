//! What a server says of its memory.

use std::time::Duration;

use kvrepo_tests::harness::TestServer;

/// A server at rest says the same so often in a row.
const ALIKE: usize = 3;
/// Between two looks: several turns of what a server does in the background, ten times a second.
const PAUSE: Duration = Duration::from_millis(250);
/// How often it is looked at before it is believed that it never comes to rest.
const LOOKS: usize = 120;

/// The bytes that all keys together take. None of them is there afterwards: what the server keeps for itself, and first needed
/// when it was filled, is not counted so.
pub(crate) async fn taken(server: &TestServer) -> u64 {
    let full = used(server).await;
    server.command(&["FLUSHALL", "SYNC"]).await;
    full - used(server).await
}

/// Bytes in use, but for clients' buffers, once the tables have been moved to their sizes and what was deleted is gone.
async fn used(server: &TestServer) -> u64 {
    let (mut last, mut alike) = (0, 0);
    for _ in 0..LOOKS {
        let now = now(server).await;
        alike = if now.abs_diff(last) < 1024 { alike + 1 } else { 0 };
        if alike == ALIKE {
            return now;
        }
        last = now;
        tokio::time::sleep(PAUSE).await;
    }
    panic!("the server's memory does not come to rest");
}

async fn now(server: &TestServer) -> u64 {
    let text: String = server.query(&["INFO", "memory"]).await;
    let field = |name: &str| -> u64 {
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        value
            .and_then(|value| value.trim().parse().ok())
            .expect("a number")
    };
    field("used_memory") - field("mem_clients_normal")
}

/// What `MEMORY USAGE` says of some keys together, every element looked at; nothing of those that are not there.
pub(crate) async fn usage(server: &TestServer, keys: impl IntoIterator<Item = String>) -> u64 {
    let mut sum = 0;
    for key in keys {
        let bytes: Option<u64> = server.query(&["MEMORY", "USAGE", &key, "SAMPLES", "0"]).await;
        sum += bytes.unwrap_or_default();
    }
    sum
}
