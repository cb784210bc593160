//! A recorder of `metrics` that keeps all numbers: the process's, or one that a test has for itself.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use metrics::{Counter, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit};

/// The name, and the labels with their values.
pub type Series = (String, BTreeMap<String, String>);

#[derive(Debug, Default)]
pub struct Meter {
    counters: Mutex<BTreeMap<Series, Arc<AtomicU64>>>,
    gauges: Mutex<BTreeMap<Series, Arc<AtomicU64>>>,
    histograms: Mutex<BTreeMap<Series, Arc<Samples>>>,
    described: Mutex<BTreeMap<String, (&'static str, &'static str)>>,
}

#[derive(Debug, Default)]
struct Samples(Mutex<Vec<f64>>);

impl HistogramFn for Samples {
    fn record(&self, value: f64) {
        self.0.lock().expect("no panic").push(value);
    }
}

impl Meter {
    /// The process's, from the first call on.
    pub fn global() -> &'static Self {
        static METER: OnceLock<&'static Meter> = OnceLock::new();
        METER.get_or_init(|| {
            let meter: &'static Meter = Box::leak(Box::default());
            metrics::set_global_recorder(meter).expect("nobody else records");
            meter
        })
    }

    /// The metrics that were described: kind and unit of each.
    pub fn described(&self) -> BTreeMap<String, (&'static str, &'static str)> {
        self.described.lock().expect("no panic").clone()
    }

    /// All series there are, by the names of metric and labels.
    pub fn series(&self) -> Vec<(String, Vec<String>)> {
        fn names<T>(all: &Mutex<BTreeMap<Series, T>>) -> Vec<(String, Vec<String>)> {
            let all = all.lock().expect("no panic");
            let names = all
                .keys()
                .map(|(name, labels)| (name.clone(), labels.keys().cloned().collect()));
            names.collect()
        }
        let mut names = [
            names(&self.counters),
            names(&self.gauges),
            names(&self.histograms),
        ]
        .concat();
        names.sort();
        names.dedup();
        names
    }

    /// The sum of all series of this name that have the label.
    pub fn count(&self, name: &str, label: (&str, &str)) -> u64 {
        let counters = self.counters.lock().expect("no panic");
        let of = |(other, labels): &Series| {
            other == name && labels.get(label.0).is_some_and(|value| value == label.1)
        };
        let of_series = counters.iter().filter(|(series, _)| of(series));
        of_series
            .map(|(_, counter)| counter.load(Ordering::Relaxed))
            .sum()
    }

    /// What a gauge was last set to.
    pub fn gauge(&self, name: &str, keyspace: &str) -> Option<f64> {
        let gauges = self.gauges.lock().expect("no panic");
        let gauge = gauges.get(&series(name, keyspace))?;
        Some(f64::from_bits(gauge.load(Ordering::Relaxed)))
    }

    /// What a histogram was told, in order.
    pub fn samples(&self, name: &str, keyspace: &str) -> Vec<f64> {
        let histograms = self.histograms.lock().expect("no panic");
        let samples = histograms.get(&series(name, keyspace));
        samples.map_or_else(Vec::new, |samples| samples.0.lock().expect("no panic").clone())
    }

    fn describe(&self, kind: &'static str, name: &KeyName, unit: Option<Unit>) {
        let unit = unit.map_or("", |unit| unit.as_str());
        let mut described = self.described.lock().expect("no panic");
        described.insert(name.as_str().to_owned(), (kind, unit));
    }
}

fn series(name: &str, keyspace: &str) -> Series {
    let labels = BTreeMap::from([("keyspace".to_owned(), keyspace.to_owned())]);
    (name.to_owned(), labels)
}

fn of<T: Default>(all: &Mutex<BTreeMap<Series, Arc<T>>>, key: &Key) -> Arc<T> {
    let labels = key
        .labels()
        .map(|label| (label.key().to_owned(), label.value().to_owned()));
    let series = (key.name().to_owned(), labels.collect());
    Arc::clone(all.lock().expect("no panic").entry(series).or_default())
}

impl Recorder for Meter {
    fn describe_counter(&self, name: KeyName, unit: Option<Unit>, _: SharedString) {
        self.describe("counter", &name, unit);
    }

    fn describe_gauge(&self, name: KeyName, unit: Option<Unit>, _: SharedString) {
        self.describe("gauge", &name, unit);
    }

    fn describe_histogram(&self, name: KeyName, unit: Option<Unit>, _: SharedString) {
        self.describe("histogram", &name, unit);
    }

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(of(&self.counters, key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(of(&self.gauges, key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(of(&self.histograms, key))
    }
}
