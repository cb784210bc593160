//! What is missing is said once, with what to do about it, and not again and again.

use std::error::Error;
use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use kvrepo::{KeyspaceEvents, Store};
use kvrepo_tests::access::Access;
use kvrepo_tests::world::{eventually, next};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, set_default};
use tracing::{Event, Level, Metadata, Subscriber};

use super::support::{Guest, PROTOCOLS, data_alone, is_denial, ms, server_for, store};

/// The events of this thread, of kvrepo, down to the level of debugging.
#[derive(Debug, Clone, Default)]
struct Told {
    lines: Arc<Mutex<Vec<(Level, String)>>>,
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, "{field}={value:?} ").expect("a text takes all");
    }

    /// With what it was caused by, as usual subscribers print it.
    fn record_error(&mut self, field: &Field, error: &(dyn Error + 'static)) {
        let mut cause = Some(error);
        while let Some(error) = cause {
            write!(self.0, "{field}={error} ").expect("a text takes all");
            cause = error.source();
        }
    }
}

impl Subscriber for Told {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("kvrepo") && *metadata.level() <= Level::DEBUG
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        let level = *event.metadata().level();
        self.lines.lock().expect("nobody panicked").push((level, line.0));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

impl Told {
    fn listen() -> (Self, DefaultGuard) {
        let told = Self::default();
        (told.clone(), set_default(told))
    }

    fn of(&self, level: Level) -> Vec<String> {
        let lines = self.lines.lock().expect("nobody panicked");
        lines
            .iter()
            .filter(|(of, _)| *of == level)
            .map(|(_, line)| line.clone())
            .collect()
    }
}

/// C97: the events of some seconds, in each of which it was warned before.
#[tokio::test]
async fn a_subscription_that_is_refused_is_warned_of_once() {
    let server = server_for(&Access::required()).await;
    for protocol in PROTOCOLS {
        let (told, _guard) = Told::listen();
        let guests = store(&server, Store::builder(), protocol)
            .await
            .repository::<Guest>();
        let mut expired = guests.expired().await.unwrap();
        let mut guest = Guest::new("1", "Oslo", 1);
        guests.save(&mut guest).time_to_live(ms(2_500)).await.unwrap();
        assert_eq!(next(&mut expired).await.id(), "1");
        let warnings = told.of(Level::WARN);
        assert_eq!(warnings.len(), 1, "{warnings:#?}");
        assert!(
            warnings[0].contains("__keyevent@0__:expired") && warnings[0].contains("allow `subscribe`"),
            "{warnings:?}"
        );
    }
}

/// C96: at each of several reconnects.
#[tokio::test]
async fn flags_that_cannot_be_checked_are_warned_of_once() {
    let access = Access::required();
    let server = server_for(&access).await;
    server
        .command(&["ACL", "SETUSER", "ann", "+subscribe", "&__keyevent@0__:expired"])
        .await;
    for protocol in PROTOCOLS {
        let (told, _guard) = Told::listen();
        let guests = store(&server, Store::builder(), protocol)
            .await
            .repository::<Guest>();
        let _expired = guests.expired().await.unwrap();
        for round in 1..4 {
            eventually("a subscription to cut", async || {
                server
                    .query::<u64, _>(&["CLIENT", "KILL", "TYPE", "pubsub"])
                    .await
                    > 0
            })
            .await;
            eventually("the next", async || {
                let again = told.of(Level::DEBUG);
                again.iter().filter(|line| line.contains("as before")).count() >= round
            })
            .await;
        }
        let warnings = told.of(Level::WARN);
        assert_eq!(warnings.len(), 1, "{warnings:#?}");
        assert!(
            warnings[0].contains("notify-keyspace-events") && warnings[0].contains("`Ex`"),
            "{warnings:?}"
        );
    }
}

/// A user who may not reap, and was not told to leave it.
#[tokio::test]
async fn reaping_that_is_denied_is_warned_of_once_and_by_its_cause() {
    let server = server_for(&data_alone()).await;
    let (told, _guard) = Told::listen();
    let builder = Store::builder().events(KeyspaceEvents::OnDemand);
    let guests = store(&server, builder, "resp3").await.repository::<Guest>();
    let mut guest = Guest::new("1", "Oslo", 1);
    guests.save(&mut guest).time_to_live(ms(2_500)).await.unwrap();
    eventually("more attempts", async || {
        let again = told.of(Level::DEBUG);
        again
            .iter()
            .filter(|line| line.contains("reaping failed"))
            .count()
            >= 4
    })
    .await;
    let warnings = told.of(Level::WARN);
    let reaping: Vec<_> = warnings.iter().filter(|line| line.contains("reaping")).collect();
    assert_eq!(reaping.len(), 1, "{warnings:#?}");
    assert!(is_denial(reaping[0], "get"), "{reaping:?}");
    assert_eq!(warnings.len(), 2, "and that it may not subscribe: {warnings:#?}");
}
