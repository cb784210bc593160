//! The connection on which the server tells of expired keys.
//!
//! In RESP3 messages are pushed beside the replies of commands, on one connection. In RESP2 a subscribed connection is
//! good for nothing else, so a second one takes the commands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use redis::aio::{MultiplexedConnection, PubSubSink, PubSubStream};
use redis::{PushInfo, PushKind, RedisResult, Value};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::endpoint::Endpoint;

/// How many notifications may wait to be taken over; what comes on top is lost, and told of.
const WAITING: usize = 16_384;

pub(super) struct Notifications {
    /// For commands.
    pub(super) commands: MultiplexedConnection,
    source: Source,
}

enum Source {
    /// With whether some were lost.
    Pushed(mpsc::Receiver<PushInfo>, Arc<AtomicBool>),
    /// The sink keeps the subscription.
    Streamed(PubSubSink, PubSubStream),
}

/// What the connection has to tell.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// This key has expired.
    Expired(Vec<u8>),
    /// This key was evicted.
    Evicted(Vec<u8>),
    /// More came than could wait.
    Lost,
    /// The connection is closed.
    Closed,
}

impl Told {
    /// A channel has the name of its kind of event at its end.
    fn of(channel: &[u8], key: Vec<u8>) -> Self {
        if channel.ends_with(b":evicted") {
            Self::Evicted(key)
        } else {
            Self::Expired(key)
        }
    }
}

impl Notifications {
    /// Connects; `patience` bounds each step.
    pub(super) async fn open(endpoint: &Endpoint, patience: Duration) -> RedisResult<Self> {
        let config = endpoint.config(Some(patience));
        if !endpoint.speaks_resp3() {
            let commands = endpoint.open(&config).await?;
            // The client puts no bound to this one by itself.
            let subscribed = timeout(patience, endpoint.open_subscriber())
                .await
                .map_err(late)??;
            let (sink, stream) = subscribed.split();
            return Ok(Self {
                commands,
                source: Source::Streamed(sink, stream),
            });
        }
        let (waiting, pushes) = mpsc::channel::<PushInfo>(WAITING);
        let lost = Arc::new(AtomicBool::new(false));
        let overflow = Arc::clone(&lost);
        let config = config.set_push_sender(move |push: PushInfo| {
            if waiting.try_send(push).is_err() {
                overflow.store(true, Ordering::Relaxed);
            }
            Ok::<_, redis::aio::SendError>(())
        });
        let commands = endpoint.open(&config).await?;
        Ok(Self {
            commands,
            source: Source::Pushed(pushes, lost),
        })
    }

    /// Returns once the server has confirmed.
    pub(super) async fn subscribe(&mut self, channel: &str, patience: Duration) -> RedisResult<()> {
        match &mut self.source {
            Source::Pushed(..) => self.commands.subscribe(channel).await,
            Source::Streamed(sink, _) => timeout(patience, sink.subscribe(channel)).await.map_err(late)?,
        }
    }

    /// Can be dropped and called again without losing anything.
    pub(super) async fn next(&mut self) -> Told {
        match &mut self.source {
            Source::Streamed(_, stream) => match stream.next().await {
                Some(message) => Told::of(
                    message.get_channel_name().as_bytes(),
                    message.get_payload_bytes().to_vec(),
                ),
                None => Told::Closed,
            },
            Source::Pushed(pushes, lost) => loop {
                if lost.swap(false, Ordering::Relaxed) {
                    return Told::Lost;
                }
                match pushes.recv().await {
                    None
                    | Some(PushInfo {
                        kind: PushKind::Disconnection,
                        ..
                    }) => return Told::Closed,
                    Some(PushInfo {
                        kind: PushKind::Message,
                        data,
                        ..
                    }) => {
                        let mut data = data.into_iter();
                        if let (Some(Value::BulkString(channel)), Some(Value::BulkString(key))) =
                            (data.next(), data.next())
                        {
                            return Told::of(&channel, key);
                        }
                    }
                    Some(_) => {}
                }
            },
        }
    }
}

fn late(_: tokio::time::error::Elapsed) -> redis::RedisError {
    std::io::Error::from(std::io::ErrorKind::TimedOut).into()
}
