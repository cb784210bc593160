//! Three fields.

use kvrepo::KvEntity;
use redis::Cmd;
use serde::{Deserialize, Serialize};

use super::{Bytes, sample, text};

macro_rules! small {
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
        }

        impl $type {
            fn made(_: usize) -> Self {
                Self::default()
            }

            fn changed(&mut self) {}

            fn by_hand(&self, command: &mut Cmd) {
                command.arg("id").arg(&self.id);
                command.arg("city").arg(&self.city);
                command.arg("trade").arg(&self.trade);
            }

            fn read<P: AsRef<[u8]>, V: Bytes>(fields: impl Iterator<Item = (P, V)>) -> Option<Self> {
                let (mut new, mut seen) = (Self::default(), 0);
                for (path, value) in fields {
                    match path.as_ref() {
                        b"id" => new.id = text(value)?,
                        b"city" => new.city = text(value)?,
                        b"trade" => new.trade = text(value)?,
                        _ => continue,
                    }
                    seen += 1;
                }
                (seen == 3).then_some(new)
            }
        }

        sample! { "small", read, $kind $type }
    };
}

small! { plain Small, "small" }
small! { indexed IndexedSmall, "indexed-small", indexed }
