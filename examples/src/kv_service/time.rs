//! Points in time as RFC 3339 has them.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat};

/// `None` if the text is no time.
pub(super) fn parse(text: &str) -> Option<SystemTime> {
    DateTime::parse_from_rfc3339(text).ok().map(SystemTime::from)
}

/// To the millisecond, in UTC; `None` if a calendar has no such day.
pub(super) fn format(time: SystemTime) -> Option<String> {
    let millis = time.duration_since(UNIX_EPOCH).ok()?.as_millis();
    let time = DateTime::from_timestamp_millis(i64::try_from(millis).ok()?)?;
    Some(time.to_rfc3339_opts(SecondsFormat::Millis, true))
}
