//! Where a sequence runs: memory, or a keyspace of its own on a server that it shares with others.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use kvrepo::backend::{Backend as _, Keyspace, Memory, Read};
use kvrepo::{KeyspaceEvents, KeyspaceSettings, ManualClock, Position, Store, TimeToLive};
use kvrepo_tests::harness::TestServer;
use kvrepo_tests::world::World;
use kvrepo_tests::world::millis as since_1970;

use crate::answer::millis;
use crate::audit;
use crate::item::Item;
use crate::life::Stored;
use crate::operation::{Default, Settings};
use crate::oracle::{GRACE, Oracle};

/// So long that no event is dropped, however much time passes.
const RETENTION: Duration = Duration::from_secs(10 * 365 * 86_400);

/// The most real time that a sequence may take on a server, so that it decides nothing.
const LONGEST: Duration = Duration::from_secs(22);

#[derive(Debug)]
pub(crate) struct Site<'w> {
    place: Place<'w>,
    keyspace: Keyspace,
    /// When the sequence began, by the backend's clock, in milliseconds since 1970.
    began: u64,
    settings: Settings,
}

#[derive(Debug)]
enum Place<'w> {
    Memory {
        backend: Arc<Memory>,
        clock: ManualClock,
    },
    Server {
        world: &'w World,
        server: &'w TestServer,
        began: Instant,
        /// How much time was skipped, in milliseconds.
        skipped: AtomicU64,
    },
}

/// An event as it stands in the log.
#[derive(Debug)]
pub(crate) struct Logged {
    pub(crate) id: String,
    /// How long after the deadline it was written, in milliseconds.
    pub(crate) late: u64,
    pub(crate) stored: Option<Stored>,
}

impl<'w> Site<'w> {
    pub(crate) fn memory(settings: Settings) -> Self {
        let clock = ManualClock::new();
        let began = since_1970(clock.now());
        let backend = Arc::new(Memory::new(Some(clock.clone())));
        Self {
            place: Place::Memory { backend, clock },
            keyspace: keyspace("items", settings),
            began,
            settings,
        }
    }

    /// In the keyspace of this name, of which no other's begins alike.
    pub(crate) async fn server(world: &'w World, name: &str, settings: Settings) -> Self {
        let place = Place::Server {
            world,
            server: world.as_server().expect("a server"),
            began: Instant::now(),
            skipped: AtomicU64::new(0),
        };
        Self {
            place,
            keyspace: keyspace(name, settings),
            began: world.now().await,
            settings,
        }
    }

    /// By how much times may differ from the oracle's: on a server by what a call takes.
    pub(crate) fn tolerance(&self) -> Duration {
        match self.place {
            Place::Memory { .. } => Duration::ZERO,
            Place::Server { .. } => Duration::from_secs(10),
        }
    }

    /// A store on it, as of another process.
    pub(crate) async fn open(&self, events: KeyspaceEvents) -> kvrepo::Result<Store> {
        let settings = KeyspaceSettings::new()
            .name(self.keyspace.name())
            .shadow_copy(self.settings.shadow_copy)
            .retention(RETENTION);
        let settings = match self.settings.default {
            Default::Persistent => settings,
            Default::Ttl(term) => settings.time_to_live(term),
            Default::Idle(span) => settings.idle(span),
        };
        let builder = Store::builder().events(events).keyspace::<Item>(settings);
        match &self.place {
            Place::Memory { backend, .. } => builder.backend(Arc::clone(backend) as _),
            Place::Server { world, .. } => world.try_open(builder).await,
        }
    }

    /// Milliseconds since the sequence began.
    pub(crate) fn now(&self) -> u64 {
        match &self.place {
            Place::Memory { clock, .. } => since_1970(clock.now()) - self.began,
            Place::Server { began, skipped, .. } => millis(began.elapsed()) + skipped.load(Ordering::Relaxed),
        }
    }

    /// A time of the backend's clock in milliseconds since the sequence began. It has to be one that is moved when time is
    /// skipped: a deadline.
    pub(crate) fn since_begin(&self, deadline: u64) -> u64 {
        (deadline + self.skipped()).saturating_sub(self.began)
    }

    /// The deadline that is so many milliseconds after the beginning, by the backend's clock.
    pub(crate) fn deadline(&self, since_begin: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(self.began + since_begin - self.skipped())
    }

    fn skipped(&self) -> u64 {
        match &self.place {
            Place::Memory { .. } => 0,
            Place::Server { skipped, .. } => skipped.load(Ordering::Relaxed),
        }
    }

    /// Whether so much real time has passed that it could decide something.
    pub(crate) fn is_too_slow(&self) -> bool {
        matches!(self.place, Place::Server { began, .. } if began.elapsed() > LONGEST)
    }

    /// Lets time pass.
    pub(crate) async fn pass(&self, time: Duration) {
        match &self.place {
            Place::Memory { clock, .. } => clock.advance(time),
            Place::Server { world, skipped, .. } => {
                world.skip(&[self.keyspace.base()], time).await;
                skipped.fetch_add(millis(time), Ordering::Relaxed);
            }
        }
    }

    /// Whether all that is stored is as the oracle has it.
    pub(crate) async fn audit(&self, oracle: &Oracle) -> Result<(), String> {
        match &self.place {
            Place::Memory { backend, .. } => {
                let page = backend.scan(&self.keyspace, None, 100).await;
                let ids = page.map_err(|error| error.to_string())?.ids;
                let mut read = Read::fields();
                read.term = true;
                let loaded = backend.load(&self.keyspace, &ids, read).await;
                let loaded = loaded.map_err(|error| error.to_string())?;
                let found = ids.iter().zip(loaded).map(|(id, loaded)| {
                    let living = loaded.map(|loaded| {
                        let deadline = loaded.deadline.map(|deadline| self.since_begin(deadline));
                        assert_eq!(loaded.remaining == TimeToLive::Persistent, deadline.is_none());
                        (stored(loaded.record.iter()), deadline, loaded.idle)
                    });
                    (id.clone(), living)
                });
                audit::memory(&found.collect(), oracle)
            }
            Place::Server { server, .. } => {
                audit::server(server, self.keyspace.base(), oracle, |deadline| {
                    (self.since_begin(deadline), self.tolerance())
                })
                .await
            }
        }
    }

    /// All events that there were.
    pub(crate) async fn log(&self) -> Vec<Logged> {
        match &self.place {
            Place::Memory { backend, .. } => {
                let page = backend.read_log(&self.keyspace, Position::START, 10_000).await;
                let entries = page.expect("memory does not fail").entries;
                let logged = entries.into_iter().map(|entry| Logged {
                    late: since_1970(entry.position.written_at()) - entry.deadline,
                    stored: entry.record.map(|record| stored(record.iter())),
                    id: entry.id,
                });
                logged.collect()
            }
            Place::Server { server, .. } => audit::log(server, self.keyspace.base()).await,
        }
    }

    /// Takes away all that is left on the server.
    pub(crate) async fn clear(&self) {
        if let Place::Server { server, .. } = &self.place {
            let base = self.keyspace.base();
            let _: i64 = server.query(&["EVAL", CLEAR, "1", base]).await;
        }
    }
}

fn keyspace(name: &str, settings: Settings) -> Keyspace {
    let grace = Duration::from_millis(GRACE);
    Keyspace::new("Item", "", name, settings.shadow_copy, grace, RETENTION).expect("a keyspace")
}

fn stored<'r>(record: impl Iterator<Item = (&'r str, &'r [u8])>) -> Stored {
    record
        .map(|(path, value)| (path.to_owned(), String::from_utf8_lossy(value).into_owned()))
        .collect()
}

const CLEAR: &str = r"
local keys = redis.call('KEYS', KEYS[1] .. '*')
return #keys > 0 and redis.call('DEL', unpack(keys)) or 0
";
