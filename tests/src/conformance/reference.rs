//! References: the cases write what is referred to in their place, and expect to read it there.

use std::collections::BTreeMap;

use kvrepo::{KvEntity, Ref, Store};
use serde_json::Value;

use super::notation::{self, Notated};

/// What is said of a case's value that refers to something without an id.
pub const WITHOUT_ID: &str = "it refers to what has no id";

/// Entities by the text of references to them.
pub type Targets = BTreeMap<String, Value>;

/// A value with references in the place of what it refers to.
///
/// # Errors
///
/// [`WITHOUT_ID`]; or that something is not of the type that is referred to.
pub fn written<T: Notated>(value: &Value) -> Result<Value, String> {
    replaced(value, T::REFERENCES, &mut |target| {
        T::target(target).map(|(text, _)| text.into())
    })
}

/// What a value refers to, as it writes that.
///
/// # Errors
///
/// As [`written`].
pub fn targets<T: Notated>(value: &Value) -> Result<Targets, String> {
    let mut targets = Targets::new();
    replaced(value, T::REFERENCES, &mut |target| {
        let (text, entity) = T::target(target)?;
        targets.insert(text, entity);
        Ok(Value::Null)
    })?;
    Ok(targets)
}

/// An entity with what it refers to in the place of its references. Those that dangle are left out, as the peer reads
/// them.
///
/// # Errors
///
/// As [`load`].
pub async fn resolved<T: Notated>(store: &Store, entity: &Value) -> Result<Value, String> {
    let mut texts = Vec::new();
    replaced(entity, T::REFERENCES, &mut |text| {
        texts.push(text.clone());
        Ok(Value::Null)
    })?;
    in_place::<T>(entity, &T::referred(store, texts).await?)
}

/// The same, where it is known what is there.
///
/// # Errors
///
/// None.
pub fn in_place<T: Notated>(entity: &Value, there: &Targets) -> Result<Value, String> {
    replaced(entity, T::REFERENCES, &mut |text| {
        let target = text.as_str().and_then(|text| there.get(text));
        Ok(target.cloned().unwrap_or_default())
    })
}

/// The text of a reference to an entity, and the entity.
///
/// # Errors
///
/// As [`written`].
pub fn target<R: KvEntity>(value: &Value) -> Result<(String, Value), String> {
    let entity: R = notation::read(value)?;
    let reference = Ref::to(&entity).map_err(|error| match error {
        kvrepo::Error::InvalidId { .. } => WITHOUT_ID.to_owned(),
        other => other.to_string(),
    })?;
    let json = serde_json::to_value(&entity).map_err(|error| error.to_string())?;
    Ok((reference.to_string(), json))
}

/// The entities that are there of those that these texts refer to.
///
/// # Errors
///
/// If they cannot be read.
pub async fn load<R: KvEntity>(store: &Store, texts: Vec<Value>) -> Result<Targets, String> {
    let references: Vec<Ref<R>> = texts
        .into_iter()
        .map(serde_json::from_value)
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    let loaded = store
        .repository::<R>()
        .load_all(&references)
        .await
        .map_err(|error| format!("what it refers to cannot be loaded: {error}"))?;
    let found = references.iter().filter_map(|reference| {
        let entity = serde_json::to_value(loaded.get(reference)?).ok()?;
        Some((reference.to_string(), entity))
    });
    Ok(found.collect())
}

/// A value with something else in the fields of these names. In a list nothing stays of a `null`, and a list of nothing
/// is none.
fn replaced(
    value: &Value,
    fields: &[&str],
    by: &mut dyn FnMut(&Value) -> Result<Value, String>,
) -> Result<Value, String> {
    match value {
        Value::Array(items) => items.iter().map(|item| replaced(item, fields, by)).collect(),
        Value::Object(all) => all
            .iter()
            .map(|(name, value)| {
                let value = if fields.contains(&name.as_str()) {
                    field(value, by)?
                } else {
                    replaced(value, fields, by)?
                };
                Ok((name.clone(), value))
            })
            .collect(),
        scalar => Ok(scalar.clone()),
    }
}

fn field(value: &Value, by: &mut dyn FnMut(&Value) -> Result<Value, String>) -> Result<Value, String> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Array(items) => {
            let mut all = items.iter().map(by).collect::<Result<Vec<_>, _>>()?;
            all.retain(|item| !item.is_null());
            Ok(if all.is_empty() { Value::Null } else { all.into() })
        }
        one => by(one),
    }
}
