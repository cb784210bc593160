//! A tiny client of the harness's own: no handshake, no pool, no retries, just the bytes.

use std::collections::HashSet;
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::{ConnectionAddr, IntoConnectionInfo, Parser, RedisResult, Value};

/// Where a server listens and how to log in there.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    pub(super) database: i64,
}

impl Target {
    /// Reads a URL of the form `redis://[user[:password]@]host:port[/database]`.
    pub(super) fn parse(url: &str) -> RedisResult<Self> {
        let info = url.into_connection_info()?;
        let ConnectionAddr::Tcp(host, port) = info.addr() else {
            return Err(io::Error::other("KVREPO_TEST_URL has to begin with `redis://`").into());
        };
        let settings = info.redis_settings();
        Ok(Self {
            host: host.clone(),
            port: *port,
            user: settings.username().map(str::to_owned),
            password: settings.password().map(str::to_owned),
            database: settings.db(),
        })
    }

    /// The URL, with another database if one is named.
    pub(super) fn url(&self, database: Option<u32>) -> String {
        let login = match (&self.user, &self.password) {
            (None, None) => String::new(),
            (user, password) => {
                let (user, password) = (user.as_deref().unwrap_or(""), password.as_deref().unwrap_or(""));
                format!("{user}:{password}@")
            }
        };
        let database = database.map_or(self.database, i64::from);
        format!("redis://{login}{}:{}/{database}", self.host, self.port)
    }

    /// The commands that a fresh connection begins with.
    pub(super) fn login(&self) -> Vec<Vec<String>> {
        let mut commands = Vec::new();
        if let Some(password) = &self.password {
            let login = ["AUTH"]
                .into_iter()
                .chain(self.user.as_deref())
                .chain([password.as_str()]);
            commands.push(login.map(str::to_owned).collect());
        }
        if self.database != 0 {
            commands.push(vec!["SELECT".to_owned(), self.database.to_string()]);
        }
        commands
    }
}

/// One lazily opened connection, on which one command at a time is sent and answered.
///
/// It blocks, so that it can be used from any runtime, also one whose clock is paused.
#[derive(Debug)]
pub(super) struct Raw {
    target: Target,
    wire: Mutex<Option<Wire>>,
    addresses: Mutex<HashSet<String>>,
}

impl Raw {
    pub(super) fn new(target: Target) -> Self {
        Self {
            target,
            wire: Mutex::default(),
            addresses: Mutex::default(),
        }
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// The addresses that this client had on its side: what a [`Monitor`](super::Monitor) leaves out.
    pub(super) fn addresses(&self) -> HashSet<String> {
        locked(&self.addresses).clone()
    }

    /// Closes the connection; the next command opens another. Not every death of a server is told to its clients:
    /// a container's network may be gone before the last packet.
    pub(super) fn disconnect(&self) {
        *locked(&self.wire) = None;
    }

    /// Sends one command and waits for its reply. An error reply is an error.
    pub(super) fn command(&self, args: &[Vec<u8>]) -> RedisResult<Value> {
        let mut slot = locked(&self.wire);
        let mut wire = match slot.take() {
            Some(wire) if wire.is_open() => wire,
            _ => self.connect()?,
        };
        let reply = wire.command(args)?;
        *slot = Some(wire);
        reply.extract_error()
    }

    fn connect(&self) -> RedisResult<Wire> {
        let stream = TcpStream::connect((self.target.host.as_str(), self.target.port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let local = stream.local_addr()?.to_string();
        let mut wire = Wire {
            stream,
            parser: Parser::new(),
        };
        for command in self.target.login() {
            let command: Vec<_> = command.into_iter().map(String::into_bytes).collect();
            wire.command(&command)?.extract_error()?;
        }
        // Behind a container's port the server sees another address than we do.
        let info = wire.command(&[b"CLIENT".to_vec(), b"INFO".to_vec()])?;
        let info = redis::from_redis_value::<String>(info).unwrap_or_default();
        let seen = info.split(' ').find_map(|word| word.strip_prefix("addr="));
        locked(&self.addresses).insert(seen.map_or(local, str::to_owned));
        Ok(wire)
    }
}

struct Wire {
    stream: TcpStream,
    parser: Parser,
}

impl std::fmt::Debug for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wire")
            .field("stream", &self.stream)
            .finish_non_exhaustive()
    }
}

impl Wire {
    /// False once the server has closed the connection, as a restart or `CLIENT KILL` does.
    fn is_open(&self) -> bool {
        let look = || {
            self.stream.set_nonblocking(true)?;
            let seen = self.stream.peek(&mut [0]);
            self.stream.set_nonblocking(false)?;
            seen
        };
        matches!(look(), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }

    fn command(&mut self, args: &[Vec<u8>]) -> RedisResult<Value> {
        self.stream.write_all(&encode(args))?;
        self.parser.parse_value(&mut self.stream)
    }
}

/// A command as it goes over the wire.
pub(super) fn encode<A: AsRef<[u8]>>(args: &[A]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", args.len()).into_bytes();
    for arg in args {
        let arg = arg.as_ref();
        bytes.extend(format!("${}\r\n", arg.len()).bytes());
        bytes.extend(arg);
        bytes.extend(b"\r\n");
    }
    bytes
}

/// The lock, also after a test that held it has panicked.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
