//! Changes of an entity's fields, done to a record. `update.lua` does the same to a hash.

use std::collections::BTreeMap;

use super::{Change, Place};
use crate::mapping::{Record, within};

/// Why a change cannot be done. Of several, none is done then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The struct at this path is `None`.
    Absent(String),
    /// The struct at this path is stored in one field, as JSON.
    Whole(String),
    /// What stands at this path is no whole number.
    NoNumber(String),
    /// The sum at this path is more, or less, than the field can hold.
    Range(String),
}

/// A record with the changes done, one after the other.
pub(crate) fn apply<'c>(
    record: &Record,
    changes: impl IntoIterator<Item = &'c Change>,
) -> Result<Record, Refusal> {
    let mut fields: Fields = record
        .iter()
        .map(|(path, value)| (path.to_owned(), value.to_vec()))
        .collect();
    for change in changes {
        match change {
            Change::Put { place, fields: new } => put(&mut fields, place, new)?,
            Change::Add { place, by, min, max } => {
                let sum = add(&fields, place, i128::from(*by), *min..=*max)?;
                let mut new = Record::new();
                new.add(&place.path, sum.to_string().as_bytes());
                put(&mut fields, place, &new)?;
            }
        }
    }
    Ok(fields.into_iter().collect())
}

type Fields = BTreeMap<String, Vec<u8>>;

fn put(fields: &mut Fields, place: &Place, new: &Record) -> Result<(), Refusal> {
    for ancestor in &place.ancestors {
        if fields
            .get(&ancestor.path)
            .is_some_and(|own| own != ancestor.marker.as_bytes())
        {
            return Err(Refusal::Whole(ancestor.path.clone()));
        }
    }
    let there: Vec<bool> = place
        .ancestors
        .iter()
        .map(|ancestor| stands(fields, &ancestor.path))
        .collect();
    if !new.is_empty() {
        for (ancestor, there) in place.ancestors.iter().zip(&there) {
            if !there && ancestor.optional {
                return Err(Refusal::Absent(ancestor.path.clone()));
            }
        }
    }
    for path in std::iter::once(&place.path).chain(&place.others) {
        fields.retain(|field, _| !within(field, path));
    }
    if new.is_empty() {
        let left = place.ancestors.iter().zip(there).rev();
        for (ancestor, there) in left {
            if !there || stands(fields, &ancestor.path) {
                break;
            }
            // Now something stands in those further out.
            fields.insert(ancestor.path.clone(), ancestor.marker.as_bytes().to_vec());
        }
    } else {
        for ancestor in &place.ancestors {
            fields.remove(&ancestor.path);
        }
        fields.extend(new.iter().map(|(path, value)| (path.to_owned(), value.to_vec())));
    }
    Ok(())
}

fn add(
    fields: &Fields,
    place: &Place,
    by: i128,
    range: std::ops::RangeInclusive<i128>,
) -> Result<i128, Refusal> {
    let stored = std::iter::once(&place.path)
        .chain(&place.others)
        .find_map(|path| fields.get(path));
    let before = match stored {
        None => 0,
        Some(text) => whole(text).ok_or_else(|| Refusal::NoNumber(place.path.clone()))?,
    };
    let sum = before + by;
    if range.contains(&sum) {
        Ok(sum)
    } else {
        Err(Refusal::Range(place.path.clone()))
    }
}

/// A whole number of no more digits than 64 bits have.
fn whole(text: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(text).ok()?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = (1..=20).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

fn stands(fields: &Fields, path: &str) -> bool {
    fields
        .range(path.to_owned()..)
        .take_while(|(field, _)| field.starts_with(path))
        .any(|(field, _)| within(field, path))
}

#[cfg(test)]
mod tests {
    use super::super::Ancestor;
    use super::*;

    fn record(fields: &[(&str, &str)]) -> Record {
        fields
            .iter()
            .map(|(path, value)| ((*path).to_owned(), value.as_bytes().to_vec()))
            .collect()
    }

    fn shown(record: &Record) -> Vec<String> {
        record
            .iter()
            .map(|(path, value)| format!("{path}={}", String::from_utf8_lossy(value)))
            .collect()
    }

    fn place(path: &str, ancestors: &[(&str, bool)]) -> Place {
        let ancestors = ancestors
            .iter()
            .map(|(path, optional)| Ancestor::new((*path).to_owned(), *optional, "{}"));
        Place::new(path.to_owned(), vec![format!("{path}_old")], ancestors.collect())
    }

    fn put(path: &str, ancestors: &[(&str, bool)], fields: &[(&str, &str)]) -> Change {
        Change::Put {
            place: place(path, ancestors),
            fields: record(fields),
        }
    }

    #[test]
    fn what_stood_at_a_path_and_below_is_replaced_and_nothing_else() {
        let before = record(&[
            ("a.[0]", "1"),
            ("a.[1]", "2"),
            ("a_old", "3"),
            ("ab", "4"),
            ("a_b.c", "5"),
        ]);
        let after = apply(&before, &[put("a", &[], &[("a.[0]", "9")])]).unwrap();
        assert_eq!(shown(&after), ["a.[0]=9", "a_b.c=5", "ab=4"]);
        let after = apply(&before, &[put("a", &[], &[])]).unwrap();
        assert_eq!(shown(&after), ["a_b.c=5", "ab=4"]);
    }

    #[test]
    fn a_struct_of_which_nothing_is_left_is_not_none() {
        let ancestors = [("a", true), ("a.b", true)];
        let before = record(&[("a.b.c", "1")]);
        let emptied = apply(&before, &[put("a.b.c", &ancestors, &[])]).unwrap();
        assert_eq!(shown(&emptied), ["a.b={}"]);
        let filled = apply(&emptied, &[put("a.b.c", &ancestors, &[("a.b.c", "2")])]).unwrap();
        assert_eq!(shown(&filled), ["a.b.c=2"]);
        // What is not there stays so.
        let none = record(&[("x", "1")]);
        assert_eq!(
            shown(&apply(&none, &[put("a.b.c", &ancestors, &[])]).unwrap()),
            ["x=1"]
        );
        let change = put("a.b.c", &ancestors, &[("a.b.c", "2")]);
        assert_eq!(apply(&none, &[change]), Err(Refusal::Absent("a".into())));
        let plain = [("a", false), ("a.b", false)];
        let change = put("a.b.c", &plain, &[("a.b.c", "2")]);
        assert_eq!(shown(&apply(&none, &[change]).unwrap()), ["a.b.c=2", "x=1"]);
        let whole = record(&[("a", "{\"b\":1}")]);
        let change = put("a.b.c", &ancestors, &[("a.b.c", "2")]);
        assert_eq!(apply(&whole, &[change]), Err(Refusal::Whole("a".into())));
    }

    #[test]
    fn whole_numbers_add_up_within_their_range() {
        let add = |before: &str, by, min, max| {
            let change = Change::Add {
                place: place("n", &[]),
                by,
                min,
                max,
            };
            apply(&record(&[("n", before)]), &[change]).map(|after| shown(&after).concat())
        };
        let (low, high) = (i128::from(i64::MIN), i128::from(u64::MAX));
        assert_eq!(add("1", -3, low, high), Ok("n=-2".into()));
        assert_eq!(
            add("18446744073709551614", 1, 0, high),
            Ok("n=18446744073709551615".into())
        );
        assert_eq!(
            add("18446744073709551615", 1, 0, high),
            Err(Refusal::Range("n".into()))
        );
        assert_eq!(add("0", -1, 0, 255), Err(Refusal::Range("n".into())));
        for text in ["", "-", "1.0", "x", "100000000000000000000"] {
            assert_eq!(
                add(text, 1, low, high),
                Err(Refusal::NoNumber("n".into())),
                "{text}"
            );
        }
        let absent = Change::Add {
            place: place("n", &[]),
            by: 5,
            min: 0,
            max: 9,
        };
        assert_eq!(shown(&apply(&Record::new(), &[absent]).unwrap()), ["n=5"]);
    }
}
