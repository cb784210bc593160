//! The harness starts and ends servers as the other tests rely on.

use std::fs;
use std::io::Read;
use std::net::TcpStream as StdStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kvrepo_tests::harness::{Monitor, ServerOptions, TestServer, docker_or_loud_skip};
use redis::aio::MultiplexedConnection;
use redis::{Client, RedisResult, Value, cmd};

async fn connect(url: &str) -> MultiplexedConnection {
    let client = Client::open(url).unwrap_or_else(|error| panic!("{url}: {error}"));
    client
        .get_multiplexed_async_connection()
        .await
        .unwrap_or_else(|error| panic!("{url}: {error}"))
}

async fn ping(connection: &mut MultiplexedConnection) -> RedisResult<String> {
    cmd("PING").query_async(connection).await
}

/// True once no process has this id, or only a zombie that its parent has not yet collected.
fn is_gone(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    !status.contains("State:") || status.contains("State:\tZ")
}

fn wait_until(what: &str, mut reached: impl FnMut() -> bool) {
    let give_up = Instant::now() + Duration::from_secs(20);
    while !reached() {
        assert!(Instant::now() < give_up, "not in time: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

#[tokio::test]
async fn a_server_starts_empty_and_answers() {
    let server = TestServer::start().await;
    assert_eq!(server.query::<u64, _>(&["DBSIZE"]).await, 0);
    assert_eq!(
        server.command(&[b"SET", b"k\r\n".as_slice(), b"\xff\0"]).await,
        Value::Okay
    );
    assert_eq!(server.query::<Vec<u8>, _>(&["GET", "k\r\n"]).await, b"\xff\0");
    let mut connection = connect(&server.url()).await;
    assert_eq!(ping(&mut connection).await.unwrap(), "PONG");
    let error = server.try_command(&["INCR", "k\r\n"]).await.unwrap_err();
    assert!(error.to_string().contains("not an integer"), "{error}");
}

#[tokio::test]
async fn many_servers_start_at_once_each_on_its_own_port() {
    let starts: Vec<_> = (0..12).map(|_| tokio::spawn(TestServer::start())).collect();
    let mut ports = Vec::new();
    let mut servers = Vec::new();
    for start in starts {
        let server = start.await.unwrap();
        assert_eq!(server.query::<u64, _>(&["DBSIZE"]).await, 0);
        server.command(&["SET", "x", "y"]).await;
        ports.push(server.port());
        servers.push(server);
    }
    ports.sort_unstable();
    ports.dedup();
    assert_eq!(ports.len(), 12);
}

#[tokio::test]
async fn the_options_reach_the_server() {
    let options = ServerOptions::new()
        .notify("Ex")
        .hz(100)
        .password("secret")
        .user("ann on >word ~ann:* &* +@all")
        .database(3)
        .unix_socket()
        .arg("--maxmemory")
        .arg("64mb");
    let server = TestServer::with(options).await;
    assert_eq!(
        server.query::<Vec<String>, _>(&["CONFIG", "GET", "hz"]).await,
        ["hz", "100"]
    );
    let limit = server
        .query::<Vec<String>, _>(&["CONFIG", "GET", "maxmemory"])
        .await;
    assert_eq!(limit, ["maxmemory", "67108864"]);
    let flags = server
        .query::<Vec<String>, _>(&["CONFIG", "GET", "notify-keyspace-events"])
        .await;
    assert!(flags[1].contains('E') && flags[1].contains('x'), "{flags:?}");

    server.command(&["SET", "in", "three"]).await;
    let keys = |url: String| async move {
        cmd("DBSIZE")
            .query_async::<u64>(&mut connect(&url).await)
            .await
            .unwrap()
    };
    assert_eq!(keys(server.url()).await, 1);
    assert_eq!(keys(server.url_with_db(0)).await, 0);
    let mut ann = connect(&server.url_as("ann", "word")).await;
    let refused = cmd("GET")
        .arg("in")
        .query_async::<Value>(&mut ann)
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("NOPERM") || refused.to_string().contains("No permissions"),
        "{refused}"
    );
    // The client crate reaches unix sockets; the server's folder goes away with the server.
    let url = server.unix_url().unwrap();
    assert_eq!(keys(url.clone()).await, 1);
    let socket = url
        .trim_start_matches("redis+unix://")
        .split('?')
        .next()
        .unwrap()
        .to_owned();
    let folder = Path::new(&socket).parent().unwrap();
    assert!(folder.exists());
    server.stop().await;
    assert!(!folder.exists());
}

#[tokio::test]
async fn a_killed_server_is_gone_and_a_restart_brings_back_its_port_and_its_append_only_file() {
    let server = TestServer::with(ServerOptions::new().process().append_only()).await;
    let (port, pid) = (server.port(), server.pid().unwrap());
    server.command(&["SET", "kept", "1"]).await;
    server
        .command(&["CONFIG", "SET", "notify-keyspace-events", "KEA"])
        .await;
    server.kill().await;
    assert!(is_gone(pid));
    assert_eq!(server.pid(), None);
    assert!(server.try_command(&["PING"]).await.is_err());
    server.restart().await;
    assert_eq!(server.port(), port);
    assert_ne!(server.pid(), Some(pid));
    assert_eq!(server.query::<String, _>(&["GET", "kept"]).await, "1");
    let flags = server
        .query::<Vec<String>, _>(&["CONFIG", "GET", "notify-keyspace-events"])
        .await;
    assert_eq!(flags[1], "");
}

#[tokio::test]
async fn a_server_without_an_append_only_file_comes_back_empty() {
    let server = TestServer::start().await;
    server.command(&["SET", "lost", "1"]).await;
    server.restart().await;
    assert_eq!(server.query::<u64, _>(&["DBSIZE"]).await, 0);
}

#[tokio::test]
async fn a_paused_server_answers_when_it_goes_on() {
    let server = TestServer::start().await;
    let mut connection = connect(&server.url()).await;
    server.pause().await;
    assert!(ping(&mut connection).await.unwrap_err().is_timeout());
    server.resume().await;
    assert_eq!(ping(&mut connection).await.unwrap(), "PONG");
}

#[tokio::test(start_paused = true)]
async fn a_server_starts_also_where_the_clock_of_the_test_stands_still() {
    let before = tokio::time::Instant::now();
    let server = TestServer::start().await;
    assert_eq!(server.query::<u64, _>(&["DBSIZE"]).await, 0);
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn a_paused_server_too_is_gone_when_it_is_dropped() {
    let server = TestServer::with(ServerOptions::new().process()).await;
    let pid = server.pid().unwrap();
    server.pause().await;
    drop(server);
    assert!(is_gone(pid));
}

#[tokio::test]
async fn the_shared_server_is_one() {
    let (first, second) = tokio::join!(TestServer::shared(), TestServer::shared());
    assert_eq!(first.url(), second.url());
    assert_eq!(first.query::<String, _>(&["PING"]).await, "PONG");
}

/// The ways to end that run no destructor: the server and its folder still go, by the guard.
#[test]
fn nothing_is_left_of_a_server_whose_owner_was_killed_or_exited() {
    for how in ["kill", "exit", "crash"] {
        // `with_server` is the owner; `KVREPO_URL` tells where its server is.
        let script = match how {
            "kill" => r#"echo "$KVREPO_URL"; kill -9 "$PPID""#,
            "exit" => r#"echo "$KVREPO_URL"; exit 3"#,
            _ => r#"echo "$KVREPO_URL"; kill -ABRT "$PPID""#,
        };
        let mut owner = Command::new(env!("CARGO_BIN_EXE_with_server"))
            .args(["sh", "-c", script])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        owner.stdout.take().unwrap().read_to_string(&mut url).unwrap();
        assert!(!owner.wait().unwrap().success());
        let address = url
            .trim()
            .trim_start_matches("redis://")
            .trim_end_matches("/0")
            .to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{url}");
        wait_until("the server is gone", || StdStream::connect(&address).is_err());
        let mine = format!("kvrepo-test-{}x", owner.id());
        wait_until("its folder is gone", || {
            let left = fs::read_dir(std::env::temp_dir()).unwrap().flatten();
            !left
                .into_iter()
                .any(|entry| entry.file_name().to_string_lossy().starts_with(&mine))
        });
    }
}

#[tokio::test]
async fn a_server_in_a_container_does_all_that_a_process_does() {
    if !docker_or_loud_skip() {
        return;
    }
    let server = TestServer::with(ServerOptions::new().container().append_only().password("secret")).await;
    let port = server.port();
    server.command(&["SET", "kept", "1"]).await;
    let mut connection = connect(&server.url()).await;
    server.pause().await;
    assert!(ping(&mut connection).await.unwrap_err().is_timeout());
    server.resume().await;
    let monitor = Monitor::start(&server).await;
    ping(&mut connection).await.unwrap();
    assert_eq!(monitor.commands().await.verbs().last().unwrap(), "PING");
    drop(monitor);
    server.kill().await;
    assert!(ping(&mut connection).await.is_err());
    server.restart().await;
    assert_eq!(server.port(), port);
    assert_eq!(server.query::<String, _>(&["GET", "kept"]).await, "1");
    server.stop().await;
    assert!(StdStream::connect(("127.0.0.1", port)).is_err());
}

/// Docker knows the container by the id of its owner's process.
#[test]
fn nothing_is_left_of_a_container_whose_owner_was_killed() {
    if !docker_or_loud_skip() {
        return;
    }
    let mut owner = Command::new(env!("CARGO_BIN_EXE_with_server"))
        .args(["sh", "-c", r#"kill -9 "$PPID""#])
        .env("KVREPO_TEST_SERVER", "container")
        .spawn()
        .unwrap();
    let filter = format!("name=kvrepo-test-{}x", owner.id());
    assert!(!owner.wait().unwrap().success());
    wait_until("the container is gone", || {
        let list = Command::new("docker")
            .args(["ps", "--all", "--quiet", "--filter", &filter])
            .output()
            .unwrap();
        list.status.success() && list.stdout.is_empty()
    });
}
