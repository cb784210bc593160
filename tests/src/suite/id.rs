//! Ids.

use std::time::Duration;

use kvrepo::{Error, KvEntity};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::fixture::{Person, Ping};
use crate::world::{World, next};

/// C17, C66.
pub async fn an_id_that_would_be_another_key_is_refused(world: &World) {
    let people = world.repository::<Person>().await;
    for id in ["", "1:idx", "1:phantom", ":idx", "a:b:phantom"] {
        let refused = [
            people
                .save(&mut Person::new(id, "Ann"))
                .await
                .map(drop)
                .unwrap_err(),
            people.find_by_id(id).await.map(drop).unwrap_err(),
            people.exists_by_id(id).await.map(drop).unwrap_err(),
            people.delete_by_id(id).await.map(drop).unwrap_err(),
            people.time_to_live(id).await.map(drop).unwrap_err(),
        ];
        for error in refused {
            assert!(
                matches!(error, Error::InvalidId { entity: "Person", .. }),
                "{id:?}: {error:?}"
            );
        }
    }
    assert_eq!(people.count().await.unwrap(), 0);
}

pub async fn ids_of_any_text_are_kept_apart(world: &World) {
    let people = world.repository::<Person>().await;
    let mut expired = people.expired().await.unwrap();
    let ids = [
        "1",
        "1:1",
        "phantom",
        "idx",
        " ",
        "a b",
        "a*b",
        "[x]",
        "{t}",
        "#expired",
        "å\u{0}\r\n",
        "*",
        "people:1",
    ];
    for id in ids {
        people
            .save(&mut Person::new(id, &format!("name of {id}")))
            .await
            .unwrap();
    }
    assert_eq!(people.count().await.unwrap(), ids.len() as u64);
    for id in ids {
        assert_eq!(
            people.find_by_id(id).await.unwrap().unwrap().firstname,
            format!("name of {id}")
        );
        people
            .save(&mut Person::new(id, "short"))
            .time_to_live(Duration::from_millis(5))
            .await
            .unwrap();
        world.pass(Duration::from_millis(7)).await;
        let event = next(&mut expired).await;
        assert_eq!(
            (event.id().as_str(), event.value().unwrap().firstname.as_str()),
            (id, "short")
        );
    }
    assert_eq!(people.count().await.unwrap(), 0);
}

#[derive(Debug, PartialEq, Serialize, Deserialize, KvEntity)]
struct Token {
    #[id]
    id: Option<Uuid>,
    text: String,
}

pub async fn numbers_and_uuids_are_ids(world: &World) {
    let store = world.store().await;
    let pings = store.repository::<Ping>();
    pings.save(&mut Ping { id: 4711 }).await.unwrap();
    assert_eq!(pings.find_by_id(4711).await.unwrap(), Some(Ping { id: 4711 }));
    assert_eq!(pings.find_all_by_id([1, 4711]).await.unwrap().len(), 1);
    let tokens = store.repository::<Token>();
    let mut token = Token {
        id: None,
        text: "x".into(),
    };
    tokens.save(&mut token).await.unwrap();
    let id = token.id.expect("a generated id");
    assert_eq!(id.get_version_num(), 7);
    assert_eq!(tokens.find_by_id(id).await.unwrap(), Some(token));
}
