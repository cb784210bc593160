//! Optimistic locking.

use std::time::Duration;

use futures_util::future::join_all;
use kvrepo::{Error, KvEntity, Repository};
use serde::{Deserialize, Serialize};

use crate::world::World;

const MINUTE: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "accounts")]
struct Account {
    #[id]
    id: String,
    balance: i64,
    note: Option<String>,
    #[version]
    version: u64,
}

impl Account {
    fn new(id: &str, balance: i64) -> Self {
        Self {
            id: id.into(),
            balance,
            ..Self::default()
        }
    }
}

fn is_conflict<T: std::fmt::Debug>(result: &kvrepo::Result<T>) -> bool {
    match result {
        Err(error @ Error::VersionConflict { keyspace, id }) => {
            assert!(
                error.is_conflict() && keyspace == "accounts" && id == "1",
                "{error}"
            );
            true
        }
        _ => false,
    }
}

async fn stored(accounts: &Repository<Account>) -> Account {
    accounts.find_by_id("1").await.unwrap().unwrap()
}

/// C84: two loads, two saves.
pub async fn the_second_of_two_who_loaded_the_same_is_refused(world: &World) {
    let accounts = world.repository::<Account>().await;
    let mut new = Account::new("1", 10);
    accounts.save(&mut new).await.unwrap();
    assert_eq!(new.version, 1);
    let (mut ann, mut bo) = (stored(&accounts).await, stored(&accounts).await);
    ann.balance += 5;
    accounts.save(&mut ann).await.unwrap();
    assert_eq!(ann.version, 2);
    bo.balance -= 5;
    let refused = accounts.save(&mut bo).await;
    assert!(is_conflict(&refused), "{refused:?}");
    assert_eq!(bo.version, 1, "it is as it was");
    assert_eq!(stored(&accounts).await, ann);
    // Loaded again, it succeeds.
    let mut bo = stored(&accounts).await;
    bo.balance -= 5;
    accounts.save(&mut bo).await.unwrap();
    assert_eq!(
        stored(&accounts).await,
        Account {
            balance: 10,
            version: 3,
            ..Account::new("1", 0)
        }
    );
    assert_eq!(accounts.entry("1").await.unwrap().unwrap().version, Some(3));
}

/// Version 0 is that of what is not there: never saved, deleted, or expired.
pub async fn a_new_entity_does_not_replace_one_that_is_there(world: &World) {
    let accounts = world.repository::<Account>().await;
    accounts.save(&mut Account::new("1", 10)).await.unwrap();
    let refused = accounts.save(&mut Account::new("1", 20)).await;
    assert!(is_conflict(&refused), "{refused:?}");
    let refused = accounts.insert(&mut Account::new("1", 20)).await;
    assert!(matches!(refused, Err(Error::AlreadyExists { .. })), "{refused:?}");
    assert_eq!(stored(&accounts).await.balance, 10);
    accounts.expire("1", Duration::from_millis(20)).await.unwrap();
    world.pass(Duration::from_millis(22)).await;
    // One that was there is not brought back by who still holds it.
    let refused = accounts
        .save(&mut Account {
            version: 1,
            ..Account::new("1", 30)
        })
        .await;
    assert!(is_conflict(&refused), "{refused:?}");
    assert!(!accounts.exists_by_id("1").await.unwrap());
    let mut again = Account {
        version: 7,
        ..Account::new("1", 40)
    };
    accounts.insert(&mut again).await.unwrap();
    assert_eq!(again.version, 1, "an insertion begins anew");
}

/// Also after expiry, which is another version than any.
pub async fn a_version_can_be_demanded_by_the_call(world: &World) {
    let accounts = world.repository::<Account>().await;
    let mut account = Account::new("1", 10);
    accounts.save(&mut account).await.unwrap();
    let fields = Account::fields();

    // Whatever version the entity itself has.
    let mut edited = Account {
        version: 99,
        ..Account::new("1", 20)
    };
    assert!(is_conflict(&accounts.save(&mut edited).await));
    accounts.save(&mut edited).if_version(1).await.unwrap();
    assert_eq!(edited.version, 2);
    assert!(is_conflict(&accounts.save(&mut edited).if_version(1).await));
    assert!(is_conflict(
        &accounts.update("1").set(fields.balance, 0).if_version(1).await
    ));
    assert!(
        accounts
            .update("1")
            .set(fields.balance, 30)
            .if_version(2)
            .await
            .unwrap()
    );
    assert!(is_conflict(
        &accounts.update("1").persistent().if_version(2).await
    ));
    assert!(
        accounts
            .update("1")
            .time_to_live(MINUTE)
            .if_version(3)
            .await
            .unwrap(),
        "a term is no change"
    );
    assert!(is_conflict(&accounts.delete_by_id("1").if_version(2).await));
    assert_eq!(
        stored(&accounts).await,
        Account {
            balance: 30,
            version: 3,
            ..Account::new("1", 0)
        }
    );

    accounts.expire("1", Duration::from_millis(20)).await.unwrap();
    world.pass(Duration::from_millis(22)).await;
    assert!(is_conflict(&accounts.save(&mut edited).if_version(3).await));
    assert!(is_conflict(
        &accounts.update("1").set(fields.balance, 0).if_version(3).await
    ));
    assert!(is_conflict(&accounts.delete_by_id("1").if_version(3).await));
    assert!(!accounts.exists_by_id("1").await.unwrap());
    accounts.save(&mut edited).if_version(0).await.unwrap();
    assert_eq!(edited.version, 1);
    assert!(accounts.delete_by_id("1").if_version(1).await.unwrap());
    assert_eq!(accounts.count().await.unwrap(), 0);
}

/// Or who loaded it before would undo it.
pub async fn an_update_is_a_new_version(world: &World) {
    let accounts = world.repository::<Account>().await;
    let mut account = Account::new("1", 10);
    accounts.save(&mut account).await.unwrap();
    let fields = Account::fields();
    accounts
        .update("1")
        .increment(fields.balance, 5)
        .set(fields.note, Some("x".into()))
        .await
        .unwrap();
    assert_eq!(stored(&accounts).await.version, 2);
    assert!(is_conflict(&accounts.save(&mut account).await));
    let mut changed = accounts
        .update_with("1", |account| account.balance += 1)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((changed.balance, changed.version), (16, 3));
    accounts.save(&mut changed).await.unwrap();
    assert_eq!(stored(&accounts).await, changed);
    assert!(accounts.expire("1", MINUTE).await.unwrap());
    assert_eq!(stored(&accounts).await.version, 4, "a term is no change");
}

pub async fn each_of_many_has_its_own_version(world: &World) {
    let accounts = world.repository::<Account>().await;
    accounts.save(&mut Account::new("1", 0)).await.unwrap();
    let mut batch = [Account::new("1", 1), Account::new("2", 2)];
    let Err(Error::Batch { total: 2, failures }) = accounts.save_all(&mut batch).await else {
        panic!("one is not new")
    };
    assert!(matches!(&failures[..], [failure] if failure.index == 0 && failure.error.is_conflict()));
    assert_eq!(batch.each_ref().map(|account| account.version), [0, 1]);
    accounts.save_all(&mut batch[1..]).await.unwrap();
    assert_eq!(batch[1].version, 2);
    let mut inserted = [Account::new("3", 3), Account::new("4", 4)];
    accounts.insert_all(&mut inserted).await.unwrap();
    assert_eq!(inserted.each_ref().map(|account| account.version), [1, 1]);
}

/// What was stored before there was a version, or by another service, is at 0.
pub async fn what_is_stored_without_a_version_can_be_taken_over(world: &World) {
    #[derive(Debug, Serialize, Deserialize, KvEntity)]
    #[kv(keyspace = "accounts")]
    struct Old {
        #[id]
        id: String,
        balance: i64,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize, KvEntity)]
    #[kv(keyspace = "accounts")]
    struct New {
        #[id]
        id: String,
        balance: i64,
        #[version]
        version: Option<u32>,
    }
    let store = world.store().await;
    let (old, new) = (store.repository::<Old>(), store.repository::<New>());
    old.save(&mut Old {
        id: "1".into(),
        balance: 1,
    })
    .await
    .unwrap();
    old.save(&mut Old {
        id: "2".into(),
        balance: 1,
    })
    .await
    .unwrap();
    let mut found = new.find_by_id("1").await.unwrap().unwrap();
    assert_eq!(found.version, None);
    new.save(&mut found).await.unwrap();
    assert_eq!(found.version, Some(1));
    let changed = new.update_with("2", |account| account.balance = 2).await.unwrap();
    assert_eq!(
        changed,
        Some(New {
            id: "2".into(),
            balance: 2,
            version: Some(1)
        })
    );
    assert!(
        new.update("2")
            .set(New::fields().balance, 3)
            .if_version(1)
            .await
            .unwrap()
    );
    assert_eq!(new.find_by_id("2").await.unwrap().unwrap().version, Some(2));
}

/// 100 writers, 100 increments each: 10,000. They are in four processes, which know nothing of each other.
pub async fn ten_thousand_racing_changes_are_all_done(world: &World) {
    let accounts = world.repository::<Account>().await;
    accounts.save(&mut Account::new("1", 0)).await.unwrap();
    let mut processes = vec![accounts.clone()];
    for _ in 1..4 {
        processes.push(world.repository().await);
    }
    let writers = (0..100).map(|writer| {
        let accounts = processes[writer % 4].clone();
        tokio::spawn(async move {
            for _ in 0..100 {
                let changed = accounts.update_with("1", |account| account.balance += 1).await;
                assert!(changed.expect("in the end it succeeds").is_some());
            }
        })
    });
    join_all(writers).await.into_iter().for_each(Result::unwrap);
    assert_eq!(
        stored(&accounts).await,
        Account {
            balance: 10_000,
            version: 10_001,
            ..Account::new("1", 0)
        }
    );
}
