//! Deleting.

use std::time::Duration;

use kvrepo::Error;

use crate::fixture::{Person, Session};
use crate::world::{World, nothing_before};

pub async fn a_delete_says_whether_there_was_something(world: &World) {
    let people = world.repository::<Person>().await;
    let mut ann = Person::new("1", "Ann");
    people.save(&mut ann).await.unwrap();
    assert!(people.delete(&ann).await.unwrap());
    assert!(!people.delete(&ann).await.unwrap());
    assert!(!people.delete_by_id("2").await.unwrap());
    assert_eq!(people.find_by_id("1").await.unwrap(), None);
    assert_eq!(people.count().await.unwrap(), 0);
}

pub async fn many_are_deleted_and_counted(world: &World) {
    let people = world.repository::<Person>().await;
    let mut many: Vec<Person> = (0..600).map(|i| Person::new(&i.to_string(), "P")).collect();
    people.save_all(&mut many).await.unwrap();
    let ids = (100..700).map(|i| i.to_string());
    assert_eq!(people.delete_all_by_id(ids).await.unwrap(), 500);
    assert_eq!(people.count().await.unwrap(), 100);
    let error = people.delete_all_by_id(["1", "", "2"]).await.unwrap_err();
    assert!(matches!(error, Error::Batch { total: 3, ref failures } if failures[0].index == 1));
    assert_eq!(people.count().await.unwrap(), 98);
}

pub async fn all_are_deleted_and_no_other_keyspace(world: &World) {
    let store = world.store().await;
    let (people, sessions) = (store.repository::<Person>(), store.repository::<Session>());
    let mut many: Vec<Person> = (0..1_200).map(|i| Person::new(&i.to_string(), "P")).collect();
    people
        .save_all(&mut many)
        .time_to_live(Duration::from_secs(60))
        .await
        .unwrap();
    sessions.save(&mut Session::new("1", "ann")).await.unwrap();
    assert_eq!(people.delete_all().await.unwrap(), 1_200);
    assert_eq!(people.count().await.unwrap(), 0);
    assert!(people.find_all().await.unwrap().is_empty());
    assert_eq!(people.delete_all().await.unwrap(), 0);
    assert_eq!(sessions.count().await.unwrap(), 1);
}

pub async fn an_entity_without_an_id_cannot_be_deleted(world: &World) {
    let people = world.repository::<Person>().await;
    let error = people.delete(&Person::default()).await.unwrap_err();
    assert!(
        matches!(error, Error::InvalidId { entity: "Person", .. }),
        "{error:?}"
    );
}

pub async fn a_deleted_entity_has_no_event(world: &World) {
    let people = world.repository::<Person>().await;
    let mut expired = people.expired().await.unwrap();
    people
        .save(&mut Person::new("1", "Ann"))
        .time_to_live(Duration::from_millis(40))
        .await
        .unwrap();
    assert!(people.delete_by_id("1").await.unwrap());
    nothing_before(world, &people, &mut expired, &mut Person::new("marker", "M")).await;
}
