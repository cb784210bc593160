//! What the tests of transports share.

use std::time::{Duration, Instant};

use kvrepo::{Error, Expired, Repository, Store, StoreBuilder};
use kvrepo_tests::fixture::Person;
use kvrepo_tests::harness::{TestServer, tls};
use kvrepo_tests::world::{PATIENCE, next};

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Settings that trust the tests' own certificates.
pub fn trusting() -> StoreBuilder {
    Store::builder().root_certificates(tls::CA)
}

/// Settings that show a certificate as well.
pub fn known() -> StoreBuilder {
    trusting().client_certificate(tls::CLIENT_CERTIFICATE, tls::CLIENT_KEY)
}

/// Saves some, finds one, and hears of all when they have expired, with their values.
pub async fn events_flow(people: &Repository<Person>, expired: &mut Expired<Person>, name: &str) {
    let mut saved: Vec<Person> = (0..20)
        .map(|i| Person::new(&format!("{name}-{i:02}"), name))
        .collect();
    people.save_all(&mut saved).time_to_live(ms(400)).await.unwrap();
    let id = format!("{name}-07");
    assert_eq!(
        people
            .find_by_id(&id)
            .await
            .unwrap()
            .map(|person| person.firstname)
            .as_deref(),
        Some(name)
    );
    let mut events = Vec::new();
    for _ in 0..saved.len() {
        let event = next(expired).await;
        assert_eq!(
            event.value().map(|person| person.firstname.as_str()),
            Some(name),
            "{event:?}"
        );
        events.push(event.id().clone());
    }
    events.sort();
    assert!(
        events
            .iter()
            .eq(saved.iter().map(|person| person.id.as_ref().unwrap())),
        "{events:?}"
    );
    assert!(!people.exists_by_id(&id).await.unwrap());
}

/// Connecting is refused at once, for good, and before anything is sent.
pub async fn refused(builder: StoreBuilder, url: &str) -> Error {
    let begun = Instant::now();
    let error = builder
        .connect(url)
        .await
        .expect_err("this is not to be connected to");
    assert!(begun.elapsed() < ms(2_000), "{:?}: {error:?}", begun.elapsed());
    assert!(!error.is_transient() && !error.is_outcome_unknown(), "{error:?}");
    error
}

/// What the connection's failure was caused by.
pub fn cause(error: &Error) -> String {
    match error {
        Error::Backend { source, .. } => source.to_string(),
        other => panic!("not of the connection: {other:?}"),
    }
}

/// Those of the server's clients that are of this kind and user, a line each.
pub async fn clients(server: &TestServer, kind: &str, user: &str) -> Vec<String> {
    server
        .query::<String, _>(&["CLIENT", "LIST", "TYPE", kind])
        .await
        .lines()
        .filter(|line| line.contains(&format!(" user={user} ")))
        .map(str::to_owned)
        .collect()
}

/// Waits until it holds.
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < until, "in vain waited for: {what}");
        tokio::time::sleep(ms(5)).await;
    }
}
