//! References between entities.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kvrepo::{Error, KeyspaceSettings, KvEntity, KvNested, Ref, Repository, Store, TimeToLive};
use serde::{Deserialize, Serialize};

use crate::world::{World, eventually};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "companies")]
struct Company {
    #[id]
    id: Option<String>,
    name: String,
}

impl Company {
    fn new(id: &str) -> Self {
        Self {
            id: Some(id.to_owned()),
            name: format!("{id} & Sons"),
        }
    }
}

/// Every kind of field that can hold references.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "workers")]
struct Worker {
    #[id]
    id: u32,
    #[reference]
    employer: Option<Ref<Company>>,
    #[reference]
    boss: Option<Ref<Self>>,
    #[reference]
    past: Vec<Ref<Company>>,
    #[reference]
    #[serde(rename = "friend-set")]
    friends: Option<BTreeSet<Ref<Self>>>,
    #[nested]
    desk: Option<Desk>,
    /// Without the attribute, and so without a handle that loads.
    spouses: BTreeMap<String, Ref<Self>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvNested)]
struct Desk {
    room: u32,
    #[nested]
    lease: Lease,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvNested)]
struct Lease {
    #[reference]
    owner: Ref<Company>,
}

/// A [`Worker`] as it is stored.
#[derive(Debug, PartialEq, Default, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "workers")]
struct StoredWorker {
    #[id]
    id: u32,
    employer: Option<String>,
    boss: Option<String>,
    past: Vec<String>,
    #[serde(rename = "friend-set")]
    friends: Option<Vec<String>>,
    desk: Option<StoredDesk>,
    spouses: BTreeMap<String, String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct StoredDesk {
    room: u32,
    lease: BTreeMap<String, String>,
}

fn company(id: &str) -> Ref<Company> {
    Ref::new(id.to_owned())
}

fn desk(owner: &str) -> Desk {
    Desk {
        room: 7,
        lease: Lease {
            owner: company(owner),
        },
    }
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).into()
}

fn repositories(store: &Store) -> (Repository<Worker>, Repository<Company>, Repository<StoredWorker>) {
    (store.repository(), store.repository(), store.repository())
}

pub async fn a_reference_is_stored_as_keyspace_and_id(world: &World) {
    let (workers, _, stored) = repositories(&world.store().await);
    let mut ann = Worker {
        id: 1,
        employer: Some(company("no:0301")),
        boss: Some(Ref::new(2)),
        past: vec![company("b"), company("a"), company("b")],
        friends: Some([Ref::new(10), Ref::new(9)].into()),
        desk: Some(desk("c")),
        spouses: [("first".to_owned(), Ref::new(3))].into(),
    };
    workers.save(&mut ann).await.unwrap();
    assert_eq!(
        stored.find_by_id(1).await.unwrap(),
        Some(StoredWorker {
            id: 1,
            employer: Some("companies:no:0301".into()),
            boss: Some("workers:2".into()),
            past: texts(["companies:b", "companies:a", "companies:b"]),
            friends: Some(texts(["workers:9", "workers:10"])),
            desk: Some(StoredDesk {
                room: 7,
                lease: [("owner".into(), "companies:c".into())].into(),
            }),
            spouses: [("first".into(), "workers:3".into())].into(),
        })
    );
    assert_eq!(workers.find_by_id(1).await.unwrap(), Some(ann));

    let mut alone = Worker {
        id: 2,
        ..Worker::default()
    };
    workers.save(&mut alone).await.unwrap();
    assert_eq!(workers.find_by_id(2).await.unwrap(), Some(alone));
}

pub async fn a_reference_leads_to_its_entity_as_it_is_now(world: &World) {
    let (workers, companies, _) = repositories(&world.store().await);
    let mut acme = Company::new("acme:1");
    let employer = Some(Ref::to(&acme).unwrap());
    workers
        .save(&mut Worker {
            id: 1,
            employer,
            ..Worker::default()
        })
        .await
        .unwrap();
    let employer = workers.find_by_id(1).await.unwrap().unwrap().employer.unwrap();
    // Saving what refers saves nothing else.
    let error = employer.load(&companies).await.unwrap_err();
    assert!(
        matches!(&error, Error::NotFound { keyspace, id } if keyspace == "companies" && id == "acme:1"),
        "{error:?}"
    );
    assert!(error.is_not_found());

    companies.save(&mut acme).await.unwrap();
    assert_eq!(employer.load(&companies).await.unwrap(), acme);
    acme.name = "Acme".into();
    companies.save(&mut acme).await.unwrap();
    assert_eq!(employer.load(&companies).await.unwrap(), acme);
}

pub async fn many_are_loaded_in_their_order_and_what_dangles_is_named(world: &World) {
    let companies = world.repository::<Company>().await;
    let id = |i: usize| format!("c{i}");
    let mut all: Vec<_> = (0..600).map(|i| Company::new(&id(i))).collect();
    companies.save_all(&mut all).await.unwrap();
    all.reverse();
    let mut references: Vec<_> = all.iter().map(|one| Ref::to(one).unwrap()).collect();
    references.insert(3, company("gone"));
    references.insert(400, references[7].clone());
    references.extend([company("lost"), company("gone")]);

    let loaded = companies.load_all(&references).await.unwrap();
    assert_eq!(loaded.entities(), all);
    assert_eq!(loaded.dangling, [company("gone"), company("lost")]);
    for reference in &references {
        let found = loaded.get(reference).and_then(|found| found.id.as_ref());
        let dangles = loaded.dangling.contains(reference);
        assert_eq!(found, (!dangles).then_some(reference.id()));
    }
    assert_eq!(loaded.get(&company("c600")), None, "it was not asked for");
    assert_eq!(loaded.into_entities(), all);

    let none = companies.load_all::<Ref<Company>>([]).await.unwrap();
    assert!(none.entities().is_empty() && none.dangling.is_empty());
}

pub async fn what_a_field_refers_to_is_loaded_for_many_entities(world: &World) {
    let (workers, companies, _) = repositories(&world.store().await);
    let mut all: Vec<_> = ["a", "b", "c", "d"].map(Company::new).into();
    companies.save_all(&mut all).await.unwrap();
    let mut people = vec![
        Worker {
            id: 1,
            employer: Some(company("b")),
            past: vec![company("d"), company("a")],
            desk: Some(desk("c")),
            ..Worker::default()
        },
        Worker {
            id: 2,
            boss: Some(Ref::new(1)),
            friends: Some([Ref::new(3), Ref::new(1)].into()),
            ..Worker::default()
        },
        Worker {
            id: 3,
            employer: Some(company("a")),
            boss: Some(Ref::new(1)),
            past: vec![company("a"), company("x")],
            ..Worker::default()
        },
    ];
    workers.save_all(&mut people).await.unwrap();
    let fields = Worker::fields();

    let employers = fields.employer.load_all(&companies, &people).await.unwrap();
    assert_eq!(employers.entities(), [all[1].clone(), all[0].clone()]);
    let past = fields.past.load_all(&companies, &people).await.unwrap();
    assert_eq!(past.entities(), [all[3].clone(), all[0].clone()]);
    assert_eq!(past.dangling, [company("x")]);
    let owners = fields
        .desk
        .lease
        .owner
        .load_all(&companies, &people)
        .await
        .unwrap();
    assert_eq!(owners.entities(), [all[2].clone()]);
    let bosses = fields
        .boss
        .load_all(&workers, people.iter().skip(1))
        .await
        .unwrap();
    assert_eq!(bosses.entities(), [people[0].clone()]);
    let friends = fields.friends.load_all(&workers, &people).await.unwrap();
    assert_eq!(friends.entities(), [people[0].clone(), people[2].clone()]);
}

pub async fn a_reference_to_what_has_expired_dangles(world: &World) {
    let companies = world.repository::<Company>().await;
    let mut brief = Company::new("brief");
    companies
        .save(&mut brief)
        .time_to_live(Duration::from_millis(20))
        .await
        .unwrap();
    let reference = Ref::to(&brief).unwrap();
    world.pass(Duration::from_millis(30)).await;
    let error = reference.load(&companies).await.unwrap_err();
    assert!(matches!(error, Error::NotFound { .. }), "{error:?}");
    let loaded = companies.load_all([&reference]).await.unwrap();
    assert_eq!(loaded.dangling, [reference]);
    assert!(loaded.entities().is_empty());
}

pub async fn a_dangling_reference_survives_the_next_save(world: &World) {
    let (workers, companies, stored) = repositories(&world.store().await);
    companies.save(&mut Company::new("a")).await.unwrap();
    let mut ann = Worker {
        id: 1,
        employer: Some(company("a")),
        past: vec![company("b"), company("a")],
        ..Worker::default()
    };
    workers.save(&mut ann).await.unwrap();
    assert!(companies.delete_by_id("a").await.unwrap());
    let mut found = workers.find_by_id(1).await.unwrap().unwrap();
    workers.save(&mut found).await.unwrap();
    let stored = stored.find_by_id(1).await.unwrap().unwrap();
    assert_eq!(stored.employer.as_deref(), Some("companies:a"));
    assert_eq!(stored.past, ["companies:b", "companies:a"]);
}

pub async fn entities_may_refer_to_each_other_and_to_themselves(world: &World) {
    let workers = world.repository::<Worker>().await;
    let with_boss = |id, boss| Worker {
        id,
        boss: Some(Ref::new(boss)),
        ..Worker::default()
    };
    let mut all = vec![with_boss(1, 2), with_boss(2, 1), with_boss(3, 3)];
    workers.save_all(&mut all).await.unwrap();
    let mut at = workers.find_by_id(1).await.unwrap().unwrap();
    for expected in [2, 1, 2] {
        at = at.boss.unwrap().load(&workers).await.unwrap();
        assert_eq!(at.id, expected);
    }
    let bosses = Worker::fields().boss.load_all(&workers, &all).await.unwrap();
    assert_eq!(
        bosses.entities(),
        [all[1].clone(), all[0].clone(), all[2].clone()]
    );
}

pub async fn what_only_resembles_a_reference_is_a_decode_error(world: &World) {
    let (workers, _, stored) = repositories(&world.store().await);
    for text in [
        "sentinel-secret",
        "companies",
        "companies:",
        ":sentinel",
        "workers:sentinel",
        "Companies:sentinel",
    ] {
        let employer = Some(text.to_owned());
        stored
            .save(&mut StoredWorker {
                id: 1,
                employer,
                ..StoredWorker::default()
            })
            .await
            .unwrap();
        let error = workers.find_by_id(1).await.unwrap_err();
        let Error::Decode { entity, path, reason } = &error else {
            panic!("{error:?}")
        };
        assert_eq!((*entity, path.as_str()), ("Worker", "employer"));
        assert!(
            reason.contains("`companies:` and the id of a `Company`"),
            "{reason}"
        );
        assert!(!format!("{error} {error:?}").contains("sentinel"), "{error:?}");
    }
    // Of numbers only the text of one is.
    for text in ["workers:07", "workers:x", "workers:-1", "workers:1:2"] {
        let past = texts(["companies:a"]);
        let boss = Some(text.to_owned());
        stored
            .save(&mut StoredWorker {
                id: 1,
                boss,
                past,
                ..StoredWorker::default()
            })
            .await
            .unwrap();
        let error = workers.find_by_id(1).await.unwrap_err();
        assert!(
            matches!(&error, Error::Decode { path, .. } if path == "boss"),
            "{error:?}"
        );
    }
    let past = texts(["companies:a", "sentinel"]);
    stored
        .save(&mut StoredWorker {
            id: 1,
            past,
            ..StoredWorker::default()
        })
        .await
        .unwrap();
    let error = workers.find_by_id(1).await.unwrap_err();
    assert!(
        matches!(&error, Error::Decode { path, .. } if path == "past.[1]"),
        "{error:?}"
    );
}

pub async fn a_reference_to_what_has_no_id_is_refused(world: &World) {
    let (workers, companies, _) = repositories(&world.store().await);
    let mut unsaved = Company::default();
    let error = Ref::to(&unsaved).unwrap_err();
    assert!(
        matches!(
            error,
            Error::InvalidId {
                entity: "Company",
                ..
            }
        ),
        "{error:?}"
    );
    companies.save(&mut unsaved).await.unwrap();
    assert_eq!(
        Ref::to(&unsaved).unwrap().load(&companies).await.unwrap(),
        unsaved
    );

    let employer = Some(company(""));
    let error = workers
        .save(&mut Worker {
            id: 1,
            employer,
            ..Worker::default()
        })
        .await
        .unwrap_err();
    assert!(
        matches!(&error, Error::Encode { path, .. } if path == "employer"),
        "{error:?}"
    );
    assert_eq!(workers.find_by_id(1).await.unwrap(), None);
}

pub async fn a_reference_is_changed_alone(world: &World) {
    let (workers, _, stored) = repositories(&world.store().await);
    let mut ann = Worker {
        id: 1,
        past: vec![company("a"), company("b")],
        desk: Some(desk("c")),
        ..Worker::default()
    };
    workers.save(&mut ann).await.unwrap();
    let fields = Worker::fields();
    assert_eq!(
        (fields.friends.path(), fields.desk.lease.owner.path()),
        ("friend-set", "desk.lease.owner")
    );
    let update = workers
        .update(1)
        .set(fields.employer, Some(company("d:1")))
        .set(fields.past.index(1), company("e"))
        .set(fields.desk.lease.owner, company("f"))
        .set(fields.friends, Some([Ref::new(4)].into()));
    assert!(update.await.unwrap());
    let found = stored.find_by_id(1).await.unwrap().unwrap();
    assert_eq!(found.employer.as_deref(), Some("companies:d:1"));
    assert_eq!(found.past, ["companies:a", "companies:e"]);
    assert_eq!(found.desk.unwrap().lease["owner"], "companies:f");
    assert_eq!(found.friends, Some(texts(["workers:4"])));

    assert!(
        workers
            .update(1)
            .unset(fields.employer)
            .unset(fields.past)
            .await
            .unwrap()
    );
    let found = workers.find_by_id(1).await.unwrap().unwrap();
    assert_eq!((found.employer, found.past), (None, Vec::new()));
}

pub async fn loading_one_is_a_use_of_it_and_loading_many_is_none(world: &World) {
    const SPAN: Duration = Duration::from_secs(60);
    let companies = world.repository::<Company>().await;
    let mut all: Vec<_> = ["one", "many"].map(Company::new).into();
    companies.save_all(&mut all).idle(SPAN).await.unwrap();
    let [one, many] = ["one", "many"].map(company);
    world.skip(&["companies"], SPAN * 2 / 3).await;
    // First, so that it would be renewed by the time the other is.
    assert_eq!(companies.load_all([&many]).await.unwrap().entities().len(), 1);
    one.load(&companies).await.unwrap();
    eventually("the renewal", async || {
        matches!(companies.time_to_live("one").await.unwrap(), TimeToLive::In(left) if left > SPAN * 2 / 3)
    })
    .await;
    world.skip(&["companies"], SPAN * 2 / 3).await;
    let loaded = companies.load_all([&one, &many]).await.unwrap();
    assert_eq!(loaded.dangling, [many]);
}

pub async fn a_reference_names_the_keyspace_that_the_type_declares(world: &World) {
    let settings = KeyspaceSettings::new().name("firms");
    let builder = Store::builder()
        .key_prefix("tenant:")
        .keyspace::<Company>(settings);
    let (workers, companies, stored) = repositories(&world.open(builder).await);
    let mut acme = Company::new("acme");
    companies.save(&mut acme).await.unwrap();
    let employer = Some(Ref::to(&acme).unwrap());
    workers
        .save(&mut Worker {
            id: 1,
            employer,
            ..Worker::default()
        })
        .await
        .unwrap();
    let text = stored.find_by_id(1).await.unwrap().unwrap().employer;
    assert_eq!(text.as_deref(), Some("companies:acme"));
    let employer = workers.find_by_id(1).await.unwrap().unwrap().employer.unwrap();
    assert_eq!(employer.load(&companies).await.unwrap(), acme);
    companies.delete(&acme).await.unwrap();
    let error = employer.load(&companies).await.unwrap_err();
    assert!(
        matches!(&error, Error::NotFound { keyspace, .. } if keyspace == "firms"),
        "{error:?}"
    );
}

/// A reference beside a value of any type, where only the reference's text can tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "notes")]
struct Note {
    #[id]
    id: u32,
    pairs: Vec<(Ref<Company>, serde_json::Value)>,
    by_company: BTreeMap<Ref<Company>, serde_json::Value>,
    by_worker: BTreeMap<Ref<Worker>, (Ref<Worker>, serde_json::Value)>,
}

pub async fn what_stands_beside_a_reference_keeps_its_type(world: &World) {
    let notes = world.repository::<Note>().await;
    let [text, number] = ["1".into(), 1.into()];
    let mut note = Note {
        id: 1,
        pairs: vec![(company("a"), text), (company("b"), number)],
        by_company: [(company("a"), "1".into()), (company("b"), 1.into())].into(),
        by_worker: [
            (Ref::new(10), (Ref::new(9), "1".into())),
            (Ref::new(9), (Ref::new(10), 1.into())),
        ]
        .into(),
    };
    notes.save(&mut note).await.unwrap();
    assert_eq!(notes.find_by_id(1).await.unwrap(), Some(note));
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "contracts")]
struct Contract {
    #[id]
    id: u32,
    #[reference]
    #[indexed]
    company: Ref<Company>,
    #[reference]
    #[indexed]
    workers: Vec<Ref<Worker>>,
    #[reference]
    #[indexed]
    before: Option<Ref<Self>>,
}

pub async fn what_refers_to_an_entity_is_found(world: &World) {
    let contracts = world.repository::<Contract>().await;
    for (id, company, workers) in [(1, "a:b", vec![7, 8]), (2, "c", vec![8]), (3, "a:b", vec![])] {
        let mut contract = Contract {
            id,
            company: Ref::new(company.to_owned()),
            workers: workers.into_iter().map(Ref::new).collect(),
            before: (id > 1).then(|| Ref::new(id - 1)),
        };
        contracts.save(&mut contract).await.unwrap();
    }
    let contract = Contract::fields();
    let found = async |filter| contracts.find(filter).ids().await.unwrap();
    let company = Ref::<Company>::new("a:b".to_owned());
    assert_eq!(found(contract.company.eq(&company)).await, [1, 3]);
    assert_eq!(found(contract.workers.eq(Ref::new(8))).await, [1, 2]);
    assert_eq!(
        found(contract.before.eq(Ref::new(1)) & contract.workers.eq(Ref::new(8))).await,
        [2]
    );
    contracts
        .update(1)
        .set(contract.company, Ref::new("c".to_owned()))
        .await
        .unwrap();
    assert_eq!(found(contract.company.eq(company)).await, [3]);
}
