//! What a trait of finders cannot have.
use futures_util::Stream;
use kvrepo::{KvEntity, Result};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Person {
    #[id]
    id: String,
    age: u32,
}

#[kvrepo::repository]
trait A {
    async fn find_by_age(&self, age: u32) -> Result<Vec<Person>>;
}

#[kvrepo::repository(Person, craet = "kvrepo", Person)]
trait B<T> {
    type X;
    const Y: u8;
    async fn find_by_age<U>(&self, age: u32) -> Result<Vec<Person>>;
    async fn find_by_age2(self, age: u32) -> Result<Vec<Person>>;
    async fn find_by_age3(&mut self, age: u32) -> Result<Vec<Person>>;
    async fn find_by_age4(age: u32) -> Result<Vec<Person>>;
    fn find_by_age5(&self, age: u32) -> Result<Vec<Person>>;
    async fn find_by_age6(&self, age: u32);
    async fn stream_by_age7(&self, age: u32) -> impl Stream<Item = Result<Person>>;
    fn stream_by_age8(&self, age: u32) -> impl Iterator<Item = Result<Person>>;
    async fn find_by_age9(&self, age: impl Into<u32>) -> Result<Vec<Person>>;
    async fn find_by_age10(&self, sort: Sort<Person>, age: u32) -> Result<Vec<Person>>;
}

#[kvrepo::repository(Person)]
trait C {
    fn find_by_age(&self, age: u32) -> Result<Vec<Person>>;
    async fn find_by_age3(&mut self, age: u32) -> Result<Vec<Person>>;
    async fn find_by_age9(&self, age: impl Into<u32>) -> Result<Vec<Person>>;
    fn stream_by_age(&self, age: u32) -> impl Stream<Item = Result<Person>> + Send;
}

#[kvrepo::repository(Person, crate = "k v")]
trait D {
    async fn find_by_age(&self, age: u32) -> Result<Vec<Person>>;
}

fn main() {}
