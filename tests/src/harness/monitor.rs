//! Records every command that a server receives.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use redis::RedisResult;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time;

use super::raw::{Raw, encode, locked};
use super::record::{Command, Commands, Origin};
use super::server::{TestServer, blocking};
use super::unique;

/// A connection in `MONITOR` mode, and what it has told.
///
/// The harness's own commands are left out; those that the server hides (`AUTH` and its kind, most of `CONFIG`) never
/// come. It counts commands, not round trips, which is the same where each is awaited before the next is sent;
/// for pipelines, see [`Counts::round_trips`](super::Counts::round_trips).
///
/// ```text
/// let monitor = Monitor::start(&server).await;
/// people.save(&mut ann).await?;
/// assert_eq!(monitor.commands().await.by_clients().verbs(), ["EVALSHA"]);
/// ```
#[derive(Debug)]
pub struct Monitor {
    raw: Arc<Raw>,
    seen: Arc<Mutex<Seen>>,
    /// Marks this monitor's markers; each has a higher number than the one before.
    id: String,
    sent: AtomicU64,
    arrived: watch::Receiver<u64>,
    reader: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Seen {
    commands: Vec<Command>,
    /// The names that clients gave themselves, by address.
    names: HashMap<String, String>,
}

impl Monitor {
    /// Begins to record. Every command that is sent after this has returned is recorded.
    ///
    /// # Panics
    ///
    /// When the server does not let itself be monitored.
    pub async fn start(server: &TestServer) -> Self {
        let raw = Arc::clone(server.raw());
        let lines = Self::connect(&raw)
            .await
            .unwrap_or_else(|error| panic!("cannot monitor the server: {error}"));
        let seen = Arc::new(Mutex::new(Seen::default()));
        let id = unique("kvrepo-marker-") + "-";
        let (sender, arrived) = watch::channel(0);
        let reader = tokio::spawn(record(lines, Arc::clone(&seen), id.clone(), sender));
        Self {
            raw,
            seen,
            id,
            sent: AtomicU64::new(0),
            arrived,
            reader,
        }
    }

    async fn connect(raw: &Raw) -> io::Result<BufReader<OwnedReadHalf>> {
        let target = raw.target();
        let (reader, mut writer) = TcpStream::connect((target.host.as_str(), target.port))
            .await?
            .into_split();
        let mut reader = BufReader::new(reader);
        for command in target.login().into_iter().chain([vec!["MONITOR".to_owned()]]) {
            writer.write_all(&encode(&command)).await?;
            let mut reply = String::new();
            reader.read_line(&mut reply).await?;
            if reply != "+OK\r\n" {
                return Err(io::Error::other(format!("{command:?} was answered {reply:?}")));
            }
        }
        // Dropping this half would tell the server that its client has gone.
        writer.forget();
        Ok(reader)
    }

    /// All commands since the start or the last [`clear`](Self::clear) that the server ran before this call.
    ///
    /// # Panics
    ///
    /// When the server has gone.
    pub async fn commands(&self) -> Commands {
        self.catch_up().await;
        let names = self.client_names().await;
        let own = self.raw.addresses();
        let mut seen = locked(&self.seen);
        seen.names.extend(names);
        let Seen { commands, names } = &*seen;
        let others = commands.iter().filter_map(|command| match &command.origin {
            Origin::Client(address) if own.contains(address) => None,
            Origin::Client(address) => Some(Command {
                client_name: names.get(address).cloned(),
                ..command.clone()
            }),
            Origin::Script => Some(command.clone()),
        });
        Commands::new(others.collect())
    }

    /// Forgets what has been recorded so far.
    ///
    /// # Panics
    ///
    /// When the server has gone.
    pub async fn clear(&self) {
        self.catch_up().await;
        locked(&self.seen).commands.clear();
    }

    /// A server tells a monitor in the order in which it runs commands: when the marker has come, all before it have.
    async fn catch_up(&self) {
        let number = self.sent.fetch_add(1, Ordering::Relaxed) + 1;
        self.send(&["ECHO", &format!("{}{number}", self.id)])
            .await
            .unwrap_or_else(|error| panic!("the monitored server has gone: {error}"));
        let mut arrived = self.arrived.clone();
        // A higher number is another call's, begun after this one.
        let arrived = arrived.wait_for(|arrived| *arrived >= number);
        match time::timeout(Duration::from_secs(10), arrived).await {
            Ok(Ok(_)) => {}
            Ok(Err(_)) => panic!("the monitor's connection was closed; a monitor does not outlive a restart"),
            Err(_) => panic!("the marker did not come"),
        }
    }

    async fn client_names(&self) -> HashMap<String, String> {
        let list = self
            .send(&["CLIENT", "LIST"])
            .await
            .and_then(|list| Ok(redis::from_redis_value::<String>(list)?));
        let list = list.unwrap_or_default();
        let field = |line: &str, name: &str| {
            line.split(' ')
                .find_map(|word| word.strip_prefix(name))
                .filter(|value| !value.is_empty())
                .map(str::to_owned)
        };
        list.lines()
            .filter_map(|line| Some((field(line, "addr=")?, field(line, "name=")?)))
            .collect()
    }

    async fn send(&self, args: &[&str]) -> RedisResult<redis::Value> {
        let raw = Arc::clone(&self.raw);
        let args: Vec<_> = args.iter().map(|arg| arg.as_bytes().to_vec()).collect();
        blocking(move || Ok(raw.command(&args))).await
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

/// Reads lines until the connection ends.
async fn record(
    mut lines: BufReader<OwnedReadHalf>,
    seen: Arc<Mutex<Seen>>,
    id: String,
    arrived: watch::Sender<u64>,
) {
    let mut line = Vec::new();
    while lines
        .read_until(b'\n', &mut line)
        .await
        .is_ok_and(|read| read > 0)
    {
        if let Some(command) = Command::parse(&line) {
            let marker = command
                .arg(1)
                .strip_prefix(&id)
                .and_then(|number| number.parse::<u64>().ok());
            locked(&seen).add(command);
            if let Some(number) = marker {
                arrived.send_modify(|latest| *latest = number.max(*latest));
            }
        }
        line.clear();
    }
}

impl Seen {
    fn add(&mut self, command: Command) {
        // Clients may be gone by the time `CLIENT LIST` is asked for their names.
        if let Origin::Client(address) = &command.origin
            && command.verb() == "CLIENT"
            && command.arg(1).eq_ignore_ascii_case("setname")
        {
            self.names.insert(address.clone(), command.arg(2));
        }
        self.commands.push(command);
    }
}
