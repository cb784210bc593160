//! Servers that are away, hang, restart or lose their role.

use std::time::{Duration, Instant};

use kvrepo::{Error, Outcome, Store, TimeToLive};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{Proxy, ServerOptions, TestServer};
use kvrepo_tests::world::next;
use tokio::time::timeout;

use super::support::{MINUTE, eventually, ms, quiet, through_a_proxy, version};

#[tokio::test]
async fn a_call_to_a_server_that_refuses_connections_was_not_executed() {
    let (server, proxy, people) = through_a_proxy(ms(300)).await;
    people.save(&mut version(0)).await.unwrap();
    proxy.refuse(true).await;
    proxy.cut();
    // The first can still meet the connection that is dying.
    people.exists_by_id("1").await.unwrap_err();
    for _ in 0..2 {
        let begun = Instant::now();
        let error = people.save(&mut version(1)).await.unwrap_err();
        assert!(!error.is_outcome_unknown() && error.is_transient(), "{error:?}");
        assert!(begun.elapsed() < ms(600), "{:?}", begun.elapsed());
        let error = people.find_by_id("1").await.unwrap_err();
        assert!(!error.is_outcome_unknown() && error.is_transient(), "{error:?}");
    }
    proxy.refuse(false).await;
    eventually("a connection", async || {
        people.save(&mut version(2)).await.is_ok()
    })
    .await;
    assert_eq!(
        server
            .query::<String, _>(&["HGET", "people:1", "firstname"])
            .await,
        "version 2"
    );
}

/// A call that comes while there is no connection waits for the next.
#[tokio::test]
async fn a_call_made_during_a_short_outage_rides_it_out() {
    let (_server, proxy, people) = through_a_proxy(ms(5_000)).await;
    people.save(&mut version(0)).await.unwrap();
    for number in 1..4 {
        proxy.refuse(true).await;
        proxy.cut();
        // As soon as a call waits, it has been noticed that there is no connection.
        eventually("the end of the connection to be noticed", async || {
            timeout(ms(50), people.exists_by_id("1")).await.is_err()
        })
        .await;
        let calls: Vec<_> = (0..10)
            .map(|_| {
                let people = people.clone();
                tokio::spawn(async move { people.save(&mut version(number)).time_to_live(MINUTE).await })
            })
            .collect();
        tokio::time::sleep(ms(100)).await; // the rest of the outage
        assert!(calls.iter().all(|call| !call.is_finished()));
        proxy.refuse(false).await;
        for call in calls {
            call.await.unwrap().unwrap();
        }
        assert_eq!(
            people.find_by_id("1").await.unwrap().unwrap().firstname,
            format!("version {number}")
        );
    }
}

#[tokio::test]
async fn calls_to_a_server_that_hangs_end_within_their_deadline() {
    let server = TestServer::start().await;
    let store = quiet(ms(400)).connect(&server.url()).await.unwrap();
    let people = store.repository::<Person>();
    people.save(&mut version(0)).await.unwrap();
    server.pause().await;
    let begun = Instant::now();
    let calls: Vec<_> = (0..64)
        .map(|call| {
            let people = people.clone();
            tokio::spawn(async move {
                if call % 2 == 0 {
                    people.save(&mut version(1)).await.map(drop)
                } else {
                    people.find_by_id("1").await.map(drop)
                }
            })
        })
        .collect();
    for (number, call) in calls.into_iter().enumerate() {
        let error = call.await.unwrap().unwrap_err();
        let outcome = if number % 2 == 0 {
            Outcome::Unknown
        } else {
            Outcome::NotExecuted
        };
        let Error::Timeout {
            after, outcome: told, ..
        } = error
        else {
            panic!("{error:?}")
        };
        assert_eq!(after, ms(400));
        // Nothing was sent by a call that found the connection given up.
        assert!(told == outcome || told == Outcome::NotExecuted);
    }
    assert!(begun.elapsed() < ms(1_000), "{:?}", begun.elapsed());
    // Once the connection has been given up, connecting hangs, and that is bounded too.
    for _ in 0..2 {
        let begun = Instant::now();
        let error = people.save(&mut version(2)).await.unwrap_err();
        assert!(
            matches!(error, Error::Timeout { .. }) && error.is_transient(),
            "{error:?}"
        );
        assert!(begun.elapsed() < ms(800), "{:?}", begun.elapsed());
    }
    server.resume().await;
    eventually("a connection", async || {
        people.save(&mut version(3)).await.is_ok()
    })
    .await;
    assert_eq!(people.find_by_id("1").await.unwrap(), Some(version(3)));
}

/// Connections that swallow everything are given up; the server itself is well.
#[tokio::test]
async fn a_connection_that_swallows_replies_is_replaced() {
    let (_server, proxy, people) = through_a_proxy(ms(200)).await;
    people.save(&mut version(0)).await.unwrap();
    proxy.swallow_replies(true);
    for number in 1..4 {
        let error = people.save(&mut version(number)).await.unwrap_err();
        assert!(
            matches!(
                error,
                Error::Timeout {
                    outcome: Outcome::Unknown,
                    ..
                }
            ),
            "{error:?}"
        );
    }
    let connections = proxy.counts().connections;
    proxy.swallow_replies(false);
    assert_eq!(people.find_by_id("1").await.unwrap(), Some(version(3)));
    assert_eq!(proxy.counts().connections, connections + 1);
}

#[tokio::test]
async fn after_a_crash_the_same_store_goes_on() {
    let server = TestServer::with(ServerOptions::new().append_only()).await;
    for url in [server.url(), format!("{}?protocol=resp2", server.url())] {
        let store = quiet(ms(5_000)).connect(&url).await.unwrap();
        let people = store.repository::<Person>();
        people.save(&mut version(0)).time_to_live(MINUTE).await.unwrap();
        for _ in 0..2 {
            server.restart().await;
            eventually("the first call that works", async || {
                people.exists_by_id("1").await.is_ok()
            })
            .await;
            assert_eq!(
                people.find_by_id("1").await.unwrap().unwrap().firstname,
                "version 0"
            );
            people.save(&mut version(0)).time_to_live(MINUTE).await.unwrap();
            assert!(matches!(
                people.time_to_live("1").await.unwrap(),
                TimeToLive::In(_)
            ));
        }
    }
}

/// RESP3 tells of a closed socket without a call: an idle store notices, and no call is lost.
#[tokio::test]
async fn a_store_that_was_idle_while_its_connection_was_closed_loses_no_call() {
    let (server, _proxy, _) = through_a_proxy(ms(2_000)).await;
    let people = quiet(ms(2_000))
        .connect(&server.url())
        .await
        .unwrap()
        .repository::<Person>();
    people.save(&mut version(0)).await.unwrap();
    for number in 1..10 {
        server.command(&["CLIENT", "KILL", "TYPE", "normal"]).await;
        tokio::time::sleep(ms(50)).await; // the idle time
        people.save(&mut version(number)).await.unwrap();
    }
}

/// C43: the address stays, another server answers there: what a failover by DNS or by a balancer looks like.
#[tokio::test]
async fn a_server_that_has_become_a_replica_is_left_for_the_new_primary() {
    let (old, new) = (TestServer::start().await, TestServer::start().await);
    let proxy = Proxy::in_front_of(&old).await;
    let store = quiet(ms(1_000)).connect(&proxy.url()).await.unwrap();
    let people = store.repository::<Person>();
    people.save(&mut version(0)).await.unwrap();
    proxy.redirect(new.address());
    old.command(&["REPLICAOF", "127.0.0.1", &new.port().to_string()])
        .await;
    let error = people.save(&mut version(1)).await.unwrap_err();
    assert!(error.is_transient() && !error.is_outcome_unknown(), "{error:?}");
    let begun = Instant::now();
    eventually("the new primary", async || {
        people.save(&mut version(2)).await.is_ok()
    })
    .await;
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert_eq!(
        new.query::<String, _>(&["HGET", "people:1", "firstname"]).await,
        "version 2"
    );
}

/// C43: the same for who listens; the new primary is subscribed to, and its flags are seen to.
#[tokio::test]
async fn a_listener_follows_to_the_new_primary() {
    let (old, new) = (TestServer::start().await, TestServer::start().await);
    let proxy = Proxy::in_front_of(&old).await;
    let store = Store::connect(&proxy.url()).await.unwrap();
    let mut expired = store.repository::<Person>().expired().await.unwrap();
    proxy.redirect(new.address());
    old.command(&["REPLICAOF", "127.0.0.1", &new.port().to_string()])
        .await;
    let writer = quiet(ms(1_000))
        .connect(&new.url())
        .await
        .unwrap()
        .repository::<Person>();
    writer.save(&mut version(1)).time_to_live(ms(50)).await.unwrap();
    assert_eq!(next(&mut expired).await.value(), Some(&version(1)));
    eventually("a subscription to the new primary", async || {
        let channel = "__keyevent@0__:expired";
        let subscribed: (String, u64) = new.query(&["PUBSUB", "NUMSUB", channel]).await;
        subscribed.1 == 1
    })
    .await;
    eventually("the flags of the new primary", async || {
        let flags: Vec<String> = new.query(&["CONFIG", "GET", "notify-keyspace-events"]).await;
        flags[1].contains('E') && flags[1].contains('x')
    })
    .await;
}

/// C45: a demoted server that does not even hear from the new primary would answer reads with what once was. Who listens
/// notices, and every connection of the store leaves; neither reads nor events come from there any more.
#[tokio::test]
async fn a_demoted_server_that_lags_behind_is_read_no_more() {
    let (old, new) = (TestServer::start().await, TestServer::start().await);
    let (front, replication) = (Proxy::in_front_of(&old).await, Proxy::in_front_of(&new).await);
    let people = Store::connect(&front.url()).await.unwrap().repository::<Person>();
    let mut expired = people.expired().await.unwrap();
    people.save(&mut version(0)).await.unwrap();
    replication.pause(true);
    let port = replication.address().port().to_string();
    old.command(&["REPLICAOF", "127.0.0.1", &port]).await;
    front.redirect(new.address());
    let writer = quiet(ms(1_000)).connect(&new.url()).await.unwrap().repository();
    writer.save(&mut version(1)).await.unwrap();
    eventually(
        "what the new primary has",
        async || matches!(people.find_by_id("1").await, Ok(Some(found)) if found == version(1)),
    )
    .await;
    assert_eq!(
        old.query::<String, _>(&["HGET", "people:1", "firstname"]).await,
        "version 0",
        "it lags behind"
    );
    writer.save(&mut version(2)).time_to_live(ms(50)).await.unwrap();
    assert_eq!(next(&mut expired).await.value(), Some(&version(2)));
    assert_eq!(old.query::<u64, _>(&["EXISTS", "people:1"]).await, 1);
}

/// C45: a connection is made to a primary or not at all.
#[tokio::test]
async fn a_store_that_connects_anew_does_not_read_from_a_replica() {
    let server = TestServer::start().await;
    for url in [server.url(), format!("{}?protocol=resp2", server.url())] {
        let people = quiet(ms(1_000)).connect(&url).await.unwrap().repository();
        people.save(&mut version(0)).await.unwrap();
        server.command(&["REPLICAOF", "127.0.0.1", "1"]).await;
        server.command(&["CLIENT", "KILL", "TYPE", "normal"]).await;
        for _ in 0..3 {
            let error = people.find_by_id("1").await.unwrap_err();
            assert!(error.is_transient() && !error.is_outcome_unknown(), "{error:?}");
        }
        server.command(&["REPLICAOF", "NO", "ONE"]).await;
        assert_eq!(people.find_by_id("1").await.unwrap(), Some(version(0)));
    }
}
