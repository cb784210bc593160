//! What is refused, with which words, and that nothing was written.

use axum::http::{Method, StatusCode};
use kvrepo::{KeyspaceEvents, Store};
use kvrepo_examples::kv_service::MAX_VALUE;
use kvrepo_tests::harness::TestServer;

use super::service::Service;

/// Queries that state no term that can be, and what kvrepo says of them.
const BAD_TERMS: &[(&str, &str)] = &[
    ("ttl_secs=0", "0ns is less than a millisecond"),
    ("ttl_secs=00", "0ns is less than a millisecond"),
    ("ttl_secs=-1", "`-1`, but has to be a whole number of seconds"),
    ("ttl_secs=-0", "`-0`, but"),
    ("ttl_secs=%2B5", "`+5`, but"),
    ("ttl_secs=+5", "` 5`, but"),
    ("ttl_secs=5%20", "`5 `, but"),
    ("ttl_secs=1.5", "`1.5`, but"),
    ("ttl_secs=1.0", "`1.0`, but"),
    ("ttl_secs=1,5", "`1,5`, but"),
    ("ttl_secs=1e3", "`1e3`, but"),
    ("ttl_secs=1_000", "`1_000`, but"),
    ("ttl_secs=0x10", "`0x10`, but"),
    ("ttl_secs=60s", "`60s`, but"),
    ("ttl_secs=NaN", "`NaN`, but"),
    ("ttl_secs=inf", "`inf`, but"),
    ("ttl_secs=null", "`null`, but"),
    ("ttl_secs=%D9%A3", "`٣`, but"),
    ("ttl_secs=%FF", "`\u{fffd}`, but"),
    ("ttl_secs=", "``, but"),
    ("ttl_secs", "``, but"),
    ("ttl_secs=9223372037", "from 1 to 9223372036"),
    ("ttl_secs=9223372036854775807", "from 1 to 9223372036"),
    ("ttl_secs=18446744073709551616", "from 1 to 9223372036"),
    (
        "ttl_secs=99999999999999999999999999999999999999999",
        "from 1 to 9223372036",
    ),
    ("idle_secs=0", "0ns is less than a millisecond"),
    ("idle_secs=-1", "`idle_secs` is `-1`, but"),
    ("idle_secs=9223372037", "from 1 to 9223372036"),
    (
        "expires_at=2000-01-01T00:00:00Z",
        "the deadline of this `Item` has passed already",
    ),
    (
        "expires_at=1969-12-31T23:59:59Z",
        "the deadline of this `Item` has passed already",
    ),
    ("expires_at=", "has to be a time of RFC 3339"),
    ("expires_at=tomorrow", "has to be a time of RFC 3339"),
    ("expires_at=2100-01-01", "has to be a time of RFC 3339"),
    ("expires_at=2100-01-01T00:00:00", "has to be a time of RFC 3339"),
    ("expires_at=2100-02-30T00:00:00Z", "has to be a time of RFC 3339"),
    // A `+` that was not escaped is a space.
    (
        "expires_at=2100-01-01T00:00:00+02:00",
        "in a query a `+` is written `%2B`",
    ),
    ("expires_at=4102444800", "has to be a time of RFC 3339"),
    (
        "ttl_secs=60&expires_at=2100-01-01T00:00:00Z",
        "exclude each other; give one",
    ),
    (
        "expires_at=2100-01-01T00:00:00Z&ttl_secs=60",
        "exclude each other; give one",
    ),
    ("ttl_secs=60&idle_secs=60", "exclude each other; give one"),
    (
        "idle_secs=60&expires_at=2100-01-01T00:00:00Z",
        "exclude each other; give one",
    ),
    ("ttl_secs=&expires_at=", "exclude each other; give one"),
    ("ttl_secs=60&ttl_secs=60", "duplicate field `ttl_secs`"),
    ("ttl_secs=60&ttl_secs=", "duplicate field `ttl_secs`"),
    (
        "expires_at=2100-01-01T00:00:00Z&expires_at=2100-01-01T00:00:00Z",
        "duplicate field `expires_at`",
    ),
    ("ttl=60", "unknown field `ttl`, expected one of `ttl_secs`"),
    ("TTL_SECS=60", "unknown field `TTL_SECS`"),
];

/// Puts each bad term where nothing is and where something is, with and without a condition.
async fn refuse_all(service: &Service) {
    let client = service.client;
    client.put("/keys/there?ttl_secs=9000", "old").await;
    for (query, words) in BAD_TERMS {
        for (id, only_new) in [
            ("there", false),
            ("absent", false),
            ("there", true),
            ("absent", true),
        ] {
            let path = format!("/keys/{id}?{query}");
            let condition: &[_] = if only_new { &[("if-none-match", "*")] } else { &[] };
            let put = client.request(Method::PUT, &path, condition, b"new").await;
            // A deadline is judged by the server's clock, so what is there already may be said first.
            if (id, only_new) == ("there", true) && put.status == StatusCode::PRECONDITION_FAILED {
                assert!(words.contains("has passed"), "{path}: {put:?}");
                continue;
            }
            assert_eq!(put.status, StatusCode::UNPROCESSABLE_ENTITY, "{path}: {put:?}");
            let error = put.error();
            assert!(error.contains(words), "{path}: {error}");
            let own = ["invalid time to live for `Item`: ", "the deadline of this `Item`"];
            let of_the_query = ["duplicate field", "unknown field"];
            assert!(
                own.iter().any(|start| error.starts_with(start))
                    || of_the_query.iter().any(|part| words.starts_with(part)),
                "not in kvrepo's words: {error}"
            );
        }
        assert_eq!(
            client.get("/keys/absent").await.status,
            StatusCode::NOT_FOUND,
            "{query}"
        );
        let there = client.get("/keys/there").await;
        assert_eq!(there.body, "old", "{query}");
        let left: u64 = there
            .header("x-ttl-ms")
            .expect("it expires")
            .parse()
            .expect("a number");
        assert!((8_900_000..=9_000_000).contains(&left), "{query}: {left}");
    }
    assert_eq!(service.items.count().await.unwrap(), 1);
}

#[tokio::test]
async fn a_term_that_cannot_be_is_refused_and_nothing_is_written() {
    let (service, _) = Service::in_memory().await;
    refuse_all(&service).await;
}

#[tokio::test]
async fn a_term_that_cannot_be_is_refused_and_nothing_is_written_on_a_server() {
    let server = TestServer::start().await;
    let service = Service::on(Store::connect(&server.url()).await.unwrap()).await;
    refuse_all(&service).await;
    server.stop().await;
}

#[tokio::test]
async fn an_id_that_cannot_be_is_refused_and_nothing_is_written() {
    let (service, _) = Service::in_memory().await;
    for (id, ending) in [("a:idx", ":idx"), ("a%3Aphantom", ":phantom")] {
        for method in [Method::PUT, Method::GET, Method::DELETE] {
            let path = format!("/keys/{id}");
            let answer = service.client.request(method, &path, &[], b"v").await;
            assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{answer:?}");
            let words = format!("an id may not end in `{ending}`");
            assert!(answer.error().ends_with(&words), "{answer:?}");
        }
    }
    assert_eq!(service.items.count().await.unwrap(), 0);
}

#[tokio::test]
async fn what_http_does_not_allow_is_answered_as_http_says() {
    let (service, _) = Service::in_memory().await;
    let too_long = "x".repeat(MAX_VALUE + 1);
    let cases: &[(Method, &str, &[u8], StatusCode)] = &[
        (Method::GET, "/", b"", StatusCode::NOT_FOUND),
        (Method::GET, "/keys/", b"", StatusCode::NOT_FOUND),
        (Method::PUT, "/keys/a/b", b"v", StatusCode::NOT_FOUND),
        (Method::POST, "/keys", b"v", StatusCode::METHOD_NOT_ALLOWED),
        (Method::PATCH, "/keys/a", b"v", StatusCode::METHOD_NOT_ALLOWED),
        (Method::PUT, "/expired", b"v", StatusCode::METHOD_NOT_ALLOWED),
        (Method::PUT, "/keys/%FF", b"v", StatusCode::BAD_REQUEST),
        (Method::PUT, "/keys/a", b"\xff\xfe", StatusCode::BAD_REQUEST),
        (
            Method::PUT,
            "/keys/a",
            too_long.as_bytes(),
            StatusCode::PAYLOAD_TOO_LARGE,
        ),
    ];
    for (method, path, body, status) in cases {
        let answer = service.client.request(method.clone(), path, &[], body).await;
        assert_eq!(answer.status, *status, "{method} {path}");
        assert!(!answer.error().is_empty(), "{method} {path}");
        let allowed = answer.header("allow");
        assert_eq!(allowed.is_some(), *status == StatusCode::METHOD_NOT_ALLOWED);
    }
    assert_eq!(service.items.count().await.unwrap(), 0);
}

#[tokio::test]
async fn a_condition_that_cannot_be_kept_is_refused() {
    let (service, _) = Service::in_memory().await;
    for condition in [
        ("if-none-match", "\"tag\""),
        ("if-match", "*"),
        ("if-match", "\"tag\""),
    ] {
        let put = service
            .client
            .request(Method::PUT, "/keys/a", &[condition], b"v")
            .await;
        assert_eq!(put.status, StatusCode::UNPROCESSABLE_ENTITY, "{condition:?}");
    }
    assert_eq!(service.items.count().await.unwrap(), 0);
}

#[tokio::test]
async fn what_a_client_cannot_help_is_answered_without_internals() {
    let deaf = Store::builder().events(KeyspaceEvents::Off).in_memory().unwrap();
    let answer = Service::on(deaf).await.client.get("/expired").await;
    assert_eq!(
        (answer.status, answer.error().as_str()),
        (StatusCode::INTERNAL_SERVER_ERROR, "internal error")
    );

    let server = TestServer::start().await;
    let service = Service::on(Store::connect(&server.url()).await.unwrap()).await;
    server
        .command(&["SET", "items:4711", "of another, hash it is not"])
        .await;
    let collision = service.client.put("/keys/4711", "v").await;
    assert_eq!(
        (collision.status, collision.error().as_str()),
        (StatusCode::INTERNAL_SERVER_ERROR, "internal error")
    );

    server.kill().await;
    let gone = service.client.get("/keys/a").await;
    assert_eq!(gone.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(gone.header("retry-after"), Some("1"));
    assert!(
        !gone.error().contains(&server.port().to_string()),
        "{}",
        gone.error()
    );
}
