//! An entity with what the store knows of it.

use std::time::{Duration, SystemTime};

use super::{Repository, codec};
use crate::backend::TimeToLive;
use crate::entity::{IdArg, KvEntity};
use crate::error::Result;

/// An entity, what remains of its term, and its version. See [`Repository::entry`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry<T> {
    /// The entity.
    pub value: T,
    /// What remained of its term when it was read: [`TimeToLive::In`] or [`TimeToLive::Persistent`].
    pub remaining: TimeToLive,
    /// When it expires, by the server's clock, unless it is renewed; `None` is never.
    pub deadline: Option<SystemTime>,
    /// The span of its idle term; `None` if it has none.
    pub idle: Option<Duration>,
    /// Its version; `None` without a `#[version]` field.
    pub version: Option<u64>,
}

impl<T: KvEntity> Repository<T> {
    /// The living entity with this id, with its term and its version, all of one moment; or `None`. Its idle term, if it
    /// has one, begins anew; what was left before is told.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use kvrepo::{KvEntity, ManualClock, Store, TimeToLive};
    /// # use serde::{Serialize, Deserialize};
    /// # #[derive(Serialize, Deserialize, KvEntity)]
    /// # #[kv(time_to_live = "30m")]
    /// # struct Session { #[id] id: String }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let clock = ManualClock::new();
    /// # let sessions = Store::in_memory().with_clock(clock.clone()).repository::<Session>();
    /// sessions.save(&mut Session { id: "1".into() }).await?;
    /// clock.advance(Duration::from_secs(60));
    /// let entry = sessions.entry("1").await?.unwrap();
    /// assert_eq!(entry.remaining, TimeToLive::In(Duration::from_secs(29 * 60)));
    /// assert!(entry.deadline.is_some());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`find_by_id`](Self::find_by_id).
    pub async fn entry(&self, id: impl IdArg<T::Id>) -> Result<Option<Entry<T>>> {
        let registered = self.registered()?;
        let id = codec::id_to_find::<T>(id)?;
        let loaded = self
            .load_raw(registered, std::slice::from_ref(&id), true, true)
            .await?;
        let Some(loaded) = loaded.into_iter().next().flatten() else {
            return Ok(None);
        };
        let value: T = codec::decode_loaded(&id, &loaded, registered.default_term)?;
        Ok(Some(Entry {
            version: value.version(),
            value,
            remaining: loaded.remaining,
            deadline: loaded.deadline.map(codec::system_time),
            idle: loaded.idle.map(Duration::from_millis),
        }))
    }
}
