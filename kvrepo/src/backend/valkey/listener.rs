//! Keyspace notifications: a connection of their own, subscribed as long as the store listens.
//!
//! Each time it is up (again), whatever may have been missed is looked for. A listener that may not subscribe is
//! no error: the deadline index triggers every event as well.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{RedisResult, Value};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::endpoint::Endpoint;
use super::fault;
use super::notification::{Notifications, Told};
use crate::backend::{Guard, Trigger, TriggerSink};
use crate::error::{Error, Outcome, Result};
use crate::listener::AbortOnDrop;

/// How often the connection and the server's role are probed.
const PROBE: Duration = Duration::from_secs(1);
/// The longest a probe may take.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);
/// The waits between attempts to connect.
const FIRST_BACKOFF: Duration = Duration::from_millis(50);
const LAST_BACKOFF: Duration = Duration::from_secs(1);

/// What to do about the server's `notify-keyspace-events`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flags {
    /// Add what is missing, and nothing else.
    Add,
    /// Leave them alone.
    Leave,
}

/// How far the listener has come.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage {
    Connecting,
    Listening,
    /// Notifications cannot be had; the reason was logged.
    Denied,
}

/// Starts listening; returns once the server has confirmed the subscription, or has said that it will not.
pub(super) async fn start(endpoint: Endpoint, flags: Flags, sink: Arc<dyn TriggerSink>) -> Result<Guard> {
    let deadline = endpoint.deadline;
    let (stage, mut reached) = watch::channel(Stage::Connecting);
    let task = AbortOnDrop::from(tokio::spawn(
        Listener {
            endpoint,
            flags,
            sink,
            stage,
        }
        .run(),
    ));
    // The task goes on while this waits, and outlives it only with the guard.
    match timeout(deadline, reached.wait_for(|stage| *stage != Stage::Connecting)).await {
        Ok(_) => Ok(Box::new(task)),
        Err(_) => Err(Error::Timeout {
            operation: "subscribe",
            after: deadline,
            outcome: Outcome::NotExecuted,
        }),
    }
}

#[derive(Debug)]
struct Listener {
    endpoint: Endpoint,
    flags: Flags,
    sink: Arc<dyn TriggerSink>,
    stage: watch::Sender<Stage>,
}

impl Listener {
    async fn run(self) {
        let mut backoff = FIRST_BACKOFF;
        loop {
            match self.session(&mut backoff).await {
                Ok(()) => {
                    tracing::debug!(endpoint = %self.endpoint, "notifications: the server closed the connection");
                }
                Err(error) if fault::is_denied(&error) => {
                    tracing::warn!(
                        endpoint = %self.endpoint, %error,
                        "notifications: this user may not subscribe; events come by the deadline index alone"
                    );
                    self.stage.send_replace(Stage::Denied);
                    backoff = LAST_BACKOFF;
                }
                Err(error) => {
                    tracing::debug!(endpoint = %self.endpoint, %error, "notifications: connection lost");
                }
            }
            sleep(backoff).await;
            backoff = (backoff * 2).min(LAST_BACKOFF);
        }
    }

    /// One connection's life.
    async fn session(&self, backoff: &mut Duration) -> RedisResult<()> {
        let mut notifications = Notifications::open(&self.endpoint, PROBE_TIMEOUT).await?;
        self.check_flags(&mut notifications.commands).await;
        let channel = format!("__keyevent@{}__:expired", self.endpoint.database());
        notifications.subscribe(&channel, PROBE_TIMEOUT).await?;
        *backoff = FIRST_BACKOFF;
        self.stage.send_replace(Stage::Listening);
        // Only now, so that nothing can fall between the look and the subscription.
        self.sink.trigger(Trigger::Everything);

        let mut probe = interval(PROBE);
        probe.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                told = notifications.next() => match told {
                    Told::Expired(key) => self.sink.trigger(Trigger::Expired(&key)),
                    Told::Closed => return Ok(()),
                    Told::Lost => {
                        tracing::warn!(endpoint = %self.endpoint, "notifications: more than can wait; looking everywhere");
                        self.sink.trigger(Trigger::Everything);
                    }
                },
                _ = probe.tick() => {
                    if is_replica(&self.role(&mut notifications.commands).await?) {
                        return Err((redis::ErrorKind::Client, "the server has become a replica").into());
                    }
                }
            }
        }
    }

    /// The server's role; asking for it also shows that the connection is alive.
    async fn role(&self, commands: &mut MultiplexedConnection) -> RedisResult<Value> {
        match redis::cmd("ROLE").query_async(commands).await {
            // A user who may not ask was answered all the same.
            Err(error) if fault::is_denied(&error) => Ok(Value::Nil),
            answer => answer,
        }
    }

    /// Looks at the server's flags, which it forgets when it restarts, and adds what is missing if it may.
    async fn check_flags(&self, connection: &mut MultiplexedConnection) {
        const NAME: &str = "notify-keyspace-events";
        // Pairs in RESP2, a map in RESP3; the client reads either.
        let found: RedisResult<HashMap<String, String>> = redis::cmd("CONFIG")
            .arg("GET")
            .arg(NAME)
            .query_async(connection)
            .await;
        let result = match (found, self.flags) {
            (Ok(found), flags) => {
                let present = found.get(NAME).map_or("", String::as_str);
                match (missing(present), flags) {
                    ("", _) => return,
                    (missing, Flags::Leave) => {
                        tracing::warn!(endpoint = %self.endpoint, missing, "{NAME} lacks flags and is left alone");
                        return;
                    }
                    (missing, Flags::Add) => {
                        let flags = format!("{present}{missing}");
                        redis::cmd("CONFIG")
                            .arg("SET")
                            .arg(NAME)
                            .arg(flags)
                            .query_async::<()>(connection)
                            .await
                    }
                }
            }
            (Err(error), _) => Err(error),
        };
        if let Err(error) = result {
            tracing::warn!(
                endpoint = %self.endpoint, %error,
                "{NAME} could not be checked; set it to `Ex` on the server to have notifications as well"
            );
        }
    }
}

/// The flags to add to those present, so that expirations are told of.
fn missing(present: &str) -> &'static str {
    let expirations = present.contains('x') || present.contains('A');
    match (present.contains('E'), expirations) {
        (true, true) => "",
        (true, false) => "x",
        (false, true) => "E",
        (false, false) => "Ex",
    }
}

fn is_replica(role: &Value) -> bool {
    matches!(role, Value::Array(parts) if matches!(parts.first(), Some(Value::BulkString(name)) if name == b"slave"))
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn flags_are_only_added_to() {
        for (present, added) in [
            ("", "Ex"),
            ("Kg", "Ex"),
            ("xE", ""),
            ("AKE", ""),
            ("AK", "E"),
            ("KEg", "x"),
        ] {
            assert_eq!(missing(present), added, "{present}");
        }
    }
}
