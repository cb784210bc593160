//! What the recorder of an application gets.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use kvrepo::{KeyspaceEvents, KeyspaceSettings, KvEntity, ManualClock, Store};
use kvrepo_tests::harness::{ServerOptions, TestServer};
use kvrepo_tests::meter::Meter;
use kvrepo_tests::world::{eventually, next};
use serde::{Deserialize, Serialize};

const SECOND: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "measured")]
struct Measured {
    #[id]
    id: String,
    name: String,
}

fn measured(id: &str) -> Measured {
    Measured {
        id: id.into(),
        name: "ann".into(),
    }
}

/// The tests share a recorder; each has a keyspace of its own.
fn named(name: &str) -> KeyspaceSettings {
    KeyspaceSettings::new().name(name)
}

/// The names, kinds and units on the page.
fn on_the_page() -> BTreeMap<String, (&'static str, &'static str)> {
    let page = include_str!("../../../kvrepo/src/docs/observing.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `kvrepo_"));
    let metrics = rows.map(|row| {
        let mut cells = row.split('|').map(str::trim);
        let name = cells.next().expect("a name").trim_end_matches('`');
        let kind = cells.next().expect("a kind");
        (
            format!("kvrepo_{name}"),
            (kind, if kind == "histogram" { "seconds" } else { "count" }),
        )
    });
    metrics.collect()
}

/// A store tells the recorder what its metrics are, which are those of the page.
#[tokio::test]
async fn the_page_names_all_metrics_and_no_others() {
    let meter = Meter::global();
    drop(Store::in_memory());
    let described = meter.described();
    assert_eq!(described, on_the_page());
}

/// By the backend's clock, which is decades away from this machine's.
#[tokio::test]
async fn events_and_their_lag_are_recorded() {
    let meter = Meter::global();
    let clock = ManualClock::at(SystemTime::UNIX_EPOCH + 1_000_000_000 * SECOND);
    let store = Store::builder()
        .keyspace::<Measured>(named("lagging"))
        .in_memory()
        .unwrap();
    let store = store.with_clock(clock.clone());
    let repository = store.repository::<Measured>();
    let mut expired = repository.expired().await.unwrap();
    for round in 1..=3 {
        repository
            .save(&mut measured("1"))
            .time_to_live(SECOND)
            .await
            .unwrap();
        clock.advance(SECOND + round * SECOND / 4);
        next(&mut expired).await;
    }
    assert_eq!(
        meter.samples("kvrepo_event_lag_seconds", "lagging"),
        [0.25, 0.5, 0.75]
    );
    assert_eq!(
        meter.count("kvrepo_events_delivered_total", ("keyspace", "lagging")),
        3
    );
    eventually("the three to be counted", async || {
        meter.count("kvrepo_events_reaped_total", ("keyspace", "lagging")) == 3
    })
    .await;
    assert_eq!(meter.gauge("kvrepo_due_entities", "lagging"), Some(0.0));
    assert_eq!(store.health().await.lag, Some(SECOND * 3 / 4));
}

#[tokio::test]
async fn renewals_are_recorded() {
    let meter = Meter::global();
    let clock = ManualClock::new();
    let settings = named("renewed").idle(60 * SECOND);
    let store = Store::builder()
        .keyspace::<Measured>(settings)
        .in_memory()
        .unwrap();
    let repository = store.with_clock(clock.clone()).repository::<Measured>();
    repository.save(&mut measured("1")).await.unwrap();
    for _ in 0..3 {
        clock.advance(30 * SECOND);
        repository.find_by_id("1").await.unwrap().expect("it is alive");
    }
    assert_eq!(
        meter.count("kvrepo_idle_renewals_total", ("keyspace", "renewed")),
        3
    );
}

/// On a server: a backlog of several steps, an entity that was deleted by hand, a connection that was cut.
#[tokio::test]
async fn what_goes_wrong_on_a_server_is_recorded() {
    let meter = Meter::global();
    let server = TestServer::with(ServerOptions::new().hz(100)).await;
    let open = async |events| {
        let builder = Store::builder()
            .keyspace::<Measured>(named("troubled"))
            .events(events);
        builder.connect(&server.url()).await.unwrap()
    };
    let quiet = open(KeyspaceEvents::Off).await.repository::<Measured>();
    quiet.save(&mut measured("gone")).await.unwrap();
    server.command(&["DEL", "troubled:gone"]).await;
    quiet.find_all().await.unwrap();
    let orphans = || meter.count("kvrepo_orphans_repaired_total", ("keyspace", "troubled"));
    assert_eq!(orphans(), 1);

    let mut many: Vec<_> = (0..200).map(|i| measured(&i.to_string())).collect();
    quiet.save_all(&mut many).time_to_live(SECOND / 50).await.unwrap();
    let store = open(KeyspaceEvents::OnDemand).await;
    let mut expired = store.repository::<Measured>().expired().await.unwrap();
    for _ in 0..200 {
        next(&mut expired).await;
    }
    let by_deadline = || meter.count("kvrepo_events_reaped_total", ("trigger", "deadline"));
    eventually("all to be counted", async || by_deadline() >= 200).await;
    eventually("nothing to be due", async || {
        meter.gauge("kvrepo_due_entities", "troubled") == Some(0.0)
    })
    .await;
    let lags = meter.samples("kvrepo_event_lag_seconds", "troubled");
    assert!(
        !lags.is_empty() && lags.iter().all(|lag| (0.0..20.0).contains(lag)),
        "{lags:?}"
    );

    let reconnects = || meter.count("kvrepo_reconnects_total", ("connection", "notifications"));
    assert_eq!(reconnects(), 0);
    server.command(&["CLIENT", "KILL", "TYPE", "pubsub"]).await;
    eventually("the connection to be made again", async || reconnects() == 1).await;
}
