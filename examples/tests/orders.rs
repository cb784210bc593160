//! The example `orders`: workers that are killed, and not one order that is not released.

use std::process::Stdio;
use std::time::{Duration, Instant};

use kvrepo_tests::harness::TestServer;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The longest that anything may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many orders one worker sees to at a time.
const IN_FLIGHT: u64 = 16;
const WORKERS: usize = 3;
/// The longest that an order is held.
const TERM: Duration = Duration::from_secs(4);

/// All of them with `KVREPO_LOAD=full`.
fn many() -> u64 {
    let full = std::env::var("KVREPO_LOAD").is_ok_and(|load| load == "full");
    if full { 10_000 } else { 3_000 }
}

fn command(server: &TestServer, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orders"));
    command
        .env("KVREPO_URL", server.url())
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .kill_on_drop(true);
    command
}

/// Runs it to its end; what it said.
async fn said(server: &TestServer, words: &[&str]) -> String {
    let output = tokio::time::timeout(PATIENCE, command(server, words).output());
    let output = output.await.expect("it ends").expect("it runs");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Starts a worker, and waits until it is one.
async fn worker(server: &TestServer) -> Child {
    let mut child = command(server, &["work"]).spawn().expect("the binary starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let line = tokio::time::timeout(PATIENCE, lines.next_line()).await;
    assert_eq!(
        line.expect("in time").expect("readable").as_deref(),
        Some("working")
    );
    child
}

/// The numbers of what `orders count` says.
async fn counted(server: &TestServer) -> [u64; 3] {
    let said = said(server, &["count"]).await;
    let numbers = said.split(' ').filter_map(|word| word.parse().ok());
    let numbers: Vec<u64> = numbers.collect();
    numbers.try_into().unwrap_or_else(|_| panic!("{said}"))
}

/// Waits until the server says this of the releases or their group.
async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let give_up = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < give_up, "in vain waited for: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_orders_are_released_by_workers_of_which_one_is_killed_every_second() {
    let server = TestServer::start().await;
    let mut workers = Vec::new();
    for _ in 0..WORKERS {
        workers.push(worker(&server).await);
    }
    let mut kills = 0;
    let placing = async {
        let placed = said(&server, &["place", &many().to_string()]).await;
        assert_eq!(placed, format!("placed {}\n", many()));
        Instant::now() + TERM
    };
    let releasing = until("all releases", async || {
        server.query::<u64, _>(&["SCARD", "releases"]).await == many()
    });
    let killing = async {
        loop {
            // In which they work. What is claimed again is not claimed just when the next is killed: see CLAIM_AFTER.
            tokio::time::sleep(Duration::from_secs(1)).await;
            let mut killed = workers.remove(0);
            killed.kill().await.expect("a worker to kill");
            kills += 1;
            workers.push(worker(&server).await);
        }
    };
    let last_deadline = tokio::select! {
        (last_deadline, ()) = async { tokio::join!(placing, releasing) } => last_deadline,
        () = killing => unreachable!("it goes on"),
    };
    let late = Instant::now().saturating_duration_since(last_deadline);
    assert!(late < Duration::from_secs(5), "{late:?}");
    assert!(kills > 1, "the test proves nothing");

    // What somebody was killed with in hand comes once more.
    until("nothing to be pending", async || {
        let script = "return redis.call('XPENDING', KEYS[1], 'release')[1]";
        server
            .query::<u64, _>(&["EVAL", script, "1", "orders#expired"])
            .await
            == 0
    })
    .await;
    let [released, again, latest] = counted(&server).await;
    println!("{released} released, {again} twice, {kills} killed, the latest after {latest} ms");
    assert_eq!(released, many());
    assert!(
        again <= kills * IN_FLIGHT,
        "{again} came twice, {kills} were killed"
    );
}
