//! Orders hold their seats for a few seconds; those that are not paid by then are released, by a group of workers.
//!
//! Teaches: a group shares the expirations among its workers, whatever processes they are in; what a worker has seen to is
//! acknowledged, and what one had in hand when it was killed goes to another; and how a release is done once although its
//! event may come twice: the deciding step is an `insert`, which only one can win.
//!
//! By itself, on the memory backend, it places a hundred orders, and three workers release them:
//! `cargo run -p kvrepo-examples --bin orders`. On a server, with `KVREPO_URL` set, workers are processes. Start two of
//! them, and kill one:
//!
//! ```text
//! orders work           # in two terminals
//! orders place 10000    # in a third; and now Ctrl-\ in one of the first, or kill -9
//! orders count
//! ```

use std::time::{Duration, SystemTime};

use kvrepo::{Error, KeyExpired, KvEntity, Listening, Repository, Result, Store};
use serde::{Deserialize, Serialize};

/// How long an order holds its seat, at least, and how much longer the last of those that are placed at once.
const HELD: Duration = Duration::from_secs(1);
const SPREAD: Duration = Duration::from_secs(3);
/// After so long without a word from a worker its orders go to another. Far longer than a release takes.
const CLAIM_AFTER: Duration = Duration::from_millis(1500);
/// How many orders a worker releases at one time. When it is killed, so many may come twice, and no more.
const AT_A_TIME: usize = 16;

#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "orders")]
struct Order {
    #[id]
    id: Option<String>,
    seat: String,
}

/// That an order was released. It never expires.
#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "releases")]
struct Release {
    #[id]
    order: String,
    /// How often its expiry was delivered: more than once if a worker died between the release and the acknowledgement.
    deliveries: u32,
    /// How long after its deadline it was released, in milliseconds.
    late: u64,
}

#[tokio::main]
async fn main() -> Result<()> {
    let store = match std::env::var("KVREPO_URL") {
        Ok(url) => Store::connect(&url).await?,
        Err(_) => Store::in_memory(),
    };
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => demonstrate(&store).await,
        ["place", number] => place(&store, number.parse().expect("a number")).await.map(drop),
        ["work"] => work_until_interrupted(&store).await,
        ["count"] => count(&store).await,
        _ => panic!("orders [place NUMBER | work | count]"),
    }
}

async fn work_until_interrupted(store: &Store) -> Result<()> {
    let worker = work(store).await?;
    println!("working");
    tokio::signal::ctrl_c().await.expect("signals can be heard");
    // It finishes what it has begun, and takes nothing more.
    println!("released {}", worker.stop().await.handled);
    Ok(())
}

/// A worker: one of the group `release`, in a task of its own until it is stopped.
async fn work(store: &Store) -> Result<Listening> {
    let releases = store.repository::<Release>();
    store
        .listen::<Order, _>(move |event| release(releases.clone(), event))
        .group("release")
        .claim_after(CLAIM_AFTER)
        .concurrency(AT_A_TIME)
        // The first worker of all begins with what has expired before it came.
        .from_start()
        .await
}

/// Releases an order. `Ok` acknowledges its event; an error, or no answer, has it delivered again.
async fn release(releases: Repository<Release>, event: KeyExpired<Order>) -> Result<()> {
    let late = SystemTime::now()
        .duration_since(event.deadline())
        .unwrap_or_default();
    let mut release = Release {
        order: event.id().clone(),
        deliveries: 1,
        late: late.as_millis() as u64,
    };
    match releases.insert(&mut release).await {
        Ok(_) => Ok(()), // for this worker alone: here the seat is free again
        // Another was here, and did not live to acknowledge it.
        Err(Error::AlreadyExists { .. }) => {
            let again = releases.update(event.id());
            again.increment(Release::fields().deliveries, 1).await.map(drop)
        }
        Err(error) => Err(error),
    }
}

/// Places orders that expire one after the other, over the next seconds; returns their ids.
async fn place(store: &Store, number: u32) -> Result<Vec<String>> {
    let orders = store.repository::<Order>();
    let seats = (0..number).map(|i| format!("row {}, seat {}", i / 6 + 1, i % 6 + 1));
    let mut placed: Vec<Order> = seats.map(|seat| Order { id: None, seat }).collect();
    for (hundred, some) in (0..).zip(placed.chunks_mut(100)) {
        let term = HELD + SPREAD * (hundred * 100) / number;
        orders.save_all(some).time_to_live(term).await?;
    }
    println!("placed {number}");
    Ok(placed.into_iter().filter_map(|order| order.id).collect())
}

async fn count(store: &Store) -> Result<()> {
    let releases: Vec<Release> = store.repository().find_all().await?;
    let again = releases.iter().filter(|release| release.deliveries > 1).count();
    let latest = releases.iter().map(|release| release.late).max().unwrap_or(0);
    let all = releases.len();
    println!("{all} released, {again} of them delivered more than once, the latest after {latest} ms");
    Ok(())
}

async fn demonstrate(store: &Store) -> Result<()> {
    let workers = [work(store).await?, work(store).await?, work(store).await?];
    let ids = place(store, 100).await?;
    while store.repository::<Release>().find_all_by_id(&ids).await?.len() < ids.len() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for (number, worker) in (1..).zip(workers) {
        println!("worker {number} released {}", worker.stop().await.handled);
    }
    count(store).await
}
