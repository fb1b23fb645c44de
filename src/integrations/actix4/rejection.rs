//! Answers to what is refused.

use core::fmt;

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::X_CONTENT_TYPE_OPTIONS;
use actix_web::{HttpRequest, HttpResponse, Responder, ResponseError};

use crate::error::Error;
use crate::handshake::{Answer, HandshakeError};
use crate::integrations::endpoint::NoEndpoint;

/// Why a handler that takes a delivery was not called.
#[derive(Debug)]
#[non_exhaustive]
pub enum WebhookRejection {
    /// The delivery is genuine, and its content is not what the handler's own extractor takes. Answered as that extractor
    /// answers: the sender will try again, and the fault is likely ours.
    Content(actix_web::Error),
    /// There is no endpoint for the request. Answered with its status and an empty body.
    NoEndpoint(NoEndpoint),
    /// The delivery is not genuine, not whole or not fresh. Answered with the error's status and an empty body.
    Refused(Error),
}

impl ResponseError for WebhookRejection {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::Content(error) => error.as_response_error().status_code(),
            Self::NoEndpoint(none) => status(none.status()),
            Self::Refused(error) => status(error.status()),
        }
    }

    fn error_response(&self) -> HttpResponse {
        match self {
            Self::Content(error) => error.error_response(),
            _ => HttpResponse::new(self.status_code()),
        }
    }
}

/// The error's status, and an empty body whatever the reason.
impl ResponseError for Error {
    fn status_code(&self) -> StatusCode {
        status(self.status())
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.status_code())
    }
}

/// The error's status, and an empty body whatever the reason.
impl ResponseError for HandshakeError {
    fn status_code(&self) -> StatusCode {
        status(self.status())
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.status_code())
    }
}

/// The answer with its headers.
impl Responder for Answer {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        answered(self)
    }
}

/// The length of a body is a header that actix-web writes.
pub(super) fn answered(answer: Answer) -> HttpResponse {
    let mut response = HttpResponse::build(status(answer.status()));
    if let Some(content_type) = answer.content_type() {
        response.content_type(content_type);
        response.insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"));
    }
    response.body(answer.body().clone())
}

/// A status of `http` 1 as one of `http` 0.2, which has the same numbers.
pub(super) fn status(status: http::StatusCode) -> StatusCode {
    StatusCode::from_u16(status.as_u16()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

impl fmt::Display for WebhookRejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Content(error) => {
                write!(f, "the delivery is genuine but its content was not taken: {error}")
            }
            Self::NoEndpoint(none) => none.fmt(f),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for WebhookRejection {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Content(_) => None,
            Self::NoEndpoint(none) => Some(none),
            Self::Refused(error) => Some(error),
        }
    }
}
