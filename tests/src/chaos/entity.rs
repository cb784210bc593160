//! The entities of a chaos run. All that one holds follows from its id and a number, its nonce, that no other write
//! has: so a value that is wrong, or mixed of two, shows.

use std::collections::BTreeMap;
use std::fmt::Debug;

use kvrepo::{KvEntity, Point, Repository, Update};
use serde::{Deserialize, Serialize};

/// What is written, by which writes are told apart.
pub type Nonce = u64;

/// An entity type that takes part.
pub trait Subject: KvEntity + Debug + PartialEq + Clone {
    /// Whether its events have values.
    const VALUED: bool;

    fn id_of(number: u32) -> Self::Id;

    fn made(id: Self::Id, nonce: Nonce) -> Self;

    fn nonce(&self) -> Nonce;

    /// What makes an entity with another nonce what [`made`](Self::made) makes with this one.
    fn change(update: Update<'_, Self>, nonce: Nonce) -> Update<'_, Self>;

    /// The fields as they stand on the server, by an account of their own.
    fn fields(id: &str, nonce: Nonce) -> BTreeMap<String, String>;

    /// Whether all that it holds belongs together.
    fn is_whole(&self) -> bool {
        self.id()
            .is_some_and(|id| *self == Self::made(id.clone(), self.nonce()))
    }
}

/// Calls a method of [`Visit`] for each of the types.
pub fn each(visit: &mut impl Visit) {
    visit.subject::<Order>();
    visit.subject::<Seat>();
    visit.subject::<Ping>();
}

/// What is to be done for each type.
pub trait Visit {
    fn subject<T: Subject>(&mut self);
}

/// Changes an entity so that it holds what belongs to another nonce.
pub fn amend<T: Subject>(repository: &Repository<T>, id: T::Id, nonce: Nonce) -> Update<'_, T> {
    T::change(repository.update(id), nonce)
}

/// With lists, something that may not be there, and indexes of all kinds that have the id among values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "orders")]
pub struct Order {
    #[id]
    pub id: String,
    pub nonce: u64,
    #[indexed]
    pub city: String,
    #[indexed(range)]
    pub weight: u64,
    #[indexed(unique)]
    pub code: String,
    #[indexed]
    pub lines: Vec<String>,
    pub note: Option<String>,
}

fn city(nonce: Nonce) -> String {
    format!("city {}", nonce % 5)
}

fn lines(nonce: Nonce) -> Vec<String> {
    (0..nonce % 4).map(|i| format!("line {i} of {nonce}")).collect()
}

fn note(nonce: Nonce) -> Option<String> {
    nonce.is_multiple_of(3).then(|| format!("a note on {nonce}"))
}

impl Subject for Order {
    const VALUED: bool = true;

    fn id_of(number: u32) -> String {
        // With what parts keys on the server.
        format!("o:{number}")
    }

    fn made(id: String, nonce: Nonce) -> Self {
        Self {
            code: format!("code of {id}"),
            id,
            nonce,
            city: city(nonce),
            weight: nonce % 1_000,
            lines: lines(nonce),
            note: note(nonce),
        }
    }

    fn nonce(&self) -> Nonce {
        self.nonce
    }

    fn change(update: Update<'_, Self>, nonce: Nonce) -> Update<'_, Self> {
        let order = Self::fields();
        update
            .set(order.nonce, nonce)
            .set(order.city, city(nonce))
            .set(order.weight, nonce % 1_000)
            .set(order.lines, lines(nonce))
            .set(order.note, note(nonce))
    }

    fn fields(id: &str, nonce: Nonce) -> BTreeMap<String, String> {
        let mut fields = BTreeMap::from(
            [
                ("id", id.to_owned()),
                ("nonce", nonce.to_string()),
                ("city", city(nonce)),
                ("weight", (nonce % 1_000).to_string()),
                ("code", format!("code of {id}")),
            ]
            .map(|(field, value)| (field.to_owned(), value)),
        );
        for (i, line) in lines(nonce).into_iter().enumerate() {
            fields.insert(format!("lines.[{i}]"), line);
        }
        if nonce.is_multiple_of(4) {
            fields.insert("lines".to_owned(), "[]".to_owned());
        }
        fields.extend(note(nonce).map(|note| ("note".to_owned(), note)));
        fields
    }
}

/// With a number for its id, a place on the earth, and a default term.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "seats", time_to_live = "1s")]
pub struct Seat {
    #[id]
    pub id: u32,
    pub nonce: u64,
    #[geo_indexed]
    pub spot: Point,
    pub holder: String,
}

fn east(nonce: Nonce) -> f64 {
    (nonce % 180) as f64
}

impl Subject for Seat {
    const VALUED: bool = true;

    fn id_of(number: u32) -> u32 {
        number
    }

    fn made(id: u32, nonce: Nonce) -> Self {
        Self {
            id,
            nonce,
            spot: Point::new(east(nonce), 60.0),
            holder: "x".repeat((nonce % 300) as usize),
        }
    }

    fn nonce(&self) -> Nonce {
        self.nonce
    }

    fn change(update: Update<'_, Self>, nonce: Nonce) -> Update<'_, Self> {
        let seat = Self::fields();
        let Self { spot, holder, .. } = Self::made(0, nonce);
        update
            .set(seat.nonce, nonce)
            .set(seat.spot, spot)
            .set(seat.holder, holder)
    }

    fn fields(id: &str, nonce: Nonce) -> BTreeMap<String, String> {
        [
            ("id", id.to_owned()),
            ("nonce", nonce.to_string()),
            ("spot.x", format!("{:.1}", east(nonce))),
            ("spot.y", "60.0".to_owned()),
            ("holder", "x".repeat((nonce % 300) as usize)),
        ]
        .map(|(field, value)| (field.to_owned(), value))
        .into()
    }
}

/// Without a phantom: its events say the id alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "pings", shadow_copy = false)]
pub struct Ping {
    #[id]
    pub id: u32,
    pub nonce: u64,
}

impl Subject for Ping {
    const VALUED: bool = false;

    fn id_of(number: u32) -> u32 {
        number
    }

    fn made(id: u32, nonce: Nonce) -> Self {
        Self { id, nonce }
    }

    fn nonce(&self) -> Nonce {
        self.nonce
    }

    fn change(update: Update<'_, Self>, nonce: Nonce) -> Update<'_, Self> {
        update.set(Self::fields().nonce, nonce)
    }

    fn fields(_: &str, _: Nonce) -> BTreeMap<String, String> {
        BTreeMap::new()
    }
}
