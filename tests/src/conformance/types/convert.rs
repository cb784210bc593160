//! Types with a form of their own. What is a registered converter in Spring is the type's serde form here.

use kvrepo::KvEntity;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use super::Vessel;
use crate::conformance::notation::{self, Notated};

/// `id|number|holder`, the whole entity in one field.
#[derive(Debug, Clone, PartialEq, KvEntity)]
#[kv(keyspace = "accounts")]
pub struct Account {
    #[id]
    pub id: Option<String>,
    pub number: Option<String>,
    pub holder: Option<String>,
}

impl Serialize for Account {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let part = |part: &Option<String>| part.clone().unwrap_or_default();
        serializer.collect_str(&format_args!(
            "{}|{}|{}",
            part(&self.id),
            part(&self.number),
            part(&self.holder)
        ))
    }
}

impl<'de> Deserialize<'de> for Account {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut parts = text
            .split('|')
            .map(|part| (!part.is_empty()).then(|| part.to_owned()));
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(id), Some(number), Some(holder), None) => Ok(Self { id, number, holder }),
            _ => Err(de::Error::custom("expected three parts")),
        }
    }
}

impl Notated for Account {
    fn notated(value: &Value) -> Result<Self, String> {
        let part = |name: &str| value[name].as_str().map(str::to_owned);
        Ok(Self {
            id: part("id"),
            number: part("number"),
            holder: part("holder"),
        })
    }
}

/// JSON, the whole entity in one field.
#[derive(Debug, Clone, PartialEq, KvEntity)]
#[kv(keyspace = "jsonhomes")]
pub struct JsonHome {
    #[id]
    pub id: Option<String>,
    pub town: Option<String>,
    pub land: Option<String>,
}

/// What the JSON holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JsonHomeForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    town: Option<String>,
    land: Option<String>,
}

impl Serialize for JsonHome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { id, town, land } = self.clone();
        let json =
            serde_json::to_string(&JsonHomeForm { id, town, land }).map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(&json)
    }
}

impl<'de> Deserialize<'de> for JsonHome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = String::deserialize(deserializer)?;
        serde_json::from_str::<JsonHomeForm>(&json)
            .map(Self::from)
            .map_err(de::Error::custom)
    }
}

impl From<JsonHomeForm> for JsonHome {
    fn from(JsonHomeForm { id, town, land }: JsonHomeForm) -> Self {
        Self { id, town, land }
    }
}

impl Notated for JsonHome {
    fn notated(value: &Value) -> Result<Self, String> {
        notation::read::<JsonHomeForm>(value).map(Self::from)
    }
}

/// With its home as JSON in one field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "jsonsailors")]
pub struct JsonSailor {
    #[id]
    pub id: Option<String>,
    pub name: Option<String>,
    #[kv(json)]
    pub home: Option<JsonHomeForm>,
}

/// Under other names, and with the nicknames in one text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "mapvessels")]
pub struct MapVessel {
    #[id]
    pub id: Option<String>,
    #[serde(rename = "vessel-name")]
    pub name: Option<String>,
    #[serde(rename = "vessel-nicknames", default, with = "commas")]
    pub nicknames: Option<Vec<String>>,
}

impl Notated for MapVessel {
    fn notated(value: &Value) -> Result<Self, String> {
        let Vessel { name, nicknames } = notation::read(value)?;
        Ok(Self {
            id: value["id"].as_str().map(str::to_owned),
            name,
            nicknames,
        })
    }
}

/// With vessels of that form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "mapsailors")]
pub struct MapSailor {
    #[id]
    pub id: Option<String>,
    pub vessel: Option<MapVessel>,
    pub fleet: Option<Vec<MapVessel>>,
}

impl Notated for MapSailor {
    fn notated(value: &Value) -> Result<Self, String> {
        Ok(Self {
            id: value["id"].as_str().map(str::to_owned),
            vessel: value.get("vessel").map(MapVessel::notated).transpose()?,
            fleet: value["fleet"]
                .as_array()
                .map(|all| all.iter().map(MapVessel::notated).collect())
                .transpose()?,
        })
    }
}

/// Texts joined by commas; none of them is the empty text.
mod commas {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        texts: &Option<Vec<String>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&texts.as_deref().unwrap_or_default().join(","))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Vec<String>>, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(if text.is_empty() {
            None
        } else {
            Some(text.split(',').map(str::to_owned).collect())
        })
    }
}
