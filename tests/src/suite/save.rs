//! Saving.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use kvrepo::{Error, TimeToLive};

use crate::fixture::{Address, Person, Session};
use crate::world::World;

pub async fn what_was_saved_is_found_again(world: &World) {
    let people = world.repository::<Person>().await;
    let mut ann = Person::new("1", "Ann");
    ann.nick = Some("O'Dell  Åse 海\n\"q\" \\ :[x].y".into());
    ann.tags = vec!["a".into(), String::new(), "c".into()];
    ann.address = Some(Address {
        city: "Low Quay".into(),
        zip: None,
    });
    ann.attributes.insert("eye-color".into(), "grey".into());
    ann.attributes.insert("a.b [c]".into(), "odd".into());
    people.save(&mut ann).await.unwrap();
    assert_eq!(people.find_by_id("1").await.unwrap(), Some(ann));
}

pub async fn a_save_replaces_the_whole_entity(world: &World) {
    let people = world.repository::<Person>().await;
    let mut ann = Person::new("1", "Ann");
    ann.tags = vec!["a".into(), "b".into()];
    ann.nick = Some("x".into());
    people.save(&mut ann).await.unwrap();
    let mut bare = Person::new("1", "Anna");
    people.save(&mut bare).await.unwrap();
    assert_eq!(people.find_by_id("1").await.unwrap(), Some(bare));
    assert_eq!(people.count().await.unwrap(), 1);
}

pub async fn a_save_says_whether_the_entity_is_new_and_when_it_expires(world: &World) {
    let people = world.repository::<Person>().await;
    let mut ann = Person::new("1", "Ann");
    let first = people.save(&mut ann).await.unwrap();
    assert!(first.created && first.deadline.is_none());
    let before = world.now().await;
    let again = people
        .save(&mut ann)
        .time_to_live(Duration::from_secs(60))
        .await
        .unwrap();
    let deadline = again
        .deadline
        .unwrap()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap()
        .as_millis() as u64;
    assert!(!again.created);
    assert!((before + 60_000..=world.now().await + 60_000).contains(&deadline));
}

pub async fn an_id_is_generated_where_there_is_none(world: &World) {
    let people = world.repository::<Person>().await;
    let mut ids = HashSet::new();
    for _ in 0..20 {
        let mut person = Person {
            firstname: "Ann".into(),
            ..Person::default()
        };
        people.save(&mut person).await.unwrap();
        let id = person.id.expect("an id was set");
        assert_eq!(uuid::Uuid::parse_str(&id).unwrap().get_version_num(), 7);
        assert_eq!(
            people.find_by_id(&id).await.unwrap().unwrap().id.as_ref(),
            Some(&id)
        );
        assert!(ids.insert(id));
    }
    assert_eq!(people.count().await.unwrap(), 20);
}

pub async fn many_are_saved_and_each_says_how_it_went(world: &World) {
    let people = world.repository::<Person>().await;
    people.save(&mut Person::new("7", "Old")).await.unwrap();
    let mut many: Vec<Person> = (0..2_500)
        .map(|i| Person::new(&i.to_string(), &format!("P{i}")))
        .collect();
    let outcomes = people
        .save_all(&mut many)
        .time_to_live(Duration::from_secs(60))
        .await
        .unwrap();
    assert_eq!(outcomes.len(), 2_500);
    assert!(
        outcomes
            .iter()
            .enumerate()
            .all(|(i, outcome)| outcome.created == (i != 7))
    );
    assert_eq!(people.count().await.unwrap(), 2_500);
    assert_eq!(
        people.find_by_id("2499").await.unwrap().unwrap().firstname,
        "P2499"
    );
    assert!(matches!(
        people.time_to_live("0").await.unwrap(),
        TimeToLive::In(_)
    ));
}

pub async fn one_bad_item_does_not_sink_the_rest(world: &World) {
    let people = world.repository::<Person>().await;
    let mut many = vec![
        Person::new("1", "Ann"),
        Person::new("", "Nobody"),
        Person::new("3", "Cy"),
    ];
    many.push(Person {
        ttl: Some(0),
        ..Person::new("4", "Di")
    });
    let error = people.save_all(&mut many).await.unwrap_err();
    let Error::Batch { total: 4, failures } = error else {
        panic!("{error:?}")
    };
    assert_eq!(
        failures.iter().map(|failure| failure.index).collect::<Vec<_>>(),
        [1, 3]
    );
    assert!(matches!(failures[0].error, Error::InvalidId { .. }));
    assert!(matches!(failures[1].error, Error::InvalidTimeToLive { .. }));
    assert_eq!(people.count().await.unwrap(), 2);
}

pub async fn an_empty_batch_is_nothing(world: &World) {
    let people = world.repository::<Person>().await;
    assert!(people.save_all(&mut []).await.unwrap().is_empty());
    assert!(
        people
            .find_all_by_id(Vec::<String>::new())
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(people.delete_all_by_id(Vec::<String>::new()).await.unwrap(), 0);
    assert_eq!(people.count().await.unwrap(), 0);
}

/// C81: 100,000 rounds of a writer beside readers.
pub async fn a_reader_never_sees_an_entity_missing_or_mixed(world: &World) {
    const ROUNDS: usize = 100_000;
    let sessions = world.repository::<Session>().await;
    let session = |i: usize| Session::new("1", &format!("user {i} {}", "x".repeat(i % 7)));
    sessions.save(&mut session(0)).await.unwrap();
    let writing = Arc::new(AtomicBool::new(true));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (sessions, writing) = (sessions.clone(), Arc::clone(&writing));
            tokio::spawn(async move {
                while writing.load(Ordering::Relaxed) {
                    let found = sessions
                        .find_by_id("1")
                        .await
                        .unwrap()
                        .expect("the entity is there");
                    let number: usize = found.user.split(' ').nth(1).unwrap().parse().unwrap();
                    assert_eq!(found.user, format!("user {number} {}", "x".repeat(number % 7)));
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    // In batches, so that a hundred thousand rounds take seconds: each save is a step of its own all the same.
    for from in (0..ROUNDS).step_by(500) {
        let mut batch: Vec<Session> = (from..from + 500).map(session).collect();
        sessions.save_all(&mut batch).await.unwrap();
    }
    writing.store(false, Ordering::Relaxed);
    for reader in readers {
        reader.await.unwrap();
    }
}

/// C64.
pub async fn a_save_that_races_with_a_delete_leaves_all_or_nothing(world: &World) {
    let people = world.repository::<Person>().await;
    for round in 0..200 {
        let (saving, deleting) = (people.clone(), people.clone());
        let save = tokio::spawn(async move { saving.save(&mut Person::new("1", "Ann")).await.unwrap() });
        let delete = tokio::spawn(async move { deleting.delete_by_id("1").await.unwrap() });
        save.await.unwrap();
        delete.await.unwrap();
        let there = people.exists_by_id("1").await.unwrap();
        assert_eq!(people.count().await.unwrap(), u64::from(there), "round {round}");
        assert_eq!(
            people.find_all().await.unwrap().len(),
            usize::from(there),
            "round {round}"
        );
    }
}
