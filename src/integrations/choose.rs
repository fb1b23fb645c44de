//! Finds the endpoint of a request and verifies the request by it.

use core::pin::Pin;
use core::task::{Context, Poll};

use bytes::Bytes;
use http::StatusCode;

use super::endpoint::{Endpoint, NoEndpoint};
use super::endpoints::{Endpoints, Place};
use super::incoming::Incoming;
use super::read::{Broken, Chunks, keep, receive};
use super::standing::{Chosen, Standing};
use super::tenants::Tenants;
use crate::error::Error;
use crate::verified::VerifiedBuf;

/// Why a request goes no further.
pub(super) enum Refusal {
    NoEndpoint(NoEndpoint),
    Refused(Error),
}

impl Refusal {
    /// The HTTP status to answer with; the body is empty.
    pub(super) const fn status(&self) -> StatusCode {
        match self {
            Self::NoEndpoint(none) => none.status(),
            Self::Refused(error) => error.status(),
        }
    }
}

/// Verifies a request whose body is arriving: the proof, and the endpoint that it is by.
pub(super) async fn receive_any(
    endpoints: &Endpoints,
    incoming: Incoming<'_>,
    chunks: Pin<&mut impl Chunks>,
) -> Result<(Endpoint, VerifiedBuf), Refusal> {
    let mut chunks = Given { kept: None, rest: Some(chunks) };
    let place = endpoints.at(incoming.path());
    let chosen = match place.map_err(|none| Refusal::NoEndpoint(none.reported()))? {
        Place::Endpoint(endpoint) => Chosen::own(endpoint),
        Place::Tenants(tenants, key) => find(tenants, key, incoming, &mut chunks).await?,
    };
    let proof = receive(&chosen, incoming, Pin::new(&mut chunks)).await;
    proof.map(|proof| (chosen.endpoint, proof)).map_err(Refusal::Refused)
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
