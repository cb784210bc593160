//! Moves the bytes of one connection, both ways.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::settings::{Settings, Shared};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    ToServer,
    ToClient,
}

/// Data and when it came, so that a delay delays and does not throttle.
type Chunk = (Instant, Vec<u8>);

/// Returns when the connection has ended on both sides, or is cut. Both sockets are closed then.
pub(super) async fn run(client: TcpStream, server: TcpStream, shared: &Shared) {
    client.set_nodelay(true).ok();
    server.set_nodelay(true).ok();
    let mut settings = shared.settings.subscribe();
    let cuts = settings.borrow_and_update().cuts;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    // True while the server was the last to speak; a connection begins as if it had.
    let server_spoke = AtomicBool::new(true);
    tokio::select! {
        () = one_way(Direction::ToServer, from_client, to_server, shared, &server_spoke) => {}
        () = one_way(Direction::ToClient, from_server, to_client, shared, &server_spoke) => {}
        _ = settings.wait_for(|settings| settings.cuts != cuts) => {}
    }
}

/// Returns when one side has said its last word and the other has been told. Then the connection is of no use to
/// a client that awaits replies, and both sides are closed.
async fn one_way(
    direction: Direction,
    from: OwnedReadHalf,
    to: OwnedWriteHalf,
    shared: &Shared,
    server_spoke: &AtomicBool,
) {
    let (sender, receiver) = mpsc::channel(1024);
    let mut writing = pin!(write(direction, to, receiver, shared));
    tokio::select! {
        () = &mut writing => return,
        () = read(direction, from, sender, shared, server_spoke) => {}
    }
    // What has been read before the end still goes out.
    writing.await;
}

/// Counts what comes, and hands it on.
async fn read(
    direction: Direction,
    mut from: OwnedReadHalf,
    sender: Sender<Chunk>,
    shared: &Shared,
    server_spoke: &AtomicBool,
) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        let bytes = buffer.get(..length).unwrap_or_default().to_vec();
        let was_server = server_spoke.swap(direction == Direction::ToClient, Ordering::SeqCst);
        let turn = direction == Direction::ToServer && was_server;
        shared.counts.send_modify(|counts| {
            let length = u64::try_from(length).unwrap_or(u64::MAX);
            match direction {
                Direction::ToServer => counts.from_clients += length,
                Direction::ToClient => counts.from_server += length,
            }
            counts.round_trips += u64::from(turn);
        });
        if sender.send((Instant::now(), bytes)).await.is_err() {
            return;
        }
    }
}

/// Does to each chunk what the settings say, and tells the other side at the end.
async fn write(direction: Direction, mut to: OwnedWriteHalf, mut chunks: Receiver<Chunk>, shared: &Shared) {
    let mut settings = shared.settings.subscribe();
    let half_closes = settings.borrow_and_update().half_closes;
    let replies = direction == Direction::ToClient;
    let mut closed = false;
    loop {
        let chunk = tokio::select! {
            biased;
            () = half_closed(&mut settings, half_closes), if replies && !closed => None,
            chunk = chunks.recv() => match chunk {
                Some(chunk) => Some(chunk),
                None => break,
            },
        };
        let Some((came, bytes)) = chunk else {
            to.shutdown().await.ok();
            closed = true;
            continue;
        };
        if replies && shared.is_reply_to_cut_at() {
            return;
        }
        let delay = match (direction, settings.borrow()) {
            (Direction::ToServer, settings) => settings.delay_to_server,
            (Direction::ToClient, settings) => settings.delay_to_client,
        };
        if !delay.is_zero() {
            sleep_until(came + delay).await;
        }
        // The sender lives as long as the proxy; without it there is nothing to wait for.
        let swallow = settings
            .wait_for(|settings| !settings.pause)
            .await
            .is_ok_and(|now| now.swallow_replies);
        if closed || (replies && swallow) {
            continue;
        }
        let within = if replies {
            shared.cut_within_reply_after()
        } else {
            None
        };
        let cut_after = within.or_else(|| shared.cut_after(bytes.len()));
        let part = bytes.get(..cut_after.unwrap_or(bytes.len())).unwrap_or(&bytes);
        if to.write_all(part).await.is_err() || cut_after.is_some() {
            return;
        }
    }
    to.shutdown().await.ok();
}

/// Waits for a half-close after so many.
async fn half_closed(settings: &mut watch::Receiver<Settings>, before: u64) {
    settings
        .wait_for(|settings| settings.half_closes != before)
        .await
        .ok();
}
