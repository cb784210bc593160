//! What people write without kvrepo: the hash, its phantom, and a subscription that waits for the server.

use std::time::{Duration, SystemTime};

use futures_util::StreamExt;
use kvrepo_tests::harness::TestServer;
use redis::aio::MultiplexedConnection;

use crate::PORTION;
use crate::arguments::{Arguments, LEAD, SPREAD};
use crate::lag::{Lags, Line};
use crate::seat::{Seat, Seat1};

/// How long it is given.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) async fn measure(server: &TestServer, arguments: &Arguments) -> Line {
    let client = redis::Client::open(server.url()).expect("a client");
    let connection = client.get_multiplexed_async_connection().await;
    let mut connection = connection.expect("a connection");
    let mut messages = client.get_async_pubsub().await.expect("a connection");
    messages
        .subscribe("__keyevent@0__:expired")
        .await
        .expect("a subscription");
    let deadlines = arguments.deadlines();
    save(&mut connection, &deadlines).await;
    let mut lags = Vec::with_capacity(arguments.due);
    let until = tokio::time::Instant::now() + LEAD + SPREAD + PATIENCE;
    let mut stream = messages.on_message();
    while lags.len() < arguments.due {
        let Ok(Some(message)) = tokio::time::timeout_at(until, stream.next()).await else {
            break;
        };
        let key: String = message.get_payload().expect("a key");
        let Some(id) = key.strip_prefix("plain:").and_then(|id| id.parse::<usize>().ok()) else {
            continue;
        };
        let phantom = format!("{key}:phantom");
        let value: Vec<(String, String)> = redis::cmd("HGETALL")
            .arg(phantom)
            .query_async(&mut connection)
            .await
            .expect("a phantom");
        assert_eq!(value.len(), 4);
        lags.push(deadlines[id].elapsed().unwrap_or_default());
    }
    let line = Line::new("plain-listener", arguments, Lags::of(lags));
    line.print(arguments);
    line
}

async fn save(connection: &mut MultiplexedConnection, deadlines: &[SystemTime]) {
    for (portion, chunk) in deadlines.chunks(PORTION).enumerate() {
        let mut pipeline = redis::pipe();
        for (i, deadline) in chunk.iter().enumerate() {
            let id = portion * PORTION + i;
            let (key, phantom) = (format!("plain:{id}"), format!("plain:{id}:phantom"));
            let at = millis(*deadline);
            let seat = Seat1::number(id);
            for key in [&key, &phantom] {
                let hash = pipeline
                    .cmd("HSET")
                    .arg(key)
                    .arg("id")
                    .arg(id)
                    .arg("row")
                    .arg(&seat.row);
                hash.arg("passenger")
                    .arg(&seat.passenger)
                    .arg("price")
                    .arg(seat.price)
                    .ignore();
            }
            pipeline.cmd("PEXPIREAT").arg(&key).arg(at).ignore();
            pipeline.cmd("PEXPIREAT").arg(&phantom).arg(at + 300_000).ignore();
        }
        pipeline.query_async::<()>(connection).await.expect("a save");
    }
}

fn millis(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .expect("after 1970")
        .as_millis() as u64
}
