//! The text of a path: `address.city`, `nicknames.[0]`, `attributes.[eye-color]`.
//!
//! A path is segments joined by dots. A segment is a name, or a map's key or a list's index in brackets. A bracket
//! closes at the first `]` behind which the path ends or a dot stands, so that keys may hold dots and, from other
//! writers, even a `]`. Every text is a path: what looks broken (`a.[`, `a..b`) is names.

/// The segment that holds another writer's type hint.
pub(super) const HINT: &str = "_class";

/// Where the value stands that is the entity as a whole.
pub(super) const ROOT: &str = "_raw";

/// How deep containers may nest, on both ways, so that no value or record can exhaust the stack.
pub(super) const MAX_DEPTH: u8 = 128;

/// How many options and newtypes may stand directly within each other.
pub(super) const MAX_WRAPS: u8 = 64;

/// One segment of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Segment<'a> {
    Name(&'a str),
    Bracket(&'a str),
}

impl<'a> Segment<'a> {
    /// The segment that begins at `start`, and where it ends: at a dot, or with the path.
    pub(super) fn at(path: &'a str, start: usize) -> (Self, usize) {
        let rest = path.as_bytes().get(start..).unwrap_or_default();
        if rest.first() == Some(&b'[') {
            let closes =
                |at: usize| rest.get(at) == Some(&b']') && matches!(rest.get(at + 1), None | Some(b'.'));
            if let Some(close) = (1..rest.len()).find(|at| closes(*at)) {
                let key = path.get(start + 1..start + close).unwrap_or_default();
                return (Self::Bracket(key), start + close + 1);
            }
        }
        let len = rest.iter().position(|byte| *byte == b'.').unwrap_or(rest.len());
        (
            Self::Name(path.get(start..start + len).unwrap_or_default()),
            start + len,
        )
    }

    /// The name, key or index.
    pub(super) fn text(self) -> &'a str {
        match self {
            Self::Name(text) | Self::Bracket(text) => text,
        }
    }

    /// The list index that this segment is.
    pub(super) fn index(self) -> Option<u32> {
        match self {
            Self::Bracket(text) => index(text),
            Self::Name(_) => None,
        }
    }
}

/// Whether a field stands at a path or below it.
pub(crate) fn within(field: &str, path: &str) -> bool {
    field
        .strip_prefix(path)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Reads a list index: decimal digits, without leading zeros. Greater ones than 32 bits hold, and the greatest of those, are keys.
pub(super) fn index(text: &str) -> Option<u32> {
    match text.as_bytes() {
        [b'0'] => Some(0),
        [b'1'..=b'9', ..] if text.len() <= 10 => {
            let mut index = 0_u32;
            for byte in text.bytes() {
                let digit = byte.wrapping_sub(b'0');
                if digit > 9 {
                    return None;
                }
                index = index.checked_mul(10)?.checked_add(u32::from(digit))?;
            }
            Some(index).filter(|index| *index < u32::MAX)
        }
        _ => None,
    }
}

/// Whether a name cannot stand between dots as one segment.
pub(super) fn is_odd(name: &str) -> bool {
    name.is_empty() || name.bytes().any(|b| matches!(b, b'.' | b'[' | b']'))
}

/// Goes down to a list's element: `.[17]`, or at the root `[17]`.
#[inline]
pub(super) fn push_index(path: &mut String, dotted: bool, mut index: usize) {
    let mut text = *b".[00000000000000000000]";
    let mut start = text.len() - 1;
    for (at, digit) in text.iter_mut().enumerate().rev().skip(1) {
        *digit = b'0' + (index % 10) as u8;
        start = at;
        index /= 10;
        if index == 0 {
            break;
        }
    }
    for before in *b"[." {
        start = start.saturating_sub(1);
        if let Some(byte) = text.get_mut(start) {
            *byte = before;
        }
    }
    let text = text
        .get(start + usize::from(!dotted)..)
        .and_then(|text| std::str::from_utf8(text).ok());
    path.push_str(text.unwrap_or_default());
}
