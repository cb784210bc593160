//! Which page of the keys a request asks for.

use kvrepo::Error;
use serde::Deserialize;

const MAX_LIMIT: usize = 1000;

/// The query of a `GET /keys`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PageQuery {
    cursor: Option<String>,
    limit: Option<String>,
}

/// About how many keys to read, and from where.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) cursor: Option<String>,
    pub(super) limit: usize,
}

impl TryFrom<PageQuery> for Page {
    type Error = Error;

    fn try_from(query: PageQuery) -> Result<Self, Error> {
        Ok(Self {
            cursor: query.cursor.as_deref().map(cursor).transpose()?,
            limit: query.limit.as_deref().map_or(Ok(100), limit)?,
        })
    }
}

fn limit(text: &str) -> Result<usize, Error> {
    let limit = text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    limit.ok_or_else(|| Error::InvalidSetting {
        what: "limit",
        name: text.to_owned(),
        reason: format!("it is a whole number from 1 to {MAX_LIMIT}"),
    })
}

/// kvrepo's cursor as clients get it: in hexadecimal digits, since on memory it is an id, and ids can hold what would
/// have to be escaped in a query.
pub(super) fn to_text(cursor: &str) -> String {
    cursor.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn cursor(text: &str) -> Result<String, Error> {
    from_text(text).ok_or_else(|| Error::InvalidSetting {
        what: "cursor",
        name: text.to_owned(),
        reason: "it is not the `next` of an earlier page; begin without one".into(),
    })
}

fn from_text(text: &str) -> Option<String> {
    let digits = text
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<Vec<u8>>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    if pairs.is_empty() || !rest.is_empty() {
        return None;
    }
    String::from_utf8(pairs.iter().map(|[high, low]| high << 4 | low).collect()).ok()
}
