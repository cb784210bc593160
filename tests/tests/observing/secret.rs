//! C115: neither passwords nor what entities hold is ever said.

use std::time::Duration;

use kvrepo::{Error, KeyspaceEvents, KvEntity, Store};
use kvrepo_tests::harness::{ServerOptions, TestServer};
use kvrepo_tests::world::{eventually, next};
use serde::{Deserialize, Serialize};

use super::witness::Witness;

const PASSWORD: &str = "sentinel0815";
const ID: &str = "sentinelid";
const VALUE: &str = "sentinelvalue";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "confidential")]
struct Confidential {
    #[id]
    id: String,
    #[indexed]
    name: String,
    #[indexed(unique)]
    email: String,
    #[version]
    version: u64,
}

fn confidential(id: &str) -> Confidential {
    Confidential {
        id: format!("{ID}{id}"),
        name: VALUE.into(),
        email: format!("{VALUE}@x"),
        version: 0,
    }
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Saves, finds, what is refused, and what expires.
async fn use_it(store: &Store, server: &TestServer) {
    let repository = store.repository::<Confidential>();
    let mut expired = repository.expired().await.unwrap();
    let mut saved = confidential("1");
    repository.save(&mut saved).await.unwrap();
    assert_eq!(
        repository.find_by_id(&saved.id).await.unwrap().as_ref(),
        Some(&saved)
    );
    let by_name = Confidential::fields().name.eq(VALUE);
    assert_eq!(repository.find(by_name).await.unwrap().len(), 1);
    assert!(repository.insert(&mut saved).await.unwrap_err().is_conflict());
    assert!(
        repository
            .save(&mut confidential("2"))
            .await
            .unwrap_err()
            .is_conflict()
    );
    assert!(matches!(
        repository.save(&mut confidential(":idx")).await,
        Err(Error::InvalidId { .. })
    ));
    // Another client's value at one of our keys, and one that is none of the type.
    let (foreign, broken) = (format!("confidential:{ID}3"), format!("confidential:{ID}4"));
    server.command(&["SET", &foreign, VALUE]).await;
    assert!(matches!(
        repository.find_by_id(format!("{ID}3")).await,
        Err(Error::KeyCollision { .. })
    ));
    server
        .command(&["HSET", &broken, "version", VALUE, "name", VALUE])
        .await;
    assert!(matches!(
        repository.find_by_id(format!("{ID}4")).await,
        Err(Error::Decode { .. })
    ));
    repository.save(&mut saved).time_to_live(ms(50)).await.unwrap();
    assert_eq!(next(&mut expired).await.id(), &saved.id);
    // An id whose entity was deleted by hand.
    repository.save(&mut confidential("6")).await.unwrap();
    server.command(&["DEL", &format!("confidential:{ID}6")]).await;
    repository.find_all().await.unwrap();
    eventually("its repair", async || store.health().await.orphans_repaired == 1).await;
    repository
        .save(&mut confidential("1"))
        .time_to_live(ms(300))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_password_no_id_and_no_value_is_said() {
    let witness = Witness::get();
    let rules = format!("ann on >{PASSWORD} ~* &* +@all");
    let options = ServerOptions::new().hz(100).user(&rules);
    let server = TestServer::with(options).await;
    for suffix in ["", "?protocol=resp2"] {
        let before = witness.heard().len();
        let url = server.url_as("ann", PASSWORD) + suffix;
        let store = Store::builder()
            .call_deadline(ms(400))
            .connect(&url)
            .await
            .unwrap();
        use_it(&store, &server).await;

        // Connections that end, rights that are taken, a password that is none any more, a server that is away.
        server.command(&["CLIENT", "KILL", "USER", "ann"]).await;
        let connected = async || store.health().await.reconnects > 0;
        eventually("a connection to be made again", connected).await;
        server
            .command(&["ACL", "SETUSER", "ann", "-@scripting", "-subscribe"])
            .await;
        server.command(&["CLIENT", "KILL", "USER", "ann"]).await;
        let refused = |text: &str| text.contains("was refused") && text.contains("reaping failed");
        eventually("refusals", async || refused(&witness.heard()[before..])).await;
        server
            .command(&["ACL", "SETUSER", "ann", "resetpass", ">other"])
            .await;
        server.command(&["CLIENT", "KILL", "USER", "ann"]).await;
        eventually("a refusal", async || {
            let repository = store.repository::<Confidential>();
            let saved = repository.save(&mut confidential("5")).await;
            saved.is_err_and(|error| !error.is_transient())
        })
        .await;
        server.kill().await;
        let health = store.health().await;
        assert!(!health.connected);
        let told = format!("{health:?} {:?}", health.problems());
        assert!(!told.contains(PASSWORD), "the password is told: {told}");
        for query in [1, 2] {
            let repository = store.repository::<Confidential>();
            assert!(repository.exists_by_id(format!("{ID}{query}")).await.is_err());
        }
        server.restart().await;
        let again = [
            "ACL",
            "SETUSER",
            "ann",
            "resetpass",
            &format!(">{PASSWORD}"),
            "+@all",
        ];
        server.command(&again).await;
        server.command(&["FLUSHALL"]).await;
    }
    for port in ["1", "port"] {
        let url = format!("redis://ann:{PASSWORD}@127.0.0.1:{port}");
        let builder = Store::builder().events(KeyspaceEvents::OnStartup);
        assert!(builder.call_deadline(ms(200)).connect(&url).await.is_err());
    }

    let heard = witness.heard();
    for name in [
        "save",
        "load",
        "select",
        "exists",
        "reap",
        "follow_log",
        "due",
        "ping",
    ] {
        assert!(heard.contains(&format!(" kvrepo.{name} ")), "no span for {name}");
    }
    for said in [
        "reaped",
        "reconnected",
        "repaired",
        "closed the connection",
        "delivered",
    ] {
        assert!(heard.contains(said), "nothing was said of {said}");
    }
    for secret in [PASSWORD, ID, VALUE] {
        let told: Vec<&str> = heard.lines().filter(|line| line.contains(secret)).collect();
        assert!(told.is_empty(), "{secret} is told: {told:#?}");
    }
    let failed = |name: &str| {
        let spans = witness.spans(name, "confidential");
        spans.iter().any(|span| span.field("error") == Some("backend"))
    };
    assert!(
        failed("kvrepo.save") && failed("kvrepo.reap"),
        "failures are told of"
    );
}
