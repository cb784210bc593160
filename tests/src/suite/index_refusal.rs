//! What indexes refuse: ids that would be their keys, points that are none, values and types that cannot be indexed.

use std::collections::BTreeMap;

use kvrepo::{Distance, Error, KvEntity, KvNested, Point};
use serde::{Deserialize, Serialize};

use super::indexed::{Berth, Home, Member, found, full};
use crate::world::World;

pub async fn an_id_that_is_the_key_of_an_index_is_refused(world: &World) {
    let members = world.repository::<Member>().await;
    for id in [
        "name",
        "name:x",
        "tags",
        "home.town",
        "home:at",
        "spot",
        "marks.arm",
        "kin.x.city:y",
        "berths.port:1",
    ] {
        let refused = members.save(&mut Member::new(id)).await.unwrap_err();
        assert!(
            matches!(&refused, Error::InvalidId { id: told, .. } if told == id),
            "{refused:?}"
        );
        let refused = members.insert(&mut Member::new(id)).await.unwrap_err();
        assert!(matches!(refused, Error::InvalidId { .. }), "{refused:?}");
        assert_eq!(members.find_by_id(id).await.unwrap(), None);
    }
    assert_eq!(members.count().await.unwrap(), 0);
    for id in ["names", "mail", "age", "number:1", "home", "marks"] {
        members.save(&mut Member::named(id, "phantom")).await.unwrap();
    }
    let named = members.find(Member::fields().name.eq("phantom"));
    assert_eq!(named.count().await.unwrap(), 6);
}

pub async fn a_point_that_is_none_leaves_nothing_behind(world: &World) {
    let members = world.repository::<Member>().await;
    members.save(&mut full("1")).await.unwrap();
    let spot = Member::fields().spot;
    for (lon, lat) in [(200.0, 0.0), (0.0, 90.0), (f64::NAN, 0.0), (0.0, f64::INFINITY)] {
        let mut bad = Member::named("2", "bad");
        bad.spot = Some(Point::new(lon, lat));
        let refused = members.save(&mut bad).await.unwrap_err();
        assert!(
            matches!(&refused, Error::Encode { path, .. } if path == "spot"),
            "{refused:?}"
        );
        let refused = members.update("1").set(spot, bad.spot).await.unwrap_err();
        assert!(
            matches!(&refused, Error::Encode { path, .. } if path == "spot"),
            "{refused:?}"
        );
        let near = spot.near(Point::new(lon, lat), Distance::meters(1.0));
        let refused = members.find(near).await.unwrap_err();
        assert!(
            matches!(refused, Error::InvalidSetting { what: "area", .. }),
            "{refused:?}"
        );
    }
    assert_eq!(members.find_by_id("2").await.unwrap(), None);
    assert_eq!(members.find_by_id("1").await.unwrap(), Some(full("1")));
    assert_eq!(members.count().await.unwrap(), 1);
    for (id, lon, lat) in [("3", 180.0, 85.0), ("4", -180.0, -85.051), ("5", 179.99, 85.0)] {
        let mut edge = Member::new(id);
        edge.spot = Some(Point::new(lon, lat));
        members.save(&mut edge).await.unwrap();
    }
    let near = spot.near(Point::new(179.9, 85.0), Distance::kilometers(5.0));
    assert_eq!(found(&members, near).await, ["5", "3"]);
    let stored = members.find_by_id("3").await.unwrap().unwrap();
    assert_eq!(stored.spot, Some(Point::new(180.0, 85.0)));
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plain {
    a: u8,
}

type Words = Vec<String>;

#[derive(Debug, Serialize, Deserialize, KvEntity)]
struct StructIndexed {
    #[id]
    id: String,
    #[indexed]
    plain: Plain,
}

#[derive(Debug, Serialize, Deserialize, KvEntity)]
struct AliasIndexed {
    #[id]
    id: String,
    #[indexed]
    words: Words,
}

#[derive(Debug, Serialize, Deserialize, KvEntity)]
struct TwiceIndexed {
    #[id]
    id: String,
    #[indexed]
    name: String,
    #[indexed(name = "name")]
    nick: String,
}

#[derive(Debug, Serialize, Deserialize, KvEntity)]
struct PointsInList {
    #[id]
    id: String,
    #[nested]
    homes: Vec<Home>,
}

#[derive(Debug, Serialize, Deserialize, KvEntity)]
struct RangesInMap {
    #[id]
    id: String,
    #[nested]
    berths: BTreeMap<String, Berth>,
}

#[derive(Debug, Serialize, Deserialize, KvEntity)]
struct Thread {
    #[id]
    id: String,
    #[nested]
    comments: Vec<Comment>,
}

#[derive(Debug, Serialize, Deserialize, KvNested)]
struct Comment {
    #[indexed]
    author: String,
    #[nested]
    replies: Vec<Self>,
}

pub async fn an_index_that_cannot_be_is_refused_by_every_call(world: &World) {
    async fn refused<T: KvEntity>(world: &World, index: &str) {
        let repository = world.repository::<T>().await;
        let refused = repository.count().await.unwrap_err();
        assert!(
            matches!(&refused, Error::InvalidSetting { what: "index", name, .. } if name.starts_with(index)),
            "{refused:?}"
        );
    }
    refused::<StructIndexed>(world, "StructIndexed.plain").await;
    refused::<AliasIndexed>(world, "AliasIndexed.words").await;
    refused::<TwiceIndexed>(world, "TwiceIndexed.name").await;
    refused::<PointsInList>(world, "PointsInList.homes.at").await;
    refused::<RangesInMap>(world, "RangesInMap.berths.*.depth").await;
    refused::<Thread>(world, "Thread.comments.replies").await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Shelter {
    None,
    Tent { beds: u8 },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
struct Camper {
    #[id]
    id: String,
    #[indexed]
    shelter: Shelter,
    #[indexed]
    marks: BTreeMap<String, String>,
}

pub async fn a_value_that_cannot_be_indexed_is_refused_before_anything_is_written(world: &World) {
    let campers = world.repository::<Camper>().await;
    let camper = |shelter, key: &str| Camper {
        id: "1".into(),
        shelter,
        marks: [(key.to_owned(), "x".to_owned())].into(),
    };
    for (mut bad, at) in [
        (camper(Shelter::Tent { beds: 2 }, "a"), "shelter"),
        (camper(Shelter::None, "a]"), "marks"),
    ] {
        let refused = campers.save(&mut bad).await.unwrap_err();
        assert!(
            matches!(&refused, Error::Encode { path, .. } if path == at),
            "{refused:?}"
        );
    }
    assert_eq!(campers.count().await.unwrap(), 0);
    campers.save(&mut camper(Shelter::None, "a")).await.unwrap();
    let none = Camper::fields().shelter.eq(Shelter::None);
    assert_eq!(campers.find(none).count().await.unwrap(), 1);
    let asked = Camper::fields().shelter.eq(Shelter::Tent { beds: 2 });
    let refused = campers.find(asked).await.unwrap_err();
    assert!(matches!(&refused, Error::Encode { .. }), "{refused:?}");
}
