//! What can be set when a store is built.

use std::any::TypeId;
use std::collections::HashMap;
use std::time::Duration;

#[cfg(feature = "near-cache")]
use crate::backend::near::NearCache;
use crate::backend::valkey::Certificates;
use crate::backend::{DEFAULT_GRACE, DEFAULT_RETENTION, Keyspace};
use crate::error::{Error, Result};
use crate::term::DefaultTerm;

/// When a store listens for expirations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum KeyspaceEvents {
    /// Never. Subscribing is an error; what has expired stays, invisible, until [`sweep`](crate::Repository::sweep).
    Off,
    /// From the first subscription, or the first save with a term.
    #[default]
    OnDemand,
    /// From the start, or from when a keyspace is first used: what is due then is reaped whether or not anybody has
    /// subscribed yet, so a subscription that is made later and begins then does not bring it. To hear of what expired while the
    /// service was down, take `OnDemand` and subscribe, or begin where you were: from a position, or as a group. A store that is built outside of a Tokio runtime, which only one without
    /// a server can be, has to wait for the first subscription or the first save with a term.
    OnStartup,
}

/// Settings of one keyspace that are only known at run time. They come before the entity's attributes.
///
/// ```
/// use std::time::Duration;
/// use kvrepo::{KeyspaceSettings, KvEntity, Store};
/// # use serde::{Serialize, Deserialize};
///
/// #[derive(Serialize, Deserialize, KvEntity)]
/// #[kv(keyspace = "carts", time_to_live = "1h")]
/// struct Cart {
///     #[id]
///     id: String,
/// }
///
/// # fn main() -> kvrepo::Result<()> {
/// let store = Store::builder()
///     .keyspace::<Cart>(KeyspaceSettings::new().time_to_live(Duration::from_secs(600)))
///     .in_memory()?;
/// # let _ = store; Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct KeyspaceSettings {
    pub(super) name: Option<String>,
    pub(super) term: Option<DefaultTerm>,
    pub(super) shadow_copy: Option<bool>,
    pub(super) grace: Option<Duration>,
    pub(super) retention: Option<Duration>,
}

impl KeyspaceSettings {
    /// No settings: all is as the attributes say.
    pub fn new() -> Self {
        Self::default()
    }

    /// The keyspace's name.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The term of entities that state none themselves. Instead of [`idle`](Self::idle): of several the last counts.
    pub fn time_to_live(mut self, term: Duration) -> Self {
        self.term = Some(DefaultTerm::Ttl(term));
        self
    }

    /// The idle term of entities that state none themselves: it begins anew with each write, and with each read of the
    /// entity by its id. Instead of [`time_to_live`](Self::time_to_live): of several the last counts.
    pub fn idle(mut self, span: Duration) -> Self {
        self.term = Some(DefaultTerm::Idle(span));
        self
    }

    /// Entities that state no term do not expire, whatever the attributes say.
    pub fn persistent(mut self) -> Self {
        self.term = Some(DefaultTerm::Persistent);
        self
    }

    /// Whether a phantom is kept, so that events carry the value. It takes as much memory as the entity again.
    pub fn shadow_copy(mut self, on: bool) -> Self {
        self.shadow_copy = Some(on);
        self
    }

    /// For how long a phantom outlives its entity: five minutes unless set. An entity that is reaped later than
    /// that, because nobody was listening, has an event without a value.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = Some(grace);
        self
    }

    /// For how long an event is kept for subscribers that are behind: an hour unless set.
    pub fn retention(mut self, retention: Duration) -> Self {
        self.retention = Some(retention);
        self
    }

    pub(super) fn grace_or_default(&self) -> Duration {
        self.grace.unwrap_or(DEFAULT_GRACE)
    }

    pub(super) fn retention_or_default(&self) -> Duration {
        self.retention.unwrap_or(DEFAULT_RETENTION)
    }
}

/// All that a store was built with.
#[derive(Debug, Clone)]
pub(super) struct StoreSettings {
    pub(super) key_prefix: String,
    pub(super) events: KeyspaceEvents,
    pub(super) call_deadline: Duration,
    pub(super) leave_notification_flags: bool,
    pub(super) certificates: Certificates,
    #[cfg(feature = "near-cache")]
    pub(super) near_cache: Option<NearCache>,
    pub(super) keyspaces: HashMap<TypeId, KeyspaceSettings>,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            key_prefix: String::new(),
            events: KeyspaceEvents::default(),
            call_deadline: Duration::from_secs(5),
            leave_notification_flags: false,
            certificates: Certificates::default(),
            #[cfg(feature = "near-cache")]
            near_cache: None,
            keyspaces: HashMap::new(),
        }
    }
}

impl StoreSettings {
    /// What can be told before any keyspace is known.
    pub(super) fn check(&self) -> Result<()> {
        Keyspace::new("", &self.key_prefix, "x", false, DEFAULT_GRACE, DEFAULT_RETENTION)?;
        if self.call_deadline.is_zero() {
            return Err(Error::InvalidSetting {
                what: "call deadline",
                name: format!("{:?}", self.call_deadline),
                reason: "no call could ever be answered in time".into(),
            });
        }
        #[cfg(feature = "near-cache")]
        if let Some(near_cache) = &self.near_cache {
            near_cache.check()?;
        }
        Ok(())
    }
}
