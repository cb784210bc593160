//! One line for each size and kind.

use std::fmt;

use serde::Serialize;

/// Bytes, of one entity.
#[derive(Debug, Serialize)]
pub(crate) struct EntityLine {
    pub(crate) entity: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) bytes: f64,
    pub(crate) hash: f64,
    pub(crate) beside: f64,
    pub(crate) ids: f64,
    pub(crate) deadlines: f64,
    pub(crate) phantom: f64,
    /// The sets by value.
    pub(crate) indexes: f64,
    /// The helper that names them.
    pub(crate) mentions: f64,
    pub(crate) entities: usize,
}

/// Bytes, of one event.
#[derive(Debug, Serialize)]
pub(crate) struct EventLine {
    pub(crate) event: &'static str,
    pub(crate) size: &'static str,
    pub(crate) bytes: f64,
    pub(crate) payload: f64,
    pub(crate) ratio: f64,
    /// What it may be.
    pub(crate) most: f64,
    pub(crate) log: f64,
    pub(crate) events: usize,
}

pub(crate) fn print(line: &(impl fmt::Display + Serialize), json: bool) {
    if json {
        println!("{}", serde_json::to_string(line).expect("numbers"));
    } else {
        println!("{line}");
    }
}

impl fmt::Display for EntityLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "entity={} kind={} bytes={:.1} hash={:.1} beside={:.1} ids={:.1} deadlines={:.1} phantom={:.1} indexes={:.1} \
             mentions={:.1} entities={}",
            self.entity,
            self.kind,
            self.bytes,
            self.hash,
            self.beside,
            self.ids,
            self.deadlines,
            self.phantom,
            self.indexes,
            self.mentions,
            self.entities,
        )
    }
}

impl fmt::Display for EventLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "event={} size={} bytes={:.1} payload={:.1} ratio={:.2} most={:.0} log={:.1} events={}",
            self.event, self.size, self.bytes, self.payload, self.ratio, self.most, self.log, self.events,
        )
    }
}
