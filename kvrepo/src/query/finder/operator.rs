//! What is asked of a field: the words behind its name.

use super::text::{stands_at, words_at};
use crate::query::table::Uses;

/// What is asked of a field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    In,
    Between,
    LessThan,
    LessThanEqual,
    GreaterThan,
    GreaterThanEqual,
    StartingWith,
    True,
    False,
    Near,
    Within,
}

use Operator::{
    Between, Equal, False, GreaterThan, GreaterThanEqual, In, LessThan, LessThanEqual, Near, NotEqual,
    StartingWith, True, Within,
};

/// The words, each of which may have an `is` before it.
const WORDS: [(&str, Operator); 20] = [
    ("is", Equal),
    ("equals", Equal),
    ("equal_to", Equal),
    ("not", NotEqual),
    ("in", In),
    ("between", Between),
    ("less_than", LessThan),
    ("before", LessThan),
    ("less_than_equal", LessThanEqual),
    ("less_than_or_equal", LessThanEqual),
    ("greater_than", GreaterThan),
    ("after", GreaterThan),
    ("greater_than_equal", GreaterThanEqual),
    ("greater_than_or_equal", GreaterThanEqual),
    ("starting_with", StartingWith),
    ("starts_with", StartingWith),
    ("true", True),
    ("false", False),
    ("near", Near),
    ("within", Within),
];

/// What is said to be meant, where something like it is written.
pub(super) const NAMES: [&str; 15] = [
    "is",
    "equals",
    "not",
    "in",
    "between",
    "less_than",
    "less_than_equal",
    "greater_than",
    "greater_than_equal",
    "before",
    "after",
    "starting_with",
    "near",
    "within",
    "order_by",
];

/// Spring's, and others', that no index serves.
const REFUSED: [&str; 26] = [
    "all_ignore_case",
    "contained_in",
    "containing",
    "contains",
    "does_not_exist",
    "empty",
    "ending_with",
    "ends_with",
    "exists",
    "ignore_case",
    "ignoring_case",
    "like",
    "matches",
    "matches_regex",
    "not_between",
    "not_containing",
    "not_contains",
    "not_empty",
    "not_equals",
    "not_in",
    "not_like",
    "not_null",
    "null",
    "regex",
    "some",
    "none",
];

impl Operator {
    /// How many values it takes.
    pub(super) const fn values(self) -> usize {
        match self {
            True | False => 0,
            Between | Near => 2,
            _ => 1,
        }
    }

    /// The word for it, as it is shown.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Equal => "equals",
            NotEqual => "not",
            In => "in",
            Between => "between",
            LessThan => "less_than",
            LessThanEqual => "less_than_equal",
            GreaterThan => "greater_than",
            GreaterThanEqual => "greater_than_equal",
            StartingWith => "starting_with",
            True => "true",
            False => "false",
            Near => "near",
            Within => "within",
        }
    }

    /// Whether an index of the field serves it.
    pub(super) const fn is_served(self, by: &Uses) -> bool {
        match self {
            Equal | NotEqual | In => by.equality,
            True | False => by.equality && by.boolean,
            Between | LessThan | LessThanEqual | GreaterThan | GreaterThanEqual => by.range,
            StartingWith => by.text,
            Near | Within => by.geo,
        }
    }

    /// What a field has to be for it.
    pub(super) const fn wants(self) -> &'static str {
        match self {
            Equal | NotEqual | In => "a field with `#[indexed]`",
            True | False => "a `bool` with `#[indexed]`",
            Between | LessThan | LessThanEqual | GreaterThan | GreaterThanEqual => {
                "a field with `#[indexed(range)]`"
            }
            StartingWith => "a text with `#[indexed(range)]`",
            Near | Within => "a field with `#[geo_indexed]`",
        }
    }
}

/// What stands behind a field's name.
pub(super) enum Found {
    /// An operator, which ends here; [`Equal`] ends where it begins, if nothing stands there.
    Operator(Operator, usize),
    /// One that no index serves, without an `is`.
    Refused(&'static str),
    Unknown,
}

/// What stands behind the field's name that ends here, up to the end of the condition.
pub(super) const fn behind(text: &str, at: usize) -> Found {
    if condition_ends(text, at) {
        return Found::Operator(Equal, at);
    }
    // Else a longer name would be there.
    let at = at + 1;
    let plain = word(text, at);
    match plain {
        Found::Unknown if words_at(text, at, "is") => word(text, at + "is_".len()),
        plain => plain,
    }
}

const fn word(text: &str, at: usize) -> Found {
    if at > text.len() {
        return Found::Unknown;
    }
    let mut i = 0;
    while i < WORDS.len() {
        let (word, operator) = WORDS[i];
        if is_whole(text, at, word) {
            return Found::Operator(operator, at + word.len());
        }
        i += 1;
    }
    let mut i = 0;
    while i < REFUSED.len() {
        if is_whole(text, at, REFUSED[i]) {
            return Found::Refused(REFUSED[i]);
        }
        i += 1;
    }
    Found::Unknown
}

const fn is_whole(text: &str, at: usize, word: &str) -> bool {
    stands_at(text, at, word) && condition_ends(text, at + word.len())
}

/// Whether a condition may end at this place.
pub(super) const fn condition_ends(text: &str, at: usize) -> bool {
    at == text.len()
        || stands_at(text, at, "_and_")
        || stands_at(text, at, "_or_")
        || stands_at(text, at, "_order_by_")
}
