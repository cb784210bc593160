//! The steps that find many.

use kvrepo::{Find, KvEntity, KvId, PageRequest, Repository};
use serde_json::{Value, json};

use crate::conformance::types::Sought;

/// Finds: all, or by the step's `where`; a page or a slice of them, if it says so.
///
/// The result has the `ids` and the `values`; of a page also the `total`, of a slice whether it `has_next`.
pub(super) async fn find<T: Sought>(
    people: &Repository<T>,
    step: &Value,
) -> Result<kvrepo::Result<Value>, String> {
    let sort = step["sort"].as_array().into_iter().flatten();
    let mut sort = sort.map(|key| T::sorted(key[0].as_str().unwrap_or_default(), key[1] == "desc"));
    // All of them become the same kind of find once they are sorted or cut.
    let mut find = match (step.get("where"), sort.next()) {
        (Some(place), None) => people.find(T::sought(place)?),
        (Some(place), Some(first)) => people.find(T::sought(place)?).sort(first?),
        (None, Some(first)) => people.find_all().sort(first?),
        (None, None) => match (limit(step), page(&step["page"])) {
            (Some(limit), _) => people.find_all().limit(limit),
            (None, Some(request)) => {
                let found = people.find_all().page(request).await;
                return Ok(found.map(|found| with(many(&found.items), "total", found.total.into())));
            }
            (None, None) => return Ok(people.find_all().await.map(|found| many(&found))),
        },
    };
    for next in sort {
        find = find.sort(next?);
    }
    Ok(run(find, step).await)
}

/// Finds as much as the step says.
pub(super) async fn run<T: KvEntity>(mut find: Find<'_, T>, step: &Value) -> kvrepo::Result<Value> {
    if let Some(limit) = limit(step) {
        find = find.limit(limit);
    }
    if let Some(request) = page(&step["page"]) {
        let found = find.page(request).await?;
        return Ok(with(many(&found.items), "total", found.total.into()));
    }
    if let Some(request) = page(&step["slice"]) {
        let found = find.limit(request.size).slice().await?;
        return Ok(with(many(&found.items), "has_next", found.next.is_some().into()));
    }
    Ok(many(&find.await?))
}

fn limit(step: &Value) -> Option<usize> {
    usize::try_from(step["limit"].as_u64()?).ok()
}

/// A part that a step asks for.
fn page(asked: &Value) -> Option<PageRequest> {
    let number = |name: &str| usize::try_from(asked[name].as_u64()?).ok();
    Some(PageRequest::of(number("number")?, number("size")?))
}

/// Entities and their ids.
pub(super) fn many<T: KvEntity>(found: &[T]) -> Value {
    let ids: Value = found
        .iter()
        .map(|one| one.id().map(|id| id.to_key().into_owned()))
        .collect();
    let values: Value = found
        .iter()
        .map(|one| serde_json::to_value(one).unwrap_or_default())
        .collect();
    json!({ "ids": ids, "values": values })
}

fn with(mut found: Value, name: &str, value: Value) -> Value {
    found[name] = value;
    found
}
