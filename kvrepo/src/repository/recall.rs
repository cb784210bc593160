//! Finding what is at hand, in the store's near cache.

use super::{Repository, codec};
use crate::backend::near::Recalled;
use crate::entity::KvEntity;
use crate::error::Result;

impl<T: KvEntity> Repository<T> {
    /// The entity, if it is at hand.
    pub(super) async fn recall(&self, id: &str) -> Result<Option<T>> {
        let Some(near) = self.store.near() else {
            return Ok(None);
        };
        let registered = self.registered()?;
        let Some(found) = near.recall(&registered.keyspace, id) else {
            return Ok(None);
        };
        // Whoever finds everything at hand would never let those run who are told that it has changed.
        tokio::task::coop::consume_budget().await;
        let mut entity = decoded(id, &found)?;
        let (remaining, deadline) = (found.remaining(), found.deadline());
        codec::show_term(&mut entity, remaining, deadline, false, registered.default_term);
        Ok(Some(entity))
    }
}

/// The entity as it is stored. To copy it takes a fraction of the time that it takes to decode it, so what was decoded first
/// is kept with the record, of types that can be copied.
fn decoded<T: KvEntity>(id: &str, found: &Recalled) -> Result<T> {
    let place = found.decoded();
    // Another type can share the keyspace.
    let first: Option<&T> = place.get().and_then(|entity| entity.downcast_ref());
    if let Some(copy) = first.and_then(T::copied) {
        return Ok(copy);
    }
    let entity: T = codec::decode(id, found.record())?;
    if place.get().is_none()
        && let Some(copy) = entity.copied()
    {
        place.get_or_init(|| Box::new(copy));
    }
    Ok(entity)
}
