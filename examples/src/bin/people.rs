//! People who are found by what they hold: indexes, finders, pages, distances, references, and a rebuild with its progress.
//!
//! Teaches: which index serves which question, typed filters beside finders from method names, lists without end, unique
//! values, what refers to what, and filling an index that was added to data that is there.
//!
//! Runs on the memory backend: `cargo run -p kvrepo-examples --bin people`.
//! On a server: `KVREPO_URL=redis://127.0.0.1:6379 cargo run -p kvrepo-examples --bin people`.

use std::io::Write;

use futures_util::TryStreamExt;
use kvrepo::{
    Distance, Error, Example, KvEntity, KvNested, Near, Page, PageRequest, Point, Ref, Repository, Result,
    Store,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "companies")]
struct Company {
    #[id]
    id: String,
    name: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "people")]
struct Person {
    #[id]
    id: Option<String>,
    firstname: String,
    #[indexed]
    lastname: String,
    #[indexed(range)]
    age: u8,
    #[indexed(unique)]
    email: Option<String>,
    #[indexed]
    skills: Vec<String>,
    #[nested]
    address: Address,
    #[reference]
    employer: Option<Ref<Company>>,
}

#[derive(Debug, Clone, Serialize, Deserialize, KvNested)]
struct Address {
    #[indexed]
    city: String,
    #[geo_indexed]
    position: Option<Point>,
}

/// Each name says what its method finds; a name that says something else does not compile.
#[kvrepo::repository(Person)]
trait People {
    async fn find_by_lastname(&self, lastname: &str) -> Result<Vec<Person>>;
    async fn find_by_email(&self, email: &str) -> Result<Option<Person>>;
    async fn find_by_address_city_and_age_between(
        &self,
        city: &str,
        least: u8,
        greatest: u8,
    ) -> Result<Vec<Person>>;
    async fn find_first_3_by_address_city_order_by_age_desc(&self, city: &str) -> Result<Vec<Person>>;
    async fn find_by_skills_in(&self, skills: &[&str], page: PageRequest) -> Result<Page<Person>>;
    async fn find_by_address_position_near(
        &self,
        point: Point,
        distance: Distance,
    ) -> Result<Vec<Near<Person>>>;
    async fn count_by_address_city(&self, city: &str) -> Result<u64>;
    async fn exists_by_email(&self, email: &str) -> Result<bool>;
    async fn delete_by_age_less_than(&self, age: u8) -> Result<u64>;
}

const CITIES: [(&str, f64, f64); 4] = [
    ("Oslo", 10.75, 59.91),
    ("Moss", 10.66, 59.43),
    ("Bergen", 5.32, 60.39),
    ("Tromsø", 18.96, 69.65),
];
const LASTNAMES: [&str; 5] = ["Dahl", "Moe", "Lie", "Berg", "Vik"];
const SKILLS: [&str; 3] = ["rust", "java", "cooking"];

/// Somebody; the same for the same number.
fn person(i: usize) -> Person {
    let (city, lon, lat) = CITIES[i % CITIES.len()];
    Person {
        id: None,
        firstname: format!("Kim {i}"),
        lastname: LASTNAMES[i % LASTNAMES.len()].into(),
        age: (16 + i * 7 % 60) as u8,
        email: i.is_multiple_of(2).then(|| format!("kim{i}@example.org")),
        skills: vec![SKILLS[i % 3].into(), SKILLS[i / 3 % 3].into()],
        address: Address {
            city: city.into(),
            position: Some(Point {
                lon: lon + i as f64 / 10_000.0,
                lat,
            }),
        },
        employer: Some(Ref::new(format!("c{}", i % 4))),
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let store = match std::env::var("KVREPO_URL") {
        Ok(url) => Store::connect(&url).await?,
        Err(_) => Store::in_memory(),
    };
    let (people, companies) = (store.repository::<Person>(), store.repository::<Company>());
    let mut all: Vec<Person> = (0..400).map(person).collect();
    people.save_all(&mut all).await?;
    for i in 0..3 {
        let (id, name) = (format!("c{i}"), format!("Company {i}"));
        companies.save(&mut Company { id, name }).await?;
    }

    by_name(&people).await?;
    by_filter(&people).await?;
    unique(&people).await?;
    employers(&people, &companies).await?;
    rebuild(&store).await?;

    people.delete_all().await?;
    companies.delete_all().await?;
    Ok(())
}

/// Finders from method names.
async fn by_name(people: &Repository<Person>) -> Result<()> {
    println!("{} are called Dahl", people.find_by_lastname("Dahl").await?.len());
    let middle = people
        .find_by_address_city_and_age_between("Oslo", 30, 40)
        .await?;
    println!("{} in Oslo are from 30 to 40", middle.len());
    for person in people
        .find_first_3_by_address_city_order_by_age_desc("Bergen")
        .await?
    {
        println!(
            "  among the oldest in Bergen: {} {}, {}",
            person.firstname, person.lastname, person.age
        );
    }
    let page = people
        .find_by_skills_in(&["rust", "cooking"], PageRequest::first(5))
        .await?;
    println!(
        "{} cook, or write Rust, on {} pages",
        page.total,
        page.total_pages()
    );
    let oslo = Point {
        lon: 10.75,
        lat: 59.91,
    };
    let near = people
        .find_by_address_position_near(oslo, Distance::meters(200.0))
        .await?;
    for Near { value, distance, .. } in near.iter().take(3) {
        println!(
            "  {} lives {distance:.0} from the middle of Oslo",
            value.firstname
        );
    }
    println!(
        "{} in Moss, {} under 18 taken out",
        people.count_by_address_city("Moss").await?,
        people.delete_by_age_less_than(18).await?
    );
    Ok(())
}

/// The same by typed filters, and what method names cannot say.
async fn by_filter(people: &Repository<Person>) -> Result<()> {
    let p = Person::fields();
    let filter = || p.address.city.eq("Oslo") & p.skills.eq("rust") & !p.lastname.is_in(["Dahl", "Moe"]);
    println!(
        "{} in Oslo write Rust and are neither Dahl nor Moe",
        people.find(filter()).count().await?
    );
    println!("{}", people.find(filter()).sort(p.age.desc()).limit(3).explain()?);

    // A list without end: each slice goes on where the last one ended.
    let (mut cursor, mut slices, mut seen) = (None::<String>, 0, 0);
    loop {
        let mut find = people.find(p.age.ge(18)).sort(p.lastname.asc()).limit(100);
        if let Some(cursor) = cursor.take() {
            find = find.after(cursor);
        }
        let slice = find.slice().await?;
        slices += 1;
        seen += slice.items.len();
        match slice.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    println!("{seen} grown up, seen in {slices} slices");

    let mut probe = person(0);
    (probe.email, probe.employer) = (None, None);
    let like = Example::of(&probe).ignoring(p.age).ignoring(p.skills);
    println!(
        "{} are like {} {}",
        people.find_by_example(like).count().await?,
        probe.firstname,
        probe.lastname
    );
    Ok(())
}

/// A value that only one may have.
async fn unique(people: &Repository<Person>) -> Result<()> {
    let mut other = person(1);
    other.email = Some("kim2@example.org".into());
    match people.insert(&mut other).await {
        Err(Error::UniqueViolation { field, .. }) => println!("that {field} is somebody else's"),
        other => println!("unexpected: {other:?}"),
    }
    let taken = people.exists_by_email("kim2@example.org").await?;
    let who = people.find_by_email("kim2@example.org").await?;
    println!("taken: {taken}, by {:?}", who.map(|person| person.firstname));
    Ok(())
}

/// What people refer to, in one round trip for all of them.
async fn employers(people: &Repository<Person>, companies: &Repository<Company>) -> Result<()> {
    let p = Person::fields();
    let some = people.find(p.lastname.eq("Vik")).await?;
    let employers = p.employer.load_all(companies, &some).await?;
    println!(
        "{} called Vik work for {} companies; {} of those that are named are gone",
        some.len(),
        employers.entities().len(),
        employers.dangling.len()
    );
    Ok(())
}

/// An earlier version of the same type, without indexes.
#[derive(Debug, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "notes")]
struct OldNote {
    #[id]
    id: u32,
    topic: String,
}

#[derive(Debug, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "notes")]
struct Note {
    #[id]
    id: u32,
    #[indexed]
    topic: String,
}

/// An index that was added to data that is there is filled while the service runs.
async fn rebuild(store: &Store) -> Result<()> {
    let (old, notes) = (store.repository::<OldNote>(), store.repository::<Note>());
    let note = |id| OldNote {
        id,
        topic: format!("topic {}", id % 10),
    };
    let mut all: Vec<OldNote> = (0..2_000).map(note).collect();
    old.save_all(&mut all).await?;
    let topic = Note::fields().topic;
    println!(
        "before: {} about topic 7",
        notes.find(topic.eq("topic 7")).count().await?
    );
    let (mut steps, mut mended) = (notes.rebuild_indexes().stream(), 0);
    while let Some(progress) = steps.try_next().await? {
        mended += progress.findings.len();
        let part = (progress.done * 40 / progress.total.max(1)) as usize;
        print!(
            "\r[{:<40}] {} of {}, {mended} mended",
            "#".repeat(part),
            progress.done,
            progress.total
        );
        let _ = std::io::stdout().flush();
    }
    println!();
    println!(
        "after: {} about topic 7",
        notes.find(topic.eq("topic 7")).count().await?
    );
    notes.delete_all().await?;
    Ok(())
}
