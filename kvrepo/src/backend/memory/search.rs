//! What a plan finds in memory.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use super::super::index::Entry;
use super::super::{Edge, Hit, PathPart, Plan, Select, Selected, Sorting};
use super::geo::distance_within;
use super::space::Space;

/// The ids of the living that a plan finds.
pub(super) fn find(space: &Space, plan: &Plan, now: u64) -> BTreeSet<String> {
    let mut found = evaluate(space, plan);
    found.retain(|id| space.living(id, now).is_some());
    found
}

pub(super) fn select(space: &Space, select: &Select, now: u64) -> Selected {
    let found = find(space, &select.plan, now);
    let mut selected = Selected {
        total: found.len() as u64,
        ..Selected::default()
    };
    let distances = distances(space, select);
    let mut hits: Vec<Hit> = found
        .into_iter()
        .map(|id| with_keys(space, select, &distances, id, now))
        .collect();
    if let Some(after) = &select.after {
        let mut last = Hit::new(after.id.clone());
        last.keys.clone_from(&after.keys);
        hits.retain(|hit| compare(&select.sorting, &last, hit) == Ordering::Less);
    }
    hits.sort_by(|a, b| compare(&select.sorting, a, b));
    selected.hits = hits
        .into_iter()
        .skip(select.skip)
        .take(select.limit.unwrap_or(usize::MAX))
        .collect();
    selected
}

fn evaluate(space: &Space, plan: &Plan) -> BTreeSet<String> {
    match plan {
        Plan::All => space.ids().cloned().collect(),
        Plan::Ids(ids) => {
            let wanted: BTreeSet<_> = ids.iter().collect();
            space.ids().filter(|id| wanted.contains(id)).cloned().collect()
        }
        Plan::Equality { name, values, exact } => {
            let holders = values.iter().flat_map(|value| {
                let entry = Entry::Equality {
                    name: name.clone(),
                    value: value.clone(),
                };
                space.holders(&entry).cloned().collect::<Vec<_>>()
            });
            let exactly = |id: &String| exact.as_ref().is_none_or(|path| holds(space, id, path, values));
            holders.filter(exactly).collect()
        }
        Plan::Unique { name, values } => {
            let holders = values.iter().flat_map(|value| {
                let entry = Entry::Unique {
                    name: name.clone(),
                    value: value.clone(),
                };
                space.holders(&entry).cloned().collect::<Vec<_>>()
            });
            holders.collect()
        }
        Plan::Range { name, from, to } => range(space, name, from, to),
        Plan::Within { name, .. } => points(space, plan, name).into_keys().collect(),
        Plan::Stored(fields) => {
            let stored = |id: &&String| {
                space.entity(id).is_some_and(|entity| {
                    let record = &entity.content.record;
                    fields.iter().all(|(path, value)| record.get(path) == Some(value))
                })
            };
            space.ids().filter(stored).cloned().collect()
        }
        Plan::And(all, none) => {
            let mut all = all.iter().map(|plan| evaluate(space, plan));
            let mut found = all.next().unwrap_or_default();
            for other in all {
                found.retain(|id| other.contains(id));
            }
            for plan in none {
                let other = evaluate(space, plan);
                found.retain(|id| !other.contains(id));
            }
            found
        }
        Plan::Or(any) => any.iter().flat_map(|plan| evaluate(space, plan)).collect(),
    }
}

fn range(space: &Space, name: &str, from: &Edge, to: &Edge) -> BTreeSet<String> {
    let entry = |key: &[u8]| Entry::Range {
        name: name.to_owned(),
        key: key.to_vec(),
    };
    let above = |key: &[u8]| match from {
        Edge::Open => true,
        Edge::Included(least) => key >= least.as_slice(),
        Edge::Excluded(least) => key > least.as_slice(),
        Edge::Behind(prefix) => key > prefix.as_slice() && !key.starts_with(prefix),
    };
    let below = |key: &[u8]| match to {
        Edge::Open => true,
        Edge::Included(greatest) => key <= greatest.as_slice(),
        Edge::Excluded(greatest) => key < greatest.as_slice(),
        Edge::Behind(prefix) => key <= prefix.as_slice() || key.starts_with(prefix),
    };
    let least = match from {
        Edge::Open => entry(b""),
        Edge::Included(key) | Edge::Excluded(key) | Edge::Behind(key) => entry(key),
    };
    let from = Bound::Included((least, String::new()));
    let mut found = BTreeSet::new();
    for (entry, id) in space.indexed.range((from, Bound::Unbounded)) {
        match entry {
            Entry::Range { name: own, key } if own == name => {
                if !below(key) {
                    break;
                }
                if above(key) {
                    found.insert(id.clone());
                }
            }
            _ => break,
        }
    }
    found
}

/// The ids within an area, with their distances to its middle.
fn points(space: &Space, plan: &Plan, name: &str) -> BTreeMap<String, f64> {
    let Plan::Within { area, .. } = plan else {
        return BTreeMap::new();
    };
    let least = Entry::Geo {
        key: name.to_owned(),
        lon: Vec::new(),
        lat: Vec::new(),
    };
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<f64>().ok();
    let mut found = BTreeMap::new();
    for (entry, id) in space.indexed.range((least, String::new())..) {
        match entry {
            Entry::Geo { key, lon, lat } if key == name => {
                let distance = number(lon)
                    .zip(number(lat))
                    .and_then(|(lon, lat)| distance_within(area, lon, lat));
                if let Some(distance) = distance {
                    found.insert(id.clone(), distance);
                }
            }
            _ => break,
        }
    }
    found
}

/// The distances to what is sorted by.
fn distances(space: &Space, select: &Select) -> BTreeMap<String, f64> {
    let Sorting::Distance { name, lon, lat } = &select.sorting else {
        return BTreeMap::new();
    };
    fn find<'p>(plan: &'p Plan, sorted: &(&String, &f64, &f64)) -> Option<&'p Plan> {
        match plan {
            Plan::Within { name, area } if (name, &area.lon, &area.lat) == *sorted => Some(plan),
            Plan::And(all, _) => all.iter().find_map(|plan| find(plan, sorted)),
            _ => None,
        }
    }
    find(&select.plan, &(name, lon, lat)).map_or_else(BTreeMap::new, |plan| points(space, plan, name))
}

fn with_keys(space: &Space, select: &Select, distances: &BTreeMap<String, f64>, id: String, now: u64) -> Hit {
    let mut hit = Hit::new(id);
    match &select.sorting {
        Sorting::By(keys) => {
            let record = space.living(&hit.id, now).map(|entity| &entity.content.record);
            hit.keys = keys
                .iter()
                .map(|key| key.order.key_at(record?, &key.path)?.found())
                .collect();
        }
        Sorting::Distance { .. } => {
            // Four decimals, as the server says them.
            let text = distances.get(&hit.id).map(|distance| format!("{distance:.4}"));
            hit.distance = text.as_deref().and_then(|text| text.parse().ok());
            hit.keys = vec![text.map(String::into_bytes)];
        }
    }
    hit
}

fn compare(sorting: &Sorting, a: &Hit, b: &Hit) -> Ordering {
    let by_id = a.id.cmp(&b.id);
    match sorting {
        Sorting::By(keys) => {
            let mut orders = keys
                .iter()
                .zip(a.keys.iter().zip(&b.keys))
                .map(|(key, (a, b))| if key.descending { b.cmp(a) } else { a.cmp(b) });
            orders.find(|order| order.is_ne()).unwrap_or(by_id)
        }
        Sorting::Distance { .. } => {
            let meters = |hit: &Hit| {
                let text = hit.keys.first()?.as_deref()?;
                std::str::from_utf8(text).ok()?.parse::<f64>().ok()
            };
            let (a, b) = (meters(a).unwrap_or(f64::MAX), meters(b).unwrap_or(f64::MAX));
            a.total_cmp(&b).then(by_id)
        }
    }
}

/// Whether an entity has one of these values at this path.
fn holds(space: &Space, id: &str, path: &[PathPart], values: &[Vec<u8>]) -> bool {
    space.entity(id).is_some_and(|entity| {
        let mut fields = entity.content.record.iter();
        fields.any(|(field, value)| values.iter().any(|wanted| wanted == value) && is_at(field, path))
    })
}

fn is_at(field: &str, path: &[PathPart]) -> bool {
    let mut rest = field;
    for part in path {
        let behind = match part {
            PathPart::Text(text) => rest.strip_prefix(text.as_str()),
            PathPart::Position => {
                let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                (digits.len() < rest.len()).then_some(digits)
            }
        };
        match behind {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    rest.is_empty()
}
