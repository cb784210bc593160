//! The task of one reader: takes events when it asks, and gives back what it does not get to.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use super::{Desk, GroupSettings};
use crate::backend::{Backend, Claim, Delivered, Position, Receipt};
use crate::error::{Error, Result};
use crate::listener::follower::interrupted_by;
use crate::listener::{Backoff, Shared, Space};

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
/// The longest that leaving may take.
const LEAVE: Duration = Duration::from_millis(500);

pub(super) struct Reader {
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
    pub(super) fn new(shared: &Shared, space: &Arc<Space>, settings: GroupSettings, desk: Arc<Desk>) -> Self {
        Self {
            backend: Arc::clone(&shared.backend),
            space: Arc::clone(space),
            bell: space.bell(),
            moved: 0,
            settings,
            desk,
            batch: 1,
            claimed: None,
            tidied: Instant::now(),
        }
    }

    pub(super) async fn run(mut self, mut stop: watch::Receiver<bool>) {
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
        let mut backoff = Backoff::new();
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
                    Ok(true) => backoff.reset(),
                    Ok(false) => {
                        backoff.reset();
                        let next = self.claimed.map(|claimed| claimed + self.claim_interval());
                        self.wait(Some(next.unwrap_or_else(Instant::now))).await;
                    }
                    Err(error) => {
                        interrupted_by("reading for a group", &error, backoff.has_failed());
                        self.claimed = None;
                        if !error.is_transient() {
                            self.tell(error);
                        }
                        self.wait(Some(Instant::now() + backoff.next())).await;
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
