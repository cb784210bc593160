//! Typed repositories over Valkey and Redis, with expiry events that carry the expired value.
//!
//! Derive [`KvEntity`](derive@KvEntity) on a struct, open a [`Store`], and use its [`Repository`]:
//!
//! ```
//! use std::time::Duration;
//!
//! use kvrepo::{KvEntity, Store, TimeToLive};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize, KvEntity)]
//! #[kv(keyspace = "reservations", time_to_live = "15m")]
//! struct Reservation {
//!     #[id]
//!     id: Option<String>,
//!     seat: String,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
//! let store = Store::in_memory(); // or Store::connect("redis://127.0.0.1:6379").await?
//! let reservations = store.repository::<Reservation>();
//! let mut expired = reservations.expired().await?;
//!
//! let mut held = Reservation { id: None, seat: "17A".into() };
//! reservations.save(&mut held).time_to_live(Duration::from_millis(20)).await?;
//! let id = held.id.clone().unwrap();
//! assert!(matches!(reservations.time_to_live(&id).await?, TimeToLive::In(_)));
//!
//! let event = expired.next().await.unwrap()?;
//! assert_eq!((event.id(), event.value()), (&id, Some(&held)));
//! assert_eq!(reservations.find_by_id(&id).await?, None);
//! # Ok(()) }
//! ```
//!
//! # Where to look
//!
//! | for | see |
//! | --- | --- |
//! | the attributes of an entity | [`derive@KvEntity`] |
//! | connecting, settings, tenants, memory | [`Store`], [`StoreBuilder`], [`KeyspaceSettings`] |
//! | saving, finding, changing, deleting, sweeping | [`Repository`] |
//! | finders: methods whose names say what they find | [`repository`](macro@repository) |
//! | references to other entities, loading them | [`Ref`], [`Repository::load_all`] |
//! | finding by what entities hold: indexes, filters, pages, geo, and what they cost | [`queries`], [`Repository::find`] |
//! | terms: all kinds, what is refused, what is renewed | [`terms`] |
//! | expiry events: who gets them, what is promised, and what is not | [`events`], [`Repository::expired`], [`KeyExpired`] |
//! | work that is to be done once, by one of several processes | [`Subscribe::group`], [`Group`] |
//! | handlers in a service, and a graceful end | [`Store::listen`] |
//! | finding in memory what was found before: a near cache, with the feature `near-cache` | `near_cache`, `StoreBuilder::near_cache` |
//! | which servers will do, and what a user has to be allowed there | [`servers`] |
//! | how a store is: health, spans, logs, metrics | [`Store::health`], [`observing`] |
//! | testing without a server, and without waiting | [`Store::with_clock`], [`ManualClock`] |
//! | what can go wrong | [`Error`] |
//! | a backend of one's own, or around another | [`backend`] |
//!
//! # What is promised
//!
//! - A save is one atomic step and one round trip. No hash is ever without the TTL of its term.
//! - What is past its deadline, by the server's clock, is absent to every call at once.
//! - Each life of an entity that ends by its deadline has exactly one event in the keyspace's log, kept for the
//!   retention (one hour unless set), with the value as it was last written, as long as it is reaped within the grace
//!   (five minutes unless set). While any process listens that is within milliseconds.
//! - A write that failed says whether it may have happened, and is never sent again behind the caller's back.

pub mod backend;
mod entity;
mod error;
mod event;
mod health;
mod listener;
mod mapping;
mod query;
mod repository;
mod store;
mod telemetry;
mod term;
#[doc = include_str!("docs/events.md")]
pub mod events {}
#[cfg(feature = "near-cache")]
#[doc = include_str!("docs/near_cache.md")]
pub mod near_cache {}
#[doc = include_str!("docs/observing.md")]
pub mod observing {}
#[doc = include_str!("docs/queries.md")]
pub mod queries {}
#[doc = include_str!("docs/servers.md")]
pub mod servers {}
#[doc = include_str!("docs/terms.md")]
pub mod terms {}

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use backend::memory::ManualClock;
#[cfg(feature = "near-cache")]
pub use backend::near::{NearCache, NearCacheStatistics};
pub use backend::operation::TimeToLive;
pub use backend::position::{ParsePositionError, Position};
pub use backend::{Disagreement, Finding, NotificationFlags, Notifications, Order};
pub use entity::{
    DeadlineField, EntitySchema, FieldTerm, IdArg, IdField, KvEntity, KvId, KvNested, ReadTerm, Ref,
    ReferenceField, TermField, TermUnit, VersionField, Versioned,
};
pub use error::{Error, ItemFailure, Outcome, Result, Source};
pub use event::{
    Delivery, Everything, Expired, Failure, ForEach, Group, GroupExpired, Handled, HandlerResult, KeyExpired,
    Listen, Listening, NoValue, Parked, Share, Subscribe, SubscribeGroup,
};
pub use health::{Health, HealthStatus, ReapedBy};
#[doc = include_str!("docs/kv_entity.md")]
pub use kvrepo_derive::KvEntity;
#[doc = include_str!("docs/kv_nested.md")]
pub use kvrepo_derive::KvNested;
#[doc = include_str!("docs/finders.md")]
pub use kvrepo_derive::repository;
pub use mapping::Record;
pub use mapping::with;
pub use query::{
    BoundingBox, ByKey, Circle, Conjunct, Distance, Element, EqualityIndex, Field, FieldHandle, Filter,
    GeoIndex, IdHandle, Increment, Indexed, KeyedIndex, ListField, Located, MapField, Near, Negated, Nested,
    NotIndexed, Page, PageRequest, Point, RangeIndex, RangeValue, Ranged, Reference, Shape, Sort, Target,
    TextValue, Under, ValueArg,
};
pub use repository::{
    DeleteById, Entry, Example, Find, FindAll, FindNear, FindPage, FindSlice, Insert, InsertAll, LoadedRefs,
    Progress, Repository, Save, SaveAll, SaveOutcome, Slice, Swept, Unset, Update, UpdateWith, Verify,
};
pub use store::{KeyspaceEvents, KeyspaceSettings, Store, StoreBuilder};
pub use term::Term;

/// The README's example runs.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
