//! A TCP proxy on the loopback that breaks connections as a test says.

mod pump;
mod settings;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::free_port;
use super::server::TestServer;
use settings::{Settings, Shared};

/// What has gone through a proxy so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Connections accepted.
    pub connections: u64,
    /// Connections that are open.
    pub open: u64,
    /// Bytes that came from clients, forwarded or not.
    pub from_clients: u64,
    /// Bytes that came from the server, forwarded or not.
    pub from_server: u64,
    /// How often a client spoke after the server had: the round trips, where one call at a time is made on each
    /// connection. A pipeline whose replies begin before it is written out counts for more than one, and so does
    /// what follows a message that the server pushed.
    pub round_trips: u64,
}

/// A proxy in front of a server. It has a port of its own, and all its connections end with it.
///
/// ```text
/// let proxy = Proxy::in_front_of(&server).await;
/// let store = Store::connect(&proxy.url()).await?;
/// proxy.swallow_replies(true);         // writes arrive, nobody hears of it
/// ```
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    url: String,
    shared: Arc<Shared>,
    listening: watch::Receiver<bool>,
    acceptor: JoinHandle<()>,
}

impl Proxy {
    /// A proxy in front of this address.
    ///
    /// # Panics
    ///
    /// When no port is to be had.
    pub async fn start(upstream: SocketAddr) -> Self {
        let listener = bind()
            .await
            .unwrap_or_else(|error| panic!("the proxy has no port: {error}"));
        let address = listener
            .local_addr()
            .unwrap_or_else(|error| panic!("the proxy has no address: {error}"));
        let shared = Arc::new(Shared::new(upstream));
        let (sender, listening) = watch::channel(true);
        let acceptor = tokio::spawn(accept(listener, address, Arc::clone(&shared), sender));
        Self {
            address,
            url: format!("redis://{address}"),
            shared,
            listening,
            acceptor,
        }
    }

    /// A proxy in front of a server, with its password and database in the URL.
    ///
    /// # Panics
    ///
    /// As [`start`](Self::start).
    pub async fn in_front_of(server: &TestServer) -> Self {
        let mut proxy = Self::start(server.address()).await;
        let mut target = server.raw().target().clone();
        target.host = proxy.address.ip().to_string();
        target.port = proxy.address.port();
        proxy.url = target.url(None);
        proxy
    }

    /// The URL that leads through the proxy.
    #[must_use]
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// Where the proxy listens; the same all its life.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends connections made from now on to another server.
    pub fn redirect(&self, upstream: SocketAddr) {
        self.set(|settings| settings.upstream = upstream);
    }

    /// Cuts all connections now, on both sides. What is under way in the proxy is lost. New ones can be made.
    pub fn cut(&self) {
        self.set(|settings| settings.cuts += 1);
    }

    /// Cuts each connection at a random chunk of data, one in `one_in` on average, after some of its bytes; 0 ends
    /// that. The same seed and the same traffic give the same cuts.
    pub fn cut_randomly(&self, seed: u64, one_in: u32) {
        self.shared.seed(seed);
        self.set(|settings| settings.cut_one_in = one_in);
    }

    /// Cuts the connection on which the next reply comes, in place of forwarding it: the server has done what it
    /// was asked, and the client cannot know. Once.
    pub fn cut_at_next_reply(&self) {
        self.shared.cut_at_next_reply();
    }

    /// Cuts the connection on which the next reply comes, after so many of its bytes, at least one. Once.
    pub fn cut_within_next_reply(&self, bytes: usize) {
        self.shared.cut_within_next_reply(bytes);
    }

    /// Tells clients that the server has nothing more to say (an end of stream), while it still hears them.
    pub fn half_close(&self) {
        self.set(|settings| settings.half_closes += 1);
    }

    /// Refuses new connections, as a server that is down does. Returns when it is so. Those that exist stay.
    ///
    /// # Panics
    ///
    /// When the port has been lost to another process meanwhile.
    pub async fn refuse(&self, refuse: bool) {
        self.set(|settings| settings.refuse = refuse);
        let mut listening = self.listening.clone();
        assert!(
            listening.wait_for(|listening| *listening != refuse).await.is_ok(),
            "the proxy's port {} was taken while it refused connections",
            self.address.port()
        );
    }

    /// Accepts connections and data, but forwards nothing in either direction. What was held goes on afterwards.
    pub fn pause(&self, pause: bool) {
        self.set(|settings| settings.pause = pause);
    }

    /// Forwards what clients send, and drops what the server answers.
    pub fn swallow_replies(&self, swallow: bool) {
        self.set(|settings| settings.swallow_replies = swallow);
    }

    /// Holds everything back for this long, each way.
    pub fn delay(&self, each_way: Duration) {
        self.delay_directions(each_way, each_way);
    }

    /// Holds back what goes to the server, and what comes from it.
    pub fn delay_directions(&self, to_server: Duration, to_client: Duration) {
        self.set(|settings| {
            settings.delay_to_server = to_server;
            settings.delay_to_client = to_client;
        });
    }

    /// What has gone through.
    #[must_use]
    pub fn counts(&self) -> Counts {
        *self.shared.counts.borrow()
    }

    /// Waits until the counts are as `reached` wants them: `proxy.until(|counts| counts.open == 0).await`.
    ///
    /// It waits as long as it takes; the test runner's time-out ends a test that waits in vain.
    pub async fn until(&self, reached: impl FnMut(&Counts) -> bool) -> Counts {
        let mut counts = self.shared.counts.subscribe();
        let reached = counts.wait_for(reached).await.map(|counts| *counts);
        // The sender is ours and lives as long as we do.
        reached.unwrap_or_else(|_| self.counts())
    }

    fn set(&self, change: impl FnOnce(&mut Settings)) {
        self.shared.settings.send_modify(change);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // It owns the connections' tasks, which end with it.
        self.acceptor.abort();
    }
}

pub(super) async fn bind() -> io::Result<TcpListener> {
    let mut last = None;
    for _ in 0..10 {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, free_port()?)).await {
            Ok(listener) => return Ok(listener),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::other("no port was tried")))
}

/// Accepts connections until it is aborted. Refusing is done as a dead server does it: nobody listens.
async fn accept(
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: watch::Sender<bool>,
) {
    let mut settings = shared.settings.subscribe();
    let mut connections = JoinSet::new();
    let mut listener = Some(listener);
    loop {
        if let Some(open) = &listener {
            tokio::select! {
                biased;
                _ = settings.wait_for(|settings| settings.refuse) => {
                    listener = None;
                    listening.send_replace(false);
                }
                Ok((client, _)) = open.accept() => {
                    connections.spawn(connect(client, Arc::clone(&shared)));
                }
                Some(_) = connections.join_next() => {}
            }
        } else {
            let goes_on = settings.wait_for(|settings| !settings.refuse).await.is_ok();
            let Some(again) = TcpListener::bind(address).await.ok().filter(|_| goes_on) else {
                return;
            };
            listener = Some(again);
            listening.send_replace(true);
        }
    }
}

async fn connect(client: TcpStream, shared: Arc<Shared>) {
    let upstream = shared.settings.borrow().upstream;
    let _open = shared.open();
    // A client of a server that is down is cut; a test that wants a refusal says so.
    if let Ok(server) = TcpStream::connect(upstream).await {
        pump::run(client, server, &shared).await;
    }
}
