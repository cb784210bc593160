//! The server's notification flags, what a user may do, and when subscribing returns.

use std::time::{Duration, Instant};

use kvrepo::{Error, KeyspaceEvents, Repository, Store};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{ServerOptions, unique};
use kvrepo_tests::world::{World, next, nothing_before};

use super::support::{each_once, eventually, lateness, ms, notify_flags, over, people, server, subscribers};

fn has(flags: &str, wanted: &str) -> bool {
    wanted.chars().all(|flag| flags.contains(flag))
}

/// C98.
#[tokio::test]
async fn the_servers_flags_are_only_added_to() {
    let world = World::on(ServerOptions::new().notify("Kg")).await;
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    let flags = notify_flags(server(&world)).await;
    assert!(has(&flags, "KgEx"), "{flags}");
    repository
        .save_all(&mut people(0, 10))
        .time_to_live(ms(20))
        .await
        .unwrap();
    each_once(&mut expired, 0, 10).await;
}

#[tokio::test]
async fn flags_that_suffice_are_not_touched() {
    let world = World::on(ServerOptions::new().notify("KEA")).await;
    let _expired = world.repository::<Person>().await.expired().await.unwrap();
    let flags = notify_flags(server(&world)).await;
    assert!(has(&flags, "KEA") && flags.len() == 3, "{flags}");
}

#[tokio::test]
async fn flags_that_are_left_alone_stay_and_events_are_on_time() {
    let world = World::server().await;
    let repository = world
        .open(Store::builder().leave_notification_flags())
        .await
        .repository();
    let mut expired = repository.expired().await.unwrap();
    for round in 0..5 {
        repository
            .save_all(&mut people(round * 10, 10))
            .time_to_live(ms(100))
            .await
            .unwrap();
        for event in each_once(&mut expired, round * 10, 10).await {
            let late = lateness(&event);
            assert!(late < ms(1_000), "{late:?}");
        }
    }
    assert_eq!(notify_flags(server(&world)).await, "");
}

/// C41.
#[tokio::test]
async fn after_a_restart_the_flags_are_added_again_and_events_flow() {
    let world = World::server().await;
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    repository
        .save_all(&mut people(0, 5))
        .time_to_live(ms(20))
        .await
        .unwrap();
    each_once(&mut expired, 0, 5).await;
    for round in 1..3 {
        server(&world).restart().await;
        eventually("the flags", async || {
            has(&notify_flags(server(&world)).await, "Ex")
        })
        .await;
        assert_eq!(subscribers(server(&world)).await, 1);
        repository
            .save_all(&mut people(round * 5, 5))
            .time_to_live(ms(20))
            .await
            .unwrap();
        each_once(&mut expired, round * 5, 5).await;
    }
}

/// C96, C97, and a user with no more rights than a service needs.
#[tokio::test]
async fn events_flow_for_a_user_who_may_neither_configure_nor_subscribe() {
    let users = [
        ("noconfig", "&* +@all -config"),
        ("nosubscribe", "&* +@all -subscribe -psubscribe"),
        ("nochannel", "resetchannels +@all"),
        ("least", "resetchannels +@all -@dangerous -@admin -@pubsub"),
    ];
    let mut options = ServerOptions::new();
    for (name, rules) in users {
        options = options.user(&format!("{name} on >secret ~{name}:* {rules}"));
    }
    let world = World::on(options).await;
    for (name, _) in users {
        let builder = Store::builder().key_prefix(format!("{name}:"));
        let url = server(&world).url_as(name, "secret");
        let store = builder
            .connect(&url)
            .await
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let repository = store.repository::<Person>();
        let begun = Instant::now();
        let mut expired = repository
            .expired()
            .await
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(begun.elapsed() < ms(2_000), "{name}: {:?}", begun.elapsed());
        repository
            .save_all(&mut people(0, 20))
            .time_to_live(ms(50))
            .await
            .unwrap();
        for event in each_once(&mut expired, 0, 20).await {
            assert!(lateness(&event) < ms(1_000), "{name}: {:?}", lateness(&event));
        }
        assert_eq!(repository.count().await.unwrap(), 0, "{name}");
    }
}

/// C99: whether a phantom is kept is no matter of who listens.
#[tokio::test]
async fn a_writer_that_does_not_listen_leaves_a_value_to_who_does() {
    let world = World::server().await;
    let writer = world
        .open(Store::builder().events(KeyspaceEvents::Off))
        .await
        .repository::<Person>();
    let mut expired = world.repository::<Person>().await.expired().await.unwrap();
    writer
        .save_all(&mut people(0, 50))
        .time_to_live(ms(50))
        .await
        .unwrap();
    each_once(&mut expired, 0, 50).await;
    assert!(matches!(writer.expired().await, Err(Error::EventsDisabled)));
}

/// The default starts to listen with the first save that has a term, without anybody subscribing.
#[tokio::test]
async fn what_nobody_subscribed_to_is_reaped_all_the_same() {
    let world = World::server().await;
    let repository = world.repository::<Person>().await;
    repository
        .save_all(&mut people(0, 50))
        .time_to_live(ms(50))
        .await
        .unwrap();
    let log = async || server(&world).query::<u64, _>(&["XLEN", "people#expired"]).await == 50;
    eventually("fifty events in the log", log).await;
    let left = server(&world)
        .query::<Vec<String>, _>(&["KEYS", "people:*"])
        .await;
    assert_eq!(left, Vec::<String>::new());
}

/// C101: each of a thousand subscriptions hears what was saved right after it, on new and on running listeners.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_saves_right_after_subscribing_gets_the_event() {
    let world = World::server().await;
    let url = server(&world).url();
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let url = url.clone();
            tokio::spawn(async move {
                for _ in 0..5 {
                    let prefix = unique("t") + ":";
                    let store = Store::builder().key_prefix(prefix).connect(&url).await.unwrap();
                    let repository: Repository<Person> = store.repository();
                    for round in 0..10 {
                        let mut expired = repository.expired().await.unwrap();
                        repository
                            .save(&mut people(round, 1)[0])
                            .time_to_live(ms(1))
                            .await
                            .unwrap();
                        assert_eq!(next(&mut expired).await.id(), &round.to_string());
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

/// C103.
#[tokio::test]
async fn a_server_that_is_not_there_is_an_error_within_the_deadline() {
    for events in [KeyspaceEvents::OnStartup, KeyspaceEvents::OnDemand] {
        let begun = Instant::now();
        let builder = Store::builder().events(events).call_deadline(ms(300));
        let refused = builder
            .connect("redis://127.0.0.1:1")
            .await
            .expect_err("nobody listens there");
        assert!(begun.elapsed() < ms(1_000), "{:?}", begun.elapsed());
        assert!(
            matches!(refused, Error::Backend { .. } | Error::Timeout { .. }),
            "{refused:?}"
        );
        assert!(
            refused.is_transient() && !refused.is_outcome_unknown(),
            "{refused:?}"
        );
    }
}

/// C103: nothing is left half started.
#[tokio::test]
async fn subscribing_while_the_server_is_away_is_an_error_and_works_once_it_is_back() {
    let world = World::server().await;
    let builder = Store::builder().call_deadline(ms(300));
    let repository = world.open(builder).await.repository::<Person>();
    server(&world).kill().await;
    for _ in 0..2 {
        let begun = Instant::now();
        let refused = repository.expired().await.expect_err("the server is away");
        assert!(begun.elapsed() < ms(1_500), "{:?}", begun.elapsed());
        assert!(refused.is_transient(), "{refused:?}");
    }
    server(&world).restart().await;
    let mut expired = repository.expired().await.unwrap();
    repository
        .save_all(&mut people(0, 5))
        .time_to_live(ms(20))
        .await
        .unwrap();
    each_once(&mut expired, 0, 5).await;
}

/// C48: the server would end it with another event, or none.
#[tokio::test]
async fn a_deadline_in_the_past_is_refused_and_makes_no_event() {
    let world = World::server().await;
    let repository = world.repository::<Person>().await;
    let mut expired = repository.expired().await.unwrap();
    let past = std::time::SystemTime::now() - Duration::from_secs(1);
    let mut person = Person::new("1", "Ann");
    assert!(matches!(
        repository.save(&mut person).expires_at(past).await,
        Err(Error::DeadlinePassed { entity: "Person", .. })
    ));
    assert_eq!(
        server(&world)
            .query::<Vec<String>, _>(&["KEYS", "people:*"])
            .await,
        Vec::<String>::new()
    );
    // A living one is left as it was.
    repository.save(&mut person).await.unwrap();
    assert!(repository.save(&mut person).expires_at(past).await.is_err());
    nothing_before(&world, &repository, &mut expired, &mut Person::new("marker", "M")).await;
    assert!(repository.exists_by_id("1").await.unwrap());
}

/// A listener over RESP2, and one over a unix socket.
#[tokio::test]
async fn events_flow_over_resp2_and_over_a_unix_socket() {
    let world = World::on(ServerOptions::new().unix_socket()).await;
    let urls = [
        format!("{}?protocol=resp2", server(&world).url()),
        server(&world).unix_url().unwrap(),
    ];
    for (round, url) in urls.iter().enumerate() {
        let repository = over(url).await;
        let mut expired = repository
            .expired()
            .await
            .unwrap_or_else(|error| panic!("{url}: {error:?}"));
        repository
            .save_all(&mut people(round * 10, 10))
            .time_to_live(ms(30))
            .await
            .unwrap();
        each_once(&mut expired, round * 10, 10).await;
    }
}
