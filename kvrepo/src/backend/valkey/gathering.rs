//! Saves of callers who come at the same moment, sent as one.
//!
//! To call a script costs a server a third of what a save within it does. So whoever saves leaves what is to be saved, and lets
//! those run who are ready to; then the first of them sends all that was left. Nobody waits for a clock or for a reply, and who
//! is alone does not wait at all.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redis::Cmd;
use tokio::sync::oneshot;

use super::connection::{Call, Connection};
use super::script::{self, RunError};
use super::{answer, request};
use crate::backend::{Keyspace, Saved, Write};
use crate::error::{Error, Outcome};

/// How many saves are sent as one. With more the server gains next to nothing, and others wait for it.
pub(super) const TOGETHER: usize = 16;
/// How many bytes of them.
const BYTES: usize = 64 * 1024;

const CALL: Call = Call::write("save");

/// What became of a save; `None` if it has to be made by itself.
type Answer = Result<Option<Saved>, RunError>;

#[derive(Debug)]
pub(super) struct Gathering {
    connection: Arc<Connection>,
    left: Mutex<Left>,
}

/// What was left to be sent.
#[derive(Debug, Default)]
struct Left {
    batches: Vec<Batch>,
    /// How many there have been.
    count: u64,
}

/// Saves that are sent as one.
struct Batch {
    number: u64,
    to: Settings,
    command: Cmd,
    size: usize,
    callers: Vec<oneshot::Sender<Answer>>,
    /// How many of the callers have not gone.
    there: usize,
}

/// What saves have in common that are sent as one.
#[derive(Debug, PartialEq, Eq)]
struct Settings {
    base: String,
    grace: u64,
    retention: u64,
    shadow_copy: bool,
}

/// A caller's place in a batch. Whoever gives it up before anybody has sent the batch, and was alone in it, saves nothing.
struct Place<'a> {
    gathering: &'a Gathering,
    number: u64,
    answer: oneshot::Receiver<Answer>,
}

impl Gathering {
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        Self {
            connection,
            left: Mutex::default(),
        }
    }

    /// Saves what [is usual](request::is_usual).
    pub(super) async fn save(&self, keyspace: &Keyspace, write: &Write) -> Answer {
        let mut place = self.leave(keyspace, write);
        tokio::task::yield_now().await;
        if let Some(batch) = place.take() {
            if batch.callers.len() == 1 {
                batch.send(&self.connection).await;
            } else {
                // Whoever gives up now gives up for itself alone.
                let connection = Arc::clone(&self.connection);
                tokio::spawn(async move { batch.send(&connection).await });
            }
        }
        (&mut place.answer)
            .await
            .unwrap_or_else(|_| Err(RunError::Lost(ended())))
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self, keyspace: &Keyspace, write: &Write) -> Place<'_> {
        let to = Settings::of(keyspace);
        let arguments = request::saved(script::SAVE_MANY.on(keyspace.base()), write);
        let (size, (caller, answer)) = (arguments.size(), oneshot::channel());
        let mut left = self.left();
        let open = left.batches.iter().position(|batch| batch.has_room(&to, size));
        let at = open.unwrap_or_else(|| {
            left.count += 1;
            let batch = Batch::new(left.count, to);
            left.batches.push(batch);
            left.batches.len() - 1
        });
        let batch = &mut left.batches[at];
        arguments.count_into(&mut batch.command);
        batch.size += size;
        batch.callers.push(caller);
        batch.there += 1;
        Place {
            gathering: self,
            number: batch.number,
            answer,
        }
    }
}

impl Settings {
    fn of(keyspace: &Keyspace) -> Self {
        Self {
            base: keyspace.base().to_owned(),
            grace: keyspace.grace(),
            retention: keyspace.retention(),
            shadow_copy: keyspace.shadow_copy(),
        }
    }
}

impl Batch {
    fn new(number: u64, to: Settings) -> Self {
        let mut command = script::SAVE_MANY.begin(&to.base);
        command
            .arg(to.grace)
            .arg(to.retention)
            .arg(u8::from(to.shadow_copy));
        Self {
            number,
            to,
            command,
            size: 0,
            callers: Vec::new(),
            there: 0,
        }
    }

    fn has_room(&self, to: &Settings, size: usize) -> bool {
        self.to == *to && self.callers.len() < TOGETHER && self.size + size <= BYTES
    }

    async fn send(self, connection: &Connection) {
        let reply = script::SAVE_MANY.send(connection, CALL, &self.command).await;
        let reply = reply.unwrap_or_else(|error| Err(RunError::Lost(error)));
        let answers = reply
            .and_then(|reply| answer::saved_together(&reply, self.callers.len()).map_err(RunError::Lost));
        // Whoever has gone does not want to know.
        match answers {
            Ok(answers) => {
                for (caller, answer) in self.callers.into_iter().zip(answers) {
                    let _ = caller.send(Ok(answer));
                }
            }
            Err(error) => {
                for caller in self.callers {
                    let _ = caller.send(Err(error.again()));
                }
            }
        }
    }
}

impl std::fmt::Debug for Batch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What is to be saved is nobody's business.
        f.debug_struct("Batch")
            .field("callers", &self.there)
            .finish_non_exhaustive()
    }
}

impl Place<'_> {
    /// The batch, if nobody has sent it.
    fn take(&mut self) -> Option<Batch> {
        let mut left = self.gathering.left();
        let at = left
            .batches
            .iter()
            .position(|batch| batch.number == self.number)?;
        Some(left.batches.swap_remove(at))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut left = self.gathering.left();
        let Some(at) = left.batches.iter().position(|batch| batch.number == self.number) else {
            return;
        };
        left.batches[at].there -= 1;
        if left.batches[at].there == 0 {
            left.batches.swap_remove(at);
        }
    }
}

/// What is said when whoever sent a batch was ended with its runtime.
fn ended() -> Error {
    Error::Backend {
        operation: CALL.operation,
        outcome: Outcome::Unknown,
        transient: false,
        source: "the runtime ended while it was saved".into(),
    }
}
