use kvrepo::KvEntity;
use serde::{Deserialize, Serialize};

macro_rules! entities {
    ($($name:ident: $keyspace:literal)*) => {$(
        #[derive(Serialize, Deserialize, KvEntity)]
        #[kv(keyspace = $keyspace)]
        struct $name {
            #[id]
            id: u32,
        }
    )*};
}

entities! {
    Empty: ""
    Hash: "people#1"
    Star: "people*"
    Question: "people?"
    Bracket: "[people]"
    Space: "my people"
    Newline: "people\n"
    Colon: ":people"
    ColonAtEnd: "people:"
    Number: 7
}

#[derive(Serialize, Deserialize, KvEntity)]
#[kv(type_alias = "")]
struct Alias {
    #[id]
    id: u32,
}

fn main() {}
