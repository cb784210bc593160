//! Times that neither `std` nor `chrono` has a type for: their text.

use serde::{Deserialize, Serialize};

/// `2011-08-04T03:02:01+02:00[Europe/Oslo]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ZonedDateTime(pub String);

/// `Europe/Oslo`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ZoneId(pub String);

/// `P2Y7M12D`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Period(pub String);

/// `19:20:21-03:30`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OffsetTime(pub String);

/// Milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EpochMillis(pub i64);
