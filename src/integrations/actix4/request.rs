//! Requests of actix-web, which is on the types of `http` 0.2, as those of `http` 1.

use core::pin::{Pin, pin};
use core::task::{Context, Poll};

use actix_web::dev::{Payload, RequestHead};
use actix_web::error::PayloadError;
use bytes::Bytes;
use futures_core::Stream;
use http::{HeaderMap, HeaderName, HeaderValue, Method};

use crate::integrations::choose::{Refusal, receive_any};
use crate::integrations::endpoint::{Endpoint, NoEndpoint};
use crate::integrations::endpoints::Endpoints;
use crate::integrations::incoming::Incoming;
use crate::integrations::peer::Peer;
use crate::integrations::read::{Broken, Chunks};
use crate::verified::VerifiedBuf;

/// The head of a request, converted once.
pub(super) struct Converted {
    headers: HeaderMap,
    method: Method,
    path_and_query: Box<str>,
    peer: Option<Peer>,
}

impl Converted {
    /// Every line of every header, in its order, whatever bytes its value has. `None` for what `http` 1 cannot hold, which is
    /// nothing that actix-web takes from a socket.
    pub(super) fn of(head: &RequestHead) -> Option<Self> {
        let mut headers = HeaderMap::try_with_capacity(head.headers.len()).ok()?;
        for (name, value) in head.headers.iter() {
            let name = HeaderName::from_bytes(name.as_str().as_bytes()).ok()?;
            headers.try_append(name, HeaderValue::from_bytes(value.as_bytes()).ok()?).ok()?;
        }
        let method = Method::from_bytes(head.method.as_str().as_bytes()).ok()?;
        let path_and_query = head.uri.path_and_query().map_or("/", |path| path.as_str()).into();
        let peer = head.peer_addr.map(Peer::from);
        Some(Self { headers, method, path_and_query, peer })
    }
}

/// Verifies a request whose body is arriving.
pub(super) async fn verify(
    endpoints: &Endpoints,
    head: Option<Converted>,
    payload: &mut Payload,
) -> Result<(Endpoint, VerifiedBuf), Refusal> {
    let Some(head) = head else {
        return Err(Refusal::NoEndpoint(NoEndpoint::Unknown.reported()));
    };
    let incoming = Incoming {
        headers: &head.headers,
        method: &head.method,
        path_and_query: &head.path_and_query,
        at_least: None,
        peer: head.peer,
    };
    let (endpoint, received) = receive_any(endpoints, incoming, pin!(Arriving(payload))).await?;
    Ok((endpoint, received.with_head(head.headers, head.method)))
}

struct Arriving<'p>(&'p mut Payload);

impl Chunks for Arriving<'_> {
    fn poll_chunk(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Broken>>> {
        Pin::new(&mut *self.0).poll_next(cx).map(|chunk| {
            chunk.map(|chunk| {
                chunk.map_err(|error| match error {
                    PayloadError::Overflow => Broken::Limit,
                    _ => Broken::Off,
                })
            })
        })
    }
}
