//! How late events were, and the line that says so.

use std::collections::HashSet;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::arguments::Arguments;

/// Of all that was delivered, each once; sorted.
#[derive(Debug)]
pub(crate) struct Lags(Vec<Duration>);

impl Lags {
    pub(crate) fn of(mut lags: Vec<Duration>) -> Self {
        lags.sort_unstable();
        Self(lags)
    }

    /// Waits for so many.
    pub(crate) async fn gathered(mut delivered: UnboundedReceiver<(u64, Duration)>, due: usize) -> Self {
        let (mut lags, mut ids) = (Vec::with_capacity(due), HashSet::new());
        while lags.len() < due {
            let (id, lag) = delivered.recv().await.expect("a subscriber");
            assert!(ids.insert(id), "{id} came twice");
            lags.push(lag);
        }
        Self::of(lags)
    }

    pub(crate) fn all(&self) -> &[Duration] {
        &self.0
    }

    /// Of how many it is the latest, and how late.
    pub(crate) fn quantile(&self, quantile: f64) -> Option<(usize, Duration)> {
        let index = ((self.0.len().max(1) - 1) as f64 * quantile) as usize;
        self.0.get(index).map(|lag| (index + 1, *lag))
    }
}

/// How long it took to find one by its id meanwhile, in milliseconds.
#[derive(Debug, Serialize)]
pub(crate) struct Finds {
    finds: usize,
    find_p99_ms: Option<f64>,
    find_max_ms: Option<f64>,
}

impl Finds {
    pub(crate) fn of(times: &[Duration]) -> Self {
        let times = Lags::of(times.to_vec());
        Self {
            finds: times.all().len(),
            find_p99_ms: millis(&times, 0.99),
            find_max_ms: millis(&times, 1.0),
        }
    }
}

/// What is said of a burst besides.
#[derive(Debug, Serialize)]
struct Burst<'a> {
    who: &'static str,
    burst: bool,
    per_second: f64,
    #[serde(flatten)]
    finds: &'a Finds,
}

#[derive(Debug, Serialize)]
pub(crate) struct Line {
    pub(crate) who: &'static str,
    background: usize,
    pub(crate) due: usize,
    notifications: &'static str,
    burst: bool,
    keyspaces: usize,
    delivered: usize,
    p50_ms: Option<f64>,
    p99_ms: Option<f64>,
    max_ms: Option<f64>,
    #[serde(skip)]
    pub(crate) lags: Lags,
}

impl Line {
    pub(crate) fn new(who: &'static str, arguments: &Arguments, lags: Lags) -> Self {
        Self {
            who,
            background: arguments.background,
            due: arguments.due,
            notifications: if arguments.notifications { "on" } else { "off" },
            burst: arguments.burst,
            keyspaces: 1,
            delivered: lags.all().len(),
            p50_ms: millis(&lags, 0.5),
            p99_ms: millis(&lags, 0.99),
            max_ms: millis(&lags, 1.0),
            lags,
        }
    }

    pub(crate) fn with_keyspaces(mut self, keyspaces: usize) -> Self {
        self.keyspaces = keyspaces;
        self
    }

    pub(crate) fn print(&self, arguments: &Arguments) {
        if arguments.json {
            println!("{}", serde_json::to_string(self).expect("numbers"));
            return;
        }
        println!(
            "expiry who={} background={} due={} notifications={} keyspaces={} delivered={} p50_ms={} p99_ms={} max_ms={}",
            self.who,
            self.background,
            self.due,
            self.notifications,
            self.keyspaces,
            self.delivered,
            short(self.p50_ms),
            short(self.p99_ms),
            short(self.max_ms),
        );
    }

    /// How many came in a second, of which all were due at one instant.
    pub(crate) fn print_burst(&self, finds: &Finds, arguments: &Arguments) {
        let last = self.lags.all().last().copied().unwrap_or_default();
        let per_second = self.due as f64 / last.as_secs_f64();
        if arguments.json {
            let burst = Burst {
                who: self.who,
                burst: true,
                per_second,
                finds,
            };
            println!("{}", serde_json::to_string(&burst).expect("numbers"));
            return;
        }
        println!(
            "expiry who={} burst=on per_second={per_second:.0} finds={} find_p99_ms={} find_max_ms={}",
            self.who,
            finds.finds,
            short(finds.find_p99_ms),
            short(finds.find_max_ms),
        );
    }
}

fn millis(lags: &Lags, quantile: f64) -> Option<f64> {
    lags.quantile(quantile).map(|(_, lag)| lag.as_secs_f64() * 1e3)
}

fn short(millis: Option<f64>) -> String {
    millis.map_or("-".to_owned(), |millis| format!("{millis:.1}"))
}
