//! The main job: save an entity with a term, and be told, with its value, when it has expired.
//!
//! Runs on the memory backend: `cargo run -p kvrepo-examples --bin quickstart`.
//! On a server: `KVREPO_URL=redis://127.0.0.1:6379 cargo run -p kvrepo-examples --bin quickstart`.

use std::time::Duration;

use kvrepo::{KvEntity, Store};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "reservations")]
struct Reservation {
    #[id]
    id: Option<String>,
    seat: String,
    #[time_to_live]
    held_for: Option<Duration>,
}

#[tokio::main]
async fn main() -> kvrepo::Result<()> {
    let store = match std::env::var("KVREPO_URL") {
        Ok(url) => Store::connect(&url).await?,
        Err(_) => Store::in_memory(),
    };
    let reservations = store.repository::<Reservation>();
    let mut expired = reservations.expired().await?;

    let mut held = Reservation {
        id: None,
        seat: "17A".into(),
        held_for: Some(Duration::from_secs(2)),
    };
    reservations.save(&mut held).await?;
    println!("saved {held:?}");

    if let Some(event) = expired.next().await {
        println!("expired: {:?}", event?.value());
    }
    Ok(())
}
