//! The times of `jiff`.

use std::time::SystemTime;

use ::jiff::tz::TimeZone;
use ::jiff::{Timestamp, ZonedDateTime};

use super::super::FieldTerm;
use super::{DeadlineField, Moment, from_nanos, same_millisecond, to_nanos};

impl Moment for Timestamp {
    fn to_system_time(&self) -> Result<SystemTime, String> {
        from_nanos(self.as_nanosecond())
    }

    fn from_system_time(time: SystemTime, _like: Option<&Self>) -> Option<Self> {
        Self::from_nanosecond(to_nanos(time)?).ok()
    }
}

impl Moment for ZonedDateTime {
    fn to_system_time(&self) -> Result<SystemTime, String> {
        self.timestamp().to_system_time()
    }

    fn from_system_time(time: SystemTime, like: Option<&Self>) -> Option<Self> {
        let zone = like.map_or(TimeZone::UTC, |like| like.time_zone().clone());
        let timestamp = Timestamp::from_system_time(time, None)?;
        Some(timestamp.to_zoned_datetime(zone))
    }
}

deadline_fields! { Timestamp ZonedDateTime }

#[cfg(test)]
mod tests {
    use ::jiff::tz::Offset;

    use super::super::tests::is_a_moment;
    use super::*;

    #[test]
    fn times_of_jiff_are_moments_and_keep_their_zone() {
        let [stored, read] = [1_500, 7_000].map(|micros| Timestamp::from_microsecond(micros).unwrap());
        is_a_moment(stored, read, read);

        let east = TimeZone::fixed(Offset::from_hours(2).unwrap());
        let [stored, here] = [stored, read].map(|time| time.to_zoned_datetime(east.clone()));
        is_a_moment(stored.clone(), here, read.to_zoned_datetime(TimeZone::UTC));
        let mut field = stored;
        field.set_deadline(read.try_into().ok());
        assert_eq!(field.to_string(), "1970-01-01T02:00:00.007+02:00[+02:00]");
    }

    #[test]
    fn what_jiff_cannot_hold_leaves_the_value() {
        let far = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1 << 50);
        let mut field = Timestamp::UNIX_EPOCH;
        field.set_deadline(Some(far));
        assert_eq!(field, Timestamp::UNIX_EPOCH);
    }
}
