//! The answer to a handshake, as data.

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Response, StatusCode};

/// The answer to a handshake: a status, and a body with its type where there is one.
///
/// [`into_response`](Self::into_response) makes a response of it, with the headers that it needs.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub struct Answer {
    status: StatusCode,
    content_type: Option<&'static str>,
    body: Bytes,
}

impl Answer {
    /// A status without a body.
    #[cfg(any(feature = "events", feature = "_read"))]
    pub(crate) const fn empty(status: StatusCode) -> Self {
        Self { status, content_type: None, body: Bytes::new() }
    }

    /// A 200 whose body a browser must not take for a page.
    pub(super) fn plain(text: String) -> Self {
        Self { status: StatusCode::OK, content_type: Some("text/plain"), body: Bytes::from(text) }
    }

    /// A 200 with a JSON document.
    #[cfg(feature = "events")]
    pub(super) fn json(text: String) -> Self {
        Self {
            status: StatusCode::OK,
            content_type: Some("application/json"),
            body: Bytes::from(text),
        }
    }

    /// The HTTP status.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// The media type of the body; `None` where there is no body.
    #[must_use]
    pub const fn content_type(&self) -> Option<&'static str> {
        self.content_type
    }

    /// The body, empty where the sender wants none.
    #[must_use]
    pub const fn body(&self) -> &Bytes {
        &self.body
    }

    /// The response: `Content-Length`, and with a body `Content-Type` and `X-Content-Type-Options: nosniff`.
    ///
    /// ```
    /// use hookproof::handshake::dropbox;
    ///
    /// let response = dropbox::challenge("challenge=abc123")?.into_response();
    /// assert_eq!(response.headers()["content-type"], "text/plain");
    /// assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    /// assert_eq!(response.headers()["content-length"], "6");
    /// # Ok::<(), hookproof::handshake::HandshakeError>(())
    /// ```
    #[must_use]
    pub fn into_response(self) -> Response<Bytes> {
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        let length = HeaderValue::from(response.body().len());
        let headers = response.headers_mut();
        headers.insert(CONTENT_LENGTH, length);
        if let Some(content_type) = self.content_type {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
            headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        }
        response
    }
}
