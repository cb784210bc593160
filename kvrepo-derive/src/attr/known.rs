//! The names that attributes can have, and what to say of others.

use super::Kind;

/// The keys of `#[kv(…)]` on a struct.
const CONTAINER: [&str; 7] = [
    "keyspace",
    "time_to_live",
    "idle",
    "time_to_live_fn",
    "shadow_copy",
    "type_alias",
    "crate",
];

/// The keys of `#[kv(…)]` on a field.
const FIELD: [&str; 1] = ["json"];

/// The attributes of fields that stand alone.
const FIELD_ATTRIBUTES: [&str; 8] = [
    "id",
    "time_to_live",
    "expires_at",
    "version",
    "nested",
    "reference",
    "indexed",
    "geo_indexed",
];

/// What people write who know it from elsewhere.
const ELSEWHERE: [(&str, &str); 28] = [
    ("alias", "type_alias"),
    ("deadline", "expires_at"),
    ("embedded", "nested"),
    ("etag", "version"),
    ("expiration", "expires_at"),
    ("expire", "time_to_live"),
    ("expires", "expires_at"),
    ("expires_in", "time_to_live"),
    ("expiry", "expires_at"),
    ("foreign_key", "reference"),
    ("geo", "geo_indexed"),
    ("idle_timeout", "idle"),
    ("index", "indexed"),
    ("key", "keyspace"),
    ("lifetime", "time_to_live"),
    ("maxIdle", "idle"),
    ("max_age", "time_to_live"),
    ("max_idle", "idle"),
    ("name", "keyspace"),
    ("prefix", "keyspace"),
    ("primary_key", "id"),
    ("ref", "reference"),
    ("revision", "version"),
    ("sliding", "idle"),
    ("time_to_idle", "idle"),
    ("tti", "idle"),
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

/// What is said of an attribute `#[name]` that stands on a struct, if it is kvrepo's.
pub(super) fn attribute_on_struct(name: &str, kind: Kind) -> Option<String> {
    if !FIELD_ATTRIBUTES.contains(&name) {
        return None;
    }
    let hint = match (name, kind) {
        ("time_to_live", Kind::Entity) => "; for a default write `#[kv(time_to_live = \"30m\")]`",
        ("nested", Kind::Entity) => "; a struct that is nested derives `KvNested`",
        ("nested", Kind::Nested) => "; the struct itself need only derive `KvNested`",
        _ => "",
    };
    Some(format!("`#[{name}]` belongs on a field{hint}"))
}

/// What is said of an unknown key on an entity.
pub(super) fn unknown_on_struct(key: &str) -> String {
    if FIELD.contains(&key) {
        return format!("`{key}` belongs on a field: `#[kv({key})]`");
    }
    if FIELD_ATTRIBUTES.contains(&key) {
        return format!("`{key}` belongs on a field: `#[{key}]`");
    }
    if let Some(meant) = meant(key, &CONTAINER) {
        return format!("unknown key `{key}`; did you mean `{meant}`?");
    }
    if let Some(meant) = meant(key, &FIELD_ATTRIBUTES) {
        return format!("unknown key `{key}`; did you mean `#[{meant}]`, on a field?");
    }
    unknown(key, "a struct", &CONTAINER)
}

/// What is said of any key but `crate` on a nested struct.
pub(super) fn unknown_on_nested(key: &str) -> String {
    if CONTAINER.contains(&key) {
        return format!("`{key}` belongs on the entity; remove it from the nested struct");
    }
    if let Some(meant) = meant(key, &["crate"]) {
        return format!("unknown key `{key}`; did you mean `{meant}`?");
    }
    unknown(key, "a nested struct", &["crate"])
}

/// What is said of an unknown key on a field.
pub(super) fn unknown_on_field(key: &str, kind: Kind) -> String {
    if FIELD_ATTRIBUTES.contains(&key) {
        return format!("`{key}` is an attribute of its own: `#[{key}]`");
    }
    let (known, place): (&[&str], _) = match kind {
        Kind::Entity => (&FIELD, "the struct"),
        Kind::Nested => (&[], "the entity"),
    };
    if CONTAINER.contains(&key) {
        return format!("`{key}` belongs on {place}: `#[kv({key} = …)]`");
    }
    if let Some(meant) = meant(key, known) {
        return format!("unknown key `{key}`; did you mean `{meant}`?");
    }
    if let Some(meant) = meant(key, &FIELD_ATTRIBUTES) {
        return format!("unknown key `{key}`; did you mean `#[{meant}]`?");
    }
    unknown(key, "a field", known)
}

/// What is said of an unknown key of an attribute of its own.
pub(super) fn unknown_of(key: &str, attribute: &str, takes: &str, known: &[&str]) -> String {
    let known: Vec<&str> = known.iter().copied().chain(["name"]).collect();
    match meant(key, &known) {
        Some(meant) => format!("unknown key `{key}`; did you mean `{meant}`?"),
        None => format!("unknown key `{key}`; `#[{attribute}(…)]` takes {takes}"),
    }
}

fn unknown(key: &str, place: &str, known: &[&str]) -> String {
    if SERDE.contains(&key) {
        return format!("`{key}` is serde's: write it in `#[serde(…)]`, kvrepo honours it");
    }
    if known.is_empty() {
        return format!(
            "unknown key `{key}`; on a field of a nested struct there is no `#[kv(…)]`, remove it"
        );
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
            ("keyspce", "`keyspace`?"),
            ("key_space", "`keyspace`?"),
            ("timeToLive", "`time_to_live`?"),
            ("time_to_live_f", "`time_to_live_fn`?"),
            ("shadowcopy", "`shadow_copy`?"),
            ("ttl", "`time_to_live`?"),
            ("name", "`keyspace`?"),
            ("max_idle", "`idle`?"),
            ("idl", "`idle`?"),
            ("expires_at_", "`#[expires_at]`, on a field?"),
            ("versoin", "`#[version]`, on a field?"),
        ] {
            let message = unknown_on_struct(key);
            assert!(message.contains(&format!("did you mean {meant}")), "{message}");
        }
        assert!(unknown_on_struct("colour").ends_with("`type_alias`, `crate`"));
        assert!(unknown_on_struct("rename_all").contains("is serde's"));
    }

    #[test]
    fn the_nearest_attribute_is_suggested() {
        for (key, meant) in [
            ("jsn", "`json`?"),
            ("ttl", "`#[time_to_live]`?"),
            ("expire_at", "`#[expires_at]`?"),
            ("expiresAt", "`#[expires_at]`?"),
            ("deadline", "`#[expires_at]`?"),
            ("revision", "`#[version]`?"),
            ("embedded", "`#[nested]`?"),
            ("ref", "`#[reference]`?"),
            ("references", "`#[reference]`?"),
        ] {
            let message = unknown_on_field(key, Kind::Entity);
            assert!(message.contains(&format!("did you mean {meant}")), "{message}");
        }
        assert!(unknown_on_field("default", Kind::Entity).contains("is serde's"));
        assert!(unknown_on_field("jsn", Kind::Nested).contains("remove it"));
    }

    #[test]
    fn what_belongs_elsewhere_is_sent_there() {
        assert!(unknown_on_struct("version").ends_with("on a field: `#[version]`"));
        assert!(unknown_on_field("idle", Kind::Entity).ends_with("on the struct: `#[kv(idle = …)]`"));
        assert!(unknown_on_field("idle", Kind::Nested).ends_with("on the entity: `#[kv(idle = …)]`"));
        assert!(unknown_on_nested("keyspace").contains("belongs on the entity"));
        assert!(unknown_on_nested("crat").contains("did you mean `crate`?"));
        let hint = attribute_on_struct("nested", Kind::Entity).unwrap();
        assert!(hint.ends_with("derives `KvNested`"));
        assert_eq!(attribute_on_struct("derive", Kind::Entity), None);
    }
}
