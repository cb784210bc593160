//! Each call of a repository has its span.

use std::time::Duration;

use kvrepo::{KvEntity, ManualClock, Store};
use kvrepo_tests::world::next;
use serde::{Deserialize, Serialize};
use tracing::Level;

use super::witness::{Span, Witness};

#[derive(Debug, Clone, Serialize, Deserialize, KvEntity)]
#[kv(keyspace = "spanned")]
struct Spanned {
    #[id]
    id: String,
    #[indexed]
    name: String,
    #[indexed(unique)]
    email: String,
}

fn spanned(id: &str) -> Spanned {
    Spanned {
        id: id.into(),
        name: "ann".into(),
        email: format!("{id}@x"),
    }
}

/// The last span of this name, with what it was given and what it counted.
fn last(name: &str) -> Span {
    let spans = Witness::get().spans(name, "spanned");
    spans.last().unwrap_or_else(|| panic!("no {name}")).clone()
}

fn assert_span(name: &str, expected: [Option<&str>; 4]) {
    let span = last(name);
    let found = ["items", "found", "failed", "error"].map(|field| span.field(field));
    assert_eq!(found, expected, "items, found, failed, error of {span:?}");
    assert_eq!(span.level, Level::DEBUG, "{name}");
}

#[tokio::test]
async fn each_call_has_a_span_with_the_keyspace_and_counts() {
    Witness::get();
    let clock = ManualClock::new();
    let store = Store::in_memory().with_clock(clock.clone());
    let repository = store.repository::<Spanned>();
    repository.save(&mut spanned("1")).await.unwrap();
    assert_span("kvrepo.save", [Some("1"), Some("0"), Some("0"), None]);
    let mut several = [
        spanned("1"),
        spanned("2"),
        Spanned {
            email: "1@x".into(),
            ..spanned("3")
        },
    ];
    repository.save_all(&mut several).await.unwrap_err();
    assert_span("kvrepo.save", [Some("3"), Some("1"), Some("1"), None]);
    repository.find_all_by_id(["1", "2", "9"]).await.unwrap();
    assert_span("kvrepo.load", [Some("3"), Some("2"), None, None]);
    repository.exists_by_id("9").await.unwrap();
    assert_span("kvrepo.exists", [Some("1"), Some("0"), None, None]);
    repository.time_to_live("1").await.unwrap();
    assert_span("kvrepo.time_to_live", [Some("1"), Some("1"), None, None]);
    repository.count().await.unwrap();
    assert_span("kvrepo.count", [None, Some("2"), None, None]);
    repository.find(Spanned::fields().name.eq("ann")).await.unwrap();
    assert_span("kvrepo.select", [None, Some("2"), None, None]);
    let renamed = repository
        .update("1")
        .set(Spanned::fields().name, "bob".to_owned());
    renamed.await.unwrap();
    assert_span("kvrepo.update", [Some("1"), Some("1"), Some("0"), None]);
    repository.find_all().await.unwrap();
    assert_eq!(last("kvrepo.scan").field("found"), Some("2"));
    repository.take("1").await.unwrap();
    assert_span("kvrepo.take", [Some("1"), Some("1"), None, None]);
    repository.delete_by_id("1").await.unwrap();
    assert_span("kvrepo.delete", [Some("1"), Some("0"), Some("0"), None]);
    repository.verify().await.unwrap();
    assert_span("kvrepo.inspect", [None, Some("0"), None, None]);
    repository
        .find(Spanned::fields().name.eq("ann"))
        .delete()
        .await
        .unwrap();
    assert_span("kvrepo.delete_where", [Some("1"), Some("1"), None, None]);
    repository.sweep().await.unwrap();
    assert_span("kvrepo.reap", [Some("0"), Some("0"), None, None]);

    // What the listener does all the time is for the finest level only.
    let mut expired = repository.expired().await.unwrap();
    repository
        .save(&mut spanned("7"))
        .time_to_live(Duration::from_secs(1))
        .await
        .unwrap();
    clock.advance(Duration::from_secs(2));
    next(&mut expired).await;
    let reaping = Witness::get().spans("kvrepo.reap", "spanned");
    let reaped = |span: &&Span| span.level == Level::TRACE && span.field("found") == Some("1");
    assert!(reaping.iter().any(|span| reaped(&span)), "{reaping:?}");
}
