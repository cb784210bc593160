//! Indexes, entries and plans as arguments of scripts; see `index.lua` and `plan.lua`.

use redis::Cmd;

use super::request::writes;
use super::script::{self, Invocation, Script};
use crate::backend::index::Entry;
use crate::backend::{Edge, Extent, Index, IndexKind, Keyspace, PathPart, Plan, Select, Sorting};
use crate::mapping::Step;

/// What an entity has in indexes.
pub(super) fn entries<'a>(call: Invocation<'a>, entries: &'a [Entry]) -> Invocation<'a> {
    entries
        .iter()
        .fold(call.number(entries.len() as u64), |call, entry| match entry {
            Entry::Equality { name, value } => call.bytes("equality").bytes(name).bytes(value),
            Entry::Range { name, key } => call.bytes("range").bytes(name).bytes(key),
            Entry::Unique { name, value } => call.bytes("unique").bytes(name).bytes(value),
            Entry::Geo { key, lon, lat } => call.bytes("geo").bytes(key).bytes(lon).bytes(lat),
        })
}

/// Which indexes there are.
pub(super) fn indexes<'a>(
    call: Invocation<'a>,
    indexes: impl ExactSizeIterator<Item = &'a Index>,
) -> Invocation<'a> {
    let call = call.number(indexes.len() as u64);
    indexes.fold(call, |call, index| {
        let (kind, order) = match index.kind() {
            IndexKind::Equality => ("equality", ""),
            IndexKind::Range(order) => ("range", order.word()),
            IndexKind::Unique => ("unique", ""),
            IndexKind::Geo => ("geo", ""),
        };
        let (path, pattern) = if index.is_many() {
            ("", pattern(index.path()))
        } else {
            (index.plain_path(), String::new())
        };
        let call = call.bytes(kind).bytes(order).bytes(path).owned(pattern);
        let name = index.name();
        if index.is_keyed() {
            let call = call.number(name.split('*').count() as u64);
            name.split('*').fold(call, |call, part| call.bytes(part))
        } else {
            call.number(1).bytes(name)
        }
    })
}

/// The Lua pattern of the paths that these steps lead along, with the keys of maps and the end as captures.
fn pattern(path: &[Step]) -> String {
    let mut pattern = String::from("^");
    for (at, step) in path.iter().enumerate() {
        if at > 0 {
            pattern.push_str("%.");
        }
        match step {
            Step::Field(name) => literal(&mut pattern, name),
            Step::Each => pattern.push_str("%[%d+%]"),
            Step::Entry => pattern.push_str("%[([^%]]*)%]"),
        }
    }
    pattern.push_str("()");
    pattern
}

/// A text that stands for itself in a Lua pattern.
fn literal(pattern: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '\0' => pattern.push_str("%z"),
            _ => {
                if c.is_ascii_punctuation() {
                    pattern.push('%');
                }
                pattern.push(c);
            }
        }
    }
}

/// The call that finds by a plan; `look` to look whether the entities are there.
pub(super) fn select<'a>(keyspace: &'a Keyspace, select: &'a Select) -> Invocation<'a> {
    let call = writes(&script::SELECT, keyspace);
    let call = plan(call, &select.plan, &select.sorting);
    let call = match &select.sorting {
        Sorting::Distance { .. } => call.bytes("distance"),
        Sorting::By(keys) => keys
            .iter()
            .fold(call.bytes("by").number(keys.len() as u64), |call, key| {
                call.bytes(&key.path).bytes(key.order.word()).flag(key.descending)
            }),
    };
    let call = match &select.after {
        None => call.bytes(""),
        Some(after) => {
            let call = call.bytes("after").number(after.keys.len() as u64);
            let call = after.keys.iter().fold(call, |call, key| match key {
                None => call.bytes("-"),
                Some(key) => call.owned([b"+", key.as_slice()].concat()),
            });
            call.bytes(&after.id)
        }
    };
    let call = call.number(select.skip as u64);
    let call = match select.limit {
        None => call.bytes(""),
        Some(limit) => call.number(limit as u64),
    };
    call.flag(select.look)
}

/// The command that finds all of a plan, also what has expired, if it is about sets and one command suffices.
pub(super) fn sets(keyspace: &Keyspace, plan: &Plan) -> Option<Cmd> {
    let keys = |part: &Plan| match part {
        Plan::All => Some(vec![keyspace.base().as_bytes().to_vec()]),
        Plan::Equality {
            name,
            values,
            exact: None,
        } => {
            let key = |value: &Vec<u8>| [format!("{}:{name}:", keyspace.base()).as_bytes(), value].concat();
            Some(values.iter().map(key).collect())
        }
        _ => None,
    };
    let (name, keys) = match plan {
        Plan::And(all, none) if none.is_empty() => {
            let all: Option<Vec<_>> = all.iter().map(keys).collect();
            let all = all.filter(|all| all.iter().all(|keys| keys.len() == 1))?;
            ("SINTER", all.concat())
        }
        Plan::Or(any) => {
            let any: Option<Vec<_>> = any.iter().map(keys).collect();
            ("SUNION", any?.concat())
        }
        plan => ("SUNION", keys(plan)?),
    };
    if keys.is_empty() {
        return None;
    }
    let name = if keys.len() == 1 { "SMEMBERS" } else { name };
    let mut command = redis::cmd(name);
    command.arg(keys);
    Some(command)
}

/// The call of a script on a plan and some ids.
pub(super) fn of_plan<'a>(
    script: &'a Script,
    keyspace: &'a Keyspace,
    of: &'a Plan,
    ids: &'a [String],
) -> Invocation<'a> {
    let unsorted = const { &Sorting::By(Vec::new()) };
    let call = plan(writes(script, keyspace), of, unsorted);
    ids.iter().fold(call, |call, id| call.bytes(id))
}

fn plan<'a>(call: Invocation<'a>, of: &'a Plan, sorting: &Sorting) -> Invocation<'a> {
    let several = |call: Invocation<'a>, plans: &'a [Plan]| {
        plans.iter().fold(call.number(plans.len() as u64), |call, part| {
            plan(call, part, sorting)
        })
    };
    match of {
        Plan::All => call.bytes("all"),
        Plan::Ids(ids) => ids
            .iter()
            .fold(call.bytes("ids").number(ids.len() as u64), Invocation::bytes),
        Plan::Equality { name, values, exact } => {
            let call = call.bytes("equality").bytes(name);
            let call = match exact {
                None => call.bytes(""),
                Some(path) => call.owned(exactly(path)),
            };
            listed(call, values)
        }
        Plan::Unique { name, values } => listed(call.bytes("unique").bytes(name), values),
        Plan::Range { name, from, to } => call
            .bytes("range")
            .bytes(name)
            .owned(edge(from, b"-", (b"\0", b"\0\xff")))
            .owned(edge(to, b"+", (b"\0\xff", b"\0"))),
        Plan::Within { name, area } => {
            let noted = matches!(
                sorting,
                Sorting::Distance { name: sorted, lon, lat } if (sorted, lon, lat) == (name, &area.lon, &area.lat)
            );
            let call = call.bytes("within").bytes(name);
            let call = call
                .owned(area.lon.to_string())
                .owned(area.lat.to_string())
                .flag(noted);
            match area.extent {
                Extent::Radius(radius) => call
                    .number(3)
                    .bytes("BYRADIUS")
                    .owned(radius.to_string())
                    .bytes("m"),
                Extent::Box { width, height } => call
                    .number(4)
                    .bytes("BYBOX")
                    .owned(width.to_string())
                    .owned(height.to_string())
                    .bytes("m"),
            }
        }
        Plan::Stored(fields) => fields.iter().fold(
            call.bytes("stored").number(fields.len() as u64),
            |call, (path, value)| call.bytes(path).bytes(value),
        ),
        Plan::And(all, none) => several(several(call.bytes("and"), all), none),
        Plan::Or(any) => several(call.bytes("or"), any),
    }
}

fn listed<'a>(call: Invocation<'a>, values: &'a [Vec<u8>]) -> Invocation<'a> {
    values
        .iter()
        .fold(call.number(values.len() as u64), Invocation::bytes)
}

fn exactly(path: &[PathPart]) -> String {
    let mut pattern = String::from("^");
    for part in path {
        match part {
            PathPart::Text(text) => literal(&mut pattern, text),
            PathPart::Position => pattern.push_str("%d+"),
        }
    }
    pattern.push('$');
    pattern
}

/// An end of a range, as `ZRANGEBYLEX` has it: what stands in the index is a key with its zero bytes marked, a zero byte, and
/// the id. So what is equal to a key begins with it and a zero byte, and no id begins with `0xff`.
fn edge(edge: &Edge, open: &[u8], (included, excluded): (&[u8], &[u8])) -> Vec<u8> {
    let marked = |key: &[u8]| {
        let mut text = vec![b'['];
        for byte in key {
            text.push(*byte);
            if *byte == 0 {
                text.push(0xff);
            }
        }
        text
    };
    match edge {
        Edge::Open => open.to_vec(),
        Edge::Included(key) => [marked(key).as_slice(), included].concat(),
        Edge::Excluded(key) => [marked(key).as_slice(), excluded].concat(),
        // No text has this byte.
        Edge::Behind(prefix) => [marked(prefix).as_slice(), b"\xff"].concat(),
    }
}
