//! Where a sequence runs: memory, or a keyspace of its own on a server that it shares with others.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kvrepo::backend::Memory;
use kvrepo::{KeyspaceEvents, KeyspaceSettings, ManualClock, Store};
use kvrepo_tests::world::{World, millis};

use crate::thing::Thing;

/// The most real time that a sequence may take on a server, so that it decides nothing: terms end half a minute from what
/// time passes by.
const LONGEST: Duration = Duration::from_secs(22);

#[derive(Debug)]
pub(crate) struct Site<'w> {
    place: Place<'w>,
    name: String,
}

#[derive(Debug)]
enum Place<'w> {
    Memory {
        backend: Arc<Memory>,
        clock: ManualClock,
        began: u64,
    },
    Server {
        world: &'w World,
        began: Instant,
        /// How much time was skipped, in milliseconds.
        skipped: AtomicU64,
    },
}

impl<'w> Site<'w> {
    pub(crate) fn memory() -> Self {
        let clock = ManualClock::new();
        let backend = Arc::new(Memory::new(Some(clock.clone())));
        let began = millis(clock.now());
        Self {
            place: Place::Memory {
                backend,
                clock,
                began,
            },
            name: "things".to_owned(),
        }
    }

    /// In the keyspace of this name, of which no other's begins alike.
    pub(crate) fn server(world: &'w World, name: &str) -> Self {
        Self {
            place: Place::Server {
                world,
                began: Instant::now(),
                skipped: AtomicU64::new(0),
            },
            name: name.to_owned(),
        }
    }

    /// A store on it, as of another process. Nobody listens: what expires stays until it is swept or met.
    pub(crate) async fn open(&self) -> kvrepo::Result<Store> {
        let settings = KeyspaceSettings::new().name(&self.name);
        let builder = Store::builder()
            .events(KeyspaceEvents::Off)
            .keyspace::<Thing>(settings);
        match &self.place {
            Place::Memory { backend, .. } => builder.backend(Arc::clone(backend) as _),
            Place::Server { world, .. } => world.try_open(builder).await,
        }
    }

    /// Milliseconds since the sequence began.
    pub(crate) fn now(&self) -> u64 {
        match &self.place {
            Place::Memory { clock, began, .. } => millis(clock.now()) - began,
            Place::Server { began, skipped, .. } => {
                began.elapsed().as_millis() as u64 + skipped.load(Ordering::Relaxed)
            }
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
                world.skip(&[&self.name], time).await;
                skipped.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
            }
        }
    }

    /// The keys on the server, without those of the event log.
    pub(crate) async fn left(&self) -> Vec<String> {
        let Place::Server { world, .. } = &self.place else {
            return Vec::new();
        };
        let server = world.as_server().expect("a server");
        let mut keys: Vec<String> = server.query(&["KEYS", &format!("{}*", self.name)]).await;
        let log = ["expired", "log"].map(|end| format!("{}#{end}", self.name));
        keys.retain(|key| !log.contains(key));
        keys
    }

    /// Takes away all that is left on the server.
    pub(crate) async fn clear(&self) {
        if let Place::Server { world, .. } = &self.place {
            let server = world.as_server().expect("a server");
            let _: i64 = server.query(&["EVAL", CLEAR, "1", &self.name]).await;
        }
    }
}

const CLEAR: &str = r"
local keys = redis.call('KEYS', KEYS[1] .. '*')
return #keys > 0 and redis.call('DEL', unpack(keys)) or 0
";
