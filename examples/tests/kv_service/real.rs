//! The main path on a real server, with a real expiry.

use std::time::Duration;

use axum::http::StatusCode;
use kvrepo::Store;
use kvrepo_tests::harness::TestServer;
use serde_json::json;

use super::service::Service;

#[tokio::test]
async fn on_a_server_a_second_passes_and_two_services_say_so() {
    let server = TestServer::start().await;
    let service = Service::on(Store::connect(&server.url()).await.unwrap()).await;
    let other = Service::on(Store::connect(&server.url()).await.unwrap()).await;
    let mut listeners = [
        service.client.listen().await,
        service.client.listen().await,
        other.client.listen().await,
    ];
    let client = service.client;

    let put = client.put("/keys/a?ttl_secs=1", "one").await;
    assert_eq!(put.status, StatusCode::CREATED);
    let expires_at = put.json()["expires_at"].clone();
    assert_eq!(client.put("/keys/b", "two").await.status, StatusCode::CREATED);
    let got = other.client.get("/keys/a").await;
    assert_eq!(got.body, "one");
    assert_eq!(got.header("x-expires-at"), expires_at.as_str());
    let left: u64 = got
        .header("x-ttl-ms")
        .expect("it expires")
        .parse()
        .expect("a number");
    assert!((1..=1000).contains(&left), "{left}");

    for listener in &mut listeners {
        let event = listener.next().await;
        assert_eq!(event.name, "expired");
        assert_eq!(
            event.data,
            json!({"id": "a", "value": "one", "expired_at": expires_at})
        );
    }
    assert_eq!(client.get("/keys/a").await.status, StatusCode::NOT_FOUND);
    let page = client.get("/keys").await.json();
    assert_eq!(
        page,
        json!({"keys": [{"id": "b", "expires_at": null}], "next": null})
    );

    assert_eq!(client.delete("/keys/b").await.status, StatusCode::NO_CONTENT);
    tokio::time::timeout(Duration::from_secs(5), service.stop())
        .await
        .expect("it stops although two listen");
    assert_eq!(listeners[0].block().await, None);
    server.stop().await;
}
