//! Expiry events: [`KeyExpired`] and the subscriptions that carry them.

mod expired;
mod subscribe;

pub use expired::{KeyExpired, NoValue};
pub use subscribe::{Expired, Subscribe};
