//! [`Health`]: how a store is, at one moment.

use std::error::Error as _;
use std::time::Duration;

use crate::backend::{NotificationFlags, Notifications};
use crate::error::Error;
use crate::store::{KeyspaceEvents, Store};

/// For how long entities may be due before somebody should have reaped them.
const OVERDUE: Duration = Duration::from_secs(5);

/// What [`Health`] comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HealthStatus {
    /// All is as it should be.
    Healthy,
    /// Everything works, but not as well as it could; [`Health::problems`] says why.
    Degraded,
    /// The server cannot be reached.
    Down,
}

/// How a store is, as [`Store::health`] found it. What is counted is counted since the store was opened, by this
/// process and for all its keyspaces.
///
/// ```
/// use kvrepo::{HealthStatus, Store};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let health = Store::in_memory().health().await;
/// assert_eq!(health.status(), HealthStatus::Healthy, "{:?}", health.problems());
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Health {
    /// Whether the server has just answered.
    pub connected: bool,
    /// Whether the store listens for expirations.
    pub listening: bool,
    /// Whether the server's notifications come; [`Off`](Notifications::Off) if the store does not listen.
    pub notifications: Notifications,
    /// Whether the server is set to send them; [`Unseen`](NotificationFlags::Unseen) if the store does not listen.
    pub flags: NotificationFlags,
    /// Which trigger led to the events that this process has written.
    pub reaped: ReapedBy,
    /// How long after its entity's deadline the last event was handed to a subscriber of this process, by the server's
    /// clock. `None` before the first.
    pub lag: Option<Duration>,
    /// How many entities are past their deadline and not reaped, whoever is to do it. `None` if that could not be asked.
    pub due: Option<u64>,
    /// For how long the first of these has been due; `None` if none is, or that could not be asked.
    pub longest_due: Option<Duration>,
    /// How many connections had broken and were made again.
    pub reconnects: u64,
    /// How often a subscriber was told that events were dropped before it had read them.
    pub gaps: u64,
    /// How many ids were cleaned up after whose entity was evicted, or deleted by another client.
    pub orphans_repaired: u64,
    /// How many idle terms began anew.
    pub idle_renewals: u64,
    /// How many events had a handler that returned an error, or panicked.
    pub handler_failures: u64,
    /// How many events of groups were handed out again.
    pub redeliveries: u64,
    /// How many events of groups were put aside, since they had been handed out too often.
    pub parked: u64,
    /// When the store was set to listen.
    events: KeyspaceEvents,
    /// Why the server did not answer.
    fault: Option<String>,
}

/// By what the events were triggered that this process has written.
///
/// Notifications wake the reaper for entities that kvrepo has written as well; these are due by the deadline index, and
/// count there. An expired entity whose id was saved or deleted before anybody had reaped it counts nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ReapedBy {
    /// The deadline had come.
    pub deadline: u64,
    /// The server named an entity that was not due by the deadline index: another client has set its term.
    pub notification: u64,
    /// It was found by looking at all ids, after something may have been missed.
    pub search: u64,
}

impl Health {
    /// [`Down`](HealthStatus::Down) if the server cannot be reached, else [`Degraded`](HealthStatus::Degraded) if there
    /// are [`problems`](Self::problems).
    #[must_use]
    pub fn status(&self) -> HealthStatus {
        match (self.connected, self.problems().is_empty()) {
            (false, _) => HealthStatus::Down,
            (true, false) => HealthStatus::Degraded,
            (true, true) => HealthStatus::Healthy,
        }
    }

    /// What is wrong, and what to do about it, in sentences.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        if let Some(fault) = &self.fault {
            return vec![format!(
                "the server cannot be reached ({fault}); calls fail until it can, and each of them tries to connect"
            )];
        }
        let mut problems = Vec::new();
        if self.events == KeyspaceEvents::OnStartup && !self.listening {
            problems.push(
                "the store was to listen from the start and does not; subscribe, or save something with a term"
                    .into(),
            );
        }
        problems.extend(self.without_notifications());
        if self.due.is_none() {
            problems.push(
                "the server did not say what waits to be reaped; see to it that this user may run scripts"
                    .into(),
            );
        }
        if let Some(longest) = self.longest_due.filter(|longest| *longest > OVERDUE)
            && self.events != KeyspaceEvents::Off
        {
            problems.push(format!(
                "{} entities are past their deadline and not reaped, the first of them for {} s; {}",
                self.due.unwrap_or_default(),
                longest.as_secs(),
                if self.listening {
                    "look into the log for why reaping fails or what holds it up"
                } else {
                    "let some process listen, or call `sweep`"
                }
            ));
        }
        problems
    }

    /// Why what other clients write is heard of late, if it is.
    fn without_notifications(&self) -> Option<String> {
        const ALONE: &str = "events come by the deadline index alone, and those of entities that other clients wrote come late";
        match (self.notifications, self.flags) {
            (Notifications::Refused, _) => Some(format!(
                "this user may not subscribe; {ALONE}; allow `SUBSCRIBE` and the channel `__keyevent@<database>__:expired`"
            )),
            (Notifications::Down, _) => Some(format!(
                "the connection for notifications is lost and is being made again; until then {ALONE}"
            )),
            (Notifications::Active, NotificationFlags::Lacking(flags)) => Some(format!(
                "`notify-keyspace-events` lacks `{flags}`; {ALONE}; set it on the server, in its configuration file, since \
                 it is forgotten with a restart otherwise"
            )),
            (Notifications::Active, NotificationFlags::Unverified) => Some(
                "`notify-keyspace-events` could not be looked at, and no notification has come yet; see to it that it has \
                 `Ex` on the server, or let this user use `CONFIG GET` and `CONFIG SET`"
                    .into(),
            ),
            _ => None,
        }
    }
}

impl Store {
    /// How the store is: whether the server answers, what its notifications do, what waits to be reaped, and what has
    /// been counted. Never fails; what cannot be found out is a problem that [`Health::problems`] names.
    ///
    /// It costs two round trips at a time, and takes as long as a call may if the server is away
    /// ([`StoreBuilder::call_deadline`](crate::StoreBuilder::call_deadline)).
    pub async fn health(&self) -> Health {
        let backend = self.backend();
        let keyspaces = self.listener().keyspaces();
        let (answer, due) = tokio::join!(backend.ping(), backend.due(&keyspaces));
        let status = backend.status();
        let counts = self.telemetry().counts();
        let listening = self.listener().is_running();
        Health {
            connected: answer.is_ok(),
            listening,
            // A backend that is shared may be listened to by others.
            notifications: if listening {
                status.notifications
            } else {
                Notifications::Off
            },
            flags: if listening {
                status.flags
            } else {
                NotificationFlags::Unseen
            },
            reaped: ReapedBy {
                deadline: counts.by_deadline,
                notification: counts.by_notification,
                search: counts.by_search,
            },
            lag: counts.lag,
            due: due.as_ref().ok().map(|due| due.entities),
            longest_due: due.ok().and_then(|due| due.longest),
            reconnects: status.reconnects,
            gaps: counts.gaps,
            orphans_repaired: counts.orphans,
            idle_renewals: status.renewals,
            handler_failures: counts.handler_failures,
            redeliveries: counts.redeliveries,
            parked: counts.parked,
            events: self.events(),
            fault: answer.err().map(|error| cause(&error)),
        }
    }
}

/// What is behind an error, in one line: its own text says little more than what was being done.
fn cause(error: &Error) -> String {
    error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string)
}
