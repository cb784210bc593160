//! A server that is reading its data in, and answers that it is.

use std::time::Duration;

use kvrepo::Repository;
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{ServerOptions, TestServer};
use kvrepo_tests::world::{PATIENCE, World};

use super::support::{eventually, ms};

const EVENTS: usize = 20;
/// How many keys there are to be read, each of which takes a millisecond.
const KEYS: usize = 2_000;

fn slow_to_load() -> ServerOptions {
    ["--enable-debug-command", "yes", "--key-load-delay", "1000"]
        .into_iter()
        .chain(["--loading-process-events-interval-bytes", "1024"])
        .fold(ServerOptions::new(), ServerOptions::arg)
}

async fn fill(server: &TestServer) {
    let script = "for i = 1, ARGV[1] do redis.call('SET', 'other:' .. i, string.rep('x', 100)) end";
    server.command(&["EVAL", script, "0", &KEYS.to_string()]).await;
}

async fn until_loading(people: &Repository<Person>) {
    eventually("the server to be loading", async || {
        people.exists_by_id("1").await.is_err()
    })
    .await;
}

/// What it says to a transaction is that it does not carry it out; why is said of the commands within.
#[tokio::test]
async fn who_reads_the_log_of_a_server_that_is_loading_may_try_again() {
    let world = World::on(slow_to_load()).await;
    let server = world.as_server().expect("a real server");
    let people = world.repository::<Person>().await;
    let mut heard = people.expired().await.unwrap();
    let mut many: Vec<Person> = (0..EVENTS).map(|i| Person::new(&i.to_string(), "P")).collect();
    people.save_all(&mut many).time_to_live(ms(20)).await.unwrap();
    for _ in 0..EVENTS {
        tokio::time::timeout(PATIENCE, heard.next())
            .await
            .expect("an event")
            .unwrap()
            .unwrap();
    }
    fill(server).await;

    let mut late = people.expired().from_start().await.unwrap();
    let reload = async {
        server.command(&["DEBUG", "RELOAD"]).await;
    };
    let read = async {
        until_loading(&people).await;
        let (mut events, mut errors) = (0, 0);
        while events < EVENTS {
            match late.next().await.unwrap() {
                Ok(_) => events += 1,
                Err(error) => {
                    assert!(error.is_transient(), "{error:?}");
                    errors += 1;
                    tokio::time::sleep(Duration::from_millis(20)).await; // before it is tried again
                }
            }
        }
        assert!(errors > 0, "the test proves nothing");
    };
    tokio::join!(reload, read);
}
