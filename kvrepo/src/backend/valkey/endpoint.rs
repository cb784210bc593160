//! Where the server is, and how it is spoken to.

#[cfg(feature = "tls")]
mod tls;
// Its tests want to be run as well.
#[cfg(any(test, not(feature = "tls")))]
mod without_tls;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use redis::aio::{MultiplexedConnection, PubSub};
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{AsyncConnectionConfig, Client, ProtocolVersion};

use super::fault;
use super::server::Hello;
use crate::error::Result;

#[cfg(feature = "tls")]
use self::tls as transport;
#[cfg(not(feature = "tls"))]
use self::without_tls as transport;

pub(crate) use self::transport::Certificates;
#[cfg(feature = "tls")]
pub(crate) use self::transport::ClientCertificate;
pub(super) use self::transport::is_failure as is_tls_failure;

/// How long a socket may be silent before the kernel gives it up.
const DEAD_AFTER: Duration = Duration::from_secs(10);

/// A server's address and the settings of every connection to it. `Debug` and `Display` show no secret.
#[derive(Clone)]
pub(super) struct Endpoint {
    client: Client,
    address: String,
    database: i64,
    /// The longest that a call may take, connecting included.
    pub(super) deadline: Duration,
    era: Arc<AtomicU64>,
}

/// The time between two demotions of the server: what was opened in an earlier one leads to a replica. One connection
/// notices, and all are left.
pub(super) type Era = u64;

impl Endpoint {
    /// Takes a URL: `redis://`, `valkey://`, `rediss://`, `valkeys://`, `unix://`, with user, password, database,
    /// `?protocol=resp2`.
    pub(super) fn new(url: &str, deadline: Duration, certificates: &Certificates) -> Result<Self> {
        let info = transport::read_url(url)?;
        let keepalive = TcpKeepalive::new()
            .with_time(DEAD_AFTER)
            .with_interval(DEAD_AFTER / 2)
            .with_retries(3);
        let tcp = info.tcp_settings().clone();
        let tcp = tcp
            .set_nodelay(true)
            .set_user_timeout(DEAD_AFTER)
            .set_keepalive(keepalive);
        let settings = info.redis_settings().clone();
        // The client speaks RESP2 unless told otherwise; only RESP3 notices a closed socket without a call.
        let settings = if url.contains("protocol=") {
            settings
        } else {
            settings.set_protocol(ProtocolVersion::RESP3)
        };
        let settings = settings.set_lib_name("kvrepo", env!("CARGO_PKG_VERSION"));
        let (address, database) = (info.addr().to_string(), settings.db());
        let info = info.set_tcp_settings(tcp).set_redis_settings(settings);
        Ok(Self {
            client: transport::client(info, certificates)?,
            address,
            database,
            deadline,
            era: Arc::default(),
        })
    }

    /// The number of the database in use.
    pub(super) fn database(&self) -> i64 {
        self.database
    }

    /// Whether the connections speak RESP3.
    pub(super) fn speaks_resp3(&self) -> bool {
        self.client.get_connection_info().redis_settings().protocol() != ProtocolVersion::RESP2
    }

    /// What all connections have in common. `response` bounds the wait for one reply.
    pub(super) fn config(&self, response: Option<Duration>) -> AsyncConnectionConfig {
        AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.deadline))
            .set_response_timeout(response)
            .set_pipeline_buffer_size(1024)
    }

    /// Opens a connection that is for a subscription only. Nothing bounds how long it takes.
    pub(super) async fn open_subscriber(&self) -> redis::RedisResult<PubSub> {
        self.client.get_async_pubsub().await
    }

    /// Opens a connection, to a primary only: a replica would answer reads, with what once was.
    pub(super) async fn open(
        &self,
        config: &AsyncConnectionConfig,
    ) -> redis::RedisResult<MultiplexedConnection> {
        let mut open = self
            .client
            .get_multiplexed_async_connection_with_config(config)
            .await?;
        if Hello::ask(&mut open).await?.is_replica() {
            return Err(fault::demoted());
        }
        Ok(open)
    }

    /// The era of what is opened now.
    pub(super) fn era(&self) -> Era {
        self.era.load(Ordering::Relaxed)
    }

    /// The server has been demoted: what was opened in this era, or before, is not to be used any more.
    pub(super) fn leave(&self, era: Era) {
        self.era.fetch_max(era + 1, Ordering::Relaxed);
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.database)
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self})")
    }
}
