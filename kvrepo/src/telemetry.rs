//! What a store counts of its own doings. Each is said once, where it happens, and is from there in the numbers of
//! `Health`, in a `tracing` event, and, with the feature `metrics`, in the metrics facade.
//!
//! Nothing said here holds an id, a value, a URL or a secret. The page `docs/observing.md` has the names.

mod clock;
mod metric;
#[cfg(all(test, feature = "metrics"))]
mod tests;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use self::clock::ServerClock;

/// What led to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The deadline index said that the entity was due.
    Deadline,
    /// The server named the entity, and the deadline index did not have it.
    Notification,
    /// Neither did; it was met by looking at all ids.
    Search,
}

impl Cause {
    fn name(self) -> &'static str {
        match self {
            Self::Deadline => "deadline",
            Self::Notification => "notification",
            Self::Search => "search",
        }
    }
}

/// What one store counts.
#[derive(Debug)]
pub(crate) struct Telemetry {
    counters: Counters,
    /// Of the last event that was delivered, in microseconds; [`UNKNOWN`] before the first.
    lag: AtomicU64,
    clock: ServerClock,
    own_clock: OwnClock,
}

#[derive(Debug, Default)]
struct Counters {
    by_deadline: AtomicU64,
    by_notification: AtomicU64,
    by_search: AtomicU64,
    gaps: AtomicU64,
    orphans: AtomicU64,
    handler_failures: AtomicU64,
    redeliveries: AtomicU64,
    parked: AtomicU64,
}

/// A lag that is not known.
const UNKNOWN: u64 = u64::MAX;

/// What has been counted up to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) by_deadline: u64,
    pub(crate) by_notification: u64,
    pub(crate) by_search: u64,
    pub(crate) lag: Option<Duration>,
    pub(crate) gaps: u64,
    pub(crate) orphans: u64,
    pub(crate) handler_failures: u64,
    pub(crate) redeliveries: u64,
    pub(crate) parked: u64,
}

impl Telemetry {
    /// `own_clock` tells the backend's time in milliseconds since 1970, where that can be told without asking a server;
    /// where not, it is estimated from what the server says with each look at what is due.
    pub(crate) fn new(own_clock: impl Fn() -> Option<u64> + Send + Sync + 'static) -> Self {
        metric::describe();
        Self {
            counters: Counters::default(),
            lag: AtomicU64::new(UNKNOWN),
            clock: ServerClock::new(),
            own_clock: OwnClock(Box::new(own_clock)),
        }
    }

    /// Expired entities became events.
    pub(crate) fn reaped(&self, keyspace: &str, events: u64, cause: Cause) {
        if events == 0 {
            return;
        }
        let counter = match cause {
            Cause::Deadline => &self.counters.by_deadline,
            Cause::Notification => &self.counters.by_notification,
            Cause::Search => &self.counters.by_search,
        };
        counter.fetch_add(events, Ordering::Relaxed);
        let trigger = cause.name();
        tracing::debug!(keyspace, events, trigger, "reaped");
        metric::REAPED.count(&[keyspace, trigger], events);
    }

    /// So many entities are due after this process has reaped some: more than one step takes.
    pub(crate) fn due(&self, keyspace: &str, entities: u64) {
        metric::DUE.set(&[keyspace], entities);
    }

    /// The server's clock said this, in milliseconds since 1970, at some time after it was asked.
    pub(crate) fn server_said(&self, now: u64, asked: Instant) {
        self.clock.heard(now, asked, Instant::now());
    }

    /// A subscriber was handed the event of an entity with this deadline, in milliseconds since 1970 by the server's clock.
    pub(crate) fn delivered(&self, keyspace: &str, deadline: u64) {
        let labels = [keyspace];
        metric::DELIVERED.count(&labels, 1);
        let own = || Some((self.own_clock.0)()?.saturating_mul(1000));
        let Some(now) = own().or_else(|| self.clock.now()) else {
            tracing::trace!(keyspace, "delivered");
            return;
        };
        let lag = now.saturating_sub(deadline.saturating_mul(1000));
        self.lag.store(lag, Ordering::Relaxed);
        let seconds = Duration::from_micros(lag).as_secs_f64();
        tracing::trace!(keyspace, lag = seconds, "delivered");
        metric::LAG.record(&labels, seconds);
    }

    /// Ids were looked at whose entity was gone: of some it had expired after all, and they became events; the others were
    /// cleaned up after, since it was evicted, or deleted by another client.
    pub(crate) fn repaired(&self, keyspace: &str, events: u64, orphans: u64) {
        self.reaped(keyspace, events, Cause::Search);
        if orphans == 0 {
            return;
        }
        self.counters.orphans.fetch_add(orphans, Ordering::Relaxed);
        tracing::debug!(keyspace, orphans, "repaired");
        metric::ORPHANS.count(&[keyspace], orphans);
    }

    /// A subscriber was told that events are lost to it.
    pub(crate) fn gap(&self, keyspace: &str) {
        self.counters.gaps.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(
            keyspace,
            "events were dropped from the log before a subscriber had read them"
        );
        metric::GAPS.count(&[keyspace], 1);
    }

    /// What is read now.
    pub(crate) fn counts(&self) -> Counts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let lag = Some(read(&self.lag)).filter(|lag| *lag != UNKNOWN);
        Counts {
            by_deadline: read(&self.counters.by_deadline),
            by_notification: read(&self.counters.by_notification),
            by_search: read(&self.counters.by_search),
            lag: lag.map(Duration::from_micros),
            gaps: read(&self.counters.gaps),
            orphans: read(&self.counters.orphans),
            handler_failures: read(&self.counters.handler_failures),
            redeliveries: read(&self.counters.redeliveries),
            parked: read(&self.counters.parked),
        }
    }
}

/// What groups and handlers say.
impl Telemetry {
    /// A handler returned an error, or panicked. What it was is logged where it is known.
    pub(crate) fn handler_failed(&self, keyspace: &str) {
        self.counters.handler_failures.fetch_add(1, Ordering::Relaxed);
        metric::HANDLER_FAILURES.count(&[keyspace], 1);
    }

    /// An event came to a consumer of a group that had been another's, or its own, before.
    pub(crate) fn redelivered(&self, keyspace: &str) {
        self.counters.redeliveries.fetch_add(1, Ordering::Relaxed);
        tracing::debug!(keyspace, "an event is delivered again");
        metric::REDELIVERIES.count(&[keyspace], 1);
    }

    /// Events were put aside, since they had been delivered too often.
    pub(crate) fn parked(&self, keyspace: &str, events: u64) {
        if events == 0 {
            return;
        }
        self.counters.parked.fetch_add(events, Ordering::Relaxed);
        tracing::warn!(keyspace, events, "events were put aside");
        metric::PARKED.count(&[keyspace], events);
    }
}

/// A connection that had broken is there again. Counted by the backend, which also says which it is.
pub(crate) fn reconnected(connection: &'static str) {
    tracing::info!(connection, "reconnected");
    metric::RECONNECTS.count(&[connection], 1);
}

/// Idle terms began anew. Counted by the backend.
pub(crate) fn renewed(keyspace: &str, entities: u64) {
    tracing::trace!(keyspace, entities, "renewed");
    metric::RENEWALS.count(&[keyspace], entities);
}

struct OwnClock(Box<dyn Fn() -> Option<u64> + Send + Sync>);

impl fmt::Debug for OwnClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnClock").field(&(self.0)()).finish()
    }
}
