//! What has to come of each call, by plain maps and a clock of its own.
//!
//! Nothing here is taken from kvrepo but its documentation.

use std::collections::BTreeMap;

use crate::answer::{Answer, Entry, Fault, Left, Saved};
use crate::item::{IDS, Item};
use crate::life::{Life, Stored};
use crate::operation::{Change, Default, Operation, Refresh, Settings, Term};
use crate::term::{self, Until};

/// For how long the copy of an item outlives it, in milliseconds.
pub(crate) const GRACE: u64 = 300_000;
#[derive(Debug)]
pub(crate) struct Oracle {
    pub(crate) settings: Settings,
    /// In milliseconds since the sequence began.
    pub(crate) now: u64,
    /// What is alive, and what has expired and has yet to become an event.
    lives: BTreeMap<String, Life>,
    /// All that there were, in their order.
    pub(crate) events: Vec<Event>,
    /// Counts what makes events.
    round: usize,
}

/// A life that has ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: String,
    /// How long after the deadline it was seen, in milliseconds.
    pub(crate) late: u64,
    /// What was stored, if that was still known.
    pub(crate) stored: Option<Stored>,
    pub(crate) item: Option<Item>,
    /// Events of an earlier round come first.
    pub(crate) round: usize,
    pub(crate) deadline: u64,
    /// Whether those of the same round come by their deadlines.
    pub(crate) ordered: bool,
}

impl Oracle {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            now: 0,
            lives: BTreeMap::new(),
            events: Vec::new(),
            round: 0,
        }
    }

    pub(crate) fn living(&self, id: &str) -> Option<&Life> {
        self.lives
            .get(id)
            .filter(|life| life.deadline.is_none_or(|at| at >= self.now))
    }

    /// What has expired and has yet to become an event.
    pub(crate) fn unseen(&self, id: &str) -> Option<&Life> {
        self.lives.get(id).filter(|_| self.living(id).is_none())
    }

    fn all_living(&self) -> impl Iterator<Item = &str> {
        IDS.into_iter().filter(|id| self.living(id).is_some())
    }

    fn all_unseen(&self) -> Vec<&'static str> {
        IDS.into_iter().filter(|id| self.unseen(id).is_some()).collect()
    }

    /// The next deadline of what is alive.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.all_living().filter_map(|id| self.living(id)?.deadline).min()
    }

    /// Whether an operation makes an idle term begin anew.
    pub(crate) fn renews(&self, operation: &Operation) -> bool {
        match operation {
            Operation::FindById(id) | Operation::ExistsById(id) | Operation::Entry(id) => {
                self.renewed(id).is_some()
            }
            _ => false,
        }
    }

    /// The deadline that a use of the item gives it, if it gives it one: once a thirtieth of the span has passed.
    fn renewed(&self, id: &str) -> Option<u64> {
        let life = self.living(id)?;
        let (span, deadline) = (life.idle?, life.deadline?);
        (deadline - self.now <= span - span / 30).then_some(self.now + span)
    }

    fn used(&mut self, id: &str) {
        if let Some(deadline) = self.renewed(id)
            && let Some(life) = self.lives.get_mut(id)
        {
            life.deadline = Some(deadline);
        }
    }

    /// Does the operation, and says what it has to answer.
    pub(crate) fn answer(&mut self, operation: &Operation) -> Answer {
        match operation {
            Operation::Save(item, term) => refused(self.write(item, *term, false).map(Answer::Saved)),
            Operation::Insert(item, term) => refused(self.write(item, *term, true).map(Answer::Saved)),
            Operation::SaveAll(items, term) => self.write_all(items, *term, false),
            Operation::InsertAll(items, term) => self.write_all(items, *term, true),
            Operation::Update(id, changes, term, refresh) => {
                refused(self.update(id, changes, *term, *refresh).map(Answer::Done))
            }
            Operation::UpdateWith(id, changes, term, refresh) => {
                refused(self.update_with(id, changes, *term, *refresh).map(Answer::Found))
            }
            Operation::Expire(id, term) => self.give(id, Term::Ttl(*term)),
            Operation::ExpireAt(id, when) => self.give(id, Term::At(*when)),
            Operation::Persist(id) => self.give(id, Term::Persistent),
            Operation::DeleteById(id) => Answer::Done(self.delete(id)),
            Operation::DeleteAllById(ids) => {
                Answer::Counted(ids.iter().map(|id| u64::from(self.delete(id))).sum())
            }
            Operation::DeleteAll => {
                let unseen = self.all_unseen();
                self.end(&unseen, false);
                Answer::Counted(IDS.iter().map(|id| u64::from(self.delete(id))).sum())
            }
            Operation::Take(id) => {
                let taken = self.shown(id);
                self.delete(id);
                Answer::Found(taken)
            }
            Operation::FindById(id) => {
                let found = self.shown(id);
                self.used(id);
                Answer::Found(found)
            }
            Operation::ExistsById(id) => {
                self.used(id);
                Answer::Done(self.living(id).is_some())
            }
            Operation::Entry(id) => {
                let entry = self.entry(id);
                self.used(id);
                Answer::Entry(entry)
            }
            Operation::FindAll => {
                let all = self.all_living().filter_map(|id| self.shown(id));
                Answer::AllFound(all.collect())
            }
            Operation::FindAllById(ids) => {
                Answer::AllFound(ids.iter().filter_map(|id| self.shown(id)).collect())
            }
            Operation::Count => Answer::Counted(self.all_living().count() as u64),
            Operation::TimeToLive(id) => Answer::Left(self.left(id)),
            Operation::Sweep => Answer::Swept {
                expired: self.see_what_has_expired(),
                repaired: 0,
            },
            Operation::Pass(_) => Answer::Nothing,
        }
    }

    /// Makes events of all that has expired; says how many.
    pub(crate) fn see_what_has_expired(&mut self) -> u64 {
        let unseen = self.all_unseen();
        self.end(&unseen, true);
        unseen.len() as u64
    }

    /// Makes events of what has expired.
    fn end(&mut self, ids: &[&str], ordered: bool) {
        self.round += 1;
        let mut ended: Vec<(u64, String, Life)> = ids
            .iter()
            .filter_map(|id| {
                Some((
                    self.unseen(id)?.deadline?,
                    (*id).to_owned(),
                    self.lives.remove(*id)?,
                ))
            })
            .collect();
        ended.sort_by_key(|(deadline, ..)| *deadline);
        for (deadline, id, life) in ended {
            let known = self.settings.shadow_copy && self.now <= deadline + GRACE;
            self.events.push(Event {
                id,
                late: self.now - deadline,
                stored: known.then(|| life.stored()),
                item: known.then_some(life.item),
                round: self.round,
                deadline,
                ordered,
            });
        }
    }

    fn delete(&mut self, id: &str) -> bool {
        self.end(&[id], true);
        self.lives.remove(id).is_some()
    }

    fn write(&mut self, item: &Item, call: Term, insert: bool) -> Result<Saved, Fault> {
        let until = self.resolve(call, item.ttl)?;
        let living = self.living(&item.id);
        if insert && living.is_some() {
            return Err(Fault::Exists);
        }
        let created = living.is_none();
        let (deadline, idle) = match (living, call) {
            (Some(life), Term::Keep) => (life.deadline, life.idle),
            _ => until.begin(self.now)?,
        };
        self.end(&[&item.id], true);
        self.lives
            .insert(item.id.clone(), Life::of(item.clone(), deadline, idle));
        Ok(Saved { created, deadline })
    }

    fn write_all(&mut self, items: &[Item], term: Term, insert: bool) -> Answer {
        let (mut saved, mut faults) = (Vec::new(), Vec::new());
        for (i, item) in items.iter().enumerate() {
            match self.write(item, term, insert) {
                Ok(one) => saved.push(one),
                Err(fault) => faults.push((i, fault)),
            }
        }
        Answer::AllSaved(if faults.is_empty() { Ok(saved) } else { Err(faults) })
    }

    fn update(&mut self, id: &str, changes: &[Change], call: Term, refresh: Refresh) -> Result<bool, Fault> {
        let told = term::told(call, self.now)?;
        let Some(mut life) = self.living(id).cloned() else {
            return Ok(false);
        };
        life.change(changes)?;
        let until = match told {
            None if refresh => Some(self.stated(life.item.ttl)?),
            told => told,
        };
        if let Some(until) = until {
            (life.deadline, life.idle) = until.begin(self.now)?;
        }
        self.lives.insert(id.to_owned(), life);
        Ok(true)
    }

    fn update_with(
        &mut self,
        id: &str,
        changes: &[Change],
        call: Term,
        refresh: Refresh,
    ) -> Result<Option<Item>, Fault> {
        let Some(life) = self.living(id) else {
            return Ok(None);
        };
        let mut item = life.item.clone();
        for change in changes {
            change.edit(&mut item);
        }
        let other = term::statement(item.ttl) != term::statement(life.item.ttl);
        let keep = !other && !refresh && matches!(call, Term::Unset | Term::Keep);
        let (deadline, idle) = if keep {
            (life.deadline, life.idle)
        } else {
            self.resolve(call, item.ttl)?.begin(self.now)?
        };
        self.lives.insert(id.to_owned(), Life::of(item, deadline, idle));
        Ok(self.shown(id))
    }

    fn give(&mut self, id: &str, term: Term) -> Answer {
        refused(self.update(id, &[], term, false).map(Answer::Done))
    }

    /// The call's own term, or else the item's, or else the default.
    fn resolve(&self, call: Term, ttl: Option<i64>) -> Result<Until, Fault> {
        term::told(call, self.now)?.map_or_else(|| self.stated(ttl), Ok)
    }

    fn stated(&self, ttl: Option<i64>) -> Result<Until, Fault> {
        term::statement(ttl).until(self.settings.default)
    }

    fn left(&self, id: &str) -> Left {
        self.living(id).map_or(Left::Missing, |life| {
            life.deadline.map_or(Left::Persistent, |deadline| {
                Left::In((deadline - self.now).max(1))
            })
        })
    }

    /// The living item as it is read: with what is left of its term, unless that is an idle one.
    fn shown(&self, id: &str) -> Option<Item> {
        let life = self.living(id)?;
        let mut item = life.item.clone();
        if life.idle.is_none() {
            let persistent = match self.settings.default {
                Default::Persistent => None,
                Default::Ttl(_) | Default::Idle(_) => Some(-1),
            };
            item.ttl = match self.left(id) {
                Left::In(left) => i64::try_from(left.div_ceil(1_000)).ok(),
                Left::Persistent | Left::Missing => persistent,
            };
        }
        Some(item)
    }

    fn entry(&self, id: &str) -> Option<Entry> {
        let life = self.living(id)?;
        Some(Entry {
            item: self.shown(id)?,
            left: self.left(id),
            deadline: life.deadline,
            idle: life.idle,
        })
    }
}

fn refused(answer: Result<Answer, Fault>) -> Answer {
    answer.unwrap_or_else(Answer::Refused)
}
