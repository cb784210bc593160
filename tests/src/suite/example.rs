//! Finding by an example.

use std::collections::BTreeMap;

use kvrepo::{Error, Example, KvEntity, KvNested, PageRequest, Repository};
use serde::{Deserialize, Serialize};

use crate::world::World;

/// Everything that can be in an example.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "residents")]
pub struct Resident {
    #[id]
    pub id: Option<String>,
    #[indexed]
    pub name: Option<String>,
    pub surname: Option<String>,
    #[indexed(range)]
    pub age: Option<u8>,
    #[indexed(unique)]
    pub email: Option<String>,
    #[indexed]
    pub tags: Vec<String>,
    #[indexed]
    pub marks: BTreeMap<String, String>,
    #[indexed]
    pub active: bool,
    pub visits: u32,
    #[nested]
    pub town: Option<Town>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvNested)]
pub struct Town {
    #[indexed]
    pub name: Option<String>,
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

async fn residents(world: &World) -> Repository<Resident> {
    let residents = world.repository::<Resident>().await;
    for (id, name, surname, age) in [
        ("g", "Gro", "Fri", 30),
        ("h", "Hugo", "Skog", 40),
        ("p", "Petra", "Lund", 30),
    ] {
        let mut resident = Resident {
            id: some(id),
            name: some(name),
            surname: some(surname),
            age: Some(age),
            email: some(&format!("{id}@x")),
            tags: vec!["t".into(), name.to_lowercase()],
            marks: [("arm".into(), name.to_lowercase())].into(),
            active: age == 30,
            visits: 7,
            town: Some(Town { name: some("Alta") }),
        };
        residents.save(&mut resident).await.unwrap();
    }
    residents
}

async fn found(residents: &Repository<Resident>, example: Example<Resident>) -> String {
    residents.find_by_example(example).ids().await.unwrap().concat()
}

pub async fn what_is_filled_in_and_indexed_counts(world: &World) {
    let residents = residents(world).await;
    let active = Resident::fields().active;
    let none = Resident::default();
    let of = |probe: Resident| Example::of(&probe).ignoring(active);
    for (probe, expected) in [
        (
            Resident {
                name: some("Gro"),
                ..none.clone()
            },
            "g",
        ),
        (
            Resident {
                name: some("gro"),
                ..none.clone()
            },
            "",
        ),
        (
            Resident {
                age: Some(30),
                ..none.clone()
            },
            "gp",
        ),
        (
            Resident {
                age: Some(30),
                name: some("Petra"),
                ..none.clone()
            },
            "p",
        ),
        (
            Resident {
                age: Some(40),
                name: some("Petra"),
                ..none.clone()
            },
            "",
        ),
        (
            Resident {
                email: some("h@x"),
                ..none.clone()
            },
            "h",
        ),
        (
            Resident {
                tags: vec!["t".into()],
                ..none.clone()
            },
            "ghp",
        ),
        (
            Resident {
                tags: vec!["t".into(), "gro".into()],
                ..none.clone()
            },
            "g",
        ),
        (
            Resident {
                marks: [("arm".into(), "hugo".into())].into(),
                ..none.clone()
            },
            "h",
        ),
        (
            Resident {
                marks: [("arm:h".into(), "ugo".into())].into(),
                ..none.clone()
            },
            "",
        ),
        (
            Resident {
                marks: [("leg".into(), "hugo".into())].into(),
                ..none.clone()
            },
            "",
        ),
        (
            Resident {
                town: Some(Town { name: some("Alta") }),
                ..none.clone()
            },
            "ghp",
        ),
        (
            Resident {
                id: some("p"),
                ..none.clone()
            },
            "p",
        ),
        (
            Resident {
                id: some("p"),
                name: some("Gro"),
                ..none.clone()
            },
            "",
        ),
        // What is not indexed is compared with what is stored.
        (
            Resident {
                age: Some(30),
                surname: some("Lund"),
                ..none.clone()
            },
            "p",
        ),
        (
            Resident {
                age: Some(30),
                surname: some("Nobody"),
                ..none.clone()
            },
            "",
        ),
    ] {
        assert_eq!(found(&residents, of(probe.clone())).await, expected, "{probe:?}");
    }
    // A field without an `Option` counts, unless it is ignored; if it is not indexed, never.
    let probe = Resident {
        active: true,
        town: Some(Town { name: some("Alta") }),
        ..none.clone()
    };
    assert_eq!(found(&residents, Example::of(&probe)).await, "gp");
    let probe = Resident {
        age: Some(30),
        name: some("Petra"),
        ..none
    };
    let ignoring = of(probe.clone()).ignoring(Resident::fields().name);
    assert_eq!(found(&residents, ignoring).await, "gp");
    let probe = Resident {
        town: Some(Town { name: some("Paris") }),
        ..probe
    };
    let ignoring = of(probe).ignoring(Resident::fields().town);
    assert_eq!(found(&residents, ignoring).await, "p");
}

pub async fn any_of_what_is_filled_in_can_suffice(world: &World) {
    let residents = residents(world).await;
    let probe = Resident {
        age: Some(40),
        name: some("Gro"),
        ..Resident::default()
    };
    let example = || Example::of(&probe).ignoring(Resident::fields().active).any();
    assert_eq!(found(&residents, example()).await, "gh");
    let page = residents
        .find_by_example(example())
        .sort(Resident::fields().age.desc())
        .page(PageRequest::first(1))
        .await
        .unwrap();
    assert_eq!((page.items[0].id.as_deref(), page.total), (Some("h"), 2));
}

pub async fn an_example_without_anything_indexed_is_never_everything(world: &World) {
    let residents = residents(world).await;
    let active = Resident::fields().active;
    let surname = Resident {
        surname: some("Lund"),
        ..Resident::default()
    };
    let both = Resident {
        name: some("Gro"),
        ..surname.clone()
    };
    for (example, told) in [
        (Example::of(&Resident::default()).ignoring(active), "everything"),
        (Example::of(&surname).ignoring(active), "`surname` is not indexed"),
        (
            Example::of(&both).ignoring(active).any(),
            "`surname` is not indexed",
        ),
    ] {
        let refused = residents.find_by_example(example).delete().await.unwrap_err();
        assert!(
            matches!(&refused, Error::InvalidSetting { what: "example", reason, .. } if reason.contains(told)),
            "{refused:?}"
        );
    }
    assert_eq!(residents.count().await.unwrap(), 3);
}

pub async fn a_map_in_an_example_is_not_taken_for_another(world: &World) {
    let residents = residents(world).await;
    let with = |id: &str, key: &str, mark: &str| Resident {
        id: some(id),
        marks: [(key.to_owned(), mark.to_owned())].into(),
        ..Resident::default()
    };
    for mut resident in [
        with("1", "a", "b:c"),
        with("2", "a:b", "c"),
        with("3", "a.b", "c"),
    ] {
        residents.save(&mut resident).await.unwrap();
    }
    for resident in [
        with("1", "a", "b:c"),
        with("2", "a:b", "c"),
        with("3", "a.b", "c"),
    ] {
        let probe = Resident {
            id: None,
            ..resident.clone()
        };
        let example = || Example::of(&probe).ignoring(Resident::fields().active);
        let id = resident.id.as_deref().unwrap();
        assert_eq!(found(&residents, example()).await, id);
        assert_eq!(found(&residents, example().any()).await, id);
    }
}
