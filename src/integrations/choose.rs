//! Finds the endpoint of a request and verifies the request by it.

use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, StatusCode};

use super::endpoint::{Endpoint, NoEndpoint};
use super::endpoints::{Endpoints, Place};
use super::incoming::Incoming;
use super::read::{Broken, Chunks, Received, keep, receive};
use super::standing::{Chosen, Standing};
use super::tenants::Tenants;
use crate::error::Error;
use crate::verified::VerifiedBuf;

/// Why a request goes no further, where there are several endpoints.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no endpoint for it.
    NoEndpoint(NoEndpoint),
    /// The delivery is not genuine, not whole or not fresh.
    Refused(Error),
}

impl Refusal {
    /// The HTTP status to answer with, and an empty body.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        match self {
            Self::NoEndpoint(none) => none.status(),
            Self::Refused(error) => error.status(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEndpoint(none) => none.fmt(f),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for Refusal {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::NoEndpoint(none) => Some(none),
            Self::Refused(error) => Some(error),
        }
    }
}

impl Endpoints {
    /// Verifies a request whose body has been read, by the endpoint that it is for: the endpoint and the proof. For servers
    /// without an adapter here; the runtime has to be tokio's.
    ///
    /// ```
    /// use hookproof::{Endpoint, Endpoints, Refusal, Verifier, providers::GITHUB};
    /// # async fn answer() -> Result<(), Box<dyn std::error::Error>> {
    /// let github = Endpoint::new(Verifier::builder(&GITHUB).secret("a long random text").build()?)?;
    /// let endpoints = Endpoints::by_name("/hooks", [github])?;
    ///
    /// let request = http::Request::post("/hooks/github").body(b"{}".to_vec())?;
    /// let refusal = endpoints.verify(request).await.unwrap_err();
    /// assert_eq!(refusal.status(), 401, "it is not signed");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Refusal`]: no endpoint, or as [`Endpoint::verify`].
    pub async fn verify<B: Into<Bytes>>(
        &self,
        request: Request<B>,
    ) -> Result<(Endpoint, VerifiedBuf), Refusal> {
        let (parts, body) = request.into_parts();
        let body = body.into();
        let incoming = Incoming::of(&parts, u64::try_from(body.len()).ok());
        let mut chunks = Whole(Some(body));
        let (endpoint, received) = receive_any(self, incoming, Pin::new(&mut chunks)).await?;
        Ok((endpoint, received.with_head(parts.headers, parts.method)))
    }
}

/// A body that has been read.
struct Whole(Option<Bytes>);

impl Chunks for Whole {
    fn poll_chunk(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Broken>>> {
        Poll::Ready(self.0.take().map(Ok))
    }
}

/// Verifies a request whose body is arriving: what was found, and the endpoint that it is by.
pub(super) async fn receive_any(
    endpoints: &Endpoints,
    incoming: Incoming<'_>,
    chunks: Pin<&mut impl Chunks>,
) -> Result<(Endpoint, Received), Refusal> {
    let mut chunks = Given { kept: None, rest: Some(chunks) };
    let place = endpoints.at(incoming.path());
    let chosen = match place.map_err(|none| Refusal::NoEndpoint(none.reported()))? {
        Place::Endpoint(endpoint) => Chosen::own(endpoint),
        Place::Tenants(tenants, key) => find(tenants, key, incoming, &mut chunks).await?,
    };
    let received = receive(&chosen, incoming, Pin::new(&mut chunks)).await;
    received.map(|received| (chosen.endpoint, received)).map_err(Refusal::Refused)
}

/// The endpoint of a tenant. A body that is read for it is kept.
async fn find<C: Chunks>(
    tenants: &Tenants,
    key: &str,
    incoming: Incoming<'_>,
    chunks: &mut Given<'_, C>,
) -> Result<Chosen, Refusal> {
    if tenants.are_in_the_body() {
        let unknown = Chosen::tenant(tenants.unknown().clone(), Standing::Unknown);
        let body = keep(&unknown, incoming, Pin::new(&mut *chunks)).await;
        *chunks = Given { kept: Some(body.map_err(Refusal::Refused)?), rest: None };
    }
    let body = chunks.kept.as_deref().unwrap_or_default();
    let found = tenants.find(key, body).await;
    found.map_err(|none| Refusal::NoEndpoint(none.reported()))
}

/// A body that was read already, or that is arriving.
struct Given<'c, C> {
    kept: Option<Bytes>,
    rest: Option<Pin<&'c mut C>>,
}

impl<C: Chunks> Chunks for Given<'_, C> {
    fn poll_chunk(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Broken>>> {
        if let Some(kept) = self.kept.take() {
            return Poll::Ready(Some(Ok(kept)));
        }
        match &mut self.rest {
            Some(rest) => rest.as_mut().poll_chunk(cx),
            None => Poll::Ready(None),
        }
    }
}
