//! The absolute deadline that an entity states: by an `#[expires_at]` field.
//!
//! The times of other crates are in modules of their names, each behind the feature of that name.

use std::time::{Duration, SystemTime};

use super::FieldTerm;

/// A field that `#[expires_at]` can stand on: a point in time, or an `Option` of one.
///
/// | type | with the feature |
/// | --- | --- |
/// | `std::time::SystemTime` | |
/// | `chrono::DateTime<Utc>`, `chrono::DateTime<FixedOffset>` | `chrono` |
/// | `jiff::Timestamp`, `jiff::ZonedDateTime` | `jiff` |
/// | `time::OffsetDateTime`, `time::UtcDateTime`, `time::Timestamp` | `time` |
///
/// `None` states nothing: the keyspace's default decides. What is read back is the entity's deadline as the server has
/// it, to the millisecond, in the zone of the value as stored; of a persistent entity an `Option` reads `None`, any
/// other type the value as stored.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold a deadline",
    label = "not a deadline",
    note = "a deadline is a `std::time::SystemTime`, a time of `jiff`, `time` or `chrono` with kvrepo's feature of \
            that name, or an `Option` of one of these"
)]
pub trait DeadlineField {
    /// The deadline that this value states.
    ///
    /// # Errors
    ///
    /// Why it is none.
    fn deadline(&self) -> Result<FieldTerm, String>;

    /// Replaces this value by the deadline that was read; `None` is persistent. A value of the same millisecond stays.
    fn set_deadline(&mut self, deadline: Option<SystemTime>);
}

/// A type that is a point in time.
trait Moment: Sized {
    fn to_system_time(&self) -> Result<SystemTime, String>;

    /// `None` if this type cannot say it. A type that has a zone takes that of `like`, or UTC without one.
    fn from_system_time(time: SystemTime, like: Option<&Self>) -> Option<Self>;
}

impl Moment for SystemTime {
    fn to_system_time(&self) -> Result<SystemTime, String> {
        Ok(*self)
    }

    fn from_system_time(time: SystemTime, _like: Option<&Self>) -> Option<Self> {
        Some(time)
    }
}

/// The time that is so many nanoseconds after 1970.
#[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
fn from_nanos(nanos: i128) -> Result<SystemTime, String> {
    let distance = nanos.unsigned_abs();
    let second = Duration::from_secs(1).as_nanos();
    let time = u64::try_from(distance / second).ok().and_then(|seconds| {
        let distance = Duration::new(seconds, u32::try_from(distance % second).ok()?);
        if nanos < 0 {
            SystemTime::UNIX_EPOCH.checked_sub(distance)
        } else {
            SystemTime::UNIX_EPOCH.checked_add(distance)
        }
    });
    time.ok_or_else(|| "it is more than this system's clock can hold".to_owned())
}

/// How many nanoseconds a deadline, which is after 1970, is from there.
#[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
fn to_nanos(time: SystemTime) -> Option<i128> {
    let distance = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i128::try_from(distance.as_nanos()).ok()
}

/// Whether both are of the same millisecond since 1970.
fn same_millisecond(a: SystemTime, b: SystemTime) -> bool {
    let millis = |time: SystemTime| {
        time.duration_since(SystemTime::UNIX_EPOCH)
            .as_ref()
            .map(Duration::as_millis)
            .ok()
    };
    millis(a) == millis(b)
}

macro_rules! deadline_fields {
    ($($type:ty)*) => {$(
        impl DeadlineField for $type {
            fn deadline(&self) -> Result<FieldTerm, String> {
                self.to_system_time().map(FieldTerm::At)
            }

            fn set_deadline(&mut self, deadline: Option<SystemTime>) {
                let Some(deadline) = deadline else { return };
                if self.to_system_time().is_ok_and(|own| same_millisecond(own, deadline)) {
                    return;
                }
                if let Some(moment) = Moment::from_system_time(deadline, Some(&*self)) {
                    *self = moment;
                }
            }
        }

        impl DeadlineField for Option<$type> {
            fn deadline(&self) -> Result<FieldTerm, String> {
                self.as_ref().map_or(Ok(FieldTerm::Unset), DeadlineField::deadline)
            }

            fn set_deadline(&mut self, deadline: Option<SystemTime>) {
                match (self.as_mut(), deadline) {
                    (Some(own), Some(_)) => own.set_deadline(deadline),
                    (None, Some(deadline)) => *self = Moment::from_system_time(deadline, None),
                    (_, None) => *self = None,
                }
            }
        }
    )*};
}

deadline_fields! { SystemTime }

#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "jiff")]
mod jiff;
#[cfg(feature = "time")]
mod time;

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;

    fn after_1970(ms: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(ms)
    }

    /// What holds for every type. `stored` is a value at 1.5 ms, `read` what reads at 7 ms; with `fresh`, which is that
    /// without a value before.
    #[expect(clippy::needless_pass_by_value, reason = "a test's values are made for it")]
    pub(super) fn is_a_moment<T>(stored: T, read: T, fresh: T)
    where
        T: DeadlineField + Clone + PartialEq + Debug,
        Option<T>: DeadlineField,
    {
        let at = SystemTime::UNIX_EPOCH + Duration::from_micros(1_500);
        assert_eq!(stored.deadline(), Ok(FieldTerm::At(at)));

        let mut field = stored.clone();
        field.set_deadline(Some(after_1970(1)));
        assert_eq!(field, stored, "of the same millisecond, and more exact");
        field.set_deadline(None);
        assert_eq!(field, stored, "it cannot say that nothing ends");
        field.set_deadline(Some(after_1970(7)));
        assert_eq!(field, read);
        assert_eq!(field.deadline(), Ok(FieldTerm::At(after_1970(7))));

        let mut field = Some(stored.clone());
        field.set_deadline(Some(after_1970(1)));
        assert_eq!(field.as_ref(), Some(&stored));
        field.set_deadline(Some(after_1970(7)));
        assert_eq!(field, Some(read));
        field.set_deadline(None);
        assert_eq!(field, None);
        assert_eq!(field.deadline(), Ok(FieldTerm::Unset));
        field.set_deadline(Some(after_1970(7)));
        assert_eq!(field, Some(fresh));
    }

    #[test]
    fn a_system_time_is_a_moment() {
        let [stored, read] =
            [1_500, 7_000].map(|micros| SystemTime::UNIX_EPOCH + Duration::from_micros(micros));
        is_a_moment(stored, read, read);
    }

    #[test]
    fn what_is_before_1970_is_stated_and_left_to_the_server_to_refuse() {
        let before = SystemTime::UNIX_EPOCH - Duration::from_millis(3);
        let mut field = before;
        assert_eq!(field.deadline(), Ok(FieldTerm::At(before)));
        field.set_deadline(Some(after_1970(3)));
        assert_eq!(field, after_1970(3));
    }
}
