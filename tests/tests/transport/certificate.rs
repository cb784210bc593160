//! Settings of certificates that are none.

use kvrepo::{Error, Store, StoreBuilder};
use kvrepo_tests::harness::tls::{CA, CLIENT_CERTIFICATE, CLIENT_KEY, STRANGER_KEY};

use super::support::{known, refused};

/// Nobody listens there, so that whatever was sent would be told as another error.
const NOBODY: &str = "rediss://ann:sentinel0815@127.0.0.1:1";

async fn invalid(builder: StoreBuilder, setting: &str) {
    match refused(builder, NOBODY).await {
        Error::InvalidSetting { what, name, reason } => {
            assert_eq!(what, setting, "{name}: {reason}");
            assert!(
                !reason.contains("MIG") && !name.contains("MIG"),
                "{name}: {reason}"
            );
        }
        other => panic!("{setting}: {other:?}"),
    }
}

#[tokio::test]
async fn what_is_no_certificate_is_refused_when_connecting() {
    let text = std::str::from_utf8(CA).unwrap();
    let cut = text.replace("-----END CERTIFICATE-----", "");
    let garbled = text.replace('M', "!");
    // In PEM, and yet none.
    let other = text.replace("CERTIFICATE", "SOMETHING");
    let no_certificate = text.replace("MII", "MIM");
    for pem in ["", "not PEM", &cut, &garbled, &other, &no_certificate] {
        invalid(Store::builder().root_certificates(pem), "root certificates").await;
    }
    for pem in ["", "not PEM", &cut, &garbled, &other] {
        let builder = Store::builder().client_certificate(pem, CLIENT_KEY);
        invalid(builder, "client certificate").await;
    }
    // A key is no certificate.
    invalid(
        Store::builder().root_certificates(CLIENT_KEY),
        "root certificates",
    )
    .await;
}

#[tokio::test]
async fn what_is_no_key_of_the_certificate_is_refused_when_connecting() {
    let key = std::str::from_utf8(CLIENT_KEY).unwrap();
    let cut = key.replace("-----END PRIVATE KEY-----", "");
    let garbled = key.replace("MIG", "!!!");
    let no_key = key.replace("MIG", "MIM");
    let encrypted = key.replace("PRIVATE", "ENCRYPTED PRIVATE");
    for pem in ["", "not PEM", &cut, &garbled, &no_key, &encrypted] {
        let builder = Store::builder().client_certificate(CLIENT_CERTIFICATE, pem);
        invalid(builder, "key of the client certificate").await;
    }
    let others = Store::builder().client_certificate(CLIENT_CERTIFICATE, STRANGER_KEY);
    invalid(others, "key of the client certificate").await;
}

/// Who sets certificates counts on TLS.
#[tokio::test]
async fn certificates_for_a_url_without_tls_are_refused() {
    for url in [
        "redis://ann:sentinel0815@127.0.0.1:1",
        "unix:///no/such/socket?pass=sentinel0815",
    ] {
        let error = refused(known(), url).await;
        assert!(
            matches!(&error, Error::InvalidSetting { reason, .. } if reason.contains("rediss://")),
            "{error:?}"
        );
        assert!(!format!("{error} {error:?}").contains("sentinel"), "{error:?}");
    }
}

#[test]
fn no_certificate_and_no_key_is_printed() {
    let builder = known();
    for text in [format!("{builder:?}"), format!("{builder:#?}")] {
        for secret in [CA, CLIENT_CERTIFICATE, CLIENT_KEY] {
            // As text, or as the numbers of its bytes.
            let line = std::str::from_utf8(secret).unwrap().lines().nth(1).unwrap();
            let numbers = format!("{:?}", &line.as_bytes()[..8]);
            assert!(
                !text.contains(line) && !text.contains(numbers.trim_matches(['[', ']'])),
                "{text}"
            );
        }
        assert!(
            !text.contains("PRIVATE") && !text.contains("80, 82, 73"),
            "{text}"
        );
    }
}
