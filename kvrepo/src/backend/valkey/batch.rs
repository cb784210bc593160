//! Many items in one call: in pipelines, several in one step where that can be.

use std::future::Future;

use redis::{Cmd, Value};

use super::connection::{Call, Connection};
use super::gathering::TOGETHER;
use super::script::{Invocation, RunError, Script};
use super::{Valkey, answer, reply};
use crate::error::{Error, Result};

/// How many ids or entities go into one pipeline. Bounds the memory of a batch, and for how long one keeps the
/// server from answering others.
pub(super) const CHUNK: usize = 256;

impl Valkey {
    /// Runs a script once for each item, in pipelines; the inner results are those of the items.
    pub(super) async fn each<'a, I: Sync, R>(
        &self,
        call: Call,
        at_once: usize,
        items: &'a [I],
        invocation: impl Fn(&'a I) -> Invocation<'a> + Send,
        read: impl Fn(&I, Result<Value, RunError>) -> Result<R> + Send,
    ) -> Result<Vec<Result<R>>> {
        let mut results = Vec::with_capacity(items.len());
        for chunk in items.chunks(at_once) {
            let invocations: Vec<_> = chunk.iter().map(&invocation).collect();
            match self.commands.run_all(call, &invocations).await {
                Ok(replies) => {
                    results.extend(chunk.iter().zip(replies).map(|(item, reply)| read(item, reply)));
                }
                Err(error) if results.is_empty() => return Err(error),
                // What earlier pipelines have done is done, and is said to be.
                Err(error) => {
                    results.extend(chunk.iter().map(|_| Err(error.again())));
                    let rest = items.len() - results.len();
                    results.extend((0..rest).map(|_| Err(answer::skipped(call))));
                    break;
                }
            }
        }
        Ok(results)
    }

    /// Runs a script once for each few of the items, in pipelines; the inner results are those of the items. What is refused is
    /// refused to all of the few.
    pub(super) async fn several<'a, I: Sync, R: Send>(
        &self,
        call: Call,
        items: &'a [I],
        invocation: impl Fn(&'a [I]) -> Invocation<'a> + Send + Sync,
        read: impl Fn(&Value, usize) -> Result<Vec<R>> + Send + Sync,
        refused: impl Fn(&I, RunError) -> Error + Send,
    ) -> Result<Vec<Result<R>>> {
        let several: Vec<&[I]> = items.chunks(TOGETHER).collect();
        let read = |several: &&'a [I], reply: Result<Value, RunError>| match reply {
            Ok(reply) => read(&reply, several.len()).map(Ok),
            Err(error) => Ok(Err(error)),
        };
        let answers = self
            .each(
                call,
                CHUNK / TOGETHER,
                &several,
                |several| invocation(several),
                read,
            )
            .await?;
        let mut of_each = Vec::with_capacity(items.len());
        for (several, answer) in several.into_iter().zip(answers) {
            match answer {
                Ok(Ok(answers)) => of_each.extend(answers.into_iter().map(Ok)),
                Ok(Err(error)) => {
                    of_each.extend(several.iter().map(|item| Err(refused(item, error.again()))));
                }
                Err(error) => of_each.extend(several.iter().map(|_| Err(error.again()))),
            }
        }
        Ok(of_each)
    }
}

/// The answers of items that were asked for together, and of those that had to be asked for each by itself.
pub(super) async fn together<'a, I, R, F>(
    items: &'a [I],
    answers: Vec<Result<Option<R>>>,
    by_themselves: impl FnOnce(Vec<&'a I>) -> F,
) -> Result<Vec<Result<R>>>
where
    F: Future<Output = Result<Vec<Result<R>>>>,
{
    let unusual = items.iter().zip(&answers);
    let unusual: Vec<&I> = unusual
        .filter_map(|(item, answer)| matches!(answer, Ok(None)).then_some(item))
        .collect();
    let count = unusual.len();
    let others = if count == 0 {
        Vec::new()
    } else {
        match by_themselves(unusual).await {
            Ok(others) => others,
            // The others have their answers.
            Err(error) if count < items.len() => (0..count).map(|_| Err(error.again())).collect(),
            Err(error) => return Err(error),
        }
    };
    let mut others = others.into_iter();
    let of_each = answers.into_iter().map(|answer| match answer {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => others.next().unwrap_or_else(|| Err(reply::unexpected("batch"))),
        Err(error) => Err(error),
    });
    Ok(of_each.collect())
}

/// Makes one call for so many callers: what it was answered for each, or why none was.
pub(super) async fn shared<R>(
    script: &Script,
    connection: &Connection,
    (call, command): (Call, &Cmd),
    count: usize,
    read: impl FnOnce(&Value, usize) -> Result<Vec<R>>,
) -> Vec<Result<R, RunError>> {
    let reply = script.send(connection, call, command).await;
    let reply = reply.unwrap_or_else(|error| Err(RunError::Lost(error)));
    match reply.and_then(|reply| read(&reply, count).map_err(RunError::Lost)) {
        Ok(answers) => answers.into_iter().map(Ok).collect(),
        Err(error) => (0..count).map(|_| Err(error.again())).collect(),
    }
}

/// What is said if a runtime ends while somebody else asked for this caller as well.
pub(super) fn ended(call: Call) -> Error {
    Error::Backend {
        operation: call.operation,
        outcome: call.kind.lost(),
        transient: false,
        source: "the runtime ended before there was an answer".into(),
    }
}
