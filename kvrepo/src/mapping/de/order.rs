//! In which order a large record is best read.
//!
//! The server returns large hashes in no order. The fields of one element then lie far apart, and whoever reads them
//! one after the other waits for memory that is not at hand, several times a field. Copied into order first, it is
//! waited for once, and for many fields at a time.

use std::collections::HashMap;
use std::hash::BuildHasher;

use crate::mapping::Record;
use crate::mapping::hash::Seeded;
use crate::mapping::path::index;

/// Below this, everything is at hand anyway.
const LARGE: usize = 2_000;

/// The record with the fields of each element together: lists by index, maps' entries as they came. `None` if that is
/// how they stand already, as in most records that were just written.
pub(super) fn ordered(record: &Record) -> Option<Record> {
    if record.len() < LARGE {
        return None;
    }
    let mut keys = Vec::with_capacity(record.len());
    let mut groups = Groups::default();
    let mut in_order = true;
    let mut last = 0;
    for (at, (path, _)) in (0_u32..).zip(record.iter()) {
        let key = groups.key(path);
        in_order &= key >= last;
        last = key;
        keys.push(u128::from(key) << 32 | u128::from(at));
    }
    if in_order {
        return None;
    }
    keys.sort_unstable();
    let mut ordered = Record::with_room(record.size());
    for (path, value) in keys.iter().filter_map(|key| record.field(*key as u32 as usize)) {
        ordered.add(path, value);
    }
    Some(ordered)
}

/// Which element or entry fields belong to.
#[derive(Default)]
struct Groups<'a> {
    /// How many lists, maps and entries came before this one, by its hash. Should two have the same, they are taken
    /// for one here, which is slower and no more.
    ranks: HashMap<u64, u32, Seeded>,
    /// What the last field belonged to, and where that goes.
    last: (&'a str, &'a str),
    key: (u32, u32),
}

impl<'a> Groups<'a> {
    /// Where a field goes: by its list or map first, then by element or entry. One that belongs to nothing stays behind
    /// the one before.
    fn key(&mut self, path: &'a str) -> u64 {
        if let Some((whole, part)) = group(path) {
            let is_new = whole != self.last.0;
            if is_new {
                self.key.0 = self.rank((whole, ""));
            }
            if is_new || part != self.last.1 {
                self.key.1 = index(part).unwrap_or_else(|| self.rank((whole, part)));
            }
            self.last = (whole, part);
        }
        u64::from(self.key.0) << 32 | u64::from(self.key.1)
    }

    fn rank(&mut self, group: (&str, &str)) -> u32 {
        let hash = self.ranks.hasher().hash_one(group);
        // There are at most two for each field, and a record of so many would not fit into memory.
        let new = u32::try_from(self.ranks.len()).unwrap_or(u32::MAX);
        *self.ranks.entry(hash).or_insert(new)
    }
}

/// What stands before the first bracket, and in it, in a path that goes on behind it.
fn group(path: &str) -> Option<(&str, &str)> {
    // Byte by byte, for there are few of them: what searches long texts takes longer to start.
    let open = path.bytes().position(|byte| byte == b'[')?;
    let rest = path.get(open + 1..)?;
    let len = rest.bytes().position(|byte| byte == b']')?;
    if len + 1 == rest.len() {
        None
    } else {
        Some((path.get(..open)?, rest.get(..len)?))
    }
}
