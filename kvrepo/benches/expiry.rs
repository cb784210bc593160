//! How late expirations are: kvrepo beside the listener that only waits for the server's notifications.
//!
//! `cargo bench -p kvrepo --bench expiry -- --background 1000000 --due 1000 --notifications on`
//!
//! Starts a server of its own, fills it with `--background` other keys that have a TTL, lets `--due` entities expire,
//! spread over two seconds (`--burst`: all at one instant), and prints one line for each listener; with `--groups N` also for
//! a group of N, each with a store of its own, that acknowledge one event after the other. A lag is the time between an
//! entity's deadline and the moment at which the event, value decoded, is in the program's hands; server and program read
//! the same clock.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark reports, and ends where it cannot go on"
)]

use std::collections::HashSet;
use std::time::{Duration, Instant, SystemTime};

use futures_util::StreamExt;
use kvrepo::{GroupExpired, KeyExpired, KvEntity, Repository, Store};
use kvrepo_tests::harness::{ServerOptions, TestServer};
use serde::{Deserialize, Serialize};

/// Until the first deadline, so that all is saved by then.
const LEAD: Duration = Duration::from_secs(2);
/// Over which the deadlines are spread.
const SPREAD: Duration = Duration::from_secs(2);
/// How long the plain listener is given.
const PATIENCE: Duration = Duration::from_secs(30);
const PORTION: usize = 10_000;

#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "seats")]
struct Seat {
    #[id]
    id: u64,
    row: String,
    passenger: String,
    price: u32,
}

impl Seat {
    fn number(id: usize) -> Self {
        Self {
            id: id as u64,
            row: format!("row {}", id / 6),
            passenger: format!("passenger {id}"),
            price: 4711,
        }
    }
}

struct Arguments {
    background: usize,
    due: usize,
    notifications: bool,
    burst: bool,
    /// How many consumers the group has; 0 for no group.
    groups: usize,
}

impl Arguments {
    fn parse() -> Self {
        let mut parsed = Self {
            background: 100_000,
            due: 1_000,
            notifications: true,
            burst: false,
            groups: 0,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} needs a value"));
            match word.as_str() {
                "--background" => parsed.background = value().parse().expect("a number"),
                "--due" => parsed.due = value().parse().expect("a number"),
                "--notifications" => parsed.notifications = value() == "on",
                "--burst" => parsed.burst = true,
                "--groups" => parsed.groups = value().parse().expect("a number"),
                // Cargo's own.
                "--bench" => {}
                other => panic!("unknown argument {other}"),
            }
        }
        parsed
    }

    fn deadlines(&self) -> Vec<SystemTime> {
        // Saving takes its time too; whatever it takes, nothing may be due before all is saved.
        let first = SystemTime::now() + LEAD + Duration::from_micros(150) * self.due as u32;
        let step = if self.burst {
            Duration::ZERO
        } else {
            SPREAD / self.due as u32
        };
        (0..self.due).map(|i| first + step * i as u32).collect()
    }

    fn report(&self, who: &str, lags: &mut [Duration]) {
        lags.sort_unstable();
        println!(
            "expiry who={who} background={} due={} notifications={} delivered={} p50_ms={} p99_ms={} max_ms={}",
            self.background,
            self.due,
            if self.notifications { "on" } else { "off" },
            lags.len(),
            ms(quantile(lags, 0.5)),
            ms(quantile(lags, 0.99)),
            ms(lags.last().copied()),
        );
    }
}

#[tokio::main]
async fn main() {
    let arguments = Arguments::parse();
    let flags = if arguments.notifications { "Ex" } else { "" };
    let server = TestServer::with(ServerOptions::new().notify(flags)).await;
    fill(&server, arguments.background).await;
    kvrepo(&server, &arguments).await;
    if arguments.groups > 0 {
        group(&server, &arguments).await;
    }
    plain_listener(&server, &arguments).await;
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

async fn store(server: &TestServer) -> Store {
    let builder = Store::builder().leave_notification_flags();
    builder.connect(&server.url()).await.expect("a server")
}

async fn save(seats: &Repository<Seat>, arguments: &Arguments) {
    let deadlines = arguments.deadlines();
    let began = Instant::now();
    if arguments.burst {
        for (portion, ids) in (0..arguments.due).collect::<Vec<_>>().chunks(PORTION).enumerate() {
            let mut entities: Vec<Seat> = ids.iter().map(|id| Seat::number(*id)).collect();
            let deadline = deadlines[portion * PORTION];
            seats
                .save_all(&mut entities)
                .expires_at(deadline)
                .await
                .expect("a save");
        }
    } else {
        for (id, deadline) in deadlines.iter().enumerate() {
            seats
                .save(&mut Seat::number(id))
                .expires_at(*deadline)
                .await
                .expect("a save");
        }
    }
    eprintln!("saved {} in {:?}", arguments.due, began.elapsed());
}

/// What has been delivered.
struct Lags {
    lags: Vec<Duration>,
    ids: HashSet<u64>,
}

impl Lags {
    fn of(arguments: &Arguments) -> Self {
        Self {
            lags: Vec::with_capacity(arguments.due),
            ids: HashSet::new(),
        }
    }

    fn add(&mut self, id: u64, lag: Duration) {
        assert!(self.ids.insert(id), "{id} came twice");
        self.lags.push(lag);
    }
}

/// The seat, and how late it is.
fn judged(event: &KeyExpired<Seat>) -> (u64, Duration) {
    let lag = event.deadline().elapsed().unwrap_or_default();
    let seat = event.value().expect("a value");
    assert_eq!(
        seat.passenger,
        format!("passenger {}", seat.id),
        "the value is the entity's"
    );
    (seat.id, lag)
}

async fn kvrepo(server: &TestServer, arguments: &Arguments) {
    let seats = store(server).await.repository::<Seat>();
    let mut expired = seats.expired().await.expect("a subscription");
    save(&seats, arguments).await;

    // Beside it somebody reads, to see that the connection for commands stays usable.
    seats.save(&mut Seat::number(usize::MAX)).await.expect("a save");
    let reader = tokio::spawn({
        let seats = seats.clone();
        async move {
            let mut times = Vec::new();
            loop {
                let began = Instant::now();
                if seats
                    .find_by_id(usize::MAX as u64)
                    .await
                    .expect("a find")
                    .is_none()
                {
                    times.sort_unstable();
                    return times;
                }
                times.push(began.elapsed());
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    });
    let mut delivered = Lags::of(arguments);
    while delivered.lags.len() < arguments.due {
        let event = expired.next().await.expect("the stream goes on");
        let (id, lag) = judged(&event.expect("an event"));
        delivered.add(id, lag);
    }
    seats.delete_by_id(usize::MAX as u64).await.expect("a delete");
    let finds = reader.await.expect("the reader");
    let last = delivered.lags.iter().max().copied().unwrap_or_default();
    arguments.report("kvrepo", &mut delivered.lags);
    if arguments.burst {
        println!(
            "expiry who=kvrepo burst=on per_second={:.0} finds={} find_p99_ms={} find_max_ms={}",
            arguments.due as f64 / last.as_secs_f64(),
            finds.len(),
            ms(quantile(&finds, 0.99)),
            ms(finds.last().copied()),
        );
    }
}

/// A group, each of which has a store of its own, as processes do.
async fn group(server: &TestServer, arguments: &Arguments) {
    let (sender, mut delivered_by_any) = tokio::sync::mpsc::unbounded_channel();
    let mut consumers = tokio::task::JoinSet::new();
    for _ in 0..arguments.groups {
        let seats = store(server).await.repository::<Seat>();
        let expired = seats
            .expired()
            .group("boarding")
            .await
            .expect("a place in the group");
        consumers.spawn(consume(expired, sender.clone()));
    }
    let seats = store(server).await.repository::<Seat>();
    save(&seats, arguments).await;
    let mut delivered = Lags::of(arguments);
    while delivered.lags.len() < arguments.due {
        let (id, lag) = delivered_by_any.recv().await.expect("a consumer");
        delivered.add(id, lag);
    }
    arguments.report("kvrepo-group", &mut delivered.lags);
}

type Told = tokio::sync::mpsc::UnboundedSender<(u64, Duration)>;

async fn consume(mut expired: GroupExpired<Seat>, told: Told) {
    while let Some(event) = expired.next().await {
        let event = event.expect("an event");
        told.send(judged(&event)).expect("somebody who counts");
        event.ack().await.expect("an acknowledgement");
    }
}

/// Of sorted times.
fn quantile(times: &[Duration], quantile: f64) -> Option<Duration> {
    times
        .get(((times.len().max(1) - 1) as f64 * quantile) as usize)
        .copied()
}

fn ms(time: Option<Duration>) -> String {
    time.map_or("-".to_owned(), |time| format!("{:.1}", time.as_secs_f64() * 1e3))
}

/// What people write without kvrepo: the hash, its phantom, and a subscription that waits for the server.
async fn plain_listener(server: &TestServer, arguments: &Arguments) {
    let client = redis::Client::open(server.url()).expect("a client");
    let mut connection = client
        .get_multiplexed_async_connection()
        .await
        .expect("a connection");
    let mut messages = client.get_async_pubsub().await.expect("a connection");
    messages
        .subscribe("__keyevent@0__:expired")
        .await
        .expect("a subscription");
    let deadlines = arguments.deadlines();
    for (portion, chunk) in deadlines.chunks(PORTION).enumerate() {
        let mut pipeline = redis::pipe();
        for (i, deadline) in chunk.iter().enumerate() {
            let id = portion * PORTION + i;
            let (key, phantom) = (format!("plain:{id}"), format!("plain:{id}:phantom"));
            let at = millis(*deadline);
            let seat = Seat::number(id);
            for key in [&key, &phantom] {
                let hash = pipeline
                    .cmd("HSET")
                    .arg(key)
                    .arg("id")
                    .arg(id)
                    .arg("row")
                    .arg(&seat.row);
                hash.arg("passenger")
                    .arg(&seat.passenger)
                    .arg("price")
                    .arg(seat.price)
                    .ignore();
            }
            pipeline.cmd("PEXPIREAT").arg(&key).arg(at).ignore();
            pipeline.cmd("PEXPIREAT").arg(&phantom).arg(at + 300_000).ignore();
        }
        pipeline.query_async::<()>(&mut connection).await.expect("a save");
    }
    let mut lags = Vec::with_capacity(arguments.due);
    let until = tokio::time::Instant::now() + LEAD + SPREAD + PATIENCE;
    let mut stream = messages.on_message();
    while lags.len() < arguments.due {
        let Ok(Some(message)) = tokio::time::timeout_at(until, stream.next()).await else {
            break;
        };
        let key: String = message.get_payload().expect("a key");
        let Some(id) = key.strip_prefix("plain:").and_then(|id| id.parse::<usize>().ok()) else {
            continue;
        };
        let phantom = format!("{key}:phantom");
        let value: Vec<(String, String)> = redis::cmd("HGETALL")
            .arg(phantom)
            .query_async(&mut connection)
            .await
            .expect("a phantom");
        assert_eq!(value.len(), 4);
        lags.push(deadlines[id].elapsed().unwrap_or_default());
    }
    arguments.report("plain-listener", &mut lags);
}

fn millis(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .expect("after 1970")
        .as_millis() as u64
}
