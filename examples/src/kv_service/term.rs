//! The term that a request asks for.
//!
//! Only what kvrepo never gets to see is refused here: text that is no number or no time. Whether a number or a time can
//! be a term is for kvrepo to say, which asks the server's clock.

use std::time::{Duration, SystemTime};

use kvrepo::{Error, KvEntity, Term};
use serde::Deserialize;

use super::Item;
use super::time;

/// The most seconds: what 64 bits hold in nanoseconds, which is how most clients keep a duration.
const MAX_SECS: u64 = 9_223_372_036;

/// The query of a `PUT`. As text, since a number's parser takes what a term should not: `1e3`, `+5`, `1.0`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TermQuery {
    ttl_secs: Option<String>,
    expires_at: Option<String>,
    idle_secs: Option<String>,
}

impl TryFrom<TermQuery> for Term {
    type Error = Error;

    fn try_from(query: TermQuery) -> Result<Self, Error> {
        match (query.ttl_secs, query.expires_at, query.idle_secs) {
            (None, None, None) => Ok(Self::Persistent),
            (Some(text), None, None) => seconds("ttl_secs", &text).map(Self::Ttl),
            (None, Some(text), None) => moment(&text).map(Self::At),
            (None, None, Some(text)) => seconds("idle_secs", &text).map(Self::Idle),
            _ => Err(invalid(
                "`ttl_secs`, `expires_at` and `idle_secs` exclude each other; give one".into(),
            )),
        }
    }
}

fn seconds(name: &str, text: &str) -> Result<Duration, Error> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(secs @ ..=MAX_SECS) if digits => Ok(Duration::from_secs(secs)),
        _ => Err(invalid(format!(
            "`{name}` is `{text}`, but has to be a whole number of seconds from 1 to {MAX_SECS}"
        ))),
    }
}

fn moment(text: &str) -> Result<SystemTime, Error> {
    time::parse(text).ok_or_else(|| {
        invalid(format!(
            "`expires_at` is `{text}`, but has to be a time of RFC 3339, as 2030-01-31T12:00:00Z; \
             in a query a `+` is written `%2B`"
        ))
    })
}

/// The same error that kvrepo has for a term, so that clients meet one kind only.
fn invalid(reason: String) -> Error {
    Error::InvalidTimeToLive {
        entity: Item::SCHEMA.entity,
        reason,
    }
}
