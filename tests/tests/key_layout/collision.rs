//! C66: keys and ids that collide with the layout.

use std::time::Duration;

use kvrepo::Error;
use kvrepo_tests::fixture::Person as Fixture;
use kvrepo_tests::harness::ServerOptions;
use kvrepo_tests::world::{World, nothing_before};

use super::{MINUTE, Person, keys, of, quiet, rand, residue, server};

/// C66: refused, by a typed error, with nothing written.
#[tokio::test]
async fn a_foreign_value_at_a_key_of_the_entity_refuses_the_save() {
    for foreign in [
        "people",
        "people:1",
        "people:1:phantom",
        "people:1:idx",
        "people#deadlines",
    ] {
        let (world, people) = quiet().await;
        let server = server(&world);
        server.command(&["SET", foreign, "foreign"]).await;
        let refused = people.save(&mut rand()).time_to_live(MINUTE).await;
        assert!(
            matches!(refused, Err(Error::KeyCollision { .. })),
            "{foreign}: {refused:?}"
        );
        assert!(!refused.unwrap_err().is_outcome_unknown(), "{foreign}");
        assert_eq!(
            keys(server).await,
            of(&[(foreign, "string")]),
            "{foreign}: something was written"
        );
        let batch = people
            .save_all(&mut [rand(), Person::new("2", "Mat")])
            .time_to_live(MINUTE)
            .await;
        let Err(Error::Batch { failures, .. }) = batch else {
            panic!("{foreign}: {batch:?}")
        };
        assert!(
            matches!(failures[0].error, Error::KeyCollision { .. }),
            "{foreign}: {failures:?}"
        );
        assert_eq!(server.query::<String, _>(&["GET", foreign]).await, "foreign");
    }
}

#[tokio::test]
async fn a_foreign_value_over_an_expired_life_refuses_the_save_and_its_event_is_not_written_twice() {
    for foreign in ["people:1:idx", "people#expired"] {
        let (world, people) = quiet().await;
        let server = server(&world);
        people
            .save(&mut rand())
            .time_to_live(Duration::from_millis(5))
            .await
            .unwrap();
        server.command(&["SET", foreign, "foreign"]).await;
        world.pass(Duration::from_millis(10)).await;
        let before = keys(server).await;
        let refused = people.save(&mut rand()).await;
        assert!(
            matches!(refused, Err(Error::KeyCollision { .. })),
            "{foreign}: {refused:?}"
        );
        assert_eq!(keys(server).await, before, "{foreign}: something was written");
    }
}

/// No call lets the server's own word for it out, and none writes anything.
#[tokio::test]
async fn every_call_names_a_collision_as_what_it_is() {
    for foreign in ["people", "people:1"] {
        let (world, people) = quiet().await;
        let server = server(&world);
        if foreign == "people" {
            server
                .command(&["HSET", "people:1", "id", "1", "firstname", "Rand", "alive", "1"])
                .await;
        }
        server.command(&["SET", foreign, "foreign"]).await;
        let before = keys(server).await;
        let mut refused = vec![("delete", people.delete_by_id("1").await.map(drop))];
        if foreign == "people" {
            refused.push(("find_all", people.find_all().await.map(drop)));
            refused.push(("count", people.count().await.map(drop)));
            refused.push(("delete_all", people.delete_all().await.map(drop)));
            refused.push(("sweep", people.sweep().await.map(drop)));
        } else {
            refused.push(("find_by_id", people.find_by_id("1").await.map(drop)));
            refused.push(("find_all_by_id", people.find_all_by_id(["1"]).await.map(drop)));
        }
        for (call, result) in refused {
            assert!(
                matches!(result, Err(Error::KeyCollision { .. })),
                "{call} with {foreign}: {result:?}"
            );
        }
        assert_eq!(keys(server).await, before, "{foreign}");
        for id in ["2", "3"] {
            assert!(!people.delete_by_id(id).await.is_ok_and(|there| there));
        }
    }
}

/// C66: ids that are names of the layout.
#[tokio::test]
async fn an_id_that_would_be_a_helpers_key_is_refused_with_nothing_written() {
    let (world, people) = quiet().await;
    for id in ["", "1:idx", "1:phantom", ":phantom"] {
        let refused = people
            .save(&mut Person::new(id, "Rand"))
            .time_to_live(MINUTE)
            .await;
        assert!(
            matches!(refused, Err(Error::InvalidId { .. })),
            "{id}: {refused:?}"
        );
    }
    assert_eq!(keys(server(&world)).await, of(&[]));
    // These only look like it.
    for id in ["idx", "phantom", "phantom:1", "people", "#expired"] {
        people
            .save(&mut Person::new(id, "Rand"))
            .time_to_live(MINUTE)
            .await
            .unwrap();
        assert!(people.delete_by_id(id).await.unwrap(), "{id}");
    }
    assert_eq!(keys(server(&world)).await, of(&[]));
}

/// A key in the keyspace that is no entity is nobody's event and nobody's to clean.
#[tokio::test]
async fn a_foreign_key_inside_the_keyspace_expires_unheard() {
    let world = World::on(ServerOptions::new().hz(100)).await;
    let people = world.repository::<Fixture>().await;
    let mut expired = people.expired().await.unwrap();
    let server = server(&world);
    server.command(&["SET", "people:cache:9", "x", "PX", "5"]).await;
    server
        .command(&["SADD", "people:cache:idx", "people:other"])
        .await;
    server.command(&["PEXPIRE", "people:cache:idx", "5"]).await;
    server.command(&["SADD", "people:other", "cache"]).await;
    nothing_before(&world, &people, &mut expired, &mut Fixture::new("marker", "M")).await;
    assert_eq!(residue(server).await, ["people:other"]);
}
