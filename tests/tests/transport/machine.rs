//! A machine's own certificates: none at all, and such as cannot be read. What the environment says of them is the whole
//! process's, so each test runs itself in a process of its own.

use std::process::Command;

use kvrepo::{Error, Store};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{TestServer, TlsOptions, TlsProxy};

use super::support::{cause, events_flow, refused, trusting};

/// Says that this is the process of its own.
const HERE: &str = "KVREPO_TEST_MACHINE";

/// Runs the test again, on a machine that has its certificates in this file; false if this is that run.
async fn run_on_a_machine_with(file: &'static str, test: &'static str) -> bool {
    if std::env::var_os(HERE).is_some() {
        return false;
    }
    let run = move || {
        Command::new(std::env::current_exe()?)
            .args(["--exact", test])
            .env(HERE, "1")
            .env("SSL_CERT_FILE", file)
            .env_remove("SSL_CERT_DIR")
            .output()
    };
    let run = tokio::task::spawn_blocking(run).await.unwrap().unwrap();
    let printed = String::from_utf8_lossy(&run.stdout);
    assert!(
        run.status.success() && printed.contains("1 passed"),
        "{printed} {}",
        String::from_utf8_lossy(&run.stderr)
    );
    true
}

#[tokio::test]
async fn without_certificates_of_its_own_a_machine_trusts_those_that_are_given() {
    let test = "machine::without_certificates_of_its_own_a_machine_trusts_those_that_are_given";
    if run_on_a_machine_with("/dev/null", test).await {
        return;
    }
    let server = TestServer::start().await;
    let proxy = TlsProxy::in_front_of(&server, TlsOptions::new()).await;
    let error = refused(Store::builder(), &proxy.url()).await;
    assert!(cause(&error).contains("UnknownIssuer"), "{error:?}");
    let people = trusting()
        .connect(&proxy.url())
        .await
        .unwrap()
        .repository::<Person>();
    let mut expired = people.expired().await.unwrap();
    events_flow(&people, &mut expired, "given").await;
}

#[tokio::test]
async fn a_machines_certificates_that_cannot_be_read_are_told_of_at_once() {
    let test = "machine::a_machines_certificates_that_cannot_be_read_are_told_of_at_once";
    if run_on_a_machine_with("/no/such/file", test).await {
        return;
    }
    let server = TestServer::start().await;
    let proxy = TlsProxy::in_front_of(&server, TlsOptions::new()).await;
    // Also where others are given: the client crate reads the machine's in any case.
    for builder in [Store::builder(), trusting()] {
        let error = refused(builder, &proxy.url()).await;
        assert!(matches!(error, Error::Backend { .. }), "{error:?}");
        assert!(cause(&error).contains("/no/such/file"), "{error:?}");
    }
    assert_eq!(proxy.handshakes().done, 0);
}
