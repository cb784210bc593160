use kvrepo::{KvEntity, KvNested, Store};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Person {
    #[id]
    id: u32,
    #[version]
    version: u64,
    name: String,
    #[nested]
    home: Address,
    #[serde(skip)]
    cached: u32,
}

#[derive(Serialize, Deserialize, KvNested)]
struct Address {
    city: String,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Cart {
    #[id]
    id: u32,
    name: String,
}

// Being wrong, it has fields nevertheless: nothing is said of their uses.
#[derive(Serialize, Deserialize, KvEntity)]
struct Wrong {
    #[version]
    version: u64,
    name: String,
    #[nested]
    #[kv(json)]
    home: Address,
}

fn main() {
    let people = Store::in_memory().repository::<Person>();
    let fields = Person::fields();
    let _ = (fields.version, fields.cached, fields.nam);
    let _ = fields.home.town;
    let _ = people.update(1).set(Cart::fields().name, "Ann".into());
    let _ = people.update(1).set(fields.name, 7);
    let _ = people.update(1).set(fields.home, "Oslo");
    let _ = people.update(1).set("name", "Ann");

    let wrong = Wrong::fields();
    let repository = Store::in_memory().repository::<Wrong>();
    let _ = repository.update("1").if_version(1).set(wrong.name, "Ann".into());
    let _ = repository.update("1").set(wrong.home.city, "Oslo".into());
}
