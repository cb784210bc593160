//! What stands in the place of TLS in a build without it.

use redis::{Client, ConnectionInfo, IntoConnectionInfo, RedisError};

use crate::backend::valkey::fault;
use crate::error::{Error, Result};

/// There are none to be set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Certificates {}

/// Reads a URL.
pub(super) fn read_url(url: &str) -> Result<ConnectionInfo> {
    let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
    if ["rediss", "valkeys"]
        .iter()
        .any(|tls| scheme.eq_ignore_ascii_case(tls))
    {
        return Err(Error::Unsupported {
            what: format!("`{scheme}://` in a build without TLS; enable the feature `tls` of `kvrepo`"),
        });
    }
    url.into_connection_info()
        .map_err(|error| fault::of_read("connect", error))
}

/// A client for what a URL says.
pub(super) fn client(info: ConnectionInfo, _: &Certificates) -> Result<Client> {
    Client::open(info).map_err(|error| fault::of_read("connect", error))
}

/// Whether a connection failed for a reason of TLS.
pub(in crate::backend::valkey) fn is_failure(_: &RedisError) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_of_tls_is_told_of_the_feature() {
        for url in [
            "rediss://ann:sentinel0815@127.0.0.1:1",
            "valkeys://h",
            "REDISS://h:1/3",
        ] {
            match read_url(url) {
                Err(Error::Unsupported { what }) => {
                    assert!(
                        what.contains("feature `tls`") && !what.contains("sentinel"),
                        "{what}"
                    );
                }
                other => panic!("{url}: {:?}", other.map(|info| info.addr().to_string())),
            }
        }
    }

    #[test]
    fn other_urls_are_read() {
        for url in ["redis://h", "valkey://h:1/3", "unix:///a.sock"] {
            let info = read_url(url).unwrap();
            let client = client(info, &Certificates::default()).unwrap();
            assert_eq!(
                client.get_connection_info().redis_settings().password(),
                None,
                "{url}"
            );
        }
        let refused = read_url("http://h").unwrap_err();
        assert!(matches!(&refused, Error::Backend { .. }), "{refused:?}");
        let unreadable = std::io::Error::from(std::io::ErrorKind::InvalidData);
        assert!(!is_failure(&unreadable.into()));
    }
}
