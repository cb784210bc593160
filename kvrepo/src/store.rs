//! [`Store`]: a server, or memory, with the settings under which repositories use it.

mod builder;
mod registry;
mod settings;

pub use builder::StoreBuilder;
pub(crate) use registry::Registered;
pub use settings::{KeyspaceEvents, KeyspaceSettings};

use std::sync::Arc;

use tokio::runtime::Handle;

use self::registry::Registry;
use self::settings::StoreSettings;
use crate::backend::memory::{ManualClock, Memory};
#[cfg(feature = "near-cache")]
use crate::backend::near::{Near, NearCacheStatistics};
use crate::backend::{Backend, Traced};
use crate::entity::KvEntity;
use crate::error::Result;
use crate::event::{HandlerResult, KeyExpired, Listen};
use crate::listener::Listener;
use crate::repository::Repository;
use crate::telemetry::Telemetry;

/// Where entities are kept: a Valkey or Redis server, or this process's memory.
///
/// Cheap to clone; all clones are the same store, and so are its repositories and subscriptions. When the last of
/// them is dropped, the store's tasks end.
///
/// ```
/// use kvrepo::{KvEntity, Store};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, PartialEq, Serialize, Deserialize, KvEntity)]
/// struct Person {
///     #[id]
///     id: String,
///     name: String,
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
/// let people = Store::in_memory().repository::<Person>();
/// people.save(&mut Person { id: "1".into(), name: "Ann".into() }).await?;
/// assert_eq!(people.find_by_id("1").await?.unwrap().name, "Ann");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// First, so that its tasks end before the backend goes.
    listener: Listener,
    backend: Arc<dyn Backend>,
    #[cfg(feature = "near-cache")]
    near: Option<Arc<Near>>,
    telemetry: Arc<Telemetry>,
    registry: Registry,
    settings: StoreSettings,
}

impl Store {
    /// Connects to a server with default settings, by a URL. User, password and number of the database are left out if they
    /// are not needed, and what means something else in a URL is written with `%`:
    ///
    /// | URL | over |
    /// | --- | --- |
    /// | `redis://ann:secret@host:6379/3`, `valkey://…` | TCP |
    /// | `rediss://ann:secret@host:6379/3`, `valkeys://…` | TLS, with the feature `tls` |
    /// | `unix:///path/to/socket?db=3&user=ann&pass=secret` | a unix socket |
    ///
    /// With TLS, those vouch for the server that this machine trusts, or those that are given to
    /// `StoreBuilder::root_certificates`; `StoreBuilder::client_certificate` is for a server that asks for one. Certificates
    /// are always looked at. If the process has no default provider of cryptography for `rustls`, it gets `ring` the first time.
    ///
    /// RESP3 is spoken, or RESP2 if `?protocol=resp2` is in the URL.
    ///
    /// # Errors
    ///
    /// [`Error::Backend`](crate::Error::Backend) or [`Error::Timeout`](crate::Error::Timeout) if the server cannot
    /// be reached or not be trusted, [`Error::Unsupported`](crate::Error::Unsupported) if it is too old, a cluster or a
    /// replica, or if the URL needs the feature `tls`. See [`servers`](crate::servers) for what is needed.
    pub async fn connect(url: &str) -> Result<Self> {
        Self::builder().connect(url).await
    }

    /// A new, empty store in this process's memory, with default settings: the same semantics without a server.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::of_memory(None, StoreSettings::default())
    }

    /// Settings other than the defaults.
    pub fn builder() -> StoreBuilder {
        StoreBuilder::default()
    }

    /// A new, empty in-memory store with the same settings on a clock that is moved by hand: *the* way to test an
    /// application's expiry. See [`ManualClock`].
    #[must_use]
    pub fn with_clock(self, clock: ManualClock) -> Self {
        let store = Self::of_memory(Some(clock), self.inner.settings.clone());
        store.listen_from_the_start();
        store
    }

    #[expect(clippy::expect_used, reason = "memory can do whatever a store can be set to")]
    fn of_memory(clock: Option<ManualClock>, settings: StoreSettings) -> Self {
        Self::over(Arc::new(Memory::new(clock)), settings).expect("a store in memory")
    }

    /// # Errors
    ///
    /// [`Error::Unsupported`](crate::Error::Unsupported) if there is to be a near cache, and the backend can have none.
    fn over(backend: Arc<dyn Backend>, settings: StoreSettings) -> Result<Self> {
        let clock = Arc::clone(&backend);
        let telemetry = Arc::new(Telemetry::new(move || clock.status().now));
        let traced = Traced::listener(Arc::clone(&backend));
        let listener = Listener::new(Arc::new(traced), Arc::clone(&telemetry));
        #[cfg(feature = "near-cache")]
        let (near, backend) = match &settings.near_cache {
            None => (None, backend),
            Some(near) => {
                let near = Arc::new(Near::new(backend, near)?);
                (Some(Arc::clone(&near)), near as Arc<dyn Backend>)
            }
        };
        Ok(Self {
            inner: Arc::new(Inner {
                listener,
                backend: Arc::new(Traced::new(backend)),
                #[cfg(feature = "near-cache")]
                near,
                telemetry,
                registry: Registry::default(),
                settings,
            }),
        })
    }

    /// The repository of an entity type. Cheap: make one where it is needed, or keep it.
    ///
    /// If the type's keyspace cannot live in this store (see [`Error::KeyspaceConflict`](crate::Error::KeyspaceConflict)
    /// and [`Error::InvalidSetting`](crate::Error::InvalidSetting)), every call of the repository says so.
    #[must_use]
    pub fn repository<T: KvEntity>(&self) -> Repository<T> {
        let registered = self
            .inner
            .registry
            .register::<T>(&self.inner.settings, &self.inner.listener);
        Repository::new(self.clone(), registered)
    }

    /// Gives the expirations of an entity type to a handler, in a task that goes on until it is stopped.
    ///
    /// Awaiting it returns once the server has confirmed. Each event is handled in a task of its own: one that fails, panics or takes
    /// its time is no other's matter. All handlers of a store share its connections.
    ///
    /// ```
    /// # use std::time::Duration;
    /// use kvrepo::{KvEntity, ManualClock, Store};
    /// # use serde::{Serialize, Deserialize};
    /// # #[derive(Debug, Serialize, Deserialize, KvEntity)]
    /// # #[kv(time_to_live = "15m")]
    /// # struct Session { #[id] id: String, user: String }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> kvrepo::Result<()> {
    /// # let clock = ManualClock::new();
    /// # let store = Store::in_memory().with_clock(clock.clone());
    /// # let sessions = store.repository::<Session>();
    /// # let (told, mut heard) = tokio::sync::mpsc::channel(1);
    /// let listening = store
    ///     .listen::<Session, _>(move |event| {
    /// #       let told = told.clone();
    ///         async move {
    ///             println!("session {} has ended", event.id());
    /// #           told.send(event.id().clone()).await.unwrap();
    ///             Ok::<(), kvrepo::Error>(())
    ///         }
    ///     })
    ///     .group("housekeeping") // each event to one of the group; without it, every handler gets every event
    ///     .await?;
    /// # sessions.save(&mut Session { id: "1".into(), user: "ann".into() }).await?;
    /// # clock.advance(Duration::from_secs(901));
    /// # assert_eq!(heard.recv().await.unwrap(), "1");
    ///
    /// // At the end: no further events; what runs is waited for and acknowledged.
    /// let handled = listening.stop().await;
    /// # assert_eq!(handled.handled, 1);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When awaited: those of [`Subscribe`](crate::Subscribe), or of [`SubscribeGroup`](crate::SubscribeGroup).
    pub fn listen<T: KvEntity, Fut: Future<Output: HandlerResult> + Send + 'static>(
        &self,
        handler: impl Fn(KeyExpired<T>) -> Fut + Send + Sync + 'static,
    ) -> Listen<T> {
        Listen::new(self.repository(), handler)
    }

    /// What the near cache has done and holds; `None` if the store has none. Needs the feature `near-cache`.
    ///
    /// Counting what it holds takes a moment of each of its parts; every second is not too often.
    #[cfg(feature = "near-cache")]
    #[must_use]
    pub fn near_cache(&self) -> Option<NearCacheStatistics> {
        self.near().map(|near| near.statistics())
    }

    #[cfg(feature = "near-cache")]
    pub(crate) fn near(&self) -> Option<&Arc<Near>> {
        self.inner.near.as_ref()
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.inner.backend
    }

    pub(crate) fn telemetry(&self) -> &Telemetry {
        &self.inner.telemetry
    }

    pub(crate) fn listener(&self) -> &Listener {
        &self.inner.listener
    }

    pub(crate) fn events(&self) -> KeyspaceEvents {
        self.inner.settings.events
    }

    /// Starts listening if the settings say so, and there is a runtime to do it in.
    fn listen_from_the_start(&self) {
        if self.events() == KeyspaceEvents::OnStartup && Handle::try_current().is_ok() {
            self.listener().start_in_background();
        }
    }

    /// Starts listening beside whatever the caller is doing, if the settings say so and nobody has.
    pub(crate) fn listen_in_background(&self) {
        if self.events() != KeyspaceEvents::Off {
            self.listener().start_in_background();
        }
    }
}
