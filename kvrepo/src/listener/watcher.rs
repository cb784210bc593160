//! Watches the event logs of all keyspaces that groups read, and wakes their readers.

use std::sync::Arc;

use futures_util::FutureExt;

use super::backoff::Backoff;
use super::follower::interrupted_by;
use super::{Shared, Space};
use crate::backend::{Keyspace, Position};

/// Until the task is aborted.
pub(super) async fn run(shared: Arc<Shared>) {
    let mut backoff = Backoff::new();
    loop {
        // What was told until now is seen in the list; only what is told later has to interrupt a wait.
        shared.watch.notified().now_or_never();
        let watched: Vec<(Arc<Space>, Position)> = shared
            .spaces()
            .into_iter()
            .filter_map(|space| Some((Arc::clone(&space), space.watched()?)))
            .collect();
        if watched.is_empty() {
            shared.watch.notified().await;
            continue;
        }
        let tails: Vec<(Arc<Keyspace>, Position)> = watched
            .iter()
            .map(|(space, position)| (Arc::clone(space.keyspace()), *position))
            .collect();
        let found = tokio::select! {
            found = shared.backend.watch_log(&tails) => found,
            () = shared.watch.notified() => continue,
        };
        match found {
            Ok(found) => {
                for (index, end) in found {
                    if let Some((space, _)) = watched.get(index) {
                        // Whatever stands up to there was written before the bell rings, and is found by who hears it.
                        space.set_watched(end);
                        space.ring();
                    }
                }
                backoff.reset();
            }
            Err(error) => {
                interrupted_by("watching the event logs", &error, backoff.has_failed());
                backoff.wait().await;
            }
        }
    }
}
