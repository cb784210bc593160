//! How an application tests what it does when something expires: in memory, on a clock that the test moves. No server, no
//! waiting, and nothing in the application that is there for the test.

use std::sync::Arc;
use std::time::Duration;

use kvrepo::{KvEntity, ManualClock, Repository, Store};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

const MINUTE: Duration = Duration::from_secs(60);

/// A seat that somebody is about to buy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "holds", time_to_live = "15m")]
struct Hold {
    #[id]
    seat: String,
    buyer: String,
}

/// A seat that was given back, because its buyer took too long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "releases")]
struct Release {
    #[id]
    seat: String,
    buyer: String,
}

/// The application: it takes a store, wherever that is.
#[derive(Debug, Clone)]
struct BoxOffice {
    holds: Repository<Hold>,
    releases: Repository<Release>,
    released: Arc<Notify>,
}

impl BoxOffice {
    /// Opens the office, and gives back what nobody buys.
    async fn open(store: &Store) -> kvrepo::Result<Self> {
        let office = Self {
            holds: store.repository(),
            releases: store.repository(),
            released: Arc::default(),
        };
        let mut expired = office.holds.expired().await?;
        let of_task = office.clone();
        tokio::spawn(async move {
            while let Some(Ok(event)) = expired.next().await {
                let buyer = event.value().map(|hold| hold.buyer.clone()).unwrap_or_default();
                let mut release = Release {
                    seat: event.id().clone(),
                    buyer,
                };
                if of_task.releases.save(&mut release).await.is_ok() {
                    of_task.released.notify_one();
                }
            }
        });
        Ok(office)
    }

    /// Holds a seat, unless somebody else does.
    async fn hold(&self, seat: &str, buyer: &str) -> kvrepo::Result<bool> {
        let (seat, buyer) = (seat.to_owned(), buyer.to_owned());
        match self.holds.insert(&mut Hold { seat, buyer }).await {
            Ok(_) => Ok(true),
            Err(error) if error.is_conflict() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[tokio::test]
async fn a_seat_that_nobody_buys_is_given_back_after_a_quarter_of_an_hour() {
    let clock = ManualClock::new();
    let store = Store::in_memory().with_clock(clock.clone());
    let office = BoxOffice::open(&store).await.unwrap();

    assert!(office.hold("17A", "ann").await.unwrap());
    clock.advance(14 * MINUTE);
    assert!(
        !office.hold("17A", "bo").await.unwrap(),
        "it is held for another minute"
    );

    // Expired is absent at once; the event comes without anybody waiting for it.
    clock.advance(MINUTE + Duration::from_millis(1));
    assert!(!office.holds.exists_by_id("17A").await.unwrap());
    office.released.notified().await;
    let release = office.releases.find_by_id("17A").await.unwrap();
    assert_eq!(release.map(|release| release.buyer).as_deref(), Some("ann"));

    assert!(office.hold("17A", "bo").await.unwrap());
    assert_eq!(office.holds.count().await.unwrap(), 1);
}

#[tokio::test]
async fn more_time_is_more_time() {
    let clock = ManualClock::new();
    let office = BoxOffice::open(&Store::in_memory().with_clock(clock.clone()))
        .await
        .unwrap();
    office.hold("17A", "ann").await.unwrap();
    clock.advance(10 * MINUTE);
    assert!(office.holds.update("17A").refresh_time_to_live().await.unwrap());
    clock.advance(10 * MINUTE);
    assert!(!office.hold("17A", "bo").await.unwrap());
    clock.advance(6 * MINUTE);
    office.released.notified().await;
    assert!(office.hold("17A", "bo").await.unwrap());
}
