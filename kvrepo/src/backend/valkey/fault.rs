//! What a failure of the client crate means for a caller.

use redis::{ErrorKind, RedisError, ServerErrorKind};

use super::endpoint::is_tls_failure;
use crate::error::{Error, Outcome};

/// A call that changes nothing failed.
pub(super) fn of_read(operation: &'static str, error: RedisError) -> Error {
    backend(operation, Outcome::NotExecuted, error)
}

/// A call that changes something failed: the server's own errors say that nothing was changed, a refused connection
/// that nothing was sent; after anything else nobody knows.
pub(super) fn of_write(operation: &'static str, error: RedisError) -> Error {
    let outcome = if is_refusal(&error) {
        Outcome::NotExecuted
    } else {
        Outcome::Unknown
    };
    backend(operation, outcome, error)
}

/// Whether the server answered, or was never reached.
fn is_refusal(error: &RedisError) -> bool {
    match error.kind() {
        ErrorKind::AuthenticationFailed | ErrorKind::InvalidClientConfig => true,
        _ => is_reply(error) || error.is_connection_refusal(),
    }
}

fn backend(operation: &'static str, outcome: Outcome, error: RedisError) -> Error {
    let transient = match said(&error) {
        ErrorKind::Io | ErrorKind::Parse => is_of_network(&error),
        ErrorKind::Server(kind) => matches!(
            kind,
            ServerErrorKind::BusyLoading
                | ServerErrorKind::TryAgain
                | ServerErrorKind::MasterDown
                | ServerErrorKind::ReadOnly
        ),
        _ => error.code() == Some("OOM"),
    };
    Error::Backend {
        operation,
        outcome,
        transient,
        source: Box::new(error),
    }
}

/// What the server said; of a transaction that it did not carry out, what it said of the first command that it would not take.
fn said(error: &RedisError) -> ErrorKind {
    let kind = error.kind();
    if kind != ErrorKind::Server(ServerErrorKind::ExecAbort) {
        return kind;
    }
    let errors = error.clone().into_server_errors();
    let first = errors.and_then(|errors| errors.first()?.1.kind());
    first.map_or(kind, ErrorKind::Server)
}

/// Whether the network failed, which may do better in a moment.
pub(super) fn is_of_network(error: &RedisError) -> bool {
    error.is_io_error() && !is_tls_failure(error) || is_half_a_reply(error)
}

/// Whether the connection ended in the middle of a reply. The client crate has no other word for it than for a reply of a server
/// that speaks something else, which will never do better.
fn is_half_a_reply(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Parse && error.to_string().contains("end of input")
}

/// Whether a key held another type of value than the command is for.
pub(super) fn is_wrong_type(error: &RedisError) -> bool {
    error.code() == Some("WRONGTYPE")
}

/// Whether the server does not know the script, so that it did not run.
pub(super) fn is_no_script(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

/// Whether there is no such group of readers, or no log that could have one.
pub(super) fn is_no_group(error: &RedisError) -> bool {
    error.code() == Some("NOGROUP")
}

/// Whether the user may not do this, or nobody may: some servers have commands taken away.
pub(super) fn is_denied(error: &RedisError) -> bool {
    let unknown = || {
        error
            .detail()
            .is_some_and(|detail| detail.starts_with("unknown command"))
    };
    error.kind() == ErrorKind::Server(ServerErrorKind::NoPerm) || (is_reply(error) && unknown())
}

/// Whether the server answered, with an error.
pub(super) fn is_reply(error: &RedisError) -> bool {
    matches!(error.kind(), ErrorKind::Server(_) | ErrorKind::Extension)
}

/// What is said of a server that has become a replica.
pub(super) fn demoted() -> RedisError {
    (
        ErrorKind::Server(ServerErrorKind::ReadOnly),
        "the server is a replica",
    )
        .into()
}

/// Whether the server has become a replica, and will refuse every write.
pub(super) fn is_read_only(error: &RedisError) -> bool {
    said(error) == ErrorKind::Server(ServerErrorKind::ReadOnly)
}

/// Whether the connection is of no more use.
pub(super) fn breaks_connection(error: &RedisError) -> bool {
    error.is_unrecoverable_error() || error.is_connection_dropped() || is_tls_failure(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_reply_is_a_lost_connection_and_another_protocol_is_not() {
        for half in [
            "*2\r\n:1\r\n",
            "*2\r\n:1\r\n$5\r\nab",
            ":1",
            "%7\r\n$6\r\nserver\r\n",
        ] {
            let lost = || redis::parse_redis_value(half.as_bytes()).expect_err("half a reply");
            assert!(
                is_of_network(&lost()) && breaks_connection(&lost()),
                "{:?}",
                lost()
            );
            let error = of_write("save", lost());
            assert!(error.is_transient() && error.is_outcome_unknown(), "{error:?}");
        }
        let other = redis::parse_redis_value(b"HTTP/1.1 400 Bad Request\r\n").expect_err("no reply");
        assert!(!is_of_network(&other) && breaks_connection(&other), "{other:?}");
        assert!(!of_read("find", other).is_transient());
    }
}
