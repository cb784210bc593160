//! What the tests use to stand up the outside world: real servers, and the means to disturb and to watch them.
//!
//! | to | use |
//! | --- | --- |
//! | have a real server, alone or shared | [`TestServer`], [`ServerOptions`] |
//! | kill, pause or restart it | [`TestServer::kill`], [`TestServer::pause`], [`TestServer::restart`] |
//! | look at the bytes that a store left there | [`TestServer::command`], [`TestServer::query`] |
//! | break the connection to it | [`Proxy`] |
//! | speak TLS with it | [`TlsProxy`], [`tls`] |
//! | see which commands it was sent | [`Monitor`] |
//!
//! Everything here panics with a message that says what is missing, since a test has no other use for an error.

mod container;
mod guard;
mod monitor;
mod options;
mod process;
mod proxy;
mod raw;
mod record;
mod server;
mod source;
pub mod tls;

pub use container::docker_or_loud_skip;
pub use monitor::Monitor;
pub use options::ServerOptions;
pub use proxy::{Counts, Proxy};
pub use record::{Command, Commands, Origin};
pub use server::TestServer;
pub use source::Source;
pub use tls::{TlsOptions, TlsProxy};

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A name that no other test, process or earlier run has: `prefix` and a suffix of letters and digits.
///
/// Tests that share a server put it before their keyspaces.
#[must_use]
pub fn unique(prefix: &str) -> String {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.subsec_nanos());
    format!("{prefix}{}x{count}x{nanos:x}", std::process::id())
}

/// A free port of the loopback, below those that the system gives to outgoing connections.
///
/// With one of those, a client that tries again and again to reach a server that is down ends up connected to
/// itself, and the server cannot come back.
fn free_port() -> io::Result<u16> {
    const FIRST: u32 = 15_000;
    const SPAN: u32 = 15_000;
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let nanos = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.subsec_nanos());
    let seed = nanos.wrapping_add(std::process::id().wrapping_mul(2_654_435_761));
    for _ in 0..100 {
        let step = COUNTER.fetch_add(1, Ordering::Relaxed).wrapping_mul(7_919);
        let port = u16::try_from(FIRST + seed.wrapping_add(step) % SPAN).map_err(io::Error::other)?;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AddrInUse,
        "no free port between 15000 and 30000",
    ))
}
