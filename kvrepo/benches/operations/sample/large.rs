//! A hundred fields: a struct, a list of structs, a list and a map.

use std::collections::BTreeMap;
use std::fmt::Write;

use kvrepo::KvEntity;
use redis::Cmd;
use serde::{Deserialize, Serialize};

use super::{Bytes, number, sample, text};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Owner {
    firstname: String,
    lastname: String,
    email: String,
    phone: String,
    born: u32,
    active: bool,
    visits: u64,
    score: i64,
    language: String,
    comment: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Address {
    street: String,
    zip: String,
    town: String,
    country: String,
    floor: u32,
}

const ADDRESSES: usize = 8;
const TAGS: usize = 17;
const ATTRIBUTES: usize = 30;

impl Owner {
    fn number(number: usize) -> Self {
        Self {
            firstname: format!("Bartholomew {number}"),
            lastname: format!("Featherstone-{}", number % 1000),
            email: format!("bartholomew.{number}@mail.example"),
            phone: format!("+47 555 {:05}", number % 100_000),
            born: 1900 + (number % 120) as u32,
            active: number.is_multiple_of(2),
            visits: number as u64,
            score: 500 - (number % 1000) as i64,
            language: "nb-NO".to_owned(),
            comment: format!("nothing to be said of {number}"),
        }
    }

    fn write(&self, command: &mut Cmd) {
        command.arg("owner.firstname").arg(&self.firstname);
        command.arg("owner.lastname").arg(&self.lastname);
        command.arg("owner.email").arg(&self.email);
        command.arg("owner.phone").arg(&self.phone);
        command.arg("owner.born").arg(self.born);
        command
            .arg("owner.active")
            .arg(if self.active { "1" } else { "0" });
        command.arg("owner.visits").arg(self.visits);
        command.arg("owner.score").arg(self.score);
        command.arg("owner.language").arg(&self.language);
        command.arg("owner.comment").arg(&self.comment);
    }

    fn take(&mut self, field: &[u8], value: impl Bytes) -> Option<()> {
        match field {
            b"firstname" => self.firstname = text(value)?,
            b"lastname" => self.lastname = text(value)?,
            b"email" => self.email = text(value)?,
            b"phone" => self.phone = text(value)?,
            b"born" => self.born = number(&value)?,
            b"active" => self.active = value.as_ref() == b"1",
            b"visits" => self.visits = number(&value)?,
            b"score" => self.score = number(&value)?,
            b"language" => self.language = text(value)?,
            b"comment" => self.comment = text(value)?,
            _ => return None,
        }
        Some(())
    }
}

impl Address {
    fn number(number: usize) -> Self {
        Self {
            street: format!("{} Long Winding Street", number % 500),
            zip: format!("{:05}", number % 100_000),
            town: format!("Little Town {}", number % 77),
            country: "Norway".to_owned(),
            floor: (number % 12) as u32,
        }
    }

    fn write(&self, command: &mut Cmd, path: &mut String, prefix: usize) {
        let mut at = |field: &str, command: &mut Cmd| {
            path.truncate(prefix);
            path.push_str(field);
            command.arg(&*path);
        };
        at("street", command);
        command.arg(&self.street);
        at("zip", command);
        command.arg(&self.zip);
        at("town", command);
        command.arg(&self.town);
        at("country", command);
        command.arg(&self.country);
        at("floor", command);
        command.arg(self.floor);
    }

    fn take(&mut self, field: &[u8], value: impl Bytes) -> Option<()> {
        match field {
            b"street" => self.street = text(value)?,
            b"zip" => self.zip = text(value)?,
            b"town" => self.town = text(value)?,
            b"country" => self.country = text(value)?,
            b"floor" => self.floor = number(&value)?,
            _ => return None,
        }
        Some(())
    }
}

/// Begins another path; says how long it is now.
fn begin(path: &mut String, before: &str, key: impl std::fmt::Display, behind: &str) -> usize {
    path.clear();
    path.push_str(before);
    let _ = write!(path, "{key}");
    path.push_str(behind);
    path.len()
}

/// The element of this position, and what stands behind it in the path; elements can come in any order.
fn element<'l, 'p, T: Default>(list: &'l mut Vec<T>, rest: &'p [u8]) -> Option<(&'l mut T, &'p [u8])> {
    let end = rest.iter().position(|byte| *byte == b']')?;
    let at: usize = number(&&rest[..end])?;
    if list.len() <= at {
        list.resize_with(at + 1, T::default);
    }
    Some((list.get_mut(at)?, &rest[end + 1..]))
}

macro_rules! large {
    ($kind:ident $type:ident, $keyspace:literal $(, $indexed:ident)?) => {
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, KvEntity)]
        #[kv(keyspace = $keyspace)]
        pub(crate) struct $type {
            #[id]
            id: String,
            $(#[$indexed])?
            city: String,
            $(#[$indexed])?
            trade: String,
            owner: Owner,
            addresses: Vec<Address>,
            tags: Vec<String>,
            attributes: BTreeMap<String, String>,
        }

        impl $type {
            fn made(number: usize) -> Self {
                Self {
                    owner: Owner::number(number),
                    addresses: (0..ADDRESSES).map(|i| Address::number(number + i)).collect(),
                    tags: (0..TAGS).map(|i| format!("tag {i} of {number}")).collect(),
                    attributes: (0..ATTRIBUTES)
                        .map(|i| (format!("attribute-{i:02}"), format!("value {}", number + i)))
                        .collect(),
                    ..Self::default()
                }
            }

            fn changed(&mut self) {
                self.owner.visits += 1;
                for address in &mut self.addresses {
                    address.street.push_str(", back yard");
                }
            }

            fn by_hand(&self, command: &mut Cmd) {
                command.arg("id").arg(&self.id);
                command.arg("city").arg(&self.city);
                command.arg("trade").arg(&self.trade);
                self.owner.write(command);
                let mut path = String::with_capacity(64);
                for (i, address) in self.addresses.iter().enumerate() {
                    let prefix = begin(&mut path, "addresses.[", i, "].");
                    address.write(command, &mut path, prefix);
                }
                for (i, tag) in self.tags.iter().enumerate() {
                    begin(&mut path, "tags.[", i, "]");
                    command.arg(&path).arg(tag);
                }
                for (key, value) in &self.attributes {
                    begin(&mut path, "attributes.[", key, "]");
                    command.arg(&path).arg(value);
                }
            }

            fn read<P: AsRef<[u8]>, V: Bytes>(fields: impl Iterator<Item = (P, V)>) -> Option<Self> {
                let (mut new, mut seen) = (Self::default(), 0);
                for (path, value) in fields {
                    match path.as_ref() {
                        b"id" => new.id = text(value)?,
                        b"city" => new.city = text(value)?,
                        b"trade" => new.trade = text(value)?,
                        path => {
                            if let Some(field) = path.strip_prefix(b"owner.") {
                                new.owner.take(field, value)?;
                            } else if let Some(rest) = path.strip_prefix(b"addresses.[") {
                                let (address, field) = element(&mut new.addresses, rest)?;
                                address.take(field.strip_prefix(b".")?, value)?;
                            } else if let Some(rest) = path.strip_prefix(b"tags.[") {
                                *element(&mut new.tags, rest)?.0 = text(value)?;
                            } else if let Some(key) = path.strip_prefix(b"attributes.[") {
                                let key = std::str::from_utf8(key.strip_suffix(b"]")?).ok()?;
                                new.attributes.insert(key.to_owned(), text(value)?);
                            } else {
                                continue;
                            }
                        }
                    }
                    seen += 1;
                }
                (seen >= 13).then_some(new)
            }
        }

        sample! { "large", read, $kind $type }
    };
}

large! { plain Large, "large" }
large! { indexed IndexedLarge, "indexed-large", indexed }
