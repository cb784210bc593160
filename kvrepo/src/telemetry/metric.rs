//! The metrics: one table, and how they reach the metrics facade, if the build has it.

/// What kind of number it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// One metric, as the page `docs/observing.md` has it.
#[derive(Debug)]
#[cfg_attr(
    not(any(test, feature = "metrics")),
    expect(dead_code, reason = "nobody asks for them")
)]
pub(super) struct Metric {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// The names of its labels.
    pub(super) labels: &'static [&'static str],
    pub(super) about: &'static str,
}

macro_rules! metrics {
    ($($constant:ident: $kind:ident $name:literal [$($label:literal),+] $about:literal;)+) => {
        $(pub(super) static $constant: Metric = Metric {
            name: $name,
            kind: Kind::$kind,
            labels: &[$($label),+],
            about: $about,
        };)+
        #[cfg(any(test, feature = "metrics"))]
        pub(super) static ALL: &[&Metric] = &[$(&$constant),+];
    };
}

metrics! {
    REAPED: Counter "kvrepo_events_reaped_total" ["keyspace", "trigger"]
        "Expired entities that this process turned into events.";
    DELIVERED: Counter "kvrepo_events_delivered_total" ["keyspace"]
        "Events that subscribers of this process were handed.";
    LAG: Histogram "kvrepo_event_lag_seconds" ["keyspace"]
        "The time from an entity's deadline to the delivery of its event, by the server's clock.";
    DUE: Gauge "kvrepo_due_entities" ["keyspace"]
        "Entities past their deadline and not reaped, as the process that reaps sees them.";
    ORPHANS: Counter "kvrepo_orphans_repaired_total" ["keyspace"]
        "Ids that were cleaned up after, whose entity was evicted or deleted by another client.";
    RENEWALS: Counter "kvrepo_idle_renewals_total" ["keyspace"]
        "Idle terms that began anew.";
    RECONNECTS: Counter "kvrepo_reconnects_total" ["connection"]
        "Connections that had broken and are there again.";
    GAPS: Counter "kvrepo_gaps_total" ["keyspace"]
        "How often a subscriber was told that events were dropped unread.";
    HANDLER_FAILURES: Counter "kvrepo_handler_failures_total" ["keyspace"]
        "Events whose handler returned an error or panicked.";
    REDELIVERIES: Counter "kvrepo_redeliveries_total" ["keyspace"]
        "Events that a consumer of a group was handed and that had been handed to one before.";
    PARKED: Counter "kvrepo_events_parked_total" ["keyspace"]
        "Events of groups that were put aside after too many deliveries.";
}

// Each takes the values of the labels, in the table's order.
#[cfg(feature = "metrics")]
mod facade {
    use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};

    use super::{ALL, Kind, Metric};

    impl Metric {
        pub(in super::super) fn count(&self, labels: &[&str], by: u64) {
            counter!(self.name, self.named(labels)).increment(by);
        }

        pub(in super::super) fn set(&self, labels: &[&str], to: u64) {
            gauge!(self.name, self.named(labels)).set(to as f64);
        }

        pub(in super::super) fn record(&self, labels: &[&str], seconds: f64) {
            histogram!(self.name, self.named(labels)).record(seconds);
        }

        fn named(&self, labels: &[&str]) -> Vec<metrics::Label> {
            let pairs = self.labels.iter().zip(labels);
            pairs
                .map(|(name, value)| metrics::Label::new(*name, (*value).to_owned()))
                .collect()
        }
    }

    /// Tells whoever records them what they are.
    pub(in super::super) fn describe() {
        for Metric {
            name, kind, about, ..
        } in ALL.iter().copied()
        {
            match kind {
                Kind::Counter => describe_counter!(*name, Unit::Count, *about),
                Kind::Gauge => describe_gauge!(*name, Unit::Count, *about),
                Kind::Histogram => describe_histogram!(*name, Unit::Seconds, *about),
            }
        }
    }
}

/// Without the feature there is nobody to tell.
#[cfg(not(feature = "metrics"))]
mod nobody {
    use super::Metric;

    impl Metric {
        pub(in super::super) fn count(&self, _: &[&str], _: u64) {}

        pub(in super::super) fn set(&self, _: &[&str], _: u64) {}

        pub(in super::super) fn record(&self, _: &[&str], _: f64) {}
    }

    pub(in super::super) fn describe() {}
}

#[cfg(feature = "metrics")]
pub(super) use facade::describe;
#[cfg(not(feature = "metrics"))]
pub(super) use nobody::describe;
