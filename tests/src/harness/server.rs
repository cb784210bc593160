//! A real server for a test.

use std::future::Future;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, OnceLock};

use redis::{FromRedisValue, RedisResult, Value};

use super::container::Container;
use super::options::{Place, ServerOptions};
use super::process::Process;
use super::raw::{Raw, Target, locked};
use super::source::Source;

/// A real server, gone with this value, and also when the test process ends in any other way.
///
/// A test that touches what is global on a server (configuration, `FLUSHALL`, scripts, ACL users, other clients'
/// connections, its life) starts its own with [`start`](Self::start) or [`with`](Self::with); the others take
/// the [`shared`](Self::shared) one, each under a [`unique`](super::unique) prefix.
#[derive(Debug)]
pub struct TestServer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    machine: Mutex<Machine>,
    raw: Arc<Raw>,
    source: Source,
}

#[derive(Debug)]
enum Machine {
    Process(Process),
    Container(Container),
    NotOurs,
}

impl TestServer {
    /// An empty server with the default options.
    ///
    /// # Panics
    ///
    /// When there is none to be had, with the choices in the message; like every method here that needs a server.
    pub async fn start() -> Self {
        Self::with(ServerOptions::new()).await
    }

    /// A server with these options.
    ///
    /// # Panics
    ///
    /// When there is none to be had, or it does not start: its log is in the message.
    pub async fn with(options: ServerOptions) -> Self {
        blocking(move || Self::try_with(&options)).await
    }

    /// The server that the tests of this process share: the one that `KVREPO_TEST_URL` names, or one of their own.
    ///
    /// # Panics
    ///
    /// As [`start`](Self::start).
    pub async fn shared() -> &'static Self {
        static SHARED: OnceLock<TestServer> = OnceLock::new();
        blocking(|| {
            if let Some(server) = SHARED.get() {
                return Ok(server);
            }
            // Two tests at once may both start one; the second is dropped, and so ended.
            let server = match Source::shared()? {
                Source::Url(url) => Self::not_ours(url)?,
                _ => Self::try_with(&ServerOptions::new())?,
            };
            Ok(SHARED.get_or_init(|| server))
        })
        .await
    }

    fn try_with(options: &ServerOptions) -> io::Result<Self> {
        let source = match options.place {
            Place::Any => Source::own(),
            Place::Process => Source::process(),
            Place::Container => Source::container(),
        }?;
        let (machine, port) = match &source {
            Source::Process { binary, .. } => {
                let process = Process::start(binary, options)?;
                let port = process.port();
                (Machine::Process(process), port)
            }
            Source::Container(image) => {
                let container = Container::start(image, options)?;
                let port = container.port();
                (Machine::Container(container), port)
            }
            Source::Url(_) => {
                return Err(io::Error::other(
                    "a server of a test's own is never one that runs already",
                ));
            }
        };
        let host = "127.0.0.1".to_owned();
        let (password, database) = (options.password.clone(), i64::from(options.database));
        Ok(Self::new(
            machine,
            Target {
                host,
                port,
                user: None,
                password,
                database,
            },
            source,
        ))
    }

    fn not_ours(url: String) -> io::Result<Self> {
        let target = Target::parse(&url).map_err(io::Error::other)?;
        let server = Self::new(Machine::NotOurs, target, Source::Url(url));
        server.inner.raw.command(&[b"PING".to_vec()]).map_err(|error| {
            io::Error::other(format!(
                "the server that KVREPO_TEST_URL names does not answer: {error}"
            ))
        })?;
        Ok(server)
    }

    fn new(machine: Machine, target: Target, source: Source) -> Self {
        let raw = Arc::new(Raw::new(target));
        Self {
            inner: Arc::new(Inner {
                machine: Mutex::new(machine),
                raw,
                source,
            }),
        }
    }

    /// The URL to connect to, with the password and database of the options.
    #[must_use]
    pub fn url(&self) -> String {
        self.inner.raw.target().url(None)
    }

    /// The URL with another database.
    #[must_use]
    pub fn url_with_db(&self, number: u32) -> String {
        self.inner.raw.target().url(Some(number))
    }

    /// The URL with another user.
    #[must_use]
    pub fn url_as(&self, user: &str, password: &str) -> String {
        let login = (Some(user.to_owned()), Some(password.to_owned()));
        Target {
            user: login.0,
            password: login.1,
            ..self.inner.raw.target().clone()
        }
        .url(None)
    }

    /// The URL over the unix socket, if [`ServerOptions::unix_socket`] asked for one.
    #[must_use]
    pub fn unix_url(&self) -> Option<String> {
        let Machine::Process(process) = &*locked(&self.inner.machine) else {
            return None;
        };
        let target = self.inner.raw.target();
        let password = target
            .password
            .as_deref()
            .map_or_else(String::new, |password| format!("&pass={password}"));
        let path = process.socket()?;
        Some(format!(
            "redis+unix://{}?db={}{password}",
            path.display(),
            target.database
        ))
    }

    /// The address, for a [`Proxy`](super::Proxy).
    ///
    /// # Panics
    ///
    /// When the host of `KVREPO_TEST_URL` has no address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        let target = self.inner.raw.target();
        let found = (target.host.as_str(), target.port)
            .to_socket_addrs()
            .ok()
            .and_then(|mut all| all.next());
        found.unwrap_or_else(|| panic!("the host {} has no address", target.host))
    }

    /// The port on [`address`](Self::address); the same after a restart.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.inner.raw.target().port
    }

    /// The id of the server's process while it runs; `None` for a container and for a server that is not ours.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        if let Machine::Process(process) = &*locked(&self.inner.machine) {
            process.pid()
        } else {
            None
        }
    }

    /// Where it came from.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.inner.source
    }

    /// What the server has written to its log.
    #[must_use]
    pub fn log(&self) -> String {
        match &*locked(&self.inner.machine) {
            Machine::Process(process) => process.log(),
            Machine::Container(container) => container.log(),
            Machine::NotOurs => String::new(),
        }
    }

    /// Ends the server with `SIGKILL`, as a crash would. [`restart`](Self::restart) brings it back.
    ///
    /// # Panics
    ///
    /// When the server is not ours; so do the next four.
    pub async fn kill(&self) {
        self.machine(|machine| match machine {
            Machine::Process(process) => process.kill(),
            Machine::Container(container) => container.kill(),
            Machine::NotOurs => Err(not_ours()),
        })
        .await;
        self.inner.raw.disconnect();
    }

    /// Stops the server's clockwork with `SIGSTOP`: connections stay open, nothing is answered.
    pub async fn pause(&self) {
        self.machine(|machine| match machine {
            Machine::Process(process) => process.signal("STOP"),
            Machine::Container(container) => container.pause(),
            Machine::NotOurs => Err(not_ours()),
        })
        .await;
    }

    /// Lets a paused server go on, with `SIGCONT`.
    pub async fn resume(&self) {
        self.machine(|machine| match machine {
            Machine::Process(process) => process.signal("CONT"),
            Machine::Container(container) => container.resume(),
            Machine::NotOurs => Err(not_ours()),
        })
        .await;
    }

    /// Kills the server if it runs and starts it again, on the same port and with the same files. Returns when it
    /// answers. What was set by `CONFIG SET` is gone; so is all data without [`ServerOptions::append_only`].
    pub async fn restart(&self) {
        self.machine(|machine| match machine {
            Machine::Process(process) => process.restart(),
            Machine::Container(container) => container.restart(),
            Machine::NotOurs => Err(not_ours()),
        })
        .await;
        self.inner.raw.disconnect();
    }

    /// Ends the server and removes its files. Dropping does the same, but blocks meanwhile.
    pub async fn stop(self) {
        blocking(move || {
            drop(self);
            Ok(())
        })
        .await;
    }

    /// Sends a command, by the harness's own connection, and returns the reply as it came.
    ///
    /// # Panics
    ///
    /// When the server answers with an error or not at all.
    pub async fn command<A: AsRef<[u8]>>(&self, args: &[A]) -> Value {
        let shown = args
            .iter()
            .map(|arg| String::from_utf8_lossy(arg.as_ref()))
            .collect::<Vec<_>>()
            .join(" ");
        self.try_command(args)
            .await
            .unwrap_or_else(|error| panic!("`{shown}` failed: {error}"))
    }

    /// Sends a command that may fail.
    ///
    /// # Errors
    ///
    /// The server's error reply, or what happened to the connection.
    pub async fn try_command<A: AsRef<[u8]>>(&self, args: &[A]) -> RedisResult<Value> {
        let args: Vec<Vec<u8>> = args.iter().map(|arg| arg.as_ref().to_vec()).collect();
        let raw = Arc::clone(&self.inner.raw);
        blocking(move || Ok(raw.command(&args))).await
    }

    /// Sends a command and reads the reply as `T`: `server.query::<Option<String>, _>(&["GET", "x"])`.
    ///
    /// # Panics
    ///
    /// As [`command`](Self::command), and when the reply is no `T`.
    pub async fn query<T: FromRedisValue, A: AsRef<[u8]>>(&self, args: &[A]) -> T {
        let reply = self.command(args).await;
        redis::from_redis_value_ref(&reply)
            .unwrap_or_else(|error| panic!("unexpected reply {reply:?}: {error}"))
    }

    pub(super) fn raw(&self) -> &Arc<Raw> {
        &self.inner.raw
    }

    fn machine<F>(&self, step: F) -> impl Future<Output = ()> + use<F>
    where
        F: FnOnce(&mut Machine) -> io::Result<()> + Send + 'static,
    {
        let inner = Arc::clone(&self.inner);
        blocking(move || step(&mut locked(&inner.machine)))
    }
}

fn not_ours() -> io::Error {
    io::Error::other("the server that KVREPO_TEST_URL names is not the test's to stop; start one of its own")
}

/// Runs what blocks where it may, and panics in the test's own task. Tokio's paused clock stands still meanwhile.
pub(super) async fn blocking<T, F>(work: F) -> T
where
    T: Send + 'static,
    F: FnOnce() -> io::Result<T> + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => panic!("{error}"),
        Err(error) => panic!("a blocking step of the harness panicked: {error}"),
    }
}
