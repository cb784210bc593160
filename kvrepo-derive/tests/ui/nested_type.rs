use kvrepo::{KvEntity, KvNested};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Plain {
    city: String,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Person {
    #[id]
    id: u32,
    #[nested]
    home: Plain,
    #[nested]
    work: Option<Plain>,
    #[nested]
    others: (Address, Address),
    #[nested]
    right: Address,
}

#[derive(Serialize, Deserialize, KvNested)]
struct Address {
    #[nested]
    place: String,
}

// Without serde, each derive asks for it once.
#[derive(KvNested)]
struct NoSerde {
    city: String,
}

fn main() {
    let fields = Person::fields();
    let _ = (fields, fields.right, fields.home.path());
}
