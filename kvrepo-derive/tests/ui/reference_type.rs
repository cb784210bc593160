use kvrepo::{KvEntity, KvNested, Ref, Store};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Person {
    #[id]
    id: u32,
    #[reference]
    text: String,
    #[reference]
    whole: Company,
    #[reference]
    option: Option<Company>,
    #[reference]
    list: Vec<Option<Ref<Company>>>,
    #[reference]
    employer: Ref<Company>,
}

#[derive(Serialize, Deserialize, KvNested)]
struct Desk {
    #[reference]
    owner: Option<String>,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Company {
    #[id]
    id: u32,
}

async fn wrong_repository(store: &Store, people: &[Person]) {
    let _ = Person::fields().employer.load_all(&store.repository::<Person>(), people).await;
}

fn main() {
    // What is wrong at `#[reference]` is one mistake, and not one at each use.
    let fields = Person::fields();
    let _ = (fields, fields.text, fields.whole.path());
}
