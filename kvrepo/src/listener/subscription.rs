//! One subscriber's way through an event log.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::Space;
use super::space::Fed;
use crate::backend::{Backend, LogEntry, Position};
use crate::error::{Error, Result};

/// How many events are read at once by a subscriber that has fallen behind.
const PAGE: usize = 256;

/// What a subscriber gets next.
#[derive(Debug)]
pub(crate) enum Next {
    Event(Arc<LogEntry>),
    /// The listener has ended.
    End,
}

/// Reads events in the log's order, each once. As long as it keeps up it is fed from memory; once it has fallen
/// behind it reads the log itself, until it has caught up.
#[derive(Debug)]
pub(crate) struct Subscription {
    backend: Arc<dyn Backend>,
    space: Arc<Space>,
    feed: broadcast::Receiver<Fed>,
    /// The last event that was handed out.
    position: Position,
    behind: bool,
    /// Read from the log and not yet handed out.
    page: VecDeque<LogEntry>,
}

impl Subscription {
    pub(super) fn new(
        backend: Arc<dyn Backend>,
        space: Arc<Space>,
        feed: broadcast::Receiver<Fed>,
        end: Position,
        from: Option<Position>,
    ) -> Self {
        // A position behind all that there is, is that of another log: nothing is to be passed over for it.
        let position = from.unwrap_or(end).min(end);
        Self {
            backend,
            space,
            feed,
            position,
            behind: from.is_some(),
            page: VecDeque::new(),
        }
    }

    pub(crate) fn space(&self) -> &Arc<Space> {
        &self.space
    }

    /// The next event. After an error the subscription goes on where it was.
    pub(crate) async fn next(&mut self) -> Result<Next> {
        let next = self.advance().await;
        let telemetry = self.space.telemetry();
        match &next {
            Ok(Next::Event(entry)) => telemetry.delivered(self.space.keyspace().name(), entry.deadline),
            Err(Error::Gap { keyspace, .. }) => telemetry.gap(keyspace),
            _ => {}
        }
        next
    }

    async fn advance(&mut self) -> Result<Next> {
        // Events that are at hand never wait; who reads very many has to let others of the same runtime go on.
        tokio::task::consume_budget().await;
        loop {
            if let Some(entry) = self.page.pop_front() {
                self.position = entry.position;
                if is_ours(&entry) {
                    return Ok(Next::Event(Arc::new(entry)));
                }
                continue;
            }
            if self.behind {
                self.catch_up().await?;
                continue;
            }
            match self.feed.recv().await {
                Ok(Fed::Event(entry)) if entry.position > self.position => {
                    self.position = entry.position;
                    if is_ours(&entry) {
                        return Ok(Next::Event(entry));
                    }
                }
                Ok(Fed::Lost { from, to }) if to > self.position => {
                    return Err(self.gap(from.max(self.position), to));
                }
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => self.behind = true,
                Err(RecvError::Closed) => return Ok(Next::End),
            }
        }
    }

    async fn catch_up(&mut self) -> Result<()> {
        let page = self
            .backend
            .read_log(self.space.keyspace(), self.position, PAGE)
            .await?;
        if let Some(lost) = page.lost_until {
            let from = self.position;
            self.page.extend(page.entries);
            return Err(self.gap(from, lost));
        }
        // A page that is not full is the log's end; all that comes after it is in the feed.
        self.behind = page.entries.len() == PAGE;
        self.page.extend(page.entries);
        Ok(())
    }

    fn gap(&mut self, from: Position, to: Position) -> Error {
        self.position = to;
        Error::Gap {
            keyspace: self.space.keyspace().name().to_owned(),
            from,
            to,
        }
    }
}

/// What another client wrote into the log has no id, and is passed over.
fn is_ours(entry: &LogEntry) -> bool {
    !entry.id.is_empty()
}
