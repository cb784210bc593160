//! Derived finders: each word of their names, and each result.

use std::time::{Duration, SystemTime};

use futures_util::{Stream, TryStreamExt};
use kvrepo::{
    BoundingBox, Circle, Distance, Error, KvEntity, KvNested, Near, Page, PageRequest, Point, Ref,
    Repository, Result, Sort,
};
use serde::{Deserialize, Serialize};

use crate::world::World;

/// Somebody to be found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "sailors")]
pub struct Sailor {
    #[id]
    pub id: String,
    #[indexed(range)]
    pub name: String,
    #[indexed]
    pub city: String,
    #[indexed]
    trade: Option<Trade>,
    #[indexed(range)]
    pub age: Option<u32>,
    #[indexed(range)]
    pub score: f64,
    #[indexed(range)]
    pub since: SystemTime,
    #[indexed]
    pub active: bool,
    #[indexed]
    pub logged_in: bool,
    #[indexed]
    pub tags: Vec<String>,
    #[indexed(unique)]
    pub email: String,
    pub rank: Option<i32>,
    #[nested]
    pub address: Option<Address>,
    #[nested]
    pub homes: Vec<Address>,
    #[geo_indexed]
    pub spot: Option<Point>,
    #[reference]
    #[indexed]
    pub captain: Option<Ref<Self>>,
}

/// Known to nobody else.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Trade {
    Cook,
    Smith,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvNested)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    #[indexed]
    pub city_name: String,
    #[nested]
    pub house: House,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvNested)]
pub struct House {
    #[indexed(range)]
    pub floor: i16,
}

impl Address {
    fn new(city: &str, floor: i16) -> Self {
        Self {
            city_name: city.to_owned(),
            house: House { floor },
        }
    }
}

/// So many days after the beginning.
fn day(days: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(days * 86_400)
}

async fn some(world: &World) -> Repository<Sailor> {
    let sailors = world.repository::<Sailor>().await;
    let sailor = |id: &str, name: &str, city: &str, trade: Option<Trade>, age: u32| Sailor {
        id: id.to_owned(),
        name: name.to_owned(),
        city: city.to_owned(),
        trade,
        age: Some(age).filter(|age| *age > 0),
        score: f64::from(age) - 30.5,
        since: day(age.into()),
        active: age > 30,
        logged_in: age == 30,
        tags: vec![city.to_lowercase(), format!("{age}")],
        email: format!("{id}@x"),
        rank: Some(-i32::try_from(age).unwrap()),
        address: None,
        homes: Vec::new(),
        spot: None,
        captain: None,
    };
    let (cook, smith) = (Some(Trade::Cook), Some(Trade::Smith));
    let mut all = [
        Sailor {
            address: Some(Address::new("Rome", 3)),
            spot: Some(Point::new(10.75, 59.91)),
            ..sailor("a", "Ann", "Oslo", cook, 30)
        },
        Sailor {
            address: Some(Address::new("Rome", -1)),
            spot: Some(Point::new(10.66, 59.43)),
            captain: Some(Ref::new("a".to_owned())),
            ..sailor("b", "Anna", "Oslo", smith, 9)
        },
        Sailor {
            homes: vec![Address::new("Bonn", 1), Address::new("Rome", 2)],
            spot: Some(Point::new(5.32, 60.39)),
            captain: Some(Ref::new("a".to_owned())),
            ..sailor("c", "Bo", "Bergen", cook, 41)
        },
        sailor("d", "Bea", "Bergen", None, 30),
        Sailor {
            homes: vec![Address::new("Bonn", 4)],
            ..sailor("e", "Cleo", "Moss", smith, 0)
        },
    ];
    sailors.save_all(&mut all).await.unwrap();
    sailors
}

fn ids<'s>(sailors: impl IntoIterator<Item = &'s Sailor>) -> String {
    sailors.into_iter().map(|sailor| sailor.id.as_str()).collect()
}

/// Awaits finders, and compares the ids of what they find.
macro_rules! found {
    ($($finder:expr => $expected:expr;)*) => {$(
        assert_eq!(ids(&$finder.await.unwrap()), $expected, "{}", stringify!($finder));
    )*};
}

#[kvrepo::repository(Sailor)]
trait Verbs {
    async fn find_by_city(&self, city: &str) -> Result<Vec<Sailor>>;
    async fn read_by_city(&self, city: String) -> Result<Vec<Sailor>>;
    async fn get_by_city(&self, city: &str) -> Result<Vec<Sailor>>;
    async fn query_by_city(&self, city: &str) -> Result<Vec<Sailor>>;
    async fn find_all_by_city(&self, city: &str) -> Result<Vec<Sailor>>;
    async fn find_distinct_by_city_or_age(&self, city: &str, age: u32) -> Result<Vec<Sailor>>;
    fn stream_by_city(&self, city: &str) -> impl Stream<Item = Result<Sailor>> + Send;
    fn stream_top_2_by_age_order_by_rank(&self, age: u32) -> impl Stream<Item = Result<Sailor>> + Send;
    async fn count_by_city(&self, city: &str) -> Result<u64>;
    async fn exists_by_city(&self, city: &str) -> Result<bool>;
    async fn delete_by_city(&self, city: &str) -> Result<u64>;
    async fn remove_by_city_and_age(&self, city: &str, age: u32) -> Result<u64>;
}

pub async fn every_verb_does_what_it_says(world: &World) {
    let sailors = some(world).await;
    found! {
        sailors.find_by_city("Oslo") => "ab";
        sailors.read_by_city("Oslo".to_owned()) => "ab";
        sailors.get_by_city("Moss") => "e";
        sailors.query_by_city("Paris") => "";
        sailors.find_all_by_city("Bergen") => "cd";
        sailors.find_distinct_by_city_or_age("Oslo", 30) => "abd";
        sailors.stream_by_city("Oslo").try_collect::<Vec<_>>() => "ab";
        sailors.stream_top_2_by_age_order_by_rank(30).try_collect::<Vec<_>>() => "ad";
    }
    assert_eq!(sailors.count_by_city("Oslo").await.unwrap(), 2);
    assert_eq!(sailors.count_by_city("Paris").await.unwrap(), 0);
    assert!(sailors.exists_by_city("Moss").await.unwrap());
    assert!(!sailors.exists_by_city("Paris").await.unwrap());
    assert_eq!(sailors.remove_by_city_and_age("Bergen", 41).await.unwrap(), 1);
    assert_eq!(sailors.delete_by_city("Oslo").await.unwrap(), 2);
    assert_eq!(sailors.delete_by_city("Oslo").await.unwrap(), 0);
    let left = sailors.find_all().await.unwrap();
    assert_eq!(sailors.count().await.unwrap(), 2);
    assert!(left.iter().all(|sailor| ["d", "e"].contains(&sailor.id.as_str())));
}

#[kvrepo::repository(Sailor)]
trait Operators {
    async fn find_by_city_is(&self, city: &str) -> Result<Vec<Sailor>>;
    async fn find_by_city_equals(&self, city: &str) -> Result<Vec<Sailor>>;
    async fn find_by_trade(&self, trade: Trade) -> Result<Vec<Sailor>>;
    async fn find_by_tags(&self, tag: &str) -> Result<Vec<Sailor>>;
    async fn find_by_captain(&self, captain: &Ref<Sailor>) -> Result<Vec<Sailor>>;
    async fn find_by_city_in(&self, cities: &[&str]) -> Result<Vec<Sailor>>;
    async fn find_by_age_is_in(&self, ages: Vec<u32>) -> Result<Vec<Sailor>>;
    async fn find_by_trade_in(&self, trades: [Trade; 2]) -> Result<Vec<Sailor>>;
    async fn find_by_city_and_trade_not(&self, city: &str, trade: Trade) -> Result<Vec<Sailor>>;
    async fn find_by_trade_is_not_and_age_less_than(&self, trade: Trade, age: u32) -> Result<Vec<Sailor>>;
    async fn find_by_age_between(&self, low: u32, high: u32) -> Result<Vec<Sailor>>;
    async fn find_by_age_less_than(&self, age: u32) -> Result<Vec<Sailor>>;
    async fn find_by_age_less_than_equal(&self, age: &u32) -> Result<Vec<Sailor>>;
    async fn find_by_age_greater_than(&self, age: u32) -> Result<Vec<Sailor>>;
    async fn find_by_age_greater_than_equal(&self, age: u32) -> Result<Vec<Sailor>>;
    async fn find_by_score_greater_than(&self, score: f64) -> Result<Vec<Sailor>>;
    async fn find_by_score_between(&self, low: f64, high: f64) -> Result<Vec<Sailor>>;
    async fn find_by_since_before(&self, time: SystemTime) -> Result<Vec<Sailor>>;
    async fn find_by_since_after(&self, time: SystemTime) -> Result<Vec<Sailor>>;
    async fn find_by_name_starting_with(&self, prefix: &str) -> Result<Vec<Sailor>>;
    async fn find_by_active_true(&self) -> Result<Vec<Sailor>>;
    async fn find_by_active_is_false_and_city(&self, city: &str) -> Result<Vec<Sailor>>;
    async fn find_by_active(&self, active: bool) -> Result<Vec<Sailor>>;
    async fn find_by_email(&self, email: &str) -> Result<Option<Sailor>>;
}

pub async fn every_operator_finds_what_it_says(world: &World) {
    let sailors = some(world).await;
    found! {
        sailors.find_by_city_is("Oslo") => "ab";
        sailors.find_by_city_equals("Oslo") => "ab";
        sailors.find_by_trade(Trade::Smith) => "be";
        sailors.find_by_tags("bergen") => "cd";
        sailors.find_by_captain(&Ref::new("a".to_owned())) => "bc";
        sailors.find_by_city_in(&["Moss", "Oslo", "Paris"]) => "abe";
        sailors.find_by_city_in(&[]) => "";
        sailors.find_by_age_is_in(vec![41, 9, 9]) => "bc";
        sailors.find_by_trade_in([Trade::Cook, Trade::Smith]) => "abce";
        // Who has none is not a cook.
        sailors.find_by_city_and_trade_not("Bergen", Trade::Cook) => "d";
        sailors.find_by_trade_is_not_and_age_less_than(Trade::Smith, 41) => "ad";
        sailors.find_by_age_between(9, 30) => "abd";
        sailors.find_by_age_between(30, 9) => "";
        sailors.find_by_age_less_than(30) => "b";
        sailors.find_by_age_less_than_equal(&30) => "abd";
        sailors.find_by_age_greater_than(30) => "c";
        sailors.find_by_age_greater_than_equal(30) => "acd";
        sailors.find_by_score_greater_than(-0.5) => "c";
        sailors.find_by_score_greater_than(f64::NAN) => "";
        sailors.find_by_score_between(-21.5, -0.5) => "abd";
        sailors.find_by_score_between(-100.0, f64::NAN) => "";
        sailors.find_by_since_before(day(30)) => "be";
        sailors.find_by_since_after(day(30)) => "c";
        sailors.find_by_name_starting_with("Ann") => "ab";
        sailors.find_by_name_starting_with("") => "abcde";
        sailors.find_by_name_starting_with("nn") => "";
        sailors.find_by_active_true() => "c";
        sailors.find_by_active_is_false_and_city("Bergen") => "d";
        sailors.find_by_active(false) => "abde";
        sailors.find_by_email("c@x") => "c";
        sailors.find_by_email("z@x") => "";
    }
}

#[kvrepo::repository(Sailor)]
trait Precedence {
    async fn find_by_city_or_trade_and_age(&self, city: &str, trade: Trade, age: u32) -> Result<Vec<Sailor>>;
    async fn find_by_city_and_trade_or_age_and_active_true_or_id(
        &self,
        city: &str,
        trade: Trade,
        age: u32,
        id: &str,
    ) -> Result<Vec<Sailor>>;
    async fn count_by_city_and_trade_not_or_city_and_age_not(
        &self,
        city: &str,
        trade: Trade,
        other: &str,
        age: u32,
    ) -> Result<u64>;
}

pub async fn and_binds_closer_than_or(world: &World) {
    let sailors = some(world).await;
    found! {
        // Or else a alone.
        sailors.find_by_city_or_trade_and_age("Oslo", Trade::Cook, 41) => "abc";
        sailors.find_by_city_or_trade_and_age("Moss", Trade::Cook, 30) => "ae";
        sailors.find_by_city_and_trade_or_age_and_active_true_or_id("Oslo", Trade::Smith, 41, "e") => "bce";
        sailors.find_by_city_and_trade_or_age_and_active_true_or_id("Oslo", Trade::Smith, 30, "zz") => "b";
    }
    let counted = sailors.count_by_city_and_trade_not_or_city_and_age_not("Oslo", Trade::Cook, "Bergen", 41);
    assert_eq!(counted.await.unwrap(), 2);
}

#[kvrepo::repository(Sailor)]
trait Paths {
    async fn find_by_address_city_name(&self, city: &str) -> Result<Vec<Sailor>>;
    async fn find_by_address_house_floor_less_than(&self, floor: i16) -> Result<Vec<Sailor>>;
    async fn find_by_homes_city_name_in(&self, cities: Vec<String>) -> Result<Vec<Sailor>>;
    async fn find_by_homes_house_floor_between(&self, low: i16, high: i16) -> Result<Vec<Sailor>>;
    async fn find_by_city_order_by_address_house_floor_desc(&self, city: &str) -> Result<Vec<Sailor>>;
    async fn find_by_logged_in(&self, logged_in: bool) -> Result<Vec<Sailor>>;
    async fn find_by_logged_in_true_and_city(&self, city: &str) -> Result<Vec<Sailor>>;
    async fn find_by_id(&self, id: &str) -> Result<Option<Sailor>>;
    async fn find_by_id_in(&self, ids: &[&str]) -> Result<Vec<Sailor>>;
    async fn find_by_id_and_city(&self, id: String, city: &str) -> Result<Option<Sailor>>;
    async fn find_by_city_and_id_not(&self, city: &str, id: &str) -> Result<Vec<Sailor>>;
    async fn count_by_id(&self, id: &str) -> Result<u64>;
    async fn find_by_city_in_order_by_id(&self, cities: [&str; 2]) -> Result<Vec<Sailor>>;
}

pub async fn fields_of_all_kinds_are_named(world: &World) {
    let sailors = some(world).await;
    found! {
        sailors.find_by_address_city_name("Rome") => "ab";
        sailors.find_by_address_house_floor_less_than(0) => "b";
        sailors.find_by_homes_city_name_in(vec!["Rome".into(), "Bonn".into()]) => "ce";
        sailors.find_by_homes_house_floor_between(2, 3) => "c";
        sailors.find_by_city_order_by_address_house_floor_desc("Oslo") => "ab";
        // Words of ours in the names of fields.
        sailors.find_by_logged_in(true) => "ad";
        sailors.find_by_logged_in_true_and_city("Oslo") => "a";
        Paths::find_by_id(&sailors, "b") => "b";
        sailors.find_by_id_in(&["e", "zz", "a"]) => "ae";
        sailors.find_by_id_and_city("a".to_owned(), "Oslo") => "a";
        sailors.find_by_id_and_city("a".to_owned(), "Moss") => "";
        sailors.find_by_city_and_id_not("Oslo", "a") => "b";
        sailors.find_by_city_in_order_by_id(["Oslo", "Moss"]) => "abe";
    }
    assert_eq!(sailors.count_by_id("a").await.unwrap(), 1);
}

#[kvrepo::repository(Sailor)]
trait Parts {
    async fn find_by_city_in_order_by_age_desc(&self, cities: [&str; 2]) -> Result<Vec<Sailor>>;
    async fn find_by_age_greater_than_order_by_city_asc_rank_asc(&self, age: u32) -> Result<Vec<Sailor>>;
    async fn find_first_by_age_order_by_name_desc(&self, age: u32) -> Result<Option<Sailor>>;
    async fn find_first_2_by_age_greater_than_order_by_age(&self, age: u32) -> Result<Vec<Sailor>>;
    async fn find_top3_by_age_greater_than(&self, age: u32) -> Result<Vec<Sailor>>;
    async fn find_by_active_false(&self, sort: Sort<Sailor>) -> Result<Vec<Sailor>>;
    async fn find_by_active_false_order_by_age_desc(&self, sort: Sort<Sailor>) -> Result<Vec<Sailor>>;
    async fn read_by_active(&self, active: bool, page: PageRequest) -> Result<Page<Sailor>>;
    async fn get_by_active(
        &self,
        active: bool,
        sort: Sort<Sailor>,
        page: PageRequest,
    ) -> Result<Page<Sailor>>;
    async fn query_by_active_order_by_rank(&self, active: bool, page: PageRequest) -> Result<Page<Sailor>>;
    fn stream_by_active_false(&self, sort: Sort<Sailor>) -> impl Stream<Item = Result<Sailor>> + Send;
}

pub async fn what_is_found_is_put_in_order_and_then_cut(world: &World) {
    let sailors = some(world).await;
    let fields = Sailor::fields();
    found! {
        // Who has no age comes last of a descending order.
        sailors.find_by_city_in_order_by_age_desc(["Moss", "Oslo"]) => "abe";
        sailors.find_by_age_greater_than_order_by_city_asc_rank_asc(0) => "cdab";
        sailors.find_first_by_age_order_by_name_desc(30) => "d";
        sailors.find_first_2_by_age_greater_than_order_by_age(9) => "ad";
        sailors.find_top3_by_age_greater_than(0) => "abc";
        sailors.find_by_active_false(fields.name.desc()) => "edba";
        // The name's order first.
        sailors.find_by_active_false_order_by_age_desc(fields.name.desc()) => "dabe";
        sailors.stream_by_active_false(fields.rank.asc()).try_collect::<Vec<_>>() => "adbe";
    }
    let page = sailors
        .read_by_active(false, PageRequest::of(1, 3))
        .await
        .unwrap();
    assert_eq!((ids(&page.items).as_str(), page.total), ("e", 4));
    let page = sailors
        .get_by_active(false, fields.name.desc(), PageRequest::first(2))
        .await
        .unwrap();
    assert_eq!((ids(&page.items).as_str(), page.total), ("ed", 4));
    let page = sailors
        .query_by_active_order_by_rank(false, PageRequest::of(1, 2))
        .await
        .unwrap();
    assert_eq!((ids(&page.items).as_str(), page.total_pages()), ("be", 2));
}

#[kvrepo::repository(Sailor)]
trait Places {
    async fn find_by_spot_near(&self, point: Point, distance: Distance) -> Result<Vec<Near<Sailor>>>;
    async fn read_by_spot_near(&self, point: Point, distance: Distance) -> Result<Vec<Sailor>>;
    async fn find_first_by_spot_near(&self, point: Point, distance: Distance) -> Result<Option<Sailor>>;
    async fn find_by_city_not_and_spot_near(
        &self,
        city: &str,
        point: &Point,
        distance: Distance,
    ) -> Result<Vec<Near<Sailor>>>;
    async fn find_by_spot_within(&self, circle: Circle) -> Result<Vec<Sailor>>;
    async fn count_by_spot_within_and_trade(&self, area: &BoundingBox, trade: Trade) -> Result<u64>;
}

pub async fn near_is_the_nearest_first(world: &World) {
    let sailors = some(world).await;
    let (moss, far) = (Point::new(10.66, 59.43), Distance::kilometers(1000.0));
    let near = sailors.find_by_spot_near(moss, far).await.unwrap();
    assert_eq!(ids(near.iter().map(|near| &near.value)), "bac");
    assert!(near[0].distance < Distance::meters(10.0), "{near:?}");
    assert!(
        (50.0..60.0).contains(&near[1].distance.in_kilometers()),
        "{near:?}"
    );
    let near = sailors
        .find_by_city_not_and_spot_near("Oslo", &moss, far)
        .await
        .unwrap();
    assert_eq!(ids(near.iter().map(|near| &near.value)), "c");
    found! {
        sailors.read_by_spot_near(moss, Distance::kilometers(100.0)) => "ba";
        sailors.find_first_by_spot_near(moss, far) => "b";
        sailors.find_by_spot_within(Circle::new(moss, Distance::kilometers(100.0))) => "ab";
    }
    let area = BoundingBox::new(moss, far, far);
    let cooks = sailors.count_by_spot_within_and_trade(&area, Trade::Cook).await;
    assert_eq!(cooks.unwrap(), 2);
    let nowhere = sailors.read_by_spot_near(Point::new(200.0, 0.0), far).await;
    assert!(
        matches!(nowhere, Err(Error::InvalidSetting { .. })),
        "{nowhere:?}"
    );
}

#[kvrepo::repository(Sailor)]
trait Ones {
    async fn get_by_city_is(&self, city: &str) -> Result<Option<Sailor>>;
    async fn find_first_by_city(&self, city: &str) -> Result<Option<Sailor>>;
}

pub async fn several_for_an_option_are_an_error_and_no_choice(world: &World) {
    let sailors = some(world).await;
    let oslo = sailors.get_by_city_is("Oslo").await;
    assert!(matches!(oslo, Err(Error::NotUnique { .. })), "{oslo:?}");
    found! {
        sailors.get_by_city_is("Moss") => "e";
        sailors.get_by_city_is("Paris") => "";
        sailors.find_first_by_city("Oslo") => "a";
    }
}

pub async fn each_call_has_its_own_arguments(world: &World) {
    let sailors = some(world).await;
    // C86. One after the other, and at once; none waits for another.
    found! {
        sailors.find_by_city("Oslo") => "ab";
        sailors.find_by_city("Moss") => "e";
        sailors.find_by_city("Oslo") => "ab";
    }
    let (bergen, moss) = tokio::join!(sailors.find_by_city("Bergen"), sailors.find_by_city("Moss"));
    assert_eq!(
        (ids(&bergen.unwrap()), ids(&moss.unwrap())),
        ("cd".into(), "e".into())
    );
    // What a name means to the server is a text as any other.
    for odd in ["*", "", "a b", "x:y", "Os?o", "Oslo\0", "\u{1f980}"] {
        assert!(!sailors.exists_by_city(odd).await.unwrap(), "{odd}");
        let mut one = sailors.find_by_city("Moss").await.unwrap();
        one[0].city = odd.to_owned();
        sailors.save(&mut one[0]).await.unwrap();
        found! { sailors.find_by_city(odd) => "e"; }
        one[0].city = "Moss".to_owned();
        sailors.save(&mut one[0]).await.unwrap();
    }
}

pub async fn what_has_expired_is_found_by_no_finder(world: &World) {
    let sailors = some(world).await;
    let mut cleo = sailors.find_by_email("e@x").await.unwrap().unwrap();
    let term = Duration::from_millis(300);
    sailors.save(&mut cleo).time_to_live(term).await.unwrap();
    assert!(sailors.exists_by_city("Moss").await.unwrap());
    world.pass(term + Duration::from_millis(10)).await;
    assert!(!sailors.exists_by_city("Moss").await.unwrap());
    assert_eq!(sailors.count_by_city("Moss").await.unwrap(), 0);
    assert_eq!(sailors.find_by_email("e@x").await.unwrap(), None);
    found! { sailors.find_by_city("Moss") => ""; }
    assert_eq!(sailors.delete_by_city("Moss").await.unwrap(), 0);
}

/// An error of the application's.
#[derive(Debug)]
pub struct Refused(String);

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

#[kvrepo::repository(Sailor)]
trait Application {
    async fn query_by_city_is(&self, city: &str) -> Result<Option<Sailor>, Refused>;

    /// With a body, which is left as it is.
    async fn name_of(&self, city: &str) -> Result<String, Refused> {
        let found = self.query_by_city_is(city).await?;
        Ok(found.map_or_else(|| "nobody".to_owned(), |sailor| sailor.name))
    }
}

pub async fn an_application_builds_on_finders(world: &World) {
    async fn names(sailors: impl Application) -> Result<String, Refused> {
        Ok([sailors.name_of("Moss").await?, sailors.name_of("Paris").await?].join(" "))
    }

    let sailors = some(world).await;
    assert_eq!(names(sailors.clone()).await.unwrap(), "Cleo nobody");
    let Err(Refused(reason)) = Application::query_by_city_is(&sailors, "Oslo").await else {
        panic!("there are two");
    };
    assert!(!reason.is_empty());
    // A finder can be sent to another task.
    let task = tokio::spawn(async move { sailors.name_of("Moss").await });
    assert_eq!(task.await.unwrap().unwrap(), "Cleo");
}
