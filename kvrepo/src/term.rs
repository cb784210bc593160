//! When a write expires: what may be asked for, and which of several answers counts.

use std::time::{Duration, SystemTime};

use crate::backend::{GREATEST_TERM, WriteTerm};
use crate::entity::{FieldTerm, KvEntity};
use crate::error::{Error, Result};

/// What a call itself says of the term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum CallTerm {
    /// Nothing: the entity, the settings and the attributes decide.
    #[default]
    Unset,
    Ttl(Duration),
    At(SystemTime),
    Persistent,
}

/// The order of precedence: the call's own; what the entity says, unless that is `None`; the settings, or else the
/// attribute, both of them in `default`; persistent.
pub(crate) fn resolve<T: KvEntity>(
    call: CallTerm,
    entity: &T,
    default: Option<Duration>,
) -> Result<WriteTerm> {
    let name = T::SCHEMA.entity;
    let after = |term| Ok(WriteTerm::After(millis(name, term)?));
    match call {
        CallTerm::Ttl(term) => after(term),
        CallTerm::At(deadline) => at(name, deadline),
        CallTerm::Persistent => Ok(WriteTerm::Persistent),
        CallTerm::Unset => match entity.term().map_err(|reason| invalid(name, reason))? {
            FieldTerm::Ttl(term) => after(term),
            FieldTerm::Persistent => Ok(WriteTerm::Persistent),
            FieldTerm::Unset => default.map_or(Ok(WriteTerm::Persistent), after),
        },
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
