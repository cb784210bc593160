//! An HTTP service over a repository: keys with a value and a term, and a stream of what has expired.
//!
//! | request | answer |
//! | --- | --- |
//! | `PUT /keys/{id}` | 201, or 200 if it replaced a living one; the body, UTF-8 text of up to 64 KiB (JSON is text), is the value |
//! | … `?ttl_secs=60` | to expire after so many seconds, a whole number from 1 to 9223372036 |
//! | … `?expires_at=2030-01-31T12:00:00Z` | to expire then (RFC 3339; in a query a `+` is written `%2B`) |
//! | … `?idle_secs=60` | to expire when it has been neither put nor read for so long |
//! | … with `If-None-Match: *` | only if there is none; else 412 |
//! | `GET /keys/{id}` | the value as it came; `x-ttl-ms` and `x-expires-at` if it expires, and `x-idle-ms` if reading it is what put that off; 404 if it is not there |
//! | `DELETE /keys/{id}` | 204; 404 if it was not there |
//! | `GET /keys?limit=100&cursor=…` | `{"keys":[{"id":"a","expires_at":null}],"next":null}`; `next` is the cursor of the next page |
//! | `GET /expired` | server-sent events: `event: expired`, `data: {"id":"a","value":"1","expired_at":"…"}` |
//!
//! What is refused has a body `{"error":"…"}` that says why: 422 for what cannot be stored, with nothing written; 503 for
//! what may succeed later. `item.rs` has the entity, `term.rs` and `page.rs` read the queries, `keys.rs` and `expired.rs`
//! answer, `failure.rs` turns errors into answers.

mod expired;
mod failure;
mod item;
mod keys;
mod page;
mod term;
mod time;

pub use failure::with_causes;
pub use item::Item;

use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::get;
use axum::serve::ListenerExt;
use kvrepo::{Repository, Store};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// The longest value, in bytes.
pub const MAX_VALUE: usize = 64 * 1024;

/// For how long requests that are under way may go on when the service is to stop.
const PATIENCE: Duration = Duration::from_secs(5);

/// What every request has at hand.
#[derive(Debug, Clone)]
struct Service {
    items: Repository<Item>,
    stop: Stop,
}

/// Tells when the service is to stop. Streams that never end by themselves have to ask, or it could not.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    /// A service that stops when `true` is sent, or the sender is gone.
    #[must_use]
    pub fn new() -> (watch::Sender<bool>, Self) {
        let (sender, receiver) = watch::channel(false);
        (sender, Self(receiver))
    }

    async fn stopped(mut self) {
        // An error says that the sender is gone.
        let _ = self.0.wait_for(|stop| *stop).await;
    }
}

/// The service as a router, to be served, or to be nested into a greater one.
pub fn router(store: &Store, stop: Stop) -> Router {
    let service = Service {
        items: store.repository(),
        stop,
    };
    Router::new()
        .route("/keys", get(keys::list))
        .route("/keys/{id}", get(keys::get).put(keys::put).delete(keys::delete))
        .route("/expired", get(expired::listen))
        .fallback(failure::no_such_path)
        .method_not_allowed_fallback(failure::no_such_method)
        .layer(DefaultBodyLimit::max(MAX_VALUE))
        .with_state(service)
}

/// Serves until `stop` is over; then ends event streams, and returns when the requests under way are answered.
///
/// # Errors
///
/// What keeps it from serving.
pub async fn serve(listener: TcpListener, store: &Store, stop: impl Future<Output = ()>) -> io::Result<()> {
    let (stopping, stopped) = Stop::new();
    // Events are small and are to be there at once, not when there are more of them.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let serving =
        axum::serve(listener, router(store, stopped.clone())).with_graceful_shutdown(stopped.stopped());
    let mut serving = pin!(serving.into_future());
    tokio::select! {
        served = &mut serving => return served,
        () = stop => {}
    }
    stopping.send_replace(true);
    // Who is slower than that is cut off.
    tokio::time::timeout(PATIENCE, serving).await.unwrap_or(Ok(()))
}
