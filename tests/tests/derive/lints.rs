//! Generated code is clean where every warning is an error.
#![deny(
    missing_docs,
    missing_debug_implementations,
    unused_qualifications,
    warnings,
    clippy::all,
    clippy::pedantic
)]

use std::time::{Duration, SystemTime};

use futures_util::Stream;
use kvrepo::{KvEntity, KvNested, Ref, Sort, Store};
use serde::{Deserialize, Serialize, Serializer};

/// An entity with every option.
#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(
    keyspace = "sessions",
    time_to_live = "1h 30m",
    shadow_copy = false,
    type_alias = "session"
)]
pub struct Session {
    /// Its id.
    #[id]
    pub id: Option<String>,
    /// Its term.
    #[time_to_live(unit = "min")]
    pub minutes: Option<i64>,
    /// As JSON.
    #[kv(json)]
    pub tags: Vec<String>,
    /// Beside the others.
    #[serde(flatten)]
    pub device: Device,
    /// Its version.
    #[version]
    pub version: u64,
    /// With fields of its own.
    #[nested]
    pub place: Option<Place>,
    /// Another.
    #[reference]
    pub before: Option<Ref<Session>>,
    /// No longer.
    #[reference]
    #[deprecated]
    pub after: Vec<Ref<Self>>,
    /// Written by a function.
    #[serde(serialize_with = "as_text")]
    pub count: u32,
    /// Of a type with many words.
    pub nights: std::collections::HashMap<String, Vec<Option<Box<u32>>>>,
    unnamed: Unnamed,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Unnamed {
    count: u32,
}

/// A struct that is nested.
#[derive(Debug, Clone, Serialize, Deserialize, KvNested)]
pub struct Place {
    /// Its name.
    #[indexed(range)]
    pub name: String,
    /// With fields of its own.
    #[nested]
    pub point: Point,
    /// Written by a function.
    #[serde(serialize_with = "as_text")]
    pub count: u32,
    /// No longer.
    #[indexed]
    #[deprecated]
    pub code: Option<u32>,
    /// An entity.
    #[reference]
    owner: Ref<Session>,
    /// With fields of its own.
    #[nested]
    #[deprecated]
    pub former: Option<Point>,
    unnamed: Unnamed,
}

/// A struct that is nested in one that is nested.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, KvNested)]
pub struct Point {
    /// East.
    pub lon: f64,
    /// North.
    pub lat: f64,
}

/// Finders.
#[kvrepo::repository(Session)]
pub trait Sessions {
    /// Those of a place, in order.
    async fn find_by_place_name_starting_with_order_by_count_desc(
        &self,
        name: &str,
        sort: Sort<Session>,
    ) -> kvrepo::Result<Vec<Session>>;

    /// Those that are there no longer.
    async fn delete_by_place_code_in_and_id_not(&self, codes: Vec<u32>, id: String) -> kvrepo::Result<u64>;

    /// One after the other.
    #[must_use]
    fn stream_by_id_in(&self, ids: &[String]) -> impl Stream<Item = kvrepo::Result<Session>> + Send;
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn as_text<S: Serializer>(count: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(count)
}

/// An entity that ends at a time of its own, and none of whose fields is ever named.
#[derive(Debug, Serialize, Deserialize, KvEntity)]
#[kv(idle = "30d")]
struct Offer {
    #[id]
    id: u64,
    #[expires_at]
    until: Option<SystemTime>,
    #[nested]
    point: Point,
}

/// What is flattened.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Device {
    /// Its name.
    pub name: String,
}

/// An entity whose term comes from a method.
#[deprecated]
#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(time_to_live_fn = "lives_for", time_to_live = 1_800)]
pub struct Lease {
    /// Its id.
    #[id]
    #[deprecated]
    pub id: u64,
}

#[allow(deprecated)]
impl Lease {
    fn lives_for(&self) -> Duration {
        Duration::from_secs(self.id)
    }
}

/// An entity whose term comes from a function.
#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(time_to_live_fn = "self::lives_for")]
pub struct Loan {
    /// Its id.
    #[id]
    pub id: u64,
}

const fn lives_for(loan: &Loan) -> Option<u64> {
    if loan.id == 0 { None } else { Some(loan.id) }
}

/// Asks, and does not wait for the answers.
fn look(sessions: &impl Sessions) {
    let sort = Session::fields().minutes.asc();
    drop(sessions.find_by_place_name_starting_with_order_by_count_desc("a", sort));
    drop(sessions.delete_by_place_code_in_and_id_not(vec![1], "2".to_owned()));
    drop(sessions.stream_by_id_in(&["3".to_owned()]));
}

#[test]
#[allow(deprecated, reason = "what is deprecated can be derived all the same")]
fn nothing_is_warned_of() {
    use kvrepo::FieldTerm::{Ttl, Unset};

    assert_eq!(Session::SCHEMA.time_to_live, Some(Duration::from_secs(5_400)));
    assert_eq!(KvEntity::term(&Lease { id: 3 }), Ok(Ttl(Duration::from_secs(3))));
    assert_eq!(KvEntity::term(&Loan { id: 3 }), Ok(Ttl(Duration::from_secs(3))));
    assert_eq!(KvEntity::term(&Loan { id: 0 }), Ok(Unset));
    let offer = Offer {
        id: 1,
        until: None,
        point: Point { lon: 0.0, lat: 0.0 },
    };
    assert_eq!(KvEntity::term(&offer), Ok(Unset));
    assert_eq!((offer.until, offer.point.lon.to_bits()), (None, 0));
    assert_eq!(Session::fields().place.point.lat.path(), "place.point.lat");
    assert_eq!(Unnamed::default().count, 0);
    look(&Store::in_memory().repository::<Session>());
}
