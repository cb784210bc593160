//! The one error type. Every fallible call of this crate returns it; its variants say what a caller can do.

use std::error::Error as StdError;
use std::fmt;
use std::time::{Duration, SystemTime};

/// What this crate's calls return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What an error was caused by, where it has a cause.
pub type Source = Box<dyn StdError + Send + Sync + 'static>;

/// Whether a write that failed may have happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The server did not execute the call, or refused it whole: nothing has changed.
    NotExecuted,
    /// The call was sent and its reply was lost. It may have been executed; kvrepo never sends it again by itself.
    Unknown,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotExecuted => "it was not executed",
            Self::Unknown => "its outcome is unknown",
        })
    }
}

/// One item of a batch that failed.
#[derive(Debug)]
#[non_exhaustive]
pub struct ItemFailure {
    /// Where the item stood in the batch, counted from 0.
    pub index: usize,
    /// Why it failed.
    pub error: Error,
}

impl ItemFailure {
    pub(crate) fn new(index: usize, error: Error) -> Self {
        Self { index, error }
    }
}

/// Everything that can go wrong.
///
/// Match on the variant, or ask one of the predicates ([`is_not_found`](Self::is_not_found),
/// [`is_conflict`](Self::is_conflict), [`is_transient`](Self::is_transient),
/// [`is_outcome_unknown`](Self::is_outcome_unknown)). No message holds a value of an entity or a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no living entity with this id.
    #[error("no `{keyspace}` with id `{id}`")]
    NotFound {
        /// The keyspace that was searched.
        keyspace: String,
        /// The id that was not there.
        id: String,
    },
    /// A living entity has this id already.
    #[error("`{keyspace}` with id `{id}` exists already")]
    AlreadyExists {
        /// The keyspace.
        keyspace: String,
        /// The id that is taken.
        id: String,
    },
    /// The stored version is another than the one the caller had. Nothing was written.
    #[error("`{keyspace}` with id `{id}` is at another version than the one to be replaced; load it again")]
    VersionConflict {
        /// The keyspace.
        keyspace: String,
        /// The id.
        id: String,
    },
    /// A living entity holds this unique value. Nothing was written.
    #[error("the value of `{field}` is taken by another living `{keyspace}`")]
    UniqueViolation {
        /// The keyspace.
        keyspace: String,
        /// The unique field.
        field: String,
    },
    /// There are several, where one was asked for.
    #[error("there are several `{keyspace}` where one was asked for; ask for the `first`, or for all")]
    NotUnique {
        /// The keyspace that was searched.
        keyspace: String,
    },
    /// The id cannot be stored. Nothing was written.
    #[error("`{id}` cannot be the id of a `{entity}`: {reason}")]
    InvalidId {
        /// The entity's type.
        entity: &'static str,
        /// The id as it would have stood in the key.
        id: String,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// The keyspace's name, the key prefix, a cursor or another setting cannot be used.
    #[error("`{name}` cannot be used as {what}: {reason}")]
    InvalidSetting {
        /// What was set: `keyspace`, `key prefix`, `grace`, `cursor`, `root certificates` …
        what: &'static str,
        /// What it was set to; of certificates and keys how long it is.
        name: String,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// The term is not one that an entity can have. Nothing was written.
    #[error("invalid time to live for `{entity}`: {reason}")]
    InvalidTimeToLive {
        /// The entity's type.
        entity: &'static str,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// The absolute deadline lies in the past. Nothing was written.
    #[error("the deadline of this `{entity}` has passed already")]
    DeadlinePassed {
        /// The entity's type.
        entity: &'static str,
        /// The deadline that was asked for.
        deadline: SystemTime,
    },
    /// The value cannot be stored. Nothing was written.
    #[error("cannot encode `{entity}` at `{path}`: {reason}")]
    Encode {
        /// The entity's type.
        entity: &'static str,
        /// Where in the value.
        path: String,
        /// What is wrong there.
        reason: String,
    },
    /// What is stored is not a value of the type that was asked for.
    #[error("cannot decode `{entity}` at `{path}`: {reason}")]
    Decode {
        /// The entity's type.
        entity: &'static str,
        /// Where in the hash. Empty for the entity as a whole.
        path: String,
        /// What was expected there.
        reason: String,
    },
    /// Two entity types were registered with keyspaces that cannot live side by side.
    #[error("keyspace `{keyspace}` cannot live beside `{other}`: {reason}")]
    KeyspaceConflict {
        /// The keyspace that was to be registered.
        keyspace: String,
        /// The one that is registered already.
        other: String,
        /// Why they conflict, and what to do.
        reason: String,
    },
    /// A key that the entity needs holds something that is not ours. Nothing was written.
    #[error("key `{key}` holds another type of value than kvrepo keeps there")]
    KeyCollision {
        /// The key, as far as it is known.
        key: String,
    },
    /// The store was built with keyspace events off, so there is nothing to subscribe to.
    #[error(
        "keyspace events are off for this store; build it with `KeyspaceEvents::OnDemand` or call `sweep`"
    )]
    EventsDisabled,
    /// Events were trimmed from the log before this subscription had read them.
    #[error("expirations of `{keyspace}` were trimmed from the event log before they were read")]
    Gap {
        /// The keyspace.
        keyspace: String,
        /// The last position that was read.
        from: crate::Position,
        /// The last position that was trimmed.
        to: crate::Position,
    },
    /// The server, or the build, does not have what is needed.
    #[error("not supported: {what}")]
    Unsupported {
        /// What is missing, and what to do.
        what: String,
    },
    /// Some items of a batch failed; the others are done.
    #[error("{} of {total} items failed, the first of them the one at {}", failures.len(), failures.first().map_or(0, |f| f.index))]
    Batch {
        /// How many items the batch had.
        total: usize,
        /// Those that failed, in the batch's order.
        failures: Vec<ItemFailure>,
    },
    /// The call was not answered within its deadline.
    #[error("`{operation}` was not answered within {after:?}; {outcome}")]
    Timeout {
        /// What was being done.
        operation: &'static str,
        /// The deadline.
        after: Duration,
        /// Whether it may have been executed.
        outcome: Outcome,
    },
    /// The server or the connection to it failed.
    #[error("`{operation}` failed; {outcome}")]
    Backend {
        /// What was being done.
        operation: &'static str,
        /// Whether it may have been executed.
        outcome: Outcome,
        /// Whether the same call may succeed later.
        transient: bool,
        /// What the client or the server said.
        #[source]
        source: Source,
    },
}

impl Error {
    /// The entity is not there.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }

    /// Another writer, or another entity, was there first.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        matches!(
            self,
            Self::AlreadyExists { .. } | Self::VersionConflict { .. } | Self::UniqueViolation { .. }
        )
    }

    /// The same call may succeed later, unchanged.
    ///
    /// Of a write, ask [`is_outcome_unknown`](Self::is_outcome_unknown) before you repeat it.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Timeout { .. } => true,
            Self::Backend { transient, .. } => *transient,
            Self::Batch { failures, .. } => failures.iter().all(|f| f.error.is_transient()),
            _ => false,
        }
    }

    /// The call may have been executed although it failed.
    #[must_use]
    pub fn is_outcome_unknown(&self) -> bool {
        match self {
            Self::Timeout { outcome, .. } | Self::Backend { outcome, .. } => *outcome == Outcome::Unknown,
            Self::Batch { failures, .. } => failures.iter().any(|f| f.error.is_outcome_unknown()),
            _ => false,
        }
    }

    /// The same of another item: a cause can only be told once, and stays with the first.
    pub(crate) fn again(&self) -> Self {
        let outcome = if self.is_outcome_unknown() {
            Outcome::Unknown
        } else {
            Outcome::NotExecuted
        };
        match self {
            Self::Timeout { operation, after, .. } => Self::Timeout {
                operation,
                after: *after,
                outcome,
            },
            Self::Backend {
                operation,
                transient,
                source,
                ..
            } => Self::Backend {
                operation,
                outcome,
                transient: *transient,
                source: source.to_string().into(),
            },
            other => Self::Backend {
                operation: "batch",
                outcome,
                transient: other.is_transient(),
                source: other.to_string().into(),
            },
        }
    }
}
