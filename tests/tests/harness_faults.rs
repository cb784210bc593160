//! The harness disturbs and watches connections as the other tests rely on.

use std::net::TcpStream as StdStream;
use std::time::{Duration, Instant};

use kvrepo_tests::harness::{Monitor, Origin, Proxy, ServerOptions, TestServer};
use redis::aio::MultiplexedConnection;
use redis::{Client, RedisResult, cmd};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

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

#[tokio::test]
async fn a_proxy_forwards_and_counts_round_trips() {
    let server = TestServer::with(ServerOptions::new().password("secret").database(2)).await;
    let proxy = Proxy::in_front_of(&server).await;
    let mut connection = connect(&proxy.url()).await;
    let before = proxy.counts();
    for _ in 0..3 {
        ping(&mut connection).await.unwrap();
    }
    redis::pipe()
        .set("a", 1)
        .get("a")
        .exec_async(&mut connection)
        .await
        .unwrap();
    let after = proxy.counts();
    assert_eq!(after.round_trips - before.round_trips, 4);
    assert_eq!((after.connections, after.open), (1, 1));
    assert_eq!(after.from_server - before.from_server, 3 * 7 + 5 + 7);
    assert_eq!(server.query::<String, _>(&["GET", "a"]).await, "1");
    drop(connection);
    proxy.until(|counts| counts.open == 0).await;
}

#[tokio::test]
async fn a_proxy_cuts_all_connections_and_lets_new_ones_in() {
    let server = TestServer::start().await;
    let proxy = Proxy::in_front_of(&server).await;
    let (mut one, mut two) = (connect(&proxy.url()).await, connect(&proxy.url()).await);
    proxy.cut();
    proxy.until(|counts| counts.open == 0).await;
    assert!(ping(&mut one).await.unwrap_err().is_connection_dropped());
    assert!(ping(&mut two).await.unwrap_err().is_connection_dropped());
    assert_eq!(ping(&mut connect(&proxy.url()).await).await.unwrap(), "PONG");
}

#[tokio::test]
async fn a_proxy_refuses_as_a_dead_server_does() {
    let server = TestServer::start().await;
    let proxy = Proxy::in_front_of(&server).await;
    let mut existing = connect(&proxy.url()).await;
    proxy.refuse(true).await;
    let refused = StdStream::connect(proxy.address()).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    assert_eq!(ping(&mut existing).await.unwrap(), "PONG");
    proxy.refuse(false).await;
    assert_eq!(ping(&mut connect(&proxy.url()).await).await.unwrap(), "PONG");
}

#[tokio::test]
async fn a_paused_proxy_holds_everything_and_then_forwards_it() {
    let server = TestServer::start().await;
    let proxy = Proxy::in_front_of(&server).await;
    let mut connection = connect(&proxy.url()).await;
    let before = proxy.counts().from_clients;
    proxy.pause(true);
    let mut incr = cmd("INCR");
    let call = incr.arg("n").query_async::<u64>(&mut connection);
    assert!(call.await.unwrap_err().is_timeout());
    assert!(proxy.counts().from_clients > before);
    assert_eq!(server.query::<Option<u64>, _>(&["GET", "n"]).await, None);
    proxy.pause(false);
    let answer = cmd("INCR").arg("n").query_async::<u64>(&mut connection).await;
    assert_eq!(answer.unwrap(), 2);
}

#[tokio::test]
async fn a_swallowed_reply_leaves_the_write_done_and_the_client_ignorant() {
    let server = TestServer::start().await;
    let proxy = Proxy::in_front_of(&server).await;
    let mut connection = connect(&proxy.url()).await;
    proxy.swallow_replies(true);
    assert!(
        cmd("INCR")
            .arg("n")
            .query_async::<u64>(&mut connection)
            .await
            .unwrap_err()
            .is_timeout()
    );
    assert_eq!(server.query::<u64, _>(&["GET", "n"]).await, 1);

    proxy.swallow_replies(false);
    let mut connection = connect(&proxy.url()).await;
    proxy.cut_at_next_reply();
    let lost = cmd("INCR")
        .arg("n")
        .query_async::<u64>(&mut connection)
        .await
        .unwrap_err();
    assert!(lost.is_connection_dropped(), "{lost}");
    assert_eq!(server.query::<u64, _>(&["GET", "n"]).await, 2);
}

#[tokio::test]
async fn a_half_closed_connection_ends_for_the_client_while_the_server_still_hears_it() {
    let server = TestServer::start().await;
    let proxy = Proxy::in_front_of(&server).await;
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    proxy.until(|counts| counts.open == 1).await;
    // The connection is known to both sides before it is half-closed.
    stream.write_all(b"PING\r\n").await.unwrap();
    let mut reply = [0; 7];
    stream.read_exact(&mut reply).await.unwrap();
    proxy.half_close();
    assert_eq!(stream.read(&mut reply).await.unwrap(), 0);
    let before = proxy.counts().from_server;
    stream.write_all(b"SET heard yes\r\n").await.unwrap();
    proxy.until(|counts| counts.from_server > before).await;
    assert_eq!(server.query::<String, _>(&["GET", "heard"]).await, "yes");
}

#[tokio::test]
async fn a_delay_holds_each_direction_back_and_does_not_add_up_over_a_pipeline() {
    let server = TestServer::start().await;
    let proxy = Proxy::in_front_of(&server).await;
    let mut connection = connect(&proxy.url()).await;
    proxy.delay(Duration::from_millis(50));
    let start = Instant::now();
    ping(&mut connection).await.unwrap();
    assert!(
        start.elapsed() >= Duration::from_millis(100),
        "{:?}",
        start.elapsed()
    );
    let start = Instant::now();
    let calls: Vec<_> = (0..8)
        .map(|_| {
            let mut connection = connection.clone();
            tokio::spawn(async move { ping(&mut connection).await })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert!(
        start.elapsed() >= Duration::from_millis(100),
        "{:?}",
        start.elapsed()
    );
    assert!(
        start.elapsed() < Duration::from_millis(400),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn random_cuts_are_the_same_for_the_same_seed() {
    let server = TestServer::start().await;
    let mut rounds = Vec::new();
    for seed in [7, 7, 8] {
        let proxy = Proxy::in_front_of(&server).await;
        proxy.cut_randomly(seed, 6);
        let mut survived = Vec::new();
        for _ in 0..6 {
            let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
            let mut calls = 0;
            let mut reply = [0; 7];
            while stream.write_all(b"PING\r\n").await.is_ok() && stream.read_exact(&mut reply).await.is_ok() {
                calls += 1;
            }
            survived.push(calls);
        }
        rounds.push(survived);
    }
    assert_eq!(rounds[0], rounds[1]);
    assert_ne!(rounds[0], rounds[2]);
}

#[tokio::test]
async fn a_monitor_tells_clients_from_scripts_and_counts_what_each_sent() {
    let server = TestServer::with(ServerOptions::new().process()).await;
    let monitor = Monitor::start(&server).await;
    let mut ann = connect(&server.url()).await;
    let mut bob = connect(&server.url_with_db(1)).await;
    cmd("CLIENT")
        .arg("SETNAME")
        .arg("ann")
        .exec_async(&mut ann)
        .await
        .unwrap();
    cmd("SET")
        .arg("a \"b\"\r\n")
        .arg(b"\xff\0\\".as_slice())
        .exec_async(&mut ann)
        .await
        .unwrap();
    let script = "redis.call('SET', KEYS[1], 1) return redis.call('GET', KEYS[1])";
    cmd("EVAL")
        .arg(script)
        .arg(1)
        .arg("c")
        .exec_async(&mut ann)
        .await
        .unwrap();
    cmd("KEYS").arg("*").exec_async(&mut bob).await.unwrap();
    server.command(&["GET", "of the harness"]).await;

    let commands = monitor.commands().await;
    let of_ann = commands.named("ann").without_handshakes();
    assert_eq!(of_ann.verbs(), ["SET", "EVAL"], "{commands}");
    assert_eq!(
        of_ann.iter().next().unwrap().args[1..],
        [b"a \"b\"\r\n".to_vec(), b"\xff\0\\".to_vec()]
    );
    assert_eq!(commands.by_scripts().verbs(), ["SET", "GET"]);
    assert_eq!(commands.of("keys").len(), 1);
    assert_eq!(commands.of("keys").iter().next().unwrap().database, 1);
    assert_eq!(commands.without_handshakes().len(), 5, "{commands}");
    assert!(
        commands
            .by_clients()
            .iter()
            .all(|command| command.origin != Origin::Script)
    );

    monitor.clear().await;
    assert!(monitor.commands().await.is_empty());
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(b"GET x\r\n").await.unwrap();
    stream.read_exact(&mut [0; 5]).await.unwrap();
    assert_eq!(
        monitor
            .commands()
            .await
            .from(stream.local_addr().unwrap())
            .verbs(),
        ["GET"]
    );
}
