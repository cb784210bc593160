//! In which order a large record is best read.
//!
//! The server returns large hashes in no order. Fields of the same list element then lie far apart, and each of them
//! costs the tree several steps into memory that is not at hand. Put in order by index first, they cost half.

use crate::mapping::Record;
use crate::mapping::path::index;

/// Below this, everything is at hand anyway.
const LARGE: usize = 2_000;

/// The numbers of the fields, by the first list index in their paths; `None` if that is how they stand.
pub(super) fn by_index(record: &Record) -> Option<Vec<u32>> {
    if record.len() < LARGE {
        return None;
    }
    let mut keys = Vec::with_capacity(record.len());
    let mut last = 0;
    let mut ordered = true;
    for (at, (path, _)) in (0..).zip(record.iter()) {
        let key = first_index(path).unwrap_or(last);
        ordered &= key >= last;
        last = key;
        keys.push((key, at));
    }
    if ordered {
        return None;
    }
    keys.sort_unstable();
    Some(keys.into_iter().map(|(_, at)| at).collect())
}

/// The first index of a list whose elements are more than one field each.
fn first_index(path: &str) -> Option<u32> {
    let (_, rest) = path.split_once('[')?;
    let (digits, rest) = rest.split_once(']')?;
    if rest.is_empty() { None } else { index(digits) }
}
