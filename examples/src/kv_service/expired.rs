//! What expires, as server-sent events.

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::{Stream, StreamExt};
use kvrepo::KeyExpired;
use serde::Serialize;

use super::failure::{Failure, Message};
use super::{Item, Service, time};

/// An event's data.
#[derive(Debug, Serialize)]
struct Expired<'a> {
    id: &'a str,
    /// `None` if it expired so long ago that its value is lost.
    value: Option<&'a str>,
    expired_at: Option<String>,
}

/// Everything that expires from now on: the response begins when the subscription stands. Each listener has a
/// subscription of its own, which reads the log at the listener's pace, so nobody waits for the slowest.
pub(super) async fn listen(
    State(service): State<Service>,
) -> Result<Sse<impl Stream<Item = Result<Event, axum::Error>>>, Failure> {
    let expired = service.items.expired().await?;
    let events = expired.map(event).take_until(service.stop.stopped());
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// An error is an event like any other, since the stream goes on behind it: that some were missed, for example.
fn event(expired: kvrepo::Result<KeyExpired<Item>>) -> Result<Event, axum::Error> {
    match expired {
        Ok(expired) => Event::default()
            .id(expired.position().to_string())
            .event("expired")
            .json_data(Expired {
                id: expired.id(),
                value: expired.value().map(|item| item.value.as_str()),
                expired_at: time::format(expired.deadline()),
            }),
        Err(error) => Event::default()
            .event("failure")
            .json_data(Message::from(Failure::from(error))),
    }
}
