//! The backend without a server: the same semantics to the letter, on a clock that a test can move.
//!
//! An entity that has expired stays where it is until it is reaped, invisible to every call; until its grace is
//! over it serves as its own phantom.

mod clock;
mod geo;
mod group;
mod inspection;
mod log;
mod search;
mod space;
mod tracking;

pub use clock::ManualClock;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Notify;

use self::clock::Clock;
use self::space::{Content, Expiry, Space};
use self::tracking::{Reads, Sinks};
use super::status::Board;
use super::{
    Backend, BackendStatus, Change, Delete, Due, Guard, Inspect, Inspected, InvalidationSink, Keyspace,
    Loaded, LogEntry, LogPage, NotificationFlags, Notifications, Place, Plan, Position, Read, Reap, Reaped,
    Repaired, Saved, ScanPage, Select, Selected, TimeToLive, TrackedReads, Trigger, TriggerSink, Update,
    Write, WriteTerm, apply, index,
};
use crate::error::Result;

/// How many events one look at the log returns.
const EVENTS: usize = 512;

/// The state of one in-memory store.
///
/// [`Store::in_memory`](crate::Store::in_memory) makes its own. One made here can be handed to several stores, which
/// then share their entities as processes share a server.
#[derive(Debug)]
pub struct Memory {
    clock: Clock,
    /// Never held across an await, and by no caller for longer than one step: the steps are atomic through it.
    spaces: Mutex<HashMap<String, Space>>,
    /// Told when an event has been written.
    written: Notify,
    board: Board,
    sinks: Sinks,
}

impl Memory {
    /// Without entities; on the system's clock, or on one that a test moves.
    #[must_use]
    pub fn new(clock: Option<ManualClock>) -> Self {
        Self {
            clock: Clock::new(clock),
            spaces: Mutex::default(),
            written: Notify::new(),
            board: Board::default(),
            sinks: Sinks::default(),
        }
    }

    fn spaces(&self) -> MutexGuard<'_, HashMap<String, Space>> {
        // A panic between two changes of a step is impossible: no step calls foreign code.
        self.spaces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one atomic step on a keyspace, tells of what it has changed, and wakes the readers if it has written events.
    fn step<R>(&self, keyspace: &Keyspace, step: impl FnOnce(&mut Space, u64) -> R) -> R {
        let mut spaces = self.spaces();
        let space = spaces.entry(keyspace.base().to_owned()).or_default();
        let before = space.log.end();
        let result = step(space, self.clock.now());
        // Within the step: whoever comes after it finds nothing of what was before.
        self.sinks.tell(keyspace, space.changed.drain(..));
        if space.log.end() != before {
            self.written.notify_waiters();
        }
        result
    }

    fn renew(&self, keyspace: &Keyspace, space: &mut Space, id: &str, now: u64) {
        let renewed = space.renew(keyspace, id, now);
        self.board.renewed(keyspace.name(), renewed.into());
    }

    fn expiry(keyspace: &Keyspace, term: WriteTerm, now: u64) -> Result<Expiry> {
        let (deadline, idle) = match term {
            WriteTerm::Persistent => (None, None),
            WriteTerm::After(ms) => (Some(now.saturating_add(ms)), None),
            WriteTerm::Idle(ms) => (Some(now.saturating_add(ms)), Some(ms)),
            WriteTerm::At(deadline) if deadline <= now => {
                return Err(keyspace.deadline_passed(deadline));
            }
            WriteTerm::At(deadline) => (Some(deadline), None),
        };
        Ok(Expiry { deadline, idle })
    }

    fn save_one(keyspace: &Keyspace, write: &Write, space: &mut Space, now: u64) -> Result<Saved> {
        space.demand(keyspace, &write.id, write.condition.as_ref(), now)?;
        space.demand_unique(keyspace, &write.id, &write.entries, now)?;
        let kept = space
            .living(&write.id, now)
            .filter(|_| write.keep)
            .map(|entity| entity.expiry());
        let expiry = kept.map_or_else(|| Self::expiry(keyspace, write.term, now), Ok)?;
        let created = space.save(keyspace, &write.id, write.into(), expiry, now);
        Ok(Saved::new(created, expiry.deadline, now))
    }

    fn update_one(
        keyspace: &Keyspace,
        update: &Update,
        space: &mut Space,
        now: u64,
    ) -> Result<Option<Saved>> {
        space.demand(keyspace, &update.id, update.condition.as_ref(), now)?;
        let Some(entity) = space.living(&update.id, now) else {
            return Ok(None);
        };
        let count_on = update.version_path.map(|path| Change::Add {
            place: Place::new(path.to_owned(), Vec::new(), Vec::new()),
            by: 1,
            min: 0,
            max: u64::MAX.into(),
        });
        let record = apply(&entity.content.record, update.changes.iter().chain(&count_on))
            .map_err(|refusal| keyspace.refused(refusal))?;
        let mut entries = entity.content.entries.clone();
        if !update.changes.is_empty() {
            // As on a server, what somebody else indexed stays.
            let derived = |record: &_| {
                index::entries(keyspace.indexes(), record).map_err(|misfit| keyspace.misfit(misfit))
            };
            let (before, after) = (derived(&entity.content.record)?, derived(&record)?);
            let ours = |entry: &_| before.binary_search(entry).is_ok() || after.binary_search(entry).is_ok();
            entries.retain(|entry| !ours(entry));
            entries.extend(after);
            space.demand_unique(keyspace, &update.id, &entries, now)?;
        }
        let expiry = update
            .term
            .map_or(Ok(entity.expiry()), |term| Self::expiry(keyspace, term, now))?;
        space.save(keyspace, &update.id, Content { record, entries }, expiry, now);
        Ok(Some(Saved::new(false, expiry.deadline, now)))
    }

    fn delete_one(keyspace: &Keyspace, delete: &Delete, space: &mut Space, now: u64) -> Result<bool> {
        space.demand(keyspace, &delete.id, delete.condition.as_ref(), now)?;
        Ok(space.delete(&delete.id, now))
    }
}

#[async_trait]
impl Backend for Memory {
    async fn save(&self, keyspace: &Keyspace, writes: &[Write]) -> Result<Vec<Result<Saved>>> {
        let save = |write| self.step(keyspace, |space, now| Self::save_one(keyspace, write, space, now));
        Ok(writes.iter().map(save).collect())
    }

    async fn update(&self, keyspace: &Keyspace, updates: &[Update]) -> Result<Vec<Result<Option<Saved>>>> {
        let update = |update| {
            self.step(keyspace, |space, now| {
                Self::update_one(keyspace, update, space, now)
            })
        };
        Ok(updates.iter().map(update).collect())
    }

    async fn load(&self, keyspace: &Keyspace, ids: &[String], read: Read) -> Result<Vec<Option<Loaded>>> {
        let load = |id: &String| {
            self.step(keyspace, |space, now| {
                let loaded = space.living(id, now)?.loaded(now);
                if read.renew {
                    self.renew(keyspace, space, id, now);
                }
                Some(loaded)
            })
        };
        Ok(ids.iter().map(load).collect())
    }

    async fn exists(&self, keyspace: &Keyspace, id: &str, renew: bool) -> Result<bool> {
        Ok(self.step(keyspace, |space, now| {
            if renew {
                self.renew(keyspace, space, id, now);
            }
            space.living(id, now).is_some()
        }))
    }

    async fn time_to_live(&self, keyspace: &Keyspace, id: &str) -> Result<TimeToLive> {
        Ok(self.step(keyspace, |space, now| {
            space
                .living(id, now)
                .map_or(TimeToLive::Missing, |entity| entity.remaining(now))
        }))
    }

    async fn count(&self, keyspace: &Keyspace) -> Result<u64> {
        Ok(self.step(keyspace, |space, now| space.count(now)))
    }

    async fn select(&self, keyspace: &Keyspace, select: &Select) -> Result<Selected> {
        Ok(self.step(keyspace, |space, now| search::select(space, select, now)))
    }

    async fn delete_where(&self, keyspace: &Keyspace, plan: &Plan, ids: &[String]) -> Result<u64> {
        Ok(self.step(keyspace, |space, now| {
            let found = search::find(space, plan, now);
            let found = ids.iter().filter(|id| found.contains(*id));
            found.map(|id| u64::from(space.delete(id, now))).sum()
        }))
    }

    async fn tidy(&self, _: &Keyspace, _: &Plan, _: &[String]) -> Result<()> {
        // As with `gone`.
        Ok(())
    }

    async fn inspect(&self, keyspace: &Keyspace, inspect: &Inspect) -> Result<Inspected> {
        Ok(self.step(keyspace, |space, now| {
            inspection::look(space, keyspace, inspect, now)
        }))
    }

    async fn scan(&self, keyspace: &Keyspace, cursor: Option<&str>, count: usize) -> Result<ScanPage> {
        Ok(self.step(keyspace, |space, _| {
            let ids = space.ids_after(cursor, count.max(1));
            let next = if ids.len() < count.max(1) {
                None
            } else {
                ids.last().cloned()
            };
            ScanPage::new(ids, next)
        }))
    }

    async fn delete(&self, keyspace: &Keyspace, deletes: &[Delete]) -> Result<Vec<Result<bool>>> {
        let delete = |delete| {
            self.step(keyspace, |space, now| {
                Self::delete_one(keyspace, delete, space, now)
            })
        };
        Ok(deletes.iter().map(delete).collect())
    }

    async fn take(&self, keyspace: &Keyspace, id: &str) -> Result<Option<Loaded>> {
        Ok(self.step(keyspace, |space, now| {
            let loaded = space.living(id, now).map(|entity| entity.loaded(now));
            space.delete(id, now);
            loaded
        }))
    }

    async fn gone(&self, _: &Keyspace, _: &[String]) -> Result<Vec<String>> {
        // Nobody can take an entity away behind this backend's back.
        Ok(Vec::new())
    }

    async fn repair(&self, _: &Keyspace, _: &[String]) -> Result<Repaired> {
        Ok(Repaired::default())
    }

    async fn reap(&self, keyspace: &Keyspace, reap: &Reap) -> Result<Reaped> {
        Ok(self.step(keyspace, |space, now| {
            if let Some(lease) = &reap.lease
                && let Err(lapses) = space.lease(lease, now)
            {
                return Reaped::new(false, 0, false, Some(Duration::from_millis(lapses))).at(now);
            }
            let due = space.due(now, reap.limit);
            let events = due
                .iter()
                .chain(&reap.expired)
                .map(|id| u64::from(space.settle(id, now)))
                .sum();
            if reap.trim {
                space.log.trim(now.saturating_sub(keyspace.retention()));
            }
            let next = space.next_deadline();
            // An entity is expired once the clock is past its deadline, hence the millisecond.
            let wait = next.map(|deadline| Duration::from_millis((deadline + 1).saturating_sub(now)));
            let left = space.overdue(now);
            Reaped::new(true, events, left > 0, wait)
                .counting(0, left)
                .at(now)
        }))
    }

    async fn release(&self, keyspace: &Keyspace, token: &str) -> Result<()> {
        self.step(keyspace, |space, _| space.release(token));
        Ok(())
    }

    async fn log_end(&self, keyspace: &Keyspace) -> Result<Position> {
        Ok(self.step(keyspace, |space, now| match space.log.end() {
            Position::START => Position::before_anything_after(now),
            end => end,
        }))
    }

    async fn read_log(&self, keyspace: &Keyspace, after: Position, limit: usize) -> Result<LogPage> {
        Ok(self.step(keyspace, |space, _| space.log.read(after, limit)))
    }

    async fn follow_log(&self, tails: &[(Arc<Keyspace>, Position)]) -> Result<Vec<(usize, LogEntry)>> {
        loop {
            let mut written = std::pin::pin!(self.written.notified());
            // Enabled before looking, so that what is written in between wakes.
            written.as_mut().enable();
            let mut found = Vec::new();
            for (index, (keyspace, after)) in tails.iter().enumerate() {
                let page = self.step(keyspace, |space, _| space.log.read(*after, EVENTS));
                found.extend(page.entries.into_iter().map(|entry| (index, entry)));
            }
            if !found.is_empty() {
                return Ok(found);
            }
            written.await;
        }
    }

    async fn watch_log(&self, tails: &[(Arc<Keyspace>, Position)]) -> Result<Vec<(usize, Position)>> {
        loop {
            let mut written = std::pin::pin!(self.written.notified());
            written.as_mut().enable();
            let ends = tails.iter().enumerate().map(|(index, (keyspace, after))| {
                let end = self.step(keyspace, |space, _| space.log.end());
                (index, end, end > *after)
            });
            let found: Vec<_> = ends.filter(|(.., new)| *new).collect();
            if !found.is_empty() {
                return Ok(found.into_iter().map(|(index, end, _)| (index, end)).collect());
            }
            written.await;
        }
    }

    async fn listen(&self, sink: Arc<dyn TriggerSink>) -> Result<Guard> {
        let Some(mut moved) = self.clock.moved() else {
            return Ok(Box::new(()));
        };
        let task = tokio::spawn(async move {
            while moved.changed().await.is_ok() {
                sink.trigger(Trigger::Everything);
            }
        });
        Ok(Box::new(crate::listener::AbortOnDrop::from(task)))
    }

    fn track(self: Arc<Self>, sink: Arc<dyn InvalidationSink>) -> Result<Arc<dyn TrackedReads>> {
        self.sinks.add(&sink);
        Ok(Arc::new(Reads::new(self, sink)))
    }

    async fn ping(&self) -> Result<()> {
        Ok(())
    }

    fn status(&self) -> BackendStatus {
        BackendStatus {
            // There is nothing between the store and what it would be told of.
            notifications: Notifications::Active,
            flags: NotificationFlags::Sufficient,
            now: Some(self.clock.now()),
            ..self.board.read()
        }
    }

    async fn due(&self, keyspaces: &[Arc<Keyspace>]) -> Result<Due> {
        let due = |keyspace: &Arc<Keyspace>| {
            self.step(keyspace, |space, now| {
                let first = space.next_deadline().unwrap_or(now);
                let longest = Duration::from_millis(now.saturating_sub(first));
                Due::new(space.overdue(now), longest)
            })
        };
        Ok(keyspaces.iter().map(due).fold(Due::default(), Due::and))
    }
}
