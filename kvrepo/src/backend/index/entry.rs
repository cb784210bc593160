//! What of an entity stands in indexes.

use super::{Index, IndexKind, Key, geo_key};
use crate::mapping::{Record, Step, within};

/// One value of one entity in one index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Entry {
    Equality {
        name: String,
        value: Vec<u8>,
    },
    Range {
        name: String,
        key: Vec<u8>,
    },
    Unique {
        name: String,
        value: Vec<u8>,
    },
    /// The coordinates as they are stored.
    Geo {
        key: String,
        lon: Vec<u8>,
        lat: Vec<u8>,
    },
}

impl Entry {
    /// What the helper `:idx` has of it: the key of the index, or what stands for that and the value.
    pub(crate) fn mention(&self, base: &str) -> String {
        let text = |bytes| String::from_utf8_lossy(bytes);
        match self {
            Self::Equality { name, value } => format!("{base}:{name}:{}", text(value)),
            Self::Range { name, key } => format!("{base}#range:{name}:{}", text(key)),
            Self::Unique { name, value } => format!("{base}#unique:{name}:{}", text(value)),
            Self::Geo { key, .. } => format!("{base}:{key}"),
        }
    }
}

/// Where a value stands that cannot be indexed, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misfit {
    pub(crate) path: String,
    pub(crate) reason: String,
}

/// The greatest latitude that a geo index can hold; of the other sign, the least.
const GREATEST_LATITUDE: f64 = 85.051_128_78;

/// The entries that a record has, in order and each once, or of it the first that cannot be.
pub(crate) fn entries(indexes: &[Index], record: &Record) -> Result<Vec<Entry>, Misfit> {
    let mut found = Vec::with_capacity(indexes.len());
    for index in indexes {
        for_each(index, record, |_, entry| found.push(entry))?;
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Hands over each entry that a record has in an index, with the keys of the maps that its value stands in.
pub(crate) fn for_each(
    index: &Index,
    record: &Record,
    mut add: impl FnMut(&[&str], Entry),
) -> Result<(), Misfit> {
    if !index.is_many() {
        if let Some(entry) = at(index, record, index.plain_path(), &[])? {
            add(&[], entry);
        }
        return Ok(());
    }
    for (field, value) in record.iter() {
        match matched(index.path(), field) {
            Match::Value { keys, end } => {
                let path = field.get(..end).unwrap_or_default();
                if let Some(entry) = at(index, record, path, &keys)? {
                    add(&keys, entry);
                }
            }
            Match::Whole if value != b"[]" && value != b"{}" => {
                return Err(Misfit {
                    path: field.to_owned(),
                    reason: "it is stored as JSON in one field, as it holds a `None` or a key with `]`, and what is in it \
                             cannot be indexed; change it, or remove the index"
                        .to_owned(),
                });
            }
            Match::Whole | Match::None => {}
        }
    }
    Ok(())
}

/// The entry of the value at one path.
fn at(index: &Index, record: &Record, path: &str, keys: &[&str]) -> Result<Option<Entry>, Misfit> {
    let misfit = |reason: &str| Misfit {
        path: path.to_owned(),
        reason: reason.to_owned(),
    };
    let name = || index.name_with(keys);
    let entry = match index.kind() {
        IndexKind::Geo => {
            let part = |part: &str| record.get(&format!("{path}.{part}"));
            let (Some(lon), Some(lat)) = (part("x"), part("y")) else {
                return Ok(None);
            };
            let east = on_earth(lon, lat).map_err(misfit)?;
            Entry::Geo {
                key: geo_key(&name()),
                // Servers have no cell for the one meridian from the west, and search none there.
                lon: if east == 180.0 {
                    b"-180".to_vec()
                } else {
                    lon.to_vec()
                },
                lat: lat.to_vec(),
            }
        }
        IndexKind::Range(order) => match order.key_at(record, path) {
            None => return Ok(None),
            Some(Key::Nowhere) => return Ok(None),
            Some(Key::At(key)) => Entry::Range { name: name(), key },
            Some(Key::Misfit) => {
                let reason = format!(
                    "what is stored is not {}, so it has no place in a range index",
                    order.noun()
                );
                return Err(misfit(&reason));
            }
        },
        kind @ (IndexKind::Equality | IndexKind::Unique) => match record.get(path) {
            Some(value) if kind == IndexKind::Unique => Entry::Unique {
                name: name(),
                value: value.to_vec(),
            },
            Some(value) => Entry::Equality {
                name: name(),
                value: value.to_vec(),
            },
            None if record.iter().any(|(field, _)| within(field, path)) => {
                return Err(misfit(
                    "what is indexed is a single text or number, and this is stored in several fields; make it \
                     `#[nested]` and index those, or remove the index",
                ));
            }
            None => return Ok(None),
        },
    };
    Ok(Some(entry))
}

/// The longitude of a point that there is.
fn on_earth(lon: &[u8], lat: &[u8]) -> Result<f64, &'static str> {
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<f64>().ok();
    match (number(lon), number(lat)) {
        (Some(lon), Some(lat)) if (-180.0..=180.0).contains(&lon) => {
            if (-GREATEST_LATITUDE..=GREATEST_LATITUDE).contains(&lat) {
                Ok(lon)
            } else {
                Err("the latitude has to be from -85.05112878 to 85.05112878; is it the longitude?")
            }
        }
        _ => Err("the longitude has to be from -180 to 180, and both have to be numbers"),
    }
}

#[derive(Debug)]
enum Match<'f> {
    /// The field is a value of the index, or begins with its path, up to `end`.
    Value {
        keys: Vec<&'f str>,
        end: usize,
    },
    /// The field is a list or a map on the way to the values, as JSON.
    Whole,
    None,
}

fn matched<'f>(path: &[Step], field: &'f str) -> Match<'f> {
    let (mut rest, mut keys) = (field, Vec::new());
    for (at, step) in path.iter().enumerate() {
        if at > 0 {
            match rest.strip_prefix('.') {
                Some(behind) => rest = behind,
                None if rest.is_empty() && !matches!(step, Step::Field(_)) => return Match::Whole,
                None => return Match::None,
            }
        }
        let behind = match step {
            Step::Field(name) => rest.strip_prefix(name),
            Step::Each | Step::Entry => rest
                .strip_prefix('[')
                .and_then(|rest| rest.split_once(']'))
                .and_then(|(key, behind)| match step {
                    Step::Each => {
                        let position = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
                        position.then_some(behind)
                    }
                    _ => {
                        keys.push(key);
                        Some(behind)
                    }
                }),
        };
        match behind {
            Some(behind) => rest = behind,
            None => return Match::None,
        }
    }
    if rest.is_empty() || rest.starts_with('.') {
        Match::Value {
            keys,
            end: field.len() - rest.len(),
        }
    } else {
        Match::None
    }
}

#[cfg(test)]
mod tests {
    use super::super::Order;
    use super::*;

    fn record(fields: &[(&str, &str)]) -> Record {
        fields
            .iter()
            .map(|(path, value)| ((*path).to_owned(), value.as_bytes().to_vec()))
            .collect()
    }

    fn shown(kind: IndexKind, path: &[Step], fields: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let index = Index::new(kind, path.to_vec(), None);
        let found = entries(&[index], &record(fields)).map_err(|misfit| misfit.path)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(found
            .iter()
            .map(|entry| match entry {
                Entry::Equality { name, value } => format!("{name}={}", text(value)),
                Entry::Range { name, key } => format!("{name}>{}", text(key)),
                Entry::Unique { name, value } => format!("{name}!{}", text(value)),
                Entry::Geo { key, lon, lat } => format!("{key}@{},{}", text(lon), text(lat)),
            })
            .collect())
    }

    const EQUALITY: IndexKind = IndexKind::Equality;

    #[test]
    fn values_are_found_in_structs_lists_and_maps() {
        let (a, b) = (Step::Field("a"), Step::Field("b"));
        let found = |path: &[Step], fields| shown(EQUALITY, path, fields).unwrap();
        assert_eq!(found(&[a], &[("a", "1"), ("ab", "2"), ("a.b", "3")]), ["a=1"]);
        assert_eq!(found(&[a, b], &[("a.b", "1"), ("a.bc", "2")]), ["a.b=1"]);
        assert_eq!(found(&[a], &[("b", "1")]), [""; 0]);
        let list = [
            ("a.[0]", "x"),
            ("a.[10]", "y"),
            ("a.[k]", "z"),
            ("a.[2].b", "w"),
            ("a.[0]b", "v"),
        ];
        assert_eq!(found(&[a, Step::Each, b], &list), ["a.b=w"]);
        assert_eq!(found(&[a, Step::Each], &list[..3]), ["a=x", "a=y"]);
        assert_eq!(found(&[a, Step::Entry], &list[..3]), ["a.0=x", "a.10=y", "a.k=z"]);
        assert_eq!(found(&[a, Step::Each], &[("a", "[]")]), [""; 0]);
        assert_eq!(found(&[a, Step::Entry], &[("a.[x.y:z]", "1")]), ["a.x.y:z=1"]);
    }

    #[test]
    fn what_cannot_be_indexed_is_said() {
        let a = Step::Field("a");
        assert_eq!(shown(EQUALITY, &[a], &[("a.b", "1")]), Err("a".into()));
        assert_eq!(
            shown(EQUALITY, &[a, Step::Each], &[("a.[0].b", "1")]),
            Err("a.[0]".into())
        );
        assert_eq!(
            shown(EQUALITY, &[a, Step::Each], &[("a", "[null]")]),
            Err("a".into())
        );
        let range = IndexKind::Range(Order::Integer);
        assert_eq!(shown(range, &[a], &[("a", "x")]), Err("a".into()));
        for (x, y) in [
            ("180.1", "0.0"),
            ("0.0", "90.0"),
            ("NaN", "0.0"),
            ("0.0", "NaN"),
            ("x", "0"),
        ] {
            assert_eq!(
                shown(IndexKind::Geo, &[a], &[("a.x", x), ("a.y", y)]),
                Err("a".into()),
                "{x} {y}"
            );
        }
    }

    #[test]
    fn ranges_and_points_are_found() {
        let a = Step::Field("a");
        let duration = IndexKind::Range(Order::Duration);
        let spans = [
            ("a.[0].secs", "5"),
            ("a.[0].nanos", "7"),
            ("a.[1].secs", "60"),
            ("a.[1].nanos", "0"),
        ];
        assert_eq!(
            shown(duration, &[a, Step::Each], &spans).unwrap(),
            ["a>p015.000000007", "a>p0260.000000000"]
        );
        let float = IndexKind::Range(Order::Float);
        assert_eq!(shown(float, &[a], &[("a", "NaN")]).unwrap(), [""; 0]);
        let point = [("a.x", "-180.0"), ("a.y", "85.0")];
        assert_eq!(shown(IndexKind::Geo, &[a], &point).unwrap(), ["a@-180.0,85.0"]);
        let point = [("a.x", "180.0"), ("a.y", "85.0")];
        assert_eq!(shown(IndexKind::Geo, &[a], &point).unwrap(), ["a@-180,85.0"]);
        assert_eq!(shown(IndexKind::Unique, &[a], &[("a", "x")]).unwrap(), ["a!x"]);
    }
}
