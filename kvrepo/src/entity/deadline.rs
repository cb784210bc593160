//! The absolute deadline that an entity states: by an `#[expires_at]` field.

use std::time::{Duration, SystemTime};

use super::FieldTerm;

/// A field that `#[expires_at]` can stand on: `SystemTime`, or an `Option` of it.
///
/// `None` states nothing: the keyspace's default decides. What is read back is the entity's deadline as the server has
/// it, to the millisecond; of a persistent entity an `Option` reads `None`, any other type the value as stored.
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

    /// `None` if this type cannot say it.
    fn from_system_time(time: SystemTime) -> Option<Self>;
}

impl Moment for SystemTime {
    fn to_system_time(&self) -> Result<SystemTime, String> {
        Ok(*self)
    }

    fn from_system_time(time: SystemTime) -> Option<Self> {
        Some(time)
    }
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
                if let Some(moment) = Moment::from_system_time(deadline) {
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
                    (None, Some(deadline)) => *self = Moment::from_system_time(deadline),
                    (_, None) => *self = None,
                }
            }
        }
    )*};
}

deadline_fields! { SystemTime }
