//! The steps that are calls of a repository.

use kvrepo::{IdArg, KvId, Repository};
use serde_json::{Value, json};

use super::{example, find, string};
use crate::conformance::notation::Notated;
use crate::conformance::reference;
use crate::conformance::types::{Changed, Sought};

/// A call of the repository: its result as JSON, entities as serde has them, many of them as their ids, or as
/// [`find`](find::find) has them.
pub(crate) async fn call<T>(
    people: &Repository<T>,
    op: &str,
    step: &Value,
) -> Result<kvrepo::Result<Value>, String>
where
    T: Notated + Changed + Sought,
    String: IdArg<T::Id>,
{
    let id = || string(&step["id"], "id");
    let ids = || {
        step["ids"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
    };
    let json = |entity: &T| serde_json::to_value(entity).unwrap_or_default();
    let ids_of = |entities: Vec<T>| {
        entities
            .iter()
            .map(|one| one.id().map(|id| id.to_key().into_owned()))
            .collect()
    };
    Ok(match op {
        "save" => {
            let mut entity = T::notated(&step["value"])?;
            people.save(&mut entity).await.map(|_| json(&entity))
        }
        "insert" => {
            let mut entity = T::notated(&step["value"])?;
            people.insert(&mut entity).await.map(|_| json(&entity))
        }
        "update" => {
            let mut update = people.update(id()?);
            for pair in step["set"].as_array().into_iter().flatten() {
                update = T::changed(update, &string(&pair[0], "path")?, Some(&pair[1]))?;
            }
            for (path, value) in step["merge"].as_object().into_iter().flatten() {
                update = T::changed(update, path, Some(value))?;
            }
            for path in step["del"].as_array().into_iter().flatten() {
                update = T::changed(update, &string(path, "path")?, None)?;
            }
            if step["refresh_ttl"] == true {
                update = update.refresh_time_to_live();
            }
            update.await.map(Value::from)
        }
        "save_all" => {
            let values = step["values"].as_array().into_iter().flatten();
            let mut entities: Vec<T> = values.map(T::notated).collect::<Result<_, _>>()?;
            people.save_all(&mut entities).await.map(|_| ids_of(entities))
        }
        "load_and_save" => {
            let found = people
                .find_by_id(id()?)
                .await
                .map_err(|error| format!("it is not found: {error}"))?;
            let mut entity = found.ok_or("there is nothing to load")?;
            people.save(&mut entity).await.map(|_| json(&entity))
        }
        "find_by_id" => match people.find_by_id(id()?).await {
            Ok(Some(found)) => Ok(reference::resolved::<T>(people.store(), &json(&found)).await?),
            Ok(None) => Ok(Value::Null),
            Err(error) => Err(error),
        },
        "exists_by_id" => people.exists_by_id(id()?).await.map(Value::from),
        "find_all_by_id" => people.find_all_by_id(ids()).await.map(ids_of),
        "find_all" | "find" => find::find(people, step).await?,
        "find_one" => match people.find(T::sought(&step["where"])?).one().await {
            Ok(found) => Ok(found.as_ref().map_or(Value::Null, json)),
            Err(error) => Err(error),
        },
        "count_where" => people
            .find(T::sought(&step["where"])?)
            .count()
            .await
            .map(Value::from),
        "count" => people.count().await.map(Value::from),
        // The removed entity, or none: that there was one is what kvrepo says.
        "delete_by_id" => people
            .delete_by_id(id()?)
            .await
            .map(|was| if was { json!({}) } else { Value::Null }),
        "delete_all_by_id" => people.delete_all_by_id(ids()).await.map(Value::from),
        "delete_all" => people.delete_all().await.map(Value::from),
        "delete" if step["id"].is_string() => people.delete_by_id(id()?).await.map(Value::from),
        "delete" => people.delete(&T::notated(&step["value"])?).await.map(Value::from),
        op if op.starts_with("example_") => example::call(people, op, step).await?,
        other => return Err(format!("the driver does not know `{other}`")),
    })
}
