//! Runs a command with `KVREPO_URL` set to a server of its own, which is gone afterwards.
//!
//! ```text
//! cargo run -p kvrepo-tests --bin with_server -- cargo run -p kvrepo-examples --bin quickstart
//! cargo run -p kvrepo-tests --bin with_server             # says where the tests' servers come from
//! ```

use std::env;
use std::process::{Command, ExitCode};

use kvrepo_tests::harness::{Source, TestServer};

#[tokio::main]
async fn main() -> ExitCode {
    let mut words = env::args_os().skip(1);
    let Some(program) = words.next() else {
        return say_source();
    };
    let server = TestServer::start().await;
    let status = Command::new(&program)
        .args(words)
        .env("KVREPO_URL", server.url())
        .status();
    server.stop().await;
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => {
            eprintln!("with_server: {program:?} ended with {status}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("with_server: cannot run {program:?}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Says which servers tests get that start their own, and which one the others share.
fn say_source() -> ExitCode {
    match Source::own().and_then(|own| Ok((own, Source::shared()?))) {
        Ok((own, shared)) => {
            eprintln!("tests with a server of their own: {own}");
            eprintln!("tests that share a server: {shared}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
