//! Many processes that listen: one does the work, and any other takes over.

use std::time::{Duration, Instant};

use kvrepo::{KeyspaceEvents, Repository, Store};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{Monitor, Proxy, ServerOptions};
use kvrepo_tests::world::{World, nothing_before};

use super::support::{each_once, eventually, java_saves, lateness, ms, over, people, server};

/// Within which another process has taken over from a leader that is gone.
const TAKEOVER: Duration = Duration::from_secs(2);

async fn quiet(world: &World) -> Repository<Person> {
    world
        .open(Store::builder().events(KeyspaceEvents::Off))
        .await
        .repository()
}

async fn leads(world: &World) {
    eventually("a leader", async || {
        server(world).query::<bool, _>(&["EXISTS", "people#reaper"]).await
    })
    .await;
}

#[tokio::test]
async fn when_the_leader_leaves_another_takes_over() {
    let world = World::server().await;
    let writer = quiet(&world).await;
    let leader = world.repository::<Person>().await;
    let heard = leader.expired().await.unwrap();
    leads(&world).await;
    let mut expired = world.repository::<Person>().await.expired().await.unwrap();
    writer
        .save_all(&mut people(0, 20))
        .time_to_live(ms(100))
        .await
        .unwrap();
    drop((leader, heard));
    let latest = each_once(&mut expired, 0, 20).await.iter().map(lateness).max();
    assert!(latest < Some(TAKEOVER), "{latest:?}");
}

#[tokio::test]
async fn when_the_leader_is_cut_off_another_takes_over() {
    let world = World::server().await;
    let proxy = Proxy::in_front_of(server(&world)).await;
    let writer = quiet(&world).await;
    let _leader = over(&proxy.url()).await.expired().await.unwrap();
    leads(&world).await;
    let second = world.repository::<Person>().await;
    let mut expired = second.expired().await.unwrap();
    for round in 0..2 {
        writer
            .save_all(&mut people(round * 20, 20))
            .time_to_live(ms(50))
            .await
            .unwrap();
        if round == 0 {
            proxy.refuse(true).await;
            proxy.cut();
        }
        let latest = each_once(&mut expired, round * 20, 20)
            .await
            .iter()
            .map(lateness)
            .max();
        assert!(latest < Some(TAKEOVER), "round {round}: {latest:?}");
    }
    proxy.refuse(false).await;
    nothing_before(&world, &second, &mut expired, &mut Person::new("marker", "M")).await;
}

/// A leader that is stuck, with the lease in its hand.
#[tokio::test]
async fn when_the_leader_goes_silent_another_takes_over() {
    let world = World::server().await;
    let proxy = Proxy::in_front_of(server(&world)).await;
    let writer = quiet(&world).await;
    let _leader = over(&proxy.url()).await.expired().await.unwrap();
    leads(&world).await;
    let mut expired = world.repository::<Person>().await.expired().await.unwrap();
    proxy.pause(true);
    writer
        .save_all(&mut people(0, 20))
        .time_to_live(ms(50))
        .await
        .unwrap();
    let latest = each_once(&mut expired, 0, 20).await.iter().map(lateness).max();
    assert!(latest < Some(TAKEOVER), "{latest:?}");
}

/// Both triggers suffice, and so does either in any process: what the leader is not told, another tells.
#[tokio::test]
async fn a_leader_that_may_not_subscribe_misses_nothing_that_another_is_told() {
    let deaf = ServerOptions::new()
        .hz(100)
        .notify("Ex")
        .user("deaf on >secret ~* resetchannels +@all");
    let world = World::on(deaf).await;
    let leader = over(&server(&world).url_as("deaf", "secret")).await;
    let _heard = leader.expired().await.unwrap();
    leads(&world).await;
    let mut expired = world.repository::<Person>().await.expired().await.unwrap();
    java_saves(server(&world), "1", 50).await;
    each_once(&mut expired, 1, 1).await;
}

#[tokio::test]
async fn what_a_java_service_wrote_expires_although_the_leader_has_just_been_cut_off() {
    let world = World::on(ServerOptions::new().hz(100)).await;
    let proxy = Proxy::in_front_of(server(&world)).await;
    let _leader = over(&proxy.url()).await.expired().await.unwrap();
    leads(&world).await;
    let mut expired = world.repository::<Person>().await.expired().await.unwrap();
    proxy.refuse(true).await;
    proxy.cut();
    java_saves(server(&world), "1", 50).await;
    each_once(&mut expired, 1, 1).await;
}

/// Ten processes on an idle server: their commands are few and do not depend on the number of entities.
#[tokio::test]
async fn ten_idle_listeners_cost_the_server_little() {
    const SPAN: Duration = Duration::from_secs(3);
    let world = World::server().await;
    let writer = quiet(&world).await;
    writer
        .save_all(&mut people(0, 1_000))
        .time_to_live(Duration::from_secs(3_600))
        .await
        .unwrap();
    let mut all = Vec::new();
    for _ in 0..10 {
        all.push(world.repository::<Person>().await.expired().await.unwrap());
    }
    let monitor = Monitor::start(server(&world)).await;
    let begun = Instant::now();
    tokio::time::sleep(SPAN).await; // the time in which is counted
    let commands = monitor.commands().await;
    let per_second = |count: usize| count as f64 / begun.elapsed().as_secs_f64();
    let (clients, scripts) = (
        per_second(commands.by_clients().len()),
        per_second(commands.by_scripts().len()),
    );
    assert!(
        clients < 50.0,
        "{clients} commands a second:\n{}",
        commands.by_clients()
    );
    assert!(scripts < 100.0, "{scripts} commands a second in scripts");
    let reaping = commands.by_scripts().of("ZRANGEBYSCORE");
    assert!(
        per_second(reaping.len()) < 8.0,
        "more than one of them reaps: {} times",
        reaping.len()
    );
    assert!(!reaping.is_empty(), "none of them reaps");
}

/// Each gets every event, whoever reaps, also while processes come and go.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_process_gets_every_event_while_others_come_and_go() {
    let world = World::server().await;
    let writer = quiet(&world).await;
    let mut steady = Vec::new();
    for _ in 0..3 {
        steady.push(world.repository::<Person>().await.expired().await.unwrap());
    }
    for round in 0..5 {
        let guest = world.repository::<Person>().await;
        let mut heard = guest.expired().await.unwrap();
        writer
            .save_all(&mut people(round * 40, 40))
            .time_to_live(ms(30))
            .await
            .unwrap();
        each_once(&mut heard, round * 40, 40).await;
    }
    for expired in &mut steady {
        each_once(expired, 0, 200).await;
        nothing_before(&world, &writer, expired, &mut Person::new("marker", "M")).await;
    }
}
