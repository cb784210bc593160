//! When something that is written has to expire.

use std::time::Duration;

use crate::answer::{Fault, millis};
use crate::operation::{Default, Term, When};

/// The longest term, in milliseconds.
const LONGEST: u64 = 4_000_000_000_000_000;

/// A term, resolved; in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Until {
    Never,
    After(u64),
    /// Since the sequence began.
    At(u64),
    Idle(u64),
    /// A deadline that only the backend can refuse.
    Passed,
}

impl Until {
    /// The deadline and the idle span of a term that begins now.
    pub(crate) fn begin(self, now: u64) -> Result<(Option<u64>, Option<u64>), Fault> {
        match self {
            Self::Never => Ok((None, None)),
            Self::After(term) => Ok((Some(now + term), None)),
            Self::At(deadline) => Ok((Some(deadline), None)),
            Self::Idle(span) => Ok((Some(now + span), Some(span))),
            Self::Passed => Err(Fault::Passed),
        }
    }
}

/// What a call says, if it says which term to have.
pub(crate) fn told(call: Term, now: u64) -> Result<Option<Until>, Fault> {
    Ok(Some(match call {
        Term::Unset | Term::Keep => return Ok(None),
        Term::Ttl(term) => Until::After(valid(term)?),
        Term::Idle(span) => Until::Idle(valid(span)?),
        Term::Persistent => Until::Never,
        Term::At(When::In(left)) => Until::At(now + millis(left)),
        Term::At(When::Ago(_)) => Until::Passed,
        Term::At(When::Before1970) => return Err(Fault::Passed),
        Term::At(When::TooLate) => return Err(Fault::InvalidTerm),
    }))
}

fn valid(term: Duration) -> Result<u64, Fault> {
    match millis(term) {
        ms @ 1..=LONGEST => Ok(ms),
        _ => Err(Fault::InvalidTerm),
    }
}

/// What an item's number of seconds states.
#[derive(Debug, PartialEq)]
pub(crate) enum Statement {
    Nothing,
    Persistent,
    Seconds(u64),
    /// All that is too great is one.
    Invalid(i64),
}

pub(crate) fn statement(ttl: Option<i64>) -> Statement {
    match ttl {
        None => Statement::Nothing,
        Some(-1) => Statement::Persistent,
        Some(seconds) => match u64::try_from(seconds) {
            Ok(whole) if whole > LONGEST / 1_000 => Statement::Invalid(i64::MAX),
            Ok(whole @ 1..) => Statement::Seconds(whole),
            _ => Statement::Invalid(seconds),
        },
    }
}

impl Statement {
    /// The term that it means where this is the default.
    pub(crate) fn until(&self, default: Default) -> Result<Until, Fault> {
        Ok(match (self, default) {
            (Self::Seconds(seconds), _) => Until::After(seconds * 1_000),
            (Self::Invalid(_), _) => return Err(Fault::InvalidTerm),
            (Self::Persistent, _) | (Self::Nothing, Default::Persistent) => Until::Never,
            (Self::Nothing, Default::Ttl(term)) => Until::After(millis(term)),
            (Self::Nothing, Default::Idle(span)) => Until::Idle(millis(span)),
        })
    }
}
