//! Answers to what is refused.

use core::fmt;

use axum_core::body::Body;
use axum_core::response::{IntoResponse, Response};

use crate::error::Error;
use crate::handshake::{Answer, HandshakeError};
use crate::integrations::endpoint::NoEndpoint;

/// The error's status, and an empty body whatever the reason.
impl IntoResponse for Error {
    fn into_response(self) -> Response {
        self.status().into_response()
    }
}

/// The answer with its headers.
impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        Self::into_response(self).map(Body::from)
    }
}

/// The error's status, and an empty body whatever the reason.
impl IntoResponse for HandshakeError {
    fn into_response(self) -> Response {
        self.status().into_response()
    }
}

/// Why a handler that takes a [`Webhook`](super::Webhook) was not called.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum WebhookRejection<R> {
    /// The delivery is genuine, and its content is not what the handler's own extractor takes. Answered as that extractor
    /// answers: the sender will try again, and the fault is likely ours.
    Content(R),
    /// There is no endpoint for the request. Answered with its status and an empty body.
    NoEndpoint(NoEndpoint),
    /// The delivery is not genuine, not whole or not fresh. Answered with the error's status and an empty body.
    Refused(Error),
}

impl<R: IntoResponse> IntoResponse for WebhookRejection<R> {
    fn into_response(self) -> Response {
        match self {
            Self::Content(rejection) => rejection.into_response(),
            Self::NoEndpoint(none) => none.status().into_response(),
            Self::Refused(error) => error.into_response(),
        }
    }
}

impl<R: fmt::Display> fmt::Display for WebhookRejection<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Content(rejection) => {
                write!(f, "the delivery is genuine but its content was not taken: {rejection}")
            }
            Self::NoEndpoint(none) => none.fmt(f),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl<R: core::error::Error + 'static> core::error::Error for WebhookRejection<R> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Content(rejection) => Some(rejection),
            Self::NoEndpoint(none) => Some(none),
            Self::Refused(error) => Some(error),
        }
    }
}
