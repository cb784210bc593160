use kvrepo::{IdArg, KvEntity};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Person {
    #[id]
    id: u64,
}

#[derive(Serialize, Deserialize)]
struct NoEntity {
    id: u64,
}

fn find<T: KvEntity>(_: impl IdArg<T::Id>) {}

fn main() {
    find::<Person>("7");
    find::<Person>(7_u32);
    find::<NoEntity>(7_u64);
}
