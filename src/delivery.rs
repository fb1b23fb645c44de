//! What arrived: headers, body and, where the sender signs them, method and URL. Borrowed, never copied or changed.

use core::fmt;

use http::{HeaderMap, Method, Request};

/// The head of a request: its headers and, for senders that sign them, its method and URL.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    headers: &'a HeaderMap,
    method: Option<&'a Method>,
    url: Option<&'a str>,
}

impl<'a> Head<'a> {
    /// A head with these headers and no target.
    #[must_use]
    pub const fn new(headers: &'a HeaderMap) -> Self {
        Self { headers, method: None, url: None }
    }

    /// With the method, as it was received.
    #[must_use]
    pub const fn with_method(mut self, method: &'a Method) -> Self {
        self.method = Some(method);
        self
    }

    /// With the public URL that the sender calls, as text: scheme, host, path and query exactly as configured at the
    /// sender. It is signed as it stands. Do not build it from `Host` or `X-Forwarded-*`, which anyone can send.
    #[must_use]
    pub const fn with_url(mut self, url: &'a str) -> Self {
        self.url = Some(url);
        self
    }

    /// The headers.
    #[must_use]
    pub const fn headers(&self) -> &'a HeaderMap {
        self.headers
    }

    /// The method, where it was given.
    #[must_use]
    pub const fn method(&self) -> Option<&'a Method> {
        self.method
    }

    /// The public URL, where it was given.
    #[must_use]
    pub const fn url(&self) -> Option<&'a str> {
        self.url
    }
}

/// A request as it arrived: its head and the raw bytes of its body.
///
/// Give the body exactly as it was received, before any parsing, decoding or trimming.
///
/// ```
/// use hookproof::Delivery;
/// use http::{HeaderMap, Method};
/// let headers = HeaderMap::new();
/// let delivery = Delivery::new(&headers, b"{}")
///     .with_method(&Method::POST)
///     .with_url("https://example.com/hooks");
/// assert_eq!(delivery.body(), b"{}");
/// ```
#[derive(Clone, Copy)]
pub struct Delivery<'a> {
    head: Head<'a>,
    body: &'a [u8],
}

impl<'a> Delivery<'a> {
    /// A delivery with these headers and this raw body, and no target.
    #[must_use]
    pub const fn new(headers: &'a HeaderMap, body: &'a [u8]) -> Self {
        Self { head: Head::new(headers), body }
    }

    /// A delivery of this head and this raw body.
    #[must_use]
    pub const fn from_parts(head: Head<'a>, body: &'a [u8]) -> Self {
        Self { head, body }
    }

    /// With the method; see [`Head::with_method`].
    #[must_use]
    pub const fn with_method(mut self, method: &'a Method) -> Self {
        self.head = self.head.with_method(method);
        self
    }

    /// With the public URL; see [`Head::with_url`].
    #[must_use]
    pub const fn with_url(mut self, url: &'a str) -> Self {
        self.head = self.head.with_url(url);
        self
    }

    /// The head.
    #[must_use]
    pub const fn head(&self) -> Head<'a> {
        self.head
    }

    /// The headers.
    #[must_use]
    pub const fn headers(&self) -> &'a HeaderMap {
        self.head.headers
    }

    /// The raw body.
    #[must_use]
    pub const fn body(&self) -> &'a [u8] {
        self.body
    }
}

/// Names only: values of headers can be credentials.
impl fmt::Debug for Head<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.keys().map(http::HeaderName::as_str).collect();
        f.debug_struct("Head")
            .field("headers", &names)
            .field("method", &self.method)
            .field("url", &self.url)
            .finish()
    }
}

impl fmt::Debug for Delivery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivery")
            .field("head", &self.head)
            .field("body_length", &self.body.len())
            .finish_non_exhaustive()
    }
}

impl<'a, B: AsRef<[u8]>> From<&'a Request<B>> for Delivery<'a> {
    /// Headers, method and body of the request. The URL is left out, since proxies rewrite it: add the public one with
    /// [`with_url`](Self::with_url).
    fn from(request: &'a Request<B>) -> Self {
        Self::new(request.headers(), request.body().as_ref()).with_method(request.method())
    }
}
