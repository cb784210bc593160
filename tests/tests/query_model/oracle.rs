//! What has to come of each call, by looking at every thing there is.
//!
//! Nothing here is taken from kvrepo but its documentation.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::answer::{Answer, Fault};
use crate::change::{Change, Held};
use crate::operation::{Operation, Term};
use crate::query::{Like, Part, Query, Source};
use crate::thing::Thing;

#[derive(Debug, Default)]
pub(crate) struct Oracle {
    /// In milliseconds since the sequence began.
    now: u64,
    /// What is alive, by the bytes of the ids.
    living: BTreeMap<String, Life>,
}

#[derive(Debug, Clone)]
struct Life {
    held: Held,
    deadline: Option<u64>,
}

impl Oracle {
    /// It is so late now.
    pub(crate) fn pass(&mut self, now: u64) {
        self.now = now;
        self.living
            .retain(|_, life| life.deadline.is_none_or(|at| at >= now));
    }

    pub(crate) fn answer(&mut self, operation: &Operation) -> Answer {
        match operation {
            Operation::Find(query) => self.find(query),
            Operation::Save(thing, term) => saved(self.save(thing, *term)),
            Operation::Insert(thing, _) if self.living.contains_key(&thing.id) => {
                Answer::Refused(Fault::Exists)
            }
            Operation::Insert(thing, term) => saved(self.save(thing, *term)),
            Operation::SaveAll(things, term) => self.save_all(things, *term),
            Operation::Update(id, changes, term) => self.update(id, changes, *term),
            Operation::UpdateWith(id, changes) => self.update_with(id, changes),
            Operation::Delete(id) => Answer::Done(self.living.remove(*id).is_some()),
            Operation::Expire(id, term) => self.expire(id, Term::Ttl(*term)),
            Operation::Persist(id) => self.expire(id, Term::Persistent),
            Operation::DeleteAll => {
                let all = self.living.len() as u64;
                self.living.clear();
                Answer::Counted(all)
            }
            Operation::Verify | Operation::Rebuild => Answer::Findings(Vec::new()),
            Operation::Pass(_) | Operation::Sweep => Answer::Nothing,
        }
    }

    fn deadline(&self, id: &str, term: Term) -> Option<u64> {
        match term {
            Term::Ttl(term) => Some(self.now + term.as_millis() as u64),
            Term::Unset | Term::Persistent => None,
            Term::Keep => self.living.get(id).and_then(|life| life.deadline),
        }
    }

    /// Whether another living thing has the unique value.
    fn is_taken(&self, thing: &Thing) -> bool {
        let mut others = self.living.values().filter(|life| life.held.thing.id != thing.id);
        thing.mail.is_some() && others.any(|life| life.held.thing.mail == thing.mail)
    }
}

impl Oracle {
    fn save(&mut self, thing: &Thing, term: Term) -> Result<bool, Fault> {
        if self.is_taken(thing) {
            return Err(Fault::Taken);
        }
        let life = Life {
            held: Held::new(thing.clone()),
            deadline: self.deadline(&thing.id, term),
        };
        Ok(self.living.insert(thing.id.clone(), life).is_none())
    }

    fn save_all(&mut self, things: &[Thing], term: Term) -> Answer {
        let (mut saved, mut failed) = (Vec::new(), Vec::new());
        for (index, thing) in things.iter().enumerate() {
            match self.save(thing, term) {
                Ok(created) => saved.push(created),
                Err(fault) => failed.push((index, fault)),
            }
        }
        Answer::AllSaved(if failed.is_empty() { Ok(saved) } else { Err(failed) })
    }

    fn update(&mut self, id: &str, changes: &[Change], term: Term) -> Answer {
        let Some(mut life) = self.living.get(id).cloned() else {
            return Answer::Done(false);
        };
        if changes.iter().any(|change| change.apply(&mut life.held).is_err()) {
            return Answer::Refused(Fault::Unfit);
        }
        if self.is_taken(&life.held.thing) {
            return Answer::Refused(Fault::Taken);
        }
        life.deadline = match term {
            Term::Unset => life.deadline,
            term => self.deadline(id, term),
        };
        self.living.insert(id.to_owned(), life);
        Answer::Done(true)
    }

    fn update_with(&mut self, id: &str, changes: &[Change]) -> Answer {
        let Some(mut life) = self.living.get(id).cloned() else {
            return Answer::Found(None);
        };
        edit(&mut life.held.thing, changes);
        if self.is_taken(&life.held.thing) {
            return Answer::Refused(Fault::Taken);
        }
        let thing = life.held.thing.clone();
        life.held = Held::new(thing.clone());
        self.living.insert(id.to_owned(), life);
        Answer::Found(Some(Box::new(thing)))
    }

    fn expire(&mut self, id: &str, term: Term) -> Answer {
        let deadline = self.deadline(id, term);
        let life = self.living.get_mut(id);
        Answer::Done(life.map(|life| life.deadline = deadline).is_some())
    }
}

/// Does changes as a caller's own function would. Those that are refused are left out.
pub(crate) fn edit(thing: &mut Thing, changes: &[Change]) {
    let mut held = Held::new(thing.clone());
    for change in changes {
        let _ = change.apply(&mut held);
    }
    *thing = held.thing;
}

impl Oracle {
    fn find(&mut self, query: &Query) -> Answer {
        if let Source::Like(like) = &query.source
            && (like.asks().is_empty() || like.any && like.has_others())
        {
            return Answer::Refused(Fault::Setting);
        }
        let near = match &query.source {
            Source::Asked(ask) if query.sort.is_none() => ask.near(),
            _ => None,
        };
        let mut found: Vec<Thing> = self.living.values().map(|life| life.held.thing.clone()).collect();
        found.retain(|thing| match &query.source {
            Source::All => true,
            Source::Asked(ask) => ask.holds(thing),
            Source::Like(like) => Like::holds(like, thing),
        });
        // They are sorted by their ids; what is equal stays so.
        let distance = |thing: &Thing| Some(near?.distance(&thing.spot?));
        found.sort_by(|a, b| {
            let far = distance(a)
                .partial_cmp(&distance(b))
                .expect("distances are numbers");
            let mut keys = query.sort.iter().flatten();
            far.then_with(|| {
                keys.find_map(|(key, descending)| {
                    Some(key.compare(*descending, a, b)).filter(|order| order.is_ne())
                })
                .unwrap_or(Ordering::Equal)
            })
        });
        let all = found.len() as u64;
        let mut cut = found.clone();
        cut.truncate(query.limit.unwrap_or(usize::MAX));
        match query.part {
            Part::All | Part::Stream => Answer::Things(cut),
            Part::Ids => Answer::Ids(cut.into_iter().map(|thing| thing.id).collect()),
            Part::Count => Answer::Counted(all),
            Part::Exists => Answer::Done(all > 0),
            Part::First => Answer::Found(cut.into_iter().next().map(Box::new)),
            Part::One if cut.len() > 1 => Answer::Refused(Fault::NotUnique),
            Part::One => Answer::Found(cut.pop().map(Box::new)),
            Part::Page(number, size) => Answer::Page {
                total: cut.len() as u64,
                more: (number + 1) * size.max(1) < cut.len(),
                things: cut.into_iter().skip(number * size).take(size).collect(),
            },
            Part::Walk => {
                let sizes = found
                    .chunks(query.limit.unwrap_or(100).max(1))
                    .map(<[Thing]>::len);
                let sizes: Vec<usize> = sizes.collect();
                Answer::Walked(if sizes.is_empty() { vec![0] } else { sizes }, found)
            }
            Part::Distances => match near {
                None => Answer::Refused(Fault::Setting),
                Some(_) => {
                    let with_distance = |thing: Thing| (thing.clone(), distance(&thing).unwrap_or(f64::NAN));
                    Answer::Distances(cut.into_iter().map(with_distance).collect())
                }
            },
            Part::Delete => {
                for thing in &cut {
                    self.living.remove(&thing.id);
                }
                Answer::Counted(cut.len() as u64)
            }
        }
    }
}

fn saved(saved: Result<bool, Fault>) -> Answer {
    saved.map_or_else(Answer::Refused, Answer::Saved)
}
