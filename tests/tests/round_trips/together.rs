//! What callers ask at the same moment: sent as one, each with an outcome of its own.

use std::future::IntoFuture;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{join, join_all};
use kvrepo::{Error, KeyspaceEvents, KvEntity, Repository, Store};
use kvrepo_tests::fixture::{Person, Session};
use kvrepo_tests::harness::{Monitor, TestServer};
use kvrepo_tests::world::eventually;
use serde::{Deserialize, Serialize};

use super::{MINUTE, counted, people};

/// How many are sent as one at most.
const TOGETHER: usize = 16;

#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "counters")]
struct Counter {
    #[id]
    id: usize,
    #[version]
    version: u64,
}

#[tokio::test]
async fn what_is_asked_at_one_moment_is_sent_as_one() {
    let (server, proxy, store) = counted().await;
    let repository: Repository<Person> = store.repository();
    let mut many = people(2 * TOGETHER + 9);
    repository.save_all(&mut many[..TOGETHER]).await.unwrap();
    let monitor = Monitor::start(&server).await;

    let outcomes = join_all(
        many.iter_mut()
            .map(|person| repository.save(person).into_future()),
    )
    .await;
    // The first does not wait, the others are sent sixteen at a time.
    assert_eq!(monitor.commands().await.by_clients().verbs(), ["EVALSHA"; 4]);
    for (i, outcome) in outcomes.into_iter().enumerate() {
        assert_eq!(outcome.unwrap().created, i >= TOGETHER, "{i}");
    }

    monitor.clear().await;
    let before = proxy.counts().round_trips;
    proxy.delay(Duration::from_millis(20));
    let found = join_all(
        many.iter()
            .map(|person| repository.find_by_id(person.id.as_deref().unwrap())),
    )
    .await;
    assert_eq!(
        monitor.commands().await.by_clients().of("HGETALL").len(),
        many.len()
    );
    assert!(proxy.counts().round_trips - before <= 4);
    for (person, found) in many.iter().zip(found) {
        assert_eq!(found.unwrap().as_ref(), Some(person));
    }

    repository.delete_by_id("0").await.unwrap();
    monitor.clear().await;
    let ids = (0..many.len()).map(|i| i.to_string());
    let deleted = join_all(ids.map(|id| repository.delete_by_id(id).into_future())).await;
    assert_eq!(monitor.commands().await.by_clients().verbs(), ["EVALSHA"; 4]);
    for (i, deleted) in deleted.into_iter().enumerate() {
        assert_eq!(deleted.unwrap(), i > 0, "{i}");
    }
    assert_eq!(server.query::<Vec<String>, _>(&["KEYS", "*"]).await, [""; 0]);
}

/// What has expired and was not reaped has its event, and what is somebody else's is refused; the others go.
#[tokio::test]
async fn deletes_of_one_moment_are_each_what_they_would_be_alone() {
    let (server, _proxy, store) = counted().await;
    let sessions: Repository<Session> = store.repository();
    let mut many: Vec<Session> = (0..6).map(|i| Session::new(&i.to_string(), "ann")).collect();
    sessions.save_all(&mut many).await.unwrap();
    let save = sessions.save(&mut many[1]).time_to_live(Duration::from_millis(1));
    save.await.unwrap();
    eventually("it has expired", async || {
        !sessions.exists_by_id("1").await.unwrap()
    })
    .await;
    server.command(&["DEL", "sessions:2"]).await;
    server.command(&["SET", "sessions:2", "theirs"]).await;
    let ids = ["0", "1", "2", "3"];
    let deleted = join_all(ids.map(|id| sessions.delete_by_id(id).into_future())).await;
    let [Ok(true), Ok(false), Err(Error::KeyCollision { .. }), Ok(true)] = deleted[..] else {
        panic!("{deleted:?}")
    };
    let error = sessions.delete_all_by_id(["2", "3", "4", "5"]).await.unwrap_err();
    let Error::Batch { failures, total: 4 } = error else {
        panic!("{error:?}")
    };
    let [failure] = &failures[..] else {
        panic!("{failures:?}")
    };
    assert!(matches!(failure.error, Error::KeyCollision { .. }), "{failure:?}");
    assert_eq!(server.query::<usize, _>(&["XLEN", "sessions#expired"]).await, 1);
    server.command(&["DEL", "sessions:2"]).await;
    assert!(sessions.find_all().await.unwrap().is_empty());
}

#[tokio::test]
async fn each_of_one_moment_is_told_what_became_of_its_own() {
    let (server, _proxy, store) = counted().await;
    let counters: Repository<Counter> = store.repository();
    let sessions: Repository<Session> = store.repository();
    let mut counted: Vec<Counter> = (0..TOGETHER).map(|id| Counter { id, version: 0 }).collect();
    counters.save_all(&mut counted[..4]).await.unwrap();
    // Somebody else's, and what has expired and nobody has reaped.
    server.command(&["SET", "counters:5", "theirs"]).await;
    let mut expired = Session::new("old", "ann");
    let save = sessions.save(&mut expired).time_to_live(Duration::from_millis(1));
    save.await.unwrap();
    eventually("it has expired", async || {
        !sessions.exists_by_id("old").await.unwrap()
    })
    .await;
    for counter in &mut counted[..2] {
        counter.version = 7;
    }

    let (mut again, mut another) = (Session::new("old", "bo"), Session::new("new", "cy"));
    let saves = join_all(
        counted
            .iter_mut()
            .map(|counter| counters.save(counter).into_future()),
    );
    let others = join(
        sessions.save(&mut again).time_to_live(MINUTE).into_future(),
        sessions.insert(&mut another).into_future(),
    );
    let (saved, others) = join(saves, others).await;
    for (i, saved) in saved.into_iter().enumerate() {
        match (i, saved) {
            (0..2, Err(Error::VersionConflict { .. })) | (5, Err(Error::KeyCollision { .. })) => {}
            (2..4, Ok(saved)) => assert!(!saved.created, "{i}"),
            (4 | 6.., Ok(saved)) => assert!(saved.created, "{i}"),
            (i, saved) => panic!("{i}: {saved:?}"),
        }
    }
    let versions: Vec<u64> = counted.iter().map(|counter| counter.version).collect();
    assert_eq!(versions[..7], [7, 7, 2, 2, 1, 0, 1]);
    assert!(others.0.unwrap().created && others.1.unwrap().created);
    let log: usize = server.query(&["XLEN", "sessions#expired"]).await;
    assert_eq!(log, 1, "the earlier life has its event");
}

#[tokio::test]
async fn who_gives_up_before_anything_was_sent_saves_nothing() {
    let (_server, _proxy, store) = counted().await;
    let repository: Repository<Person> = store.repository();
    let [mut ann, mut bo, mut cy] =
        [("1", "Ann"), ("2", "Bo"), ("3", "Cy")].map(|(id, name)| Person::new(id, name));
    let mut under_way = repository.save(&mut bo).into_future();
    assert!((&mut under_way).now_or_never().is_none());
    let given_up = repository.save(&mut ann).into_future().now_or_never();
    assert!(given_up.is_none(), "it would have been sent with others");
    under_way.await.unwrap();
    repository.save(&mut cy).await.unwrap();
    let found = repository.find_all_by_id(["1", "2", "3"]).await.unwrap();
    assert_eq!(found, [bo, cy]);
}

#[tokio::test]
async fn who_gives_up_among_others_gives_up_alone() {
    let (_server, _proxy, store) = counted().await;
    let repository: Repository<Person> = store.repository();
    let mut many = people(TOGETHER);
    let (first, others) = many.split_first_mut().unwrap();
    let mut saves: Vec<_> = others
        .iter_mut()
        .map(|person| repository.save(person).into_future())
        .collect();
    let mut given_up = repository.save(first).into_future();
    assert!((&mut given_up).now_or_never().is_none());
    assert!(saves.iter_mut().all(|save| save.now_or_never().is_none()));
    drop(given_up);
    for saved in join_all(saves).await {
        assert!(saved.unwrap().created);
    }
    assert!(repository.count().await.unwrap() >= TOGETHER as u64 - 1);
}

/// A user may be allowed some ids and not others; nobody else in the same call is the worse for it.
#[tokio::test]
async fn what_one_is_denied_is_denied_to_no_other() {
    let server = TestServer::start().await;
    let rights = ["~people", "~people#*", "~people:1*", "~people:3*", "&*", "+@all"];
    let user = [["ACL", "SETUSER", "few", "on", ">secret"].as_slice(), &rights].concat();
    server.command(&user).await;
    let url = server.url().replacen("://", "://few:secret@", 1);
    let store = Store::builder()
        .events(KeyspaceEvents::Off)
        .connect(&url)
        .await
        .unwrap();
    let repository: Repository<Person> = store.repository();
    let mut many = [("1", "Ann"), ("2", "Bo"), ("3", "Cy")].map(|(id, name)| Person::new(id, name));
    let denied = |error: Error| {
        let Error::Batch { failures, total: 3 } = error else {
            panic!("{error:?}")
        };
        assert_eq!(
            failures.iter().map(|failure| failure.index).collect::<Vec<_>>(),
            [1]
        );
    };
    denied(repository.save_all(&mut many).await.unwrap_err());
    assert_eq!(repository.find_all_by_id(["1", "3"]).await.unwrap().len(), 2);
    denied(repository.delete_all_by_id(["1", "2", "3"]).await.unwrap_err());
    assert_eq!(server.query::<usize, _>(&["DBSIZE"]).await, 0);
}
