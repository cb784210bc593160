//! One keyspace in memory, and the steps on it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::time::Duration;

use super::super::index::Entry;
use super::super::{Condition, Keyspace, Lease, Loaded, TimeToLive, Write, thirtieth};
use super::log::Log;
use crate::error::Result;
use crate::mapping::Record;

/// An entity that is alive, or expired and not reaped.
#[derive(Debug)]
pub(super) struct Entity {
    pub(super) content: Content,
    deadline: Option<u64>,
    /// The span of an idle term.
    idle: Option<u64>,
    /// Until when the record may be given to an event; `None` if no phantom is kept.
    phantom_until: Option<u64>,
}

/// What an entity holds, and what of it stands in indexes.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) record: Record,
    pub(super) entries: Vec<Entry>,
}

impl From<&Write> for Content {
    fn from(write: &Write) -> Self {
        Self {
            record: write.record.clone(),
            entries: write.entries.clone(),
        }
    }
}

/// When an entity expires, resolved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expiry {
    pub(super) deadline: Option<u64>,
    pub(super) idle: Option<u64>,
}

impl Entity {
    pub(super) fn expiry(&self) -> Expiry {
        Expiry {
            deadline: self.deadline,
            idle: self.idle,
        }
    }

    pub(super) fn loaded(&self, now: u64) -> Loaded {
        Loaded::new(self.content.record.clone())
            .expiring(self.remaining(now), self.deadline)
            .idle(self.idle)
    }

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
    /// Of every entity that is in one, with its id.
    pub(super) indexed: BTreeSet<(Entry, String)>,
    pub(super) log: Log,
    /// Who reaps, and until when.
    reaper: Option<(String, u64)>,
    /// The ids whose entities have changed, or have come or gone, in this step.
    pub(super) changed: Vec<String>,
}

impl Space {
    pub(super) fn living(&self, id: &str, now: u64) -> Option<&Entity> {
        self.entities.get(id).filter(|entity| !entity.expired(now))
    }

    /// Alive, or expired and not reaped.
    pub(super) fn entity(&self, id: &str) -> Option<&Entity> {
        self.entities.get(id)
    }

    pub(super) fn count(&self, now: u64) -> u64 {
        self.entities.len() as u64 - self.overdue(now)
    }

    /// How many have expired and were not reaped.
    pub(super) fn overdue(&self, now: u64) -> u64 {
        self.deadlines.range(..(now, String::new())).count() as u64
    }

    pub(super) fn ids_after(&self, cursor: Option<&str>, limit: usize) -> Vec<String> {
        let from = cursor.map_or(Bound::Unbounded, Bound::Excluded);
        self.entities
            .range::<str, _>((from, Bound::Unbounded))
            .take(limit)
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// Refuses what is to be done on a condition that does not hold.
    pub(super) fn demand(
        &self,
        keyspace: &Keyspace,
        id: &str,
        condition: Option<&Condition>,
        now: u64,
    ) -> Result<()> {
        let living = self.living(id, now).map(|entity| &entity.content.record);
        match condition {
            Some(condition) if !condition.holds(living) => Err(keyspace.conflict(id, condition)),
            _ => Ok(()),
        }
    }

    /// Refuses what is unique and another living entity has.
    pub(super) fn demand_unique(
        &self,
        keyspace: &Keyspace,
        id: &str,
        entries: &[Entry],
        now: u64,
    ) -> Result<()> {
        for entry in entries {
            if let Entry::Unique { name, .. } = entry
                && self
                    .holders(entry)
                    .any(|holder| holder != id && self.living(holder, now).is_some())
            {
                return Err(keyspace.taken(name));
            }
        }
        Ok(())
    }

    /// The ids, of expired entities too, that have this entry.
    pub(super) fn holders(&self, entry: &Entry) -> impl Iterator<Item = &String> {
        self.indexed
            .range((entry.clone(), String::new())..)
            .take_while(move |(other, _)| other == entry)
            .map(|(_, id)| id)
    }

    /// All ids, of expired entities too.
    pub(super) fn ids(&self) -> impl Iterator<Item = &String> {
        self.entities.keys()
    }

    /// Replaces what the id held; says whether nothing living was there.
    pub(super) fn save(
        &mut self,
        keyspace: &Keyspace,
        id: &str,
        content: Content,
        expiry: Expiry,
        now: u64,
    ) -> bool {
        self.settle(id, now);
        let created = self.remove(id).is_none();
        self.changed.push(id.to_owned());
        let Expiry { deadline, idle } = expiry;
        let phantom_until = deadline
            .filter(|_| keyspace.shadow_copy())
            .map(|at| at.saturating_add(keyspace.grace()));
        if let Some(deadline) = deadline {
            self.deadlines.insert((deadline, id.to_owned()));
        }
        self.indexed
            .extend(content.entries.iter().map(|entry| (entry.clone(), id.to_owned())));
        self.entities.insert(
            id.to_owned(),
            Entity {
                content,
                deadline,
                idle,
                phantom_until,
            },
        );
        created
    }

    /// Has an entity in just these indexes.
    pub(super) fn reindex(&mut self, id: &str, entries: Vec<Entry>) {
        let Some(entity) = self.entities.get_mut(id) else {
            return;
        };
        for entry in std::mem::replace(&mut entity.content.entries, entries) {
            self.indexed.remove(&(entry, id.to_owned()));
        }
        let entries = entity.content.entries.iter();
        self.indexed
            .extend(entries.map(|entry| (entry.clone(), id.to_owned())));
    }

    /// Lets an idle term begin anew, once a thirtieth of it has passed; says whether it has.
    pub(super) fn renew(&mut self, keyspace: &Keyspace, id: &str, now: u64) -> bool {
        let Some(entity) = self.living(id, now) else {
            return false;
        };
        let (Some(span), Some(deadline)) = (entity.idle, entity.deadline) else {
            return false;
        };
        if deadline.saturating_sub(now) > span - thirtieth(span) {
            return false;
        }
        let expiry = Expiry {
            deadline: Some(now.saturating_add(span)),
            idle: Some(span),
        };
        if let Some(Entity { content, .. }) = self.remove(id) {
            self.save(keyspace, id, content, expiry, now);
        }
        true
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
            content,
            deadline: Some(deadline),
            phantom_until,
            ..
        }) = self.remove(id)
        else {
            return false;
        };
        let value = phantom_until
            .filter(|until| *until >= now)
            .map(|_| content.record);
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
        self.changed.push(id.to_owned());
        if let Some(deadline) = entity.deadline {
            self.deadlines.remove(&(deadline, id.to_owned()));
        }
        for entry in &entity.content.entries {
            self.indexed.remove(&(entry.clone(), id.to_owned()));
        }
        Some(entity)
    }
}
