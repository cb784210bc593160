//! The suite in memory, on a clock that is moved. Twice: as it is, and with a near cache in each store, with which everything is as
//! without.

use kvrepo_tests::world::World;

#[expect(clippy::unused_async, reason = "the suite asks every world alike")]
async fn world() -> World {
    World::memory()
}

kvrepo_tests::suite!();

mod cached {
    use super::World;

    #[expect(clippy::unused_async, reason = "the suite asks every world alike")]
    async fn world() -> World {
        World::memory().cached()
    }

    kvrepo_tests::suite!();
}
