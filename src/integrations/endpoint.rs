//! What one address of a server accepts: a verifier, limits, the public URL, a clock, and where reports go.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;
#[cfg(feature = "_read")]
use std::sync::OnceLock;
use std::time::SystemTime;

use bytes::Bytes;
use http::{Request, StatusCode};

use super::incoming::{Incoming, Seen};
use super::report::{Accepted, Report};
use super::url::{PublicUrl, bad};
use crate::config_error::ConfigError;
use crate::error::{Error, ErrorKind};
use crate::stream::Collector;
use crate::time::UnixTime;
use crate::verified::{Genuine, VerifiedBuf};
use crate::verifier::Verifier;

/// The largest body of senders that do not say how large their bodies may become: far above what they send, and small
/// enough to be held for each of many connections.
const DEFAULT_LIMIT: usize = 1 << 20;

/// Senders want their answer within 5 to 30 s: what takes longer is not worth waiting for.
const DEFAULT_BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Well beyond a lost packet or two; a sender sends its body in one go.
const DEFAULT_CHUNK_TIMEOUT: Duration = Duration::from_secs(10);

/// What one address of a server accepts. Cheap to clone.
///
/// Adapters for frameworks take one; [`verify`](Self::verify) takes requests whose body has been read.
///
/// ```
/// use hookproof::{Endpoint, PublicUrl, Verifier, providers::HUBSPOT};
///
/// let verifier = Verifier::builder(&HUBSPOT).secret("client-secret").build()?;
/// let endpoint = Endpoint::builder(verifier)
///     .url(PublicUrl::base("https://hooks.example.com")?)
///     .limit(512 << 10)
///     .on_verdict(|report| println!("{}: {}", report.provider, report.word()))
///     .build()?;
///
/// let request = http::Request::post("/hubspot").body(b"[]".to_vec())?;
/// assert!(endpoint.verify(request).is_err(), "it is not signed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Endpoint(Arc<Inner>);

struct Inner {
    verifier: Verifier,
    name: Option<Box<str>>,
    limit: usize,
    url: Option<PublicUrl>,
    body_timeout: Duration,
    chunk_timeout: Duration,
    #[cfg(feature = "_read")]
    has_timers: OnceLock<()>,
    clock: Box<Clock>,
    on_verdict: Option<Box<OnVerdict>>,
}

type Clock = dyn Fn() -> UnixTime + Send + Sync;
type OnVerdict = dyn Fn(&Report<'_>) + Send + Sync;

impl Endpoint {
    /// An endpoint with the defaults of [`EndpointBuilder`].
    ///
    /// # Errors
    ///
    /// [`BadUrl`](crate::ConfigErrorKind::BadUrl) if the sender signs the URL: build it with one.
    pub fn new(verifier: Verifier) -> Result<Self, ConfigError> {
        Self::builder(verifier).build()
    }

    /// Begins an endpoint for the deliveries that this verifier accepts.
    pub fn builder(verifier: Verifier) -> EndpointBuilder {
        let limit = verifier.provider().info().max_body.unwrap_or(DEFAULT_LIMIT);
        EndpointBuilder(Inner {
            verifier,
            name: None,
            limit,
            url: None,
            body_timeout: DEFAULT_BODY_TIMEOUT,
            chunk_timeout: DEFAULT_CHUNK_TIMEOUT,
            #[cfg(feature = "_read")]
            has_timers: OnceLock::new(),
            clock: Box::new(|| UnixTime::from(SystemTime::now())),
            on_verdict: None,
        })
    }

    /// Verifies a request whose body has been read, by the policies of this endpoint, and reports the verdict.
    ///
    /// The body is not copied. It is hashed in one go: in an async server, leave bodies of many megabytes to an adapter,
    /// which hashes them in parts.
    ///
    /// # Errors
    ///
    /// As [`Verifier::verify_at`]; [`BodyTooLarge`](crate::ErrorKind::BodyTooLarge) for bodies over the limit, and
    /// [`MissingTarget`](crate::ErrorKind::MissingTarget) if a trusted proxy did not name the URL.
    pub fn verify<B: Into<Bytes>>(&self, request: Request<B>) -> Result<VerifiedBuf, Error> {
        let (parts, body) = request.into_parts();
        let body = body.into();
        let incoming = Incoming::of(&parts, u64::try_from(body.len()).ok());
        let mut seen = Seen::of(&incoming);
        let verdict = self.verify_whole(incoming, body, &mut seen);
        self.report(
            &seen,
            verdict.as_ref().map(|found| seen.accepted(found, incoming)).map_err(|error| *error),
        );
        Ok(verdict?.with_parts(parts.headers, Some(parts.method), seen.url))
    }

    fn verify_whole(
        &self,
        incoming: Incoming<'_>,
        body: Bytes,
        seen: &mut Seen,
    ) -> Result<Genuine, Error> {
        self.target(&incoming, seen)?;
        let mut collector = self.collect(incoming, seen.url.as_deref())?;
        seen.body_length = body.len();
        collector.push(body)?;
        let now = self.now();
        seen.judged_at = Some(now);
        collector.prove(now)
    }

    /// The verifier.
    #[must_use]
    pub fn verifier(&self) -> &Verifier {
        &self.0.verifier
    }

    /// The name, where it was given one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// The largest body, in bytes.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    pub(super) fn now(&self) -> UnixTime {
        (self.0.clock)()
    }

    #[cfg(feature = "_read")]
    pub(super) fn body_timeout(&self) -> Duration {
        self.0.body_timeout
    }

    #[cfg(feature = "_read")]
    pub(super) fn chunk_timeout(&self) -> Duration {
        self.0.chunk_timeout
    }

    /// Runs this for the first request of an endpoint that needs a timer for slow bodies: a runtime without timers then shows
    /// with that one. Run again for the next if it panics.
    #[cfg(feature = "_read")]
    pub(super) fn check_timers(&self, check: impl FnOnce()) {
        if self.0.chunk_timeout < Duration::MAX || self.0.body_timeout < Duration::MAX {
            self.0.has_timers.get_or_init(check);
        }
    }

    /// What comes before the head is read: a body that is declared too long is refused, and the public URL is found, where
    /// the sender signs it.
    pub(super) fn target(&self, incoming: &Incoming<'_>, seen: &mut Seen) -> Result<(), Error> {
        if incoming.is_longer_than(self.0.limit) {
            return Err(self.error(ErrorKind::BodyTooLarge));
        }
        if !self.0.verifier.needs().url {
            return Ok(());
        }
        let Some(url) = &self.0.url else { return Err(self.error(ErrorKind::MissingTarget)) };
        match url.resolve_for(incoming.headers, incoming.path_and_query, incoming.peer) {
            Ok(url) => {
                seen.url = Some(url.into());
                Ok(())
            }
            Err(fault) => {
                seen.proxy = Some(fault);
                Err(self.error(ErrorKind::MissingTarget))
            }
        }
    }

    /// Reads the head: all that can be said before the body.
    pub(super) fn collect<'h>(
        &'h self,
        incoming: Incoming<'h>,
        url: Option<&'h str>,
    ) -> Result<Collector<'h>, Error> {
        self.0.verifier.collect(incoming.head(url), self.0.limit)
    }

    pub(super) fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.0.verifier.provider().info().id)
    }

    /// What a request is in from its head to its verdict.
    #[cfg(all(feature = "tracing", feature = "_read"))]
    pub(super) fn span(&self) -> tracing::Span {
        let provider = self.0.verifier.provider().info().id;
        tracing::info_span!(target: "hookproof", "verify", provider, endpoint = self.name())
    }

    /// Tells the operator.
    pub(super) fn report(&self, seen: &Seen, verdict: Result<Accepted, Error>) {
        let report = Report {
            endpoint: self.name(),
            provider: self.0.verifier.provider().info().id,
            verdict,
            judged_at: seen.judged_at,
            body_length: seen.body_length,
            url: seen.url.as_deref(),
            content_encoded: seen.content_encoded,
            shadow: seen.shadow,
            proxy: seen.proxy,
            tenant: seen.tenant,
        };
        #[cfg(any(feature = "metrics", feature = "tracing"))]
        report.emit();
        if let Some(on_verdict) = &self.0.on_verdict {
            on_verdict(&report);
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug("Endpoint", f)
    }
}

/// Why there is no endpoint for a request, said by what chooses among several.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum NoEndpoint {
    /// There should be one: this server is set up wrongly. Answered 500, so that senders try again.
    Misconfigured,
    /// No route has the path of the request. Answered 404.
    NotFound,
    /// Whoever knows it does not answer. Answered 503, so that senders try again.
    Unavailable,
    /// Nobody is known by what the request names. Answered like a wrong signature, so that nobody learns who is; it is
    /// answered at once, though, before the body is read. `Tenants` hide that too.
    Unknown,
}

impl NoEndpoint {
    /// The HTTP status to answer with.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::Misconfigured => StatusCode::INTERNAL_SERVER_ERROR,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Unknown => StatusCode::UNAUTHORIZED,
        }
    }

    /// The same, once the operator has been told.
    #[cfg(feature = "_read")]
    pub(super) fn reported(self) -> Self {
        #[cfg(feature = "metrics")]
        super::metrics::count_no_endpoint();
        #[cfg(feature = "tracing")]
        match self {
            Self::Misconfigured => tracing::error!(
                target: "hookproof",
                verdict = "no-endpoint",
                "delivery not judged: this server is set up wrongly"
            ),
            Self::Unavailable => tracing::error!(
                target: "hookproof",
                verdict = "no-endpoint",
                "delivery not judged: nobody says by which endpoint"
            ),
            Self::NotFound | Self::Unknown => {
                tracing::warn!(target: "hookproof", verdict = "no-endpoint", "delivery refused");
            }
        }
        self
    }
}

impl fmt::Display for NoEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Misconfigured => {
                "this server has no endpoint for the request; add it to the application's state"
            }
            Self::NotFound => "no route has the path of the request",
            Self::Unavailable => {
                "the endpoint of the request cannot be found out now; see why the resolver fails"
            }
            Self::Unknown => "nobody is known by what the request names; it is not for this server",
        })
    }
}

impl core::error::Error for NoEndpoint {}

/// Sets up an [`Endpoint`].
#[must_use]
pub struct EndpointBuilder(Inner);

impl EndpointBuilder {
    /// A name for reports, to tell endpoints of one sender apart.
    pub fn name(mut self, name: &str) -> Self {
        self.0.name = Some(name.into());
        self
    }

    /// How the public URL is known. Needed for senders that sign it; no other reads it.
    pub fn url(mut self, url: PublicUrl) -> Self {
        self.0.url = Some(url);
        self
    }

    /// The largest body, in bytes. The default is the sender's own, see [`Info::max_body`](crate::Info::max_body), else 1 MiB.
    pub fn limit(mut self, limit: usize) -> Self {
        self.0.limit = limit;
        self
    }

    /// How long the whole body may take to arrive; 30 s by default. Adapters only.
    pub fn body_timeout(mut self, timeout: Duration) -> Self {
        self.0.body_timeout = timeout;
        self
    }

    /// How long the next part of the body may take to arrive; 10 s by default. Adapters only. With
    /// [`Duration::MAX`] for both times no timer is made.
    pub fn chunk_timeout(mut self, timeout: Duration) -> Self {
        self.0.chunk_timeout = timeout;
        self
    }

    /// Another clock than the system's, for tests and replays.
    pub fn clock(mut self, clock: impl Fn() -> UnixTime + Send + Sync + 'static) -> Self {
        self.0.clock = Box::new(clock);
        self
    }

    /// What to do with the report of each verdict, accepted ones included. It is called on the way to the answer: count,
    /// log, and do nothing that waits.
    pub fn on_verdict(mut self, call: impl Fn(&Report<'_>) + Send + Sync + 'static) -> Self {
        self.0.on_verdict = Some(Box::new(call));
        self
    }

    /// The endpoint.
    ///
    /// # Errors
    ///
    /// [`BadUrl`](crate::ConfigErrorKind::BadUrl) if the sender signs the URL and there is no [`url`](Self::url).
    pub fn build(self) -> Result<Endpoint, ConfigError> {
        if self.0.verifier.needs().url && self.0.url.is_none() {
            return Err(bad(
                "the sender signs the URL that it calls; give the endpoint the public URL that is configured at the sender",
            )
            .with_provider(self.0.verifier.provider().info().id));
        }
        Ok(Endpoint(Arc::new(self.0)))
    }
}

impl fmt::Debug for EndpointBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug("EndpointBuilder", f)
    }
}

impl Inner {
    fn debug(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("verifier", &self.verifier)
            .field("name", &self.name)
            .field("limit", &self.limit)
            .field("url", &self.url)
            .field("body_timeout", &self.body_timeout)
            .field("chunk_timeout", &self.chunk_timeout)
            .finish_non_exhaustive()
    }
}
