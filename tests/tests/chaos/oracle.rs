//! What ought to have happened, and whether it did.

#[path = "oracle/delivery.rs"]
mod delivery;
#[path = "oracle/history.rs"]
mod history;
#[path = "oracle/log.rs"]
mod log;

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display};

use kvrepo_tests::chaos::journal::{Outcome, Record, What};
use kvrepo_tests::chaos::worker::Role;
use kvrepo_tests::world::millis;

pub use self::history::Call;
use self::history::{Entry, History};
pub use self::log::Logs;

const MINUTE: u64 = 60_000;

/// What the workers of one place have noted, one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Noted<'a> {
    pub role: Role,
    pub slot: u64,
    pub skew: i64,
    pub records: &'a [Record],
}

/// A call that the test made itself.
#[derive(Debug, Clone)]
pub struct Own {
    pub space: &'static str,
    pub id: String,
    pub call: Call,
}

/// What a run came to.
#[derive(Debug, Default)]
pub struct Verdict {
    pub calls: u64,
    pub saves: u64,
    pub unknown: u64,
    pub expiries: u64,
    pub events: u64,
    pub duplicates: u64,
    /// The longest times from a deadline to the entry in the log, and to a listener, in milliseconds.
    pub reaped_after: u64,
    pub heard_after: u64,
    pub findings: Vec<String>,
}

impl Verdict {
    /// `begun` is when the workers were started, in milliseconds since 1970; `calm` says that no process was killed or
    /// stood still.
    pub fn of(noted: &[Noted<'_>], own: &[Own], logs: &Logs, begun: u64, calm: bool) -> Self {
        let mut verdict = Self {
            findings: logs.findings.clone(),
            ..Self::default()
        };
        for worker in noted {
            verdict.look_at(worker, begun);
        }
        verdict.judge_lives(noted, own, logs);
        verdict.judge_deliveries(noted, logs, calm);
        verdict
    }

    fn look_at(&mut self, worker: &Noted<'_>, begun: u64) {
        let who = format!("{} {}", worker.role.name(), worker.slot);
        // The first of its place was started at the beginning, and says so if its clock is as wrong as it was to be.
        let started = worker.records.iter().find_map(|record| match record {
            Record::Started { at } => Some(*at),
            _ => None,
        });
        if started.is_none_or(|at| at.abs_diff(begun) > MINUTE) {
            self.findings.push(format!(
                "{who}: its clock is not {} ms ahead: it began at {started:?}",
                worker.skew
            ));
        }
        for record in worker.records {
            match record {
                Record::Failed(what) => self.findings.push(format!("{who}: {what}")),
                Record::Began { what, .. } => {
                    self.calls += 1;
                    self.saves += u64::from(matches!(what, What::Save { .. } | What::Insert { .. }));
                }
                Record::Ended { outcome, .. } => self.unknown += u64::from(*outcome == Outcome::Unknown),
                Record::Heard(heard) => {
                    self.heard_after = self.heard_after.max(heard.at.saturating_sub(heard.deadline));
                }
                _ => {}
            }
        }
    }

    /// Each life for itself: whether it ended as it had to.
    fn judge_lives(&mut self, noted: &[Noted<'_>], own: &[Own], logs: &Logs) {
        let mut histories: BTreeMap<(String, String), History> = BTreeMap::new();
        let mut calls: HashMap<u64, (String, String, Call)> = HashMap::new();
        for record in noted.iter().flat_map(|worker| worker.records) {
            match record {
                Record::Began {
                    call,
                    at,
                    space,
                    id,
                    what,
                } => {
                    let begun = Call {
                        nonce: *call,
                        what: *what,
                        began: *at,
                        ended: None,
                    };
                    if calls.insert(*call, (space.clone(), id.clone(), begun)).is_some() {
                        self.findings.push(format!("two calls have the number {call}"));
                    }
                }
                Record::Ended { call, at, outcome } => {
                    if let Some((_, _, call)) = calls.get_mut(call) {
                        call.ended = Some((*at, *outcome));
                    }
                }
                _ => {}
            }
        }
        for (space, id, call) in calls.into_values() {
            histories.entry((space, id)).or_default().calls.push(call);
        }
        for Own { space, id, call } in own {
            let history = histories.entry(((*space).to_owned(), id.clone())).or_default();
            history.calls.push(call.clone());
        }
        for (space, entries) in &logs.entries {
            for logged in entries {
                self.expiries += 1;
                let entry = Entry {
                    written: millis(logged.position.written_at()),
                    deadline: logged.deadline,
                    nonce: logged.nonce,
                };
                self.reaped_after = self
                    .reaped_after
                    .max(entry.written.saturating_sub(entry.deadline));
                let place = ((*space).to_owned(), logged.id.clone());
                histories.entry(place).or_default().entries.push(entry);
            }
        }
        for ((space, id), history) in histories {
            if let Err(why) = history.explain() {
                self.findings.push(format!("{space}:{id}: {why}"));
            }
        }
    }

    fn judge_deliveries(&mut self, noted: &[Noted<'_>], logs: &Logs, calm: bool) {
        let mut groups: BTreeMap<&str, Vec<&[Record]>> = BTreeMap::new();
        for worker in noted {
            match worker.role {
                Role::Save => {}
                Role::Listen => {
                    let who = format!("listener {}", worker.slot);
                    self.add(delivery::broadcast(&who, logs, worker.records));
                }
                Role::Group | Role::Handle | Role::Serve => {
                    groups.entry(worker.role.name()).or_default().push(worker.records);
                }
            }
        }
        for (name, members) in groups {
            self.add(delivery::group(name, logs, &members, calm));
        }
    }

    fn add(&mut self, delivered: delivery::Delivered) {
        self.events += delivered.events;
        self.duplicates += delivered.again;
        self.findings.extend(delivered.findings);
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            calls,
            saves,
            unknown,
            expiries,
            events,
            duplicates,
            reaped_after,
            heard_after,
            findings,
        } = self;
        write!(
            f,
            "calls={calls} saves={saves} unknown={unknown} expiries={expiries} events={events} duplicates={duplicates} \
             max_reap_lag_ms={reaped_after} max_lag_ms={heard_after} findings={}",
            findings.len()
        )
    }
}
