//! Groups on a real server: their connections, and what happens to those.

use std::collections::BTreeMap;

use kvrepo::{KeyExpired, Repository, Store};
use kvrepo_tests::fixture::{Person, Ping, Session};
use kvrepo_tests::harness::{ServerOptions, TestServer};
use kvrepo_tests::world::{PATIENCE, World};
use tokio::sync::mpsc;

use super::support::{eventually, ms, people, server};

/// How many connections kvrepo has.
async fn connections(server: &TestServer) -> usize {
    let clients: String = server.query(&["CLIENT", "LIST"]).await;
    clients
        .lines()
        .filter(|line| line.contains("lib-name=kvrepo"))
        .count()
}

async fn listen_to(store: &Store, types: usize) -> Vec<kvrepo::Listening> {
    let mut listening = Vec::new();
    for group in ["a", "b"] {
        listening.push(
            store
                .listen::<Person, _>(|_| async {})
                .group(group)
                .await
                .unwrap(),
        );
    }
    listening.push(store.listen::<Person, _>(|_| async {}).await.unwrap());
    if types > 1 {
        listening.push(store.listen::<Session, _>(|_| async {}).await.unwrap());
        listening.push(store.listen::<Ping, _>(|_| async {}).await.unwrap());
        listening.push(store.listen::<Session, _>(|_| async {}).group("a").await.unwrap());
        listening.push(store.listen::<Ping, _>(|_| async {}).group("c").await.unwrap());
    }
    listening
}

/// However many types and groups are listened to.
#[tokio::test]
async fn all_handlers_of_a_store_share_its_connections() {
    let mut counted = Vec::new();
    for types in [1, 3] {
        let world = World::server().await;
        let store = world.store().await;
        let _listening = listen_to(&store, types).await;
        let waiting = async || {
            let clients: String = server(&world).query(&["CLIENT", "LIST"]).await;
            clients.lines().filter(|line| line.contains("cmd=xread ")).count() == 2
        };
        eventually("follower and watcher to wait", waiting).await;
        counted.push(connections(server(&world)).await);
    }
    assert_eq!(counted[0], counted[1]);
    assert!(counted[0] <= 5, "{counted:?}");
}

/// A reader of the group in a process of its own, that tells what it has handled.
async fn reader(world: &World, tell: &mpsc::UnboundedSender<(String, u32)>) -> kvrepo::Listening {
    let store = world.open(Store::builder().call_deadline(ms(1_000))).await;
    let tell = tell.clone();
    store
        .listen::<Person, _>(move |event: KeyExpired<Person>| {
            let tell = tell.clone();
            async move {
                let firstname = event.value().map(|person| person.firstname.clone());
                assert_eq!(firstname, Some(format!("P{}", event.id())));
                tell.send((event.id().clone(), event.deliveries())).unwrap();
            }
        })
        .group("billing")
        .claim_after(ms(5_000))
        .await
        .unwrap()
}

/// Nobody dies, so each is handled once, whatever becomes of replies and acknowledgements.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_whose_connections_are_killed_over_and_over_handles_each_event_once() {
    const COUNT: usize = 300;
    let world = World::on(ServerOptions::new().hz(100)).await;
    let server = server(&world);
    let (tell, mut told) = mpsc::unbounded_channel();
    let readers = [
        reader(&world, &tell).await,
        reader(&world, &tell).await,
        reader(&world, &tell).await,
    ];
    let writer: Repository<Person> = world.repository().await;
    for (i, person) in people(0, COUNT).iter_mut().enumerate() {
        writer
            .save(person)
            .time_to_live(ms(500 + 5 * i as u64))
            .await
            .unwrap();
    }
    let kill = async {
        loop {
            for kind in ["normal", "pubsub"] {
                server.command(&["CLIENT", "KILL", "TYPE", kind]).await;
            }
            tokio::time::sleep(ms(70)).await;
        }
    };
    let mut handled = BTreeMap::new();
    let all = async {
        while handled.len() < COUNT {
            let (id, deliveries) = tokio::time::timeout(PATIENCE, told.recv())
                .await
                .expect("an event")
                .unwrap();
            assert_eq!(handled.insert(id.clone(), deliveries), None, "{id} came twice");
        }
    };
    tokio::select! {
        () = kill => {}
        () = all => {}
    }
    let mut count = 0;
    for reader in readers {
        let handled = reader.stop().await;
        assert_eq!(handled.failed, 0);
        count += handled.handled;
    }
    assert_eq!(count, COUNT as u64);
    eventually("all to be acknowledged", async || {
        writer.group("billing").pending().await.unwrap() == 0
    })
    .await;
    assert!(told.try_recv().is_err(), "and none came twice");
}

/// A server without its data: the group begins anew by itself.
#[tokio::test]
async fn a_group_that_the_server_lost_begins_anew() {
    let world = World::server().await;
    let (tell, mut told) = mpsc::unbounded_channel();
    let reader = reader(&world, &tell).await;
    let writer: Repository<Person> = world.repository().await;
    for round in 0..3 {
        let saved = async || {
            writer
                .save_all(&mut people(round * 10, 10))
                .time_to_live(ms(100))
                .await
                .is_ok()
        };
        eventually("a save", saved).await;
        let mut handled = Vec::new();
        for _ in 0..10 {
            let told = tokio::time::timeout(PATIENCE, told.recv())
                .await
                .expect("an event");
            handled.push(told.unwrap().0.parse::<usize>().unwrap());
        }
        handled.sort_unstable();
        assert_eq!(handled, (round * 10..round * 10 + 10).collect::<Vec<_>>());
        match round {
            0 => server(&world).restart().await,
            _ => drop(server(&world).command(&["FLUSHALL"]).await),
        }
    }
    assert_eq!(reader.stop().await.failed, 0);
}

/// Readers that have gone leave nothing behind in the server's list.
#[tokio::test]
async fn a_reader_that_goes_is_forgotten() {
    let world = World::server().await;
    let (tell, _told) = mpsc::unbounded_channel();
    let reader = reader(&world, &tell).await;
    let consumers = async || {
        let listed: Vec<redis::Value> = server(&world)
            .query(&["XINFO", "CONSUMERS", "people#expired", "billing"])
            .await;
        listed.len()
    };
    eventually("the reader to be listed", async || consumers().await == 1).await;
    reader.stop().await;
    eventually("the reader to be forgotten", async || consumers().await == 0).await;
}
