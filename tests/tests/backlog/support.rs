//! What these tests share.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kvrepo::{Expired, GroupExpired, KeyExpired, KeyspaceEvents, Point, Repository, Store};
use kvrepo_tests::harness::TestServer;
use kvrepo_tests::suite::query::Person;
use kvrepo_tests::world::{PATIENCE, World, eventually};

pub const MANY: usize = 10_000;
pub const GROUP: &str = "billing";
const CLAIM_AFTER: Duration = Duration::from_secs(2);

/// A person of every kind of index, all of it following from the number.
pub fn person(number: usize) -> Person {
    Person {
        id: number.to_string(),
        city: format!("city {}", number % 7),
        trade: number.is_multiple_of(2).then(|| "smith".to_owned()),
        age: Some(number as i64),
        spot: Some(Point::new((number % 180) as f64, 60.0)),
        ..Person::default()
    }
}

/// A store that writes and does not listen.
pub async fn writer(world: &World) -> Repository<Person> {
    let quiet = Store::builder().events(KeyspaceEvents::Off);
    world.open(quiet).await.repository()
}

pub fn server(world: &World) -> &TestServer {
    world.as_server().expect("a real server")
}

pub async fn join(people: &Repository<Person>) -> GroupExpired<Person> {
    let joined = people.expired().group(GROUP).claim_after(CLAIM_AFTER);
    joined.await.expect("to be one of the group")
}

/// What has been heard, each once.
#[derive(Debug, Default)]
pub struct Heard {
    numbers: HashSet<usize>,
    pub valued: usize,
}

impl Heard {
    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Takes an event in; if it has a value, it has to be its own.
    pub fn add(&mut self, event: &KeyExpired<Person>) {
        let number: usize = event.id().parse().expect("one of ours");
        if let Some(value) = event.value() {
            assert_eq!(*value, person(number));
            self.valued += 1;
        }
        assert!(self.numbers.insert(number), "{number} came twice");
    }

    /// That it is all of them.
    pub fn is_all(&self, valued: usize) {
        assert!((0..MANY).all(|number| self.numbers.contains(&number)));
        assert_eq!((self.count(), self.valued), (MANY, valued));
    }
}

/// Listens until all have been heard, or somebody knows that they are.
pub async fn hear(expired: &mut Expired<Person>, heard: &mut Heard, until: usize) {
    while heard.count() < until {
        let event = tokio::time::timeout(PATIENCE, expired.next()).await;
        match event.expect("an event comes").expect("the stream goes on") {
            Ok(event) => heard.add(&event),
            Err(error) => assert!(error.is_transient(), "{error:?}"),
        }
    }
}

/// Sees to events, many at a time, until it is dropped.
pub async fn see_to(expired: GroupExpired<Person>, heard: &Arc<Mutex<Heard>>) {
    let heard = Arc::clone(heard);
    let handled = expired.for_each_concurrent(64, move |event| {
        heard.lock().expect("no panic").add(&event);
        std::future::ready(())
    });
    handled.await;
}

/// Waits until the group has seen to all of them.
pub async fn done(people: &Repository<Person>, heard: &Mutex<Heard>) {
    eventually("all to be seen to", || async {
        heard.lock().expect("no panic").count() == MANY
            && people
                .group(GROUP)
                .pending()
                .await
                .is_ok_and(|pending| pending == 0)
    })
    .await;
}
