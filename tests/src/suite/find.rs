//! Finding.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::TryStreamExt;
use kvrepo::{Error, KvEntity};
use serde::{Deserialize, Serialize};

use crate::fixture::Person;
use crate::world::World;

pub async fn what_is_not_there_is_none(world: &World) {
    let people = world.repository::<Person>().await;
    assert_eq!(people.find_by_id("1").await.unwrap(), None);
    assert!(!people.exists_by_id("1").await.unwrap());
    assert!(people.find_all().await.unwrap().is_empty());
}

pub async fn many_are_found_in_the_order_asked_for(world: &World) {
    let people = world.repository::<Person>().await;
    let mut many: Vec<Person> = (0..700).map(|i| Person::new(&i.to_string(), "P")).collect();
    people.save_all(&mut many).await.unwrap();
    let found = people.find_all_by_id(["3", "gone", "1", "3"]).await.unwrap();
    assert_eq!(
        found.iter().map(|p| p.id.as_deref().unwrap()).collect::<Vec<_>>(),
        ["3", "1", "3"]
    );
    let backwards: Vec<String> = (0..700).rev().map(|i| i.to_string()).collect();
    let found = people.find_all_by_id(&backwards).await.unwrap();
    assert_eq!(
        found.iter().map(|p| p.id.clone().unwrap()).collect::<Vec<_>>(),
        backwards
    );
}

pub async fn all_are_found_each_once(world: &World) {
    let people = world.repository::<Person>().await;
    let mut many: Vec<Person> = (0..1_500).map(|i| Person::new(&i.to_string(), "P")).collect();
    people.save_all(&mut many).await.unwrap();
    people
        .save(&mut Person::new("short", "S"))
        .time_to_live(Duration::from_millis(5))
        .await
        .unwrap();
    world.pass(Duration::from_millis(10)).await;
    let all = people.find_all().await.unwrap();
    assert_eq!(all.len(), 1_500);
    let ids: BTreeSet<_> = all.into_iter().map(|person| person.id).collect();
    assert_eq!(ids.len(), 1_500);
}

pub async fn all_are_streamed(world: &World) {
    let people = world.repository::<Person>().await;
    let mut many: Vec<Person> = (0..1_500).map(|i| Person::new(&i.to_string(), "P")).collect();
    people.save_all(&mut many).await.unwrap();
    let streamed: BTreeSet<String> = people
        .find_all()
        .stream()
        .map_ok(|p| p.id.unwrap())
        .try_collect()
        .await
        .unwrap();
    assert_eq!(streamed.len(), 1_500);
}

pub async fn count_and_exists_agree_with_find(world: &World) {
    let people = world.repository::<Person>().await;
    for id in 0..10 {
        let term = Duration::from_millis(if id % 2 == 0 { 20 } else { 60_000 });
        people
            .save(&mut Person::new(&id.to_string(), "P"))
            .time_to_live(term)
            .await
            .unwrap();
    }
    world.pass(Duration::from_millis(30)).await;
    assert_eq!(people.count().await.unwrap(), 5);
    for id in 0..10 {
        let alive = id % 2 == 1;
        assert_eq!(people.exists_by_id(id.to_string()).await.unwrap(), alive);
        assert_eq!(people.find_by_id(id.to_string()).await.unwrap().is_some(), alive);
    }
}

/// Another version of the type, whose field has become a number.
#[derive(Debug, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "people")]
struct Numbered {
    #[id]
    id: String,
    firstname: u32,
}

pub async fn what_cannot_be_decoded_says_where_and_not_what(world: &World) {
    let store = world.store().await;
    store
        .repository::<Person>()
        .save(&mut Person::new("1", "sentinel-secret"))
        .await
        .unwrap();
    let error = store.repository::<Numbered>().find_by_id("1").await.unwrap_err();
    let Error::Decode { entity, path, reason } = &error else {
        panic!("{error:?}")
    };
    assert_eq!((*entity, path.as_str()), ("Numbered", "firstname"));
    assert!(reason.contains("u32"), "{reason}");
    assert!(!format!("{error} {error:?}").contains("sentinel-secret"));
}
