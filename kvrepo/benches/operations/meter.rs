//! What a time has cost: of the clock, of both processors, and of the network.

use std::time::{Duration, Instant};

use kvrepo_tests::harness::TestServer;

/// What has been used up to a moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    at: Instant,
    server: f64,
    client: f64,
    bytes: u64,
}

/// What was used in between.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Used {
    pub(crate) time: Duration,
    /// Of the server's processor, in microseconds: `used_cpu_user` and `used_cpu_sys` of `INFO`, so all that the process
    /// did, the reading and writing of its sockets too.
    pub(crate) server: f64,
    /// Of this process's, in microseconds.
    pub(crate) client: f64,
    /// That the server was sent.
    pub(crate) bytes: u64,
}

impl Reading {
    /// The clock is read last, so that asking the server is not counted.
    pub(crate) async fn begin(server: &TestServer) -> Self {
        let (used, bytes) = info(server).await;
        Self {
            server: used,
            bytes,
            client: own(),
            at: Instant::now(),
        }
    }

    pub(crate) async fn end(self, server: &TestServer) -> Used {
        let time = self.at.elapsed();
        let client = own() - self.client;
        let (used, bytes) = info(server).await;
        Used {
            time,
            client,
            server: used - self.server,
            bytes: bytes - self.bytes,
        }
    }
}

/// Microseconds of processor, and bytes received.
async fn info(server: &TestServer) -> (f64, u64) {
    let text: String = server.query(&["INFO", "cpu", "stats"]).await;
    let field = |name: &str| -> f64 {
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        value
            .and_then(|value| value.trim().parse().ok())
            .expect("a number")
    };
    let seconds = field("used_cpu_user") + field("used_cpu_sys");
    (seconds * 1e6, field("total_net_input_bytes") as u64)
}

/// Microseconds that the threads of this process were running; 0 where the system does not tell.
fn own() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else {
        return 0.0;
    };
    let nanos = threads.flatten().filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    nanos.sum::<u64>() as f64 / 1e3
}
