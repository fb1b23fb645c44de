//! The layer that lets only verified deliveries through.

use core::fmt;
use core::future::Future;
use core::mem;
use core::pin::{Pin, pin};
use core::task::{Context, Poll};

use http::{Request, Response};
use http_body::Body;
use tower_layer::Layer;
use tower_service::Service;

use super::body::{BoxError, Frames, VerifiedBody};
use crate::integrations::choose::{Refusal, receive_any};
use crate::integrations::endpoints::Endpoints;
use crate::integrations::incoming::Incoming;

/// Lets only verified deliveries through; see the [module](super).
#[derive(Clone, Debug)]
pub struct VerifyLayer {
    endpoints: Endpoints,
}

impl VerifyLayer {
    /// A layer for the deliveries of this [`Endpoint`](crate::Endpoint), or of whatever [`Endpoints`] can be made from.
    #[must_use]
    pub fn new(endpoints: impl Into<Endpoints>) -> Self {
        Self { endpoints: endpoints.into() }
    }
}

impl<S> Layer<S> for VerifyLayer {
    type Service = Verify<S>;

    fn layer(&self, inner: S) -> Verify<S> {
        Verify { inner, endpoints: self.endpoints.clone() }
    }
}

/// The service of [`VerifyLayer`].
#[derive(Clone, Debug)]
pub struct Verify<S> {
    inner: S,
    endpoints: Endpoints,
}

impl<S, B, R> Service<Request<B>> for Verify<S>
where
    S: Service<Request<VerifiedBody>, Response = Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
    R: Default + 'static,
{
    type Response = Response<R>;
    type Error = S::Error;
    type Future = VerifyFuture<R, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The service that said it was ready holds what it is ready with, a permit for instance. Its clone does not.
        let clone = self.inner.clone();
        let ready = mem::replace(&mut self.inner, clone);
        let endpoints = self.endpoints.clone();
        VerifyFuture(Box::pin(handle(endpoints, ready, request)))
    }
}

async fn handle<S, B, R>(
    endpoints: Endpoints,
    mut ready: S,
    request: Request<B>,
) -> Result<Response<R>, S::Error>
where
    S: Service<Request<VerifiedBody>, Response = Response<R>>,
    B: Body,
    B::Error: Into<BoxError>,
    R: Default,
{
    let (mut parts, body) = request.into_parts();
    let (endpoint, received, trailers) = {
        let frames = Frames::new(body);
        let incoming = Incoming::of(&parts, Some(frames.at_least()));
        let mut frames = pin!(frames);
        match receive_any(&endpoints, incoming, frames.as_mut()).await {
            Ok((endpoint, received)) => (endpoint, received, frames.take_trailers()),
            Err(refusal) => return Ok(answer(&refusal)),
        }
    };
    let proof = received.with_head(parts.headers.clone(), parts.method.clone());
    let body = VerifiedBody::new(proof.body().clone(), trailers);
    parts.extensions.insert(proof);
    parts.extensions.insert(endpoint);
    ready.call(Request::from_parts(parts, body)).await
}

/// The answer to what is refused: a status, and one empty body whatever the reason.
fn answer<R: Default>(refusal: &Refusal) -> Response<R> {
    let mut response = Response::new(R::default());
    *response.status_mut() = refusal.status();
    response
}

/// The future of [`Verify`].
#[must_use = "futures do nothing unless polled"]
pub struct VerifyFuture<R, E>(Pin<Box<dyn Future<Output = Result<Response<R>, E>> + Send>>);

impl<R, E> Future for VerifyFuture<R, E> {
    type Output = Result<Response<R>, E>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl<R, E> fmt::Debug for VerifyFuture<R, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VerifyFuture { .. }")
    }
}
