//! One keyspace in memory, and the steps on it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::time::Duration;

use super::super::{Keyspace, Lease, TimeToLive};
use super::log::Log;
use crate::mapping::Record;

/// An entity that is alive, or expired and not reaped.
#[derive(Debug)]
pub(super) struct Entity {
    pub(super) record: Record,
    deadline: Option<u64>,
    /// Until when the record may be given to an event; `None` if no phantom is kept.
    phantom_until: Option<u64>,
}

impl Entity {
    pub(super) fn remaining(&self, now: u64) -> TimeToLive {
        match self.deadline {
            None => TimeToLive::Persistent,
            // At its very deadline an entity is still there: it has less than a millisecond, but not nothing.
            Some(deadline) => TimeToLive::In(Duration::from_millis(deadline.saturating_sub(now).max(1))),
        }
    }

    fn expired(&self, now: u64) -> bool {
        self.deadline.is_some_and(|deadline| deadline < now)
    }
}

#[derive(Debug, Default)]
pub(super) struct Space {
    entities: BTreeMap<String, Entity>,
    /// Of every entity that has one.
    deadlines: BTreeSet<(u64, String)>,
    pub(super) log: Log,
    /// Who reaps, and until when.
    reaper: Option<(String, u64)>,
}

impl Space {
    pub(super) fn living(&self, id: &str, now: u64) -> Option<&Entity> {
        self.entities.get(id).filter(|entity| !entity.expired(now))
    }

    pub(super) fn count(&self, now: u64) -> u64 {
        let expired = self.deadlines.range(..(now, String::new())).count();
        (self.entities.len() - expired) as u64
    }

    pub(super) fn ids_after(&self, cursor: Option<&str>, limit: usize) -> Vec<String> {
        let from = cursor.map_or(Bound::Unbounded, Bound::Excluded);
        self.entities
            .range::<str, _>((from, Bound::Unbounded))
            .take(limit)
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// Replaces what the id held; says whether nothing living was there.
    pub(super) fn save(
        &mut self,
        keyspace: &Keyspace,
        id: &str,
        record: Record,
        deadline: Option<u64>,
        now: u64,
    ) -> bool {
        self.settle(id, now);
        let created = self.remove(id).is_none();
        let phantom_until = deadline
            .filter(|_| keyspace.shadow_copy())
            .map(|at| at.saturating_add(keyspace.grace()));
        if let Some(deadline) = deadline {
            self.deadlines.insert((deadline, id.to_owned()));
        }
        self.entities.insert(
            id.to_owned(),
            Entity {
                record,
                deadline,
                phantom_until,
            },
        );
        created
    }

    pub(super) fn delete(&mut self, id: &str, now: u64) -> bool {
        self.settle(id, now);
        self.remove(id).is_some()
    }

    /// Turns an entity that has expired into an event; says whether there was one.
    pub(super) fn settle(&mut self, id: &str, now: u64) -> bool {
        if !self.entities.get(id).is_some_and(|entity| entity.expired(now)) {
            return false;
        }
        let Some(Entity {
            record,
            deadline: Some(deadline),
            phantom_until,
        }) = self.remove(id)
        else {
            return false;
        };
        let value = phantom_until.filter(|until| *until >= now).map(|_| record);
        self.log.append(now, id.to_owned(), deadline, value);
        true
    }

    /// The ids of up to `limit` entities that have expired, the first to expire first.
    pub(super) fn due(&self, now: u64, limit: usize) -> Vec<String> {
        self.deadlines
            .range(..(now, String::new()))
            .take(limit)
            .map(|(_, id)| id.clone())
            .collect()
    }

    pub(super) fn next_deadline(&self) -> Option<u64> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// Takes or prolongs the lease; the error is how many milliseconds another one's still lasts.
    pub(super) fn lease(&mut self, lease: &Lease, now: u64) -> Result<(), u64> {
        match &self.reaper {
            Some((token, until)) if *token != lease.token && *until > now => Err(until - now),
            _ => {
                self.reaper = Some((lease.token.clone(), now.saturating_add(lease.length)));
                Ok(())
            }
        }
    }

    pub(super) fn release(&mut self, token: &str) {
        self.reaper.take_if(|(holder, _)| holder == token);
    }

    fn remove(&mut self, id: &str) -> Option<Entity> {
        let entity = self.entities.remove(id)?;
        if let Some(deadline) = entity.deadline {
            self.deadlines.remove(&(deadline, id.to_owned()));
        }
        Some(entity)
    }
}
