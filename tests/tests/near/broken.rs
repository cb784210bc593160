//! Connections that break or fall silent, servers that are away: nothing is served that nobody vouches for.

use std::future::IntoFuture;
use std::time::{Duration, Instant};

use kvrepo::{Error, Repository};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{Proxy, ServerOptions, TestServer};
use kvrepo_tests::world::eventually;

use super::support::{have_at_hand, ms, name, near, round_trip, save, statistics};

/// As the page has it.
const VOUCHED: Duration = Duration::from_secs(2);

async fn through_a_proxy() -> (TestServer, Proxy, Repository<Person>) {
    let server = TestServer::start().await;
    let proxy = Proxy::in_front_of(&server).await;
    // Long enough that calls which run into it do not end the connection before it is not vouched for any more.
    let builder = near().call_deadline(ms(1_000));
    let people: Repository<Person> = builder.connect(&proxy.url()).await.unwrap().repository();
    save(&people, "Ann").await;
    (server, proxy, people)
}

/// Nothing is served for longer than is vouched for, from when the connection has been silent.
async fn is_not_served_for_long(people: &Repository<Person>, silent: Instant) {
    let last = until_it_fails(people).await;
    assert!(
        last.saturating_duration_since(silent) <= VOUCHED,
        "served for {:?}",
        last - silent
    );
}

async fn is_found_as_bob(people: &Repository<Person>) {
    eventually(
        "it to be found as it is",
        async || matches!(people.find_by_id("1").await, Ok(Some(person)) if person.firstname == "Bob"),
    )
    .await;
}

#[tokio::test]
async fn a_connection_that_is_lost_empties_the_cache() {
    let server = TestServer::start().await;
    let people: Repository<Person> = near().connect(&server.url()).await.unwrap().repository();
    save(&people, "0").await;
    for number in 1..6 {
        server
            .command(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"])
            .await;
        eventually("it to be emptied", async || statistics(&people).emptied == number).await;
        assert_eq!(statistics(&people).entries, 0);
        let new = number.to_string();
        server.command(&["HSET", "people:1", "firstname", &new]).await;
        // And then it goes on, on another connection.
        have_at_hand(&people, &new).await;
        server.command(&["HSET", "people:1", "firstname", "Bob"]).await;
        round_trip(&people).await;
        have_at_hand(&people, "Bob").await;
    }
    let health = people.store().health().await;
    assert!(health.reconnects >= 5, "{health:?}");
}

#[tokio::test]
async fn a_server_that_starts_again_empties_the_cache() {
    let server = TestServer::with(ServerOptions::new().append_only()).await;
    let people: Repository<Person> = near().connect(&server.url()).await.unwrap().repository();
    save(&people, "Ann").await;
    server.restart().await;
    eventually("it to be emptied", async || statistics(&people).emptied == 1).await;
    have_at_hand(&people, "Ann").await;
    server.kill().await;
    eventually("it to be emptied", async || statistics(&people).emptied == 2).await;
    let error = people.find_by_id("1").await.unwrap_err();
    assert!(error.is_transient(), "{error:?}");
    server.restart().await;
    have_at_hand(&people, "Ann").await;
}

/// Finds the person 1 until that fails, and says when the last find began that did not.
async fn until_it_fails(people: &Repository<Person>) -> Instant {
    let mut last = Instant::now();
    loop {
        let begun = Instant::now();
        match people.find_by_id("1").await {
            Ok(found) => assert_eq!(found.unwrap().firstname, "Ann"),
            Err(Error::Timeout { .. }) => return last,
            Err(error) => panic!("{error:?}"),
        }
        last = begun;
        tokio::time::sleep(ms(2)).await;
    }
}

#[tokio::test]
async fn what_is_at_hand_is_not_served_when_the_network_swallows_everything() {
    let (server, proxy, people) = through_a_proxy().await;
    // Whoever finds something has the connection looked after: it is served for longer than it is vouched for once.
    let begun = Instant::now();
    let misses = statistics(&people).misses;
    while begun.elapsed() < VOUCHED + ms(500) {
        assert_eq!(name(&people).await.as_deref(), Some("Ann"));
        tokio::time::sleep(ms(2)).await;
    }
    assert_eq!(statistics(&people).misses, misses);

    let silent = Instant::now();
    proxy.pause(true);
    server.command(&["HSET", "people:1", "firstname", "Bob"]).await;
    is_not_served_for_long(&people, silent).await;
    proxy.pause(false);
    is_found_as_bob(&people).await;
    have_at_hand(&people, "Bob").await;
}

#[tokio::test]
async fn what_is_at_hand_is_not_served_when_nothing_comes_back() {
    let (server, proxy, people) = through_a_proxy().await;
    let silent = Instant::now();
    proxy.swallow_replies(true);
    server.command(&["HSET", "people:1", "firstname", "Bob"]).await;
    is_not_served_for_long(&people, silent).await;
    proxy.swallow_replies(false);
    // What was swallowed was the word of the change; only the end of that connection tells.
    is_found_as_bob(&people).await;
}

#[tokio::test]
async fn what_is_at_hand_is_not_served_when_the_server_hangs() {
    let (server, _proxy, people) = through_a_proxy().await;
    let silent = Instant::now();
    server.pause().await;
    is_not_served_for_long(&people, silent).await;
    server.resume().await;
    eventually("it to be found", async || people.find_by_id("1").await.is_ok()).await;
    have_at_hand(&people, "Ann").await;
}

/// Nobody knows whether it was written: what was there before is not at hand.
#[tokio::test]
async fn a_write_of_unknown_outcome_leaves_nothing_at_hand() {
    let (_server, proxy, people) = through_a_proxy().await;
    let mut unknown = 0;
    for number in 0..20 {
        let new = number.to_string();
        // Of the write, or what the server says of it.
        proxy.cut_at_next_reply();
        if let Err(error) = people.save(&mut Person::new("1", &new)).await {
            assert!(error.is_outcome_unknown(), "{error:?}");
            unknown += 1;
        }
        have_at_hand(&people, &new).await;
    }
    assert!(unknown > 0);
}

/// Dropped when it was sent and not answered: at the latest when the server says so it is found.
#[tokio::test]
async fn a_write_that_is_given_up_is_found_when_it_comes_to_pass() {
    let (server, proxy, people) = through_a_proxy().await;
    for number in 0..10 {
        let new = number.to_string();
        let mut person = Person::new("1", &new);
        proxy.delay(ms(20));
        tokio::time::timeout(ms(5), people.save(&mut person).into_future())
            .await
            .expect_err("it is late");
        proxy.delay(Duration::ZERO);
        eventually("it to be written", async || {
            server
                .query::<String, _>(&["HGET", "people:1", "firstname"])
                .await
                == new
        })
        .await;
        round_trip(&people).await;
        have_at_hand(&people, &new).await;
    }
}

/// A server that has become a replica says what once was.
#[tokio::test]
async fn what_is_at_hand_is_not_served_of_a_server_that_was_demoted() {
    let (primary, server) = (TestServer::start().await, TestServer::start().await);
    let proxy = Proxy::in_front_of(&server).await;
    let people: Repository<Person> = near().connect(&proxy.url()).await.unwrap().repository();
    save(&people, "Ann").await;
    primary
        .command(&["HSET", "people:1", "id", "1", "firstname", "Bob"])
        .await;
    proxy.redirect(primary.address());
    let port = primary.port().to_string();
    server
        .command(&["REPLICAOF", &primary.address().ip().to_string(), &port])
        .await;
    eventually("that of the primary to be found", async || {
        name(&people).await.as_deref() == Some("Bob")
    })
    .await;
    have_at_hand(&people, "Bob").await;
}
