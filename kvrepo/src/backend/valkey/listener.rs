//! Keyspace notifications: a connection of their own, subscribed as long as the store listens.
//!
//! Each time it is up (again), whatever may have been missed is looked for. A listener that may not subscribe is
//! no error: the deadline index triggers every event as well.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{RedisError, RedisResult};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::endpoint::Endpoint;
use super::fault;
use super::notification::{Notifications, Told};
use super::server::Hello;
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
/// How long after the server has refused a subscription it is asked again: users are given rights seldom.
const REFUSED: Duration = Duration::from_secs(60);

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
    Refused,
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
            told: None,
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
    /// The last warning: the same is not said again at each reconnect.
    told: Option<String>,
}

/// How a connection's life ended.
enum End {
    Closed,
    /// The server would not let us subscribe.
    Refused(RedisError),
}

impl Listener {
    async fn run(mut self) {
        let mut backoff = FIRST_BACKOFF;
        loop {
            match self.session(&mut backoff).await {
                Ok(End::Closed) => {
                    tracing::debug!(endpoint = %self.endpoint, "notifications: the server closed the connection");
                }
                Ok(End::Refused(error)) => {
                    let channel = self.channel();
                    self.warn(format!(
                        "subscribing to `{channel}` was refused ({error}), so events come by the deadline index \
                         alone; allow `subscribe` and that channel to have notifications as well"
                    ));
                    self.stage.send_replace(Stage::Refused);
                    sleep(REFUSED).await;
                    continue;
                }
                Err(error) => {
                    tracing::debug!(endpoint = %self.endpoint, %error, "notifications: connection lost");
                }
            }
            sleep(backoff).await;
            backoff = (backoff * 2).min(LAST_BACKOFF);
        }
    }

    fn channel(&self) -> String {
        format!("__keyevent@{}__:expired", self.endpoint.database())
    }

    /// Says what is missing, and what to do, until something else is.
    fn warn(&mut self, what: String) {
        if self.told.as_ref() == Some(&what) {
            tracing::debug!(endpoint = %self.endpoint, "notifications: as before, {what}");
        } else {
            tracing::warn!(endpoint = %self.endpoint, "notifications: {what}");
            self.told = Some(what);
        }
    }

    /// One connection's life.
    async fn session(&mut self, backoff: &mut Duration) -> RedisResult<End> {
        let era = self.endpoint.era();
        let mut notifications = Notifications::open(&self.endpoint, PROBE_TIMEOUT).await?;
        match notifications.subscribe(&self.channel(), PROBE_TIMEOUT).await {
            Err(error) if fault::is_reply(&error) => return Ok(End::Refused(error)),
            subscribed => subscribed?,
        }
        *backoff = FIRST_BACKOFF;
        // Without a subscription nobody would hear what the flags bring about, and they stay as they are.
        self.check_flags(&mut notifications.commands).await;
        self.stage.send_replace(Stage::Listening);
        // Only now, so that nothing can fall between the look and the subscription.
        self.sink.trigger(Trigger::Everything);

        let mut probe = interval(PROBE);
        probe.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                told = notifications.next() => match told {
                    Told::Expired(key) => self.sink.trigger(Trigger::Expired(&key)),
                    Told::Closed => return Ok(End::Closed),
                    Told::Lost => {
                        tracing::warn!(endpoint = %self.endpoint, "notifications: more than can wait; looking everywhere");
                        self.sink.trigger(Trigger::Everything);
                    }
                },
                _ = probe.tick() => {
                    if Hello::ask(&mut notifications.commands).await?.is_replica() {
                        self.endpoint.leave(era);
                        return Err(fault::demoted());
                    }
                }
            }
        }
    }

    /// Looks at the server's flags, which it forgets when it restarts, and adds what is missing if it may.
    async fn check_flags(&mut self, connection: &mut MultiplexedConnection) {
        match flags(connection, self.flags).await {
            Ok("") => self.told = None,
            Ok(missing) => self.warn(format!(
                "`{NAME}` lacks `{missing}` and is left alone, so events come by the deadline index alone"
            )),
            Err(error) => self.warn(format!(
                "`{NAME}` could not be checked ({error}); it should hold `Ex`, else events come by the deadline index \
                 alone"
            )),
        }
    }
}

const NAME: &str = "notify-keyspace-events";

/// Looks at the server's flags, and adds what is missing if that is wanted; else says what is.
async fn flags(connection: &mut MultiplexedConnection, wanted: Flags) -> RedisResult<&'static str> {
    // Pairs in RESP2, a map in RESP3; the client reads either.
    let found: HashMap<String, String> = redis::cmd("CONFIG")
        .arg("GET")
        .arg(NAME)
        .query_async(connection)
        .await?;
    let present = found.get(NAME).map_or("", String::as_str);
    let missing = missing(present);
    if missing.is_empty() || wanted == Flags::Leave {
        return Ok(missing);
    }
    let added = format!("{present}{missing}");
    redis::cmd("CONFIG")
        .arg("SET")
        .arg(NAME)
        .arg(added)
        .query_async::<()>(connection)
        .await?;
    Ok("")
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
