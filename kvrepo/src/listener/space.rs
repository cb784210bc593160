//! A keyspace as the listener sees it: what wakes its reaper, and who hears its events.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, broadcast, watch};

use crate::backend::{Keyspace, LogEntry, Position};
use crate::telemetry::Telemetry;

/// How many events wait in memory for the slowest subscriber; it reads those that it missed from the log.
const FEED: usize = 1024;
/// How many ids that the server named wait for the reaper; beyond, everything is looked at instead.
const WAITING: usize = 65_536;

/// What subscribers are handed.
#[derive(Debug, Clone)]
pub(super) enum Fed {
    Event(Arc<LogEntry>),
    /// Events between these two positions were dropped before anybody here could read them.
    Lost {
        from: Position,
        to: Position,
    },
}

#[derive(Debug)]
pub(crate) struct Space {
    keyspace: Arc<Keyspace>,
    telemetry: Arc<Telemetry>,
    wake: Notify,
    /// Ids that the server named as expired.
    named: Mutex<Vec<String>>,
    /// Ids whose entity the server said it has evicted.
    evicted: Mutex<Vec<String>>,
    /// Whether to look at everything: something may have been missed.
    everything: AtomicBool,
    /// Ids that a reader met without their entity.
    suspects: Mutex<Vec<String>>,
    /// When the reaper will look again, in milliseconds since `epoch`.
    planned: AtomicU64,
    epoch: Instant,
    feed: broadcast::Sender<Fed>,
    /// How far the follower has read; `None` while nobody has asked.
    tail: Mutex<Option<Position>>,
    /// Rung when there may be something for groups to read; holds how often time may have moved.
    bell: watch::Sender<u64>,
    /// How far the log has been watched for groups.
    watched: Mutex<Position>,
}

impl Space {
    pub(super) fn new(keyspace: Arc<Keyspace>, telemetry: Arc<Telemetry>) -> Self {
        Self {
            keyspace,
            telemetry,
            wake: Notify::new(),
            named: Mutex::default(),
            evicted: Mutex::default(),
            everything: AtomicBool::new(false),
            suspects: Mutex::default(),
            planned: AtomicU64::new(u64::MAX),
            epoch: Instant::now(),
            feed: broadcast::Sender::new(FEED),
            tail: Mutex::new(None),
            bell: watch::Sender::new(0),
            watched: Mutex::default(),
        }
    }

    pub(crate) fn keyspace(&self) -> &Arc<Keyspace> {
        &self.keyspace
    }

    pub(crate) fn telemetry(&self) -> &Telemetry {
        &self.telemetry
    }

    /// Tells of a deadline that was just set, so that the reaper does not sleep past it.
    pub(crate) fn expires_in(&self, remaining: Duration) {
        if self.since_epoch(remaining) < self.planned.load(Ordering::Relaxed) {
            self.wake();
        }
    }

    pub(super) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Until somebody wakes the reaper. A wake while nobody waits is kept for the next who does.
    pub(super) async fn woken(&self) {
        self.wake.notified().await;
    }

    /// Until then the reaper sleeps; `None` says that it is awake, and will see every deadline by itself.
    pub(super) fn plan(&self, sleep: Option<Duration>) {
        // While it is awake every new deadline wakes it once more: whether it has been seen is not known.
        let planned = sleep.map_or(u64::MAX, |sleep| self.since_epoch(sleep));
        self.planned.store(planned, Ordering::Relaxed);
    }

    fn since_epoch(&self, later: Duration) -> u64 {
        u64::try_from((self.epoch.elapsed() + later).as_millis()).unwrap_or(u64::MAX - 1)
    }

    /// Takes note of an id that the server said has expired.
    pub(super) fn expired(&self, id: &str) {
        let mut named = lock(&self.named);
        if named.len() < WAITING {
            named.push(id.to_owned());
        } else {
            self.everything.store(true, Ordering::Relaxed);
        }
        drop(named);
        self.wake();
    }

    /// Takes note of an id whose entity the server said it has evicted.
    pub(super) fn evicted(&self, id: &str) {
        let mut evicted = lock(&self.evicted);
        if evicted.len() < WAITING {
            evicted.push(id.to_owned());
        } else {
            self.everything.store(true, Ordering::Relaxed);
        }
        drop(evicted);
        self.wake();
    }

    /// The ids whose entities were evicted.
    pub(super) fn take_evicted(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.evicted))
    }

    /// Up to `limit` of the ids that were named.
    pub(super) fn take_named(&self, limit: usize) -> Vec<String> {
        let mut named = lock(&self.named);
        let from = named.len().saturating_sub(limit);
        named.split_off(from)
    }

    /// Takes note of ids that a reader met without their entity.
    pub(crate) fn suspect(&self, ids: Vec<String>) {
        let mut suspects = lock(&self.suspects);
        let room = WAITING.saturating_sub(suspects.len());
        // Who does not fit is met again.
        suspects.extend(ids.into_iter().take(room));
    }

    /// The ids that readers met without their entity.
    pub(super) fn take_suspects(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.suspects))
    }

    /// Puts ids back that could not be seen to.
    pub(super) fn put_back(&self, ids: Vec<String>) {
        lock(&self.named).extend(ids);
    }

    /// Has everything looked at: by the reaper, and by the readers of groups.
    pub(super) fn look_everywhere(&self) {
        self.everything.store(true, Ordering::Relaxed);
        self.wake();
        self.bell.send_modify(|moved| *moved += 1);
    }

    /// Whether to look at everything; asking forgets it.
    pub(super) fn take_everything(&self) -> bool {
        self.everything.swap(false, Ordering::Relaxed)
    }

    pub(super) fn subscribe(&self) -> broadcast::Receiver<Fed> {
        self.feed.subscribe()
    }

    /// Has the log followed from this position on, unless it is already; says whether that is new.
    pub(super) fn follow_from(&self, position: Position) -> bool {
        let mut tail = lock(&self.tail);
        let new = tail.is_none();
        tail.get_or_insert(position);
        new
    }

    /// How far the log was followed; `None` if nobody listens (any more).
    pub(super) fn tail(&self) -> Option<Position> {
        let mut tail = lock(&self.tail);
        if self.feed.receiver_count() == 0 {
            *tail = None;
        }
        *tail
    }

    /// Hands an event to all subscribers.
    pub(super) fn publish(&self, entry: LogEntry) {
        if let Some(tail) = &mut *lock(&self.tail) {
            *tail = entry.position;
        }
        // Nobody left to hear it is no error: the next to come reads the log.
        let _ = self.feed.send(Fed::Event(Arc::new(entry)));
    }

    /// Rings whenever there may be something for groups to read.
    pub(super) fn bell(&self) -> watch::Receiver<u64> {
        self.bell.subscribe()
    }

    pub(super) fn ring(&self) {
        self.bell.send_modify(|_| {});
    }

    /// How far the log has been watched for groups; `None` if there are none.
    pub(super) fn watched(&self) -> Option<Position> {
        (self.bell.receiver_count() > 0).then(|| *lock(&self.watched))
    }

    /// What stands up to there has been rung for.
    pub(super) fn set_watched(&self, position: Position) {
        *lock(&self.watched) = position;
    }

    /// Tells all subscribers that events were dropped unread.
    pub(super) fn publish_loss(&self, from: Position, to: Position) {
        if let Some(tail) = &mut *lock(&self.tail) {
            *tail = to;
        }
        let _ = self.feed.send(Fed::Lost { from, to });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
