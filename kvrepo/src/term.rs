//! When a write expires: what may be asked for, and which of several answers counts.

use std::time::{Duration, SystemTime};

use crate::backend::{GREATEST_TERM, WriteTerm};
use crate::entity::{FieldTerm, KvEntity};
use crate::error::{Error, Result};

/// What a call says of the term. Requests take it by [`term`](crate::Save::term), or by a method for each kind.
///
/// The page [`terms`](crate::terms) says what each is, and what is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Term {
    /// The declared term: what the entity states, or else the settings, or else the type's attribute.
    #[default]
    Declared,
    /// So long after the write.
    Ttl(Duration),
    /// At this time, by the server's clock.
    At(SystemTime),
    /// So long after the last use.
    Idle(Duration),
    /// Never.
    Persistent,
    /// What the living entity has; of one that is not there, the declared one.
    Keep,
}

/// The term of entities that state none: the settings', or else the attribute's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DefaultTerm {
    #[default]
    Persistent,
    Ttl(Duration),
    Idle(Duration),
}

impl DefaultTerm {
    /// Checked, for the entity of this name.
    pub(crate) fn resolve(self, entity: &'static str) -> Result<WriteTerm> {
        Ok(match self {
            Self::Persistent => WriteTerm::Persistent,
            Self::Ttl(term) => WriteTerm::After(millis(entity, term)?),
            Self::Idle(span) => WriteTerm::Idle(millis(entity, span)?),
        })
    }

    /// Whether an entity without a term of its own expires.
    pub(crate) fn expires(self) -> bool {
        self != Self::Persistent
    }
}

/// The order of precedence: the call's own; what the entity says, unless that is `None`; the default.
pub(crate) fn resolve<T: KvEntity>(call: Term, entity: &T, default: DefaultTerm) -> Result<WriteTerm> {
    match of_call(T::SCHEMA.entity, call)? {
        Some(term) => Ok(term),
        None => of_entity(entity, default),
    }
}

/// What the call says, if it says which term to have.
pub(crate) fn of_call(entity: &'static str, call: Term) -> Result<Option<WriteTerm>> {
    Ok(Some(match call {
        Term::Declared | Term::Keep => return Ok(None),
        Term::Ttl(term) => WriteTerm::After(millis(entity, term)?),
        Term::At(deadline) => at(entity, deadline)?,
        Term::Idle(span) => WriteTerm::Idle(millis(entity, span)?),
        Term::Persistent => WriteTerm::Persistent,
    }))
}

/// What the entity says, or else the default: the declared term.
pub(crate) fn of_entity<T: KvEntity>(entity: &T, default: DefaultTerm) -> Result<WriteTerm> {
    let name = T::SCHEMA.entity;
    match entity.term().map_err(|reason| invalid(name, reason))? {
        FieldTerm::Ttl(term) => Ok(WriteTerm::After(millis(name, term)?)),
        FieldTerm::At(deadline) => at(name, deadline),
        FieldTerm::Persistent => Ok(WriteTerm::Persistent),
        FieldTerm::Unset => default.resolve(name),
    }
}

/// A term in whole milliseconds, parts of one rounded up.
pub(crate) fn millis(entity: &'static str, term: Duration) -> Result<u64> {
    if term < Duration::from_millis(1) {
        return Err(invalid(
            entity,
            format!("{term:?} is less than a millisecond; leave the term out to never expire"),
        ));
    }
    match u64::try_from(term.as_nanos().div_ceil(1_000_000)) {
        Ok(ms) if ms <= GREATEST_TERM => Ok(ms),
        _ => Err(invalid(
            entity,
            format!("{term:?} is more than {GREATEST_TERM} milliseconds"),
        )),
    }
}

fn at(entity: &'static str, deadline: SystemTime) -> Result<WriteTerm> {
    // Before 1970 is past by any clock; what is past by the server's only the server can say.
    let since = deadline
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_err(|_| Error::DeadlinePassed { entity, deadline })?;
    match u64::try_from(since.as_millis()) {
        Ok(ms) if ms <= GREATEST_TERM => Ok(WriteTerm::At(ms)),
        _ => Err(invalid(
            entity,
            format!("the deadline is more than {GREATEST_TERM} milliseconds after 1970"),
        )),
    }
}

fn invalid(entity: &'static str, reason: String) -> Error {
    Error::InvalidTimeToLive { entity, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_a_whole_number_of_milliseconds_from_one_on() {
        let ms = |nanos| millis("T", Duration::from_nanos(nanos)).ok();
        assert_eq!(
            [ms(0), ms(999_999), ms(1_000_000), ms(1_000_001)],
            [None, None, Some(1), Some(2)]
        );
        assert_eq!(
            millis("T", Duration::from_millis(GREATEST_TERM)).ok(),
            Some(GREATEST_TERM)
        );
        assert!(matches!(
            millis("T", Duration::MAX),
            Err(Error::InvalidTimeToLive { .. })
        ));
    }

    #[test]
    fn a_deadline_before_1970_has_passed() {
        let past = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert!(matches!(at("T", past), Err(Error::DeadlinePassed { .. })));
    }
}
