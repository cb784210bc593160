//! What happens to the connections of a listener, and what it has missed then: nothing.

use std::time::{Duration, Instant};

use kvrepo::Store;
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{Proxy, ServerOptions};
use kvrepo_tests::world::{World, next, nothing_before};

use super::support::{each_once, eventually, java_saves, ms, over, people, server, subscribers};

/// C39.
#[tokio::test]
async fn what_expired_while_nobody_listened_comes_with_its_value() {
    let world = World::server().await;
    let first = world.repository::<Person>().await;
    let heard = first.expired().await.unwrap();
    first
        .save_all(&mut people(0, 100))
        .time_to_live(ms(300))
        .await
        .unwrap();
    drop((first, heard));
    world.pass(ms(350)).await;
    let second = world.repository::<Person>().await;
    let mut expired = second.expired().await.unwrap();
    each_once(&mut expired, 0, 100).await;
    nothing_before(&world, &second, &mut expired, &mut Person::new("marker", "M")).await;
    let left = server(&world)
        .query::<Vec<String>, _>(&["KEYS", "people:*"])
        .await;
    assert_eq!(left, Vec::<String>::new());
}

/// C40.
#[tokio::test]
async fn a_killed_subscription_comes_back_and_loses_nothing() {
    let world = World::on(ServerOptions::new().hz(100)).await;
    let server = server(&world);
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    repository
        .save_all(&mut people(0, 100))
        .time_to_live(ms(50))
        .await
        .unwrap();
    each_once(&mut expired, 0, 100).await;
    for round in 1..=5 {
        repository
            .save_all(&mut people(round * 100, 100))
            .time_to_live(ms(50))
            .await
            .unwrap();
        eventually("a subscription to kill", async || {
            server
                .query::<u64, _>(&["CLIENT", "KILL", "TYPE", "pubsub"])
                .await
                > 0
        })
        .await;
        each_once(&mut expired, round * 100, 100).await;
    }
    // That it is subscribed again shows what only the server can tell of.
    eventually("the subscription", async || subscribers(server).await == 1).await;
    java_saves(server, "600", 50).await;
    each_once(&mut expired, 600, 1).await;
    nothing_before(&world, &repository, &mut expired, &mut Person::new("marker", "M")).await;
}

/// What only the server tells of, and told while the subscription was away, is found when it is back.
#[tokio::test]
async fn what_a_java_service_wrote_and_expired_while_the_subscription_was_away_comes_later() {
    let world = World::on(ServerOptions::new().hz(100)).await;
    let proxy = Proxy::in_front_of(server(&world)).await;
    let repository = over(&proxy.url()).await;
    let mut expired = repository.expired().await.unwrap();
    java_saves(server(&world), "1", 400).await;
    proxy.refuse(true).await;
    proxy.cut();
    eventually("its expiry", async || {
        !server(&world)
            .query::<Vec<String>, _>(&["KEYS", "*"])
            .await
            .contains(&"people:1".to_owned())
    })
    .await;
    proxy.refuse(false).await;
    each_once(&mut expired, 1, 1).await;
}

/// Every connection of the store, again and again, while entities expire.
#[tokio::test]
async fn all_connections_killed_over_and_over_lose_no_event() {
    let world = World::server().await;
    let server = server(&world);
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    for entity in 0..200 {
        let mut person = people(entity, 1);
        repository
            .save(&mut person[0])
            .time_to_live(ms(300 + 5 * entity as u64))
            .await
            .unwrap();
    }
    let kill = async {
        loop {
            for kind in ["normal", "pubsub"] {
                server.command(&["CLIENT", "KILL", "TYPE", kind]).await;
            }
            tokio::time::sleep(ms(80)).await;
        }
    };
    tokio::select! {
        () = kill => {}
        _ = each_once(&mut expired, 0, 200) => {}
    }
    eventually("the marker to be saved", async || {
        repository
            .save(&mut Person::new("marker", "M"))
            .time_to_live(ms(20))
            .await
            .is_ok()
    })
    .await;
    assert_eq!(next(&mut expired).await.id(), "marker");
}

#[tokio::test]
async fn a_server_that_restarts_with_its_data_loses_no_event() {
    let world = World::on(ServerOptions::new().append_only()).await;
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    for (round, term) in [5, 250, 700].into_iter().enumerate() {
        repository
            .save_all(&mut people(round * 50, 50))
            .time_to_live(ms(term))
            .await
            .unwrap();
    }
    server(&world).restart().await;
    server(&world).kill().await;
    tokio::time::sleep(ms(300)).await; // the outage
    server(&world).restart().await;
    each_once(&mut expired, 0, 150).await;
    eventually("the marker to be saved", async || {
        repository
            .save(&mut Person::new("marker", "M"))
            .time_to_live(ms(20))
            .await
            .is_ok()
    })
    .await;
    assert_eq!(next(&mut expired).await.id(), "marker");
}

/// The server hangs with all connections open, and goes on after three seconds.
#[tokio::test]
async fn a_server_that_hangs_for_a_while_loses_no_event() {
    let world = World::server().await;
    let repository = world
        .open(Store::builder().call_deadline(ms(1_000)))
        .await
        .repository::<Person>();
    let mut expired = repository.expired().await.unwrap();
    repository
        .save_all(&mut people(0, 100))
        .time_to_live(ms(500))
        .await
        .unwrap();
    server(&world).pause().await;
    tokio::time::sleep(Duration::from_secs(3)).await; // the hang
    server(&world).resume().await;
    let resumed = Instant::now();
    each_once(&mut expired, 0, 100).await;
    assert!(
        resumed.elapsed() < Duration::from_secs(3),
        "{:?}",
        resumed.elapsed()
    );
    nothing_before(&world, &repository, &mut expired, &mut Person::new("marker", "M")).await;
}

/// The connections that follow the log and that reap are cut in the middle, the writer's is not.
#[tokio::test]
async fn a_subscriber_whose_connections_are_cut_gets_every_event_once() {
    let world = World::server().await;
    let proxy = Proxy::in_front_of(server(&world)).await;
    let writer = world.repository::<Person>().await;
    let mut expired = over(&proxy.url()).await.expired().await.unwrap();
    for round in 0..10 {
        writer
            .save_all(&mut people(round * 30, 30))
            .time_to_live(ms(60))
            .await
            .unwrap();
        world.pass(ms(50 + 3 * round as u64)).await;
        proxy.cut();
    }
    each_once(&mut expired, 0, 300).await;
    nothing_before(&world, &writer, &mut expired, &mut Person::new("marker", "M")).await;
}

/// A network that swallows everything, without a word of the end.
#[tokio::test]
async fn a_subscriber_whose_network_goes_silent_hears_everything_once_it_is_back() {
    let world = World::server().await;
    let proxy = Proxy::in_front_of(server(&world)).await;
    let writer = world.repository::<Person>().await;
    let store = Store::builder()
        .call_deadline(ms(1_000))
        .connect(&proxy.url())
        .await
        .unwrap();
    let mut expired = store.repository::<Person>().expired().await.unwrap();
    proxy.pause(true);
    writer
        .save_all(&mut people(0, 50))
        .time_to_live(ms(50))
        .await
        .unwrap();
    let logged = async || server(&world).query::<u64, _>(&["XLEN", "people#expired"]).await == 50;
    eventually("another to reap them", logged).await;
    proxy.pause(false);
    each_once(&mut expired, 0, 50).await;
    nothing_before(&world, &writer, &mut expired, &mut Person::new("marker", "M")).await;
}
