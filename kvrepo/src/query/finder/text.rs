//! Looking at text when compiling.

/// The part of a text from one place to another, both of which are between characters.
pub(super) const fn between(text: &str, from: usize, to: usize) -> &str {
    let (before, _) = text.split_at(to);
    before.split_at(from).1
}

/// Whether `part` stands at this place.
pub(super) const fn stands_at(text: &str, at: usize, part: &str) -> bool {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    if at > text.len() || text.len() - at < part.len() {
        return false;
    }
    let mut i = 0;
    while i < part.len() {
        if text[at + i] != part[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// Whether a word ends at this place, if one was before it.
pub(super) const fn word_ends(text: &str, at: usize) -> bool {
    at == text.len() || text.as_bytes()[at] == b'_'
}

/// Whether the words stand at this place, whole.
pub(super) const fn words_at(text: &str, at: usize, words: &str) -> bool {
    stands_at(text, at, words) && word_ends(text, at + words.len())
}

/// Where the word ends that begins here.
pub(super) const fn end_of_word(text: &str, from: usize) -> usize {
    let mut end = from;
    while !word_ends(text, end) {
        end += 1;
    }
    end
}

pub(super) const fn same(one: &str, other: &str) -> bool {
    one.len() == other.len() && stands_at(one, 0, other)
}

/// The number that the digits from one place to another say; `None` if they are none, or say too much.
pub(super) const fn number(text: &str, from: usize, to: usize) -> Option<u32> {
    let bytes = text.as_bytes();
    if from == to || to - from > 9 {
        return None;
    }
    let mut number = 0;
    let mut i = from;
    while i < to {
        if !bytes[i].is_ascii_digit() {
            return None;
        }
        number = number * 10 + (bytes[i] - b'0') as u32;
        i += 1;
    }
    Some(number)
}
