//! The types that the cases declare, field for field.

mod behaviour;
mod convert;
mod index;
mod mapping;
mod sought;
mod time;
mod update;

pub use behaviour::{
    BarePass, City, FnPass, GeoSpotOnly, Grade, Kind, Lease, Mate, Member, MilliPass, MinutePass, Pass,
    Plain, Probe, Ranked, Resident, Session, Spot, TempMate, TenPass, Town,
};
pub use convert::{Account, JsonHome, JsonSailor, MapSailor, MapVessel};
pub use index::{
    GeoDeep, GeoLeaf, GeoMid, GeoRoot, Hand, HandByName, HomeRef, IndexedHome, ItemList, LandHome, NamedItem,
    NumList, Place, PlainByName, PlainByOther, PlainByStruct, RefHand, Scalars, TagList, TagMap, Voyage,
};
pub use mapping::{
    Beacon, Bundle, Camper, Dims, Folk, Frozen, Gadget, Gauge, Home, HomeWithId, HomeWithZip, Inner, Lodger,
    Maps, Moments, OrderedF64, Outer, Pair, Point, Port, Role, Sailor, Shelter, Sparse, Token, Vessel,
};
pub use sought::Sought;
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
    Mate, MilliPass, MinutePass, Moments, Outer, Pair, Pass, Plain, Session, Sparse, TempMate, TenPass, Token,
    JsonSailor, Ranked, Resident,
    GeoDeep, GeoRoot, Hand, HandByName, ItemList, LandHome, NumList, PlainByName, PlainByOther, PlainByStruct, Scalars,
    TagList, TagMap, Voyage,
}

macro_rules! notated_with_references {
    ($($type:ty => $referred:ty { $($field:literal)* })*) => {$(
        impl super::notation::Notated for $type {
            const REFERENCES: &'static [&'static str] = &[$($field),*];

            fn notated(value: &serde_json::Value) -> Result<Self, String> {
                super::notation::read(&super::reference::written::<Self>(value)?)
            }

            fn target(value: &serde_json::Value) -> Result<(String, serde_json::Value), String> {
                super::reference::target::<$referred>(value)
            }

            async fn referred(
                store: &kvrepo::Store,
                texts: Vec<serde_json::Value>,
            ) -> Result<super::reference::Targets, String> {
                super::reference::load::<$referred>(store, texts).await
            }
        }
    )*};
}

notated_with_references! {
    Member => City { "city" }
    Probe => Probe { "relative" }
    RefHand => HomeRef { "lodging" }
    Sailor => Port { "port" "calls" }
}
