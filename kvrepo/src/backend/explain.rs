//! A plan in words, with the commands that a server is sent for it.

use std::fmt::Write;

use super::{Area, Edge, Extent, Keyspace, Plan, Select, Sorting};

/// What would be done.
pub(crate) fn explained(keyspace: &Keyspace, select: &Select) -> String {
    let mut text = format!("find `{}`, in one step:\n", keyspace.name());
    let base = keyspace.base();
    lines(&mut text, base, &select.plan, 1);
    let _ = writeln!(
        text,
        "  without what has expired: ZCOUNT {base}#deadlines -inf (now"
    );
    match &select.sorting {
        Sorting::By(keys) => {
            let mut by: Vec<String> = keys
                .iter()
                .map(|key| format!("{}{}", key.path, if key.descending { " descending" } else { "" }))
                .collect();
            let read = if by.is_empty() { "" } else { ": HMGET of each" };
            by.push("id".to_owned());
            let _ = writeln!(text, "  sort by {}{read}", by.join(", "));
        }
        Sorting::Distance { .. } => text.push_str("  sort by distance, id\n"),
    }
    if let Some(after) = &select.after {
        let _ = writeln!(text, "  only behind the id {}", after.id);
    }
    match (select.skip, select.limit) {
        (0, None) => {}
        (skip, None) => {
            let _ = writeln!(text, "  leave out the first {skip}");
        }
        (skip, Some(limit)) => {
            let _ = writeln!(text, "  leave out the first {skip}, then up to {limit}");
        }
    }
    let _ = write!(text, "then, in one pipeline: HGETALL {base}:id for each of these");
    text
}

fn lines(text: &mut String, base: &str, plan: &Plan, depth: usize) {
    let indent = "  ".repeat(depth);
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut line = |line: String| {
        let _ = writeln!(text, "{indent}{line}");
    };
    match plan {
        Plan::All => line(format!("all: SMEMBERS {base}")),
        Plan::Ids(ids) => line(format!("ids: SMISMEMBER {base} {}", ids.join(" "))),
        Plan::Equality { name, values, exact } => {
            let keys: Vec<_> = values
                .iter()
                .map(|value| format!("{base}:{name}:{}", shown(value)))
                .collect();
            let command = if keys.len() == 1 { "SMEMBERS" } else { "SUNION" };
            let looked = if exact.is_some() {
                ", then HGETALL of each, to be sure"
            } else {
                ""
            };
            line(format!("{name} is: {command} {}{looked}", keys.join(" ")));
        }
        Plan::Unique { name, values } => {
            let values: Vec<_> = values.iter().map(|value| shown(value)).collect();
            line(format!(
                "{name} is: HGET {base}#unique:{name} {}",
                values.join(" ")
            ));
        }
        Plan::Range { name, from, to } => line(format!(
            "{name} in range: ZRANGEBYLEX {base}#range:{name} {} {}",
            edge(from, "-", "["),
            edge(to, "+", "["),
        )),
        Plan::Within { name, area } => {
            line(format!("{name} within: GEOSEARCH {base}:{name} {}", around(area)));
        }
        Plan::And(all, none) => {
            line("all of (sets are met by SINTER, or SMISMEMBER of what the others find)".to_owned());
            for part in all {
                lines(text, base, part, depth + 1);
            }
            if !none.is_empty() {
                let _ = writeln!(text, "{indent}and none of");
                for part in none {
                    lines(text, base, part, depth + 1);
                }
            }
        }
        Plan::Or(any) => {
            line("any of (sets are united by SUNION)".to_owned());
            for part in any {
                lines(text, base, part, depth + 1);
            }
        }
        Plan::Stored(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(path, value)| format!("{path} {}", shown(value)))
                .collect();
            line(format!("stored with: HMGET of each, {}", fields.join(", ")));
        }
    }
}

fn edge(edge: &Edge, open: &str, included: &str) -> String {
    match edge {
        Edge::Open => open.to_owned(),
        Edge::Included(key) => format!("{included}{}", String::from_utf8_lossy(key)),
        Edge::Excluded(key) => format!("({}", String::from_utf8_lossy(key)),
        Edge::Behind(prefix) => format!("[{}…", String::from_utf8_lossy(prefix)),
    }
}

fn around(area: &Area) -> String {
    let extent = match area.extent {
        Extent::Radius(radius) => format!("BYRADIUS {radius} m"),
        Extent::Box { width, height } => format!("BYBOX {width} {height} m"),
    };
    format!("FROMLONLAT {} {} {extent}", area.lon, area.lat)
}
