//! One multiplexed connection that comes back by itself, every call on it under a deadline.
//!
//! The client's own manager waits for a reconnect without bound, does not tell a call that was never sent from one
//! whose reply was lost, and stays on a server that hangs. So the reconnecting is done here: a call that finds no
//! connection makes one, within its deadline, and while others wait for the same; a connection that has broken, or
//! has let several calls in a row run into their deadlines, is dropped.

use std::future::Future;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{Cmd, Pipeline, PushInfo, PushKind, RedisResult, Value};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::endpoint::{Endpoint, Era};
use super::{fault, tracking};
use crate::backend::InvalidationSink;
use crate::backend::status::Board;
use crate::error::{Error, Outcome, Result};

/// After how many timeouts in a row a connection is given up.
const TIMEOUTS: u32 = 3;
/// The wait after the first failed attempt to connect; it doubles with each.
const FIRST_BACKOFF: Duration = Duration::from_millis(20);
/// The longest wait between two attempts.
const LAST_BACKOFF: Duration = Duration::from_secs(1);

/// Whether a call changes anything, and so what its failure means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
}

impl Kind {
    fn fault(self, operation: &'static str, error: redis::RedisError) -> Error {
        match self {
            Self::Read => fault::of_read(operation, error),
            Self::Write => fault::of_write(operation, error),
        }
    }

    pub(super) fn lost(self) -> Outcome {
        match self {
            Self::Read => Outcome::NotExecuted,
            Self::Write => Outcome::Unknown,
        }
    }
}

/// A call: what it is named in errors, and whether it changes anything.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub(super) operation: &'static str,
    pub(super) kind: Kind,
}

impl Call {
    pub(super) const fn read(operation: &'static str) -> Self {
        Self {
            operation,
            kind: Kind::Read,
        }
    }

    pub(super) const fn write(operation: &'static str) -> Self {
        Self {
            operation,
            kind: Kind::Write,
        }
    }

    pub(super) fn fault(self, error: redis::RedisError) -> Error {
        self.kind.fault(self.operation, error)
    }
}

#[derive(Debug)]
pub(super) struct Connection {
    endpoint: Endpoint,
    /// The connection in use, if there was ever one.
    link: RwLock<Option<Link>>,
    /// Held while connecting, so that one caller connects and the others wait for it.
    attempts: Mutex<Attempts>,
    /// The number of the last link that was seen to have broken; told by the client without a call being made.
    broken: Arc<AtomicU64>,
    timeouts: AtomicU32,
    /// What it is for, for who counts.
    name: &'static str,
    board: Arc<Board>,
    /// Who is told when what was read on it has changed.
    sink: Option<Arc<dyn InvalidationSink>>,
}

/// A connection, as long as it works.
#[derive(Debug, Clone)]
struct Link {
    /// Each has a higher one than the one before.
    number: u64,
    era: Era,
    open: MultiplexedConnection,
}

/// When another attempt to connect may be made.
#[derive(Debug)]
struct Attempts {
    backoff: Duration,
    not_before: Instant,
}

impl Connection {
    pub(super) fn new(endpoint: Endpoint, name: &'static str, board: Arc<Board>) -> Self {
        Self {
            endpoint,
            link: RwLock::default(),
            attempts: Mutex::new(Attempts {
                backoff: FIRST_BACKOFF,
                not_before: Instant::now(),
            }),
            broken: Arc::default(),
            timeouts: AtomicU32::new(0),
            name,
            board,
            sink: None,
        }
    }

    /// The server tells the sink of changes of what was read on it. All that was read on one link is void when it is lost.
    pub(super) fn tracked(mut self, sink: Arc<dyn InvalidationSink>) -> Self {
        self.sink = Some(sink);
        self
    }

    pub(super) async fn command(&self, call: Call, command: &Cmd) -> Result<Value> {
        self.call(
            call,
            |_| false,
            |mut open| async move { command.query_async(&mut open).await },
        )
        .await
    }

    /// Sends one command; the inner result is what the server said. Costs less than a pipeline of one.
    pub(super) async fn one(&self, call: Call, command: &Cmd) -> Result<RedisResult<Value>> {
        let demoted = |reply: &RedisResult<Value>| matches!(reply, Err(error) if fault::is_read_only(error));
        self.call(call, demoted, |mut open| async move {
            match command.query_async(&mut open).await {
                Err(error) if fault::is_reply(&error) => Ok(Err(error)),
                reply => reply.map(Ok),
            }
        })
        .await
    }

    /// Sends a pipeline; the results are those of its commands, each of its own.
    pub(super) async fn pipeline(&self, call: Call, pipeline: &Pipeline) -> Result<Vec<RedisResult<Value>>> {
        // A server that was demoted refuses each command for itself, and would be kept if nobody looked.
        let demoted = |replies: &Vec<RedisResult<Value>>| {
            replies
                .iter()
                .any(|reply| matches!(reply, Err(error) if fault::is_read_only(error)))
        };
        self.call(call, demoted, |mut open| async move {
            pipeline.query_async(&mut open).await
        })
        .await
    }

    /// Sends something, and drops the connection if that fails in a way that says that it is of no more use; all
    /// connections, if it is answered with what says that the server is.
    async fn call<R, F>(
        &self,
        call: Call,
        demoted: impl FnOnce(&R) -> bool,
        send: impl FnOnce(MultiplexedConnection) -> F,
    ) -> Result<R>
    where
        F: Future<Output = RedisResult<R>>,
    {
        let until = Instant::now() + self.endpoint.deadline;
        let Link { number, era, open } = self.open(call, until).await?;
        match timeout_at(until, send(open)).await {
            Ok(Ok(reply)) => {
                self.timeouts.store(0, Ordering::Relaxed);
                if demoted(&reply) {
                    self.endpoint.leave(era);
                }
                Ok(reply)
            }
            Ok(Err(error)) if error.is_timeout() => Err(self.timed_out(call, number)),
            Ok(Err(error)) => {
                if fault::is_read_only(&error) {
                    self.endpoint.leave(era);
                } else if fault::breaks_connection(&error) {
                    give_up(&self.broken, number, self.sink.as_deref());
                }
                Err(call.fault(error))
            }
            Err(_) => Err(self.timed_out(call, number)),
        }
    }

    fn timed_out(&self, call: Call, number: u64) -> Error {
        if self.timeouts.fetch_add(1, Ordering::Relaxed) + 1 >= TIMEOUTS {
            tracing::warn!(endpoint = %self.endpoint, "several calls in a row timed out; connecting anew");
            give_up(&self.broken, number, self.sink.as_deref());
            self.timeouts.store(0, Ordering::Relaxed);
        }
        Error::Timeout {
            operation: call.operation,
            after: self.endpoint.deadline,
            outcome: call.kind.lost(),
        }
    }

    /// The connection in use, unless it has broken or its server was left; in any case the last number.
    fn in_use(&self) -> Result<Link, u64> {
        let link = self.link.read().unwrap_or_else(PoisonError::into_inner);
        let Some(link) = &*link else { return Err(0) };
        let works = link.number > self.broken.load(Ordering::Relaxed) && link.era == self.endpoint.era();
        if works { Ok(link.clone()) } else { Err(link.number) }
    }

    /// The connection in use, or a new one. Nothing has been sent if this fails.
    async fn open(&self, call: Call, until: Instant) -> Result<Link> {
        if let Ok(link) = self.in_use() {
            return Ok(link);
        }
        let unreached = || Error::Timeout {
            operation: call.operation,
            after: self.endpoint.deadline,
            outcome: Outcome::NotExecuted,
        };
        let mut attempts = timeout_at(until, self.attempts.lock())
            .await
            .map_err(|_| unreached())?;
        loop {
            // Another caller may have connected meanwhile.
            let number = match self.in_use() {
                Ok(link) => return Ok(link),
                Err(number) => number + 1,
            };
            timeout_at(until, sleep_until(attempts.not_before))
                .await
                .map_err(|_| unreached())?;
            let era = self.endpoint.era();
            match timeout_at(until, self.connect(number)).await {
                Ok(Ok(open)) => {
                    let link = Link { number, era, open };
                    *self.link.write().unwrap_or_else(PoisonError::into_inner) = Some(link);
                    attempts.backoff = FIRST_BACKOFF;
                    if number > 1 {
                        self.board.reconnected(self.name);
                    }
                }
                Ok(Err(error)) if error.is_timeout() => return Err(unreached()),
                Ok(Err(error)) => {
                    let next = Instant::now() + attempts.backoff;
                    attempts.not_before = next;
                    // So that every call makes an attempt within its deadline, however often others have failed.
                    let longest = LAST_BACKOFF.min(self.endpoint.deadline / 2);
                    attempts.backoff = (attempts.backoff * 2).min(longest);
                    // What will not be better in a moment, such as a wrong password or a server that nobody vouches
                    // for, is said at once.
                    if !fault::is_of_network(&error) || next >= until {
                        return Err(fault::of_read(call.operation, error));
                    }
                }
                Err(_) => return Err(unreached()),
            }
        }
    }

    async fn connect(&self, number: u64) -> RedisResult<MultiplexedConnection> {
        // Each call has its own deadline, so the client need not keep a second clock for it.
        let config = self.endpoint.config(None);
        // RESP3 tells of a closed socket without a call being made; the next call then connects before it sends.
        let config = if self.endpoint.speaks_resp3() {
            let (broken, sink) = (Arc::clone(&self.broken), self.sink.clone());
            config.set_push_sender(move |push: PushInfo| {
                match (push.kind, &sink) {
                    (PushKind::Disconnection, sink) => give_up(&broken, number, sink.as_deref()),
                    (PushKind::Invalidate, Some(sink)) => tracking::tell(&**sink, push.data),
                    _ => {}
                }
                Ok::<_, redis::aio::SendError>(())
            })
        } else {
            config
        };
        let mut open = self.endpoint.open(&config).await?;
        if let Some(sink) = &self.sink {
            tracking::ask(&mut open).await?;
            // Before anybody reads on it; what was read on the one before is told of no more.
            sink.invalidate_all();
        }
        Ok(open)
    }
}

/// This link is not used any more. Whoever reads when the sink has been told does so on another.
fn give_up(broken: &AtomicU64, number: u64, sink: Option<&dyn InvalidationSink>) {
    if broken.fetch_max(number, Ordering::SeqCst) < number
        && let Some(sink) = sink
    {
        sink.invalidate_all();
    }
}
