//! The suite in memory, on a clock that is moved.

use kvrepo_tests::world::World;

#[expect(clippy::unused_async, reason = "the suite asks every world alike")]
async fn world() -> World {
    World::memory()
}

kvrepo_tests::suite!();
