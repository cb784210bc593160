//! One expiry.

use std::time::{Duration, SystemTime};

use crate::backend::{Keyspace, LogEntry, Position};
use crate::entity::{KvEntity, KvId};
use crate::error::{Error, Result};
use crate::repository::codec;

/// Why an event has no value.
#[derive(Debug)]
#[non_exhaustive]
pub enum NoValue {
    /// No phantom was there: none is kept for this keyspace, or it was lost, or the entity was reaped later than the
    /// grace allows because nobody listened.
    NoPhantom,
    /// What the phantom held is not a value of the type.
    Undecodable(Error),
}

/// An entity has expired.
///
/// There is one for each life of an entity: an entity that is saved again and expires again has another.
#[derive(Debug)]
pub struct KeyExpired<T: KvEntity> {
    id: T::Id,
    key: String,
    keyspace: String,
    channel: String,
    deadline: SystemTime,
    position: Position,
    deliveries: u32,
    value: Result<T, NoValue>,
}

impl<T: KvEntity> KeyExpired<T> {
    pub(super) fn new(keyspace: &Keyspace, entry: &LogEntry, deliveries: u32) -> Result<Self> {
        let id = T::Id::from_key(&entry.id).ok_or_else(|| Error::Decode {
            entity: T::SCHEMA.entity,
            path: T::SCHEMA.id_path.to_owned(),
            reason: "the expired key's id is none of this type".into(),
        })?;
        let value = match &entry.record {
            None => Err(NoValue::NoPhantom),
            Some(record) => codec::decode(&entry.id, record).map_err(NoValue::Undecodable),
        };
        Ok(Self {
            id,
            key: keyspace.entity_key(&entry.id),
            keyspace: keyspace.name().to_owned(),
            channel: format!("{}#expired", keyspace.base()),
            deadline: SystemTime::UNIX_EPOCH + Duration::from_millis(entry.deadline),
            position: entry.position,
            deliveries,
            value,
        })
    }

    /// The entity's id.
    #[must_use]
    pub fn id(&self) -> &T::Id {
        &self.id
    }

    /// The key that has expired, with the store's prefix.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The name of the entity's keyspace.
    #[must_use]
    pub fn keyspace(&self) -> &str {
        &self.keyspace
    }

    /// The event log by which this came, as it is named on the server.
    #[must_use]
    pub fn channel(&self) -> &str {
        &self.channel
    }

    /// The entity as it was last written, or `None`; [`no_value`](Self::no_value) says why.
    #[must_use]
    pub fn value(&self) -> Option<&T> {
        self.value.as_ref().ok()
    }

    /// The entity as it was last written, or `None`.
    #[must_use]
    pub fn into_value(self) -> Option<T> {
        self.value.ok()
    }

    /// Why there is no value; `None` if there is one.
    #[must_use]
    pub fn no_value(&self) -> Option<&NoValue> {
        self.value.as_ref().err()
    }

    /// When the entity expired, by the server's clock.
    #[must_use]
    pub fn deadline(&self) -> SystemTime {
        self.deadline
    }

    /// When that was seen, and written to the log, by the server's clock.
    #[must_use]
    pub fn seen_at(&self) -> SystemTime {
        self.position.written_at()
    }

    /// Where the event stands in the log of its keyspace. Saved somewhere, it is from where a subscriber goes on later:
    /// [`Subscribe::from`](crate::Subscribe::from).
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// How often this event has been delivered to the group, this time included; 1 outside of a group.
    #[must_use]
    pub fn deliveries(&self) -> u32 {
        self.deliveries
    }
}
