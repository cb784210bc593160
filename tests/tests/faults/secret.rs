//! C115: a password is nowhere to be read. (Traces are not looked at here.)

use std::error::Error as _;

use kvrepo::{Error, Store};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{ServerOptions, TestServer};

use super::support::{ms, quiet};

const SECRET: &str = "sentinel0815";

fn assert_silent(what: &str, text: &str) {
    assert!(!text.contains(SECRET), "{what} tells the password: {text}");
}

/// The error and all that it was caused by, in every form.
fn assert_error_silent(what: &str, error: &Error) {
    assert_silent(what, &format!("{error} {error:?} {error:#?}"));
    let mut source = error.source();
    while let Some(cause) = source {
        assert_silent(what, &format!("{cause} {cause:?} {cause:#?}"));
        source = cause.source();
    }
}

#[tokio::test]
async fn a_password_is_in_no_debug_output() {
    let options = ServerOptions::new()
        .password(SECRET)
        .user("ann on >sentinel0815 ~* &* +@all");
    let server = TestServer::with(options).await;
    for url in [server.url(), server.url_as("ann", SECRET)] {
        let builder = quiet(ms(300));
        assert_silent("the builder", &format!("{builder:?} {builder:#?}"));
        let store = Store::connect(&url).await.unwrap();
        let people = store.repository::<Person>();
        let expired = people.expired().await.unwrap();
        let mut person = Person::new("1", "Ann");
        people.save(&mut person).await.unwrap();
        let save = people.save(&mut person);
        assert_silent("a request", &format!("{save:?} {save:#?}"));
        let texts = [
            format!("{store:#?} {store:?}"),
            format!("{people:#?} {people:?}"),
            format!("{expired:#?}"),
        ];
        for text in texts {
            assert_silent("a handle", &text);
        }
    }
}

#[tokio::test]
async fn a_password_is_in_no_error() {
    let urls = [
        format!("redis://:{SECRET}@127.0.0.1:1"),
        format!("redis://ann:{SECRET}@127.0.0.1:1/3"),
        format!("redis://:{SECRET}@127.0.0.1:port"),
        format!("redis://:{SECRET}@127.0.0.1:99999"),
        format!("redis://:{SECRET}@no-such-host.invalid"),
        format!("redis://:{SECRET}@127.0.0.1/database"),
        format!("redis://:{SECRET}@"),
        format!("http://:{SECRET}@127.0.0.1"),
        format!("rediss://:{SECRET}@127.0.0.1:1"),
        format!("unix:///no/such/socket?pass={SECRET}"),
        format!("redis+unix:///no/such/socket?pass={SECRET}"),
        format!("redis://:{SECRET}@127.0.0.1:1?protocol=resp9"),
        format!(":{SECRET}@127.0.0.1"),
    ];
    for url in urls {
        let error = quiet(ms(200)).connect(&url).await.expect_err(&url);
        assert_error_silent(&url.replace(SECRET, "…"), &error);
    }
}

#[tokio::test]
async fn a_password_is_in_no_error_of_a_store_that_lost_its_server_or_its_rights() {
    let server = TestServer::with(ServerOptions::new().user("ann on >sentinel0815 ~* &* +@all")).await;
    let url = server.url_as("ann", SECRET);
    let people = quiet(ms(300)).connect(&url).await.unwrap().repository::<Person>();
    server.command(&["ACL", "SETUSER", "ann", "-@write"]).await;
    assert_error_silent(
        "a denied call",
        &people.save(&mut Person::new("1", "Ann")).await.unwrap_err(),
    );
    server
        .command(&["ACL", "SETUSER", "ann", "resetpass", ">other"])
        .await;
    server.command(&["CLIENT", "KILL", "TYPE", "normal"]).await;
    let mut denied = None;
    super::support::eventually("the new password to be asked for", async || {
        denied = people
            .exists_by_id("1")
            .await
            .err()
            .filter(|error| !error.is_transient());
        denied.is_some()
    })
    .await;
    assert_error_silent("a call with an old password", &denied.unwrap());
    server.kill().await;
    for _ in 0..2 {
        assert_error_silent(
            "a call to a dead server",
            &people.exists_by_id("1").await.unwrap_err(),
        );
    }
}
