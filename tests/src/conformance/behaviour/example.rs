//! The steps that find by an example.

use kvrepo::{Example, Repository};
use serde_json::{Value, json};

use super::{find, string};
use crate::conformance::notation::Notated;
use crate::conformance::types::Sought;

/// A call with the step's `probe`.
pub(super) async fn call<T: Notated + Sought>(
    people: &Repository<T>,
    op: &str,
    step: &Value,
) -> Result<kvrepo::Result<Value>, String> {
    let probe = T::notated(&step["probe"])?;
    let found = people.find_by_example(example(&probe, &step["ignore"])?);
    let json = |entity: T| serde_json::to_value(entity).unwrap_or_default();
    Ok(match op {
        "example_criteria" => return criteria(people, &probe, step),
        "example_find" => find::run(found, step).await,
        "example_find_one" => found.one().await.map(|found| found.map_or(Value::Null, json)),
        "example_find_first" => found.first().await.map(|found| find::many(found.as_slice())),
        "example_count" => found.count().await.map(Value::from),
        "example_exists" => found.exists().await.map(Value::from),
        other => return Err(format!("the driver does not know `{other}`")),
    })
}

fn example<T: Sought>(probe: &T, ignored: &Value) -> Result<Example<T>, String> {
    let paths = ignored.as_array().into_iter().flatten();
    paths.into_iter().try_fold(Example::of(probe), |example, path| {
        T::ignoring(example, path.as_str().unwrap_or_default())
    })
}

/// What an example asks for: the expected criteria, if it is explained as they are; else how it is explained.
///
/// Those of `all` are asked of indexes; `stored` is what a ruling can have besides: fields that are compared with what is
/// stored of those that the indexes find.
fn criteria<T: Sought>(
    people: &Repository<T>,
    probe: &T,
    step: &Value,
) -> Result<kvrepo::Result<Value>, String> {
    let example = example(probe, &step["ignore"])?;
    let expected = &step["result"];
    let explained = match people.find_by_example(example).explain() {
        Ok(explained) => explained,
        Err(error) => return Ok(Err(error)),
    };
    let (mut ignored, mut missing) = (step["ignore"].as_array().cloned().unwrap_or_default(), None);
    for criterion in expected["stored"].as_array().into_iter().flatten() {
        let (path, text) = (string(&criterion[0], "path")?, string(&criterion[1], "text")?);
        let line = format!("stored with: HMGET of each, {path} {text}\n");
        missing = missing.or((!explained.contains(&line)).then_some(line));
        ignored.push(path.into());
    }
    let of_indexes = people
        .find_by_example(self::example(probe, &ignored.into())?)
        .explain();
    let asked = expected["all"].as_array().ok_or("the step has no criteria")?;
    let filter = asked
        .iter()
        .map(|criterion| criterion_as_filter::<T>(criterion))
        .reduce(|a, b| Ok(a?.and(b?)))
        .ok_or("the driver knows no example without criteria")??;
    let of_criteria = people.find(filter).explain();
    Ok(match (of_indexes, of_criteria) {
        (Ok(found), Ok(wanted)) if missing.is_none() && found == wanted => Ok(expected.clone()),
        (Err(error), _) | (_, Err(error)) => Err(error),
        _ => Ok(json!({ "explained": explained })),
    })
}

/// The path, and the text that is stored.
fn criterion_as_filter<T: Sought>(criterion: &Value) -> Result<kvrepo::Filter<T>, String> {
    let (path, text) = (string(&criterion[0], "path")?, string(&criterion[1], "text")?);
    T::equal(&path, &text.as_str().into()).or_else(|_| {
        let number = serde_json::from_str(&text).map_err(|error| format!("`{text}` is no value: {error}"))?;
        T::equal(&path, &number)
    })
}
