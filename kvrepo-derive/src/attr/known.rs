//! The names that attributes can have, and what to say of others.

/// The keys of `#[kv(…)]` on a struct.
const CONTAINER: [&str; 6] = [
    "keyspace",
    "time_to_live",
    "time_to_live_fn",
    "shadow_copy",
    "type_alias",
    "crate",
];

/// The keys of `#[kv(…)]` on a field.
const FIELD: [&str; 1] = ["json"];

/// The attributes of fields that stand alone.
const FIELD_ATTRIBUTES: [&str; 2] = ["id", "time_to_live"];

/// What a later version has: keys and attributes.
const LATER: [&str; 7] = [
    "idle",
    "expires_at",
    "geo_indexed",
    "indexed",
    "nested",
    "reference",
    "version",
];

/// What people write who know it from elsewhere.
const ELSEWHERE: [(&str, &str); 6] = [
    ("alias", "type_alias"),
    ("key", "keyspace"),
    ("name", "keyspace"),
    ("prefix", "keyspace"),
    ("ttl", "time_to_live"),
    ("ttl_fn", "time_to_live_fn"),
];

/// Serde's, which belong into `#[serde(…)]`.
const SERDE: [&str; 9] = [
    "alias",
    "default",
    "flatten",
    "rename",
    "rename_all",
    "serialize_with",
    "skip",
    "skip_serializing_if",
    "with",
];

/// Whether an attribute of this name belongs to a later version.
pub(super) fn is_later(name: &str) -> bool {
    LATER.contains(&name)
}

/// What is said of a key or an attribute of a later version.
pub(super) fn later(shown: &str) -> String {
    format!("`{shown}` is not supported by this version of kvrepo; remove it")
}

/// What is said of an unknown key on a struct.
pub(super) fn unknown_on_struct(key: &str) -> String {
    if is_later(key) {
        return later(&format!("#[kv({key} = …)]"));
    }
    if FIELD.contains(&key) {
        return format!("`{key}` belongs on a field: `#[kv({key})]`");
    }
    if FIELD_ATTRIBUTES.contains(&key) {
        return format!("`{key}` belongs on a field: `#[{key}]`");
    }
    unknown(key, "a struct", &CONTAINER)
}

/// What is said of an unknown key on a field.
pub(super) fn unknown_on_field(key: &str) -> String {
    if is_later(key) {
        return later(&format!("#[kv({key})]"));
    }
    if FIELD_ATTRIBUTES.contains(&key) {
        return format!("`{key}` is an attribute of its own: `#[{key}]`");
    }
    if CONTAINER.contains(&key) {
        return format!("`{key}` belongs on the struct: `#[kv({key} = …)]`");
    }
    unknown(key, "a field", &FIELD)
}

fn unknown(key: &str, place: &str, known: &[&str]) -> String {
    if let Some(meant) = meant(key, known) {
        return format!("unknown key `{key}`; did you mean `{meant}`?");
    }
    if SERDE.contains(&key) {
        return format!("`{key}` is serde's: write it in `#[serde(…)]`, kvrepo honours it");
    }
    let list: Vec<_> = known.iter().map(|key| format!("`{key}`")).collect();
    format!(
        "unknown key `{key}`; `#[kv(…)]` on {place} takes {}",
        list.join(", ")
    )
}

fn meant<'a>(key: &str, known: &[&'a str]) -> Option<&'a str> {
    let elsewhere = ELSEWHERE
        .iter()
        .find(|(theirs, ours)| *theirs == key && known.contains(ours));
    if let Some((_, ours)) = elsewhere {
        return Some(ours);
    }
    known
        .iter()
        .map(|known| (distance(key, known), *known))
        .filter(|(distance, known)| *distance <= known.len() / 3)
        .min()
        .map(|(_, known)| known)
}

/// How many characters have to be put in, left out or replaced.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        let mut left = i + 1;
        for (y, (above_left, above)) in b.iter().zip(row.iter().zip(row.iter().skip(1))) {
            left = (above_left + usize::from(x != *y)).min(above + 1).min(left + 1);
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        for (a, b, edits) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("ab", "ba", 2),
        ] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
        }
    }

    #[test]
    fn the_nearest_key_is_suggested() {
        for (key, meant) in [
            ("keyspce", "keyspace"),
            ("key_space", "keyspace"),
            ("timeToLive", "time_to_live"),
            ("time_to_live_f", "time_to_live_fn"),
            ("shadowcopy", "shadow_copy"),
            ("ttl", "time_to_live"),
            ("name", "keyspace"),
        ] {
            assert!(
                unknown_on_struct(key).contains(&format!("did you mean `{meant}`?")),
                "{key}"
            );
        }
        assert!(unknown_on_struct("colour").ends_with("`type_alias`, `crate`"));
        assert!(unknown_on_struct("rename_all").contains("is serde's"));
        assert!(unknown_on_field("jsn").contains("did you mean `json`?"));
    }
}
