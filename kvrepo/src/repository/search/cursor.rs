//! A place in a list, as text that a client can keep.

use crate::backend::{After, Sorting};
use crate::error::{Error, Result};

/// The cursor behind an entity.
pub(super) fn write(keys: &[Option<Vec<u8>>], id: &str) -> String {
    let mut text = String::new();
    for key in keys {
        match key {
            None => text.push('-'),
            Some(key) => text.push_str(&hex(key)),
        }
        text.push('.');
    }
    text.push_str(&hex(id.as_bytes()));
    text
}

/// What a cursor says, of a list that is sorted so.
pub(super) fn read(cursor: &str, sorting: &Sorting) -> Result<After> {
    let wanted = match sorting {
        Sorting::By(keys) => keys.len(),
        Sorting::Distance { .. } => 1,
    };
    let mut parts: Vec<&str> = cursor.split('.').collect();
    let id = parts
        .pop()
        .and_then(bytes)
        .and_then(|id| String::from_utf8(id).ok());
    let keys: Option<Vec<_>> = parts
        .into_iter()
        .map(|part| {
            if part == "-" {
                Some(None)
            } else {
                bytes(part).map(Some)
            }
        })
        .collect();
    match (keys, id) {
        (Some(keys), Some(id)) if keys.len() == wanted && !id.is_empty() && fits(&keys, sorting) => {
            Ok(After::new(keys, id))
        }
        _ => Err(Error::InvalidSetting {
            what: "cursor",
            name: cursor.to_owned(),
            reason: "it is not one of a slice with this filter and this sort; begin without one".into(),
        }),
    }
}

/// Whether the distance, if that is what is sorted by, is one.
fn fits(keys: &[Option<Vec<u8>>], sorting: &Sorting) -> bool {
    match (sorting, keys) {
        (Sorting::By(_), _) => true,
        (Sorting::Distance { .. }, [Some(text)]) => {
            std::str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok_and(f64::is_finite))
        }
        (Sorting::Distance { .. }, _) => false,
    }
}

fn hex(bytes: &[u8]) -> String {
    // What begins with this is there, if it is empty.
    let mut text = String::from("x");
    for byte in bytes {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix('x')?.as_bytes();
    let (pairs, rest) = digits.as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let plain = digits.iter().all(u8::is_ascii_hexdigit);
    pairs
        .iter()
        .map(byte)
        .collect::<Option<Vec<u8>>>()
        .filter(|_| plain && rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Order, SortKey};

    #[test]
    fn cursors_come_back_and_others_are_refused() {
        let key = || SortKey::new("a".into(), Order::Text, false);
        let two = Sorting::By(vec![key(), key()]);
        let keys = [None, Some(b"\0.x".to_vec())];
        let cursor = write(&keys, "id:\u{e4}");
        assert_eq!(
            read(&cursor, &two).unwrap(),
            After::new(keys.to_vec(), "id:\u{e4}".into())
        );
        assert!(read(&cursor, &Sorting::By(vec![key()])).is_err());
        for broken in ["", "x", ".x", "x6", "xzz", "y61", "x6.x6.x61", "x+1.x.x61"] {
            assert!(read(broken, &two).is_err(), "{broken}");
        }
        let near = Sorting::Distance {
            name: "a".into(),
            lon: 0.0,
            lat: 0.0,
        };
        assert!(read(&write(&[Some(b"12.5".to_vec())], "1"), &near).is_ok());
        assert!(read(&write(&[Some(b"NaN".to_vec())], "1"), &near).is_err());
        assert!(read(&write(&[None], "1"), &near).is_err());
    }
}
