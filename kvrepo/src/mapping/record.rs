//! A record: an entity as it is stored, ordered `path → bytes`.
//!
//! All paths stand in one buffer and all values in another, so that encoding an entity costs three growing
//! allocations, not two a field.

use std::fmt;

/// An entity as it is stored: the fields of its hash, in the order in which they were written.
///
/// `Debug` shows paths and lengths, never values.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Record {
    paths: String,
    values: Vec<u8>,
    /// Where each field ends, in `paths` and in `values`.
    ends: Vec<(usize, usize)>,
}

/// How much a record holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) fields: usize,
    pub(super) paths: usize,
    pub(super) values: usize,
}

impl Record {
    /// A record without fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A record without fields that has room for `capacity` of them.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            paths: String::with_capacity(capacity.saturating_mul(16)),
            values: Vec::with_capacity(capacity.saturating_mul(16)),
            ends: Vec::with_capacity(capacity),
        }
    }

    /// A record without fields that has room for so much.
    pub(super) fn with_room(size: Size) -> Self {
        Self {
            paths: String::with_capacity(size.paths),
            values: Vec::with_capacity(size.values),
            ends: Vec::with_capacity(size.fields),
        }
    }

    /// How much it holds.
    pub(super) fn size(&self) -> Size {
        Size {
            fields: self.ends.len(),
            paths: self.paths.len(),
            values: self.values.len(),
        }
    }

    /// How many bytes it takes: of paths, of values, and to tell where each ends.
    #[cfg(feature = "near-cache")]
    pub(crate) fn bytes(&self) -> usize {
        self.paths.len() + self.values.len() + size_of_val(self.ends.as_slice())
    }

    /// Adds a field. A path stands once in a record; the mapping sees to that.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what a caller owns already it need not keep"
    )]
    pub fn push(&mut self, path: String, value: Vec<u8>) {
        self.add(&path, &value);
    }

    /// Adds a field from borrowed parts.
    #[inline]
    pub fn add(&mut self, path: &str, value: &[u8]) {
        self.values.extend_from_slice(value);
        self.seal(path);
    }

    /// The value at exactly this path.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.iter().find(|(p, _)| *p == path).map(|(_, v)| v)
    }

    /// The fields, in order.
    #[must_use]
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &[u8])> {
        let mut start = (0, 0);
        self.ends.iter().map(move |&end| {
            let path = self.paths.get(start.0..end.0).unwrap_or_default();
            let value = self.values.get(start.1..end.1).unwrap_or_default();
            start = end;
            (path, value)
        })
    }

    /// All paths, one behind the other.
    pub(crate) fn paths(&self) -> &str {
        &self.paths
    }

    /// How many fields there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no fields. A hash without fields does not exist.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Where the value of the next field is written; [`seal`](Self::seal) makes it a field.
    #[inline]
    pub(super) fn tail(&mut self) -> &mut Vec<u8> {
        &mut self.values
    }

    /// Where the next field's value starts.
    #[inline]
    pub(super) fn tail_start(&self) -> usize {
        self.ends.last().map_or(0, |end| end.1)
    }

    /// Makes a field of what was written to the [`tail`](Self::tail).
    #[inline]
    pub(super) fn seal(&mut self, path: &str) {
        self.paths.push_str(path);
        self.ends.push((self.paths.len(), self.values.len()));
    }

    /// The field that is the `at`th.
    #[inline]
    pub(super) fn field(&self, at: usize) -> Option<(&str, &[u8])> {
        let end = self.ends.get(at)?;
        let start = at
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or_default();
        Some((self.paths.get(start.0..end.0)?, self.values.get(start.1..end.1)?))
    }

    /// The path of the last field.
    #[inline]
    pub(super) fn last_path(&self) -> Option<&str> {
        self.field(self.len().checked_sub(1)?).map(|(path, _)| path)
    }

    /// Forgets all but the first `len` fields, and what stands in the tail.
    pub(super) fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        let (path, value) = self.ends.last().copied().unwrap_or_default();
        self.paths.truncate(path);
        self.values.truncate(value);
    }
}

impl FromIterator<(String, Vec<u8>)> for Record {
    fn from_iter<I: IntoIterator<Item = (String, Vec<u8>)>>(fields: I) -> Self {
        let mut record = Self::new();
        for (path, value) in fields {
            record.add(&path, &value);
        }
        record
    }
}

impl IntoIterator for Record {
    type Item = (String, Vec<u8>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
            .map(|(path, value)| (path.to_owned(), value.to_vec()))
            .collect::<Vec<_>>()
            .into_iter()
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (path, value) in self.iter() {
            map.entry(&path, &format_args!("{} bytes", value.len()));
        }
        map.finish()
    }
}
