//! The suite on a real server, each case on one of its own.
//!
//! The stores are never connected as the default user, who may do everything. Twice: with all that is documented, and with
//! no more than is needed.

use kvrepo_tests::access::Access;
use kvrepo_tests::world::World;

async fn world() -> World {
    World::documented("resp3").await
}

kvrepo_tests::suite!();

/// Without notifications, without a look at the flags of the server, and over RESP2. No case goes through the names of all keys.
mod least {
    use super::{Access, World};

    async fn world() -> World {
        World::restricted(Access::required().without("Verification"), "resp2").await
    }

    kvrepo_tests::suite!();
}
