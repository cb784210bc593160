//! What a case expects: of a step's result, and of the server afterwards.

use std::collections::BTreeSet;

use kvrepo::Error;
use serde_json::{Map, Value};

use crate::conformance::Check;
use crate::conformance::hash::{self, Extent, Fields};
use crate::demand;
use crate::harness::TestServer;

/// By how many milliseconds a remaining term may differ.
const TOLERANCE: i64 = 2_000;
/// By how many degrees a point may differ, since servers round.
const TOLERANCE_DEGREES: f64 = 0.005;

/// Compares the result of a step with what the step expects.
pub(crate) fn result(step: &Value, found: kvrepo::Result<Value>) -> Check {
    if let Some(error) = step.get("error") {
        let Err(found) = found else {
            return Err(format!("it is {found:?}, but should have failed"));
        };
        let kind = &error["kind"];
        let fits = match kind.as_str() {
            Some("duplicate-id") => matches!(found, Error::AlreadyExists { .. }),
            Some("missing-id") => matches!(found, Error::InvalidId { .. }),
            Some("example") => matches!(found, Error::InvalidSetting { what: "example", .. }),
            Some("invalid-id") => matches!(found, Error::InvalidId { .. }),
            Some("more-than-one") => matches!(found, Error::NotUnique { .. }),
            Some("invalid-time-to-live") => matches!(found, Error::InvalidTimeToLive { .. }),
            _ => return Err(format!("the driver knows no error {kind}")),
        };
        demand!(fits, "it failed as {found:?}, not as {kind}");
        return Ok(());
    }
    let found = found.map_err(|error| format!("it failed: {error}"))?;
    let Some(expected) = step.get("result") else {
        return Ok(());
    };
    let fits = if found.is_array() || found.get("values").is_some() && found.get("ids").is_some() {
        are_part(expected, &found)?
    } else {
        is_part(expected, &found)
    };
    demand!(fits, "it is {found}, not {expected}");
    Ok(())
}

/// Whether what was found is as expected; entities, or just their ids.
fn are_part(expected: &Value, found: &Value) -> Result<bool, String> {
    let ids = texts(found.get("ids").unwrap_or(found));
    for (what, expected) in expected.as_object().ok_or("the driver cannot read the result")? {
        let fits = match what.as_str() {
            "ids_ordered" => texts(expected) == ids,
            "ids" => {
                let (mut expected, mut ids) = (texts(expected), ids.clone());
                expected.sort();
                ids.sort();
                expected == ids
            }
            "subset_of" => ids.iter().all(|id| texts(expected).contains(id)),
            "size" => *expected == ids.len(),
            "total" | "has_next" => found.get(what) == Some(expected),
            "values" => match (expected.as_array(), found["values"].as_array()) {
                (Some(expected), Some(found)) => {
                    expected.len() == found.len()
                        && expected
                            .iter()
                            .zip(found)
                            .all(|(expected, found)| is_part(expected, found))
                }
                _ => false,
            },
            other => return Err(format!("the driver does not know `{other}` of a result")),
        };
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether all that is expected is there.
fn is_part(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => expected.iter().all(|(name, value)| {
            let found = found.get(name).unwrap_or(&Value::Null);
            if value == "uuid-text" {
                is_uuid(found)
            } else {
                is_part(value, found)
            }
        }),
        _ => expected == found,
    }
}

fn is_uuid(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| uuid::Uuid::try_parse(text).is_ok())
}

/// Compares the server with what is expected of it. `approximately` says whether numbers in hashes may differ as
/// remaining terms do.
pub(crate) async fn state(server: &TestServer, then: &Value, approximately: bool) -> Check {
    for (what, expected) in then.as_object().into_iter().flatten() {
        for (key, expected) in keyed(what, expected)? {
            let check = match what.as_str() {
                "exists" => exists(server, &key, true).await,
                "absent" => exists(server, &key, false).await,
                "set" | "sets" => set(server, &key, &expected).await,
                "geo" => geo(server, &key, &expected).await,
                "geo_members" => {
                    let found: BTreeSet<String> = server.query(&["ZRANGE", &key, "0", "-1"]).await;
                    same(&found, &expected)
                }
                "set_size" => {
                    let size: u64 = server.query(&["SCARD", &key]).await;
                    if expected == size {
                        Ok(())
                    } else {
                        Err(format!("has {size} members"))
                    }
                }
                "hash" => hash(server, &key, &expected, Extent::Whole, false).await,
                "hash_subset" => hash(server, &key, &expected, Extent::Part, approximately).await,
                "ttl" => term(server, &key, expected.as_i64().map(|seconds| seconds * 1000)).await,
                "pttl" => term(server, &key, expected.as_i64()).await,
                "listener" => listener(server, &expected).await,
                // Compared by whoever has the subscriptions.
                "events" | "events_second" => Ok(()),
                other => Err(format!("the driver does not know `{other}`")),
            };
            let expected = if expected.is_null() {
                String::new()
            } else {
                expected.to_string()
            };
            check.map_err(|fault| format!("`{key}` {fault}, expected {what} {expected}"))?;
        }
    }
    Ok(())
}

/// The keys that an expectation speaks of, each with what is expected of it.
fn keyed(what: &str, expected: &Value) -> Result<Vec<(String, Value)>, String> {
    match (what, expected) {
        ("exists" | "absent", Value::Array(keys)) => Ok(texts(&Value::Array(keys.clone()))
            .into_iter()
            .map(|key| (key, Value::Null))
            .collect()),
        ("events" | "events_second", _) => Ok(Vec::new()),
        ("listener", state) => Ok(vec![("listener".to_owned(), state.clone())]),
        (_, Value::Object(keys)) => Ok(keys.clone().into_iter().collect()),
        _ => Err(format!("the driver cannot read {what} {expected}")),
    }
}

async fn exists(server: &TestServer, key: &str, expected: bool) -> Check {
    let found: bool = server.query(&["EXISTS", key]).await;
    demand!(
        found == expected,
        "{}",
        if found { "is there" } else { "is not there" }
    );
    Ok(())
}

async fn set(server: &TestServer, key: &str, expected: &Value) -> Check {
    let found: BTreeSet<String> = server.query(&["SMEMBERS", key]).await;
    same(&found, expected)
}

fn same(found: &BTreeSet<String>, expected: &Value) -> Check {
    demand!(*found == texts(expected).into_iter().collect(), "has {found:?}");
    Ok(())
}

/// The points of a geo index.
async fn geo(server: &TestServer, key: &str, expected: &Value) -> Check {
    let expected = expected.as_object().ok_or("is expected as no points")?;
    let members: BTreeSet<String> = server.query(&["ZRANGE", key, "0", "-1"]).await;
    same(&members, &expected.keys().cloned().collect())?;
    for (id, point) in expected {
        let (found,): (Option<(f64, f64)>,) = server.query(&["GEOPOS", key, id]).await;
        let (lon, lat) = found.ok_or_else(|| format!("has no point of `{id}`"))?;
        let near = |at: usize, found: f64| {
            point[at]
                .as_f64()
                .is_some_and(|expected| (expected - found).abs() <= TOLERANCE_DEGREES)
        };
        demand!(near(0, lon) && near(1, lat), "has `{id}` at {lon}, {lat}");
    }
    Ok(())
}

async fn hash(
    server: &TestServer,
    key: &str,
    expected: &Value,
    extent: Extent,
    approximately: bool,
) -> Check {
    let mut found: Fields = server.query(&["HGETALL", key]).await;
    let expected = expected.as_object().ok_or("is expected as no hash")?;
    if approximately {
        for (path, value) in expected {
            let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<i64>().ok();
            let text = value.as_str().unwrap_or_default().as_bytes();
            if let (Some(expected), Some(near)) =
                (number(text), found.get(path).and_then(|text| number(text)))
                && (expected - near).abs() <= TOLERANCE / 1000
            {
                found.insert(path.clone(), text.to_vec());
            }
        }
    }
    hash::compare(expected, &Map::new(), &found, extent)
}

async fn term(server: &TestServer, key: &str, expected: Option<i64>) -> Check {
    let found: i64 = server.query(&["PTTL", key]).await;
    let fits = match expected {
        None => found == -1,
        // At least a part of it is still to come, and nothing was added.
        Some(ms) => found <= ms && found > (ms - TOLERANCE).max(0),
    };
    demand!(fits, "has {found} ms left");
    Ok(())
}

/// Whether somebody has subscribed to what expires.
async fn listener(server: &TestServer, expected: &Value) -> Check {
    let (_, subscribers): (String, u64) = server
        .query(&["PUBSUB", "NUMSUB", "__keyevent@0__:expired"])
        .await;
    demand!(*expected == (subscribers > 0), "has {subscribers} connections");
    Ok(())
}

/// The texts of a list, `null` being one that no key is like.
fn texts(list: &Value) -> Vec<String> {
    let text = |item: &Value| item.as_str().map_or_else(|| item.to_string(), str::to_owned);
    list.as_array().into_iter().flatten().map(text).collect()
}
