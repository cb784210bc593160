//! `#[reference]` stands on references, in lists, sets and options, also to the type itself and in nested structs.
#![deny(warnings)]

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::hash::{BuildHasherDefault, DefaultHasher};

use kvrepo::{KvEntity, KvNested, LoadedRefs, Ref, Reference, Store};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KvEntity)]
struct Person {
    #[id]
    id: String,
    #[reference]
    boss: Option<Ref<Person>>,
    #[reference]
    employer: Ref<Company>,
    #[reference]
    list: Vec<Ref<Company>>,
    #[reference]
    deque: VecDeque<Ref<Company>>,
    #[reference]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sorted: Option<BTreeSet<Ref<Self>>>,
    #[reference]
    set: HashSet<Ref<Company>, BuildHasherDefault<DefaultHasher>>,
    #[reference]
    #[serde(rename = "best", alias = "friend")]
    best_friend: Option<Ref<Self>>,
    #[nested]
    desk: Option<Desk>,
}

/// In a circle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KvEntity)]
struct Company {
    #[id]
    id: Uuid,
    #[reference]
    head: Option<Ref<Person>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KvNested)]
struct Desk {
    #[nested]
    room: Room,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, KvNested)]
struct Room {
    #[reference]
    owner: Option<Ref<Company>>,
}

/// An id that can be nothing but an id.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Bare(String);

impl kvrepo::KvId for Bare {
    fn to_key(&self) -> std::borrow::Cow<'_, str> {
        self.0.as_str().into()
    }

    fn from_key(key: &str) -> Option<Self> {
        Some(Self(key.to_owned()))
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
struct Thing {
    #[id]
    id: Bare,
    #[reference]
    of: Ref<Thing>,
}

fn is_send<T: Send>(it: T) -> T {
    it
}

async fn load(store: &Store, people: &[Person]) -> kvrepo::Result<LoadedRefs<Company>> {
    is_send(
        Person::fields()
            .desk
            .room
            .owner
            .load_all(&store.repository(), people),
    )
    .await
}

#[test]
fn references_are_followed_by_their_handles() {
    let fields = Person::fields();
    let (again, _) = (fields, fields);
    assert_eq!(format!("{:?}", again.boss), r#"Reference("boss")"#);
    let _: Reference<Person, Ref<Company>> = fields.employer;
    assert_eq!(fields.best_friend.path(), "best");
    assert_eq!(fields.desk.room.owner.path(), "desk.room.owner");
    let thing = Thing {
        id: Bare("1".into()),
        of: Ref::new(Bare("a:b".into())),
    };
    assert_eq!(
        format!("{} {:?}", thing.of.clone(), thing.id),
        r#"thing:a:b Bare("1")"#
    );
    let owner = Some(Ref::new(Uuid::nil()));
    let person = Person {
        id: "1".into(),
        boss: None,
        employer: Ref::new(Uuid::nil()),
        list: vec![],
        deque: VecDeque::new(),
        sorted: None,
        set: HashSet::default(),
        best_friend: None,
        desk: Some(Desk { room: Room { owner } }),
    };
    let nobody = Person {
        desk: None,
        ..person.clone()
    };
    let loaded = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(load(&Store::in_memory(), &[nobody, person]))
        .unwrap();
    assert!(loaded.entities().is_empty());
    assert_eq!(loaded.dangling, Vec::from_iter(owner));
}
