//! Writes that are cut off: whole or not at all, and the caller knows which he may assume.

use std::collections::BTreeMap;

use kvrepo::{Error, Repository};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::TestServer;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use super::support::{MINUTE, eventually, ms, quiet, through_a_proxy, version};

/// The keys of entity 1 that there are.
async fn keys(server: &TestServer) -> Vec<String> {
    let mut keys: Vec<String> = server.query(&["KEYS", "*"]).await;
    keys.sort();
    keys
}

const WHOLE: [&str; 4] = ["people", "people#deadlines", "people:1", "people:1:phantom"];

/// The version that the server holds; panics if it is none of them, or a mixture.
async fn held(server: &TestServer, people: &Repository<Person>) -> Person {
    eventually("a connection", async || people.exists_by_id("1").await.is_ok()).await;
    let mut found = people.find_by_id("1").await.unwrap().expect("an entity");
    let number: usize = found
        .firstname
        .strip_prefix("version ")
        .expect("a version")
        .parse()
        .unwrap();
    found.ttl = None;
    assert_eq!(found, version(number));
    assert_eq!(keys(server).await, WHOLE);
    let hashes: [BTreeMap<String, String>; 2] = [
        server.query(&["HGETALL", "people:1"]).await,
        server.query(&["HGETALL", "people:1:phantom"]).await,
    ];
    assert_eq!(hashes[0], hashes[1]);
    assert!(server.query::<i64, _>(&["PTTL", "people:1"]).await > 0);
    found
}

/// C82: the server did it, and nobody heard.
#[tokio::test]
async fn a_save_whose_reply_is_lost_has_an_unknown_outcome() {
    let (server, proxy, people) = through_a_proxy(ms(2_000)).await;
    people.save(&mut version(0)).time_to_live(MINUTE).await.unwrap();
    for number in 1..10 {
        proxy.cut_at_next_reply();
        let error = people
            .save(&mut version(number))
            .time_to_live(MINUTE)
            .await
            .unwrap_err();
        assert!(matches!(error, Error::Backend { .. }), "{error:?}");
        assert!(error.is_outcome_unknown() && error.is_transient(), "{error:?}");
        assert_eq!(held(&server, &people).await, version(number));
    }
}

/// As after a refused connection, another is made.
#[tokio::test]
async fn a_connection_that_is_cut_in_the_greeting_is_made_anew() {
    let (_server, proxy, _) = through_a_proxy(ms(2_000)).await;
    for bytes in 1..20 {
        let before = proxy.counts().connections;
        proxy.cut_within_next_reply(bytes);
        let store = quiet(ms(2_000)).connect(&proxy.url()).await;
        assert!(store.is_ok(), "a call rides through it: {store:?}");
        assert_eq!(proxy.counts().connections, before + 2);
    }
}

/// C82: never sent twice behind the caller's back.
#[tokio::test]
async fn a_save_whose_reply_is_lost_is_not_sent_again() {
    let (server, proxy, people) = through_a_proxy(ms(2_000)).await;
    people.save(&mut version(0)).await.unwrap();
    let monitor = kvrepo_tests::harness::Monitor::start(&server).await;
    proxy.cut_at_next_reply();
    people.save(&mut version(1)).await.unwrap_err();
    eventually("a connection", async || people.exists_by_id("1").await.is_ok()).await;
    assert_eq!(monitor.commands().await.by_clients().of("EVALSHA").len(), 1);
}

/// C82: cut anywhere, in the request too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_save_that_is_cut_off_anywhere_leaves_the_old_entity_or_the_new() {
    let (server, proxy, people) = through_a_proxy(ms(2_000)).await;
    people.save(&mut version(0)).time_to_live(MINUTE).await.unwrap();
    let (mut before, mut cut, mut written) = (0, 0, 0);
    for number in 1..300 {
        proxy.cut_randomly(number as u64, 3);
        let result = people.save(&mut version(number)).time_to_live(MINUTE).await;
        proxy.cut_randomly(0, 0);
        let found = held(&server, &people).await;
        let is_new = found == version(number);
        assert!(
            is_new || found == version(before),
            "{found:?} after {before} and {number}"
        );
        match result {
            Ok(_) => assert!(is_new, "a save was confirmed and is not there"),
            Err(error) => {
                cut += 1;
                assert!(
                    error.is_outcome_unknown() || !is_new,
                    "{error:?}, and yet it was written"
                );
            }
        }
        if is_new {
            written += 1;
            before = number;
        }
    }
    assert!(
        cut > 20 && written > 20,
        "{cut} were cut and {written} written; the test proves nothing"
    );
}

/// C83.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delete_that_is_cut_off_leaves_all_or_nothing() {
    let (server, proxy, people) = through_a_proxy(ms(2_000)).await;
    let (mut kept, mut gone) = (0, 0);
    for round in 0..200 {
        eventually("a save", async || {
            people
                .save(&mut version(round))
                .time_to_live(MINUTE)
                .await
                .is_ok()
        })
        .await;
        proxy.cut_randomly(round as u64, 3);
        let result = people.delete_by_id("1").await;
        proxy.cut_randomly(0, 0);
        eventually("a connection", async || people.exists_by_id("1").await.is_ok()).await;
        let left = keys(&server).await;
        assert!(left.is_empty() || left == WHOLE, "{left:?}");
        match result {
            Ok(there) => assert!(there && left.is_empty()),
            Err(error) => assert!(error.is_outcome_unknown() || !left.is_empty(), "{error:?}"),
        }
        if left.is_empty() { gone += 1 } else { kept += 1 }
    }
    assert!(
        kept > 5 && gone > 5,
        "{kept} were kept and {gone} deleted; the test proves nothing"
    );
}

/// A batch says of each item whether it was done, may have been done, or was not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_that_is_cut_off_tells_of_each_item() {
    const MANY: usize = 2_000;
    let (server, proxy, people) = through_a_proxy(ms(2_000)).await;
    let mut partly = 0;
    for seed in 0..12 {
        let mut many: Vec<Person> = (0..MANY).map(|i| Person::new(&i.to_string(), "P")).collect();
        eventually("an empty keyspace", async || people.delete_all().await.is_ok()).await;
        assert_eq!(people.count().await.unwrap(), 0);
        proxy.cut_randomly(seed, 40);
        let result = people.save_all(&mut many).time_to_live(MINUTE).await;
        proxy.cut_randomly(0, 0);
        eventually("a connection", async || people.count().await.is_ok()).await;
        let listed: Vec<String> = server.query(&["SMEMBERS", "people"]).await;
        let there: std::collections::HashSet<usize> = listed.iter().map(|id| id.parse().unwrap()).collect();
        let mut failed = std::collections::HashMap::new();
        match result {
            Ok(_) => {}
            Err(Error::Batch {
                failures,
                total: MANY,
            }) => {
                partly += 1;
                failed.extend(
                    failures
                        .into_iter()
                        .map(|failure| (failure.index, failure.error.is_outcome_unknown())),
                );
            }
            Err(error) => panic!("{error:?}"),
        }
        for index in 0..MANY {
            match failed.get(&index) {
                None => assert!(there.contains(&index), "{index} was confirmed and is not there"),
                Some(false) => assert!(
                    !there.contains(&index),
                    "{index} is said not to be executed and is there"
                ),
                Some(true) => {}
            }
        }
    }
    assert!(partly > 0, "no batch was cut off; the test proves nothing");
}

/// How many entities are saved in one step.
const TOGETHER: usize = 16;

/// Answers a batch of two steps as a server does that forgets its scripts in the middle, and is gone then.
async fn forgetful() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (reader, mut writer) = listener.accept().await.unwrap().0.into_split();
        let mut lines = BufReader::new(reader).lines();
        let mut calls = 0;
        let saved = format!(
            "*{}\r\n:0\r\n{}",
            1 + 2 * TOGETHER,
            ":1\r\n:-1\r\n".repeat(TOGETHER)
        );
        // A command's name is the line behind its length; nothing else that is sent here looks like these.
        while let Ok(Some(line)) = lines.next_line().await {
            calls += usize::from(line == "EVALSHA");
            let reply = match (line.as_str(), calls) {
                ("HELLO", _) => "%1\r\n$5\r\nproto\r\n:3\r\n",
                ("CLIENT", _) => "+OK\r\n",
                ("EVALSHA", 1) => &saved,
                ("EVALSHA", _) => "-NOSCRIPT No matching script.\r\n",
                _ => continue,
            };
            writer.write_all(reply.as_bytes()).await.unwrap();
            if calls == 2 {
                return;
            }
        }
    });
    url
}

/// What has to be sent once more cannot be; what was done before is not denied for that.
#[tokio::test]
async fn a_batch_whose_healing_fails_does_not_deny_what_was_done() {
    let people = quiet(ms(300))
        .connect(&forgetful().await)
        .await
        .unwrap()
        .repository::<Person>();
    let mut many: Vec<_> = (0..=TOGETHER)
        .map(|i| Person::new(&i.to_string(), "Ann"))
        .collect();
    let error = people.save_all(&mut many).await.unwrap_err();
    let Error::Batch { failures, .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!(
        failures.iter().map(|failure| failure.index).collect::<Vec<_>>(),
        [TOGETHER]
    );
    assert!(failures[0].error.is_transient(), "{failures:?}");
}
