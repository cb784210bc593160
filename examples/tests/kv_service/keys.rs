//! Putting, getting, deleting, and what remains of a term.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use chrono::{DateTime, FixedOffset, SecondsFormat, Utc};
use kvrepo_examples::kv_service::MAX_VALUE;
use serde_json::json;

use super::service::Service;

#[tokio::test]
async fn what_was_put_is_got_until_it_is_deleted() {
    let (service, _) = Service::in_memory().await;
    let client = service.client;

    let put = client.put("/keys/a", "one").await;
    assert_eq!(put.status, StatusCode::CREATED);
    assert_eq!(put.json(), json!({"id": "a", "expires_at": null}));
    assert_eq!(client.put("/keys/a", "two").await.status, StatusCode::OK);

    let got = client.get("/keys/a").await;
    assert_eq!((got.status, got.body.as_str()), (StatusCode::OK, "two"));
    assert_eq!(got.header("content-type"), Some("text/plain; charset=utf-8"));
    for of_a_term in ["x-ttl-ms", "x-expires-at", "x-idle-ms"] {
        assert_eq!(got.header(of_a_term), None, "it does not expire");
    }

    assert_eq!(client.delete("/keys/a").await.status, StatusCode::NO_CONTENT);
    assert_eq!(client.delete("/keys/a").await.status, StatusCode::NOT_FOUND);
    let gone = client.get("/keys/a").await;
    assert_eq!(
        (gone.status, gone.error().as_str()),
        (StatusCode::NOT_FOUND, "no `items` with id `a`")
    );
    service.stop().await;
}

#[tokio::test]
async fn values_come_back_byte_for_byte() {
    let (service, _) = Service::in_memory().await;
    for value in [
        "",
        r#"{"a": [1, 2.50, null],  "b":"ü"}"#,
        "line\r\nline\n",
        "\0",
        "日本語 🦀",
    ] {
        service.client.put("/keys/v", value).await;
        assert_eq!(service.client.get("/keys/v").await.body, value);
    }
    let longest = "x".repeat(MAX_VALUE);
    assert_eq!(
        service.client.put("/keys/v", &longest).await.status,
        StatusCode::OK
    );
    assert_eq!(service.client.get("/keys/v").await.body, longest);
}

#[tokio::test]
async fn an_id_in_a_path_is_percent_decoded() {
    let (service, _) = Service::in_memory().await;
    for (path, id) in [
        ("/keys/user:4711:cart", "user:4711:cart"),
        ("/keys/a%2Fb", "a/b"),
        ("/keys/50%25", "50%"),
        ("/keys/gr%C3%BC%C3%9Fe%20%F0%9F%A6%80", "grüße 🦀"),
        ("/keys/a+b", "a+b"),
        ("/keys/%3A%3F%23", ":?#"),
    ] {
        let put = service.client.put(path, id).await;
        assert_eq!((put.status, &put.json()["id"]), (StatusCode::CREATED, &json!(id)));
        assert_eq!(service.client.get(path).await.body, id);
        let found = service.items.find_by_id(id).await.unwrap();
        assert_eq!(found.map(|item| item.value).as_deref(), Some(id));
    }
}

#[tokio::test]
async fn what_remains_of_a_term_stands_in_the_headers() {
    let (service, clock) = Service::in_memory().await;
    let deadline = |after: u64| {
        let deadline = DateTime::<Utc>::from(clock.now() + Duration::from_secs(after));
        deadline.to_rfc3339_opts(SecondsFormat::Millis, true)
    };
    let at = deadline(60);
    let in_an_hour_elsewhere = DateTime::<Utc>::from(clock.now() + Duration::from_secs(3600))
        .with_timezone(&FixedOffset::east_opt(7200).unwrap())
        .to_rfc3339()
        .replace('+', "%2B");
    let cases = [
        ("ttl", "ttl_secs=60".to_owned(), 60),
        ("longest", "ttl_secs=9223372036".to_owned(), 9_223_372_036),
        ("at", format!("expires_at={at}"), 60),
        ("zone", format!("expires_at={in_an_hour_elsewhere}"), 3600),
        ("idle", "idle_secs=60".to_owned(), 60),
    ];
    for (id, query, secs) in &cases {
        let put = service.client.put(&format!("/keys/{id}?{query}"), "v").await;
        assert_eq!(put.status, StatusCode::CREATED, "{put:?}");
        assert_eq!(put.json()["expires_at"], json!(deadline(*secs)), "{query}");
    }
    let deadlines = cases.each_ref().map(|(_, _, secs)| deadline(*secs));
    clock.advance(Duration::from_millis(1_500));
    for ((id, query, secs), deadline) in cases.iter().zip(&deadlines) {
        let got = service.client.get(&format!("/keys/{id}")).await;
        let left = (secs * 1000 - 1_500).to_string();
        assert_eq!(got.header("x-ttl-ms"), Some(left.as_str()), "{query}");
        assert_eq!(got.header("x-expires-at"), Some(deadline.as_str()), "{query}");
        assert_eq!(got.header("x-idle-ms"), (*id == "idle").then_some("60000"));
    }
}

#[tokio::test]
async fn what_has_expired_is_absent_at_once() {
    let (service, clock) = Service::in_memory().await;
    let client = service.client;
    client.put("/keys/a?ttl_secs=60", "one").await;

    clock.advance(Duration::from_millis(59_999));
    assert_eq!(client.get("/keys/a").await.header("x-ttl-ms"), Some("1"));
    // As on a server, the millisecond of the deadline is the last one.
    clock.advance(Duration::from_millis(2));
    assert_eq!(client.get("/keys/a").await.status, StatusCode::NOT_FOUND);
    assert_eq!(client.delete("/keys/a").await.status, StatusCode::NOT_FOUND);
    assert_eq!(client.put("/keys/a", "two").await.status, StatusCode::CREATED);
}

#[tokio::test]
async fn reading_puts_off_an_idle_term_and_a_put_without_a_term_ends_one() {
    let (service, clock) = Service::in_memory().await;
    let client = service.client;
    client.put("/keys/read?idle_secs=60", "v").await;
    client.put("/keys/unread?idle_secs=60", "v").await;
    client.put("/keys/put?ttl_secs=60", "v").await;
    client.put("/keys/put", "v").await;

    for _ in 0..3 {
        clock.advance(Duration::from_secs(40));
        assert_eq!(client.get("/keys/read").await.status, StatusCode::OK);
    }
    assert_eq!(client.get("/keys/unread").await.status, StatusCode::NOT_FOUND);
    assert_eq!(client.get("/keys/put").await.header("x-ttl-ms"), None);
}

#[tokio::test]
async fn a_put_can_be_of_what_is_not_there_only() {
    let (service, clock) = Service::in_memory().await;
    let insert = async |path: &str, value: &str| {
        let only_new = [("if-none-match", "*")];
        let body = value.as_bytes();
        service.client.request(Method::PUT, path, &only_new, body).await
    };
    let first = insert("/keys/a?ttl_secs=60", "first").await;
    assert_eq!(first.status, StatusCode::CREATED);

    let second = insert("/keys/a", "second").await;
    assert_eq!(second.status, StatusCode::PRECONDITION_FAILED);
    assert_eq!(second.error(), "`items` with id `a` exists already");
    let got = service.client.get("/keys/a").await;
    assert_eq!(
        (got.body.as_str(), got.header("x-ttl-ms")),
        ("first", Some("60000"))
    );

    clock.advance(Duration::from_millis(60_001));
    assert_eq!(insert("/keys/a", "third").await.status, StatusCode::CREATED);
    assert_eq!(service.client.get("/keys/a").await.body, "third");
}
