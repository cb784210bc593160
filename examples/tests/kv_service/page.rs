//! Walking through the keys, page by page.

use std::collections::BTreeSet;
use std::time::Duration;

use axum::http::StatusCode;
use kvrepo::Store;
use kvrepo_examples::kv_service::Item;
use kvrepo_tests::harness::TestServer;
use serde_json::{Value, json};

use super::service::Service;

/// Ids that would have to be escaped in a query.
fn id(number: usize) -> String {
    format!("k&{number}#ü%")
}

async fn save(service: &Service, count: usize) -> BTreeSet<String> {
    let item = |number| Item {
        id: id(number),
        value: "v".into(),
        expires_at: None,
    };
    let mut items: Vec<Item> = (0..count).map(item).collect();
    service.items.save_all(&mut items).await.unwrap();
    items.into_iter().map(|item| item.id).collect()
}

/// The ids of all pages, in the order in which they came, and how many pages there were.
async fn walk(service: &Service, limit: usize) -> (Vec<String>, usize) {
    let (mut ids, mut pages, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let page = service
            .client
            .get(&format!("/keys?limit={limit}{cursor}"))
            .await
            .json();
        let keys = page["keys"].as_array().expect("keys");
        ids.extend(
            keys.iter()
                .map(|key| key["id"].as_str().expect("an id").to_owned()),
        );
        pages += 1;
        match &page["next"] {
            Value::Null => return (ids, pages),
            next => cursor = format!("&cursor={}", next.as_str().expect("a cursor")),
        }
    }
}

#[tokio::test]
async fn a_thousand_keys_come_each_once() {
    let (service, _) = Service::in_memory().await;
    let saved = save(&service, 1000).await;
    for (limit, at_least) in [(1000, 1), (100, 10), (7, 143)] {
        let (ids, pages) = walk(&service, limit).await;
        assert_eq!(ids.len(), 1000, "pages of {limit}");
        assert_eq!(
            ids.into_iter().collect::<BTreeSet<_>>(),
            saved,
            "pages of {limit}"
        );
        assert!(pages >= at_least, "{pages} pages of {limit}");
    }
}

#[tokio::test]
async fn on_a_server_a_thousand_keys_all_come() {
    let server = TestServer::start().await;
    let service = Service::on(Store::connect(&server.url()).await.unwrap()).await;
    let saved = save(&service, 1000).await;
    let (ids, pages) = walk(&service, 50).await;
    assert_eq!(ids.into_iter().collect::<BTreeSet<_>>(), saved);
    assert!(pages > 1);

    // Its cursors are numbers; these are none, below the hexadecimal digits.
    for cursor in ["6162", "2d31"] {
        let answer = service.client.get(&format!("/keys?cursor={cursor}")).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{cursor}");
        assert!(answer.error().contains("cannot be used as cursor"), "{answer:?}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_page_says_when_its_keys_expire_and_leaves_out_those_that_have() {
    let (service, clock) = Service::in_memory().await;
    let client = service.client;
    assert_eq!(
        client.get("/keys").await.json(),
        json!({"keys": [], "next": null})
    );

    client.put("/keys/a?ttl_secs=60", "v").await;
    client.put("/keys/b?ttl_secs=3600", "v").await;
    client.put("/keys/c", "v").await;
    clock.advance(Duration::from_millis(60_001));
    let page = client.get("/keys").await.json();
    assert_eq!(page["keys"][0]["id"], "b");
    let expires_at = page["keys"][0]["expires_at"].as_str().expect("a time");
    assert!(
        chrono::DateTime::parse_from_rfc3339(expires_at).is_ok(),
        "{expires_at}"
    );
    assert_eq!(page["keys"][1], json!({"id": "c", "expires_at": null}));
    assert_eq!(page["keys"].as_array().expect("keys").len(), 2);
}

#[tokio::test]
async fn a_bad_cursor_or_limit_is_refused() {
    let (service, _) = Service::in_memory().await;
    for (query, words) in [
        ("limit=0", "`0` cannot be used as limit: "),
        ("limit=1001", "`1001` cannot be used as limit: "),
        ("limit=-1", "`-1` cannot be used as limit: "),
        ("limit=", "`` cannot be used as limit: "),
        ("limit=ten", "`ten` cannot be used as limit: "),
        ("limit=1&limit=1", "duplicate field `limit`"),
        ("cursor=", "`` cannot be used as cursor: "),
        ("cursor=nonsense", "`nonsense` cannot be used as cursor: "),
        ("cursor=6", "`6` cannot be used as cursor: "),
        ("cursor=%2Bf", "`+f` cannot be used as cursor: "),
        ("cursor=ff", "`ff` cannot be used as cursor: "),
        ("page=2", "unknown field `page`"),
    ] {
        let answer = service.client.get(&format!("/keys?{query}")).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
        assert!(answer.error().contains(words), "{query}: {}", answer.error());
    }
}
