//! Ten fields.

use kvrepo::KvEntity;
use redis::Cmd;
use serde::{Deserialize, Serialize};

use super::{Bytes, number, sample, text};

macro_rules! usual {
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
            firstname: String,
            lastname: String,
            email: String,
            street: String,
            zip: Option<String>,
            visits: u64,
            active: bool,
        }

        impl $type {
            fn made(number: usize) -> Self {
                Self {
                    firstname: format!("Bartholomew {number}"),
                    lastname: format!("Featherstone-{}", number % 1000),
                    email: format!("bartholomew.{number}@mail.example"),
                    street: format!("{} Long Winding Street", number % 500),
                    zip: Some(format!("{:05}", number % 100_000)),
                    visits: number as u64,
                    active: number % 2 == 0,
                    ..Self::default()
                }
            }

            fn changed(&mut self) {
                self.street.push_str(", back yard");
                self.visits += 1;
            }

            fn by_hand(&self, command: &mut Cmd) {
                command.arg("id").arg(&self.id);
                command.arg("city").arg(&self.city);
                command.arg("trade").arg(&self.trade);
                command.arg("firstname").arg(&self.firstname);
                command.arg("lastname").arg(&self.lastname);
                command.arg("email").arg(&self.email);
                command.arg("street").arg(&self.street);
                if let Some(zip) = &self.zip {
                    command.arg("zip").arg(zip);
                }
                command.arg("visits").arg(self.visits);
                command.arg("active").arg(if self.active { "1" } else { "0" });
            }

            fn read<P: AsRef<[u8]>, V: Bytes>(fields: impl Iterator<Item = (P, V)>) -> Option<Self> {
                let (mut new, mut seen) = (Self::default(), 0);
                for (path, value) in fields {
                    match path.as_ref() {
                        b"id" => new.id = text(value)?,
                        b"city" => new.city = text(value)?,
                        b"trade" => new.trade = text(value)?,
                        b"firstname" => new.firstname = text(value)?,
                        b"lastname" => new.lastname = text(value)?,
                        b"email" => new.email = text(value)?,
                        b"street" => new.street = text(value)?,
                        b"visits" => new.visits = number(&value)?,
                        b"active" => new.active = value.as_ref() == b"1",
                        b"zip" => {
                            new.zip = Some(text(value)?);
                            continue;
                        }
                        _ => continue,
                    }
                    seen += 1;
                }
                (seen == 9).then_some(new)
            }
        }

        sample! { "usual", read, $kind $type }
    };
}

usual! { plain Usual, "usual" }
usual! { indexed IndexedUsual, "indexed-usual", indexed }
