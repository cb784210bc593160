//! What a sequence is made of: calls, and the passing of time between them.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::item::{Address, Door, Item};

/// A store's settings, and what is done with it.
#[derive(Debug, Clone)]
pub(crate) struct Sequence {
    pub(crate) settings: Settings,
    pub(crate) operations: Vec<Operation>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) default: Default,
    pub(crate) shadow_copy: bool,
    /// Whether somebody listens all the while. If not, what expires stays until it is swept or met.
    pub(crate) listening: bool,
}

/// The term of items that state none.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Default {
    Persistent,
    Ttl(Duration),
    Idle(Duration),
}

#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Save(Item, Term),
    Insert(Item, Term),
    SaveAll(Vec<Item>, Term),
    InsertAll(Vec<Item>, Term),
    Update(&'static str, Vec<Change>, Term, Refresh),
    UpdateWith(&'static str, Vec<Change>, Term, Refresh),
    Expire(&'static str, Duration),
    ExpireAt(&'static str, When),
    Persist(&'static str),
    DeleteById(&'static str),
    DeleteAllById(Vec<&'static str>),
    DeleteAll,
    Take(&'static str),
    FindById(&'static str),
    ExistsById(&'static str),
    Entry(&'static str),
    FindAll,
    FindAllById(Vec<&'static str>),
    Count,
    TimeToLive(&'static str),
    Sweep,
    Pass(Duration),
}

/// What a call says of the term.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Term {
    Unset,
    Ttl(Duration),
    At(When),
    Idle(Duration),
    Persistent,
    Keep,
}

/// A deadline.
#[derive(Debug, Clone, Copy)]
pub(crate) enum When {
    In(Duration),
    Ago(Duration),
    Before1970,
    /// Later than there are deadlines.
    TooLate,
}

/// Whether an update lets the term begin anew.
pub(crate) type Refresh = bool;

/// A change of one field.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Text(String),
    Note(Option<String>),
    Tags(Vec<String>),
    Attributes(BTreeMap<String, String>),
    Address(Option<Address>),
    City(Option<String>),
    Visits(Option<u8>),
    Door(Option<Door>),
    Code(Option<String>),
    AddressNote(Option<String>),
    Count(u8),
    Ttl(Option<i64>),
    Unset(Slot),
    Add(Number, i64),
}

/// A field that can be unset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    Note,
    Tags,
    Attributes,
    Address,
    City,
    Visits,
    Door,
    Code,
    AddressNote,
    Ttl,
}

/// A field that can be added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Count,
    Visits,
    Ttl,
}

impl Change {
    /// Does it to an item in memory, as a caller's own function would. What is in a struct that is `None` is left out, as
    /// is a sum that does not fit.
    pub(crate) fn edit(&self, item: &mut Item) {
        let mut nothing = Address::default();
        let mut no_door = Door::default();
        let address = item.address.as_mut().unwrap_or(&mut nothing);
        match self.clone() {
            Self::Text(text) => item.text = text,
            Self::Note(note) => item.note = note,
            Self::Tags(tags) => item.tags = tags,
            Self::Attributes(attributes) => item.attributes = attributes,
            Self::Address(address) => item.address = address,
            Self::City(city) => address.city = city,
            Self::Visits(visits) => address.visits = visits,
            Self::Door(door) => address.door = door,
            Self::Code(code) => address.door.as_mut().unwrap_or(&mut no_door).code = code,
            Self::AddressNote(note) => item.address_note = note,
            Self::Count(count) => item.count = count,
            Self::Ttl(ttl) => item.ttl = ttl,
            Self::Unset(slot) => slot.emptied().edit(item),
            Self::Add(number, by) => number.add(item, by),
        }
    }
}

impl Slot {
    fn emptied(self) -> Change {
        match self {
            Self::Note => Change::Note(None),
            Self::Tags => Change::Tags(Vec::new()),
            Self::Attributes => Change::Attributes(BTreeMap::new()),
            Self::Address => Change::Address(None),
            Self::City => Change::City(None),
            Self::Visits => Change::Visits(None),
            Self::Door => Change::Door(None),
            Self::Code => Change::Code(None),
            Self::AddressNote => Change::AddressNote(None),
            Self::Ttl => Change::Ttl(None),
        }
    }
}

impl Number {
    fn add(self, item: &mut Item, by: i64) {
        let small = |before: u8| i64::from(before).checked_add(by)?.try_into().ok();
        match (self, &mut item.address) {
            (Self::Count, _) => item.count = small(item.count).unwrap_or(item.count),
            (Self::Ttl, _) => item.ttl = item.ttl.unwrap_or(0).checked_add(by).or(item.ttl),
            (Self::Visits, Some(address)) => {
                address.visits = small(address.visits.unwrap_or(0)).or(address.visits);
            }
            (Self::Visits, None) => {}
        }
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}", self.settings)?;
        for (step, operation) in self.operations.iter().enumerate() {
            writeln!(f, "{step:>4}  {operation:?}")?;
        }
        Ok(())
    }
}
