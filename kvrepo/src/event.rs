//! Expiry events: [`KeyExpired`], the subscriptions and groups that carry them, and the handlers that see to them.

mod acknowledgement;
mod delivery;
mod expired;
mod for_each;
mod group;
mod handler;
mod listen;
mod parked;
mod reading;
mod subscribe;

pub use delivery::Delivery;
pub use expired::{KeyExpired, NoValue};
pub use for_each::{ForEach, Handled};
pub use group::{GroupExpired, SubscribeGroup};
pub use handler::{Failure, HandlerResult};
pub use listen::{Everything, Listen, Listening, Share};
pub use parked::{Group, Parked};
pub use subscribe::{Expired, Subscribe};
