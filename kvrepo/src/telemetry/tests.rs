//! Everything that can be said is counted, and goes to the recorder under the names of the table and the page.

use std::time::Instant;

use kvrepo_tests::meter::Meter;

use super::metric::{ALL, Kind};
use super::*;

const PAGE: &str = include_str!("../docs/observing.md");

/// Says everything once.
fn say_everything(telemetry: &Telemetry) {
    telemetry.server_said(1_000, Instant::now());
    telemetry.reaped("people", 2, Cause::Deadline);
    telemetry.reaped("people", 3, Cause::Notification);
    telemetry.due("people", 4);
    telemetry.delivered("people", 0);
    telemetry.repaired("people", 5, 6);
    telemetry.gap("people");
    telemetry.handler_failed("people");
    telemetry.redelivered("people");
    telemetry.parked("people", 7);
    reconnected("commands");
    renewed("people", 8);
}

#[test]
fn what_is_said_is_counted() {
    let telemetry = Telemetry::new(|| None);
    assert_eq!(telemetry.counts(), Counts::default());
    say_everything(&telemetry);
    let counts = telemetry.counts();
    let lag = counts.lag.expect("the server's time is known");
    assert!((1.0..2.0).contains(&lag.as_secs_f64()), "{lag:?}");
    let expected = Counts {
        by_deadline: 2,
        by_notification: 3,
        by_search: 5,
        lag: counts.lag,
        gaps: 1,
        orphans: 6,
        handler_failures: 1,
        redeliveries: 1,
        parked: 7,
    };
    assert_eq!(counts, expected);
}

#[test]
fn nothing_is_said_of_nothing() {
    let meter = Meter::default();
    metrics::with_local_recorder(&meter, || {
        let telemetry = Telemetry::new(|| None);
        telemetry.reaped("people", 0, Cause::Deadline);
        telemetry.repaired("people", 0, 0);
        telemetry.parked("people", 0);
        assert_eq!(telemetry.counts(), Counts::default());
    });
    assert_eq!(meter.series(), []);
}

#[test]
fn a_lag_that_is_not_known_is_not_recorded() {
    let meter = Meter::default();
    metrics::with_local_recorder(&meter, || {
        let telemetry = Telemetry::new(|| None);
        telemetry.delivered("people", 0);
        assert_eq!(telemetry.counts().lag, None);
    });
    assert_eq!(
        meter.count("kvrepo_events_delivered_total", ("keyspace", "people")),
        1
    );
    assert!(meter.samples("kvrepo_event_lag_seconds", "people").is_empty());
}

#[test]
fn a_backend_that_has_a_clock_is_asked_for_its_time() {
    let telemetry = Telemetry::new(|| Some(9_250));
    telemetry.server_said(1_000, Instant::now());
    telemetry.delivered("people", 9_000);
    assert_eq!(telemetry.counts().lag, Some(Duration::from_millis(250)));
}

#[test]
fn the_recorder_gets_all_metrics_with_the_labels_of_the_table() {
    let meter = Meter::default();
    metrics::with_local_recorder(&meter, || say_everything(&Telemetry::new(|| None)));
    let mut table: Vec<(String, Vec<String>)> = ALL
        .iter()
        .map(|metric| {
            let labels = metric.labels.iter().map(|label| (*label).to_owned());
            (metric.name.to_owned(), labels.collect())
        })
        .collect();
    table.sort();
    assert_eq!(meter.series(), table);
    assert_eq!(
        meter.count("kvrepo_events_reaped_total", ("trigger", "search")),
        5
    );
    assert_eq!(
        meter.count("kvrepo_idle_renewals_total", ("keyspace", "people")),
        8
    );
    assert_eq!(meter.gauge("kvrepo_due_entities", "people"), Some(4.0));
}

#[test]
fn the_page_has_the_table() {
    let expected: Vec<String> = ALL
        .iter()
        .map(|metric| {
            let kind = match metric.kind {
                Kind::Counter => "counter",
                Kind::Gauge => "gauge",
                Kind::Histogram => "histogram",
            };
            let labels: Vec<String> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
            format!("| `{}` | {kind} | {} |", metric.name, labels.join(", "))
        })
        .collect();
    let rows = PAGE.lines().filter(|line| line.starts_with("| `kvrepo_"));
    let found: Vec<String> = rows
        .map(|row| row.split_inclusive('|').take(4).collect::<String>())
        .collect();
    assert_eq!(found, expected);
}
