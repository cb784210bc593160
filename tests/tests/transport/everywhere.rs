//! Commands, notifications and the log, over everything a URL can name.

use kvrepo::Store;
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{ServerOptions, TestServer, TlsOptions, TlsProxy, tls};

use super::support::{clients, events_flow, eventually, known, refused, trusting};
use super::traced::Traces;

/// A password that means something else in a URL, and how it is written there.
const PASSWORD: &str = "sentinel@08:15/%41?";
const WRITTEN: &str = "sentinel%4008%3A15%2F%2541%3F";

/// C115 and its like: a user with a password, over each transport and in each protocol; each connection, and nothing
/// that tells the password.
#[tokio::test]
async fn a_password_works_for_every_connection_over_every_transport_and_is_told_nobody() {
    let traces = Traces::default();
    let _traced = tracing::subscriber::set_default(traces.clone());
    let options = ServerOptions::new().unix_socket();
    let server = TestServer::with(options.user(&format!("ann on >{PASSWORD} ~* &* +@all"))).await;
    let proxy = TlsProxy::in_front_of(&server, TlsOptions::new()).await;
    let (tcp, tls) = (server.address(), proxy.address());
    let socket = server.unix_url().unwrap();
    for protocol in ["resp2", "resp3"] {
        let urls = [
            (
                "tcp",
                format!("redis://ann:{WRITTEN}@{tcp}?protocol={protocol}"),
                Store::builder(),
            ),
            (
                "tls",
                format!("rediss://ann:{WRITTEN}@{tls}?protocol={protocol}"),
                trusting(),
            ),
            (
                "unix",
                format!("{socket}&user=ann&pass={WRITTEN}&protocol={protocol}"),
                Store::builder(),
            ),
        ];
        for (transport, url, builder) in urls {
            let name = format!("{transport}-{protocol}");
            let before = proxy.handshakes();
            let store = builder
                .connect(&url)
                .await
                .unwrap_or_else(|error| panic!("{name}: {error:?}"));
            let people = store.repository::<Person>();
            let mut expired = people.expired().await.unwrap();
            eventually("both who listen to be connected", async || {
                let subscribed = clients(&server, "pubsub", "ann").await;
                let others = clients(&server, "normal", "ann").await;
                let follower = others.iter().filter(|line| line.contains(" cmd=xread "));
                let all = subscribed.len() + others.len();
                let by_socket = subscribed.iter().chain(&others);
                let by_socket = by_socket.filter(|line| line.contains("server.sock")).count();
                let by_tls = proxy.handshakes().done - before.done;
                let as_named = match transport {
                    "unix" => by_socket == all && by_tls == 0,
                    "tls" => by_socket == 0 && by_tls >= all as u64,
                    _ => by_socket == 0 && by_tls == 0,
                };
                subscribed.len() == 1 && follower.count() == 1 && as_named
            })
            .await;
            events_flow(&people, &mut expired, &name).await;
            let shown = format!("{store:?} {store:#?} {people:?} {expired:?}");
            assert!(!shown.contains("sentinel"), "{name}: {shown}");
            drop((store, people, expired));
            eventually("the store's connections to be closed", async || {
                clients(&server, "normal", "ann").await.is_empty()
                    && clients(&server, "pubsub", "ann").await.is_empty()
            })
            .await;
        }
    }
    assert_eq!(proxy.handshakes().refused, 0);
    let wrong = WRITTEN.replace("08", "09");
    for (url, builder) in [
        (format!("rediss://ann:{wrong}@{tls}"), trusting()),
        (format!("{socket}&user=ann&pass={wrong}"), Store::builder()),
    ] {
        let error = refused(builder, &url).await;
        assert!(!format!("{error:?} {error}").contains("sentinel"), "{error:?}");
    }
    let told = traces.told();
    assert!(told.contains("kvrepo"), "something was told: {told}");
    assert!(!told.contains("sentinel"), "{told}");
}

/// The password of the server itself, another database, and the host by its name.
#[tokio::test]
async fn a_password_and_another_database_do_over_tls() {
    let server = TestServer::with(ServerOptions::new().password("right4711").database(3)).await;
    let proxy = TlsProxy::in_front_of(&server, TlsOptions::new()).await;
    for (name, url) in [
        ("address", proxy.url()),
        ("host", proxy.url().replace("127.0.0.1", "localhost")),
        ("scheme", proxy.url().replace("rediss", "valkeys")),
    ] {
        let people = trusting().connect(&url).await.unwrap().repository::<Person>();
        let mut expired = people.expired().await.unwrap();
        events_flow(&people, &mut expired, name).await;
    }
    assert_eq!(server.query::<u64, _>(&["EXISTS", "people#expired"]).await, 1);
}

#[tokio::test]
async fn tls_of_the_older_version_will_do() {
    let server = TestServer::start().await;
    let proxy = TlsProxy::in_front_of(&server, TlsOptions::new().only_tls12()).await;
    let people = trusting()
        .connect(&proxy.url())
        .await
        .unwrap()
        .repository::<Person>();
    let mut expired = people.expired().await.unwrap();
    events_flow(&people, &mut expired, "older").await;
}

/// Mutual TLS, by both versions: in the newer one a client hears only after the handshake that it was refused.
#[tokio::test]
async fn a_server_that_asks_for_a_certificate_is_shown_one_on_every_connection() {
    let server = TestServer::start().await;
    let options = TlsOptions::new().ask_for_a_certificate();
    for (name, options) in [("newer", options), ("older", options.only_tls12())] {
        let proxy = TlsProxy::in_front_of(&server, options).await;
        for protocol in ["resp2", "resp3"] {
            let url = format!("{}?protocol={protocol}", proxy.url());
            let people = known().connect(&url).await.unwrap().repository::<Person>();
            let mut expired = people.expired().await.unwrap();
            events_flow(&people, &mut expired, &format!("{name}-{protocol}")).await;
        }
        assert_eq!(proxy.handshakes().refused, 0);
        refused(trusting(), &proxy.url()).await;
        // One that nobody vouches for is as good as none.
        let stranger = trusting().client_certificate(tls::STRANGER, tls::STRANGER_KEY);
        refused(stranger, &proxy.url()).await;
        assert!(proxy.handshakes().refused >= 2, "{:?}", proxy.handshakes());
    }
}
