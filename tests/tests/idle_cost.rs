//! What idle terms cost when they are read a lot.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use kvrepo::{Repository, Store, TimeToLive};
use kvrepo_tests::fixture::Session;
use kvrepo_tests::harness::TestServer;

const KEYS: usize = 1_000;
const SPAN: Duration = Duration::from_secs(30);
/// A thirtieth of it.
const RENEWED_ONCE_IN: Duration = Duration::from_secs(1);
const READERS: usize = 32;

/// How often the server has put a deadline into an index.
async fn deadlines_set(server: &TestServer) -> usize {
    let stats: String = server.query(&["INFO", "commandstats"]).await;
    let calls = stats
        .lines()
        .find_map(|line| line.strip_prefix("cmdstat_zadd:calls="))
        .and_then(|rest| rest.split(',').next())
        .expect("some have been set");
    calls.parse().expect("a number")
}

/// A million reads of 1,000 idle keys (`KVREPO_LOAD=full`; else 30,000): at most 1,000 renewals in each thirtieth of the
/// span, and not one of the keys is lost, although all live several times as long as they would without.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_reads_cause_at_most_one_renewal_of_a_key_in_a_thirtieth() {
    let full = std::env::var("KVREPO_LOAD").is_ok_and(|load| load == "full");
    let reads = if full { 1_000_000 } else { 30_000 };
    let server = TestServer::start().await;
    let stores = [
        Store::connect(&server.url()).await.unwrap(),
        Store::connect(&server.url()).await.unwrap(),
    ];
    // Two processes, of which one has never heard of idle terms.
    let sessions: [Repository<Session>; 2] = stores.map(|store| store.repository());
    let mut all: Vec<_> = (0..KEYS).map(|i| Session::new(&i.to_string(), "ann")).collect();
    sessions[0].save_all(&mut all).idle(SPAN).await.unwrap();

    let (before, start) = (deadlines_set(&server).await, Instant::now());
    let readers = (0..READERS).map(|reader| {
        let sessions = sessions[reader % 2].clone();
        tokio::spawn(async move {
            for read in 0..reads / READERS {
                let id = ((read * 7 + reader * 31) % KEYS).to_string();
                assert!(sessions.find_by_id(&id).await.unwrap().is_some(), "{id} is gone");
            }
        })
    });
    join_all(readers).await.into_iter().for_each(Result::unwrap);
    let (renewals, elapsed) = (deadlines_set(&server).await - before, start.elapsed());

    let thirtieths = elapsed.as_millis().div_ceil(RENEWED_ONCE_IN.as_millis()) as usize;
    assert!(
        renewals <= thirtieths * KEYS,
        "{renewals} renewals in {thirtieths} thirtieths"
    );
    assert!(
        elapsed < 2 * RENEWED_ONCE_IN || renewals >= KEYS / 2,
        "{renewals} renewals in {elapsed:?}"
    );
    println!(
        "idle_cost reads={reads} elapsed_ms={} renewals={renewals} allowed={}",
        elapsed.as_millis(),
        thirtieths * KEYS
    );
    for id in ["0", "999"] {
        assert!(matches!(
            sessions[0].time_to_live(id).await.unwrap(),
            TimeToLive::In(_)
        ));
    }
}
