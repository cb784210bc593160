//! Server-sent events of expirations.

use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use kvrepo::Position;
use serde_json::json;

use super::service::Service;

#[tokio::test]
async fn every_listener_is_told_of_each_expiration_with_its_value() {
    let (service, clock) = Service::in_memory().await;
    let mut listeners = [service.client.listen().await, service.client.listen().await];
    let saved_at = clock.now();
    service.client.put("/keys/a?ttl_secs=1", "one\n\"ü\"").await;
    service.client.put("/keys/user:2?ttl_secs=2", "").await;
    service.client.put("/keys/stays", "v").await;
    clock.advance(Duration::from_millis(1_001));

    let deadline = |after| {
        let deadline = DateTime::<Utc>::from(saved_at + Duration::from_secs(after));
        deadline.to_rfc3339_opts(SecondsFormat::Millis, true)
    };
    let mut positions = Vec::new();
    for listener in &mut listeners {
        let event = listener.next().await;
        assert_eq!(event.name, "expired");
        let data = json!({"id": "a", "value": "one\n\"ü\"", "expired_at": deadline(1)});
        assert_eq!(event.data, data);
        positions.push(event.id.parse::<Position>().expect("a position of the log"));
    }
    assert_eq!(
        positions[0], positions[1],
        "one event, however many are told of it"
    );

    clock.advance(Duration::from_secs(1));
    for listener in &mut listeners {
        let event = listener.next().await;
        let data = json!({"id": "user:2", "value": "", "expired_at": deadline(2)});
        assert_eq!(event.data, data);
        assert!(event.id.parse::<Position>().expect("a position of the log") > positions[0]);
    }
    service.stop().await;
}

#[tokio::test]
async fn a_service_that_stops_ends_its_listeners_streams() {
    let (service, _) = Service::in_memory().await;
    let mut listener = service.client.listen().await;
    service.stop().await;
    assert_eq!(listener.block().await, None);
}

/// Tokio's clock, paused, goes on to the next timer whenever nothing else is to be done.
#[tokio::test(start_paused = true)]
async fn a_listener_that_hears_nothing_is_kept_alive_by_comments() {
    let (service, _) = Service::in_memory().await;
    let mut listener = service.client.listen().await;
    for _ in 0..2 {
        let block = listener.block().await.expect("the stream goes on");
        assert!(block.starts_with(':'), "{block}");
    }
}
