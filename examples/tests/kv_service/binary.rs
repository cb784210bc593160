//! The binary itself, on both backends.

use std::process::Stdio;
use std::time::Duration;

use axum::http::StatusCode;
use kvrepo_tests::harness::TestServer;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::client::Client;

/// The longest that it may take to start, and to end.
const PATIENCE: Duration = Duration::from_secs(20);

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kv-service"));
    command
        .env_remove("KVREPO_URL")
        .env("KVREPO_LISTEN", "127.0.0.1:0")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// Starts it, and reads where it listens.
async fn start(command: &mut Command) -> (Child, Client) {
    let mut child = command.spawn().expect("the binary starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let line = tokio::time::timeout(PATIENCE, lines.next_line()).await;
    let line = line.expect("in time").expect("readable").expect("a line");
    let address = line.strip_prefix("listening on http://").expect(&line);
    (child, Client::new(address.parse().expect("an address")))
}

/// Ends it by a signal, while somebody listens.
async fn end(mut child: Child, signal: &str) {
    let pid = child.id().expect("it runs").to_string();
    let killed = Command::new("kill").args([signal, &pid]).status().await;
    assert!(killed.expect("kill").success());
    let ended = tokio::time::timeout(PATIENCE, child.wait()).await;
    assert!(ended.expect("in time").expect("a status").success());
}

async fn use_it(client: Client) {
    let put = client.put("/keys/a?ttl_secs=60", "one").await;
    assert_eq!(put.status, StatusCode::CREATED);
    assert_eq!(client.get("/keys/a").await.body, "one");
}

#[tokio::test]
async fn it_serves_in_memory_until_it_is_told_to_end() {
    for signal in ["-TERM", "-INT"] {
        let (child, client) = start(&mut command()).await;
        let mut listener = client.listen().await;
        use_it(client).await;
        end(child, signal).await;
        assert_eq!(listener.block().await, None, "its stream has ended, not broken");
    }
}

#[tokio::test]
async fn it_serves_a_server_that_is_named() {
    let server = TestServer::start().await;
    let (child, client) = start(command().env("KVREPO_URL", server.url())).await;
    use_it(client).await;
    let value: String = server.query(&["HGET", "items:a", "value"]).await;
    assert_eq!(value, "one");
    end(child, "-TERM").await;
    server.stop().await;
}

#[tokio::test]
async fn it_says_why_it_does_not_start() {
    for (name, value, words) in [
        (
            "KVREPO_LISTEN",
            "nowhere",
            "kv-service: cannot listen on nowhere: ",
        ),
        (
            "KVREPO_URL",
            "redis://127.0.0.1:1",
            "kv-service: `connect` failed",
        ),
    ] {
        let output = command().env(name, value).output().await.expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(said.starts_with(words), "{said}");
    }
}
