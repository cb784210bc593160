//! Whether there is an order of the calls on one id in which all that was answered, and all that is in the log, is right.
//!
//! A call whose reply was lost may have been executed, at any time from when it was made, or not at all; nothing in
//! between. One that was answered was executed between its beginning and its end, a save with a term at the very
//! millisecond that its deadline tells of. In between lives end by their deadlines, each with just one event.

use std::collections::HashSet;
use std::fmt::{self, Display};

use kvrepo_tests::chaos::entity::Nonce;
use kvrepo_tests::chaos::journal::{Outcome, What};

/// How far the search goes. A history of some tens of calls takes a few hundred steps.
const STEPS: usize = 2_000_000;

#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub nonce: Nonce,
    pub what: What,
    pub began: u64,
    /// What was answered, and when.
    pub ended: Option<(u64, Outcome)>,
}

/// One entry of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// When it was written.
    pub written: u64,
    pub deadline: u64,
    /// Of the value, where events have one.
    pub nonce: Option<Nonce>,
}

/// What happened to one id.
#[derive(Debug, Clone, Default)]
pub struct History {
    pub calls: Vec<Call>,
    /// In the log's order.
    pub entries: Vec<Entry>,
}

/// A call that may have been executed.
#[derive(Debug, Clone)]
struct Step {
    nonce: Nonce,
    what: What,
    /// Between which times.
    first: u64,
    last: u64,
    /// The answer, if it was answered, and so was executed.
    answer: Option<Outcome>,
}

/// What is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Life {
    /// Whoever writes or deletes does it after this time, at which the event of the last life was in the log.
    Absent { since: u64 },
    /// A value that ends between these times. Of one that never does, both are [`NEVER`].
    Alive {
        nonce: Nonce,
        earliest: u64,
        latest: u64,
    },
}

const NEVER: u64 = u64::MAX;
/// At some time: that of a call whose reply was lost.
const SOMETIME: u64 = u64::MAX - 1;

impl History {
    /// Looks for such an order.
    ///
    /// # Errors
    ///
    /// With the history in words, if there is none.
    pub fn explain(&self) -> Result<(), String> {
        let refused = |why: &str| Err(format!("{why}\n{self}"));
        let mut steps = Vec::new();
        for call in &self.calls {
            match call.step() {
                Ok(step) => steps.extend(step),
                Err(why) => return refused(&why),
            }
        }
        if let Some(early) = self.entries.iter().find(|entry| entry.written <= entry.deadline) {
            return refused(&format!("written before it was due: {early:?}"));
        }
        steps.sort_by_key(|step| (step.answer.is_none(), step.first, step.last));
        if steps.len() > 128 {
            return refused("too many calls on one id for the oracle; it wants other settings");
        }
        let mut search = Search {
            steps: &steps,
            entries: &self.entries,
            seen: HashSet::new(),
        };
        let all = u128::MAX.checked_shr(128 - steps.len() as u32).unwrap_or(0);
        match search.goes_on(0, all, Life::Absent { since: 0 }, 0) {
            Some(true) => Ok(()),
            Some(false) => refused("in no order of the calls is that right"),
            None => refused("too tangled for the oracle; it wants other settings"),
        }
    }
}

impl Call {
    fn step(&self) -> Result<Option<Step>, String> {
        let (mut first, mut last, answer) = match self.ended {
            Some((_, Outcome::NotExecuted)) => return Ok(None),
            Some((_, Outcome::Unknown)) | None if self.what == What::Read => return Ok(None),
            Some((_, Outcome::Unknown)) | None => (self.began, SOMETIME, None),
            Some((_, Outcome::Mixed)) => return Err(format!("a mixed value was read: {self}")),
            Some((ended, answer)) => (self.began, ended, Some(answer)),
        };
        if let (What::Save { term } | What::Insert { term }, Some(Outcome::Saved { deadline, .. })) =
            (self.what, answer)
        {
            match (term, deadline) {
                (None, None) => {}
                (Some(term), Some(deadline)) if (first + term..=last + term).contains(&deadline) => {
                    first = deadline - term;
                    last = first;
                }
                _ => return Err(format!("a deadline that is none of the term: {self}")),
            }
        }
        Ok(Some(Step {
            nonce: self.nonce,
            what: self.what,
            first,
            last,
            answer,
        }))
    }
}

struct Search<'a> {
    steps: &'a [Step],
    entries: &'a [Entry],
    /// From where nothing was found: time, calls that are left, what is there, and how many entries there were.
    seen: HashSet<(u64, u128, Life, usize)>,
}

impl Search<'_> {
    /// Whether the calls that are left can go on from here; `None` if it takes too long to tell.
    fn goes_on(&mut self, now: u64, left: u128, life: Life, written: usize) -> Option<bool> {
        if self.is_over(left, life, written) {
            return Some(true);
        }
        if self.seen.len() > STEPS {
            return None;
        }
        if !self.seen.insert((now, left, life, written)) {
            return Some(false);
        }
        // By when the next call has to come.
        let urgent = (0..self.steps.len())
            .filter(|i| left & (1 << i) != 0 && self.steps[*i].answer.is_some())
            .map(|i| self.steps[i].last)
            .min()
            .unwrap_or(SOMETIME);
        for i in (0..self.steps.len()).filter(|i| left & (1 << i) != 0) {
            let step = &self.steps[i];
            let soonest = now.max(step.first);
            let rest = left & !(1 << i);
            let latest = step.last.min(urgent);
            // While what is there is alive, or nothing is.
            let (soonest, in_time) = match life {
                Life::Absent { since } if step.settles() => (soonest.max(since), true),
                Life::Absent { .. } => (soonest, true),
                Life::Alive { latest, .. } => (soonest, soonest <= latest),
            };
            if soonest <= latest
                && in_time
                && let Some(then) = step.done(life, soonest)
                && self.goes_on(soonest, rest, then, written)?
            {
                return Some(true);
            }
            // After it has expired.
            let step = &self.steps[i];
            if let Some(entry) = self.entries.get(written)
                && life.ends_as(entry)
            {
                let since = entry.written;
                let after = if step.settles() { since } else { entry.deadline + 1 };
                let soonest = soonest.max(after);
                if soonest <= latest
                    && let Some(then) = step.done(Life::Absent { since }, soonest)
                    && self.goes_on(soonest, rest, then, written + 1)?
                {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    /// Whether all that was answered is told, and what is still alive has ended as the log says.
    fn is_over(&self, left: u128, life: Life, written: usize) -> bool {
        let answered = |i: &usize| left & (1 << i) != 0 && self.steps[*i].answer.is_some();
        if (0..self.steps.len()).any(|i| answered(&i)) {
            return false;
        }
        match (life, &self.entries[written..]) {
            (Life::Absent { .. }, []) => true,
            (life, [entry]) => life.ends_as(entry),
            _ => false,
        }
    }
}

impl Life {
    fn ends_as(self, entry: &Entry) -> bool {
        let Self::Alive {
            nonce,
            earliest,
            latest,
        } = self
        else {
            return false;
        };
        latest != NEVER
            && (earliest..=latest).contains(&entry.deadline)
            && entry.nonce.is_none_or(|found| found == nonce)
    }
}

impl Step {
    /// What is there when it is done at this time, to what was there; `None` if it was answered otherwise.
    fn done(&self, life: Life, now: u64) -> Option<Life> {
        let alive = matches!(life, Life::Alive { .. });
        let begun = |nonce, term: Option<u64>| Life::Alive {
            nonce,
            earliest: term.map_or(NEVER, |term| now + term),
            latest: term.map_or(NEVER, |term| self.last.saturating_add(term).min(SOMETIME)),
        };
        let (then, answers) = match (self.what, life) {
            (What::Save { term }, _) => {
                let created = matches!(self.answer, Some(Outcome::Saved { created, .. }) if created == alive);
                (begun(self.nonce, term), !created)
            }
            (What::Insert { .. }, Life::Alive { .. }) => (life, self.answered(Outcome::Exists)),
            (What::Insert { term }, Life::Absent { .. }) => {
                let inserted = !matches!(
                    self.answer,
                    Some(Outcome::Exists | Outcome::Saved { created: false, .. })
                );
                (begun(self.nonce, term), inserted)
            }
            (What::Update { term }, Life::Alive { .. }) => {
                (begun(self.nonce, term), self.answered(Outcome::There(true)))
            }
            (What::Renew { term }, Life::Alive { nonce, .. }) => {
                (begun(nonce, term), self.answered(Outcome::There(true)))
            }
            (What::Update { .. } | What::Renew { .. }, Life::Absent { .. }) => {
                (life, self.answered(Outcome::There(false)))
            }
            (What::Delete, _) => (Life::Absent { since: now }, self.answered(Outcome::There(alive))),
            (What::Read, Life::Alive { nonce, .. }) => (life, self.answered(Outcome::Read(Some(nonce)))),
            (What::Read, Life::Absent { .. }) => (life, self.answered(Outcome::Read(None))),
        };
        answers.then_some(then)
    }

    fn answered(&self, outcome: Outcome) -> bool {
        self.answer.is_none_or(|answer| answer == outcome)
    }

    /// Whether it writes the event of what has expired and that nobody has seen to yet.
    fn settles(&self) -> bool {
        matches!(self.what, What::Save { .. } | What::Insert { .. } | What::Delete)
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {:?}", self.began, self.what, self.nonce)?;
        match self.ended {
            Some((ended, outcome)) => write!(f, " → {ended} {outcome:?}"),
            None => write!(f, " → never answered"),
        }
    }
}

impl Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = self.calls.iter().map(|call| (call.began, call.to_string()));
        let entries = self
            .entries
            .iter()
            .map(|entry| (entry.written, format!("    {entry:?}")));
        let mut lines: Vec<_> = calls.chain(entries).collect();
        lines.sort();
        for (at, line) in lines {
            writeln!(f, "  {at}: {line}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "history/tests.rs"]
mod tests;
