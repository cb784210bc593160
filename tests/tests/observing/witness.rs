//! A subscriber of `tracing` that writes down everything.

use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};
use std::sync::{Mutex, MutexGuard, OnceLock};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// A span of this crate's.
#[derive(Debug, Clone)]
pub struct Span {
    pub name: &'static str,
    pub level: Level,
    /// What was recorded, when it was made and later.
    pub fields: BTreeMap<&'static str, String>,
}

impl Span {
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }
}

/// All that was said by anybody in this process, at every level.
#[derive(Debug, Default)]
pub struct Witness {
    spans: Mutex<Vec<Span>>,
    /// Everything, also what others say: names, targets, fields.
    heard: Mutex<String>,
}

impl Witness {
    /// Who writes down what is said from the first call on.
    pub fn get() -> &'static Self {
        static WITNESS: OnceLock<&'static Witness> = OnceLock::new();
        WITNESS.get_or_init(|| {
            let witness: &'static Witness = Box::leak(Box::default());
            tracing::subscriber::set_global_default(Scribe(witness)).expect("nobody else listens");
            witness
        })
    }

    /// The spans of this name and keyspace.
    pub fn spans(&self, name: &str, keyspace: &str) -> Vec<Span> {
        let of = |span: &&Span| span.name == name && span.field("keyspace") == Some(keyspace);
        lock(&self.spans).iter().filter(of).cloned().collect()
    }

    pub fn heard(&self) -> String {
        lock(&self.heard).clone()
    }

    fn hear(&self, metadata: &Metadata<'_>, fields: &BTreeMap<&'static str, String>) {
        let mut heard = lock(&self.heard);
        let (level, target, name) = (metadata.level(), metadata.target(), metadata.name());
        writeln!(heard, "{level} {target} {name} {fields:?}").expect("a String");
    }
}

struct Scribe(&'static Witness);

#[derive(Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl Subscriber for Scribe {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let metadata = attributes.metadata();
        self.0.hear(metadata, &fields.0);
        let mut spans = lock(&self.0.spans);
        spans.push(Span {
            name: metadata.name(),
            level: *metadata.level(),
            fields: fields.0,
        });
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, id: &Id, record: &Record<'_>) {
        let mut fields = Fields::default();
        record.record(&mut fields);
        writeln!(lock(&self.0.heard), "{:?}", fields.0).expect("a String");
        lock(&self.0.spans)[id.into_u64() as usize - 1]
            .fields
            .extend(fields.0);
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.0.hear(event.metadata(), &fields.0);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics while writing")
}
