//! The beginning of a finder's name: `find_first_10_by`.

use super::message::Message;
use super::nearest::nearest;
use super::plan::{Finder, Verb};
use super::text::{between, end_of_word, number, same, stands_at};

const VERBS: [(&str, Verb); 9] = [
    ("find", Verb::Find),
    ("read", Verb::Find),
    ("get", Verb::Find),
    ("query", Verb::Find),
    ("stream", Verb::Stream),
    ("count", Verb::Count),
    ("exists", Verb::Exists),
    ("delete", Verb::Delete),
    ("remove", Verb::Delete),
];

const VERB_NAMES: [&str; 9] = [
    "find", "read", "get", "query", "stream", "count", "exists", "delete", "remove",
];

const OTHERS: [&str; 5] = ["first", "top", "distinct", "all", "by"];

/// What stands before the conditions, and where these begin.
pub(super) const fn subject(method: &str) -> Result<(Finder, usize), Message> {
    let mut end = end_of_word(method, 0);
    let verb = match verb(method, end) {
        Ok(verb) => verb,
        Err(message) => return Err(message),
    };
    let mut finder = Finder::EMPTY;
    finder.verb = verb;
    while end < method.len() {
        let from = end + 1;
        end = end_of_word(method, from);
        let word = between(method, from, end);
        if same(word, "by") {
            return match end < method.len() {
                true => Ok((finder, end + 1)),
                false => Err(no_field(method)),
            };
        }
        if same(word, "distinct") || same(word, "all") {
            continue;
        }
        let word_is_first = stands_at(word, 0, "first");
        let digits = from
            + if word_is_first {
                "first".len()
            } else if stands_at(word, 0, "top") {
                "top".len()
            } else {
                return Err(unknown(method, word));
            };
        let limit = if digits < end {
            number(method, digits, end)
        } else {
            // The number may be a word of its own.
            let next_end = if end < method.len() {
                end_of_word(method, end + 1)
            } else {
                end
            };
            match next_end > end + 1 && method.as_bytes()[end + 1].is_ascii_digit() {
                true => {
                    let from = end + 1;
                    end = next_end;
                    number(method, from, end)
                }
                false => Some(1),
            }
        };
        match limit {
            Some(0) => return Err(Message::new("the first 0 are none")),
            Some(_) if finder.limit.is_some() => {
                return Err(Message::new("the name states twice how many are found"));
            }
            Some(_) if !matches!(verb, Verb::Find | Verb::Stream) => {
                return Err(Message::new("only what is found can be limited; remove ").name(word));
            }
            Some(_) => finder.limit = limit,
            None => {
                return Err(Message::new("")
                    .name(between(method, from, end))
                    .and(" does not say how many: write `first_10` or `top_10`"));
            }
        }
    }
    Err(no_field(method))
}

const fn verb(method: &str, end: usize) -> Result<Verb, Message> {
    let word = between(method, 0, end);
    let mut i = 0;
    while i < VERBS.len() {
        if same(VERBS[i].0, word) {
            return Ok(VERBS[i].1);
        }
        i += 1;
    }
    let message = Message::new("a finder does not begin with ").name(word);
    Err(match nearest(word, &VERB_NAMES) {
        Some((meant, _)) => message.or_else(Some(Message::new(meant))),
        None => message.and(
            "; write `find_by_…`, `stream_by_…`, `count_by_…`, `exists_by_…` or `delete_by_…`, or give the method a \
             body",
        ),
    })
}

const fn no_field(method: &str) -> Message {
    Message::new("")
        .name(method)
        .and(" does not say by which field: write `by_…` behind it")
}

const fn unknown(method: &str, word: &str) -> Message {
    let message = Message::new("unknown word ").name(word).and(" in ").name(method);
    match nearest(word, &OTHERS) {
        Some((meant, _)) => message.or_else(Some(Message::new(meant))),
        None => message.and("; before `by` come only `first_10`, `top_10`, `distinct` and `all`"),
    }
}
