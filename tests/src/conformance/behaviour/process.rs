//! One process of a case: a store with its settings, and its subscription.

use std::time::Duration;

use kvrepo::{Expired, KeyExpired, KeyspaceEvents, KeyspaceSettings, KvId, Repository, Store};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use crate::conformance::Check;
use crate::conformance::notation::Notated;
use crate::demand;
use crate::world::PATIENCE;

/// The id of the entity whose event must be the next after those that are expected.
const MARKER: &str = "zz-marker";
/// Its term: time enough for a notification that was under way.
const MARKER_TERM: Duration = Duration::from_millis(100);

/// What a case calls a process.
#[derive(Debug)]
pub(super) struct Process<T: Notated> {
    pub(super) repository: Repository<T>,
    expired: Option<Expired<T>>,
}

impl<T: Notated> Process<T> {
    /// Starts a process. It subscribes where events are `asked` for.
    pub(super) async fn start(
        url: &str,
        type_name: &str,
        config: &Value,
        asked: bool,
    ) -> Result<Self, String> {
        let events = match config["events"].as_str() {
            None | Some("off") => KeyspaceEvents::Off,
            Some("on_demand") => KeyspaceEvents::OnDemand,
            // Who subscribes starts to listen by that, and hears of what is due by then. Had it listened from the start, that
            // could have been reaped a moment before, with nobody to hear of it.
            Some("on_startup") if asked => KeyspaceEvents::OnDemand,
            Some("on_startup") => KeyspaceEvents::OnStartup,
            Some(other) => return Err(format!("`{other}` is no way to listen")),
        };
        let mut settings = KeyspaceSettings::new();
        match config["shadow"].as_str() {
            None | Some("default") => {}
            Some("on") => settings = settings.shadow_copy(true),
            Some("off") => settings = settings.shadow_copy(false),
            Some(other) => return Err(format!("`{other}` says nothing of phantoms")),
        }
        if let Some(seconds) = config["default_ttl"][type_name].as_u64() {
            settings = settings.time_to_live(Duration::from_secs(seconds));
        }
        if let Some(name) = config["keyspace"][type_name].as_str() {
            settings = settings.name(name);
        }
        let opened = Store::builder()
            .events(events)
            .keyspace::<T>(settings)
            .connect(url)
            .await;
        let repository = opened.map_err(|error| format!("no store: {error}"))?.repository();
        let expired = if asked && events != KeyspaceEvents::Off {
            Some(
                repository
                    .expired()
                    .await
                    .map_err(|error| format!("cannot subscribe: {error}"))?,
            )
        } else {
            None
        };
        Ok(Self { repository, expired })
    }

    /// Compares the events so far with those that are expected.
    pub(super) async fn events(&mut self, expected: &[Value]) -> Check {
        for expected in expected {
            let event = self
                .next()
                .await
                .map_err(|fault| format!("{fault}, expected {expected}"))?;
            check(&event, expected)?;
        }
        Ok(())
    }

    /// Demands that no more events come: an entity that expires now has the next one. It is saved by one process, and
    /// heard of by all.
    pub(super) async fn save_marker(&self) -> Check {
        let mut marker = T::notated(&json!({ "id": MARKER }))?;
        let saved = self.repository.save(&mut marker).time_to_live(MARKER_TERM).await;
        saved
            .map(drop)
            .map_err(|error| format!("the marker cannot be saved: {error}"))
    }

    /// Lets the look at everything pass that a listener takes when it starts. It takes a hash that another client lets
    /// expire just then for deleted, if it comes before the server's notification.
    pub(super) async fn settle_in(&mut self) -> Check {
        if self.expired.is_some() {
            self.save_marker().await?;
            self.marker_is_next().await?;
        }
        Ok(())
    }

    pub(super) async fn marker_is_next(&mut self) -> Check {
        let id = self.next().await?.id().to_key().into_owned();
        demand!(id == MARKER, "an event for `{id}` that should not be");
        Ok(())
    }

    async fn next(&mut self) -> Result<KeyExpired<T>, String> {
        let expired = self
            .expired
            .as_mut()
            .ok_or("events are expected where nobody listens")?;
        let event = timeout(PATIENCE, expired.next())
            .await
            .map_err(|_| "an event is missing")?;
        event
            .ok_or("the events have ended")?
            .map_err(|error| format!("no event: {error}"))
    }
}

fn check<T: Notated>(event: &KeyExpired<T>, expected: &Value) -> Check {
    let (keyspace, id) = (event.keyspace(), event.id().to_key());
    let same = expected["keyspace"] == keyspace && expected["id"] == id.as_ref();
    demand!(same, "an event of `{keyspace}` for `{id}`, expected {expected}");
    if let Some(value) = expected.get("value") {
        let found = event.value().map(stored_fields).transpose()?;
        let why = event.no_value();
        demand!(
            found.as_ref() == value.as_object(),
            "the event's value is {found:?} ({why:?}), not {value}"
        );
    }
    Ok(())
}

/// The fields of a flat entity as a hash holds them.
fn stored_fields<T: Notated>(entity: &T) -> Result<Map<String, Value>, String> {
    let json = serde_json::to_value(entity).map_err(|error| error.to_string())?;
    let fields = json
        .as_object()
        .ok_or("the entity is no object")?
        .iter()
        .filter(|(_, value)| !value.is_null());
    let stored = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Ok(fields
        .map(|(name, value)| (name.clone(), stored(value).into()))
        .collect())
}
