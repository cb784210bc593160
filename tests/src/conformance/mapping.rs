//! Runs `mapping.json` through the public face, in memory: what a save hands to the backend, and what a find makes
//! of a record that is there.

use std::sync::Arc;
use std::time::Duration;

use kvrepo::backend::{Backend, Keyspace, Memory, Write, WriteTerm};
use kvrepo::{Error, IdArg, KvEntity, KvId, Record, Repository, Store};
use serde_json::{Map, Value};

use super::Check;
use super::case::{Case, LeftOut, Ruling};
use super::hash::{self, Extent, Fields};
use super::notation::Notated;
use super::reference;
use super::tally::Tally;
use super::types::{
    Account, Beacon, Bundle, Camper, Dims, Folk, Frozen, Gadget, Gauge, JsonHome, JsonSailor, Lodger,
    MapSailor, MapVessel, Maps, Moments, Outer, Pair, Port, Sailor, Sparse, Token,
};
use crate::demand;

/// The cases.
pub const FILE: &str = include_str!("../../conformance/mapping.json");

/// What `design.md` has otherwise.
pub const RULED: &[Ruling] = &[
    Ruling {
        id: "w-empty-list-omitted",
        why: "an empty sequence or map is JSON at its path, so that it is not `None`",
        instead: r#"{"hash": {"name": "Ines", "aliases": "[]", "marks": "{}", "mates": "[]"}}"#,
    },
    Ruling {
        id: "rt-empty-collections",
        why: "the same, and it comes back",
        instead: r#"{"hash": {"name": "Ines", "aliases": "[]", "marks": "{}"},
                     "value_back": {"name": "Ines", "aliases": [], "marks": {}}}"#,
    },
    Ruling {
        id: "w-list-null-inside",
        why: "a sequence with a `None` in it is JSON in one field; so is an empty map",
        instead: r#"{"hash": {"slots": "[\"a\",null,\"c\"]", "notes": "{}"}}"#,
    },
    Ruling {
        id: "w-empty-struct",
        why: "a struct of which nothing would be stored leaves `{}` at its path",
        instead: r#"{"hash": {"name": "Ines", "home": "{}"}}"#,
    },
    Ruling {
        id: "w-empty-struct-in-list",
        why: "the same, so that the list keeps its positions",
        instead: r#"{"hash": {"mates.[0]": "{}", "mates.[1].name": "Bram"}}"#,
    },
    Ruling {
        id: "r-id-hash-wins",
        why: "the key is the truth about the id: a stored id that differs is a decode error",
        instead: r#"{"error": {"kind": "decode", "mentions": ["id"]}}"#,
    },
];

/// What belongs to later issues.
pub const LEFT_OUT: &[LeftOut] = &[
    LeftOut {
        group: "partial updates",
        features: &["partial-update", "partial-update-dynamic"],
        ids: &[],
    },
    LeftOut {
        group: "enums told apart by `_class`",
        features: &[],
        ids: &[
            "w-nested-alias",
            "w-list-elem-alias",
            "r-nested-alias",
            "r-list-elem-alias",
        ],
    },
];

/// The id of an entity whose hash and key give none.
const NO_ID: &str = "no-id";

/// Runs all cases.
///
/// # Panics
///
/// If a case names a type that is not declared.
pub async fn run() -> Tally {
    let (mut tally, cases) = Tally::sort("mapping", Case::all(FILE), RULED, LEFT_OUT);
    for case in cases {
        let ruling = RULED.iter().find(|ruling| ruling.id == case.id());
        let outcome = run_case(&case.desired(ruling)).await;
        tally.ran(&case, ruling.is_some(), outcome);
    }
    tally
}

async fn run_case(case: &Case) -> Check {
    macro_rules! by_name {
        ($($type:ident)*) => {
            match case.type_name() {
                $(stringify!($type) => Trial::<$type>::new().run(case).await,)*
                other => Err(format!("the type `{other}` is not declared")),
            }
        };
    }
    by_name! {
        Account Beacon Bundle Camper Dims Folk Frozen Gadget Gauge JsonHome JsonSailor Lodger MapSailor MapVessel Maps
        Moments Outer Pair Sailor Sparse Token
    }
}

/// A store of its own for one case, and what is below it.
struct Trial<T> {
    backend: Arc<Memory>,
    keyspace: Keyspace,
    repository: Repository<T>,
}

impl<T> Trial<T>
where
    T: Notated,
    String: IdArg<T::Id>,
{
    fn new() -> Self {
        let backend = Arc::new(Memory::new(None));
        let store = Store::builder()
            .backend(Arc::clone(&backend) as _)
            .expect("a store");
        Self {
            backend,
            keyspace: keyspace_of::<T>(),
            repository: store.repository(),
        }
    }

    async fn run(&self, case: &Case) -> Check {
        match case.text("kind") {
            "write" if case.text("error") == "reference-without-id" => {
                let value = T::notated(case.get("value").ok_or("the case has no value")?);
                demand!(
                    value == Err(reference::WITHOUT_ID.to_owned()),
                    "the value is {value:?}"
                );
                Ok(())
            }
            "write" => self.write(case).await.map(drop),
            "read" => self.read(case).await,
            "roundtrip" => {
                let id = self.write(case).await?;
                let back = case
                    .get("value_back")
                    .or(case.get("value"))
                    .ok_or("the case has no value")?;
                let found = self.find(&id).await.map_err(|error| error.to_string())?;
                expect(back, &id, found.as_ref(), &self.resolved(found.as_ref()).await?)
            }
            other => Err(format!("`{other}` is no kind of case")),
        }
    }

    /// Saves the value, and compares the record; returns the id.
    async fn write(&self, case: &Case) -> Result<String, String> {
        let mut value = T::notated(case.get("value").ok_or("the case has no value")?)?;
        let generated = value.id().is_none();
        demand!(
            case.get("error").is_none(),
            "the driver knows no write that fails"
        );
        self.repository
            .save(&mut value)
            .await
            .map_err(|error| format!("the save failed: {error}"))?;
        let id = value.id().ok_or("the save left no id")?.to_key().into_owned();
        if let Some(key) = case.get("key") {
            let ours = self.keyspace.entity_key(&id);
            demand!(key == ours.as_str(), "the key is `{ours}`, not {key}");
        }
        let loaded = self
            .backend
            .load(
                &self.keyspace,
                std::slice::from_ref(&id),
                kvrepo::backend::Read::fields(),
            )
            .await;
        let loaded = loaded
            .map_err(|error| error.to_string())?
            .pop()
            .flatten()
            .ok_or("nothing was stored")?;
        let found: Fields = loaded.record.into_iter().collect();
        let extent = match (case.text("match"), generated) {
            ("exact" | "exact-with-hints", true) => Extent::WholeButId,
            ("exact" | "exact-with-hints", false) => Extent::Whole,
            ("subset", _) => Extent::Part,
            (other, _) => return Err(format!("`{other}` is no way to match")),
        };
        hash::compare(&case.object("hash"), &case.object("hash_any"), &found, extent)?;
        for path in case.list("absent").iter().filter_map(Value::as_str) {
            let there = found.contains_key(path) && !(generated && path == "id");
            demand!(!there, "`{path}` should not be there");
        }
        Ok(id)
    }

    /// Puts the hash in the store, and compares what is found.
    async fn read(&self, case: &Case) -> Check {
        let fields = case.object("hash");
        let id = id_of::<T>(case, &fields);
        if !fields.is_empty() {
            self.put(&self.keyspace, &id, hash::record(&fields)).await?;
        }
        for (key, fields) in case.object("others") {
            let id = key
                .strip_prefix("ports:")
                .ok_or("the driver puts nothing but ports")?;
            let fields = fields.as_object().ok_or("it is no hash")?;
            self.put(&keyspace_of::<Port>(), id, hash::record(fields)).await?;
        }
        let found = self.find(&id).await;
        if case.text("result") == "none" {
            demand!(matches!(found, Ok(None)), "found {found:?}, not none");
            return Ok(());
        }
        if let Some(expected) = case.get("error") {
            let Err(error) = found else {
                return Err(format!("found {found:?}, but should have failed"));
            };
            demand!(
                matches!(error, Error::Decode { .. }),
                "failed as {error:?}, not as Decode"
            );
            for word in expected["mentions"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
            {
                demand!(
                    error.to_string().contains(word),
                    "`{error}` does not mention `{word}`"
                );
            }
            return Ok(());
        }
        let found = found.map_err(|error| format!("the find failed: {error}"))?;
        let resolved = self.resolved(found.as_ref()).await?;
        let expect = |value| expect(value, &id, found.as_ref(), &resolved);
        let mut wanted = case.list("value_any").iter().chain(case.get("value"));
        if wanted.clone().count() > 1 && wanted.any(|value| expect(value).is_ok()) {
            return Ok(());
        }
        expect(case.get("value").ok_or("the case has no value")?)
    }

    /// What is found, with what it refers to in its place.
    async fn resolved(&self, found: Option<&T>) -> Result<Value, String> {
        let json = serde_json::to_value(found).map_err(|error| error.to_string())?;
        reference::resolved::<T>(self.repository.store(), &json).await
    }

    async fn put(&self, keyspace: &Keyspace, id: &str, record: Record) -> Check {
        let write = Write::new(keyspace, id.to_owned(), record, WriteTerm::Persistent)
            .expect("a keyspace without indexes");
        let saved = self
            .backend
            .save(keyspace, &[write])
            .await
            .map_err(|error| error.to_string())?;
        saved
            .into_iter()
            .try_for_each(|one| one.map(drop))
            .map_err(|error| error.to_string())
    }

    async fn find(&self, id: &str) -> kvrepo::Result<Option<T>> {
        self.repository.find_by_id(id.to_owned()).await
    }
}

/// The keyspace of a type, as a store without settings has it.
fn keyspace_of<T: KvEntity>() -> Keyspace {
    let (name, span) = (T::SCHEMA.keyspace, Duration::from_secs(300));
    Keyspace::new("T", "", name, true, span, span).expect("a keyspace")
}

/// The id under which a hash is put: of its key, or else its own.
fn id_of<T: KvEntity>(case: &Case, fields: &Map<String, Value>) -> String {
    let of_key = case
        .text("read_key")
        .strip_prefix(T::SCHEMA.keyspace)
        .and_then(|rest| rest.strip_prefix(':'));
    of_key
        .or_else(|| fields.get("id")?.as_str())
        .unwrap_or(NO_ID)
        .to_owned()
}

/// Compares an entity with a value, whose id is that of the key where it has none; with what it refers to, if its type
/// can refer to something.
fn expect<T: Notated>(value: &Value, id: &str, found: Option<&T>, resolved: &Value) -> Check {
    let mut expected = T::notated(value)?;
    if expected.id().is_none() {
        expected.set_id(T::Id::from_key(id).ok_or("the key's id is none of the type")?);
    }
    if T::REFERENCES.is_empty() {
        demand!(found == Some(&expected), "found {found:?}, not {expected:?}");
        return Ok(());
    }
    let json = serde_json::to_value(&expected).map_err(|error| error.to_string())?;
    let expected = reference::in_place::<T>(&json, &reference::targets::<T>(value)?)?;
    demand!(*resolved == expected, "found {resolved}, not {expected}");
    Ok(())
}
