//! Finders stand wherever a trait can, and are clean where every warning is an error.
#![deny(missing_docs, unused_qualifications, warnings, clippy::all, clippy::pedantic)]

use futures_util::Stream;
use kvrepo::{KvEntity, KvNested, Result, Store};
use serde::{Deserialize, Serialize};

/// An entity in a module of its own, with fields of types that nobody else knows.
pub mod entity {
    use super::{Deserialize, KvEntity, KvNested, Serialize};

    /// Somebody.
    #[derive(Debug, Serialize, Deserialize, KvEntity)]
    pub struct Person {
        #[id]
        id: String,
        #[indexed(range)]
        age: u32,
        #[indexed]
        role: Role,
        #[indexed]
        r#type: Option<String>,
        #[nested]
        address: Option<Address>,
        #[nested]
        homes: Vec<Address>,
    }

    #[derive(Debug, Serialize, Deserialize)]
    enum Role {
        Guest,
    }

    #[derive(Debug, Serialize, Deserialize, KvNested)]
    struct Address {
        #[indexed]
        city: String,
        #[nested]
        place: Place,
    }

    #[derive(Debug, Serialize, Deserialize, KvNested)]
    struct Place {
        #[indexed(range)]
        floor: i32,
    }

    /// Here its type can be named.
    #[kvrepo::repository(Person)]
    trait Roles {
        async fn find_by_role(&self, role: Role) -> super::Result<Vec<Person>>;
    }

    /// How many there are.
    ///
    /// # Errors
    ///
    /// Those of finding.
    pub async fn guests(people: &kvrepo::Repository<Person>) -> super::Result<usize> {
        Ok(people.find_by_role(Role::Guest).await?.len())
    }
}

use entity::Person;

/// Finders.
#[kvrepo::repository(Person, crate = "kvrepo")]
pub trait People: Clone {
    /// How many at most.
    const MOST: usize = 10;

    /// Those of an age.
    async fn find_by_age(&self, age: u32) -> Result<Vec<Person>>;
    /// The first between two ages.
    async fn find_first_by_age_between_and_type(
        &self,
        low: u32,
        high: u32,
        _: &str,
    ) -> Result<Option<Person>>;
    /// How many live there.
    async fn count_by_address_city_in(&self, cities: &[String]) -> Result<u64>;
    /// Whether somebody lives so high.
    async fn exists_by_address_place_floor(
        &self,
        floor: i32,
    ) -> Result<bool, Box<dyn std::error::Error + Send + Sync>>;
    /// Those with a home there.
    #[must_use]
    fn stream_by_homes_city(&self, name: &str) -> impl Stream<Item = Result<Person>> + Send;
    /// With a body.
    ///
    /// # Errors
    ///
    /// Those of finding.
    async fn both(&self) -> Result<u64> {
        Ok(self.count_by_address_city_in(&[]).await? + 1)
    }
    /// Not there.
    #[cfg(any())]
    async fn find_by_nothing(&self) -> Result<u64>;
}

fn is_send<T: Send>(t: T) -> T {
    t
}

/// For whatever implements it.
///
/// # Errors
///
/// Those of finding.
pub async fn generic<R: People>(people: R) -> Result<u64> {
    is_send(people.count_by_address_city_in(&["Oslo".to_owned()])).await
}

#[tokio::test]
async fn finders_find() {
    fn in_a_function(store: &Store) {
        #[kvrepo::repository(Person)]
        trait Local {
            async fn find_by_id_in(&self, ids: &[&str]) -> Result<Vec<Person>>;
        }

        drop(store.repository::<Person>().find_by_id_in(&["1"]));
    }

    let store = Store::in_memory();
    in_a_function(&store);
    let people = store.repository::<Person>();
    assert!(is_send(people.find_by_age(1)).await.unwrap().is_empty());
    assert!(
        is_send(people.find_first_by_age_between_and_type(1, 2, "x"))
            .await
            .unwrap()
            .is_none()
    );
    assert!(!is_send(people.exists_by_address_place_floor(2)).await.unwrap());
    assert_eq!(is_send(people.both()).await.unwrap(), 1);
    assert_eq!(entity::guests(&people).await.unwrap(), 0);
    drop(people.stream_by_homes_city("a"));
    assert_eq!(generic(people).await.unwrap(), 0);
}
