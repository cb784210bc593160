//! One reader in a group: a task that takes events for it when it asks, and gives back what it does not get to.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until, timeout};

use super::{Shared, Space};
use crate::backend::{Backend, Claim, Delivered, Member, Position, Receipt};
use crate::error::{Error, Result};

/// The most events that are taken at once, however quickly they are seen to.
const MOST: usize = 128;
/// Whoever sees to all that was taken within this time is given twice as many the next time.
const QUICK: Duration = Duration::from_millis(20);
/// Whoever takes longer is given half as many, so that others of the group have something to do.
const SLOW: Duration = Duration::from_millis(100);
/// The longest that an event waits here to be asked for; then it is given back.
const HELD: Duration = Duration::from_secs(1);
/// How often at least and at most it is looked for what others have not acknowledged in time.
const CLAIM_AT_LEAST: Duration = Duration::from_secs(1);
const CLAIM_AT_MOST: Duration = Duration::from_millis(10);
/// How often readers are forgotten that have gone.
const TIDY: Duration = Duration::from_secs(60);
/// The waits after failures.
const FIRST_BACKOFF: Duration = Duration::from_millis(50);
const LAST_BACKOFF: Duration = Duration::from_secs(1);
/// The longest that leaving may take.
const LEAVE: Duration = Duration::from_millis(500);

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
        let reader = Reader {
            backend: Arc::clone(&shared.backend),
            space: Arc::clone(space),
            bell: space.bell(),
            moved: 0,
            settings: settings.clone(),
            desk: Arc::clone(&desk),
            batch: 1,
            claimed: None,
            tidied: Instant::now(),
        };
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

struct Reader {
    backend: Arc<dyn Backend>,
    space: Arc<Space>,
    bell: watch::Receiver<u64>,
    /// How often time may have moved by then.
    moved: u64,
    settings: GroupSettings,
    desk: Arc<Desk>,
    /// How many events are taken at once.
    batch: usize,
    /// When it was last looked for what is overdue; `None` if that is to be done at once.
    claimed: Option<Instant>,
    tidied: Instant,
}

impl Reader {
    async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let desk = Arc::clone(&self.desk);
        {
            let mut reading = std::pin::pin!(self.read());
            tokio::select! {
                () = &mut reading => {}
                // A closed channel says the same as a `true` in it.
                () = async { drop(stop.wait_for(|stopped| *stopped).await) } => {
                    // What is being taken just now is waited for, so that it can be given back.
                    desk.state().closed = true;
                    desk.asked.notify_one();
                    let _ = timeout(LEAVE, reading).await;
                }
            }
        }
        // Losing this costs the others the time after which they claim.
        let _ = timeout(LEAVE, self.leave()).await;
        desk.state().ended = true;
        desk.filled.notify_one();
    }

    /// Until the reader has gone.
    async fn read(&mut self) {
        let mut backoff = FIRST_BACKOFF;
        loop {
            let (closed, wanted, held) = {
                let state = self.desk.state();
                let taken = state.taken.filter(|_| !state.events.is_empty());
                (
                    state.closed,
                    state.wanted,
                    taken.map(|taken| taken + self.longest_held()),
                )
            };
            if closed {
                return;
            }
            if held.is_some_and(|until| until <= Instant::now()) {
                self.give_back().await;
            } else if !wanted {
                self.wait(held).await;
            } else {
                let moved = *self.bell.borrow_and_update();
                if std::mem::replace(&mut self.moved, moved) != moved {
                    // Time may have moved: what was not overdue can be now.
                    self.claimed = None;
                }
                match self.take().await {
                    Ok(true) => backoff = FIRST_BACKOFF,
                    Ok(false) => {
                        backoff = FIRST_BACKOFF;
                        let next = self.claimed.map(|claimed| claimed + self.claim_interval());
                        self.wait(Some(next.unwrap_or_else(Instant::now))).await;
                    }
                    Err(error) => {
                        tracing::debug!(%error, "reading for a group was interrupted");
                        self.claimed = None;
                        if !error.is_transient() {
                            self.tell(error);
                        }
                        self.wait(Some(Instant::now() + backoff)).await;
                        backoff = (backoff * 2).min(LAST_BACKOFF);
                    }
                }
            }
        }
    }

    /// Until the bell rings, the reader asks or has gone, or it is time.
    async fn wait(&mut self, until: Option<Instant>) {
        let time = async {
            match until {
                Some(until) => sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.bell.changed() => {}
            () = self.desk.asked.notified() => {}
            () = time => {}
        }
    }

    /// Takes what is overdue, or else what is new; says whether there was anything.
    async fn take(&mut self) -> Result<bool> {
        let (backend, keyspace, member) = (&self.backend, self.space.keyspace(), &self.settings.member);
        let mut taken = Vec::new();
        if self
            .claimed
            .is_none_or(|claimed| claimed.elapsed() >= self.claim_interval())
        {
            let after = u64::try_from(self.settings.claim_after.as_millis()).unwrap_or(u64::MAX);
            let mut claim = Claim::new(after, self.settings.max_deliveries, self.batch);
            claim.tidy = self.tidied.elapsed() >= TIDY;
            let Some(claimed) = backend.claim(keyspace, member, &claim).await? else {
                return self.join_again().await;
            };
            if claim.tidy {
                self.tidied = Instant::now();
            }
            self.claimed = (!claimed.more).then(Instant::now);
            let telemetry = self.space.telemetry();
            telemetry.parked(keyspace.name(), claimed.parked);
            if let Some((from, to)) = claimed.lost {
                telemetry.gap(keyspace.name());
                let keyspace = keyspace.name().to_owned();
                self.tell(Error::Gap { keyspace, from, to });
            }
            taken = claimed.events;
        }
        if taken.is_empty() {
            let Some(new) = backend.read_group(keyspace, member, self.batch).await? else {
                return self.join_again().await;
            };
            taken = new;
        }
        let foreign: Vec<Receipt> = taken
            .extract_if(.., |event| event.entry.id.is_empty())
            .map(|event| event.receipt)
            .collect();
        if !foreign.is_empty() {
            // What another client wrote into the log is nobody's to see to.
            backend.acknowledge(keyspace, &member.group, &foreign).await?;
        }
        Ok(self.put(taken))
    }

    /// The group has gone, with the log or without. What is in the log now may never have been handed out.
    async fn join_again(&mut self) -> Result<bool> {
        let (keyspace, group) = (self.space.keyspace(), &self.settings.member.group);
        tracing::warn!(
            keyspace = keyspace.name(),
            group,
            "the group has gone; it begins anew"
        );
        self.backend
            .join_group(keyspace, group, Some(Position::START))
            .await?;
        self.claimed = None;
        Ok(true)
    }

    fn put(&mut self, events: Vec<Delivered>) -> bool {
        if events.is_empty() {
            return false;
        }
        let mut state = self.desk.state();
        if let (Some(taken), Some(emptied)) = (state.taken, state.emptied) {
            let took = emptied.saturating_duration_since(taken);
            if took < QUICK {
                self.batch = (self.batch * 2).min(MOST);
            } else if took > SLOW {
                self.batch = (self.batch / 2).max(1);
            }
        }
        state.taken = Some(Instant::now());
        state.emptied = None;
        state.events = events.into();
        state.wanted = false;
        drop(state);
        self.desk.filled.notify_one();
        true
    }

    fn tell(&self, error: Error) {
        let mut state = self.desk.state();
        // Who does not listen to the first of them does not need a second.
        if state.errors.len() < MOST {
            state.errors.push_back(error);
        }
        drop(state);
        self.desk.filled.notify_one();
    }

    /// Gives back what nobody has asked for, so that others of the group can see to it.
    async fn give_back(&self) {
        let events = std::mem::take(&mut self.desk.state().events);
        let receipts: Vec<Receipt> = events.iter().map(|event| event.receipt).collect();
        if receipts.is_empty() {
            return;
        }
        let given = self
            .backend
            .give_back(self.space.keyspace(), &self.settings.member, &receipts)
            .await;
        if let Err(error) = given {
            tracing::debug!(%error, "events could not be given back; they are claimed when it is time");
        }
    }

    async fn leave(&self) {
        self.give_back().await;
        let left = self
            .backend
            .leave_group(self.space.keyspace(), &self.settings.member)
            .await;
        if let Err(error) = left {
            tracing::debug!(%error, "a group could not be left; its reader is forgotten when it is time");
        }
    }

    fn longest_held(&self) -> Duration {
        HELD.min(self.settings.claim_after / 2)
    }

    fn claim_interval(&self) -> Duration {
        (self.settings.claim_after / 4).clamp(CLAIM_AT_MOST, CLAIM_AT_LEAST)
    }
}
