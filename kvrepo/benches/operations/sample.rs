//! The entities that are measured, each twice: plain, and with two of its fields indexed.

#[path = "sample/large.rs"]
mod large;
#[path = "sample/small.rs"]
mod small;
#[path = "sample/usual.rs"]
mod usual;

use std::fmt::Debug;
use std::future::Future;

use kvrepo::{Filter, KvEntity, Repository};
use redis::{Cmd, Value};

pub(crate) use large::{IndexedLarge, Large};
pub(crate) use small::{IndexedSmall, Small};
pub(crate) use usual::{IndexedUsual, Usual};

/// How many values each of the two indexes has; so in `CITIES * TRADES * n` entities `n` have the same two.
pub(crate) const CITIES: usize = 4;
pub(crate) const TRADES: usize = 5;

/// A value as it came.
pub(crate) trait Bytes: AsRef<[u8]> + Into<Vec<u8>> {}

impl<B: AsRef<[u8]> + Into<Vec<u8>>> Bytes for B {}

/// What is measured, and what somebody writes by hand for just this type: no reflection, nothing allocated that is not kept.
pub(crate) trait Sample: KvEntity<Id = String> + Clone + PartialEq + Debug {
    const SIZE: &'static str;
    const INDEXED: bool;

    /// The entity of this number; others have other values.
    fn number(number: usize) -> Self;
    /// Gives it another city, another trade, and others of its values.
    fn change(&mut self);
    fn key(&self) -> &str;
    fn city(&self) -> &str;
    fn trade(&self) -> &str;

    /// By hand: appends fields and values.
    fn write(&self, command: &mut Cmd);
    /// By hand: from the fields of a hash. Values that are owned are kept, others copied.
    fn from_fields<P: AsRef<[u8]>, V: Bytes>(fields: impl Iterator<Item = (P, V)>) -> Option<Self>;

    /// By hand: from a reply.
    fn read(hash: Value) -> Option<Self> {
        Self::from_fields(pairs(hash)?)
    }

    /// By kvrepo: another trade.
    fn set_trade(
        people: &Repository<Self>,
        id: &str,
        trade: String,
    ) -> impl Future<Output = kvrepo::Result<bool>> + Send;
    /// By kvrepo: those of a city and, if one is given, a trade. `None` of what is not indexed.
    fn filter(city: &str, trade: Option<&str>) -> Option<Filter<Self>>;
}

/// What both types of a size have in common that depends on their names.
macro_rules! sample {
    ($size:literal, $read:ident, plain $type:ident) => {
        $crate::sample::sample! { @ $size, $read, $type, false, None }
    };
    ($size:literal, $read:ident, indexed $type:ident) => {
        $crate::sample::sample! { @ $size, $read, $type, true, Some(|city: &str, trade: Option<&str>| {
            let fields = $type::fields();
            let of_city = fields.city.eq(city);
            match trade {
                None => of_city,
                Some(trade) => of_city & fields.trade.eq(trade),
            }
        }) }
    };
    (@ $size:literal, $read:ident, $type:ident, $indexed:literal, $filter:expr) => {
        impl $crate::sample::Sample for $type {
            const SIZE: &'static str = $size;
            const INDEXED: bool = $indexed;

            fn number(number: usize) -> Self {
                let mut new = Self::made(number);
                new.id = $crate::sample::id(number);
                new.city = $crate::sample::city(number);
                new.trade = $crate::sample::trade(number / $crate::sample::CITIES);
                new
            }

            fn change(&mut self) {
                self.city.push_str(" at sea");
                self.trade.push_str(" of old");
                self.changed();
            }

            fn key(&self) -> &str {
                &self.id
            }

            fn city(&self) -> &str {
                &self.city
            }

            fn trade(&self) -> &str {
                &self.trade
            }

            fn write(&self, command: &mut redis::Cmd) {
                self.by_hand(command);
            }

            fn from_fields<P: AsRef<[u8]>, V: $crate::sample::Bytes>(
                fields: impl Iterator<Item = (P, V)>,
            ) -> Option<Self> {
                Self::$read(fields)
            }

            async fn set_trade(
                people: &kvrepo::Repository<Self>,
                id: &str,
                trade: String,
            ) -> kvrepo::Result<bool> {
                people.update(id).set(Self::fields().trade, trade).await
            }

            fn filter(city: &str, trade: Option<&str>) -> Option<kvrepo::Filter<Self>> {
                let filter: Option<fn(&str, Option<&str>) -> kvrepo::Filter<Self>> = $filter;
                filter.map(|filter| filter(city, trade))
            }
        }
    };
}
pub(crate) use sample;

/// Looks like a UUID, and sorts as the numbers do.
pub(crate) fn id(number: usize) -> String {
    format!("0190b3c8-{:04x}-7a2e-9f31-{number:012x}", number % 0x10000)
}

pub(crate) fn city(number: usize) -> String {
    format!("Port Saint {}", number % CITIES)
}

pub(crate) fn trade(number: usize) -> String {
    format!("master carpenter {}", number % TRADES)
}

/// Fields and values of a reply, in the form of RESP3 or of RESP2.
fn pairs(hash: Value) -> Option<impl Iterator<Item = (Vec<u8>, Vec<u8>)>> {
    let (pairs, flat) = match hash {
        Value::Map(pairs) => (pairs, Vec::new()),
        Value::Array(flat) => (Vec::new(), flat),
        _ => return None,
    };
    let mut flat = flat.into_iter();
    let flat = std::iter::from_fn(move || Some((flat.next()?, flat.next()?)));
    Some(pairs.into_iter().chain(flat).filter_map(|pair| match pair {
        (Value::BulkString(path), Value::BulkString(value)) => Some((path, value)),
        _ => None,
    }))
}

fn text(value: impl Bytes) -> Option<String> {
    String::from_utf8(value.into()).ok()
}

fn number<N: std::str::FromStr>(value: &impl AsRef<[u8]>) -> Option<N> {
    std::str::from_utf8(value.as_ref()).ok()?.parse().ok()
}
