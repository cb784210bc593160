//! Reaps one keyspace: what is due, as soon as it is.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::backoff::Backoff;
use super::{Shared, Space};
use crate::backend::{Lease, PAGE, Reap, Reaped};
use crate::error::{Error, Result};
use crate::telemetry::Cause;

/// How many due entities one step reaps: so few that whoever asks the server something in between hardly waits, and as
/// many as cost no throughput.
const LIMIT: usize = 64;
/// How many ids that the server named one step looks at. Most are found to be reaped already.
const NAMED: usize = 512;
/// How long the lease lasts. A holder that seems dead loses it sooner; see `reap.lua`.
const LEASE: Duration = Duration::from_secs(3);
/// The longest sleep. Another process can set a deadline that is nearer than all that were known.
const LONGEST_SLEEP: Duration = Duration::from_millis(250);
/// The longest sleep while another process reaps.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// And the shortest: the lease may not have lapsed to the millisecond.
const SHORTEST_WAIT: Duration = Duration::from_millis(50);
/// The pause between two pages of ids that are looked at, so that it never is a burden.
const PAUSE: Duration = Duration::from_millis(2);
/// How long an id has to have been without its entity before it is cleaned up after: for as long as that, the server
/// may yet say that it has expired.
const PROBATION: Duration = Duration::from_secs(1);
/// How often events past their retention are dropped.
const TRIM: Duration = Duration::from_secs(10);
/// The longest that giving the lease back may take.
const RELEASE: Duration = Duration::from_millis(500);

/// Until the listener stops.
pub(super) async fn run(shared: Arc<Shared>, space: Arc<Space>) {
    let mut stop = shared.stop.subscribe();
    let reaper = Reaper {
        shared: &shared,
        space: &space,
        leads: false,
        backlog: false,
        walk: Walk::Done,
        suspects: Vec::new(),
        trimmed: None,
    };
    // A closed channel says the same as a `true` in it.
    tokio::select! {
        () = reaper.reap() => {}
        _ = stop.wait_for(|stopped| *stopped) => {}
    }
    // Losing this costs the next one the rest of the lease.
    let _ = timeout(RELEASE, shared.backend.release(space.keyspace(), &shared.token)).await;
}

/// Said once, and not each second as long as it lasts.
fn not_reaped(space: &Space, error: &Error, again: bool) {
    let keyspace = space.keyspace().name();
    let cause: &(dyn StdError + 'static) = error;
    if again {
        tracing::debug!(keyspace, cause, "reaping failed again");
    } else {
        tracing::warn!(keyspace, cause, "reaping failed; it will be tried again");
    }
}

struct Reaper<'a> {
    shared: &'a Shared,
    space: &'a Space,
    /// Whether the lease was held in the last step.
    leads: bool,
    /// Whether more was due than one step reaps.
    backlog: bool,
    walk: Walk,
    /// Ids without their entity, and since when that is known.
    suspects: Vec<(Instant, Vec<String>)>,
    trimmed: Option<Instant>,
}

/// How far a look at all ids has come. Deadlines bring everything that kvrepo has written; the rest, that other
/// clients wrote or the server evicted, is found by looking, whenever something can have been missed.
enum Walk {
    Done,
    From(Option<String>),
}

impl Reaper<'_> {
    async fn reap(mut self) {
        let mut backoff = Backoff::new();
        loop {
            self.space.plan(None);
            match self.step().await {
                Ok(Reaped {
                    leader: false, next, ..
                }) => {
                    let wait = next.map_or(LONGEST_WAIT, |lapses| lapses.min(LONGEST_WAIT));
                    self.space.plan(Some(Duration::ZERO));
                    tokio::select! {
                        () = sleep(wait.max(SHORTEST_WAIT)) => {}
                        // The leader sees to nearly all that the server names; no hurry, and many at a time.
                        () = self.space.woken() => sleep(LONGEST_SLEEP).await,
                    }
                }
                Ok(Reaped { more: true, .. }) => {}
                Ok(Reaped { next, .. }) => {
                    let longest = if matches!(self.walk, Walk::Done) {
                        LONGEST_SLEEP
                    } else {
                        PAUSE
                    };
                    let nap = next.map_or(longest, |due| due.min(longest));
                    self.space.plan(Some(nap));
                    tokio::select! {
                        () = sleep(nap) => {}
                        () = self.space.woken() => {}
                    }
                }
                Err(error) => {
                    not_reaped(self.space, &error, backoff.has_failed());
                    backoff.wait().await;
                    continue;
                }
            }
            backoff.reset();
        }
    }

    async fn step(&mut self) -> Result<Reaped> {
        let Self { shared, space, .. } = *self;
        let evicted = space.take_evicted();
        if self.leads && !evicted.is_empty() {
            // Before anything is reaped: once its deadline has passed, an entity that is gone is taken for expired.
            self.repair(&evicted).await?;
        }
        let mut reap = Reap::due(LIMIT);
        reap.trim = self.trimmed.is_none_or(|at| at.elapsed() >= TRIM);
        reap.lease = Some(Lease::new(shared.token.clone(), LEASE.as_millis() as u64));
        // In a burst the server names what the deadlines bring anyway; it waits until that is done.
        reap.expired = if self.backlog {
            Vec::new()
        } else {
            space.take_named(NAMED)
        };
        let asked = std::time::Instant::now();
        let mut reaped = match shared.backend.reap(space.keyspace(), &reap).await {
            Ok(reaped) => reaped,
            Err(error) => {
                space.put_back(reap.expired);
                return Err(error);
            }
        };
        self.backlog = reaped.more;
        let led = std::mem::replace(&mut self.leads, reaped.leader);
        self.tell(&reaped, led, asked);
        if !reaped.leader {
            // Whoever takes over looks at everything.
            self.walk = Walk::Done;
            self.suspects.clear();
            return Ok(reaped);
        }
        if reap.trim {
            self.trimmed = Some(Instant::now());
        }
        reaped.more |= reap.expired.len() == NAMED;
        if space.take_everything() || !led {
            self.walk = Walk::From(None);
        }
        if !reaped.more {
            self.look_at_a_page().await?;
            self.see_to_suspects().await?;
        }
        Ok(reaped)
    }

    fn tell(&self, reaped: &Reaped, led: bool, asked: std::time::Instant) {
        let (telemetry, keyspace) = (self.space.telemetry(), self.space.keyspace().name());
        if let Some(now) = reaped.now {
            telemetry.server_said(now, asked);
        }
        telemetry.reaped(
            keyspace,
            reaped.events - reaped.named.min(reaped.events),
            Cause::Deadline,
        );
        telemetry.reaped(keyspace, reaped.named, Cause::Notification);
        // Who has lost the lease knows of no backlog any more; its successor does.
        if led || reaped.leader {
            telemetry.due(keyspace, reaped.due);
        }
    }

    async fn look_at_a_page(&mut self) -> Result<()> {
        let Walk::From(cursor) = &self.walk else {
            return Ok(());
        };
        let (backend, keyspace) = (&self.shared.backend, self.space.keyspace());
        let page = backend.scan(keyspace, cursor.as_deref(), PAGE).await?;
        if !page.ids.is_empty() {
            self.space.suspect(backend.gone(keyspace, &page.ids).await?);
        }
        self.walk = page.next.map_or(Walk::Done, |next| Walk::From(Some(next)));
        Ok(())
    }

    /// Cleans up after entities that are gone and were not said to have expired.
    async fn see_to_suspects(&mut self) -> Result<()> {
        let new = self.space.take_suspects();
        if !new.is_empty() {
            self.suspects.push((Instant::now(), new));
        }
        while let Some((since, ids)) = self.suspects.first()
            && since.elapsed() >= PROBATION
        {
            self.repair(ids).await?;
            self.suspects.remove(0);
        }
        Ok(())
    }

    async fn repair(&self, ids: &[String]) -> Result<()> {
        let keyspace = self.space.keyspace();
        let repaired = self.shared.backend.repair(keyspace, ids).await?;
        let telemetry = self.space.telemetry();
        telemetry.repaired(keyspace.name(), repaired.events, repaired.cleaned);
        Ok(())
    }
}
