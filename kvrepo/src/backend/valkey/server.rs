//! What kind of server this is, and whether it will do.

use redis::Value;

use super::connection::{Call, Connection};
use super::{fault, reply};
use crate::error::{Error, Result};

/// The first version that has what is used: `PEXPIRETIME`, effects of scripts replicated as they happen.
const OLDEST: u32 = 7;

/// Asks the server what it is.
///
/// # Errors
///
/// [`Error::Unsupported`] if it is too old, a cluster, or a replica.
pub(super) async fn check(connection: &Connection) -> Result<()> {
    let mut command = redis::cmd("INFO");
    let info = match connection.command(Call::read("connect"), &command).await {
        Ok(info) => info,
        // A user who may not ask is told of what does not work when it does not.
        Err(Error::Backend { source, .. }) if source.downcast_ref().is_some_and(fault::is_denied) => {
            command = redis::cmd("PING");
            connection.command(Call::read("connect"), &command).await?;
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let text = match info {
        Value::VerbatimString { text, .. } => text,
        other => reply::text(other).ok_or_else(|| reply::unexpected("connect"))?,
    };
    judge(&text)
}

fn judge(info: &str) -> Result<()> {
    let field = |name: &str| {
        info.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .map(str::trim)
    };
    let unsupported = |what: String| Err(Error::Unsupported { what });
    // Every Valkey also says that it is Redis 7.2.4.
    let version = field("valkey_version")
        .or_else(|| field("redis_version"))
        .unwrap_or("unknown");
    let major = version
        .split('.')
        .next()
        .and_then(|major| major.parse().ok())
        .unwrap_or(OLDEST);
    if major < OLDEST {
        return unsupported(format!(
            "server version {version}; Valkey 7.2 or Redis 7.0 is the oldest that will do"
        ));
    }
    if field("cluster_enabled") == Some("1") || field("redis_mode") == Some("cluster") {
        return unsupported("a cluster; connect to a standalone server".into());
    }
    if field("role") == Some("slave") {
        return unsupported("a replica; connect to its primary".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_will_not_do_is_told_why() {
        let refused = |info: &str| match judge(info) {
            Err(Error::Unsupported { what }) => what,
            other => panic!("{other:?}"),
        };
        assert!(refused("redis_version:6.2.14\r\n").contains("6.2.14"));
        assert!(
            refused("redis_version:7.2.4\r\nvalkey_version:9.1.2\r\ncluster_enabled:1\r\n")
                .contains("cluster")
        );
        assert!(refused("redis_version:7.0.15\r\nrole:slave\r\n").contains("replica"));
        judge("redis_version:7.0.15\r\nrole:master\r\ncluster_enabled:0\r\n").unwrap();
        judge("").unwrap();
    }
}
