//! Runs `behaviour.json`, each case on a real server of its own, since the cases speak of the bytes there.

pub(crate) mod call;
mod example;
pub(crate) mod expectation;
mod find;
mod process;
mod scene;

use std::time::Duration;

use kvrepo::backend::Keyspace;
use serde_json::Value;

use self::scene::{Expiry, Scene};
use super::Check;
use super::case::{Case, LeftOut, Ruling};
use super::tally::Tally;
use super::types::{
    BarePass, City, FnPass, GeoSpotOnly, Hand, Lease, Mate, Member, MilliPass, MinutePass, Pair, Pass, Plain,
    Probe, Ranked, Resident, Session, TagList, TempMate, TenPass,
};
use crate::demand;

/// The cases.
pub const FILE: &str = include_str!("../../conformance/behaviour.json");

/// Of an example.
const NOTHING_INDEXED: &str = "nothing scans silently: an example of which nothing is indexed is an error";

/// What `design.md` has otherwise.
pub const RULED: &[Ruling] = &[
    Ruling {
        id: "count-after-silent-expiry",
        why: "expired is absent to every call at once, to `count` as well",
        instead: r#"{"when_results": {"3": 1}}"#,
    },
    Ruling {
        id: "ttl-zero",
        why: "zero is an error, never \"no expiry\", and nothing is written",
        instead: r#"{"when_errors": {"0": {"kind": "invalid-time-to-live"}},
                     "then": {"absent": ["tenpasses", "tenpasses:1"]}}"#,
    },
    Ruling {
        id: "ttl-readback-minutes",
        why: "what remains is rounded up to the unit",
        instead: r#"{"when_results": {"2": {"ttl": 2}}}"#,
    },
    Ruling {
        id: "ph-default-without-listener",
        why: "whether there is a phantom is a matter of settings, never of whether a listener runs (C99)",
        instead: r#"{"then": {"exists": ["mates:1:phantom"]}}"#,
    },
    Ruling {
        id: "ex-phantom-late",
        why: "the first listener to start reaps what has expired meanwhile, with the value while the phantom lives",
        instead: r#"{"then": {"absent": ["mates", "mates:name:Ines", "mates:1:idx"],
                     "events": [{"keyspace": "mates", "id": "1",
                                 "value": {"id": "1", "name": "Ines", "ttl": "60"}}]}}"#,
    },
    Ruling {
        id: "ex-id-named-phantom",
        why: "an id may be `phantom`: only those that end in `:phantom` are refused, and keys are parsed safely",
        instead: r#"{"then": {"absent": ["mates", "mates:phantom", "mates:phantom:phantom"],
                     "events": [{"keyspace": "mates", "id": "phantom",
                                 "value": {"id": "phantom", "name": "Ines", "ttl": "60"}}]}}"#,
    },
    Ruling {
        id: "ttl-pu-other-refresh",
        why: "the field that states the term comes before the type's default, on every path",
        instead: r#"{"then": {"ttl": {"tenpasses:1": 50}}}"#,
    },
    Ruling {
        id: "pu-empty-list",
        why: "`Some([])` is not `None`",
        instead: r#"{"then": {"hash": {"mates:1": {"id": "1", "aliases": "[]"}}}}"#,
    },
    Ruling {
        id: "qbe-unindexed-all",
        why: NOTHING_INDEXED,
        instead: r#"{"when_errors": {"0": {"kind": "example"}}}"#,
    },
    Ruling {
        id: "qbe-unindexed-matches-all",
        why: NOTHING_INDEXED,
        instead: r#"{"when_errors": {"1": {"kind": "example"}}}"#,
    },
    Ruling {
        id: "qbe-count",
        why: NOTHING_INDEXED,
        instead: r#"{"when_errors": {"3": {"kind": "example"}}}"#,
    },
    Ruling {
        id: "qbe-exists",
        why: NOTHING_INDEXED,
        instead: r#"{"when_errors": {"3": {"kind": "example"}}}"#,
    },
    Ruling {
        id: "qbe-id-ignored",
        why: "a generated id that is filled in counts, as `qbe-id-only` demands",
        instead: r#"{"when_results": {"0": {"all": [["id", "7"], ["name", "Petra"]]}}}"#,
    },
    Ruling {
        id: "qbe-reference-ignored",
        why: "what is filled in and not indexed is compared with what is stored, as `qbe-partly-indexed` demands",
        instead: r#"{"when_results": {"0": {"all": [["name", "Petra"]], "stored": [["relative", "probes:9"]]}}}"#,
    },
    Ruling {
        id: "pu-missing-entity",
        why: "nothing but `save` and `insert` may bring an entity into being: the others change nothing and say so",
        instead: r#"{"when_results": {"0": false, "1": null, "3": {"ids": []}}}"#,
    },
    Ruling {
        id: "pu-set-and-del-same",
        why: "changes are done in the order in which they are written",
        instead: r#"{"then": {"hash": {"mates:1": {"id": "1"}}}}"#,
    },
];

/// What belongs to later issues, or is not there in Rust.
pub const LEFT_OUT: &[LeftOut] = &[
    LeftOut {
        // A `Distance` is not made without a unit, and an `Example` has no way to ignore case.
        group: "refused when compiling",
        features: &[],
        ids: &["geo-bare-number-km", "qbe-ignore-case"],
    },
    LeftOut {
        group: "cluster",
        features: &["cluster"],
        ids: &["ev-cluster-nodes"],
    },
];

/// Cases that are not run with keys that another client lets expire.
const ONLY_BY_DEADLINE: &[&str] = &[
    // A hash that goes before its deadline while nobody listens is taken for evicted or deleted: no event.
    "ex-phantom-late",
];

/// Runs all cases.
///
/// # Panics
///
/// As [`TestServer::start`](crate::harness::TestServer::start).
pub async fn run() -> Tally {
    let (tally, cases) = Tally::sort("behaviour", Case::all(FILE), RULED, LEFT_OUT);
    tally.run_all(cases, RULED, run_case).await
}

async fn run_case(case: &Case) -> Check {
    if case.text("area") == "key-parsing" {
        return parse_keys(case);
    }
    for &expiry in expiries(case) {
        run_with(case, expiry)
            .await
            .map_err(|what| format!("{what} ({expiry:?})"))?;
    }
    Ok(())
}

/// The ways in which the keys of a case come to expire.
fn expiries(case: &Case) -> &'static [Expiry] {
    let listens = case
        .object("given")
        .get("config")
        .is_some_and(|config| config["events"] == "on_startup");
    let expires = case.list("when").iter().any(|step| step["op"] == "expire");
    if listens && expires && !ONLY_BY_DEADLINE.contains(&case.id()) {
        &[Expiry::ByDeadline, Expiry::ByAnotherClient]
    } else {
        &[Expiry::ByDeadline]
    }
}

async fn run_with(case: &Case, expiry: Expiry) -> Check {
    macro_rules! by_name {
        ($($type:ident)*) => {
            match case.type_name() {
                $(stringify!($type) => Scene::<$type>::run(case, expiry).await,)*
                other => Err(format!("the type `{other}` is not declared")),
            }
        };
    }
    by_name! {
        BarePass City FnPass GeoSpotOnly Hand Lease Mate Member MilliPass MinutePass Pair Pass Plain Probe Ranked
        Resident Session TagList TempMate TenPass
    }
}

/// The keyspace `crew` is the one that is known.
fn parse_keys(case: &Case) -> Check {
    let span = Duration::from_secs(300);
    let crew = Keyspace::new("Crew", "", "crew", true, span, span).map_err(|error| error.to_string())?;
    for step in case.list("when") {
        let (key, result) = (
            step["key"].as_str().ok_or("the step has no key")?,
            &step["result"],
        );
        let found = crew.id_of_key(key);
        demand!(
            found.is_some() == (result["valid"] == true),
            "`{key}` is parsed as {found:?}"
        );
        if let Some((id, phantom)) = found {
            demand!(result["keyspace"] == "crew", "the driver knows one keyspace");
            let expected = (result["id"].as_str(), result["phantom"].as_bool());
            demand!(
                expected == (Some(id), Some(phantom)),
                "`{key}` is parsed as {found:?}, not {expected:?}"
            );
        }
    }
    Ok(())
}

/// A text that a step has to have.
fn string(value: &Value, what: &str) -> Result<String, String> {
    value
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| format!("the step has no {what}"))
}
