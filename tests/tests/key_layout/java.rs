//! Data that a Java service wrote with Spring Data: read, expired and cleaned like our own.

use std::collections::BTreeSet;
use std::time::Duration;

use kvrepo_tests::harness::{ServerOptions, TestServer};
use kvrepo_tests::world::{World, next};

use super::{GRACE, Person, keys, of, quiet, residue, server};

/// What Spring Data writes for a person with an indexed `firstname`.
async fn java_saves(server: &TestServer, id: &str, firstname: &str, term: Option<u64>) {
    let (key, phantom) = (format!("people:{id}"), format!("people:{id}:phantom"));
    let index = format!("people:firstname:{firstname}");
    for copy in [&key, &phantom] {
        let class = "com.example.Person";
        let fields = [
            "HSET",
            copy,
            "_class",
            class,
            "id",
            id,
            "firstname",
            firstname,
            "alive",
            "true",
        ];
        server.command(&fields).await;
    }
    server.command(&["SADD", "people", id]).await;
    server.command(&["SADD", &index, id]).await;
    server.command(&["SADD", &format!("{key}:idx"), &index]).await;
    match term {
        Some(term) => {
            server
                .command(&["PEXPIRE", &phantom, &(term + GRACE).to_string()])
                .await;
            server.command(&["PEXPIRE", &key, &term.to_string()]).await;
        }
        None => drop(server.command(&["DEL", &phantom]).await),
    }
}

fn java_person(id: &str, firstname: &str) -> Person {
    Person {
        alive: true,
        ..Person::new(id, firstname)
    }
}

/// C14: `_class` decides nothing.
#[tokio::test]
async fn what_a_java_service_wrote_is_read() {
    let (world, people) = quiet().await;
    let server = server(&world);
    java_saves(server, "1", "Rand", None).await;
    java_saves(server, "2", "Mat", Some(60_000)).await;
    assert_eq!(
        people.find_by_id("1").await.unwrap(),
        Some(java_person("1", "Rand"))
    );
    let mat = people.find_by_id("2").await.unwrap().unwrap();
    assert_eq!((mat.firstname.as_str(), mat.ttl), ("Mat", Some(60)));
    server.command(&["HDEL", "people:1", "_class"]).await;
    assert_eq!(people.find_all().await.unwrap().len(), 2);
    assert_eq!(people.count().await.unwrap(), 2);
}

#[tokio::test]
async fn what_a_java_service_wrote_expires_with_its_phantoms_value_and_is_cleaned() {
    let world = World::on(ServerOptions::new().hz(100)).await;
    let server = server(&world);
    let people = world.repository::<Person>().await;
    let mut expired = people.expired().await.unwrap();
    java_saves(server, "1", "Rand", Some(50)).await;
    let event = next(&mut expired).await;
    assert_eq!(event.value(), Some(&java_person("1", "Rand")));
    assert_eq!(residue(server).await, Vec::<String>::new());
}

/// Where nobody listened, a sweep finds what a Java service wrote and let expire.
#[tokio::test]
async fn a_sweep_reaps_what_a_java_service_wrote() {
    let (world, people) = quiet().await;
    let server = server(&world);
    java_saves(server, "1", "Rand", Some(20)).await;
    java_saves(server, "2", "Mat", None).await;
    world.pass(Duration::from_millis(25)).await;
    let swept = people.sweep().await.unwrap();
    assert_eq!(
        server.query::<u64, _>(&["XLEN", "people#expired"]).await,
        1,
        "{swept:?}"
    );
    assert_eq!((swept.expired, swept.repaired), (1, 0));
    assert_eq!(people.sweep().await.unwrap(), kvrepo::Swept::default());
    let left = ["people", "people:2", "people:2:idx", "people:firstname:Mat"];
    assert_eq!(residue(server).await, left);
}

#[tokio::test]
async fn a_java_services_index_entries_go_with_a_delete_and_only_those_of_the_entity() {
    let (world, people) = quiet().await;
    let server = server(&world);
    for id in ["1", "2"] {
        java_saves(server, id, "Rand", Some(60_000)).await;
        server
            .command(&["GEOADD", "people:address:location", "13.3", "38.1", id])
            .await;
        server
            .command(&["SADD", &format!("people:{id}:idx"), "people:address:location"])
            .await;
    }
    assert!(people.delete_by_id("1").await.unwrap());
    assert_eq!(
        server
            .query::<Vec<String>, _>(&["SMEMBERS", "people:firstname:Rand"])
            .await,
        ["2"]
    );
    assert_eq!(
        server
            .query::<Vec<String>, _>(&["ZRANGE", "people:address:location", "0", "-1"])
            .await,
        ["2"]
    );
    let left: BTreeSet<String> = keys(server).await.into_keys().collect();
    let expected = [
        "people",
        "people:2",
        "people:2:idx",
        "people:2:phantom",
        "people:address:location",
        "people:firstname:Rand",
    ];
    assert_eq!(left, expected.map(str::to_owned).into());
    assert!(people.delete_by_id("2").await.unwrap());
    assert_eq!(keys(server).await, of(&[]));
}

/// C60 turned round: whoever saves last decides the index entries, and we keep none of these.
#[tokio::test]
async fn saving_over_a_java_services_entity_takes_its_index_entries_away() {
    let (world, people) = quiet().await;
    let server = server(&world);
    java_saves(server, "1", "Rand", Some(60_000)).await;
    let outcome = people.save(&mut Person::new("1", "Mat")).await.unwrap();
    assert!(!outcome.created);
    assert_eq!(keys(server).await, of(&[("people", "set"), ("people:1", "hash")]));
    // And over one that has expired unseen: its event is kept.
    java_saves(server, "2", "Egwene", Some(5)).await;
    world.pass(Duration::from_millis(10)).await;
    let outcome = people.save(&mut Person::new("2", "Nynaeve")).await.unwrap();
    assert!(outcome.created);
    assert_eq!(server.query::<u64, _>(&["XLEN", "people#expired"]).await, 1);
    assert_eq!(residue(server).await, ["people", "people:1", "people:2"]);
}
