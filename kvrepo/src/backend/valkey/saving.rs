//! Saves: those that are usual several in one step, the others each in its own.

use redis::Cmd;

use super::batch::{CHUNK, ended, shared, together};
use super::connection::{Call, Connection};
use super::gathering::Batch;
use super::script::{self, RunError};
use super::{Valkey, answer, request};
use crate::backend::{Keyspace, Saved, Write};
use crate::error::Result;

const SAVE: Call = Call::write("save");

/// How many bytes are sent as one at most, unless one entity alone has more.
const BYTES: usize = 64 * 1024;

/// Usual saves of several callers.
pub(super) struct Saves {
    to: Settings,
    command: Cmd,
    size: usize,
    count: usize,
}

/// What saves have in common that are sent as one.
struct Settings {
    base: String,
    grace: u64,
    retention: u64,
    shadow_copy: bool,
}

impl Settings {
    fn are_of(&self, keyspace: &Keyspace) -> bool {
        self.base == keyspace.base()
            && self.grace == keyspace.grace()
            && self.retention == keyspace.retention()
            && self.shadow_copy == keyspace.shadow_copy()
    }
}

impl Saves {
    fn new(keyspace: &Keyspace) -> Self {
        let to = Settings {
            base: keyspace.base().to_owned(),
            grace: keyspace.grace(),
            retention: keyspace.retention(),
            shadow_copy: keyspace.shadow_copy(),
        };
        let mut command = script::SAVE_MANY.begin(&to.base);
        command
            .arg(to.grace)
            .arg(to.retention)
            .arg(u8::from(to.shadow_copy));
        Self {
            to,
            command,
            size: 0,
            count: 0,
        }
    }
}

impl Batch for Saves {
    /// `None` if it has to be made by itself.
    type Answer = Result<Option<Saved>, RunError>;

    async fn send(self, connection: &Connection) -> Vec<Self::Answer> {
        let asked = (SAVE, &self.command);
        shared(
            &script::SAVE_MANY,
            connection,
            asked,
            self.count,
            answer::saved_together,
        )
        .await
    }
}

impl Valkey {
    /// Saves several in one step, and each of the others in a step of its own.
    pub(super) async fn save_all(&self, keyspace: &Keyspace, writes: &[Write]) -> Result<Vec<Result<Saved>>> {
        if !writes.iter().all(request::is_usual) {
            return self.save_each(keyspace, writes.iter().collect()).await;
        }
        let saved = match writes {
            [write] => {
                let saved = self.save_usual(keyspace, write).await;
                vec![saved.map_err(|error| answer::refused(SAVE, keyspace, write.into(), error))]
            }
            _ => self.save_together(keyspace, writes).await?,
        };
        together(writes, saved, |unusual| self.save_each(keyspace, unusual)).await
    }

    /// Saves what is usual; `None` if it has to be saved by itself.
    async fn save_usual(&self, keyspace: &Keyspace, write: &Write) -> Result<Option<Saved>, RunError> {
        let arguments = request::saved(script::SAVE_MANY.on(keyspace.base()), write);
        let size = arguments.size();
        let saved = self.saves.ask(
            |saves| saves.size + size <= BYTES && saves.to.are_of(keyspace),
            || Saves::new(keyspace),
            |saves| {
                arguments.count_into(&mut saves.command);
                saves.size += size;
                saves.count += 1;
            },
        );
        saved.await.unwrap_or_else(|| Err(RunError::Lost(ended(SAVE))))
    }

    /// Saves what is usual, several in one step; `None` for each that has to be saved by itself.
    async fn save_together(
        &self,
        keyspace: &Keyspace,
        writes: &[Write],
    ) -> Result<Vec<Result<Option<Saved>>>> {
        self.several(
            SAVE,
            writes,
            |several| request::save_many(keyspace, several),
            answer::saved_together,
            |write, error| answer::refused(SAVE, keyspace, write.into(), error),
        )
        .await
    }

    /// Saves each in a step of its own.
    async fn save_each(&self, keyspace: &Keyspace, writes: Vec<&Write>) -> Result<Vec<Result<Saved>>> {
        self.each(
            SAVE,
            CHUNK,
            &writes,
            |write| request::save(keyspace, write),
            |write, reply| match reply {
                Ok(reply) => answer::saved(&reply),
                Err(error) => Err(answer::refused(SAVE, keyspace, (*write).into(), error)),
            },
        )
        .await
    }
}
