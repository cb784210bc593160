//! Deletes: those that are usual several in one step, the others each in its own.

use super::batch::{CHUNK, ended, shared, together};
use super::connection::{Call, Connection};
use super::gathering::Batch;
use super::script::{self, RunError};
use super::{Valkey, answer, reply, request};
use crate::backend::{Delete, Keyspace};
use crate::error::Result;

const DELETE: Call = Call::write("delete");

/// Usual deletes of several callers.
pub(super) struct Deletes {
    base: String,
    ids: Vec<String>,
}

impl Batch for Deletes {
    /// Whether it was alive; `None` if it has to be deleted by itself.
    type Answer = Result<Option<bool>, RunError>;

    async fn send(self, connection: &Connection) -> Vec<Self::Answer> {
        let mut command = script::DELETE_MANY.begin(&self.base);
        command.arg(&self.ids);
        let (asked, count) = ((DELETE, &command), self.ids.len());
        shared(
            &script::DELETE_MANY,
            connection,
            asked,
            count,
            answer::deleted_together,
        )
        .await
    }
}

impl Valkey {
    /// Deletes several in one step, and each of the others in a step of its own.
    pub(super) async fn delete_all(
        &self,
        keyspace: &Keyspace,
        deletes: &[Delete],
    ) -> Result<Vec<Result<bool>>> {
        if !request::are_usual(keyspace, deletes) {
            return self.delete_each(keyspace, deletes.iter().collect()).await;
        }
        let deleted = match deletes {
            [delete] => {
                let deleted = self.delete_usual(keyspace, delete).await;
                vec![deleted.map_err(|error| answer::refused(DELETE, keyspace, delete.into(), error))]
            }
            _ => self.delete_together(keyspace, deletes).await?,
        };
        together(deletes, deleted, |unusual| self.delete_each(keyspace, unusual)).await
    }

    /// Deletes what is usual; `None` if it has to be deleted by itself.
    async fn delete_usual(&self, keyspace: &Keyspace, delete: &Delete) -> Result<Option<bool>, RunError> {
        let deleted = self.deletes.ask(
            |deletes| deletes.base == keyspace.base(),
            || Deletes {
                base: keyspace.base().to_owned(),
                ids: Vec::new(),
            },
            |deletes| deletes.ids.push(delete.id.clone()),
        );
        deleted
            .await
            .unwrap_or_else(|| Err(RunError::Lost(ended(DELETE))))
    }

    /// Deletes what is usual, several in one step; `None` for each that has to be deleted by itself.
    async fn delete_together(
        &self,
        keyspace: &Keyspace,
        deletes: &[Delete],
    ) -> Result<Vec<Result<Option<bool>>>> {
        self.several(
            DELETE,
            deletes,
            |several| request::delete_many(keyspace, several),
            answer::deleted_together,
            |delete, error| answer::refused(DELETE, keyspace, delete.into(), error),
        )
        .await
    }

    /// Deletes each in a step of its own.
    async fn delete_each(&self, keyspace: &Keyspace, deletes: Vec<&Delete>) -> Result<Vec<Result<bool>>> {
        self.each(
            DELETE,
            CHUNK,
            &deletes,
            |delete| request::delete(keyspace, delete),
            |delete, reply| match reply {
                Ok(reply) => Ok(reply::integer(&reply) == Some(1)),
                Err(error) => Err(answer::refused(DELETE, keyspace, (*delete).into(), error)),
            },
        )
        .await
    }
}
