//! What happens to encrypted connections, and to the trust in a server, while a store lives.

use kvrepo::{Error, Store};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{Proxy, TestServer, TlsOptions, TlsProxy};
use kvrepo_tests::world::next;

use super::support::{cause, events_flow, eventually, ms, trusting};

#[tokio::test]
async fn encrypted_connections_that_are_cut_over_and_over_lose_no_event() {
    let server = TestServer::start().await;
    let tls = TlsProxy::in_front_of(&server, TlsOptions::new()).await;
    let writer = Store::connect(&server.url())
        .await
        .unwrap()
        .repository::<Person>();
    for protocol in ["resp2", "resp3"] {
        let proxy = Proxy::start(tls.address()).await;
        let url = format!("{}?protocol={protocol}", tls.url_behind(&proxy));
        let store = trusting().connect(&url).await.unwrap();
        let people = store.repository::<Person>();
        let mut expired = people.expired().await.unwrap();
        let before = proxy.counts().connections;
        for round in 0..6 {
            let mut saved: Vec<Person> = (0..10)
                .map(|i| Person::new(&format!("{protocol}-{round}-{i}"), protocol))
                .collect();
            writer.save_all(&mut saved).time_to_live(ms(60)).await.unwrap();
            if round % 2 == 0 {
                proxy.cut();
            } else {
                proxy.half_close();
            }
            let mut ids = Vec::new();
            for _ in 0..saved.len() {
                let event = next(&mut expired).await;
                assert_eq!(
                    event.value().map(|person| person.firstname.as_str()),
                    Some(protocol)
                );
                ids.push(event.id().clone());
            }
            ids.sort();
            let wanted: Vec<_> = saved.into_iter().filter_map(|person| person.id).collect();
            assert_eq!(ids, wanted);
        }
        assert!(proxy.counts().connections > before, "connected anew");
        eventually("a call to succeed", async || people.count().await.is_ok()).await;
        events_flow(&people, &mut expired, protocol).await;
    }
}

/// The server that comes back is not the one that was trusted.
#[tokio::test]
async fn a_server_that_comes_back_as_a_stranger_is_sent_nothing() {
    let server = TestServer::start().await;
    let known = TlsProxy::in_front_of(&server, TlsOptions::new()).await;
    let stranger = TlsProxy::in_front_of(&server, TlsOptions::new().stranger()).await;
    let proxy = Proxy::start(known.address()).await;
    let store = trusting().connect(&known.url_behind(&proxy)).await.unwrap();
    let people = store.repository::<Person>();
    let mut expired = people.expired().await.unwrap();
    events_flow(&people, &mut expired, "before").await;

    // Not a word may go to the old one.
    proxy.refuse(true).await;
    proxy.cut();
    proxy.until(|counts| counts.open == 0).await;
    proxy.redirect(stranger.address());
    proxy.refuse(false).await;
    // The first call may be the one that finds the connection broken.
    let mut refused = None;
    eventually("a refusal", async || {
        let error = people.save(&mut Person::new("kept", "Ann")).await.unwrap_err();
        refused = (!error.is_transient()).then_some(error);
        refused.is_some()
    })
    .await;
    let error = refused.unwrap();
    assert!(
        matches!(error, Error::Backend { .. }) && !error.is_outcome_unknown(),
        "{error:?}"
    );
    assert!(cause(&error).contains("certificate"), "{error:?}");
    assert_eq!(stranger.handshakes().done, 0);
    assert_eq!(server.query::<u64, _>(&["EXISTS", "people:kept"]).await, 0);

    proxy.redirect(known.address());
    eventually("a call to succeed", async || people.count().await.is_ok()).await;
    events_flow(&people, &mut expired, "after").await;
}
