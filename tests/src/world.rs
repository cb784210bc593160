//! The backend that a case of the suite runs on, and the passing of time in it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use kvrepo::backend::Memory;
use kvrepo::{Expired, KeyExpired, KvEntity, ManualClock, NearCache, Repository, Store, StoreBuilder};

use redis::Value;

use crate::access::{Access, OPTIONAL};
use crate::harness::{ServerOptions, TestServer};
use crate::suite;

/// The longest that a test waits for what has to come.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// One backend with its data. Stores opened in one world share it, as processes share a server.
#[derive(Debug)]
pub struct World {
    place: Place,
    /// Whether its stores have a near cache, in cases that do not say.
    cached: bool,
}

#[derive(Debug)]
enum Place {
    Memory {
        backend: Arc<Memory>,
        clock: ManualClock,
    },
    Server(TestServer),
    /// Its stores are connected by this URL, as a user who may do no more than is documented.
    Restricted {
        server: TestServer,
        url: String,
        access: Access,
    },
}

/// The user of a restricted world.
const USER: &str = "orders";
const PASSWORD: &str = "secret";

impl World {
    /// In memory, on a clock that stands still until [`pass`](Self::pass).
    #[must_use]
    pub fn memory() -> Self {
        let clock = ManualClock::new();
        let backend = Arc::new(Memory::new(Some(clock.clone())));
        Self {
            place: Place::Memory { backend, clock },
            cached: false,
        }
    }

    /// The same, of which all stores have a near cache.
    #[must_use]
    pub fn cached(mut self) -> Self {
        self.cached = true;
        self
    }

    /// On a real server of its own.
    pub async fn server() -> Self {
        Self::on(ServerOptions::new()).await
    }

    /// On a real server of its own with options.
    pub async fn on(options: ServerOptions) -> Self {
        Self {
            place: Place::Server(TestServer::with(options).await),
            cached: false,
        }
    }

    /// On a real server of its own, on which stores have just this access, to just the keyspaces of the suite.
    ///
    /// What the case itself looks at or does there is not restricted.
    pub async fn restricted(access: Access, protocol: &str) -> Self {
        let user = access.user(USER, PASSWORD, suite::KEYSPACES);
        let server = TestServer::with(ServerOptions::new().user(&user)).await;
        let url = format!("{}?protocol={protocol}", server.url_as(USER, PASSWORD));
        Self {
            place: Place::Restricted { server, url, access },
            cached: false,
        }
    }

    /// The same with all that is documented.
    pub async fn documented(protocol: &str) -> Self {
        let mut world = Self::restricted(Access::required(), protocol).await;
        world.may_also(OPTIONAL).await;
        if let Place::Restricted { access, .. } = &mut world.place {
            *access = Access::documented();
        }
        world
    }

    /// For a case that is about a part of what is documented that nothing else needs: gives the user of a restricted world
    /// the rights of that part.
    pub async fn may_also(&self, part: &str) {
        let Place::Restricted { server, .. } = &self.place else {
            return;
        };
        for rule in Access::documented().part(part) {
            let set = server.try_command(&["ACL", "SETUSER", USER, rule]).await;
            // Older servers do not know it, and refuse the rule.
            assert!(set.is_ok() || *rule == "+client|setinfo", "{rule}: {set:?}");
        }
    }

    /// On a real server that is there already.
    #[must_use]
    pub fn of(server: TestServer) -> Self {
        Self {
            place: Place::Server(server),
            cached: false,
        }
    }

    /// The server, or `None` in memory. Cases that look at bytes, or speak for another client, ask for it.
    #[must_use]
    pub fn as_server(&self) -> Option<&TestServer> {
        match &self.place {
            Place::Memory { .. } => None,
            Place::Server(server) | Place::Restricted { server, .. } => Some(server),
        }
    }

    /// Whether a store can have a near cache: servers tell of changes in RESP3 alone.
    #[must_use]
    pub fn has_near_cache(&self) -> bool {
        !matches!(&self.place, Place::Restricted { url, .. } if url.contains("resp2"))
    }

    /// A store with default settings.
    pub async fn store(&self) -> Store {
        self.open(Store::builder()).await
    }

    /// A store with settings. Each is like another process on the same data.
    pub async fn open(&self, builder: StoreBuilder) -> Store {
        let builder = if self.cached {
            builder.near_cache(NearCache::new())
        } else {
            builder
        };
        self.try_open(builder).await.expect("a store")
    }

    /// A store with settings that may be refused.
    pub async fn try_open(&self, builder: StoreBuilder) -> kvrepo::Result<Store> {
        match &self.place {
            Place::Memory { backend, .. } => builder.backend(Arc::clone(backend) as _),
            Place::Server(server) => builder.connect(&server.url()).await,
            Place::Restricted { url, .. } => builder.connect(url).await,
        }
    }

    /// A repository in a store of its own with default settings.
    pub async fn repository<T: KvEntity>(&self) -> Repository<T> {
        self.store().await.repository()
    }

    /// What holds after every case: the server was never asked for all its keys, nor for anything that the user may not do,
    /// but for what is documented as optional.
    pub async fn finish(&self) {
        if let Place::Restricted { server, access, .. } = &self.place {
            let documented = Access::documented().commands();
            let optional: Vec<&str> = documented.difference(&access.commands()).copied().collect();
            let log: Vec<HashMap<String, Value>> = server.query(&["ACL", "LOG"]).await;
            for entry in log {
                let object = &entry["object"];
                let is_optional = matches!(object, Value::BulkString(name) if optional.iter().any(|may| may.as_bytes() == name));
                assert!(is_optional, "the user was denied what it asked for: {entry:?}");
            }
        }
        if let Some(server) = self.as_server() {
            let stats: String = server.query(&["INFO", "commandstats"]).await;
            let counted = |command: &str| stats.contains(&format!("cmdstat_{command}:"));
            assert!(counted("info"), "the statistics are those of this case: {stats}");
            assert!(
                !counted("keys") && !counted("scan"),
                "KEYS or SCAN was sent: {stats}"
            );
        }
    }

    /// All keys of the server, sorted; none in memory.
    pub async fn keys(&self) -> Vec<String> {
        let Some(server) = self.as_server() else {
            return Vec::new();
        };
        // What was sent before is judged now, since asking is counted too.
        self.finish().await;
        let mut keys: Vec<String> = server.query(&["KEYS", "*"]).await;
        keys.sort();
        let _: String = server.query(&["CONFIG", "RESETSTAT"]).await;
        let _: String = server.query(&["INFO", "server"]).await;
        keys
    }

    /// Milliseconds since 1970 by the backend's clock.
    pub async fn now(&self) -> u64 {
        match &self.place {
            Place::Memory { clock, .. } => millis(clock.now()),
            Place::Server(server) | Place::Restricted { server, .. } => {
                let [seconds, micros]: [u64; 2] = server
                    .query::<Vec<u64>, _>(&["TIME"])
                    .await
                    .try_into()
                    .expect("two");
                seconds * 1000 + micros / 1000
            }
        }
    }

    /// Lets time pass by the backend's clock: moved in memory, waited for on a server.
    pub async fn pass(&self, time: Duration) {
        match &self.place {
            Place::Memory { clock, .. } => clock.advance(time),
            Place::Server(_) | Place::Restricted { .. } => {
                // Until the server's clock says so; the sleep only spares it the asking.
                let until = self.now().await + time.as_millis() as u64;
                while let left @ 1.. = until.saturating_sub(self.now().await) {
                    tokio::time::sleep(Duration::from_millis(left)).await;
                }
            }
        }
    }
}

impl World {
    /// Lets hours pass in a moment: moves the clock in memory; on a server, all deadlines of the keyspaces that have these
    /// keys as their id sets come so much nearer.
    ///
    /// What is past its deadline then goes at once, and listeners hear what the server would have told them: would it go a
    /// moment later, who reaps in that moment would take it for one to which another client has given more time.
    pub async fn skip(&self, bases: &[&str], time: Duration) {
        let server = match &self.place {
            Place::Memory { clock, .. } => return clock.advance(time),
            Place::Server(server) | Place::Restricted { server, .. } => server,
        };
        for base in bases {
            let millis = time.as_millis().to_string();
            let _: i64 = server.query(&["EVAL", SKIP, "1", base, &millis]).await;
        }
    }
}

/// Moves the deadlines of a keyspace back by ARGV[1] milliseconds.
const SKIP: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local by = tonumber(ARGV[1])
local function text(n) return string.format('%.0f', n) end
local function nearer(key)
  local at = redis.call('PEXPIRETIME', key)
  if at > 0 and at - by > now then
    redis.call('PEXPIREAT', key, text(at - by))
  elseif at > 0 then
    redis.call('DEL', key)
    redis.call('PUBLISH', '__keyevent@0__:expired', key)
  end
end
local due = redis.call('ZRANGE', KEYS[1] .. '#deadlines', 0, -1, 'WITHSCORES')
for i = 1, #due, 2 do
  local key = KEYS[1] .. ':' .. due[i]
  redis.call('ZADD', KEYS[1] .. '#deadlines', text(due[i + 1] - by), due[i])
  nearer(key)
  nearer(key .. ':phantom')
end
return #due
";

/// Waits until something holds, which it is asked again and again; panics when it does not come to.
pub async fn eventually<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    let until = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < until, "it never came to this: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Milliseconds since 1970, as [`World::now`] counts them.
#[must_use]
pub fn millis(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .expect("after 1970")
        .as_millis() as u64
}

/// The next event, or a panic when it does not come.
pub async fn next<T: KvEntity>(expired: &mut Expired<T>) -> KeyExpired<T> {
    let event = tokio::time::timeout(PATIENCE, expired.next())
        .await
        .expect("an event comes");
    event
        .expect("the stream goes on")
        .expect("the event is none of an error")
}

/// The ids of the next so many events, sorted.
pub async fn next_ids<T: KvEntity<Id = String>>(expired: &mut Expired<T>, count: usize) -> Vec<String> {
    let mut ids = Vec::with_capacity(count);
    for _ in 0..count {
        ids.push(next(expired).await.id().clone());
    }
    ids.sort();
    ids
}

/// Saves entities with a term of a moment, and lets it pass.
pub async fn expire<T: KvEntity>(world: &World, repository: &Repository<T>, mut entities: Vec<T>) {
    repository
        .save_all(&mut entities)
        .time_to_live(Duration::from_millis(20))
        .await
        .expect("a save");
    world.pass(Duration::from_millis(22)).await;
}

/// That nothing comes before a later event does: saves `marker`, lets it expire, and demands that it comes first.
///
/// What was to be written to the log before is there by then, since a log keeps its order.
pub async fn nothing_before<T: KvEntity>(
    world: &World,
    repository: &Repository<T>,
    expired: &mut Expired<T>,
    marker: &mut T,
) where
    T::Id: PartialEq,
{
    repository
        .save(marker)
        .time_to_live(Duration::from_millis(50))
        .await
        .expect("a save");
    world.pass(Duration::from_millis(52)).await;
    let event = next(expired).await;
    assert_eq!(Some(event.id()), marker.id(), "an event that should not be");
}
