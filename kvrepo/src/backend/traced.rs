//! A backend with a span around each call.
//!
//! A span has the keyspace and counts: how many items went in, how many were found or failed. It never has an id, a
//! value, a URL or what an error says. A call whose span nobody wants is handed on as it is: not even its future is
//! wrapped. (Asking first with `tracing::enabled!` would be no cheaper, and can have a subscriber with a filter for each
//! layer drop what comes next, tokio-rs/tracing#2519.)

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::{
    Backend, BackendStatus, Claim, Claimed, Delete, Delivered, Due, Groups, Guard, Inspect, Inspected,
    Keyspace, Loaded, LogEntry, LogPage, Member, ParkedEntry, Plan, Position, Read, Reap, Reaped, Receipt,
    Repaired, Saved, ScanPage, Select, Selected, TimeToLive, TriggerSink, Update, Write,
};
use crate::error::{Error, Result};

#[derive(Debug)]
pub(crate) struct Traced {
    backend: Arc<dyn Backend>,
    /// Whether the listener is the one who calls, all the time; that is only worth the finest level.
    listener: bool,
}

impl Traced {
    /// For what users call.
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Self {
        Self {
            backend,
            listener: false,
        }
    }

    /// For what the listener calls.
    pub(crate) fn listener(backend: Arc<dyn Backend>) -> Self {
        Self {
            backend,
            listener: true,
        }
    }
}

/// A span: its name, and the fields that are known before the call.
macro_rules! span {
    ($traced:expr, $name:literal, $($field:ident = $value:expr),*) => {
        if $traced.listener {
            span!(@ trace_span, $name, $($field = $value),*)
        } else {
            span!(@ debug_span, $name, $($field = $value),*)
        }
    };
    (@ $level:ident, $name:literal, $($field:ident = $value:expr),*) => {
        tracing::$level!($name, $($field = $value,)* found = Empty, failed = Empty, error = Empty)
    };
}

/// A call as the trait has it.
type Call<'a, R> = Pin<Box<dyn Future<Output = Result<R>> + Send + 'a>>;

/// Methods of the trait, with the lifetimes that they borrow for, the span of each, and what of the answer is counted.
macro_rules! calls {
    ($(
        $method:ident<$($life:lifetime),*>($($argument:ident: $type:ty),*) -> $answer:ty,
            $name:literal { $($field:ident = $value:expr),* }, $count:expr;
    )*) => {$(
        fn $method<'s, $($life,)* 'call>(&'s self, $($argument: $type),*) -> Call<'call, $answer>
        where
            's: 'call,
            $($life: 'call,)*
            Self: 'call,
        {
            let span = span!(self, $name, $($field = $value),*);
            let call = self.backend.$method($($argument),*);
            if span.is_disabled() {
                call
            } else {
                Box::pin(within(span, call, $count))
            }
        }
    )*};
}

/// Makes a call within its span, and has its answer counted.
async fn within<R>(
    span: Span,
    call: impl Future<Output = Result<R>>,
    count: impl FnOnce(&Span, &R),
) -> Result<R> {
    let answer = call.instrument(span.clone()).await;
    match &answer {
        Ok(answer) => count(&span, answer),
        Err(error) => {
            span.record("error", kind(error));
        }
    }
    answer
}

/// What kind of error it is. What it says can name an id.
fn kind(error: &Error) -> &'static str {
    match error {
        Error::Timeout { .. } => "timeout",
        Error::Backend { .. } => "backend",
        _ => "refused",
    }
}

fn nothing<R>(_: &Span, _: &R) {}

fn found(span: &Span, count: impl TryInto<u64>) {
    span.record("found", count.try_into().unwrap_or(u64::MAX));
}

/// Counts the items of a batch that failed, and of the others those that were found.
fn items<R>(span: &Span, answers: &[Result<R>], is_found: impl Fn(&R) -> bool) {
    let failed = answers.iter().filter(|answer| answer.is_err()).count();
    span.record("failed", failed as u64);
    found(
        span,
        answers.iter().flatten().filter(|answer| is_found(answer)).count(),
    );
}

impl Backend for Traced {
    calls! {
        save<'k, 'w>(keyspace: &'k Keyspace, writes: &'w [Write]) -> Vec<Result<Saved>>,
            "kvrepo.save" { keyspace = keyspace.name(), items = writes.len() },
            |span, answers| items(span, answers, |saved| !saved.created);

        update<'k, 'u>(keyspace: &'k Keyspace, updates: &'u [Update]) -> Vec<Result<Option<Saved>>>,
            "kvrepo.update" { keyspace = keyspace.name(), items = updates.len() },
            |span, answers| items(span, answers, Option::is_some);

        load<'k, 'i>(keyspace: &'k Keyspace, ids: &'i [String], read: Read) -> Vec<Option<Loaded>>,
            "kvrepo.load" { keyspace = keyspace.name(), items = ids.len() },
            |span, loaded| found(span, loaded.iter().flatten().count());

        exists<'k, 'i>(keyspace: &'k Keyspace, id: &'i str, renew: bool) -> bool,
            "kvrepo.exists" { keyspace = keyspace.name(), items = 1 },
            |span, exists| found(span, u64::from(*exists));

        time_to_live<'k, 'i>(keyspace: &'k Keyspace, id: &'i str) -> TimeToLive,
            "kvrepo.time_to_live" { keyspace = keyspace.name(), items = 1 },
            |span, left| found(span, u64::from(*left != TimeToLive::Missing));

        count<'k>(keyspace: &'k Keyspace) -> u64,
            "kvrepo.count" { keyspace = keyspace.name() },
            |span, count| found(span, *count);

        select<'k, 'q>(keyspace: &'k Keyspace, select: &'q Select) -> Selected,
            "kvrepo.select" { keyspace = keyspace.name() },
            |span, selected| found(span, selected.hits.len());

        delete_where<'k, 'p, 'i>(keyspace: &'k Keyspace, plan: &'p Plan, ids: &'i [String]) -> u64,
            "kvrepo.delete_where" { keyspace = keyspace.name(), items = ids.len() },
            |span, deleted| found(span, *deleted);

        tidy<'k, 'p, 'i>(keyspace: &'k Keyspace, plan: &'p Plan, ids: &'i [String]) -> (),
            "kvrepo.tidy" { keyspace = keyspace.name(), items = ids.len() },
            nothing;

        inspect<'k, 'i>(keyspace: &'k Keyspace, inspect: &'i Inspect) -> Inspected,
            "kvrepo.inspect" { keyspace = keyspace.name() },
            |span, inspected| found(span, inspected.findings.len());

        scan<'k, 'c>(keyspace: &'k Keyspace, cursor: Option<&'c str>, count: usize) -> ScanPage,
            "kvrepo.scan" { keyspace = keyspace.name(), items = count },
            |span, page| found(span, page.ids.len());

        delete<'k, 'd>(keyspace: &'k Keyspace, deletes: &'d [Delete]) -> Vec<Result<bool>>,
            "kvrepo.delete" { keyspace = keyspace.name(), items = deletes.len() },
            |span, answers| items(span, answers, |deleted| *deleted);

        take<'k, 'i>(keyspace: &'k Keyspace, id: &'i str) -> Option<Loaded>,
            "kvrepo.take" { keyspace = keyspace.name(), items = 1 },
            |span, taken| found(span, u64::from(taken.is_some()));

        gone<'k, 'i>(keyspace: &'k Keyspace, ids: &'i [String]) -> Vec<String>,
            "kvrepo.gone" { keyspace = keyspace.name(), items = ids.len() },
            |span, gone| found(span, gone.len());

        repair<'k, 'i>(keyspace: &'k Keyspace, ids: &'i [String]) -> Repaired,
            "kvrepo.repair" { keyspace = keyspace.name(), items = ids.len() },
            |span, repaired| found(span, repaired.events + repaired.cleaned);

        reap<'k, 'r>(keyspace: &'k Keyspace, reap: &'r Reap) -> Reaped,
            "kvrepo.reap" { keyspace = keyspace.name(), items = reap.expired.len() },
            |span, reaped| found(span, reaped.events);

        release<'k, 't>(keyspace: &'k Keyspace, token: &'t str) -> (),
            "kvrepo.release" { keyspace = keyspace.name() },
            nothing;

        log_end<'k>(keyspace: &'k Keyspace) -> Position,
            "kvrepo.log_end" { keyspace = keyspace.name() },
            nothing;

        read_log<'k>(keyspace: &'k Keyspace, after: Position, limit: usize) -> LogPage,
            "kvrepo.read_log" { keyspace = keyspace.name(), items = limit },
            |span, page| found(span, page.entries.len());

        follow_log<'t>(tails: &'t [(Arc<Keyspace>, Position)]) -> Vec<(usize, LogEntry)>,
            "kvrepo.follow_log" { items = tails.len() },
            |span, entries| found(span, entries.len());

        watch_log<'t>(tails: &'t [(Arc<Keyspace>, Position)]) -> Vec<(usize, Position)>,
            "kvrepo.watch_log" { items = tails.len() },
            |span, logs| found(span, logs.len());

        listen<>(sink: Arc<dyn TriggerSink>) -> Guard,
            "kvrepo.listen" {},
            nothing;

        ping<>() -> (),
            "kvrepo.ping" {},
            nothing;

        due<'k>(keyspaces: &'k [Arc<Keyspace>]) -> Due,
            "kvrepo.due" { items = keyspaces.len() },
            |span, due| found(span, due.entities);
    }

    fn status(&self) -> BackendStatus {
        self.backend.status()
    }
}

impl Groups for Traced {
    calls! {
        join_group<'k, 'g>(keyspace: &'k Keyspace, group: &'g str, from: Option<Position>) -> bool,
            "kvrepo.join_group" { keyspace = keyspace.name() },
            nothing;

        read_group<'k, 'm>(keyspace: &'k Keyspace, member: &'m Member, limit: usize) -> Option<Vec<Delivered>>,
            "kvrepo.read_group" { keyspace = keyspace.name(), items = limit },
            |span, events| found(span, events.as_ref().map_or(0, Vec::len));

        claim<'k, 'm, 'c>(keyspace: &'k Keyspace, member: &'m Member, claim: &'c Claim) -> Option<Claimed>,
            "kvrepo.claim" { keyspace = keyspace.name(), items = claim.limit },
            |span, claimed| found(span, claimed.as_ref().map_or(0, |claimed| claimed.events.len()));

        acknowledge<'k, 'g, 'r>(keyspace: &'k Keyspace, group: &'g str, receipts: &'r [Receipt]) -> u64,
            "kvrepo.acknowledge" { keyspace = keyspace.name(), items = receipts.len() },
            |span, noted| found(span, *noted);

        give_back<'k, 'm, 'r>(keyspace: &'k Keyspace, member: &'m Member, receipts: &'r [Receipt]) -> (),
            "kvrepo.give_back" { keyspace = keyspace.name(), items = receipts.len() },
            nothing;

        leave_group<'k, 'm>(keyspace: &'k Keyspace, member: &'m Member) -> (),
            "kvrepo.leave_group" { keyspace = keyspace.name() },
            nothing;

        parked<'k, 'g>(keyspace: &'k Keyspace, group: &'g str, after: Position, limit: usize) -> Vec<ParkedEntry>,
            "kvrepo.parked" { keyspace = keyspace.name(), items = limit },
            |span, parked| found(span, parked.len());

        replay<'k, 'g, 'p>(keyspace: &'k Keyspace, group: &'g str, places: &'p [Position]) -> u64,
            "kvrepo.replay" { keyspace = keyspace.name(), items = places.len() },
            |span, there| found(span, *there);

        discard<'k, 'g, 'p>(keyspace: &'k Keyspace, group: &'g str, places: &'p [Position]) -> u64,
            "kvrepo.discard" { keyspace = keyspace.name(), items = places.len() },
            |span, there| found(span, *there);

        pending<'k, 'g>(keyspace: &'k Keyspace, group: &'g str) -> u64,
            "kvrepo.pending" { keyspace = keyspace.name() },
            |span, pending| found(span, *pending);

        delete_group<'k, 'g>(keyspace: &'k Keyspace, group: &'g str) -> bool,
            "kvrepo.delete_group" { keyspace = keyspace.name() },
            |span, there| found(span, u64::from(*there));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// The names of spans in a text, each within these two.
    fn names(text: &'static str, quote: char) -> BTreeSet<&'static str> {
        let quoted = text.split(quote);
        quoted
            .filter(|part| part.len() > 7 && part.starts_with("kvrepo.") && !part.contains(' '))
            .collect()
    }

    #[test]
    fn the_page_has_all_spans() {
        let page = include_str!("../docs/observing.md");
        let (here, there) = (names(include_str!("traced.rs"), '"'), names(page, '`'));
        assert!(here.len() > 20, "{here:?}");
        assert_eq!(here, there);
    }
}
