//! How long a query takes: kvrepo beside the commands that somebody would write by hand.
//!
//! `cargo bench -p kvrepo --bench query -- --entities 100000 --rounds 40`
//!
//! Starts a server of its own, saves `--entities` entities with two equality indexes of ten values each and a range index,
//! and finds those of one value in each, in turn by `SINTER` and a pipeline of `HGETALL`, and by kvrepo. The times are medians
//! of the same run.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark reports, and ends where it cannot go on"
)]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use kvrepo::{KeyspaceEvents, KvEntity, PageRequest, Repository, Store};
use kvrepo_tests::harness::{ServerOptions, TestServer};
use redis::aio::MultiplexedConnection;
use serde::{Deserialize, Serialize};

const PORTION: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "people")]
struct Person {
    #[id]
    id: String,
    #[indexed]
    city: String,
    #[indexed]
    trade: String,
    #[indexed(range)]
    age: u32,
    firstname: String,
    lastname: String,
    street: String,
    zip: Option<String>,
    visits: u64,
}

impl Person {
    fn number(i: usize) -> Self {
        Self {
            id: format!("{i:08}"),
            city: format!("city {}", i % 10),
            trade: format!("trade {}", i / 10 % 10),
            age: (i % 97) as u32,
            firstname: format!("firstname {i}"),
            lastname: format!("lastname {}", i % 1000),
            street: format!("{i} Long Street"),
            zip: Some(format!("{:05}", i % 100_000)),
            visits: i as u64,
        }
    }
}

fn argument(name: &str, default: usize) -> usize {
    let mut arguments = std::env::args();
    arguments
        .find(|argument| argument == name)
        .and_then(|_| arguments.next())
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

/// By hand: the ids, the hashes, and what a program makes of them.
async fn by_hand(connection: &mut MultiplexedConnection, decoded: bool) -> usize {
    let ids: Vec<String> = redis::cmd("SINTER")
        .arg("people:city:city 3")
        .arg("people:trade:trade 7")
        .query_async(connection)
        .await
        .expect("ids");
    let mut pipeline = redis::pipe();
    for id in &ids {
        pipeline.cmd("HGETALL").arg(format!("people:{id}"));
    }
    if !decoded {
        let values: Vec<redis::Value> = pipeline.query_async(connection).await.expect("hashes");
        return values.len();
    }
    let hashes: Vec<HashMap<String, String>> = pipeline.query_async(connection).await.expect("hashes");
    let people: Vec<Person> = hashes
        .into_iter()
        .map(|mut hash| {
            let mut take = |field: &str| hash.remove(field).expect("a field");
            Person {
                id: take("id"),
                city: take("city"),
                trade: take("trade"),
                age: take("age").parse().expect("a number"),
                firstname: take("firstname"),
                lastname: take("lastname"),
                street: take("street"),
                visits: take("visits").parse().expect("a number"),
                zip: hash.remove("zip"),
            }
        })
        .collect();
    people.len()
}

async fn find(people: &Repository<Person>) -> usize {
    let person = Person::fields();
    let filter = person.city.eq("city 3") & person.trade.eq("trade 7");
    people.find(filter).await.expect("people").len()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let (entities, rounds) = (argument("--entities", 100_000), argument("--rounds", 40));
    let server = TestServer::with(ServerOptions::new()).await;
    let store = Store::builder().events(KeyspaceEvents::Off);
    let store = store.connect(&server.url()).await.expect("a store");
    let people = store.repository::<Person>();
    for portion in 0..entities.div_ceil(PORTION) {
        let numbers = portion * PORTION..((portion + 1) * PORTION).min(entities);
        let mut portion: Vec<Person> = numbers.map(Person::number).collect();
        people.save_all(&mut portion).await.expect("a save");
    }
    let client = redis::Client::open(server.url()).expect("a client");
    let mut connection = client
        .get_multiplexed_async_connection()
        .await
        .expect("a connection");
    let (mut raw, mut decoded, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    let mut found = (0, 0);
    for _ in 0..rounds {
        let begin = Instant::now();
        found.0 = by_hand(&mut connection, false).await;
        raw.push(begin.elapsed());
        let begin = Instant::now();
        by_hand(&mut connection, true).await;
        decoded.push(begin.elapsed());
        let begin = Instant::now();
        found.1 = find(&people).await;
        ours.push(begin.elapsed());
    }
    assert_eq!(found.0, found.1, "both find the same");
    let (raw, decoded, ours) = (median(raw), median(decoded), median(ours));
    println!(
        "query of={entities} found={} raw={:.2}ms by_hand={:.2}ms kvrepo={:.2}ms ratio_to_raw={:.2} ratio={:.2}",
        found.1,
        raw.as_secs_f64() * 1e3,
        decoded.as_secs_f64() * 1e3,
        ours.as_secs_f64() * 1e3,
        ours.as_secs_f64() / raw.as_secs_f64(),
        ours.as_secs_f64() / decoded.as_secs_f64(),
    );
    // What others there are, for orientation.
    let person = Person::fields();
    let city = || person.city.eq("city 3");
    let mut times = Vec::new();
    macro_rules! time {
        ($name:literal, $call:expr) => {{
            let mut each = Vec::new();
            for _ in 0..rounds.div_ceil(4) {
                let begin = Instant::now();
                let _ = $call.await.expect($name);
                each.push(begin.elapsed());
            }
            times.push(format!("{}={:.2}ms", $name, median(each).as_secs_f64() * 1e3));
        }};
    }
    let both = || city() & person.trade.eq("trade 7");
    time!("ids", people.find(both()).ids());
    let ids: Vec<String> = people.find(both()).ids().await.expect("ids");
    time!("read_by_ids", people.find_all_by_id(&ids));
    time!("count", people.find(city()).count());
    time!("exists", people.find(city()).exists());
    time!("first_page", people.find(city()).page(PageRequest::first(10)));
    time!(
        "sorted_page",
        people
            .find(city())
            .sort(person.visits.desc())
            .page(PageRequest::first(10))
    );
    time!("range_and_eq", people.find(person.age.lt(10) & city()).count());
    time!("page_of_all", people.find_all().page(PageRequest::first(10)));
    println!("{}", times.join(" "));
}
