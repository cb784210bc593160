//! What turns deadlines into events while a store listens: one path for every backend.
//!
//! For each keyspace a *reaper* sleeps until the next deadline, or until a trigger wakes it, and reaps what is due;
//! a lease sees to it that of many processes one does the work. One *follower* reads the event logs of the
//! keyspaces that have subscribers and hands each event to all of them. One *watcher* tells the readers of groups that there
//! is something new in a log; each reads its share of it itself.
//!
//! A missed trigger costs time, never an event: the deadlines are on the server, and so is the log.

mod backoff;
mod follower;
mod group;
mod reaper;
mod space;
mod subscription;
mod task;
mod watcher;

pub(crate) use backoff::Backoff;
pub(crate) use group::{GroupSettings, GroupSubscription};
pub(crate) use space::Space;
pub(crate) use subscription::{Next, Subscription};
pub(crate) use task::AbortOnDrop;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use tokio::runtime::Handle;
use tokio::sync::{Mutex, Notify, watch};

use crate::backend::{Backend, Guard, Keyspace, Position, Trigger, TriggerSink};
use crate::error::Result;
use crate::telemetry::Telemetry;

/// The listener of one store. Dropping it ends its tasks.
#[derive(Debug)]
pub(crate) struct Listener {
    core: Arc<Core>,
}

/// The listener, as a start in the background holds it without keeping the store.
#[derive(Debug)]
struct Core {
    shared: Arc<Shared>,
    /// Whether it runs, or is about to.
    started: AtomicBool,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    _trigger: Guard,
    _follower: AbortOnDrop,
    _watcher: AbortOnDrop,
}

/// What the tasks have in common.
#[derive(Debug)]
struct Shared {
    backend: Arc<dyn Backend>,
    telemetry: Arc<Telemetry>,
    /// Who this process is to the lease.
    token: String,
    spaces: RwLock<Vec<Arc<Space>>>,
    /// Told when there is another keyspace to follow.
    follow: Notify,
    /// Told when there is another keyspace to watch for a group.
    watch: Notify,
    /// Where the tasks run, once they do. Keyspaces that are registered later get their reaper there.
    runtime: RwLock<Option<Handle>>,
    stop: watch::Sender<bool>,
}

impl Listener {
    pub(crate) fn new(backend: Arc<dyn Backend>, telemetry: Arc<Telemetry>) -> Self {
        let shared = Shared {
            backend,
            telemetry,
            token: uuid::Uuid::now_v7().to_string(),
            spaces: RwLock::default(),
            follow: Notify::new(),
            watch: Notify::new(),
            runtime: RwLock::default(),
            stop: watch::Sender::new(false),
        };
        let core = Core {
            shared: Arc::new(shared),
            started: AtomicBool::new(false),
            running: Mutex::new(None),
        };
        Self { core: Arc::new(core) }
    }

    /// Makes a keyspace known, and reaps it if the listener runs.
    pub(crate) fn add(&self, keyspace: Arc<Keyspace>) -> Arc<Space> {
        let shared = &self.core.shared;
        let space = Arc::new(Space::new(keyspace, Arc::clone(&shared.telemetry)));
        // Held while adding, so that the reaper is started either here or by `start`.
        let runtime = shared.runtime.read().unwrap_or_else(PoisonError::into_inner);
        shared
            .spaces
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Arc::clone(&space));
        if let Some(runtime) = &*runtime {
            runtime.spawn(reaper::run(Arc::clone(shared), Arc::clone(&space)));
        }
        space
    }

    /// Starts listening, unless it does already. Returns once the backend has confirmed.
    pub(crate) async fn start(&self) -> Result<()> {
        self.core.start().await
    }

    /// Whether it runs, or is about to.
    pub(crate) fn is_started(&self) -> bool {
        self.core.started.load(Ordering::Relaxed)
    }

    /// Whether it runs: the backend has confirmed that it listens.
    pub(crate) fn is_running(&self) -> bool {
        // The tasks' place is made in the same step as they are.
        let runtime = self.core.shared.runtime.read();
        runtime.unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// All keyspaces that are known.
    pub(crate) fn keyspaces(&self) -> Vec<Arc<Keyspace>> {
        let spaces = self.core.shared.spaces();
        spaces.iter().map(|space| Arc::clone(space.keyspace())).collect()
    }

    /// Starts listening beside whatever the caller is doing, unless it does already or is about to.
    pub(crate) fn start_in_background(&self) {
        if self.core.started.load(Ordering::Relaxed) || self.core.started.swap(true, Ordering::Relaxed) {
            return;
        }
        let core = Arc::clone(&self.core);
        tokio::spawn(async move {
            let mut stop = core.shared.stop.subscribe();
            let started = tokio::select! {
                started = core.start() => started,
                _ = stop.wait_for(|stopped| *stopped) => return,
            };
            if let Err(error) = started {
                tracing::warn!(%error, "the listener could not start; the next save with a term tries again");
            }
        });
    }

    /// Subscribes to a keyspace's events: those behind `from` that the log has, or from now on.
    pub(crate) async fn subscribe(&self, space: &Arc<Space>, from: Option<Position>) -> Result<Subscription> {
        // The feed first, then the place: what is written in between is in the feed, and known to be new.
        let feed = space.subscribe();
        let backend = Arc::clone(&self.core.shared.backend);
        let end = backend.log_end(space.keyspace()).await?;
        // Before the listener starts to reap, so that what was due all along is still to come.
        self.start().await?;
        if space.follow_from(end) {
            self.core.shared.follow.notify_one();
        }
        Ok(Subscription::new(backend, Arc::clone(space), feed, end, from))
    }

    /// Reads a keyspace's events as one of a group, beginning where the group is; a new one begins behind `from`, or with what
    /// comes from now on.
    pub(crate) async fn join(
        &self,
        space: &Arc<Space>,
        settings: GroupSettings,
        from: Option<Position>,
    ) -> Result<GroupSubscription> {
        let shared = &self.core.shared;
        // Before the listener starts to reap, so that a new group gets what was due all along.
        let group = &settings.member.group;
        shared.backend.join_group(space.keyspace(), group, from).await?;
        self.start().await?;
        let subscription = GroupSubscription::new(shared, space, settings);
        shared.watch.notify_one();
        Ok(subscription)
    }
}

impl Core {
    async fn start(&self) -> Result<()> {
        let mut running = self.running.lock().await;
        if running.is_some() {
            return Ok(());
        }
        self.started.store(true, Ordering::Relaxed);
        let sink: Arc<dyn TriggerSink> = Arc::clone(&self.shared) as Arc<dyn TriggerSink>;
        let trigger = match self.shared.backend.listen(sink).await {
            Ok(trigger) => trigger,
            Err(error) => {
                self.started.store(false, Ordering::Relaxed);
                return Err(error);
            }
        };
        let runtime = Handle::current();
        let follower = AbortOnDrop::from(runtime.spawn(follower::run(Arc::clone(&self.shared))));
        let watcher = AbortOnDrop::from(runtime.spawn(watcher::run(Arc::clone(&self.shared))));
        // Held while spawning, so that a keyspace registered meanwhile gets exactly one reaper.
        let mut place = self
            .shared
            .runtime
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        for space in self.shared.spaces().iter() {
            runtime.spawn(reaper::run(Arc::clone(&self.shared), Arc::clone(space)));
        }
        *place = Some(runtime);
        *running = Some(Running {
            _trigger: trigger,
            _follower: follower,
            _watcher: watcher,
        });
        Ok(())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.core.shared.stop.send_replace(true);
        // If it is locked, a start is under way in the background; it sees the stop, and drops what it has.
        if let Ok(mut running) = self.core.running.try_lock() {
            running.take();
        }
    }
}

impl Shared {
    /// Tells the keyspace that has a key, with the id and whether it is its phantom's.
    fn owner(&self, key: &[u8], tell: impl FnOnce(&Space, &str, bool)) {
        // Keys that are no text, or nobody's here, are foreign. Registered keyspaces are never prefixes of each other, so
        // the first that fits is the only one.
        let Ok(key) = std::str::from_utf8(key) else { return };
        let spaces = self.spaces.read().unwrap_or_else(PoisonError::into_inner);
        let owner = spaces
            .iter()
            .find_map(|space| Some((space, space.keyspace().id_of_key(key)?)));
        if let Some((space, (id, is_phantom))) = owner {
            tell(space, id, is_phantom);
        }
    }

    fn spaces(&self) -> Vec<Arc<Space>> {
        self.spaces.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl TriggerSink for Shared {
    fn trigger(&self, trigger: Trigger<'_>) {
        match trigger {
            Trigger::Everything => self.spaces().iter().for_each(|space| space.look_everywhere()),
            Trigger::Expired(key) => self.owner(key, |space, id, _| space.expired(id)),
            // Without its phantom an entity is whole.
            Trigger::Evicted(key) => self.owner(key, |space, id, is_phantom| {
                if !is_phantom {
                    space.evicted(id);
                }
            }),
        }
    }
}
