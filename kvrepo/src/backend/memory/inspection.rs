//! Looking at everything in memory: only indexes can disagree, when a type has others than those who wrote.

use std::collections::BTreeSet;

use super::super::index::{Entry, entries};
use super::super::{Disagreement, Finding, Inspect, Inspected, Keyspace};
use super::space::Space;

pub(super) fn look(space: &mut Space, keyspace: &Keyspace, inspect: &Inspect, now: u64) -> Inspected {
    let count = inspect.count.max(1);
    let ids = space.ids_after(inspect.cursor.as_deref(), count);
    let mut inspected = Inspected {
        looked: ids.len() as u64,
        total: space.ids().count() as u64,
        next: ids.last().cloned().filter(|_| ids.len() == count),
        ..Inspected::default()
    };
    for id in ids {
        let Some(entity) = space.living(&id, now) else {
            continue;
        };
        // What cannot be indexed has no entry, as on a server.
        let mut wanted = BTreeSet::new();
        for index in keyspace.indexes() {
            wanted.extend(entries(std::slice::from_ref(index), &entity.content.record).unwrap_or_default());
        }
        let there: BTreeSet<Entry> = entity.content.entries.iter().cloned().collect();
        let taken: Vec<Entry> = wanted
            .iter()
            .filter(|entry| matches!(entry, Entry::Unique { .. }))
            .filter(|entry| {
                space
                    .holders(entry)
                    .any(|holder| *holder != id && space.living(holder, now).is_some())
            })
            .cloned()
            .collect();
        let mut tell = |disagreement| inspected.findings.push(Finding::new(id.clone(), disagreement));
        let mention = |entry: &Entry| entry.mention(keyspace.base());
        for entry in there.difference(&wanted) {
            tell(Disagreement::Stale(mention(entry)));
        }
        for entry in wanted.difference(&there).filter(|entry| !taken.contains(entry)) {
            tell(Disagreement::Missing(mention(entry)));
        }
        for entry in &taken {
            tell(Disagreement::Taken(mention(entry)));
        }
        if inspect.mend {
            wanted.retain(|entry| !taken.contains(entry));
            space.reindex(&id, wanted.into_iter().collect());
        }
    }
    inspected
}
