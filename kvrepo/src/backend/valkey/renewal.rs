//! Renewing idle terms: what was read begins its term anew, together with what others read in the same second.
//!
//! A read costs no write as long as less than a thirtieth of the span has passed since the last renewal. Then it is
//! noted, and the notes of a second go to the server together; the script looks again, so that many readers of one
//! entity, in whatever processes, renew it once. Only what would not live for long enough is renewed before the read
//! returns.

use std::collections::{HashMap, HashSet};
use std::error::Error as StdError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::connection::{Call, Connection};
use super::{answer, reply, request};
use crate::backend::status::Board;
use crate::backend::{Keyspace, TimeToLive, thirtieth};
use crate::error::{Error, Result};

/// How long notes are gathered.
const GATHER: Duration = Duration::from_secs(1);
/// What has less than this left is renewed at once, unless a thirtieth of its span is less.
const LITTLE: u64 = 60_000;
/// And so is what has less than this left, whatever its span: it might not live until the notes are sent.
const LEAST: u64 = 2 * GATHER.as_millis() as u64;
/// How many ids one call of the script renews.
const CHUNK: usize = 128;

#[derive(Debug)]
pub(super) struct Renewals {
    shared: Arc<Shared>,
    /// Sends the notes; started with the first.
    sender: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    connection: Arc<Connection>,
    board: Arc<Board>,
    noted: Mutex<Noted>,
    /// Whether the last renewal failed.
    failing: AtomicBool,
    /// Told when the first note is made, and when the store is closed.
    changed: Notify,
}

#[derive(Debug, Default)]
struct Noted {
    /// By the keyspace's base and whether phantoms are kept, in which types that share a keyspace can differ.
    ids: HashMap<(String, bool), (Keyspace, HashSet<String>)>,
    closed: bool,
}

impl Renewals {
    pub(super) fn new(connection: Arc<Connection>, board: Arc<Board>) -> Self {
        let shared = Shared {
            connection,
            board,
            noted: Mutex::default(),
            failing: AtomicBool::new(false),
            changed: Notify::new(),
        };
        Self {
            shared: Arc::new(shared),
            sender: Mutex::default(),
        }
    }

    /// An entity with an idle term of `span` milliseconds was read, when so much was left; `None` if that is not known.
    pub(super) async fn used(&self, keyspace: &Keyspace, id: &str, span: u64, left: Option<TimeToLive>) {
        let left = match left {
            None => 0,
            Some(TimeToLive::In(left)) => u64::try_from(left.as_millis()).unwrap_or(u64::MAX),
            Some(TimeToLive::Persistent | TimeToLive::Missing) => return,
        };
        if left > span - thirtieth(span) {
            return;
        }
        if left < LITTLE.min(thirtieth(span)).max(LEAST) {
            let ids = HashSet::from([id.to_owned()]);
            match self.shared.renew(keyspace, &ids).await {
                Ok(()) => return,
                // The read itself has succeeded; the renewal is tried again.
                Err(error) => self.shared.not_renewed(keyspace, &error),
            }
        }
        self.note(keyspace, id);
    }

    fn note(&self, keyspace: &Keyspace, id: &str) {
        {
            let mut noted = self.shared.noted();
            let key = (keyspace.base().to_owned(), keyspace.shadow_copy());
            let (_, ids) = noted
                .ids
                .entry(key)
                .or_insert_with(|| (keyspace.clone(), HashSet::new()));
            if ids.contains(id) {
                return;
            }
            ids.insert(id.to_owned());
        }
        self.shared.changed.notify_one();
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        // One that has ended did so with the runtime that it was started on.
        if sender.as_ref().is_none_or(JoinHandle::is_finished) {
            *sender = Some(tokio::spawn(send(Arc::clone(&self.shared))));
        }
    }
}

impl Drop for Renewals {
    /// What was noted is still sent.
    fn drop(&mut self) {
        self.shared.noted().closed = true;
        self.shared.changed.notify_one();
    }
}

impl Shared {
    fn noted(&self) -> std::sync::MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closed(&self) -> bool {
        self.noted().closed
    }

    async fn renew(&self, keyspace: &Keyspace, ids: &HashSet<String>) -> Result<()> {
        let call = Call::write("renew");
        let ids: Vec<&String> = ids.iter().collect();
        for chunk in ids.chunks(CHUNK) {
            let invocation = request::renew(keyspace, chunk.iter().copied());
            let reply = self.connection.run(call, &invocation).await?;
            let reply = reply.map_err(|error| answer::script_error(call, keyspace, error))?;
            let renewed = reply::integer(&reply).ok_or_else(|| reply::unexpected(call.operation))?;
            self.board.renewed(keyspace.name(), renewed.unsigned_abs());
        }
        self.failing.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Said once, and not each second as long as it lasts.
    fn not_renewed(&self, keyspace: &Keyspace, error: &Error) {
        let keyspace = keyspace.name();
        let cause: &(dyn StdError + 'static) = error;
        if self.failing.swap(true, Ordering::Relaxed) {
            tracing::debug!(keyspace, cause, "could not renew idle terms again");
        } else {
            tracing::warn!(keyspace, cause, "could not renew idle terms; trying again");
        }
    }

    /// Sends all that is noted. What could not be sent stays noted: the script can be asked twice.
    async fn flush(&self) {
        let noted = std::mem::take(&mut self.noted().ids);
        for (key, (keyspace, ids)) in noted {
            if let Err(error) = self.renew(&keyspace, &ids).await {
                self.not_renewed(&keyspace, &error);
                let mut noted = self.noted();
                let (_, again) = noted.ids.entry(key).or_insert_with(|| (keyspace, HashSet::new()));
                again.extend(ids);
            }
        }
    }
}

async fn send(shared: Arc<Shared>) {
    loop {
        if shared.noted().ids.is_empty() && !shared.is_closed() {
            shared.changed.notified().await;
            continue;
        }
        if !shared.is_closed() {
            tokio::select! {
                () = sleep(GATHER) => {}
                () = closing(&shared) => {}
            }
        }
        shared.flush().await;
        if shared.is_closed() {
            return;
        }
    }
}

/// Waits until the store is closed.
async fn closing(shared: &Shared) {
    while !shared.is_closed() {
        shared.changed.notified().await;
    }
}
