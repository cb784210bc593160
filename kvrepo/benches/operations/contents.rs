//! All that a database holds, to compare it with what another holds.

use std::collections::BTreeMap;
use std::fmt;

use redis::Value;
use redis::aio::MultiplexedConnection;

/// How far apart, in milliseconds, the same thing may be that was done twice.
const TOLERANCE: f64 = 10_000.0;

/// A text, or a moment or a span in milliseconds.
#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Millis(f64),
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Millis(a), Self::Millis(b)) => (a - b).abs() < TOLERANCE,
            _ => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Held {
    /// How the server keeps it: bytes that are the same but kept in another way would not cost the same.
    encoding: String,
    expires: Part,
    parts: Vec<Vec<Part>>,
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Contents(BTreeMap<String, Held>);

impl Contents {
    /// Everything. Positions in streams are left out, since no two are the same.
    pub(crate) async fn read(url: &str) -> Self {
        let client = redis::Client::open(url).expect("a client");
        let connection = client.get_multiplexed_async_connection().await;
        let connection = &mut connection.expect("a connection");
        let keys = texts(ask(connection, &["KEYS", "*"]).await);
        let mut all = BTreeMap::new();
        for key in keys {
            let key = key.as_str();
            let kind = text(ask(connection, &["TYPE", key]).await);
            let parts = match kind.as_str() {
                "hash" => hash(connection, key).await,
                "set" => sorted(texts(ask(connection, &["SMEMBERS", key]).await)),
                "zset" => zset(connection, key).await,
                "stream" => stream(connection, key).await,
                _ => vec![vec![Part::Text(text(ask(connection, &["GET", key]).await))]],
            };
            let held = Held {
                encoding: text(ask(connection, &["OBJECT", "ENCODING", key]).await),
                expires: Part::Millis(number(ask(connection, &["PTTL", key]).await)),
                parts,
            };
            all.insert(key.to_owned(), held);
        }
        Self(all)
    }

    /// The first thing that differs.
    pub(crate) fn difference(&self, other: &Self) -> Option<impl fmt::Display> {
        let keys = self.0.keys().chain(other.0.keys());
        let differs = |key: &&String| self.0.get(*key) != other.0.get(*key);
        keys.into_iter()
            .find(differs)
            .map(|key| format!("{key}: {:?} here, {:?} there", self.0.get(key), other.0.get(key)))
    }

    pub(crate) fn keys(&self) -> usize {
        self.0.len()
    }
}

async fn ask(connection: &mut MultiplexedConnection, words: &[&str]) -> Value {
    let mut command = redis::cmd(words[0]);
    command.arg(&words[1..]);
    command.query_async(connection).await.expect("a reply")
}

/// In the order in which the server has them, which is that in which they were written where they are few. What is
/// remembered of the log is positions.
async fn hash(connection: &mut MultiplexedConnection, key: &str) -> Vec<Vec<Part>> {
    let fields = texts(ask(connection, &["HGETALL", key]).await);
    if key.ends_with("#log") {
        return sorted(fields.into_iter().step_by(2).collect());
    }
    fields
        .chunks(2)
        .map(|pair| pair.iter().cloned().map(Part::Text).collect())
        .collect()
}

async fn zset(connection: &mut MultiplexedConnection, key: &str) -> Vec<Vec<Part>> {
    let mut members = texts(ask(connection, &["ZRANGE", key, "0", "-1"]).await);
    members.sort_unstable();
    let mut all = Vec::new();
    for member in members {
        let score = number(ask(connection, &["ZSCORE", key, &member]).await);
        all.push(vec![Part::Text(member), Part::Millis(score)]);
    }
    all
}

async fn stream(connection: &mut MultiplexedConnection, key: &str) -> Vec<Vec<Part>> {
    let Value::Array(entries) = ask(connection, &["XRANGE", key, "-", "+"]).await else {
        panic!("no stream");
    };
    let fields = |entry| match entry {
        Value::Array(mut parts) => texts(parts.pop().expect("fields")),
        other => panic!("no entry: {other:?}"),
    };
    let part = |(at, text): (usize, String)| match (at, text.parse()) {
        // The value of the second field, which is the deadline.
        (3, Ok(millis)) => Part::Millis(millis),
        _ => Part::Text(text),
    };
    entries
        .into_iter()
        .map(|entry| fields(entry).into_iter().enumerate().map(part).collect())
        .collect()
}

fn sorted(mut texts: Vec<String>) -> Vec<Vec<Part>> {
    texts.sort_unstable();
    texts.into_iter().map(|text| vec![Part::Text(text)]).collect()
}

fn text(value: Value) -> String {
    match value {
        Value::BulkString(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Value::SimpleString(text) => text,
        other => panic!("no text: {other:?}"),
    }
}

fn texts(value: Value) -> Vec<String> {
    match value {
        Value::Array(items) | Value::Set(items) => items.into_iter().map(text).collect(),
        Value::Map(pairs) => pairs.into_iter().flat_map(|(a, b)| [text(a), text(b)]).collect(),
        other => panic!("no list: {other:?}"),
    }
}

fn number(value: Value) -> f64 {
    match value {
        Value::Int(number) => number as f64,
        Value::Double(number) => number,
        other => text(other).parse().expect("a number"),
    }
}
