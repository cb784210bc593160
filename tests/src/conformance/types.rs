//! The types that the cases declare, field for field; the attributes that belong to later issues are left off, and
//! with `#[reference]` the fields that it stands on.

mod behaviour;
mod convert;
mod mapping;
mod time;
mod update;

pub use behaviour::{
    BarePass, City, FnPass, GeoSpotOnly, Grade, Lease, Mate, Member, MilliPass, MinutePass, Pass, Plain,
    Session, Spot, TempMate, TenPass,
};
pub use convert::{Account, JsonHome, JsonSailor, MapSailor, MapVessel};
pub use mapping::{
    Beacon, Bundle, Camper, Dims, Folk, Frozen, Gadget, Gauge, Home, HomeWithId, HomeWithZip, Inner, Lodger,
    Maps, Moments, OrderedF64, Outer, Pair, Point, Role, Sailor, Shelter, Sparse, Token, Vessel,
};
pub use time::{EpochMillis, OffsetTime, Period, ZoneId, ZonedDateTime};
pub use update::Changed;

macro_rules! plainly_notated {
    ($($type:ty),* $(,)?) => {$(
        impl super::notation::Notated for $type {
            fn notated(value: &serde_json::Value) -> Result<Self, String> {
                super::notation::read(value)
            }
        }
    )*};
}

plainly_notated! {
    BarePass, Beacon, Bundle, Camper, City, Dims, FnPass, Folk, Frozen, Gadget, Gauge, GeoSpotOnly, Lease, Lodger, Maps,
    Mate, Member, MilliPass, MinutePass, Moments, Outer, Pair, Pass, Plain, Sailor, Session, Sparse, TempMate, TenPass,
    Token, JsonSailor,
}
