//! The term that an entity states: by a `#[time_to_live]` or `#[expires_at]` field or by a method.

use std::time::{Duration, SystemTime};

use crate::backend::GREATEST_TERM;

/// What a number in a `#[time_to_live]` field counts. Seconds, unless `#[time_to_live(unit = "…")]` says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum TermUnit {
    /// `"ms"`
    Milliseconds,
    /// `"s"`
    #[default]
    Seconds,
    /// `"min"` or `"m"`
    Minutes,
    /// `"h"`
    Hours,
    /// `"d"`, of 24 hours
    Days,
}

impl TermUnit {
    /// How many milliseconds one of this unit has.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        match self {
            Self::Milliseconds => 1,
            Self::Seconds => 1_000,
            Self::Minutes => 60_000,
            Self::Hours => 3_600_000,
            Self::Days => 86_400_000,
        }
    }
}

/// The term that an entity states about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldTerm {
    /// Nothing is stated (`None`): the next in the order of precedence decides.
    Unset,
    /// The entity does not expire, whatever the defaults are.
    Persistent,
    /// The entity expires after this time: whole milliseconds, at least one.
    Ttl(Duration),
    /// The entity expires at this time, by the server's clock.
    At(SystemTime),
}

/// What was read of an entity's term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadTerm {
    /// What remains of it; `None` is persistent.
    pub remaining: Option<Duration>,
    /// When it ends, by the server's clock; `None` is persistent.
    pub deadline: Option<SystemTime>,
    /// Whether a field that is `None` would mean a default term at the next save.
    pub has_default: bool,
}

impl ReadTerm {
    /// The term of an entity that does not expire.
    #[must_use]
    pub fn persistent(has_default: bool) -> Self {
        Self {
            remaining: None,
            deadline: None,
            has_default,
        }
    }

    /// A term of which so much remains, and that ends then.
    #[must_use]
    pub fn expiring(remaining: Duration, deadline: SystemTime, has_default: bool) -> Self {
        Self {
            remaining: Some(remaining),
            deadline: Some(deadline),
            has_default,
        }
    }
}

/// A field that `#[time_to_live]` can stand on, and what the method of `time_to_live_fn` can return.
///
/// | type | states | `None` | read back |
/// | --- | --- | --- | --- |
/// | `u8` … `u128`, `usize` | so many of the unit | | what remains, rounded up; of a persistent entity the value as stored |
/// | `i8` … `i128`, `isize` | the same; `-1` is persistent | | what remains, rounded up; `-1` if persistent |
/// | `f32`, `f64` | the same, with a fraction, rounded up to the millisecond; `-1` is persistent | | what remains; `-1` if persistent |
/// | `Duration` | itself, rounded up to the millisecond | | what remains; of a persistent entity the value as stored |
/// | `Option` of these | the same | no statement: the keyspace's default decides | the same; `None` if persistent |
///
/// An `Option` of a signed or float type reads `Some(-1)` of a persistent entity if there is a default term, since
/// `None` would get the default at the next save. What an unsigned type or a `Duration` cannot say (persistent in
/// spite of a default) they cannot read back either: take a signed type where that matters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold a time to live",
    label = "not a time to live",
    note = "a time to live is an integer, an `f32`, an `f64`, a `std::time::Duration`, or an `Option` of one of these"
)]
pub trait TermField {
    /// The term that this value states, if plain numbers count `unit`.
    ///
    /// # Errors
    ///
    /// Why it is none, and what to do: zero, negative (but `-1`), less than a millisecond, not a number, or too great;
    /// the page [`terms`](crate::terms) has the table.
    fn term(&self, unit: TermUnit) -> Result<FieldTerm, String>;

    /// Replaces this value by what remains of the term: `None` if the entity is persistent.
    ///
    /// A whole number is rounded up, so that a living entity never reads 0, and stops at the type's greatest value.
    /// `has_default` says whether a value of `None` would mean a default term at the next save.
    fn set_remaining(&mut self, unit: TermUnit, remaining: Option<Duration>, has_default: bool);
}

/// The least term, and the least that is read back: what is alive has time left, whatever a clock says.
const ONE_MS: Duration = Duration::from_millis(1);

/// More than this is no term on any path.
const MAX_MS: u128 = GREATEST_TERM as u128;

/// What every refusal ends with.
const PERSISTENT_HINT: &str =
    "for an entity that does not expire, take `None` without a default term, or `-1` in a signed field";

fn ttl(ms: u128) -> Result<FieldTerm, String> {
    match u64::try_from(ms) {
        Ok(0) => Err(format!(
            "it is zero; state at least one millisecond, or {PERSISTENT_HINT}"
        )),
        Ok(ms) if u128::from(ms) <= MAX_MS => Ok(FieldTerm::Ttl(Duration::from_millis(ms))),
        _ => Err(too_great()),
    }
}

fn too_great() -> String {
    format!("it is more than {MAX_MS} milliseconds; {PERSISTENT_HINT}")
}

fn negative(value: impl std::fmt::Display) -> String {
    format!("it is {value}; the only negative value is `-1`, which means persistent")
}

/// What remains, in whole units, rounded up, at least one.
fn whole_units(unit: TermUnit, remaining: Duration) -> u128 {
    let unit_ns = u128::from(unit.as_millis()) * 1_000_000;
    remaining.as_nanos().div_ceil(unit_ns).max(1)
}

/// The term of a float. `epsilon` is the type's precision: what differs from a whole millisecond by less is that
/// millisecond, or 1.1 seconds would be rounded up to 1101 ms.
fn float_term(value: f64, epsilon: f64, unit: TermUnit) -> Result<FieldTerm, String> {
    if value == -1.0 {
        return Ok(FieldTerm::Persistent);
    }
    if value.is_nan() {
        return Err(format!(
            "it is not a number; state at least one millisecond, or {PERSISTENT_HINT}"
        ));
    }
    if value < 0.0 {
        return Err(negative(value));
    }
    let ms = value * unit.as_millis() as f64;
    let nearest = ms.round();
    let ms = if (ms - nearest).abs() <= ms * epsilon {
        nearest
    } else {
        ms
    };
    if ms == 0.0 {
        return ttl(0);
    }
    if ms < 1.0 {
        return Err(less_than_a_millisecond());
    }
    // Positive and whole; a cast stops at the greatest value, which is refused.
    ttl(ms.ceil() as u128)
}

fn less_than_a_millisecond() -> String {
    format!("it is less than a millisecond; state at least one, or {PERSISTENT_HINT}")
}

/// What remains as a fraction of the unit. Not rounded to the unit, since a float has no need to be: a term of half a
/// second reads as half a second.
fn float_units(unit: TermUnit, remaining: Duration) -> f64 {
    let unit = unit.as_millis() as f64;
    remaining.max(ONE_MS).as_secs_f64() * 1_000.0 / unit
}

/// A type that holds a term and is not an `Option`.
trait Plain: Copy {
    /// What a persistent entity reads, if this type can say so.
    const PERSISTENT: Option<Self>;

    fn state(self, unit: TermUnit) -> Result<FieldTerm, String>;

    fn from_remaining(unit: TermUnit, remaining: Duration) -> Self;
}

macro_rules! integers {
    ($($int:ty)*, persistent = $persistent:expr) => {$(
        impl Plain for $int {
            const PERSISTENT: Option<Self> = $persistent;

            fn state(self, unit: TermUnit) -> Result<FieldTerm, String> {
                if Self::PERSISTENT == Some(self) {
                    return Ok(FieldTerm::Persistent);
                }
                // Only what is negative does not fit.
                let count = u128::try_from(self).map_err(|_| negative(self))?;
                ttl(count.checked_mul(u128::from(unit.as_millis())).ok_or_else(too_great)?)
            }

            fn from_remaining(unit: TermUnit, remaining: Duration) -> Self {
                whole_units(unit, remaining).try_into().unwrap_or(Self::MAX)
            }
        }
    )*};
}

integers! { u8 u16 u32 u64 u128 usize, persistent = None }
integers! { i8 i16 i32 i64 i128 isize, persistent = Some(-1) }

impl Plain for f64 {
    const PERSISTENT: Option<Self> = Some(-1.0);

    fn state(self, unit: TermUnit) -> Result<FieldTerm, String> {
        float_term(self, Self::EPSILON, unit)
    }

    fn from_remaining(unit: TermUnit, remaining: Duration) -> Self {
        float_units(unit, remaining)
    }
}

impl Plain for f32 {
    const PERSISTENT: Option<Self> = Some(-1.0);

    fn state(self, unit: TermUnit) -> Result<FieldTerm, String> {
        float_term(f64::from(self), f64::from(Self::EPSILON), unit)
    }

    fn from_remaining(unit: TermUnit, remaining: Duration) -> Self {
        float_units(unit, remaining) as Self
    }
}

impl Plain for Duration {
    const PERSISTENT: Option<Self> = None;

    fn state(self, _: TermUnit) -> Result<FieldTerm, String> {
        if !self.is_zero() && self < ONE_MS {
            return Err(less_than_a_millisecond());
        }
        ttl(self.as_nanos().div_ceil(1_000_000))
    }

    fn from_remaining(_: TermUnit, remaining: Duration) -> Self {
        remaining.max(ONE_MS)
    }
}

// Not `impl<T: Plain>`: then the compiler would name the hidden trait, not `TermField`, where a type is wrong.
macro_rules! term_fields {
    ($($type:ty)*) => {$(
        impl TermField for $type {
            fn term(&self, unit: TermUnit) -> Result<FieldTerm, String> {
                self.state(unit)
            }

            fn set_remaining(&mut self, unit: TermUnit, remaining: Option<Duration>, _has_default: bool) {
                let value = remaining.map(|remaining| Plain::from_remaining(unit, remaining));
                if let Some(value) = value.or(Self::PERSISTENT) {
                    *self = value;
                }
            }
        }

        impl TermField for Option<$type> {
            fn term(&self, unit: TermUnit) -> Result<FieldTerm, String> {
                self.map_or(Ok(FieldTerm::Unset), |value| value.state(unit))
            }

            fn set_remaining(&mut self, unit: TermUnit, remaining: Option<Duration>, has_default: bool) {
                *self = match remaining {
                    Some(remaining) => Some(Plain::from_remaining(unit, remaining)),
                    None if has_default => Plain::PERSISTENT,
                    None => None,
                };
            }
        }
    )*};
}

term_fields! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 Duration }

#[cfg(test)]
mod tests;
