//! A keyspace of a store, whatever its type is.

use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use kvrepo::{KeyExpired, Repository, Store};
use kvrepo_tests::harness::TestServer;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{JoinHandle, JoinSet};

use crate::PORTION;
use crate::arguments::Arguments;
use crate::seat::{Seat, TABLES};

/// Where the id and the lag of what was delivered go.
pub(crate) type Told = UnboundedSender<(u64, Duration)>;

/// An entity that does not expire.
const LASTING: u64 = u64::MAX;

#[async_trait]
pub(crate) trait Table: Send + Sync {
    async fn save(&self, ids: &[usize], deadline: SystemTime);
    /// Subscribes, and tells of each event from now on.
    async fn subscribe(&self, told: Told, tasks: &mut JoinSet<()>);
    /// The same as one consumer of a group.
    async fn join(&self, group: &str, told: Told, tasks: &mut JoinSet<()>);
    /// Reads one entity again and again until [`stop_reading`](Self::stop_reading); how long each time took, sorted.
    async fn read(&self) -> JoinHandle<Vec<Duration>>;
    async fn stop_reading(&self);
}

#[async_trait]
impl<S: Seat> Table for Repository<S> {
    async fn save(&self, ids: &[usize], deadline: SystemTime) {
        let mut seats: Vec<S> = ids.iter().map(|id| S::number(*id)).collect();
        if let [seat] = &mut seats[..] {
            self.save(seat).expires_at(deadline).await.expect("a save");
        } else {
            let save = self.save_all(&mut seats).expires_at(deadline);
            save.await.expect("a save");
        }
    }

    async fn subscribe(&self, told: Told, tasks: &mut JoinSet<()>) {
        let mut expired = self.expired().await.expect("a subscription");
        tasks.spawn(async move {
            while let Some(event) = expired.next().await {
                let told = told.send(judged(&event.expect("an event")));
                told.expect("somebody who counts");
            }
        });
    }

    async fn join(&self, group: &str, told: Told, tasks: &mut JoinSet<()>) {
        let expired = self.expired().group(group).await;
        let mut expired = expired.expect("a place in the group");
        tasks.spawn(async move {
            while let Some(event) = expired.next().await {
                let event = event.expect("an event");
                told.send(judged(&event)).expect("somebody who counts");
                event.ack().await.expect("an acknowledgement");
            }
        });
    }

    async fn read(&self) -> JoinHandle<Vec<Duration>> {
        self.save(&mut S::number(LASTING as usize)).await.expect("a save");
        let seats = self.clone();
        tokio::spawn(async move {
            let mut times = Vec::new();
            loop {
                let began = Instant::now();
                if seats.find_by_id(LASTING).await.expect("a find").is_none() {
                    times.sort_unstable();
                    return times;
                }
                times.push(began.elapsed());
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
    }

    async fn stop_reading(&self) {
        self.delete_by_id(LASTING).await.expect("a delete");
    }
}

/// The seat, and how late it is.
fn judged<S: Seat>(event: &KeyExpired<S>) -> (u64, Duration) {
    let lag = event.deadline().elapsed().unwrap_or_default();
    (event.value().expect("a value").checked(), lag)
}

/// As many keyspaces as are asked for, in one new store.
pub(crate) async fn tables(server: &TestServer, arguments: &Arguments) -> Vec<Box<dyn Table>> {
    let builder = Store::builder().leave_notification_flags();
    let store = builder.connect(&server.url()).await.expect("a server");
    let tables = TABLES.iter().take(arguments.keyspaces);
    tables.map(|table| table(&store)).collect()
}

/// Saves all that is to expire, in turn in each of the keyspaces.
pub(crate) async fn save(tables: &[Box<dyn Table>], arguments: &Arguments) {
    let deadlines = arguments.deadlines();
    let began = Instant::now();
    let ids: Vec<usize> = (0..arguments.due).collect();
    for portion in ids.chunks(if arguments.burst { PORTION } else { 1 }) {
        for (number, table) in tables.iter().enumerate() {
            let own = portion.iter().copied().filter(|id| id % tables.len() == number);
            let own: Vec<usize> = own.collect();
            if let [first, ..] = own[..] {
                table.save(&own, deadlines[first]).await;
            }
        }
    }
    eprintln!("saved {} in {:?}", arguments.due, began.elapsed());
}
