//! What kind of server this is, and whether it will do.
//!
//! All of it is in the reply to `HELLO`, the one question that no user can be forbidden to ask.

use std::collections::HashMap;

use redis::aio::MultiplexedConnection;
use redis::{Cmd, RedisResult, Value, from_redis_value};

use super::connection::{Call, Connection};
use super::fault;
use crate::error::{Error, Result};

/// The first version that has what is used: `PEXPIRETIME`, effects of scripts replicated as they happen.
const OLDEST: u32 = 7;

/// What a server says of itself; empty where it does not.
#[derive(Debug, Default)]
pub(super) struct Hello {
    version: String,
    mode: String,
    role: String,
}

impl Hello {
    /// Without arguments: nothing is changed by it.
    pub(super) fn question() -> Cmd {
        redis::cmd("HELLO")
    }

    /// Asks on this connection, which also shows that it is alive.
    pub(super) async fn ask(connection: &mut MultiplexedConnection) -> RedisResult<Self> {
        match Self::question().query_async(connection).await {
            Ok(reply) => Ok(Self::read(reply)),
            // Something between us and the server does not let it through.
            Err(error) if fault::is_denied(&error) => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    /// Pairs in RESP2, a map in RESP3.
    pub(super) fn read(reply: Value) -> Self {
        let mut told: HashMap<String, Value> = from_redis_value(reply).unwrap_or_default();
        let mut text = |name| told.remove(name).and_then(super::reply::text).unwrap_or_default();
        Self {
            version: text("version"),
            mode: text("mode"),
            role: text("role"),
        }
    }

    pub(super) fn is_replica(&self) -> bool {
        // Older ones have the old word.
        matches!(self.role.as_str(), "replica" | "slave")
    }
}

/// Asks the server what it is.
///
/// # Errors
///
/// [`Error::Unsupported`] if it is too old, a cluster, a sentinel or a replica.
pub(super) async fn check(connection: &Connection) -> Result<()> {
    let call = Call::read("connect");
    match connection.command(call, &Hello::question()).await {
        Ok(reply) => judge(&Hello::read(reply)),
        Err(Error::Backend { source, .. }) if source.downcast_ref().is_some_and(fault::is_denied) => Ok(()),
        Err(Error::Backend { source, .. }) if source.downcast_ref().is_some_and(fault::is_read_only) => {
            unsupported("a replica; connect to its primary")
        }
        Err(error) => Err(error),
    }
}

fn judge(hello: &Hello) -> Result<()> {
    let major = hello.version.split('.').next();
    let major = major.and_then(|major| major.parse().ok()).unwrap_or(OLDEST);
    if major < OLDEST {
        let version = &hello.version;
        return unsupported(&format!(
            "server version {version}; Valkey 7.2 or Redis 7.0 is the oldest that will do"
        ));
    }
    match hello.mode.as_str() {
        "cluster" => unsupported("a cluster; connect to a standalone server"),
        "sentinel" => unsupported("a sentinel; connect to the primary that it watches"),
        _ if hello.is_replica() => unsupported("a replica; connect to its primary"),
        _ => Ok(()),
    }
}

fn unsupported(what: &str) -> Result<()> {
    Err(Error::Unsupported {
        what: what.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(version: &str, mode: &str, role: &str) -> Hello {
        let pairs = [("version", version), ("mode", mode), ("role", role)];
        let text = |text: &str| Value::BulkString(text.as_bytes().to_vec());
        let flat = pairs.iter().flat_map(|(name, value)| [text(name), text(value)]);
        Hello::read(Value::Array(flat.collect()))
    }

    #[test]
    fn a_server_that_will_not_do_is_told_why() {
        let refused = |hello: &Hello| match judge(hello) {
            Err(Error::Unsupported { what }) => what,
            other => panic!("{other:?}"),
        };
        assert!(refused(&hello("6.2.14", "standalone", "master")).contains("6.2.14"));
        assert!(refused(&hello("9.1.2", "cluster", "master")).contains("cluster"));
        assert!(refused(&hello("9.1.2", "sentinel", "")).contains("sentinel"));
        assert!(refused(&hello("7.0.15", "standalone", "replica")).contains("replica"));
        judge(&hello("7.0.15", "standalone", "master")).unwrap();
        judge(&Hello::read(Value::Nil)).unwrap();
    }
}
