//! Groups in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::super::{
    Claim, Claimed, Delivered, Groups, Keyspace, LogEntry, Member, ParkedEntry, Position, Receipt,
};
use super::Memory;
use super::log::Log;
use crate::error::Result;

/// How far a group has come.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// The last event that was handed out for the first time.
    read: Position,
    /// What was handed out of the log and not acknowledged.
    pending: BTreeMap<Position, Pending>,
    /// What was put aside, by its place.
    parked: BTreeMap<Position, Parked>,
    /// Places among those put aside are given out in turn.
    place: Position,
    /// What was lost and not told of yet.
    lost: Option<(Position, Position)>,
}

/// A delivery.
#[derive(Debug, Clone)]
struct Pending {
    /// By whom it was taken; `None` if the next to claim is to have it.
    holder: Option<(String, u64)>,
    deliveries: u32,
}

#[derive(Debug)]
struct Parked {
    entry: LogEntry,
    deliveries: u32,
    /// While it is being replayed.
    replay: Option<Pending>,
}

impl Pending {
    fn is_overdue(&self, after: u64, now: u64) -> bool {
        self.holder
            .as_ref()
            .is_none_or(|(_, since)| now.saturating_sub(*since) >= after)
    }

    fn hand_to(&mut self, consumer: &str, now: u64) {
        self.holder = Some((consumer.to_owned(), now));
        self.deliveries += 1;
    }

    /// Says whether it was this consumer's.
    fn give_back(&mut self, consumer: &str) {
        if self.holder.as_ref().is_some_and(|(name, _)| name == consumer) {
            self.holder = None;
            self.deliveries = self.deliveries.saturating_sub(1);
        }
    }
}

impl Group {
    fn beginning_at(from: Option<Position>, log: &Log) -> Self {
        let read = from.unwrap_or(log.end()).min(log.end());
        // Whoever begins at the very start asks for what there is.
        let lost = from.filter(|from| *from != Position::START && *from < log.trimmed());
        Self {
            read,
            lost: lost.map(|from| (from, log.trimmed())),
            ..Self::default()
        }
    }

    /// Takes note of what is lost once all up to a position has been dropped.
    pub(super) fn lose(&mut self, dropped: Position) {
        let kept = match self.pending.first_key_value() {
            Some((first, _)) if *first <= dropped => {
                let first = *first;
                self.pending.retain(|position, _| *position > dropped);
                Some(first.prior().min(self.read))
            }
            _ => None,
        };
        let from = kept.or((self.read < dropped).then_some(self.read));
        if let Some(from) = from {
            let from = self.lost.map_or(from, |(from, _)| from);
            self.lost = Some((from, dropped));
        }
        // What is gone is not handed out, and not lost a second time.
        self.read = self.read.max(dropped);
    }

    fn read(&mut self, log: &[LogEntry], consumer: &str, now: u64) -> Vec<Delivered> {
        let mut events = Vec::with_capacity(log.len());
        for entry in log {
            self.read = entry.position;
            let mut pending = Pending {
                holder: None,
                deliveries: 0,
            };
            pending.hand_to(consumer, now);
            self.pending.insert(entry.position, pending);
            events.push(Delivered::new(entry.clone(), 1, Receipt::Log(entry.position)));
        }
        events
    }

    fn claim(
        &mut self,
        log: &BTreeMap<Position, LogEntry>,
        consumer: &str,
        claim: &Claim,
        now: u64,
    ) -> Claimed {
        let mut claimed = Claimed {
            lost: self.lost.take(),
            ..Claimed::default()
        };
        let overdue = |pending: &Pending| pending.is_overdue(claim.after, now);
        let positions: Vec<Position> = self
            .pending
            .iter()
            .filter(|(_, pending)| overdue(pending))
            .map(|(position, _)| *position)
            .take(claim.limit)
            .collect();
        let places: Vec<Position> = self
            .parked
            .iter()
            .filter(|(_, parked)| parked.replay.as_ref().is_some_and(overdue))
            .map(|(place, _)| *place)
            .take(claim.limit)
            .collect();
        claimed.more = positions.len().max(places.len()) >= claim.limit;
        for position in positions {
            let (Some(pending), Some(entry)) = (self.pending.get_mut(&position), log.get(&position)) else {
                continue;
            };
            if pending.deliveries < claim.max_deliveries {
                pending.hand_to(consumer, now);
                let receipt = Receipt::Log(position);
                claimed
                    .events
                    .push(Delivered::new(entry.clone(), pending.deliveries, receipt));
            } else {
                let (deliveries, entry) = (pending.deliveries, entry.clone());
                self.pending.remove(&position);
                self.place = self.place.next(now);
                self.parked.insert(
                    self.place,
                    Parked {
                        entry,
                        deliveries,
                        replay: None,
                    },
                );
                claimed.parked += 1;
            }
        }
        for place in places {
            let Some(parked) = self.parked.get_mut(&place) else {
                continue;
            };
            match &mut parked.replay {
                Some(pending) if pending.deliveries < claim.max_deliveries => {
                    pending.hand_to(consumer, now);
                    let (entry, receipt) = (parked.entry.clone(), Receipt::Parked(place));
                    claimed
                        .events
                        .push(Delivered::new(entry, pending.deliveries, receipt));
                }
                replay => {
                    *replay = None;
                    claimed.parked += 1;
                }
            }
        }
        claimed
    }

    fn acknowledge(&mut self, receipt: Receipt) -> bool {
        match receipt {
            Receipt::Log(position) => self.pending.remove(&position).is_some(),
            Receipt::Parked(place) => self.parked.remove(&place).is_some(),
        }
    }

    fn pending_mut(&mut self, receipt: Receipt) -> Option<&mut Pending> {
        match receipt {
            Receipt::Log(position) => self.pending.get_mut(&position),
            Receipt::Parked(place) => self.parked.get_mut(&place)?.replay.as_mut(),
        }
    }
}

impl Memory {
    fn in_group<R>(
        &self,
        keyspace: &Keyspace,
        group: &str,
        step: impl FnOnce(&mut Group, u64) -> R,
    ) -> Option<R> {
        self.step(keyspace, |space, now| {
            space.log.groups.get_mut(group).map(|group| step(group, now))
        })
    }
}

#[async_trait]
impl Groups for Memory {
    async fn join_group(&self, keyspace: &Keyspace, group: &str, from: Option<Position>) -> Result<bool> {
        Ok(self.step(keyspace, |space, _| {
            let new = !space.log.groups.contains_key(group);
            if new {
                let begun = Group::beginning_at(from, &space.log);
                space.log.groups.insert(group.to_owned(), begun);
            }
            new
        }))
    }

    async fn read_group(
        &self,
        keyspace: &Keyspace,
        member: &Member,
        limit: usize,
    ) -> Result<Option<Vec<Delivered>>> {
        Ok(self.step(keyspace, |space, now| {
            let read = space.log.groups.get(&member.group)?.read;
            let entries: Vec<LogEntry> = space.log.after(read).take(limit).cloned().collect();
            let group = space.log.groups.get_mut(&member.group)?;
            Some(group.read(&entries, &member.consumer, now))
        }))
    }

    async fn claim(&self, keyspace: &Keyspace, member: &Member, claim: &Claim) -> Result<Option<Claimed>> {
        Ok(self.step(keyspace, |space, now| {
            let group = space.log.groups.get(&member.group)?;
            let entries = group
                .pending
                .keys()
                .filter_map(|position| space.log.entry(*position));
            let entries = entries.map(|entry| (entry.position, entry.clone())).collect();
            let group = space.log.groups.get_mut(&member.group)?;
            Some(group.claim(&entries, &member.consumer, claim, now))
        }))
    }

    async fn acknowledge(&self, keyspace: &Keyspace, group: &str, receipts: &[Receipt]) -> Result<u64> {
        let noted = self.in_group(keyspace, group, |group, _| {
            let noted = receipts.iter().filter(|receipt| group.acknowledge(**receipt));
            noted.count() as u64
        });
        Ok(noted.unwrap_or_default())
    }

    async fn give_back(&self, keyspace: &Keyspace, member: &Member, receipts: &[Receipt]) -> Result<()> {
        self.in_group(keyspace, &member.group, |group, _| {
            for receipt in receipts {
                if let Some(pending) = group.pending_mut(*receipt) {
                    pending.give_back(&member.consumer);
                }
            }
        });
        Ok(())
    }

    async fn leave_group(&self, _: &Keyspace, _: &Member) -> Result<()> {
        // A reader is known by what it has, and by nothing else.
        Ok(())
    }

    async fn parked(
        &self,
        keyspace: &Keyspace,
        group: &str,
        after: Position,
        limit: usize,
    ) -> Result<Vec<ParkedEntry>> {
        let parked = self.in_group(keyspace, group, |group, _| {
            let behind = group.parked.iter().filter(|(place, _)| **place > after);
            let entries = behind
                .map(|(place, parked)| ParkedEntry::new(parked.entry.clone(), parked.deliveries, *place));
            entries.take(limit).collect()
        });
        Ok(parked.unwrap_or_default())
    }

    async fn replay(&self, keyspace: &Keyspace, group: &str, places: &[Position]) -> Result<u64> {
        let replayed = self.in_group(keyspace, group, |group, _| {
            let mut replayed = 0;
            for place in places {
                if let Some(parked) = group.parked.get_mut(place) {
                    parked.replay = Some(Pending {
                        holder: None,
                        deliveries: 0,
                    });
                    replayed += 1;
                }
            }
            replayed
        });
        Ok(replayed.unwrap_or_default())
    }

    async fn discard(&self, keyspace: &Keyspace, group: &str, places: &[Position]) -> Result<u64> {
        let dropped = self.in_group(keyspace, group, |group, _| {
            let dropped = places.iter().filter(|place| group.parked.remove(place).is_some());
            dropped.count() as u64
        });
        Ok(dropped.unwrap_or_default())
    }

    async fn pending(&self, keyspace: &Keyspace, group: &str) -> Result<u64> {
        let pending = self.in_group(keyspace, group, |group, _| {
            let replayed = group.parked.values().filter(|parked| parked.replay.is_some());
            (group.pending.len() + replayed.count()) as u64
        });
        Ok(pending.unwrap_or_default())
    }

    async fn delete_group(&self, keyspace: &Keyspace, group: &str) -> Result<bool> {
        Ok(self.step(keyspace, |space, _| space.log.groups.remove(group).is_some()))
    }
}
