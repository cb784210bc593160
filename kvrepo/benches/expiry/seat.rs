//! What expires: the same in each keyspace, so that many can be in one store.

use kvrepo::{KvEntity, Store};
use serde::{Deserialize, Serialize};

use crate::table::Table;

/// One of the types.
pub(crate) trait Seat: KvEntity<Id = u64> {
    fn number(id: usize) -> Self;
    /// The id.
    ///
    /// # Panics
    ///
    /// If the value is not the entity's.
    fn checked(&self) -> u64;
}

macro_rules! seats {
    ($($name:ident $keyspace:literal)*) => {
        $(
            #[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
            #[kv(keyspace = $keyspace)]
            pub(crate) struct $name {
                #[id]
                pub(crate) id: u64,
                pub(crate) row: String,
                pub(crate) passenger: String,
                pub(crate) price: u32,
            }

            impl Seat for $name {
                fn number(id: usize) -> Self {
                    Self {
                        id: id as u64,
                        row: format!("row {}", id / 6),
                        passenger: format!("passenger {id}"),
                        price: 4711,
                    }
                }

                fn checked(&self) -> u64 {
                    assert_eq!(self.passenger, format!("passenger {}", self.id), "the value is the entity's");
                    self.id
                }
            }
        )*

        /// Each in a keyspace of its own.
        pub(crate) const TABLES: &[fn(&Store) -> Box<dyn Table>] = &[$(|store| Box::new(store.repository::<$name>())),*];
    };
}

seats! {
    Seat1 "seats" Seat2 "seats2" Seat3 "seats3" Seat4 "seats4"
    Seat5 "seats5" Seat6 "seats6" Seat7 "seats7" Seat8 "seats8"
    Seat9 "seats9" Seat10 "seats10" Seat11 "seats11" Seat12 "seats12"
    Seat13 "seats13" Seat14 "seats14" Seat15 "seats15" Seat16 "seats16"
}
