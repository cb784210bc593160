//! `T::fields()` has a handle for each field that is stored, under serde's names.

use std::collections::HashMap;
use std::time::Duration;

use kvrepo::{Field, FieldHandle, KvEntity, KvNested, Store};
use serde::{Deserialize, Serialize, Serializer};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvNested)]
#[serde(rename_all = "camelCase")]
struct Address {
    street_name: String,
    #[serde(alias = "town")]
    city: Option<String>,
    #[nested]
    position: Position,
    #[nested]
    #[serde(rename = "alt")]
    alternative: Option<Position>,
    #[serde(skip)]
    cached: u32,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, KvNested)]
struct Position {
    #[serde(serialize_with = "rounded")]
    lon: f64,
    lat: f64,
}

fn rounded<S: Serializer>(degrees: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(degrees.round())
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Device {
    device: String,
}

/// As milliseconds.
mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    // Takes what the field derefs to, which only a call can give it.
    pub fn serialize<S: Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(span.as_millis() as u64)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<Duration>, D::Error> {
        u64::deserialize(deserializer).map(|millis| Box::new(Duration::from_millis(millis)))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[serde(rename_all = "camelCase")]
#[kv(idle = "30d")]
pub(crate) struct Person {
    #[id]
    person_id: String,
    #[version]
    version: u64,
    first_name: String,
    #[serde(rename(serialize = "family", deserialize = "last"), alias = "family")]
    last_name: String,
    #[nested]
    home: Address,
    #[nested]
    work: Option<Address>,
    #[kv(json)]
    tags: Vec<String>,
    #[serde(with = "millis")]
    pause: Box<Duration>,
    visits: u16,
    friends: Vec<Self>,
    labels: HashMap<String, String>,
    #[serde(flatten)]
    device: Device,
    #[serde(skip)]
    dirty: bool,
    #[serde(default, skip_serializing)]
    legacy: NotWritten,
}

/// Serde does not ask of a field that it skips that it can be written.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
struct NotWritten;

#[derive(Serialize, Deserialize, KvEntity)]
struct OnlyAnId {
    #[id]
    id: u8,
}

/// Serde stores something else than its fields.
#[derive(Clone, Serialize, Deserialize, KvEntity)]
#[serde(into = "Repr", from = "Repr")]
struct Converted {
    #[id]
    id: u8,
    other: std::sync::Arc<NotStored>,
}

struct NotStored;

#[derive(Serialize, Deserialize)]
struct Repr {
    id: u8,
}

impl From<Repr> for Converted {
    fn from(repr: Repr) -> Self {
        Self {
            id: repr.id,
            other: std::sync::Arc::new(NotStored),
        }
    }
}

impl From<Converted> for Repr {
    fn from(converted: Converted) -> Self {
        let _ = converted.other;
        Self { id: converted.id }
    }
}

fn of_type<E, V>(_: Field<E, V>) {}

fn whole<E, V>(handle: impl FieldHandle<E, Value = V>, path: &str) {
    assert!(format!("{:?}", handle.target()).contains(&format!("{path:?}")));
}

#[test]
fn handles_are_called_as_what_is_stored() {
    let fields = Person::fields();
    // It can be copied.
    let (again, _) = (fields, fields);
    assert_eq!(
        format!("{again:?} {:?}", again.home),
        r#"PersonFields Nested("home")"#
    );

    of_type::<Person, String>(fields.first_name);
    of_type::<Person, Vec<Person>>(fields.friends);
    of_type::<Person, Option<String>>(fields.home.city);
    let _: AddressFields<Person> = *fields.work;
    whole::<Person, Address>(fields.home, "home");
    whole::<Person, Option<Address>>(fields.work, "work");
    whole::<Person, Option<Position>>(fields.work.alternative, "work.alt");
    for (path, expected) in [
        (fields.first_name.path(), "firstName"),
        (fields.last_name.path(), "family"),
        (fields.home.street_name.path(), "home.streetName"),
        (fields.work.position.lon.path(), "work.position.lon"),
        (fields.work.alternative.lat.path(), "work.alt.lat"),
        (fields.tags.path(), "tags"),
        (fields.pause.path(), "pause"),
        (fields.visits.path(), "visits"),
        (fields.labels.path(), "labels"),
    ] {
        assert_eq!(path, expected);
    }
    let PersonFields {
        person_id: _,
        first_name: _,
        last_name: _,
        home: _,
        work: _,
        tags: _,
        pause: _,
        visits: _,
        friends: _,
        labels: _,
    } = fields;
    let OnlyAnIdFields { id: _ } = OnlyAnId::fields();
    let ConvertedFields {} = Converted::fields();
    assert_eq!(Person::SCHEMA.version_path, Some("version"));
    assert_eq!(Person::SCHEMA.idle, Some(Duration::from_secs(2_592_000)));

    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(update())
        .unwrap();
}

async fn update() -> kvrepo::Result<()> {
    let people = Store::in_memory().repository::<Person>();
    let address = Address {
        street_name: "Storgata".into(),
        city: None,
        position: Position::default(),
        alternative: Some(Position::default()),
        cached: 0,
    };
    let mut person = Person {
        person_id: "1".into(),
        version: 0,
        first_name: "Ann".into(),
        last_name: "Berg".into(),
        home: address.clone(),
        work: None,
        tags: vec![],
        pause: Box::default(),
        visits: 1,
        friends: vec![],
        labels: HashMap::new(),
        device: Device {
            device: "phone".into(),
        },
        dirty: false,
        legacy: NotWritten,
    };
    people.save(&mut person).await?;
    assert_eq!(person.version, 1);

    let fields = Person::fields();
    let pause = Box::new(Duration::from_millis(1_500));
    let changed = people
        .update("1")
        .if_version(1)
        .set(fields.last_name, "Dahl".into())
        .set(fields.home.city, Some("Oslo".into()))
        .set(fields.home.position.lon, 10.7)
        .set(fields.home.alternative.lat, 59.9)
        .set(fields.work, Some(address.clone()))
        .set(fields.tags, vec!["a".into()])
        .set(fields.pause, pause.clone())
        .increment(fields.visits, 2)
        .await?;
    assert!(changed);
    person.version = 2;
    person.last_name = "Dahl".into();
    person.home.city = Some("Oslo".into());
    person.home.position.lon = 11.0;
    person.home.alternative = Some(Position { lon: 0.0, lat: 59.9 });
    person.work = Some(address);
    person.tags = vec!["a".into()];
    person.pause = pause;
    person.visits = 3;
    assert_eq!(people.find_by_id("1").await?, Some(person));

    people.update("1").unset(fields.work).await?;
    let absent = people.update("1").set(fields.work.city, None).await?;
    assert!(absent, "nothing is to be set");
    let absent = people.update("1").set(fields.work.position.lat, 1.0).await;
    assert!(absent.is_err(), "there is no struct to hold it");
    Ok(())
}
