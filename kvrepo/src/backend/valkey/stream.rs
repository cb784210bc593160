//! The event log: a stream, read in pages or followed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{RedisError, RedisResult, Value};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::connection::{Call, Connection};
use super::endpoint::{Endpoint, Era};
use super::{fault, reply};
use crate::backend::status::Board;
use crate::backend::{Keyspace, LogEntry, LogPage, Position};
use crate::error::{Error, Outcome, Result};

/// How long one wait for events lasts on the server.
const BLOCK: Duration = Duration::from_secs(1);
/// How many events of one stream a wait returns at most.
pub(super) const EVENTS: usize = 500;

pub(super) fn log_key(keyspace: &Keyspace) -> String {
    format!("{}#expired", keyspace.base())
}

/// Remembers the last event that was written, and the last that was dropped; see `life.lua`.
fn marks_key(keyspace: &Keyspace) -> String {
    format!("{}#log", keyspace.base())
}

pub(super) async fn end(connection: &Connection, keyspace: &Keyspace) -> Result<Position> {
    let call = Call::read("subscribe");
    let mut pipeline = redis::pipe();
    pipeline
        .cmd("TIME")
        .cmd("HGET")
        .arg(marks_key(keyspace))
        .arg("last");
    // Finds nothing. Whoever may not follow the log is told now, and does not wait in vain.
    pipeline
        .cmd("XREAD")
        .arg("STREAMS")
        .arg(log_key(keyspace))
        .arg("$");
    let [time, last, _] = all(call, connection.pipeline(call, &pipeline).await?)?;
    let [seconds, _] = reply::integers(&time).ok_or_else(|| reply::unexpected(call.operation))?;
    let last = reply::text(last).and_then(|text| text.parse().ok());
    Ok(last.unwrap_or_else(|| Position::before_anything_after(seconds.unsigned_abs() * 1000)))
}

pub(super) async fn read(
    connection: &Connection,
    keyspace: &Keyspace,
    after: Position,
    limit: usize,
) -> Result<LogPage> {
    let call = Call::read("read events");
    let mut pipeline = redis::pipe();
    // Both of the same moment, or what is dropped in between would look like a gap, or a gap like nothing.
    pipeline.atomic();
    pipeline
        .cmd("XRANGE")
        .arg(log_key(keyspace))
        .arg(format!("({after}"))
        .arg("+")
        .arg("COUNT")
        .arg(limit);
    pipeline
        .cmd("HMGET")
        .arg(marks_key(keyspace))
        .arg("trimmed")
        .arg("last");
    let [range, marks] = all(call, connection.pipeline(call, &pipeline).await?)?;
    let entries = reply::entries(range).ok_or_else(|| reply::unexpected(call.operation))?;
    let Value::Array(marks) = marks else {
        return Err(reply::unexpected(call.operation));
    };
    let mut marks = marks
        .into_iter()
        .map(|mark| reply::text(mark)?.parse::<Position>().ok());
    let (trimmed, last) = (marks.next().flatten(), marks.next().flatten());
    // A log that has gone by itself took all that it held.
    let lost = trimmed.max(last.filter(|_| entries.is_empty()));
    // Who reads from the start asks for what there is.
    Ok(LogPage::new(
        entries,
        lost.filter(|lost| *lost > after && after != Position::START),
    ))
}

/// Which of these logs have something behind their positions, each with the position that its newest event has by now.
pub(super) async fn watch(
    waiting: &Follower,
    connection: &Connection,
    tails: &[(Arc<Keyspace>, Position)],
) -> Result<Vec<(usize, Position)>> {
    let call = Call::read("watch events");
    let found = waiting.follow(tails, 1).await?;
    let mut pipeline = redis::pipe();
    for (index, _) in &found {
        if let Some((keyspace, _)) = tails.get(*index) {
            pipeline.cmd("HGET").arg(marks_key(keyspace)).arg("last");
        }
    }
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let lasts = connection.pipeline(call, &pipeline).await?;
    let ends = found.into_iter().zip(lasts).map(|((index, entry), last)| {
        let last = last.map_err(|error| call.fault(error))?;
        let last: Option<Position> = reply::text(last).and_then(|text| text.parse().ok());
        // At least what was found, whoever wrote it.
        Ok((index, last.unwrap_or_default().max(entry.position)))
    });
    ends.collect()
}

fn all<const N: usize>(call: Call, replies: Vec<RedisResult<Value>>) -> Result<[Value; N]> {
    let replies: Vec<Value> = replies
        .into_iter()
        .collect::<RedisResult<_>>()
        .map_err(|error| call.fault(error))?;
    replies.try_into().map_err(|_| reply::unexpected(call.operation))
}

/// Waits for events on a connection of its own, since waiting keeps a connection from doing anything else.
#[derive(Debug)]
pub(super) struct Follower {
    endpoint: Endpoint,
    /// Taken for each wait and put back after it, so that a wait that is dropped takes its connection along: only a
    /// closed connection ends a wait on the server.
    idle: Mutex<Option<(Era, MultiplexedConnection)>>,
    /// Whether the last connection failed, rather than that its wait was dropped.
    broken: AtomicBool,
    board: Arc<Board>,
}

impl Follower {
    pub(super) fn new(endpoint: Endpoint, board: Arc<Board>) -> Self {
        Self {
            endpoint,
            idle: Mutex::new(None),
            broken: AtomicBool::new(false),
            board,
        }
    }

    /// Up to `limit` events of each log.
    pub(super) async fn follow(
        &self,
        tails: &[(Arc<Keyspace>, Position)],
        limit: usize,
    ) -> Result<Vec<(usize, LogEntry)>> {
        let call = Call::read("follow events");
        let fault = |error: RedisError| fault::of_read(call.operation, error);
        let late = || Error::Timeout {
            operation: call.operation,
            after: self.endpoint.deadline,
            outcome: Outcome::NotExecuted,
        };
        let era = self.endpoint.era();
        let idle = self.idle.lock().await.take();
        let mut connection = match idle {
            Some((of, connection)) if of == era => connection,
            _ => {
                let config = self.endpoint.config(Some(BLOCK + self.endpoint.deadline));
                let opened = timeout(self.endpoint.deadline, self.endpoint.open(&config)).await;
                let opened = opened.map_err(|_| late())?.map_err(fault)?;
                if self.broken.swap(false, Ordering::Relaxed) {
                    self.board.reconnected("events");
                }
                opened
            }
        };
        let mut command = redis::cmd("XREAD");
        command
            .arg("COUNT")
            .arg(limit)
            .arg("BLOCK")
            .arg(BLOCK.as_millis() as u64)
            .arg("STREAMS");
        let keys: Vec<String> = tails.iter().map(|(keyspace, _)| log_key(keyspace)).collect();
        command.arg(&keys);
        for (_, after) in tails {
            command.arg(after.to_string());
        }
        let reply: RedisResult<Value> = command.query_async(&mut connection).await;
        let reply = reply.map_err(|error| {
            self.broken.store(true, Ordering::Relaxed);
            fault(error)
        })?;
        *self.idle.lock().await = Some((era, connection));
        let streams = reply::streams(reply).ok_or_else(|| reply::unexpected(call.operation))?;
        let index = |key: &str| keys.iter().position(|known| known == key);
        let found = streams
            .into_iter()
            .filter_map(|(key, entries)| Some((index(&key)?, entries)));
        Ok(found
            .flat_map(|(index, entries)| entries.into_iter().map(move |entry| (index, entry)))
            .collect())
    }
}
