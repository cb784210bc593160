//! A keyspace as a backend sees it: where its keys begin, and what is kept how long.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::index::{self, Index, Misfit};
use super::{Condition, Refusal};
use crate::error::{Error, Result};

/// The five minutes for which a phantom outlives its entity, unless the settings say otherwise.
pub(crate) const DEFAULT_GRACE: Duration = Duration::from_secs(300);
/// The hour for which events are kept, unless the settings say otherwise.
pub(crate) const DEFAULT_RETENTION: Duration = Duration::from_secs(3600);

/// A keyspace, with its settings resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyspace {
    entity: &'static str,
    name: String,
    base: String,
    shadow_copy: bool,
    grace: u64,
    retention: u64,
    indexes: Arc<[Index]>,
}

impl Keyspace {
    /// A keyspace of the given name, below a key prefix that may be empty.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSetting`] if the name or the prefix would break the key layout, or a span is zero or too
    /// long.
    pub fn new(
        entity: &'static str,
        prefix: &str,
        name: &str,
        shadow_copy: bool,
        grace: Duration,
        retention: Duration,
    ) -> Result<Self> {
        check_name("keyspace", name)?;
        if !prefix.is_empty() {
            check_characters("key prefix", prefix)?;
        }
        Ok(Self {
            entity,
            name: name.to_owned(),
            base: format!("{prefix}{name}"),
            shadow_copy,
            grace: span("grace", grace)?,
            retention: span("retention", retention)?,
            indexes: Arc::default(),
        })
    }

    /// With these indexes.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSetting`] if one cannot be, or two would meet.
    pub fn with_indexes(mut self, indexes: Vec<Index>) -> Result<Self> {
        index::check(&indexes).map_err(|(name, reason)| Error::InvalidSetting {
            what: "index",
            name: format!("{}.{name}", self.entity),
            reason,
        })?;
        self.indexes = indexes.into();
        Ok(self)
    }

    /// What entities are found by.
    #[must_use]
    pub fn indexes(&self) -> &[Index] {
        &self.indexes
    }

    /// The entity's type, for messages.
    #[must_use]
    pub fn entity(&self) -> &'static str {
        self.entity
    }

    /// The name, without the store's key prefix.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name with the key prefix: the key of the id set, and what all other keys of the keyspace begin with.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The key of an entity's hash.
    #[must_use]
    pub fn entity_key(&self, id: &str) -> String {
        let mut key = String::with_capacity(self.base.len() + 1 + id.len());
        key.push_str(&self.base);
        key.push(':');
        key.push_str(id);
        key
    }

    /// The id and whether it is its phantom's, if this is the key of an entity or of a phantom of this keyspace.
    #[must_use]
    pub fn id_of_key<'k>(&self, key: &'k str) -> Option<(&'k str, bool)> {
        let rest = key.strip_prefix(self.base.as_str())?.strip_prefix(':')?;
        match rest.strip_suffix(":phantom") {
            Some(id) if !id.is_empty() => Some((id, true)),
            _ if rest.is_empty() || rest.ends_with(":idx") => None,
            _ => Some((rest, false)),
        }
    }

    /// Whether a phantom is kept.
    #[must_use]
    pub fn shadow_copy(&self) -> bool {
        self.shadow_copy
    }

    /// How long a phantom outlives its entity, in milliseconds.
    #[must_use]
    pub fn grace(&self) -> u64 {
        self.grace
    }

    /// How long an event is kept, in milliseconds.
    #[must_use]
    pub fn retention(&self) -> u64 {
        self.retention
    }

    /// What is said of a write whose condition did not hold.
    pub(crate) fn conflict(&self, id: &str, condition: &Condition) -> Error {
        let (keyspace, id) = (self.name.clone(), id.to_owned());
        match condition {
            Condition::Absent => Error::AlreadyExists { keyspace, id },
            Condition::Version { .. } | Condition::Unchanged(_) => Error::VersionConflict { keyspace, id },
        }
    }

    /// What is said of a deadline, in milliseconds since 1970, that the backend's clock has passed.
    pub(crate) fn deadline_passed(&self, deadline: u64) -> Error {
        Error::DeadlinePassed {
            entity: self.entity,
            deadline: SystemTime::UNIX_EPOCH + Duration::from_millis(deadline),
        }
    }

    /// What is said of a unique value that another living entity has.
    pub(crate) fn taken(&self, index: &str) -> Error {
        Error::UniqueViolation {
            keyspace: self.name.clone(),
            field: index.to_owned(),
        }
    }

    /// What is said of a value that cannot be indexed.
    pub(crate) fn misfit(&self, misfit: Misfit) -> Error {
        Error::Encode {
            entity: self.entity,
            path: misfit.path,
            reason: misfit.reason,
        }
    }

    /// What is said of changes that cannot be done.
    pub(crate) fn refused(&self, refusal: Refusal) -> Error {
        let (path, reason) = match refusal {
            Refusal::Absent(path) => (
                path,
                "it is `None`, so none of its fields can be set; set it as a whole",
            ),
            Refusal::Whole(path) => (
                path,
                "it is stored as JSON in one field, so none of its fields can be set; set it as a whole",
            ),
            Refusal::NoNumber(path) => (
                path,
                "what is stored is no whole number, so nothing can be added; set it",
            ),
            Refusal::Range(path) => (path, "the sum is more, or less, than the field can hold"),
        };
        Error::Encode {
            entity: self.entity,
            path,
            reason: reason.to_owned(),
        }
    }
}

fn span(what: &'static str, span: Duration) -> Result<u64> {
    match u64::try_from(span.as_millis()) {
        Ok(ms @ 1..=super::operation::GREATEST_TERM) => Ok(ms),
        _ => Err(Error::InvalidSetting {
            what,
            name: format!("{span:?}"),
            reason: "it has to be at least a millisecond and at most 4,000,000,000,000,000 of them".into(),
        }),
    }
}

/// The name of a group, or of a reader in one, stands in keys and in lists of the server.
pub(crate) fn check_group_name(what: &'static str, name: &str) -> Result<()> {
    if name.is_empty() {
        return Err(invalid(what, name, "it is empty"));
    }
    check_characters(what, name)
}

fn check_name(what: &'static str, name: &str) -> Result<()> {
    if name.is_empty() {
        return Err(invalid(what, name, "it is empty"));
    }
    if name.starts_with(':') || name.ends_with(':') {
        return Err(invalid(
            what,
            name,
            "a colon at its start or end would blur where ids begin; take it away",
        ));
    }
    check_characters(what, name)
}

fn check_characters(what: &'static str, name: &str) -> Result<()> {
    match name
        .chars()
        .find(|c| matches!(c, '#' | '*' | '?' | '[') || c.is_whitespace())
    {
        None => Ok(()),
        Some(c) => Err(invalid(
            what,
            name,
            &format!(
                "{c:?} is kept for kvrepo's own keys and for patterns; use letters, digits, `-`, `_`, `:`, `.`"
            ),
        )),
    }
}

fn invalid(what: &'static str, name: &str, reason: &str) -> Error {
    Error::InvalidSetting {
        what,
        name: name.to_owned(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyspace(name: &str) -> Result<Keyspace> {
        Keyspace::new("Person", "t1:", name, true, DEFAULT_GRACE, DEFAULT_RETENTION)
    }

    #[test]
    fn keys_are_told_apart() {
        let people = keyspace("shop:eu").unwrap();
        assert_eq!(people.entity_key("a:b"), "t1:shop:eu:a:b");
        assert_eq!(people.id_of_key("t1:shop:eu:a:b"), Some(("a:b", false)));
        assert_eq!(people.id_of_key("t1:shop:eu:a:b:phantom"), Some(("a:b", true)));
        assert_eq!(people.id_of_key("t1:shop:eu:phantom"), Some(("phantom", false)));
        for foreign in [
            "",
            "t1:shop:eu",
            "t1:shop:eu:",
            "t1:shop:eu:1:idx",
            "t1:shop:eu#expired",
            "shop:eu:1",
            "t1:shop:europe:1",
        ] {
            assert_eq!(people.id_of_key(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn a_name_that_would_break_the_layout_is_refused() {
        for name in ["", "a#b", "a*", "a?", "a[bc]", "a b", "a\tb", ":a", "a:"] {
            assert!(
                matches!(keyspace(name), Err(Error::InvalidSetting { .. })),
                "{name:?}"
            );
        }
        assert!(keyspace("{people:17}").is_ok());
        assert!(Keyspace::new("P", "a*", "x", true, DEFAULT_GRACE, DEFAULT_RETENTION).is_err());
        assert!(Keyspace::new("P", "", "x", true, Duration::ZERO, DEFAULT_RETENTION).is_err());
        assert!(Keyspace::new("P", "", "x", true, Duration::MAX, DEFAULT_RETENTION).is_err());
    }
}
