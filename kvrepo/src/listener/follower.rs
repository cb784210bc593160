//! Follows the event logs of all keyspaces that have subscribers.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::Instant;

use super::backoff::Backoff;
use super::{Shared, Space};
use crate::backend::{Keyspace, Position};
use crate::error::{Error, Result};

/// Until the task is aborted.
pub(super) async fn run(shared: Arc<Shared>) {
    let mut backoff = Backoff::new();
    let mut interrupted = false;
    let mut read = Instant::now();
    loop {
        // What was told until now is seen in the list; only what is told later has to interrupt a wait.
        shared.follow.notified().now_or_never();
        let followed: Vec<Arc<Space>> = shared
            .spaces()
            .into_iter()
            .filter(|space| space.tail().is_some())
            .collect();
        if followed.is_empty() {
            shared.follow.notified().await;
            continue;
        }
        // Whoever has not read for long may have been overtaken by the retention.
        let retention = followed
            .iter()
            .map(|space| space.keyspace().retention())
            .min()
            .unwrap_or(u64::MAX);
        interrupted |= read.elapsed() > Duration::from_millis(retention / 2);
        let round = async {
            if interrupted {
                look_for_losses(&shared, &followed).await?;
            }
            follow(&shared, &followed).await
        };
        let result = tokio::select! {
            result = round => result,
            () = shared.follow.notified() => continue,
        };
        match result {
            Ok(()) => {
                interrupted = false;
                read = Instant::now();
                backoff.reset();
            }
            Err(error) => {
                interrupted_by("following the event logs", &error, backoff.has_failed());
                interrupted = true;
                backoff.wait().await;
            }
        }
    }
}

/// An outage ends by itself; a right that this user lacks has to be known of, once.
pub(super) fn interrupted_by(what: &str, error: &Error, again: bool) {
    let cause: &(dyn StdError + 'static) = error;
    if again || error.is_transient() {
        tracing::debug!(cause, "{what} was interrupted");
    } else {
        tracing::warn!(cause, "{what} failed; it will be tried again");
    }
}

async fn follow(shared: &Shared, followed: &[Arc<Space>]) -> Result<()> {
    let tails: Vec<(Arc<Keyspace>, Position)> = followed
        .iter()
        .filter_map(|space| Some((Arc::clone(space.keyspace()), space.tail()?)))
        .collect();
    if tails.len() < followed.len() {
        // The last subscriber of one left just now.
        return Ok(());
    }
    for (index, entry) in shared.backend.follow_log(&tails).await? {
        if let Some(space) = followed.get(index) {
            space.publish(entry);
        }
    }
    Ok(())
}

/// After an interruption events can have been dropped before they were read.
async fn look_for_losses(shared: &Shared, followed: &[Arc<Space>]) -> Result<()> {
    for space in followed {
        let Some(tail) = space.tail() else { continue };
        if let Some(lost) = shared
            .backend
            .read_log(space.keyspace(), tail, 1)
            .await?
            .lost_until
        {
            space.publish_loss(tail, lost);
        }
    }
    Ok(())
}
