//! What the name of a finder cannot say, of these fields and with this signature.
use std::collections::BTreeMap;

use futures_util::Stream;
use kvrepo::{Circle, Distance, KvEntity, KvNested, Near, Page, PageRequest, Point, Result, Sort};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Person {
    #[id]
    id: String,
    #[indexed(range)]
    lastname: String,
    #[indexed]
    city: String,
    #[indexed(range)]
    age: u32,
    email: String,
    #[indexed]
    active: bool,
    #[indexed]
    marks: BTreeMap<String, String>,
    #[indexed]
    tags: Vec<String>,
    #[geo_indexed]
    spot: Option<Point>,
    #[nested]
    address: Address,
    #[nested]
    kin: BTreeMap<String, Address>,
    #[indexed]
    address_street: String,
}

#[derive(Serialize, Deserialize, KvNested)]
struct Address {
    #[indexed]
    town: String,
    #[indexed]
    street: String,
}

#[kvrepo::repository(Person)]
trait Fields {
    async fn find_by_lastnme(&self, lastname: &str) -> Result<Vec<Person>>;
    async fn find_by_city_and_agee_less_than(&self, city: &str, age: u32) -> Result<Vec<Person>>;
    async fn find_by_address_twon(&self, town: &str) -> Result<Vec<Person>>;
    async fn find_by_zodiac(&self, zodiac: &str) -> Result<Vec<Person>>;
    async fn find_by_address(&self, address: &Address) -> Result<Vec<Person>>;
    async fn find_by_address_street(&self, street: &str) -> Result<Vec<Person>>;
    async fn find_by_city_order_by_agee_desc(&self, city: &str) -> Result<Vec<Person>>;
}

#[kvrepo::repository(Person)]
trait Indexes {
    async fn find_by_email(&self, email: &str) -> Result<Vec<Person>>;
    async fn find_by_email_starting_with(&self, email: &str) -> Result<Vec<Person>>;
    async fn find_by_city_starting_with(&self, city: &str) -> Result<Vec<Person>>;
    async fn find_by_city_between(&self, low: &str, high: &str) -> Result<Vec<Person>>;
    async fn find_by_age_starting_with(&self, age: u32) -> Result<Vec<Person>>;
    async fn find_by_age_true(&self) -> Result<Vec<Person>>;
    async fn find_by_spot(&self, spot: Point) -> Result<Vec<Person>>;
    async fn find_by_city_near(&self, point: Point, distance: Distance) -> Result<Vec<Person>>;
    async fn find_by_id_less_than(&self, id: &str) -> Result<Vec<Person>>;
    async fn find_by_marks(&self, mark: &str) -> Result<Vec<Person>>;
    async fn find_by_kin_town(&self, town: &str) -> Result<Vec<Person>>;
    async fn find_by_city_order_by_tags(&self, city: &str) -> Result<Vec<Person>>;
    async fn find_by_city_order_by_id_desc(&self, city: &str) -> Result<Vec<Person>>;
}

#[kvrepo::repository(Person)]
trait Words {
    async fn find_by_lastname_containing(&self, part: &str) -> Result<Vec<Person>>;
    async fn find_by_lastname_like(&self, pattern: &str) -> Result<Vec<Person>>;
    async fn find_by_lastname_ignore_case(&self, lastname: &str) -> Result<Vec<Person>>;
    async fn find_by_lastname_not_in(&self, lastnames: &[&str]) -> Result<Vec<Person>>;
    async fn find_by_city_not(&self, city: &str) -> Result<Vec<Person>>;
    async fn find_by_age_or_city_not(&self, age: u32, city: &str) -> Result<Vec<Person>>;
    async fn find_by_age_less_then(&self, age: u32) -> Result<Vec<Person>>;
    async fn find_by_city_order_by_age_descending(&self, city: &str) -> Result<Vec<Person>>;
    async fn fnid_by_city(&self, city: &str) -> Result<Vec<Person>>;
    async fn find_frist_by_city(&self, city: &str) -> Result<Option<Person>>;
    async fn find_first_0_by_city(&self, city: &str) -> Result<Vec<Person>>;
    async fn count_first_3_by_city(&self, city: &str) -> Result<u64>;
    async fn find_city(&self, city: &str) -> Result<Vec<Person>>;
    async fn find_by_city_and(&self, city: &str) -> Result<Vec<Person>>;
}

#[kvrepo::repository(Person)]
trait Signatures {
    async fn find_by_city(&self) -> Result<Vec<Person>>;
    async fn find_by_age_between(&self, low: u32) -> Result<Vec<Person>>;
    async fn find_by_active_true(&self, active: bool) -> Result<Vec<Person>>;
    async fn count_by_city(&self, city: &str) -> Result<Vec<Person>>;
    async fn exists_by_city(&self, city: &str) -> Result<u64>;
    async fn delete_by_city(&self, city: &str) -> Result<bool>;
    async fn find_first_2_by_city(&self, city: &str) -> Result<Option<Person>>;
    async fn stream_by_city(&self, city: &str) -> Result<Vec<Person>>;
    fn find_by_age(&self, age: u32) -> impl Stream<Item = Result<Person>> + Send;
    async fn get_by_city(&self, city: &str) -> Result<Page<Person>>;
    async fn read_by_city(&self, city: &str, page: PageRequest) -> Result<Vec<Person>>;
    async fn count_by_age(&self, age: u32, sort: Sort<Person>) -> Result<u64>;
    async fn find_by_spot_within(&self, circle: Circle) -> Result<Vec<Near<Person>>>;
    async fn find_by_spot_near_or_city(&self, point: Point, far: Distance, city: &str) -> Result<Vec<Near<Person>>>;
    async fn find_by_spot_near_order_by_age(&self, point: Point, far: Distance) -> Result<Vec<Near<Person>>>;
}

fn main() {}
