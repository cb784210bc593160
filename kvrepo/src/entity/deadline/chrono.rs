//! The times of `chrono`.

use std::time::SystemTime;

use ::chrono::{DateTime, FixedOffset, Offset, Utc};

use super::super::FieldTerm;
use super::{DeadlineField, Moment, from_nanos, same_millisecond, to_nanos};

impl Moment for DateTime<Utc> {
    fn to_system_time(&self) -> Result<SystemTime, String> {
        // A leap second counts as the first part of the next.
        let nanos = i128::from(self.timestamp()) * 1_000_000_000 + i128::from(self.timestamp_subsec_nanos());
        from_nanos(nanos)
    }

    fn from_system_time(time: SystemTime, _like: Option<&Self>) -> Option<Self> {
        let nanos = to_nanos(time)?;
        let subsec = u32::try_from(nanos % 1_000_000_000).ok()?;
        Self::from_timestamp(i64::try_from(nanos / 1_000_000_000).ok()?, subsec)
    }
}

impl Moment for DateTime<FixedOffset> {
    fn to_system_time(&self) -> Result<SystemTime, String> {
        self.to_utc().to_system_time()
    }

    fn from_system_time(time: SystemTime, like: Option<&Self>) -> Option<Self> {
        let zone = like.map_or_else(|| Utc.fix(), |like| *like.offset());
        let utc = DateTime::<Utc>::from_system_time(time, None)?;
        Some(utc.with_timezone(&zone))
    }
}

deadline_fields! { DateTime<Utc> DateTime<FixedOffset> }

#[cfg(test)]
mod tests {
    use super::super::tests::is_a_moment;
    use super::*;

    #[test]
    fn times_of_chrono_are_moments_and_keep_their_zone() {
        let [stored, read] = [1_500, 7_000].map(|micros| DateTime::from_timestamp_micros(micros).unwrap());
        is_a_moment(stored, read, read);

        let east = FixedOffset::east_opt(7_200).unwrap();
        let [stored, here] = [stored, read].map(|time| time.with_timezone(&east));
        is_a_moment(stored, here, read.fixed_offset());
        let mut field = stored;
        field.set_deadline(Some(read.into()));
        assert_eq!(field.to_rfc3339(), "1970-01-01T02:00:00.007+02:00");
    }

    #[test]
    fn what_chrono_cannot_hold_leaves_the_value() {
        let far = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1 << 50);
        let mut field = DateTime::UNIX_EPOCH;
        field.set_deadline(Some(far));
        assert_eq!(field, DateTime::UNIX_EPOCH);
        let before = DateTime::from_timestamp(-1, 500_000_000).unwrap();
        let half = std::time::Duration::from_millis(500);
        assert_eq!(before.to_system_time(), Ok(SystemTime::UNIX_EPOCH - half));
    }
}
