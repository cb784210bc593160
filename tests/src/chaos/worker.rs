//! What a worker process does until it is told to stop, or killed.
//!
//! It is told by a line on its standard input, and ends when that ends: no worker outlives its test.

mod group;
mod listen;
mod save;

use std::env;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kvrepo::{KeyExpired, KvEntity, Store};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::watch;

use super::entity::Subject;
use super::journal::{Heard, Journal, Record};
use crate::world::millis;

/// The pause before what failed is tried again.
const AGAIN: Duration = Duration::from_millis(100);

/// What a worker is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Saves, replaces, changes, deletes and reads.
    Save,
    /// Hears of everything, and goes on where its predecessor was.
    Listen,
    /// Takes its part of the events: acknowledges each by itself.
    Group,
    /// Takes its part of the events: by a handler, several at once.
    Handle,
    /// Takes its part of the events: by a handler of the store's.
    Serve,
}

impl Role {
    const ALL: [(Self, &str); 5] = [
        (Self::Save, "save"),
        (Self::Listen, "listen"),
        (Self::Group, "group"),
        (Self::Handle, "handle"),
        (Self::Serve, "serve"),
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(role, _)| *role == self);
        found.map_or("", |(_, name)| name)
    }

    fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(_, role)| *role == name);
        found.map(|(role, _)| *role)
    }
}

/// How a worker is to be started: by environment variables of these names.
#[derive(Debug, Clone)]
pub struct Settings {
    pub role: Role,
    pub url: String,
    /// Also the name of its consumer.
    pub slot: u64,
    pub seed: u64,
    /// Of a group: how long an event may be with one before another takes it, in milliseconds.
    pub claim_after: u64,
    /// By how much its clock is ahead, in milliseconds.
    pub skew: i64,
    pub journal: PathBuf,
}

impl Settings {
    /// As environment variables.
    #[must_use]
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("CHAOS_ROLE", self.role.name().to_owned()),
            ("CHAOS_URL", self.url.clone()),
            ("CHAOS_SLOT", self.slot.to_string()),
            ("CHAOS_SEED", self.seed.to_string()),
            ("CHAOS_CLAIM_AFTER", self.claim_after.to_string()),
            ("CHAOS_SKEW", self.skew.to_string()),
            ("CHAOS_JOURNAL", self.journal.display().to_string()),
        ]
    }

    fn read() -> Option<Self> {
        let read = |name: &str| env::var(name).ok();
        Some(Self {
            role: Role::named(&read("CHAOS_ROLE")?)?,
            url: read("CHAOS_URL")?,
            slot: read("CHAOS_SLOT")?.parse().ok()?,
            seed: read("CHAOS_SEED")?.parse().ok()?,
            claim_after: read("CHAOS_CLAIM_AFTER")?.parse().ok()?,
            skew: read("CHAOS_SKEW")?.parse().ok()?,
            journal: read("CHAOS_JOURNAL")?.into(),
        })
    }
}

/// A worker at its work.
#[derive(Debug)]
struct Worker {
    settings: Settings,
    journal: Journal,
    /// What those before it in its place have noted.
    before: Vec<Record>,
    stop: watch::Receiver<bool>,
}

/// Runs a worker as the environment says.
///
/// # Errors
///
/// If it does not say, or there is no journal to be had.
pub async fn run() -> io::Result<()> {
    let settings = Settings::read()
        .ok_or_else(|| io::Error::other("a worker of the chaos test, which starts it with its settings"))?;
    let (journal, before) = Journal::open(&settings.journal, settings.skew)?;
    let worker = Arc::new(Worker {
        settings,
        journal,
        before,
        stop: told_to_stop(),
    });
    match worker.settings.role {
        Role::Save => save::run(&worker).await,
        Role::Listen => listen::run(&worker).await,
        Role::Group | Role::Handle | Role::Serve => group::run(&worker).await,
    }
    worker.journal.note(&Record::Stopped);
    Ok(())
}

fn told_to_stop() -> watch::Receiver<bool> {
    let (sender, stop) = watch::channel(false);
    tokio::spawn(async move {
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        match lines.next_line().await {
            Ok(Some(_)) => sender.send_replace(true),
            // Whoever has started it is gone.
            _ => std::process::exit(1),
        };
        sender.closed().await;
    });
    stop
}

impl Worker {
    /// A store, as soon as the server lets itself be reached.
    async fn store(&self) -> Store {
        loop {
            // Short enough for calls to fail in an outage, and not only to be late.
            let builder = Store::builder().call_deadline(Duration::from_millis(1_500));
            match builder.connect(&self.settings.url).await {
                Ok(store) => return store,
                Err(error) => self.failed("connecting", &error).await,
            }
        }
    }

    fn stops(&self) -> bool {
        *self.stop.borrow()
    }

    async fn stopped(&self) {
        // A sender that is gone says the same.
        let _ = self.stop.clone().wait_for(|stop| *stop).await;
    }

    /// What may be in a run like this is waited for to be over; what may not is noted.
    async fn failed(&self, what: &str, error: &kvrepo::Error) {
        if !error.is_transient() {
            self.journal.note(&Record::Failed(format!("{what}: {error:?}")));
        }
        tokio::time::sleep(AGAIN).await;
    }

    fn heard<T: Subject>(&self, event: &KeyExpired<T>, deliveries: u32) -> Heard {
        let value = event.value();
        if let Some(error) = event.no_value()
            && T::VALUED
        {
            let what = format!("{} has no value: {error:?}", event.key());
            self.journal.note(&Record::Failed(what));
        }
        Heard {
            at: self.journal.now(),
            space: T::SCHEMA.keyspace.to_owned(),
            position: event.position().to_string(),
            id: event
                .key()
                .split_once(':')
                .map_or_else(String::new, |(_, id)| id.to_owned()),
            deadline: millis(event.deadline()),
            nonce: value.map(Subject::nonce),
            whole: value.is_none_or(Subject::is_whole),
            deliveries,
        }
    }
}

/// How a type is called in a journal.
fn space<T: KvEntity>() -> String {
    T::SCHEMA.keyspace.to_owned()
}
