//! A group itself: what was put aside for it, and its end.

use std::ops::Deref;
use std::sync::Arc;

use super::KeyExpired;
use crate::backend::{Position, check_group_name};
use crate::entity::KvEntity;
use crate::error::Result;
use crate::repository::Repository;
use crate::store::Registered;

/// How many events are asked for at once.
const PAGE: usize = 256;

/// A group of readers of a keyspace's events, looked at from outside. See [`Repository::group`].
///
/// ```
/// # use std::time::Duration;
/// # use kvrepo::{KvEntity, ManualClock, Store};
/// # use serde::{Serialize, Deserialize};
/// # #[derive(Debug, Serialize, Deserialize, KvEntity)]
/// # #[kv(time_to_live = "15m")]
/// # struct Order { #[id] id: u64 }
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
/// # let clock = ManualClock::new();
/// # let orders = Store::in_memory().with_clock(clock.clone()).repository::<Order>();
/// let group = orders.group("release");
/// let mut expired = orders.expired().group("release").max_deliveries(1).await?;
/// # orders.save(&mut Order { id: 1 }).await?;
/// # clock.advance(Duration::from_secs(901));
/// # let mut again = orders.expired().group("release").max_deliveries(1).await?;
/// let event = expired.next().await.unwrap()?; // and the handler fails, and does not acknowledge it
/// # clock.advance(Duration::from_secs(31));
/// # let waiting = tokio::spawn(async move { again.next().await });
/// # while group.parked().await?.is_empty() { tokio::task::yield_now().await; }
/// for parked in group.parked().await? {
///     println!("{} was delivered {} times in vain", parked.id(), parked.deliveries());
///     group.replay(&parked).await?;
/// }
/// # assert_eq!(*waiting.await.unwrap().unwrap()?.id(), 1);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Group<T: KvEntity> {
    repository: Repository<T>,
    name: String,
}

impl<T: KvEntity> Group<T> {
    pub(crate) fn new(repository: Repository<T>, name: String) -> Self {
        Self { repository, name }
    }

    fn registered(&self) -> Result<&Arc<Registered>> {
        check_group_name("group", &self.name)?;
        self.repository.registered()
    }

    /// The events that were put aside, as they were delivered too often without being acknowledged; in the order in which
    /// they were. None if there is no such group.
    ///
    /// They stay until they are replayed and acknowledged, or discarded, whatever the retention.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSetting`](crate::Error::InvalidSetting) if no group can be called so,
    /// [`Error::Decode`](crate::Error::Decode) if an id is none of this type, [`Error::Backend`](crate::Error::Backend) and
    /// [`Error::Timeout`](crate::Error::Timeout).
    pub async fn parked(&self) -> Result<Vec<Parked<T>>> {
        let keyspace = &self.registered()?.keyspace;
        let backend = self.repository.store().backend();
        let (mut parked, mut after) = (Vec::new(), Position::START);
        loop {
            let page = backend.parked(keyspace, &self.name, after, PAGE).await?;
            for entry in &page {
                after = entry.place;
                parked.push(Parked {
                    event: KeyExpired::new(keyspace, &entry.entry, entry.deliveries)?,
                    place: entry.place,
                });
            }
            if page.len() < PAGE {
                return Ok(parked);
            }
        }
    }

    /// Has an event that was put aside delivered once more, as if it had never been. Returns whether it was still there.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`](crate::Error::Backend) and [`Error::Timeout`](crate::Error::Timeout).
    pub async fn replay(&self, parked: &Parked<T>) -> Result<bool> {
        let keyspace = &self.registered()?.keyspace;
        let backend = self.repository.store().backend();
        Ok(backend.replay(keyspace, &self.name, &[parked.place]).await? > 0)
    }

    /// Has all events that were put aside delivered once more; returns how many.
    ///
    /// # Errors
    ///
    /// Those of [`parked`](Self::parked).
    pub async fn replay_all(&self) -> Result<u64> {
        let keyspace = &self.registered()?.keyspace;
        let places: Vec<Position> = self.parked().await?.iter().map(|parked| parked.place).collect();
        let backend = self.repository.store().backend();
        backend.replay(keyspace, &self.name, &places).await
    }

    /// Drops an event that was put aside. Returns whether it was still there.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`](crate::Error::Backend) and [`Error::Timeout`](crate::Error::Timeout).
    pub async fn discard(&self, parked: &Parked<T>) -> Result<bool> {
        let keyspace = &self.registered()?.keyspace;
        let backend = self.repository.store().backend();
        Ok(backend.discard(keyspace, &self.name, &[parked.place]).await? > 0)
    }

    /// How many events were delivered and are not acknowledged, those that are being replayed included.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`](crate::Error::Backend) and [`Error::Timeout`](crate::Error::Timeout).
    pub async fn pending(&self) -> Result<u64> {
        let keyspace = &self.registered()?.keyspace;
        self.repository
            .store()
            .backend()
            .pending(keyspace, &self.name)
            .await
    }

    /// Ends the group: how far it has come, what is pending and what was put aside for it is forgotten. Returns whether there was one.
    ///
    /// A group is there from the first subscription on, and keeps the log from being dropped as a whole; so one that is no longer needed
    /// is to be ended. Stop its consumers before: one that still reads begins the group anew, with all that the log has.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`](crate::Error::Backend) and [`Error::Timeout`](crate::Error::Timeout).
    pub async fn delete(&self) -> Result<bool> {
        let keyspace = &self.registered()?.keyspace;
        self.repository
            .store()
            .backend()
            .delete_group(keyspace, &self.name)
            .await
    }
}

/// An event that was put aside: a [`KeyExpired`], and where it lies.
#[derive(Debug)]
pub struct Parked<T: KvEntity> {
    event: KeyExpired<T>,
    place: Position,
}

impl<T: KvEntity> Parked<T> {
    /// The event without its place.
    #[must_use]
    pub fn into_event(self) -> KeyExpired<T> {
        self.event
    }
}

impl<T: KvEntity> Deref for Parked<T> {
    type Target = KeyExpired<T>;

    fn deref(&self) -> &KeyExpired<T> {
        &self.event
    }
}
