//! One reader in a group, and the desk on which its task puts what it has taken.

mod reader;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use self::reader::Reader;
use super::{Shared, Space};
use crate::backend::{Backend, Delivered, Member};
use crate::error::{Error, Result};

/// How one reader takes part in a group.
#[derive(Debug, Clone)]
pub(crate) struct GroupSettings {
    pub(crate) member: Member,
    /// After how long without an acknowledgement an event is handed out again.
    pub(crate) claim_after: Duration,
    /// How often an event is handed out at most.
    pub(crate) max_deliveries: u32,
}

/// One reader's side. Dropping it gives back what it has not got to.
#[derive(Debug)]
pub(crate) struct GroupSubscription {
    space: Arc<Space>,
    backend: Arc<dyn Backend>,
    settings: GroupSettings,
    desk: Arc<Desk>,
}

/// Where the task puts what it has taken, and the reader asks for it.
#[derive(Debug, Default)]
struct Desk {
    state: Mutex<State>,
    /// Told when the reader asks, and when it has gone.
    asked: Notify,
    /// Told when there is something.
    filled: Notify,
}

#[derive(Debug, Default)]
struct State {
    events: VecDeque<Delivered>,
    /// When they were taken.
    taken: Option<Instant>,
    /// When more was asked for than there was.
    emptied: Option<Instant>,
    /// What is to be told besides.
    errors: VecDeque<Error>,
    wanted: bool,
    /// The reader has gone.
    closed: bool,
    /// The task has.
    ended: bool,
}

impl Desk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GroupSubscription {
    pub(super) fn new(shared: &Arc<Shared>, space: &Arc<Space>, settings: GroupSettings) -> Self {
        let desk = Arc::new(Desk::default());
        let reader = Reader::new(shared, space, settings.clone(), Arc::clone(&desk));
        tokio::spawn(reader.run(shared.stop.subscribe()));
        Self {
            space: Arc::clone(space),
            backend: Arc::clone(&shared.backend),
            settings,
            desk,
        }
    }

    pub(crate) fn space(&self) -> &Arc<Space> {
        &self.space
    }

    pub(crate) fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    pub(crate) fn settings(&self) -> &GroupSettings {
        &self.settings
    }

    /// The next event, or `None` once the listener has ended. Can be dropped and called again without losing anything.
    pub(crate) async fn next(&mut self) -> Option<Result<Delivered>> {
        // As with a subscription: what is at hand never waits.
        tokio::task::consume_budget().await;
        loop {
            {
                let mut state = self.desk.state();
                if let Some(error) = state.errors.pop_front() {
                    return Some(Err(error));
                }
                if let Some(event) = state.events.pop_front() {
                    self.count(&event);
                    return Some(Ok(event));
                }
                if state.ended {
                    return None;
                }
                state.wanted = true;
                state.emptied.get_or_insert_with(Instant::now);
            }
            self.desk.asked.notify_one();
            self.desk.filled.notified().await;
        }
    }

    fn count(&self, event: &Delivered) {
        let (telemetry, keyspace) = (self.space.telemetry(), self.space.keyspace().name());
        telemetry.delivered(keyspace, event.entry.deadline);
        if event.deliveries > 1 {
            telemetry.redelivered(keyspace);
        }
    }
}

impl Drop for GroupSubscription {
    fn drop(&mut self) {
        self.desk.state().closed = true;
        self.desk.asked.notify_one();
    }
}
