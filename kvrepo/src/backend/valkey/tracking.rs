//! Reads whose changes the server tells of: `CLIENT TRACKING`, on a connection of its own.
//!
//! The server notes which keys were read on the connection, and pushes the name of one that changes, once, between the
//! replies. A reply that is behind the word of a change on the socket is of what was read after it, and one that is before may
//! still be on its way to its reader when the word is told: that is for the reader to see to.
//!
//! When the connection is silent, it can be dead and nobody has noticed. So nothing is vouched for longer than [`VOUCHED`] after
//! the last request that was answered; as long as somebody asks, one is made every [`PROBE`].

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use redis::aio::MultiplexedConnection;
use redis::{RedisResult, Value};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::connection::{Call, Connection};
use super::endpoint::{Endpoint, Era};
use super::renewal::Renewals;
use super::server::Hello;
use super::{answer, fault, reply, request};
use crate::backend::status::Board;
use crate::backend::{InvalidationSink, Keyspace, TimeToLive, Tracked, TrackedReads};
use crate::error::{Error, Result};

/// How often the connection is asked whether it is alive, as long as somebody relies on that.
const PROBE: Duration = Duration::from_millis(500);
/// For how long what was read is vouched for after a request was made that was answered: four probes, so that a server that
/// is busy for a while is not taken for one that is gone.
const VOUCHED: Duration = Duration::from_millis(2_000);
/// The part of a term that is not relied on: this clock and the server's may go so differently.
const DRIFT: u64 = 1_000;

#[derive(Debug)]
pub(super) struct Tracking {
    shared: Arc<Shared>,
    renewals: Arc<Renewals>,
    /// Asks whether the connection is alive; started by a read, ends when nobody asks any more.
    prober: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    connection: Connection,
    endpoint: Endpoint,
    /// The beginning of the clock.
    begin: Instant,
    /// Until when what was read is vouched for, in milliseconds of the clock.
    vouched: AtomicU64,
    /// The era of what was read last: the server was none that had been demoted.
    era: AtomicU64,
    /// Whether somebody has asked since the last probe.
    used: AtomicBool,
    /// Whether the last read was denied: said once, and not with each.
    denied: AtomicBool,
}

/// Asks for what has changed to be told.
pub(super) async fn ask(connection: &mut MultiplexedConnection) -> RedisResult<()> {
    redis::cmd("CLIENT")
        .arg("TRACKING")
        .arg("ON")
        .query_async(connection)
        .await
}

/// Tells a sink what the server has said.
pub(super) fn tell(sink: &dyn InvalidationSink, data: Vec<Value>) {
    for told in data {
        let Value::Array(keys) = told else {
            // No names, since all are meant: the database was emptied.
            return sink.invalidate_all();
        };
        // A key that is no text was not read by us.
        for key in keys.into_iter().filter_map(reply::text) {
            sink.invalidate(&key);
        }
    }
}

impl Tracking {
    pub(super) fn new(
        endpoint: Endpoint,
        board: Arc<Board>,
        renewals: Arc<Renewals>,
        sink: Arc<dyn InvalidationSink>,
    ) -> Result<Self> {
        if !endpoint.speaks_resp3() {
            return Err(unsupported(
                "over RESP2, in which a server cannot tell of changes on the same connection; leave `protocol=resp2` out of the URL",
            ));
        }
        let shared = Shared {
            connection: Connection::new(endpoint.clone(), "near", board).tracked(sink),
            era: AtomicU64::new(endpoint.era()),
            endpoint,
            begin: Instant::now(),
            vouched: AtomicU64::new(0),
            used: AtomicBool::new(false),
            denied: AtomicBool::new(false),
        };
        Ok(Self {
            shared: Arc::new(shared),
            renewals,
            prober: Mutex::default(),
        })
    }

    /// Has the connection looked at for as long as somebody asks.
    fn keep_probing(&self) {
        self.shared.used.store(true, Ordering::Relaxed);
        let mut prober = self.prober.lock().unwrap_or_else(PoisonError::into_inner);
        if prober.as_ref().is_none_or(JoinHandle::is_finished) {
            *prober = Some(tokio::spawn(probe(Arc::clone(&self.shared))));
        }
    }
}

impl Drop for Tracking {
    fn drop(&mut self) {
        let prober = self.prober.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(prober) = prober.take() {
            prober.abort();
        }
    }
}

#[async_trait]
impl TrackedReads for Tracking {
    async fn begin(&self) -> Result<()> {
        self.shared.probe().await
    }

    async fn load(&self, keyspace: &Keyspace, id: &str) -> Result<Option<Tracked>> {
        self.keep_probing();
        let call = Call::read("find");
        let mut pipeline = redis::pipe();
        pipeline.ignore_errors();
        request::with_term(&mut pipeline, &keyspace.entity_key(id));
        let (era, asked) = self.shared.asking();
        let replies = self.shared.connection.pipeline(call, &pipeline).await;
        let mut replies = replies.map_err(|error| self.shared.warn(denied(error)))?;
        self.shared.denied.store(false, Ordering::Relaxed);
        self.shared.answered(era, asked);
        let reply = replies.pop().unwrap_or(Ok(Value::Nil));
        let reply = reply.map_err(|error| answer::collision(call, keyspace, id, error))?;
        let Some(loaded) = answer::with_term(reply, keyspace, id)? else {
            return Ok(None);
        };
        if let Some(span) = loaded.idle {
            self.renewals
                .used(keyspace, id, span, Some(loaded.remaining))
                .await;
        }
        let until = until(asked, loaded.remaining);
        Ok(Some(Tracked::new(loaded, asked, until)))
    }

    fn now(&self) -> Option<u64> {
        let shared = &*self.shared;
        // Looked at first: to write it again and again would slow down all who do.
        if !shared.used.load(Ordering::Relaxed) {
            shared.used.store(true, Ordering::Relaxed);
        }
        let now = shared.now();
        let is_vouched = now < shared.vouched.load(Ordering::SeqCst)
            && shared.era.load(Ordering::SeqCst) == shared.endpoint.era();
        is_vouched.then_some(now)
    }
}

impl Shared {
    /// In milliseconds.
    fn now(&self) -> u64 {
        u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// What has to be known of the moment before a request is made.
    fn asking(&self) -> (Era, u64) {
        (self.endpoint.era(), self.now())
    }

    /// A request was answered that was made at this time: until then nothing is missing.
    fn answered(&self, era: Era, asked: u64) {
        self.era.fetch_max(era, Ordering::SeqCst);
        let until = asked.saturating_add(VOUCHED.as_millis() as u64);
        self.vouched.fetch_max(until, Ordering::SeqCst);
    }

    /// Says that nothing can be kept any more.
    fn warn(&self, error: Error) -> Error {
        if matches!(error, Error::Unsupported { .. }) && !self.denied.swap(true, Ordering::Relaxed) {
            tracing::warn!(endpoint = %self.endpoint, "{error}; until then everything is read from the server");
        }
        error
    }

    /// Asks the server for its role, which shows as well that it is alive.
    async fn probe(&self) -> Result<()> {
        let (era, asked) = self.asking();
        let command = Hello::question();
        let reply = self
            .connection
            .command(Call::read("look after the near cache"), &command);
        if Hello::read(reply.await.map_err(denied)?).is_replica() {
            self.endpoint.leave(era);
        } else {
            self.answered(era, asked);
        }
        Ok(())
    }
}

async fn probe(shared: Arc<Shared>) {
    loop {
        sleep(PROBE).await;
        if !shared.used.swap(false, Ordering::Relaxed) {
            return;
        }
        if let Err(error) = shared.probe().await {
            tracing::debug!(endpoint = %shared.endpoint, %error, "near cache: nothing is served until the server answers");
        }
    }
}

/// When an entity has to be taken for expired that had so much left at some time after it was asked for. Rather too early: then
/// it is asked for again.
fn until(asked: u64, remaining: TimeToLive) -> Option<u64> {
    let TimeToLive::In(remaining) = remaining else {
        return None;
    };
    let remaining = u64::try_from(remaining.as_millis()).unwrap_or(u64::MAX);
    // What has less than a millisecond left is said to have one.
    Some(asked.saturating_add(remaining - remaining / DRIFT - 1))
}

/// What is said of an answer by which this user may not be told of changes.
fn denied(error: Error) -> Error {
    match &error {
        Error::Backend { source, .. } if source.downcast_ref().is_some_and(fault::is_denied) => {
            unsupported("for a user who may not `CLIENT TRACKING`; allow `client|tracking`, or do without")
        }
        _ => error,
    }
}

fn unsupported(what: &str) -> Error {
    Error::Unsupported {
        what: format!("a near cache {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_ends_for_the_cache_before_it_ends() {
        let until = |millis| until(100, TimeToLive::In(Duration::from_millis(millis)));
        assert_eq!(until(1), Some(100));
        assert_eq!(until(999), Some(100 + 998));
        assert_eq!(until(60_000), Some(100 + 59_939));
        assert_eq!(super::until(100, TimeToLive::Persistent), None);
    }
}
