//! Errors as answers: which status, and what of the error a client may read.

use std::error::Error as StdError;

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection, StringRejection};
use axum::http::header::RETRY_AFTER;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use kvrepo::Error;
use serde::Serialize;

/// Why a request was not answered as asked.
#[derive(Debug)]
pub(super) struct Failure {
    status: StatusCode,
    message: String,
}

/// What a client reads of it.
#[derive(Debug, Serialize)]
pub(super) struct Message {
    error: String,
}

impl Failure {
    fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
        }
    }

    /// A request that cannot be meant as it is.
    pub(super) fn unprocessable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }
}

/// The status of each error that a client can do something about; the others are ours to mend.
fn status(error: &Error) -> StatusCode {
    match error {
        Error::InvalidId { .. }
        | Error::InvalidTimeToLive { .. }
        | Error::DeadlinePassed { .. }
        | Error::Encode { .. }
        | Error::InvalidSetting {
            what: "cursor" | "limit",
            ..
        } => StatusCode::UNPROCESSABLE_ENTITY,
        Error::NotFound { .. } => StatusCode::NOT_FOUND,
        // `If-None-Match: *` was what did not hold.
        Error::AlreadyExists { .. } | Error::VersionConflict { .. } => StatusCode::PRECONDITION_FAILED,
        Error::UniqueViolation { .. } => StatusCode::CONFLICT,
        // Of the events of a listener that was slower than the log is long; there is no request to answer.
        Error::Gap { .. } => StatusCode::GONE,
        error if error.is_transient() => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The client reads kvrepo's own message, which names no value and no password; the log has the causes as well.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = status(&error);
        if status.is_server_error() {
            eprintln!("kv-service: {}", with_causes(&error));
        }
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            return Self::new(status, "internal error");
        }
        Self::new(status, error.to_string())
    }
}

impl From<PathRejection> for Failure {
    fn from(rejection: PathRejection) -> Self {
        Self::new(rejection.status(), rejection.body_text())
    }
}

impl From<QueryRejection> for Failure {
    fn from(rejection: QueryRejection) -> Self {
        Self::unprocessable(rejection.body_text())
    }
}

impl From<StringRejection> for Failure {
    fn from(rejection: StringRejection) -> Self {
        Self::new(rejection.status(), rejection.body_text())
    }
}

impl From<Failure> for Message {
    fn from(failure: Failure) -> Self {
        Self {
            error: failure.message,
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = self.status;
        let body = Json(Message::from(self));
        if status == StatusCode::SERVICE_UNAVAILABLE {
            return (status, [(RETRY_AFTER, "1")], body).into_response();
        }
        (status, body).into_response()
    }
}

pub(super) async fn no_such_path(uri: Uri) -> Failure {
    Failure::new(StatusCode::NOT_FOUND, format!("there is no `{}`", uri.path()))
}

pub(super) async fn no_such_method(method: Method, uri: Uri) -> Failure {
    let message = format!("`{}` cannot be asked to `{method}`", uri.path());
    Failure::new(StatusCode::METHOD_NOT_ALLOWED, message)
}

/// An error with all that caused it, for people.
#[must_use]
pub fn with_causes(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
