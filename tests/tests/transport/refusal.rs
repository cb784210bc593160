//! Servers that are not to be trusted, and those that do not speak TLS.

use kvrepo::{Error, Store};
use kvrepo_tests::harness::{TestServer, TlsOptions, TlsProxy, tls};

use super::support::{cause, ms, refused, trusting};

#[tokio::test]
async fn a_server_for_which_nobody_known_vouches_is_refused_before_anything_is_sent() {
    let server = TestServer::start().await;
    let known = TlsProxy::in_front_of(&server, TlsOptions::new()).await;
    let stranger = TlsProxy::in_front_of(&server, TlsOptions::new().stranger()).await;
    for (builder, proxy, reason) in [
        // The machine's own certificates, which vouch for other servers.
        (Store::builder(), &known, "UnknownIssuer"),
        (
            Store::builder().root_certificates(tls::STRANGER),
            &known,
            "UnknownIssuer",
        ),
        (trusting(), &stranger, "UnknownIssuer"),
        // Trusted, and another.
        (
            Store::builder().root_certificates(tls::STRANGER),
            &stranger,
            "not valid for name",
        ),
    ] {
        let error = refused(builder, &proxy.url()).await;
        let cause = cause(&error);
        assert!(
            cause.contains("certificate") && cause.contains(reason),
            "{cause} is not about {reason}"
        );
    }
    assert_eq!(
        known.handshakes().done + stranger.handshakes().done,
        0,
        "nobody has got through to the server"
    );
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_or_nothing_else_is_told_of() {
    let server = TestServer::start().await;
    let proxy = TlsProxy::in_front_of(&server, TlsOptions::new()).await;
    // It may wait for the rest of what it takes for a command, so that only the deadline ends this.
    let error = trusting()
        .call_deadline(ms(300))
        .connect(&format!("rediss://{}", server.address()))
        .await
        .unwrap_err();
    assert!(
        matches!(error, Error::Backend { .. } | Error::Timeout { .. }) && !error.is_outcome_unknown(),
        "{error:?}"
    );
    let error = Store::builder()
        .call_deadline(ms(300))
        .connect(&format!("redis://{}", proxy.address()))
        .await
        .unwrap_err();
    assert!(
        matches!(error, Error::Backend { .. }) && !error.is_outcome_unknown(),
        "{error:?}"
    );
    assert_eq!(proxy.handshakes().done, 0);
}

#[tokio::test]
async fn certificates_are_always_looked_at() {
    let server = TestServer::start().await;
    let proxy = TlsProxy::in_front_of(&server, TlsOptions::new()).await;
    let error = refused(trusting(), &format!("{}#insecure", proxy.url())).await;
    assert!(
        matches!(&error, Error::Unsupported { what } if what.contains("root_certificates")),
        "{error:?}"
    );
    assert_eq!(proxy.handshakes().done, 0);
}
