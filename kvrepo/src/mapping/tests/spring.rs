//! A whole entity as Spring stores it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sailor {
    id: Option<String>,
    name: Option<String>,
    role: Option<Role>,
    aliases: Option<Vec<String>>,
    mates: Option<Vec<Self>>,
    scores: Option<Vec<i32>>,
    age: Option<i32>,
    aboard: Option<bool>,
    home: Option<Home>,
    marks: Option<BTreeMap<String, String>>,
    kin: Option<BTreeMap<String, Self>>,
    watch: Option<BTreeMap<i32, Self>>,
    vessel: Option<Vessel>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Role {
    #[serde(rename = "DECK")]
    Deck,
    #[serde(rename = "ENGINE")]
    Engine,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Home {
    town: Option<String>,
    land: Option<String>,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Vessel {
    name: Option<String>,
    nicknames: Option<Vec<String>>,
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_full_entity_has_exactly_springs_fields() {
    let named = |name: &str| Sailor {
        name: text(name),
        ..Sailor::default()
    };
    let marks = |key: &str, value: &str| Some(BTreeMap::from([(key.to_owned(), value.to_owned())]));
    let home = |town: Option<&str>, land: &str| {
        Some(Home {
            town: town.map(str::to_owned),
            land: text(land),
        })
    };
    let sailor = Sailor {
        id: text("1"),
        name: text("Ines"),
        role: Some(Role::Deck),
        aliases: Some(vec!["a b".into(), "c".into()]),
        mates: Some(vec![Sailor {
            marks: marks("k", "v"),
            ..named("Bram")
        }]),
        scores: Some(vec![3, -2]),
        age: Some(0),
        aboard: Some(false),
        home: home(Some("T"), "L"),
        marks: marks("x-y", "1"),
        kin: Some(
            [(
                "m".to_owned(),
                Sailor {
                    home: home(None, "Q"),
                    ..named("Runa")
                },
            )]
            .into(),
        ),
        watch: Some([(-3, named("W"))].into()),
        vessel: Some(Vessel {
            name: text("V"),
            nicknames: Some(vec!["n0".into(), "n1".into()]),
        }),
    };
    stored(
        &sailor,
        &[
            ("id", "1"),
            ("name", "Ines"),
            ("role", "DECK"),
            ("aliases.[0]", "a b"),
            ("aliases.[1]", "c"),
            ("mates.[0].name", "Bram"),
            ("mates.[0].marks.[k]", "v"),
            ("scores.[0]", "3"),
            ("scores.[1]", "-2"),
            ("age", "0"),
            ("aboard", "0"),
            ("home.town", "T"),
            ("home.land", "L"),
            ("marks.[x-y]", "1"),
            ("kin.[m].name", "Runa"),
            ("kin.[m].home.land", "Q"),
            ("watch.[-3].name", "W"),
            ("vessel.name", "V"),
            ("vessel.nicknames.[0]", "n0"),
            ("vessel.nicknames.[1]", "n1"),
        ],
    );
}

#[test]
fn sparse_and_unsorted_lists_of_structs_are_read() {
    let sailor: Sailor = read(&[
        ("mates.[10].name", "Pia"),
        ("mates.[10].home.town", "Low Quay"),
        ("mates.[1].name", "Bram"),
        ("mates.[1].aliases.[1]", "dicer"),
        ("mates.[1].aliases.[0]", "keeper"),
    ]);
    let bram = Sailor {
        name: text("Bram"),
        aliases: Some(vec!["keeper".into(), "dicer".into()]),
        ..Sailor::default()
    };
    let home = Some(Home {
        town: text("Low Quay"),
        land: None,
    });
    let pia = Sailor {
        name: text("Pia"),
        home,
        ..Sailor::default()
    };
    assert_eq!(
        sailor,
        Sailor {
            mates: Some(vec![bram, pia]),
            ..Sailor::default()
        }
    );
}

#[test]
fn empty_structs_in_lists_keep_their_position() {
    let bram = Sailor {
        name: text("Bram"),
        ..Sailor::default()
    };
    stored(
        &Sailor {
            mates: Some(vec![Sailor::default(), bram]),
            ..Sailor::default()
        },
        &[("mates.[0]", "{}"), ("mates.[1].name", "Bram")],
    );
}

#[test]
fn an_enum_is_trimmed_and_an_unknown_one_refused() {
    assert_eq!(read::<Sailor>(&[("role", " ENGINE ")]).role, Some(Role::Engine));
    let (path, reason) = refused::<Sailor>(&[("role", "GALLEY")]);
    assert_eq!(path, "role");
    assert!(reason.contains("GALLEY") && reason.contains("DECK"), "{reason}");
}

#[test]
fn dates_in_their_text_are_read() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Moments {
        stamp: Option<chrono::NaiveDateTime>,
        instant: Option<chrono::DateTime<chrono::Utc>>,
        time: Option<chrono::NaiveTime>,
        zone: Option<String>,
    }
    let moments: Moments = read(&[
        ("stamp", "2021-03-09T08:07:06"),
        ("instant", "2011-08-04T03:02:01.07Z"),
        ("time", "21:22"),
        ("zone", "Europe/Oslo"),
        ("zone._class", "java.time.ZoneRegion"),
    ]);
    same(&moments);
    assert_eq!(moments.zone.as_deref(), Some("Europe/Oslo"));
    assert!(moments.stamp.is_some() && moments.instant.is_some() && moments.time.is_some());
}
