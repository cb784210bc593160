//! TLS: whom to trust, what this side shows of itself, and which failures are more than a network's.

use std::error::Error as _;
use std::sync::Arc;
use std::{fmt, io};

use redis::{
    Client, ClientTlsConfig, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, RedisError, TlsCertificates,
};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::backend::valkey::fault;
use crate::error::{Error, Result};

/// The certificates of one's own, in PEM. `Debug` shows none of them, and no key.
#[derive(Clone, Default)]
pub(crate) struct Certificates {
    /// Of those who may vouch for the server, in place of those that the machine trusts.
    pub(crate) roots: Option<Vec<u8>>,
    pub(crate) client: Option<ClientCertificate>,
}

/// What this side shows of itself, if the server asks.
#[derive(Clone)]
pub(crate) struct ClientCertificate {
    /// With those that lead to one that the server knows.
    pub(crate) chain: Vec<u8>,
    pub(crate) key: Vec<u8>,
}

impl Certificates {
    /// What the client crate would only say when it connects, or not at all.
    fn check(&self) -> Result<()> {
        let mut trusted = RootCertStore::empty();
        if let Some(pem) = &self.roots {
            let refuse = |reason| refuse("root certificates", pem, reason);
            for root in read(pem).map_err(|error| refuse(not_pem(&error)))? {
                trusted.add(root).map_err(|error| refuse(error.to_string()))?;
            }
            if trusted.is_empty() {
                return Err(refuse(NO_CERTIFICATE.into()));
            }
        }
        let Some(ClientCertificate { chain, key }) = &self.client else {
            return Ok(());
        };
        let refuse_chain = |reason| refuse("client certificate", chain, reason);
        let refuse_key = |reason| refuse("key of the client certificate", key, reason);
        let certificates = read(chain).map_err(|error| refuse_chain(not_pem(&error)))?;
        if certificates.is_empty() {
            return Err(refuse_chain(NO_CERTIFICATE.into()));
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| {
            refuse_key(match error {
                pem::Error::NoItemsFound => "there is no unencrypted private key in it, in PEM".into(),
                error => not_pem(&error),
            })
        })?;
        // Looks at the key, and whether it is the certificate's.
        ClientConfig::builder()
            .with_root_certificates(trusted)
            .with_client_auth_cert(certificates, key)
            .map_err(|error| refuse_key(error.to_string()))?;
        Ok(())
    }
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificates")
            .field("roots", &self.roots.is_some())
            .field("client", &self.client.is_some())
            .finish()
    }
}

const NO_CERTIFICATE: &str = "there is no certificate in it, in PEM";

fn read(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, pem::Error> {
    CertificateDer::pem_slice_iter(pem).collect()
}

fn not_pem(error: &pem::Error) -> String {
    // Some of its variants, and so its `Debug`, hold what was read.
    let what = match error {
        pem::Error::MissingSectionEnd { .. } => "a section without its end",
        pem::Error::IllegalSectionStart { .. } => "a section whose beginning cannot be read",
        pem::Error::Base64Decode(_) => "a section that is not Base64",
        _ => "what is none",
    };
    format!("it is not PEM: there is {what}")
}

fn refuse(what: &'static str, pem: &[u8], reason: String) -> Error {
    Error::InvalidSetting {
        what,
        name: format!("{} bytes", pem.len()),
        reason,
    }
}

/// Reads a URL.
pub(super) fn read_url(url: &str) -> Result<ConnectionInfo> {
    url.into_connection_info()
        .map_err(|error| fault::of_read("connect", error))
}

/// A client for what a URL says.
pub(super) fn client(info: ConnectionInfo, certificates: &Certificates) -> Result<Client> {
    let built = match info.addr() {
        // A part of the client crate that anybody could switch on would take any certificate.
        ConnectionAddr::TcpTls { insecure: true, .. } => {
            return Err(Error::Unsupported {
                what: "TLS without a look at the server's certificate; take `#insecure` from the URL, and give what \
                       vouches for the server to `StoreBuilder::root_certificates`"
                    .into(),
            });
        }
        ConnectionAddr::TcpTls { .. } => {
            provide_cryptography();
            certificates.check()?;
            Client::build_with_tls(info, certificates.clone().into())
        }
        // Not left unused without a word: who set them counts on TLS.
        address if certificates.roots.is_some() || certificates.client.is_some() => {
            return Err(Error::InvalidSetting {
                what: "address with certificates",
                name: address.to_string(),
                reason: "it is spoken to without TLS; begin the URL with `rediss://`".into(),
            });
        }
        _ => Client::open(info),
    };
    built.map_err(|error| fault::of_read("connect", error))
}

/// The client crate takes the process's provider of cryptography, and panics if there is none, or if there are several to
/// choose from. Whatever the application has chosen stays.
fn provide_cryptography() {
    if CryptoProvider::get_default().is_none() {
        // It fails if another thread was faster, and then there is one.
        ring::default_provider().install_default().ok();
    }
}

impl From<Certificates> for TlsCertificates {
    fn from(certificates: Certificates) -> Self {
        Self {
            client_tls: certificates
                .client
                .map(|ClientCertificate { chain, key }| ClientTlsConfig {
                    client_cert: chain,
                    client_key: key,
                }),
            root_cert: certificates.roots,
        }
    }
}

/// Whether a connection failed for what one of the sides is, or shows, or does not speak: not a matter of the network, and
/// no better in a moment.
pub(in crate::backend::valkey) fn is_failure(error: &RedisError) -> bool {
    if !error.is_io_error() {
        return false;
    }
    let Some(cause) = error.source().and_then(<dyn std::error::Error>::downcast_ref) else {
        return false;
    };
    // As the client crate keeps them.
    let cause: &Arc<dyn std::error::Error + Send + Sync> = cause;
    match cause.downcast_ref::<io::Error>() {
        Some(error) => error.get_ref().is_some_and(|cause| cause.is::<rustls::Error>()),
        // The machine's own certificates cannot be read, or the host's name is none that a certificate could have.
        None => true,
    }
}
