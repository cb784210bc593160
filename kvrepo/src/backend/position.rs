//! A place in an event log.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A place in the event log of a keyspace: the server's time in milliseconds at which the event was written, and
/// a number among those of the same millisecond.
///
/// Positions of one keyspace are ordered as the events are. Serialised it is its text, as in `1700000000000-0`.
///
/// Save the position of the last event that was seen to, and a subscriber goes on behind it later, in this process or another:
/// [`Subscribe::from`](crate::Subscribe::from).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    millis: u64,
    sequence: u64,
}

impl Position {
    /// Before the first event.
    pub const START: Self = Self {
        millis: 0,
        sequence: 0,
    };

    /// The place of the event number `sequence` of the millisecond `millis` since 1970.
    #[must_use]
    pub const fn new(millis: u64, sequence: u64) -> Self {
        Self { millis, sequence }
    }

    /// When the event at this place was written, by the server's clock.
    #[must_use]
    pub fn written_at(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(self.millis)
    }

    /// The greatest place before this one.
    pub(crate) const fn prior(self) -> Self {
        match self.sequence {
            0 => Self::new(self.millis.saturating_sub(1), u64::MAX),
            sequence => Self::new(self.millis, sequence - 1),
        }
    }

    pub(crate) const fn millis(self) -> u64 {
        self.millis
    }

    /// Before all events that are written from `now` on, in milliseconds since 1970, with a second to spare for clocks
    /// that are read at different moments.
    pub(crate) fn before_anything_after(now: u64) -> Self {
        now.checked_sub(1000)
            .map_or(Self::START, |millis| Self::new(millis, u64::MAX))
    }

    /// The next place that an event of this or the next millisecond can have.
    pub(crate) fn next(self, now: u64) -> Self {
        if now > self.millis {
            Self::new(now, 0)
        } else {
            Self::new(self.millis, self.sequence + 1)
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.millis, self.sequence)
    }
}

impl Serialize for Position {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'_, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// The text of a position was none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a position is two numbers with a dash between them, as in `1700000000000-0`")]
pub struct ParsePositionError;

impl FromStr for Position {
    type Err = ParsePositionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (millis, sequence) = text.split_once('-').ok_or(ParsePositionError)?;
        Ok(Self {
            millis: millis.parse().map_err(|_| ParsePositionError)?,
            sequence: sequence.parse().map_err(|_| ParsePositionError)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_reads_back_from_its_text_and_keeps_its_order() {
        let (a, b) = (Position::new(9, 10), Position::new(10, 2));
        assert!(a < b && Position::START < a);
        assert_eq!(a.to_string().parse(), Ok(a));
        let text = serde_json::to_string(&a).unwrap();
        assert_eq!(text, "\"9-10\"");
        assert_eq!(serde_json::from_str::<Position>(&text).unwrap(), a);
        assert!(serde_json::from_str::<Position>("\"x\"").is_err());
        assert_eq!(b.prior(), Position::new(10, 1));
        assert_eq!(Position::new(10, 0).prior(), Position::new(9, u64::MAX));
        assert_eq!("9".parse::<Position>(), Err(ParsePositionError));
        assert_eq!("9-x".parse::<Position>(), Err(ParsePositionError));
    }
}
