//! The suite on a real server, each case on one of its own.

use kvrepo_tests::world::World;

async fn world() -> World {
    World::server().await
}

kvrepo_tests::suite!();
