//! Finding by what entities hold: which, in what order, and which part of them.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::TryStreamExt;
use kvrepo::{
    BoundingBox, Distance, Error, Filter, KeyspaceEvents, KvEntity, PageRequest, Point, Repository, Sort,
    Store,
};
use serde::{Deserialize, Serialize};

use crate::world::World;

/// A person to be looked for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "folk")]
pub struct Person {
    #[id]
    pub id: String,
    #[indexed]
    pub city: String,
    #[indexed]
    pub trade: Option<String>,
    #[indexed(range)]
    pub age: Option<i64>,
    pub rank: Option<f64>,
    pub note: Option<String>,
    #[geo_indexed]
    pub spot: Option<Point>,
}

impl Person {
    fn new(id: &str, city: &str, trade: &str, age: i64) -> Self {
        Self {
            id: id.to_owned(),
            city: city.to_owned(),
            trade: Some(trade.to_owned()).filter(|trade| !trade.is_empty()),
            age: Some(age),
            ..Self::default()
        }
    }
}

async fn some(world: &World) -> Repository<Person> {
    let people = world.repository::<Person>().await;
    let mut all = [
        Person::new("a", "Oslo", "cook", 30),
        Person::new("b", "Oslo", "smith", -5),
        Person::new("c", "Bergen", "cook", 41),
        Person::new("d", "Bergen", "", 30),
        Person::new("e", "Moss", "smith", 9),
    ];
    people.save_all(&mut all).await.unwrap();
    people
}

async fn ids(people: &Repository<Person>, filter: Filter<Person>) -> String {
    people.find(filter).ids().await.unwrap().concat()
}

pub async fn filters_are_put_together_with_the_usual_precedence(world: &World) {
    let people = some(world).await;
    let p = Person::fields();
    let city = |city: &str| p.city.eq(city);
    let trade = |trade: &str| p.trade.eq(trade);
    for (filter, expected) in [
        (city("Oslo"), "ab"),
        (city("Oslo").and(trade("cook")), "a"),
        (city("Oslo").or(trade("cook")), "abc"),
        // A or (B and C), and (A and B) or (C and D).
        (city("Moss").or(city("Bergen").and(trade("cook"))), "ce"),
        (city("Moss") | city("Bergen") & trade("cook"), "ce"),
        ((city("Moss") | city("Bergen")) & trade("cook"), "c"),
        (city("Oslo") & trade("cook") | city("Bergen") & p.age.lt(41), "ad"),
        (city("Oslo") & !trade("cook"), "b"),
        (city("Bergen") & !trade("cook"), "d"),
        (!trade("cook") & city("Oslo"), "b"),
        (
            p.age.ge(0).and(city("Oslo").not()).and(trade("smith").not()),
            "cd",
        ),
        (p.age.ge(0) & !(city("Oslo") | trade("smith")), "cd"),
        (p.age.ge(0) & !(city("Oslo") & trade("smith")), "acde"),
        (city("Oslo") & !!trade("cook"), "a"),
        (p.city.is_in(["Moss", "Oslo", "Paris"]), "abe"),
        (p.city.is_in(["Moss", "Bergen"]) & p.age.is_in([9, 41, 100]), "ce"),
        (p.city.is_in::<&str>([]), ""),
        (p.id.eq("c") | p.id.eq("zz"), "c"),
        (p.id.is_in(["a", "c", "e"]) & trade("cook"), "ac"),
        (p.age.lt(30), "be"),
        (p.age.le(30), "abde"),
        (p.age.gt(30), "c"),
        (p.age.between(9, 30), "ade"),
        (p.age.between(30, 9), ""),
        (p.age.eq(-5), "b"),
        (p.age.gt(i64::MIN) & p.age.lt(0), "b"),
        (city("Oslo") & city("Bergen"), ""),
    ] {
        assert_eq!(ids(&people, filter).await, expected);
    }
    // Each call has its own values.
    let by_city = async |name: &str| ids(&people, p.city.eq(name)).await;
    assert_eq!(
        (by_city("Oslo").await, by_city("Moss").await),
        ("ab".into(), "e".into())
    );
}

pub async fn what_is_found_is_the_entities_in_order(world: &World) {
    let people = some(world).await;
    let p = Person::fields();
    let sorted = async |sort: Sort<Person>| {
        let found = people.find(p.age.ge(-9)).sort(sort).await.unwrap();
        found.iter().map(|person| person.id.as_str()).collect::<String>()
    };
    // Numbers as numbers, ties by id.
    assert_eq!(sorted(p.age.asc()).await, "beadc");
    assert_eq!(sorted(p.age.desc()).await, "cadeb");
    assert_eq!(sorted(p.city.asc().then(p.age.desc())).await, "cdeab");
    assert_eq!(sorted(p.city.desc().then(p.age.asc())).await, "baedc");
    // What is None comes first, and last of a descending sort.
    assert_eq!(sorted(p.trade.asc()).await, "dacbe");
    assert_eq!(sorted(p.trade.desc()).await, "beacd");
    assert_eq!(sorted(Sort::by_id()).await, "abcde");
    // Several calls are several keys; a field need not be indexed, and what is sorted is cut afterwards.
    let first = people
        .find(p.age.ge(-9))
        .sort(p.city.asc())
        .sort(p.age.asc())
        .limit(2)
        .await
        .unwrap();
    assert_eq!(
        first,
        [
            Person::new("d", "Bergen", "", 30),
            Person::new("c", "Bergen", "cook", 41)
        ]
    );
    let all = people.find_all().sort(p.age.desc()).limit(3).ids().await.unwrap();
    assert_eq!(all.concat(), "cad");
    for (id, rank) in [("a", 10.0), ("b", 9.5), ("c", -1.0), ("d", f64::INFINITY)] {
        people.update(id).set(p.rank, Some(rank)).await.unwrap();
    }
    let ranked = people.find_all().sort(p.rank.desc()).ids().await.unwrap();
    assert_eq!(ranked.concat(), "dabce");
}

pub async fn a_point_is_no_single_value_to_sort_by(world: &World) {
    let people = some(world).await;
    let refused = people
        .find_all()
        .sort(Person::fields().spot.asc())
        .await
        .unwrap_err();
    assert!(
        matches!(&refused, Error::InvalidSetting { what: "sort key", name, .. } if name == "Person.spot"),
        "{refused:?}"
    );
}

/// So many people in one city, of whom every third has the same age.
async fn crowd(world: &World, count: usize) -> Repository<Person> {
    let people = world.repository::<Person>().await;
    let mut all: Vec<Person> = (0..count)
        .map(|i| {
            Person::new(
                &format!("p{:03}", (i * 7919) % count),
                "Oslo",
                "cook",
                (i % 3) as i64,
            )
        })
        .collect();
    people.save_all(&mut all).await.unwrap();
    people
        .save(&mut Person::new("x", "Bergen", "cook", 1))
        .await
        .unwrap();
    people
}

pub async fn pages_have_each_entity_once(world: &World) {
    let people = crowd(world, 105).await;
    let p = Person::fields();
    for sort in [None, Some(())] {
        let mut walks = Vec::new();
        for _ in 0..2 {
            let (mut walk, mut request) = (Vec::new(), PageRequest::first(10));
            loop {
                let mut find = people.find(p.city.eq("Oslo"));
                if sort.is_some() {
                    find = find.sort(p.age.desc());
                }
                let page = find.page(request).await.unwrap();
                assert_eq!((page.total, page.total_pages()), (105, 11));
                walk.extend(page.items.iter().map(|person| person.id.clone()));
                if !page.has_next() {
                    assert_eq!(page.items.len(), 5);
                    break;
                }
                assert_eq!(page.items.len(), 10);
                request = request.next();
            }
            walks.push(walk);
        }
        assert_eq!(walks[0], walks[1]);
        assert_eq!(walks[0].len(), 105);
        assert_eq!(walks[0].iter().collect::<BTreeSet<_>>().len(), 105);
    }
    for number in [11, 12, usize::MAX] {
        let page = people
            .find(p.city.eq("Oslo"))
            .page(PageRequest::of(number, 10))
            .await
            .unwrap();
        assert_eq!((page.items.len(), page.total, page.has_next()), (0, 105, false));
    }
    let page = people.find_all().page(PageRequest::of(0, 200)).await.unwrap();
    assert_eq!((page.items.len(), page.total), (106, 106));
    let page = people.find_all().page(PageRequest::of(0, 0)).await.unwrap();
    assert_eq!((page.items.len(), page.total), (0, 106));
    let page = people
        .find(p.city.eq("Oslo"))
        .limit(15)
        .page(PageRequest::of(1, 10))
        .await
        .unwrap();
    assert_eq!((page.items.len(), page.total), (5, 15));
}

pub async fn slices_go_on_where_they_ended(world: &World) {
    let people = crowd(world, 50).await;
    let p = Person::fields();
    let sorts: [fn() -> Sort<Person>; 3] = [
        Sort::by_id,
        || Person::fields().age.desc(),
        || Person::fields().note.asc().then(Person::fields().age.asc()),
    ];
    for sort in sorts {
        let (mut seen, mut cursor, mut slices) = (Vec::new(), None::<String>, 0);
        loop {
            let mut find = people.find(p.city.eq("Oslo")).sort(sort()).limit(9);
            if let Some(cursor) = &cursor {
                find = find.after(cursor);
            }
            let slice = find.slice().await.unwrap();
            slices += 1;
            if slices == 2 {
                // What goes meanwhile, and was the last one seen, does no harm.
                let last: &Person = seen.last().unwrap();
                people.delete_by_id(&last.id).await.unwrap();
                people.save(&mut last.clone()).await.unwrap();
            }
            seen.extend(slice.items);
            cursor = slice.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(slices, 6);
        let whole = people.find(p.city.eq("Oslo")).sort(sort()).await.unwrap();
        assert_eq!(seen, whole);
    }
    // A cursor of something else.
    for cursor in ["", "x", "7", "x61.x62"] {
        let refused = people
            .find(p.city.eq("Oslo"))
            .after(cursor)
            .slice()
            .await
            .unwrap_err();
        assert!(
            matches!(refused, Error::InvalidSetting { what: "cursor", .. }),
            "{cursor}: {refused:?}"
        );
    }
    let whole = people.find(p.city.eq("Oslo")).limit(50).slice().await.unwrap();
    assert_eq!((whole.items.len(), whole.next), (50, None));
}

pub async fn one_first_count_and_exists_say_how_many_there_are(world: &World) {
    let people = some(world).await;
    let p = Person::fields();
    let find = |city: &str| people.find(p.city.eq(city));
    assert_eq!(find("Moss").one().await.unwrap().unwrap().id, "e");
    assert_eq!(find("Paris").one().await.unwrap(), None);
    let several = find("Oslo").one().await.unwrap_err();
    assert!(
        matches!(&several, Error::NotUnique { keyspace } if keyspace == "folk"),
        "{several:?}"
    );
    assert_eq!(
        find("Oslo").sort(p.age.asc()).first().await.unwrap().unwrap().id,
        "b"
    );
    assert_eq!(find("Paris").first().await.unwrap(), None);
    assert_eq!(find("Oslo").count().await.unwrap(), 2);
    assert_eq!(find("Oslo").limit(1).count().await.unwrap(), 2);
    assert_eq!(find("Paris").count().await.unwrap(), 0);
    assert!(find("Oslo").exists().await.unwrap());
    assert!(!find("Paris").exists().await.unwrap());
    assert_eq!(find("Oslo").limit(0).await.unwrap(), []);
}

pub async fn many_are_streamed_in_order(world: &World) {
    let people = crowd(world, 1_100).await;
    let p = Person::fields();
    let stream = people.find(p.city.eq("Oslo")).sort(p.age.asc()).stream();
    let ages: Vec<_> = stream
        .map_ok(|person| (person.age, person.id))
        .try_collect()
        .await
        .unwrap();
    assert_eq!(ages.len(), 1_100);
    assert!(ages.is_sorted());
    let bad = people
        .find(p.spot.near(Point::new(0.0, 99.0), Distance::meters(1.0)))
        .stream();
    assert!(bad.try_collect::<Vec<_>>().await.is_err());
}

pub async fn what_is_found_is_deleted(world: &World) {
    let people = crowd(world, 700).await;
    let p = Person::fields();
    let young = || p.city.eq("Oslo").and(p.age.eq(0));
    assert_eq!(people.find(young()).limit(34).delete().await.unwrap(), 34);
    assert_eq!(people.find(young()).delete().await.unwrap(), 200);
    assert_eq!(people.find(young()).delete().await.unwrap(), 0);
    assert_eq!(people.count().await.unwrap(), 467);
    assert_eq!(people.find(p.city.eq("Oslo")).count().await.unwrap(), 466);
    assert_eq!(people.find(p.age.eq(0)).count().await.unwrap(), 0);
    assert_eq!(people.find_all().sort(p.age.asc()).delete().await.unwrap(), 467);
    if world.as_server().is_some() {
        assert_eq!(world.keys().await, [""; 0]);
    }
}

pub async fn near_is_the_nearest_first_with_the_distance(world: &World) {
    let people = world.repository::<Person>().await;
    let p = Person::fields();
    let places = [
        ("far", 18.2, 11.3),
        ("near", 20.9, 10.6),
        ("here", 20.0, 10.0),
        ("away", 10.0, 50.0),
        // Would be near if longitude and latitude were taken for each other.
        ("swapped", 10.0, 20.0),
    ];
    for (id, lon, lat) in places {
        let mut person = Person::new(id, if id == "far" { "Oslo" } else { "Moss" }, "", 1);
        person.spot = Some(Point::new(lon, lat));
        people.save(&mut person).await.unwrap();
    }
    people
        .save(&mut Person::new("nowhere", "Oslo", "", 1))
        .await
        .unwrap();
    let middle = Point::new(20.0, 10.0);
    let near = || p.spot.near(middle, Distance::kilometers(300.0));
    let found = people.find(near()).with_distance().await.unwrap();
    let shown: Vec<_> = found
        .iter()
        .map(|near| (near.value.id.as_str(), near.distance.in_kilometers().round()))
        .collect();
    assert_eq!(shown, [("here", 0.0), ("near", 119.0), ("far", 244.0)]);
    assert_eq!(people.find(near()).count().await.unwrap(), 3);
    let ids = async |find: kvrepo::Find<'_, Person>| find.ids().await.unwrap();
    assert_eq!(ids(people.find(near()).limit(2)).await, ["here", "near"]);
    assert_eq!(ids(people.find(near().and(p.city.eq("Oslo")))).await, ["far"]);
    assert_eq!(
        ids(people.find(p.city.eq("Moss") & near())).await,
        ["here", "near"]
    );
    assert_eq!(
        ids(people.find(near()).sort(p.city.desc())).await,
        ["far", "here", "near"]
    );
    assert_eq!(
        ids(people.find(near() | p.city.eq("Oslo"))).await,
        ["far", "here", "near", "nowhere"]
    );
    assert_eq!(ids(people.find(p.city.eq("Oslo") & !near())).await, ["nowhere"]);
    let second = people.find(near()).page(PageRequest::of(1, 1)).await.unwrap();
    assert_eq!((second.items[0].id.as_str(), second.total), ("near", 3));
    let slice = people.find(near()).limit(2).slice().await.unwrap();
    let rest = people
        .find(near())
        .after(slice.next.unwrap())
        .slice()
        .await
        .unwrap();
    assert_eq!(rest.items[0].id, "far");
    let wide = BoundingBox::new(middle, Distance::kilometers(500.0), Distance::kilometers(200.0));
    assert_eq!(ids(people.find(p.spot.within(wide))).await, ["here", "near"]);
    let refused = people.find(p.city.eq("Oslo")).with_distance().await.unwrap_err();
    assert!(matches!(refused, Error::InvalidSetting { .. }), "{refused:?}");
    for distance in [Distance::meters(-1.0), Distance::meters(f64::NAN)] {
        let refused = people.find(p.spot.near(middle, distance)).await.unwrap_err();
        assert!(
            matches!(refused, Error::InvalidSetting { what: "area", .. }),
            "{refused:?}"
        );
    }
}

pub async fn at_the_deadline_nothing_sees_an_entity_any_more(world: &World) {
    let store = world.open(Store::builder().events(KeyspaceEvents::Off)).await;
    let people = store.repository::<Person>();
    let p = Person::fields();
    let mut brief = Person::new("b", "Oslo", "cook", 2);
    brief.spot = Some(Point::new(10.0, 60.0));
    let saved = people
        .save(&mut brief)
        .time_to_live(Duration::from_millis(300))
        .await
        .unwrap();
    people
        .save(&mut Person::new("c", "Oslo", "cook", 3))
        .await
        .unwrap();
    let deadline = crate::world::millis(saved.deadline.unwrap());
    // How often it is asked on either side of the deadline, by the backend's own clock before and after.
    let (mut before, mut behind) = (0, 0);
    while behind < 3 {
        let asked = world.now().await;
        let near = p.spot.near(Point::new(10.0, 60.0), Distance::meters(10.0));
        let answers = (
            people.find(p.city.eq("Oslo")).await.unwrap().len(),
            people.find(p.age.ge(0)).count().await.unwrap(),
            people.find_all().sort(p.age.asc()).ids().await.unwrap().len(),
            people
                .find(p.city.eq("Oslo"))
                .page(PageRequest::first(10))
                .await
                .unwrap()
                .total,
            u64::from(people.find(near).exists().await.unwrap()) + 1,
        );
        let answered = world.now().await;
        if answered <= deadline {
            assert_eq!(answers, (2, 2, 2, 2, 2));
            before += 1;
        } else if asked > deadline {
            assert_eq!(answers, (1, 1, 1, 1, 1));
            behind += 1;
        }
        if world.as_server().is_none() {
            // To the deadline, and to the millisecond behind it.
            let at = if asked < deadline { deadline - asked } else { 1 };
            world.pass(Duration::from_millis(at)).await;
        }
    }
    assert!(before > 0, "it was asked before the deadline");
}

pub async fn what_is_gone_for_another_reason_is_skipped_and_repaired(world: &World) {
    let Some(server) = world.as_server() else { return };
    let store = world.open(Store::builder().events(KeyspaceEvents::Off)).await;
    let people = store.repository::<Person>();
    let p = Person::fields();
    let mut all: Vec<Person> = (0..6)
        .map(|i| Person {
            spot: Some(Point::new(10.0, 60.0)),
            ..Person::new(&i.to_string(), "Oslo", "cook", i)
        })
        .collect();
    people.save_all(&mut all).await.unwrap();
    for id in ["0", "2"] {
        let _: i64 = server.query(&["DEL", &format!("folk:{id}")]).await;
    }
    let page = people
        .find(p.city.eq("Oslo"))
        .page(PageRequest::first(2))
        .await
        .unwrap();
    assert_eq!(
        page.items
            .iter()
            .map(|person| person.id.as_str())
            .collect::<String>(),
        "13"
    );
    let members: Vec<String> = server.query(&["SMEMBERS", "folk:city:Oslo"]).await;
    assert_eq!(members.len(), 4, "{members:?}");
    let _: i64 = server.query(&["DEL", "folk:4"]).await;
    assert_eq!(
        people.find(p.city.eq("Oslo")).ids().await.unwrap(),
        ["1", "3", "5"]
    );
    let _: i64 = server.query(&["DEL", "folk:5"]).await;
    assert_eq!(people.find(p.age.ge(0)).await.unwrap().len(), 2);
    assert_eq!(people.count().await.unwrap(), 2);
    // Deleted by a client that took all it knew of with it, the helper too, but not what is ours alone.
    for command in ["DEL folk:1 folk:1:idx folk:3 folk:3:idx", "SREM folk 1 3"] {
        server.command(&command.split(' ').collect::<Vec<_>>()).await;
    }
    let near = p.spot.near(Point::new(10.0, 60.0), Distance::meters(10.0));
    for filter in [p.city.eq("Oslo"), p.trade.eq("cook"), p.age.ge(0), near] {
        assert_eq!(people.find(filter).await.unwrap(), []);
    }
    assert_eq!(world.keys().await, [""; 0]);
}

pub async fn a_plan_is_explained_without_being_run(world: &World) {
    let people = world.repository::<Person>().await;
    let p = Person::fields();
    let filter = p.city.eq("Oslo") & p.age.between(18, 30) & !p.trade.eq("cook");
    let text = people
        .find(filter)
        .sort(p.age.desc())
        .limit(10)
        .explain()
        .unwrap();
    for part in [
        "SMEMBERS folk:city:Oslo",
        "ZRANGEBYLEX folk#range:age",
        "none of",
        "folk:trade:cook",
        "age descending, id",
        "up to 10",
        "HGETALL folk:id",
    ] {
        assert!(text.contains(part), "{part} in:\n{text}");
    }
}
