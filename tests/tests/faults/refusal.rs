//! Servers that will not do, and ways to connect.

use std::time::{Duration, Instant};

use kvrepo::{Error, Repository, Store};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{ServerOptions, TestServer};
use kvrepo_tests::world::next;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use super::support::{MINUTE, eventually, ms};

async fn refused(url: &str) -> Error {
    let begun = Instant::now();
    let error = Store::connect(url).await.expect_err("this server will not do");
    // At once, and not only when the call's deadline has come.
    assert!(begun.elapsed() < ms(2_000), "{:?}", begun.elapsed());
    error
}

#[tokio::test]
async fn a_wrong_password_fails_at_once_and_is_not_printed() {
    let server = TestServer::with(ServerOptions::new().password("right4711")).await;
    Store::connect(&server.url()).await.unwrap();
    for (user, password) in [
        ("default", "sentinel0815"),
        ("nobody", "sentinel0815"),
        ("", "sentinel0815"),
    ] {
        let error = refused(&server.url_as(user, password)).await;
        assert!(
            matches!(error, Error::Backend { transient: false, .. }),
            "{error:?}"
        );
        assert!(!error.is_outcome_unknown());
        assert!(!format!("{error:?}{error}").contains("sentinel0815"));
    }
    // None at all, where one is needed.
    let error = refused(&format!("redis://{}", server.address())).await;
    assert!(
        matches!(error, Error::Backend { transient: false, .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_cluster_is_refused() {
    let server = TestServer::with(ServerOptions::new().arg("--cluster-enabled").arg("yes")).await;
    let error = refused(&server.url()).await;
    assert!(
        matches!(&error, Error::Unsupported { what } if what.contains("cluster")),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_replica_is_refused_until_it_is_a_primary() {
    let (primary, replica) = (TestServer::start().await, TestServer::start().await);
    replica
        .command(&["REPLICAOF", "127.0.0.1", &primary.port().to_string()])
        .await;
    let error = refused(&replica.url()).await;
    assert!(
        matches!(&error, Error::Unsupported { what } if what.contains("replica")),
        "{error:?}"
    );
    replica.command(&["REPLICAOF", "NO", "ONE"]).await;
    Store::connect(&replica.url()).await.unwrap();
}

/// Answers as a server of this version does, as far as connecting asks.
async fn pretend(version: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (reader, mut writer) = client.into_split();
                let mut lines = BufReader::new(reader).lines();
                // A command's name is the line behind its length; only names are in capitals and of letters.
                while let Ok(Some(line)) = lines.next_line().await {
                    let reply = match line.as_str() {
                        "HELLO" => format!(
                            "%2\r\n$5\r\nproto\r\n:3\r\n$7\r\nversion\r\n${}\r\n{version}\r\n",
                            version.len()
                        ),
                        "CLIENT" => "+OK\r\n".to_owned(),
                        _ => continue,
                    };
                    writer.write_all(reply.as_bytes()).await.ok();
                }
            });
        }
    });
    url
}

#[tokio::test]
async fn a_server_that_is_too_old_is_refused() {
    Store::connect(&pretend("7.0.0").await)
        .await
        .expect("this one will do");
    let error = refused(&pretend("6.2.14").await).await;
    assert!(
        matches!(&error, Error::Unsupported { what } if what.contains("6.2.14")),
        "{error:?}"
    );
}

/// Everything once, with an event at the end.
async fn everything(people: &Repository<Person>) {
    let mut expired = people.expired().await.unwrap();
    let mut ann = Person {
        ttl: Some(60),
        tags: vec!["a".into()],
        ..Person::new("1", "Ann")
    };
    assert!(people.save(&mut ann).await.unwrap().created);
    let mut many: Vec<Person> = (2..500).map(|i| Person::new(&i.to_string(), "P")).collect();
    people.save_all(&mut many).time_to_live(MINUTE).await.unwrap();
    assert_eq!(people.find_by_id("1").await.unwrap(), Some(ann));
    assert_eq!(people.find_all_by_id(["2", "1", "none"]).await.unwrap().len(), 2);
    assert_eq!(people.find_all().await.unwrap().len(), 499);
    assert_eq!(people.count().await.unwrap(), 499);
    assert!(people.exists_by_id("1").await.unwrap() && !people.exists_by_id("none").await.unwrap());
    assert!(
        matches!(people.time_to_live("1").await.unwrap(), kvrepo::TimeToLive::In(left) if left <= MINUTE)
    );
    people
        .save(&mut Person::new("brief", "B"))
        .time_to_live(ms(30))
        .await
        .unwrap();
    let event = next(&mut expired).await;
    assert_eq!(
        (event.id().as_str(), event.value()),
        ("brief", Some(&Person::new("brief", "B")))
    );
    assert!(people.delete_by_id("1").await.unwrap());
    assert_eq!(people.sweep().await.unwrap(), kvrepo::Swept::default());
    assert_eq!(people.delete_all().await.unwrap(), 498);
}

#[tokio::test]
async fn resp2_does_everything() {
    let server = TestServer::start().await;
    let store = Store::connect(&format!("{}?protocol=resp2", server.url()))
        .await
        .unwrap();
    everything(&store.repository()).await;
}

#[tokio::test]
async fn a_unix_socket_a_password_and_another_database_do_everything() {
    let server = TestServer::with(
        ServerOptions::new()
            .unix_socket()
            .password("right4711")
            .database(3),
    )
    .await;
    let store = Store::connect(&server.unix_url().unwrap()).await.unwrap();
    everything(&store.repository()).await;
    let store = Store::connect(&server.url()).await.unwrap();
    everything(&store.repository()).await;
    assert_eq!(server.query::<u64, _>(&["EXISTS", "people#expired"]).await, 1);
}

/// A user whose rights end at a prefix can do everything there.
#[tokio::test]
async fn a_user_with_rights_to_a_prefix_alone_does_everything() {
    let server = TestServer::with(ServerOptions::new().user("ann on >right4711 ~ann:* &* +@all")).await;
    let builder = Store::builder().key_prefix("ann:");
    let store = builder.connect(&server.url_as("ann", "right4711")).await.unwrap();
    everything(&store.repository()).await;
}

/// An error of the server's is told as not executed, and is not tried over and over.
#[tokio::test]
async fn a_user_without_rights_is_told_at_once() {
    let server = TestServer::with(ServerOptions::new().user("ann on >right4711 ~other:* &* +@all")).await;
    let people = Store::connect(&server.url_as("ann", "right4711"))
        .await
        .unwrap()
        .repository::<Person>();
    let begun = Instant::now();
    let error = people.save(&mut Person::new("1", "Ann")).await.unwrap_err();
    assert!(
        matches!(error, Error::Backend { transient: false, .. }) && !error.is_outcome_unknown(),
        "{error:?}"
    );
    let error = people.find_by_id("1").await.unwrap_err();
    assert!(
        matches!(error, Error::Backend { transient: false, .. }),
        "{error:?}"
    );
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}

/// A server that is out of memory refuses, says so, and takes writes again when it has some.
#[tokio::test]
async fn a_server_out_of_memory_refuses_and_nothing_is_written() {
    let server = TestServer::start().await;
    let people = Store::connect(&server.url())
        .await
        .unwrap()
        .repository::<Person>();
    people.save(&mut Person::new("0", "Ann")).await.unwrap();
    server.command(&["CONFIG", "SET", "maxmemory", "1"]).await;
    let error = people
        .save(&mut Person::new("1", "Ann"))
        .time_to_live(MINUTE)
        .await
        .unwrap_err();
    assert!(error.is_transient() && !error.is_outcome_unknown(), "{error:?}");
    assert!(people.exists_by_id("0").await.unwrap());
    server.command(&["CONFIG", "SET", "maxmemory", "0"]).await;
    assert!(!server.query::<bool, _>(&["EXISTS", "people:1"]).await);
    eventually("a save", async || {
        people.save(&mut Person::new("1", "Ann")).await.is_ok()
    })
    .await;
}

/// Ending lives frees memory, so it must not need any.
#[tokio::test]
async fn a_server_out_of_memory_still_expires_and_deletes() {
    let server = TestServer::start().await;
    let people = Store::connect(&server.url())
        .await
        .unwrap()
        .repository::<Person>();
    let mut expired = people.expired().await.unwrap();
    people.save(&mut Person::new("0", "Ann")).await.unwrap();
    people
        .save(&mut Person::new("1", "Bo"))
        .time_to_live(ms(300))
        .await
        .unwrap();
    server.command(&["CONFIG", "SET", "maxmemory", "1"]).await;
    assert!(people.delete_by_id("0").await.unwrap());
    assert_eq!(next(&mut expired).await.value(), Some(&Person::new("1", "Bo")));
    assert_eq!(
        server
            .query::<u64, _>(&["EXISTS", "people", "people#deadlines", "people:1:phantom"])
            .await,
        0
    );
}
