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
use crate::backend::status::Board;
use crate::backend::{Guard, NotificationFlags, Notifications as State, Trigger, TriggerSink};
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
const REFUSED: Duration = Duration::from_secs(10);

/// The server's setting of what it tells of.
const NAME: &str = "notify-keyspace-events";

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
pub(super) async fn start(
    endpoint: Endpoint,
    flags: Flags,
    sink: Arc<dyn TriggerSink>,
    board: Arc<Board>,
) -> Result<Guard> {
    let deadline = endpoint.deadline;
    let over = Over(Arc::clone(&board));
    board.notifications(State::Down);
    let (stage, mut reached) = watch::channel(Stage::Connecting);
    let task = AbortOnDrop::from(tokio::spawn(
        Listener {
            endpoint,
            flags,
            sink,
            stage,
            board,
            connected: false,
            told: None,
        }
        .run(),
    ));
    // The task goes on while this waits, and outlives it only with the guard.
    match timeout(deadline, reached.wait_for(|stage| *stage != Stage::Connecting)).await {
        Ok(_) => Ok(Box::new((task, over))),
        Err(_) => Err(Error::Timeout {
            operation: "subscribe",
            after: deadline,
            outcome: Outcome::NotExecuted,
        }),
    }
}

/// Says that nobody listens any more.
#[derive(Debug)]
struct Over(Arc<Board>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.notifications(State::Off);
        self.0.flags(NotificationFlags::Unseen);
    }
}

#[derive(Debug)]
struct Listener {
    endpoint: Endpoint,
    flags: Flags,
    sink: Arc<dyn TriggerSink>,
    stage: watch::Sender<Stage>,
    board: Arc<Board>,
    /// Whether there was a connection before.
    connected: bool,
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
                    self.board.notifications(State::Down);
                    tracing::debug!(endpoint = %self.endpoint, "notifications: the server closed the connection");
                }
                Ok(End::Refused(error)) => {
                    self.board.notifications(State::Refused);
                    let channel = self.channel("expired");
                    self.warn(format!(
                        "subscribing to `{channel}` was refused ({error}), so events come by the deadline index \
                         alone; allow `subscribe` and that channel to have notifications as well"
                    ));
                    self.stage.send_replace(Stage::Refused);
                    sleep(REFUSED).await;
                    continue;
                }
                Err(error) => {
                    self.board.notifications(State::Down);
                    tracing::debug!(endpoint = %self.endpoint, %error, "notifications: connection lost");
                }
            }
            sleep(backoff).await;
            backoff = (backoff * 2).min(LAST_BACKOFF);
        }
    }

    /// The channel of a kind of event.
    fn channel(&self, event: &str) -> String {
        format!("__keyevent@{}__:{event}", self.endpoint.database())
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
        match notifications
            .subscribe(&self.channel("expired"), PROBE_TIMEOUT)
            .await
        {
            Err(error) if fault::is_reply(&error) => return Ok(End::Refused(error)),
            subscribed => subscribed?,
        }
        match notifications
            .subscribe(&self.channel("evicted"), PROBE_TIMEOUT)
            .await
        {
            // What was evicted is then found when somebody meets it.
            Err(error) if fault::is_reply(&error) => {
                tracing::debug!(endpoint = %self.endpoint, %error, "notifications: none of evictions");
            }
            subscribed => subscribed?,
        }
        *backoff = FIRST_BACKOFF;
        // Without a subscription nobody would hear what the flags bring about, and they stay as they are.
        let flags = self.check_flags(&mut notifications.commands).await;
        let mut proved = flags == NotificationFlags::Sufficient;
        self.board.notifications(State::Active);
        if std::mem::replace(&mut self.connected, true) {
            self.board.reconnected("notifications");
        }
        self.stage.send_replace(Stage::Listening);
        // Only now, so that nothing can fall between the look and the subscription.
        self.sink.trigger(Trigger::Everything);

        let mut probe = interval(PROBE);
        probe.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                told = notifications.next() => match told {
                    Told::Expired(key) => {
                        self.sink.trigger(Trigger::Expired(&key));
                        // Whatever could be found out about the flags, they are as they have to be.
                        if !std::mem::replace(&mut proved, true) {
                            self.board.flags(NotificationFlags::Sufficient);
                        }
                    }
                    Told::Evicted(key) => self.sink.trigger(Trigger::Evicted(&key)),
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
    async fn check_flags(&mut self, connection: &mut MultiplexedConnection) -> NotificationFlags {
        let (flags, refusal) = look_at_flags(connection, self.flags).await;
        self.board.flags(flags);
        match (flags, refusal) {
            (_, Some(error)) => self.warn(format!(
                "`{NAME}` could not be checked ({error}); it should hold `Ex`, else events come by the deadline index \
                 alone"
            )),
            (NotificationFlags::Lacking(missing), None) => self.warn(format!(
                "`{NAME}` lacks `{missing}` and is left alone, so events come by the deadline index alone"
            )),
            _ => self.told = None,
        }
        flags
    }
}

/// Looks at the server's flags, and adds what is missing if that is wanted: what they are in the end, and what the server had
/// against it.
async fn look_at_flags(
    connection: &mut MultiplexedConnection,
    wanted: Flags,
) -> (NotificationFlags, Option<RedisError>) {
    // Pairs in RESP2, a map in RESP3; the client reads either.
    let found: RedisResult<HashMap<String, String>> = redis::cmd("CONFIG")
        .arg("GET")
        .arg(NAME)
        .query_async(connection)
        .await;
    let present = match &found {
        Ok(found) => found.get(NAME).map_or("", String::as_str),
        Err(_) => return (NotificationFlags::Unverified, found.err()),
    };
    let missing = missing(present);
    // Good to have, but nothing that an event could be late for.
    let evictions = if present.contains(['A', 'e']) { "" } else { "e" };
    let state = match missing {
        "" => NotificationFlags::Sufficient,
        missing => NotificationFlags::Lacking(missing),
    };
    if wanted == Flags::Leave || (missing.is_empty() && evictions.is_empty()) {
        return (state, None);
    }
    let added = redis::cmd("CONFIG")
        .arg("SET")
        .arg(NAME)
        .arg(format!("{present}{missing}{evictions}"))
        .query_async::<()>(connection)
        .await;
    match added {
        Ok(()) => (NotificationFlags::Sufficient, None),
        Err(_) if missing.is_empty() => (state, None),
        Err(error) => (state, Some(error)),
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
