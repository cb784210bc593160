//! The times of `time`.

use std::time::SystemTime;

use ::time::{OffsetDateTime, Timestamp, UtcDateTime, UtcOffset};

use super::super::FieldTerm;
use super::{DeadlineField, Moment, from_nanos, same_millisecond, to_nanos};

impl Moment for Timestamp {
    fn to_system_time(&self) -> Result<SystemTime, String> {
        from_nanos(self.as_nanoseconds())
    }

    fn from_system_time(time: SystemTime, _like: Option<&Self>) -> Option<Self> {
        Self::from_nanoseconds(to_nanos(time)?).ok()
    }
}

impl Moment for UtcDateTime {
    fn to_system_time(&self) -> Result<SystemTime, String> {
        from_nanos(self.unix_timestamp_nanos())
    }

    fn from_system_time(time: SystemTime, _like: Option<&Self>) -> Option<Self> {
        Self::from_unix_timestamp_nanos(to_nanos(time)?).ok()
    }
}

impl Moment for OffsetDateTime {
    fn to_system_time(&self) -> Result<SystemTime, String> {
        from_nanos(self.unix_timestamp_nanos())
    }

    fn from_system_time(time: SystemTime, like: Option<&Self>) -> Option<Self> {
        let zone = like.map_or(UtcOffset::UTC, |like| like.offset());
        let utc = Self::from_unix_timestamp_nanos(to_nanos(time)?).ok()?;
        utc.checked_to_offset(zone)
    }
}

deadline_fields! { Timestamp UtcDateTime OffsetDateTime }

#[cfg(test)]
mod tests {
    use super::super::tests::is_a_moment;
    use super::*;

    #[test]
    fn times_of_time_are_moments_and_keep_their_zone() {
        let nanos = [1_500_000, 7_000_000];
        let [stored, read] = nanos.map(|nanos| Timestamp::from_nanoseconds(nanos).unwrap());
        is_a_moment(stored, read, read);
        let [stored, read] = nanos.map(|nanos| UtcDateTime::from_unix_timestamp_nanos(nanos).unwrap());
        is_a_moment(stored, read, read);

        let [stored, read] = nanos.map(|nanos| OffsetDateTime::from_unix_timestamp_nanos(nanos).unwrap());
        let east = UtcOffset::from_hms(2, 0, 0).unwrap();
        let [stored, here] = [stored, read].map(|time| time.to_offset(east));
        is_a_moment(stored, here, read);
        let mut field = stored;
        field.set_deadline(Some(read.into()));
        assert_eq!((field.offset(), field.hour()), (east, 2));
    }

    #[test]
    fn what_time_cannot_hold_leaves_the_value() {
        let far = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1 << 50);
        let mut field = OffsetDateTime::UNIX_EPOCH;
        field.set_deadline(Some(far));
        assert_eq!(field, OffsetDateTime::UNIX_EPOCH);
    }
}
