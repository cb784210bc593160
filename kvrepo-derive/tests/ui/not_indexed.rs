//! What a field without the index for it is not asked.

use std::collections::BTreeMap;

use kvrepo::{Circle, Distance, KvEntity, Point, Repository};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, KvEntity)]
struct Person {
    #[id]
    id: String,
    name: String,
    #[indexed]
    city: String,
    #[indexed(range)]
    age: u8,
    #[indexed]
    marks: BTreeMap<String, String>,
    notes: BTreeMap<String, String>,
    spot: Point,
}

#[derive(Serialize, Deserialize, KvEntity)]
struct Other {
    #[id]
    id: String,
    #[indexed]
    name: String,
}

fn find(people: &Repository<Person>) {
    let p = Person::fields();
    let _ = people.find(p.name.eq("Ann"));
    let _ = people.find(p.city.lt("Oslo"));
    let _ = people.find(p.age.starts_with(1));
    let _ = people.find(p.age.eq("seven"));
    let _ = people.find(p.marks.eq("star"));
    let _ = people.find(p.notes.key("arm").eq("star"));
    let _ = people.find(p.city.is_true());
    let _ = people.find(p.spot.near(Point::new(0.0, 0.0), Distance::meters(1.0)));
    let _ = people.find(p.city.within(Circle::new(Point::new(0.0, 0.0), Distance::meters(1.0))));
    let _ = people.find(p.city.eq("Oslo").not());
    let _ = people.find(p.city.eq("Oslo") | !p.age.eq(7));
    let _ = people.find(Other::fields().name.eq("x"));
    let _ = people.find_all().sort(Other::fields().name.asc());
}

fn main() {}
