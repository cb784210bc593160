//! A proxy on the loopback that takes TLS off: the servers of the tests speak none.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, SupportedProtocolVersion};
use tokio::io::{AsyncReadExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

use super::proxy::{self, Proxy};
use super::raw::Target;
use super::server::TestServer;

/// Vouches for the proxy, and for [`CLIENT_CERTIFICATE`]. Everything here is in PEM.
pub const CA: &[u8] = include_bytes!("../../tls/ca.pem");
/// What a client shows to [`TlsOptions::ask_for_a_certificate`].
pub const CLIENT_CERTIFICATE: &[u8] = include_bytes!("../../tls/client.pem");
/// The key of [`CLIENT_CERTIFICATE`].
pub const CLIENT_KEY: &[u8] = include_bytes!("../../tls/client.key");
/// What [`TlsOptions::stranger`] shows: a certificate of `elsewhere.test`, for which nobody vouches but itself.
pub const STRANGER: &[u8] = include_bytes!("../../tls/stranger.pem");
/// The key of [`STRANGER`].
pub const STRANGER_KEY: &[u8] = include_bytes!("../../tls/stranger.key");

/// How a [`TlsProxy`] is to be.
#[derive(Debug, Clone, Copy, Default)]
#[must_use]
pub struct TlsOptions {
    ask_for_a_certificate: bool,
    stranger: bool,
    only: Option<&'static SupportedProtocolVersion>,
}

impl TlsOptions {
    /// A server at 127.0.0.1 and `localhost` for which [`CA`] vouches, and which asks for nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Refuses who does not show a certificate for which [`CA`] vouches.
    pub fn ask_for_a_certificate(mut self) -> Self {
        self.ask_for_a_certificate = true;
        self
    }

    /// Shows [`STRANGER`].
    pub fn stranger(mut self) -> Self {
        self.stranger = true;
        self
    }

    /// Speaks TLS 1.2 and nothing newer.
    pub fn only_tls12(mut self) -> Self {
        self.only = Some(&rustls::version::TLS12);
        self
    }

    fn config(self) -> Result<ServerConfig, Box<dyn std::error::Error + Send + Sync>> {
        const SERVER: &[u8] = include_bytes!("../../tls/server.pem");
        const SERVER_KEY: &[u8] = include_bytes!("../../tls/server.key");
        // Named here, and not made the process's: to have one there is the library's to do.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let versions = self.only.map_or(rustls::ALL_VERSIONS.to_vec(), |only| vec![only]);
        let builder =
            ServerConfig::builder_with_provider(Arc::clone(&provider)).with_protocol_versions(&versions)?;
        let builder = if self.ask_for_a_certificate {
            let mut trusted = RootCertStore::empty();
            trusted.add(CertificateDer::from_pem_slice(CA)?)?;
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(trusted), provider);
            builder.with_client_cert_verifier(verifier.build()?)
        } else {
            builder.with_no_client_auth()
        };
        let (certificate, key) = if self.stranger {
            (STRANGER, STRANGER_KEY)
        } else {
            (SERVER, SERVER_KEY)
        };
        let chain = CertificateDer::pem_slice_iter(certificate).collect::<Result<_, _>>()?;
        Ok(builder.with_single_cert(chain, PrivateKeyDer::from_pem_slice(key)?)?)
    }
}

/// Speaks TLS with clients, and hands on what they say to a server. All its connections end with it.
///
/// ```text
/// let proxy = TlsProxy::in_front_of(&server, TlsOptions::new()).await;
/// let store = Store::builder().root_certificates(tls::CA).connect(&proxy.url()).await?;
/// ```
#[derive(Debug)]
pub struct TlsProxy {
    target: Target,
    handshakes: watch::Receiver<Handshakes>,
    acceptor: JoinHandle<()>,
}

/// How clients have begun so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Handshakes {
    /// Both sides were content.
    pub done: u64,
    /// One of them was not, or it was no TLS.
    pub refused: u64,
}

impl TlsProxy {
    /// A proxy in front of a server.
    ///
    /// # Panics
    ///
    /// When no port is to be had.
    pub async fn in_front_of(server: &TestServer, options: TlsOptions) -> Self {
        let config = options
            .config()
            .unwrap_or_else(|error| panic!("the TLS proxy's certificates are of no use: {error}"));
        let (listener, address) = proxy::bind()
            .await
            .and_then(|listener| listener.local_addr().map(|address| (listener, address)))
            .unwrap_or_else(|error| panic!("the TLS proxy has no port: {error}"));
        let mut target = server.raw().target().clone();
        target.host = address.ip().to_string();
        target.port = address.port();
        let (sender, handshakes) = watch::channel(Handshakes::default());
        let tls = TlsAcceptor::from(Arc::new(config));
        let acceptor = tokio::spawn(accept(listener, server.address(), tls, sender));
        Self {
            target,
            handshakes,
            acceptor,
        }
    }

    /// The URL that leads through the proxy, with the server's password and database.
    #[must_use]
    pub fn url(&self) -> String {
        self.target.url(None).replacen("redis", "rediss", 1)
    }

    /// The URL that leads through another proxy to this one: what it breaks is encrypted.
    #[must_use]
    pub fn url_behind(&self, proxy: &Proxy) -> String {
        let mut target = self.target.clone();
        target.port = proxy.address().port();
        target.url(None).replacen("redis", "rediss", 1)
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.target.port))
    }

    /// How clients have begun.
    #[must_use]
    pub fn handshakes(&self) -> Handshakes {
        *self.handshakes.borrow()
    }
}

impl Drop for TlsProxy {
    fn drop(&mut self) {
        // It owns the connections' tasks, which end with it.
        self.acceptor.abort();
    }
}

async fn accept(
    listener: TcpListener,
    server: SocketAddr,
    tls: TlsAcceptor,
    handshakes: watch::Sender<Handshakes>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Ok((client, _)) = listener.accept() => {
                connections.spawn(connect(client, server, tls.clone(), handshakes.clone()));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connect(
    client: TcpStream,
    server: SocketAddr,
    tls: TlsAcceptor,
    handshakes: watch::Sender<Handshakes>,
) {
    client.set_nodelay(true).ok();
    match tls.accept(client).into_fallible().await {
        Ok(mut client) => {
            handshakes.send_modify(|handshakes| handshakes.done += 1);
            if let Ok(mut server) = TcpStream::connect(server).await {
                server.set_nodelay(true).ok();
                copy_bidirectional(&mut client, &mut server).await.ok();
            }
        }
        Err((error, mut client)) => {
            // A client that goes away meanwhile has refused nothing.
            if error.kind() == io::ErrorKind::InvalidData {
                handshakes.send_modify(|handshakes| handshakes.refused += 1);
            }
            // A socket that is closed with something unread takes back what it has said, and the client would not hear
            // why it was refused.
            let mut unread = [0; 1024];
            while let Ok(1..) = client.read(&mut unread).await {}
        }
    }
}
