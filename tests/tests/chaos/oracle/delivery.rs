//! Whether every listener got every event, as it stands in the log.

use std::collections::{BTreeMap, HashMap, HashSet};

use kvrepo::Position;
use kvrepo_tests::chaos::journal::{Heard, Record};

use super::log::{Logged, Logs};

/// What a listener or a group was handed.
#[derive(Debug, Default)]
pub struct Delivered {
    pub events: u64,
    /// How many of them had been handed out before.
    pub again: u64,
    pub findings: Vec<String>,
}

/// Whether a listener that went on where it was got every event once, in the log's order.
pub fn broadcast(who: &str, logs: &Logs, noted: &[Record]) -> Delivered {
    let mut delivered = Delivered::default();
    let index = Index::of(logs);
    let mut last: HashMap<&str, Position> = HashMap::new();
    for heard in heard(noted) {
        delivered.events += 1;
        delivered.findings.extend(index.judge(who, heard));
        let position = heard.position();
        let before = last.insert(&heard.space, position);
        if before.is_some_and(|before| before >= position) {
            delivered.findings.push(format!(
                "{who}: again, or out of order: {heard:?} after {before:?}"
            ));
        }
    }
    let all = heard_positions(noted);
    delivered.findings.extend(index.missing(who, &all));
    delivered
}

/// Whether the members of a group got every event, and none that was known to be acknowledged.
///
/// `calm` says that no process was killed or stood still: then it has to be once.
pub fn group(name: &str, logs: &Logs, members: &[&[Record]], calm: bool) -> Delivered {
    let mut delivered = Delivered::default();
    let index = Index::of(logs);
    let mut all: HashSet<(&str, Position)> = HashSet::new();
    for noted in members {
        // What the process has been handed: with how many deliveries, and whether it was acknowledged.
        let mut of_process: HashMap<(&str, Position), (u32, bool)> = HashMap::new();
        for record in *noted {
            match record {
                Record::Started { .. } => of_process.clear(),
                Record::Heard(heard) => {
                    delivered.events += 1;
                    delivered.findings.extend(index.judge(name, heard));
                    let place = (heard.space.as_str(), heard.position());
                    let again = !all.insert(place);
                    delivered.again += u64::from(again);
                    if again && calm {
                        delivered
                            .findings
                            .push(format!("{name}: again, and nobody was killed: {heard:?}"));
                    }
                    let before = of_process.insert(place, (heard.deliveries, false));
                    if before == Some((heard.deliveries, true)) {
                        delivered
                            .findings
                            .push(format!("{name}: again, although acknowledged: {heard:?}"));
                    }
                }
                Record::Acknowledged {
                    space,
                    position,
                    was_pending,
                    ..
                } => {
                    let place = (space.as_str(), position.parse().expect("a position"));
                    if let Some((_, acknowledged)) = of_process.get_mut(&place) {
                        *acknowledged = *was_pending;
                    }
                }
                _ => {}
            }
        }
    }
    let all = all
        .into_iter()
        .map(|(space, position)| (space.to_owned(), position))
        .collect();
    delivered.findings.extend(index.missing(name, &all));
    delivered
}

fn heard(noted: &[Record]) -> impl Iterator<Item = &Heard> {
    noted.iter().filter_map(|record| match record {
        Record::Heard(heard) => Some(heard),
        _ => None,
    })
}

fn heard_positions(noted: &[Record]) -> HashSet<(String, Position)> {
    heard(noted)
        .map(|heard| (heard.space.clone(), heard.position()))
        .collect()
}

/// The logs by position.
struct Index<'a>(BTreeMap<(&'a str, Position), &'a Logged>);

impl<'a> Index<'a> {
    fn of(logs: &'a Logs) -> Self {
        let entries = logs.entries.iter();
        Self(
            entries
                .flat_map(|(space, entries)| entries.iter().map(|entry| ((*space, entry.position), entry)))
                .collect(),
        )
    }

    /// What is wrong with an event.
    fn judge(&self, who: &str, heard: &Heard) -> Option<String> {
        let entry = self.0.get(&(heard.space.as_str(), heard.position()));
        let Some(entry) = entry else {
            return Some(format!("{who}: not in the log: {heard:?}"));
        };
        let same = (&entry.id, entry.deadline, entry.nonce) == (&heard.id, heard.deadline, heard.nonce);
        if !same || !heard.whole {
            return Some(format!("{who}: other than in the log: {heard:?}, {entry:?}"));
        }
        let early = heard.at < heard.deadline;
        early.then(|| format!("{who}: before it was due: {heard:?}"))
    }

    /// What was not heard.
    fn missing(&self, who: &str, all: &HashSet<(String, Position)>) -> Option<String> {
        let missing: Vec<_> = self
            .0
            .iter()
            .filter(|((space, position), _)| !all.contains(&((*space).to_owned(), *position)))
            .collect();
        let some = &missing[..missing.len().min(5)];
        (!missing.is_empty())
            .then(|| format!("{who}: {} events never came, among them {some:?}", missing.len()))
    }
}

#[cfg(test)]
#[path = "delivery/tests.rs"]
mod tests;
