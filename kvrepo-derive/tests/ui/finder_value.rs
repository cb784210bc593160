//! What a finder's values and results cannot be.
use futures_util::Stream;
use kvrepo::{KvEntity, Point, Result};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Person {
    #[id]
    id: String,
    #[indexed]
    city: String,
    #[indexed(range)]
    age: Option<u32>,
    #[indexed(range)]
    height: Centimeters,
    #[geo_indexed]
    spot: Point,
}

#[derive(Clone, Serialize, Deserialize)]
struct Centimeters(u32);

impl kvrepo::RangeValue for Centimeters {
    const ORDER: kvrepo::Order = kvrepo::Order::Integer;
}

struct Dog;

#[kvrepo::repository(Person)]
trait People {
    async fn find_by_age(&self, age: &str) -> Result<Vec<Person>>;
    async fn find_by_city_and_age_less_than(&self, city: &str, age: u64) -> Result<Vec<Person>>;
    async fn find_by_city_in(&self, city: u8) -> Result<Vec<Person>>;
    async fn find_by_id(&self, id: u32) -> Result<Option<Person>>;
    async fn find_by_height_starting_with(&self, height: Centimeters) -> Result<Vec<Person>>;
    async fn find_by_spot_near(&self, point: Point, meters: f64) -> Result<Vec<Person>>;
}

#[kvrepo::repository(Person)]
trait Results {
    async fn read_by_age(&self, age: u32) -> Result<Vec<Dog>>;
    async fn get_by_age(&self, age: u32) -> Vec<Person>;
    fn stream_by_age(&self, age: u32) -> impl Stream<Item = Result<Dog>> + Send;
}

#[kvrepo::repository(Dog)]
trait Dogs {
    async fn find_by_name(&self, name: &str) -> Result<Vec<Dog>>;
}

fn main() {}
