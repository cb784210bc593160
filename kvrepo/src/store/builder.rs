//! Building a store with settings of one's own.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use super::registry::Registry;
use super::settings::{KeyspaceEvents, KeyspaceSettings, StoreSettings};
use super::{Inner, Store};
use crate::backend::Backend;
use crate::backend::memory::Memory;
#[cfg(feature = "near-cache")]
use crate::backend::near::NearCache;
#[cfg(feature = "tls")]
use crate::backend::valkey::ClientCertificate;
use crate::backend::valkey::Valkey;
use crate::entity::KvEntity;
use crate::error::Result;
use crate::listener::Listener;

/// Registers one entity type.
type Register = fn(&Registry, &StoreSettings, &Listener) -> Result<()>;

/// Settings of a store to be built. See [`Store::builder`].
///
/// ```
/// use kvrepo::{KeyspaceEvents, Store};
///
/// # fn main() -> kvrepo::Result<()> {
/// let store = Store::builder().key_prefix("acme:").events(KeyspaceEvents::Off).in_memory()?;
/// # let _ = store; Ok(()) }
/// ```
#[derive(Debug, Default)]
#[must_use = "a builder does nothing until it is told where to keep the data"]
pub struct StoreBuilder {
    settings: StoreSettings,
    /// Entity types with settings, to be registered as soon as there is a store.
    register: Vec<Register>,
}

impl StoreBuilder {
    /// Put in front of every key of this store, for tenants that share a database. It may not hold `#`, `*`, `?`,
    /// `[` or white space.
    pub fn key_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.settings.key_prefix = prefix.into();
        self
    }

    /// When the store listens for expirations; on demand unless set.
    pub fn events(mut self, events: KeyspaceEvents) -> Self {
        self.settings.events = events;
        self
    }

    /// The longest that a call to the server may take, connecting included; five seconds unless set.
    pub fn call_deadline(mut self, deadline: Duration) -> Self {
        self.settings.call_deadline = deadline;
        self
    }

    /// Leaves the server's `notify-keyspace-events` alone, whatever it is. Otherwise what is missing for expirations
    /// is added to it, if this user may, and nothing is ever taken away. See [`servers`](crate::servers).
    pub fn leave_notification_flags(mut self) -> Self {
        self.settings.leave_notification_flags = true;
        self
    }

    /// Trusts servers for which one of these certificates vouches, in place of those that this machine trusts: one or
    /// several, in PEM. They count when a server is connected to, by a URL of TLS. Needs the feature `tls`.
    ///
    /// Those of the machine are in the file and the folders that the environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR`
    /// name, or where its system keeps them. They are read for each new connection, also if they do not count then. A machine
    /// may have none; such as cannot be read are an error.
    ///
    /// ```no_run
    /// use kvrepo::Store;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = Store::builder()
    ///     .root_certificates(std::fs::read("ca.pem")?)
    ///     .client_certificate(std::fs::read("service.pem")?, std::fs::read("service.key")?)
    ///     .connect("rediss://ann:secret@valkey.internal:6380")
    ///     .await?;
    /// # let _ = store; Ok(()) }
    /// ```
    #[cfg(feature = "tls")]
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.settings.certificates.roots = Some(pem.into());
        self
    }

    /// Shows this certificate to a server that asks for one, as mutual TLS does: in PEM, followed by those that lead to one
    /// which the server knows, if any do, and the private key, in PEM and not encrypted. It counts when a server is connected
    /// to, by a URL of TLS. Needs the feature `tls`. See [`root_certificates`](Self::root_certificates) for an example.
    #[cfg(feature = "tls")]
    pub fn client_certificate(mut self, chain: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        self.settings.certificates.client = Some(ClientCertificate {
            chain: chain.into(),
            key: key.into(),
        });
        self
    }

    /// Keeps what [`find_by_id`](crate::Repository::find_by_id) has read at hand in this process, until it has changed. None is
    /// kept unless set. Needs the feature `near-cache`. See [`near_cache`](mod@crate::near_cache) for what is promised, and
    /// [`NearCache`] for an example.
    #[cfg(feature = "near-cache")]
    pub fn near_cache(mut self, near_cache: NearCache) -> Self {
        self.settings.near_cache = Some(near_cache);
        self
    }

    /// Settings of one entity type's keyspace, and registers it with the store.
    pub fn keyspace<T: KvEntity>(mut self, settings: KeyspaceSettings) -> Self {
        self.settings.keyspaces.insert(TypeId::of::<T>(), settings);
        self.register
            .push(|registry, settings, listener| registry.register::<T>(settings, listener).map(drop));
        self
    }

    /// Connects to a server. See [`Store::connect`] for the URL.
    ///
    /// # Errors
    ///
    /// Those of [`Store::connect`]; [`Error::InvalidSetting`](crate::Error::InvalidSetting) and
    /// [`Error::KeyspaceConflict`](crate::Error::KeyspaceConflict) if the settings cannot be, certificates among them that are
    /// not in PEM, or are set for a URL without TLS.
    pub async fn connect(self, url: &str) -> Result<Store> {
        let StoreSettings {
            call_deadline,
            leave_notification_flags,
            ref certificates,
            ..
        } = self.settings;
        let backend = Valkey::connect(url, call_deadline, leave_notification_flags, certificates).await?;
        let store = self.build(Arc::new(backend))?;
        #[cfg(feature = "near-cache")]
        if let Some(near) = store.near() {
            near.begin().await?;
        }
        if store.events() == KeyspaceEvents::OnStartup {
            store.listener().start().await?;
        }
        Ok(store)
    }

    /// Keeps the data in this process's memory.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSetting`](crate::Error::InvalidSetting) and
    /// [`Error::KeyspaceConflict`](crate::Error::KeyspaceConflict) if the settings cannot be.
    pub fn in_memory(self) -> Result<Store> {
        self.build(Arc::new(Memory::new(None)))
    }

    /// Keeps the data in a backend of one's own, such as one that counts the calls of another.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidSetting`](crate::Error::InvalidSetting) and
    /// [`Error::KeyspaceConflict`](crate::Error::KeyspaceConflict) if the settings cannot be.
    pub fn backend(self, backend: Arc<dyn Backend>) -> Result<Store> {
        self.build(backend)
    }

    fn build(self, backend: Arc<dyn Backend>) -> Result<Store> {
        // The prefix alone can be wrong as well, and is to be said before the first call.
        self.settings.check()?;
        let store = Store::over(backend, self.settings)?;
        let Inner {
            registry,
            settings,
            listener,
            ..
        } = &*store.inner;
        for register in self.register {
            register(registry, settings, listener)?;
        }
        store.listen_from_the_start();
        Ok(store)
    }
}
