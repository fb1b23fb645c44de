//! The middleware that lets only verified deliveries through.

use core::convert::Infallible;
use core::fmt;
use core::future::{Future, Ready, ready};
use core::pin::Pin;
use core::task::{Context, Poll};
use std::rc::Rc;

use actix_web::body::{BodySize, BoxBody, EitherBody, MessageBody};
use actix_web::dev::{Payload, Service, ServiceRequest, ServiceResponse, Transform};
use actix_web::{HttpMessage, HttpResponse};
use bytes::Bytes;

use super::rejection::status;
use super::request::{Converted, verify};
use crate::integrations::endpoints::Endpoints;

/// Lets only verified deliveries through: everything else is answered with the error's status and an empty body.
///
/// What it wraps gets the very bytes that were verified as its payload, and the proof, a
/// [`VerifiedBuf`](crate::VerifiedBuf), in the request's extensions: `ReqData<VerifiedBuf>`. Beside it is the
/// [`Endpoint`](crate::Endpoint) that it was verified by.
#[derive(Clone, Debug)]
pub struct VerifyMiddleware {
    endpoints: Endpoints,
}

impl VerifyMiddleware {
    /// A middleware for the deliveries of this [`Endpoint`](crate::Endpoint), or of whatever [`Endpoints`] can be made from.
    #[must_use]
    pub fn new(endpoints: impl Into<Endpoints>) -> Self {
        Self { endpoints: endpoints.into() }
    }
}

impl<S, B> Transform<S, ServiceRequest> for VerifyMiddleware
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = actix_web::Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = actix_web::Error;
    type Transform = Verify<S>;
    type InitError = ();
    type Future = Ready<Result<Verify<S>, ()>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(Verify { service: Rc::new(service), endpoints: self.endpoints.clone() }))
    }
}

/// The service of [`VerifyMiddleware`].
#[derive(Debug)]
pub struct Verify<S> {
    service: Rc<S>,
    endpoints: Endpoints,
}

impl<S, B> Service<ServiceRequest> for Verify<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = actix_web::Error> + 'static,
    B: MessageBody + 'static,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = actix_web::Error;
    type Future = VerifyFuture<B>;

    fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<Result<(), actix_web::Error>> {
        self.service.poll_ready(cx)
    }

    fn call(&self, request: ServiceRequest) -> VerifyFuture<B> {
        let service = Rc::clone(&self.service);
        let endpoints = self.endpoints.clone();
        VerifyFuture(Box::pin(handle(endpoints, service, request)))
    }
}

async fn handle<S, B>(
    endpoints: Endpoints,
    service: Rc<S>,
    mut request: ServiceRequest,
) -> Result<ServiceResponse<EitherBody<B>>, actix_web::Error>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = actix_web::Error>,
    B: MessageBody + 'static,
{
    let head = Converted::of(request.head());
    let mut payload = request.take_payload();
    match verify(&endpoints, head, &mut payload).await {
        Ok((endpoint, proof)) => {
            request.set_payload(Payload::from(proof.body().clone()));
            request.extensions_mut().insert(proof);
            request.extensions_mut().insert(endpoint);
            Ok(service.call(request).await?.map_into_left_body())
        }
        Err(refusal) => {
            let body = BoxBody::new(Unread { _payload: payload });
            let answer = HttpResponse::with_body(status(refusal.status()), body);
            Ok(request.into_response(answer).map_into_right_body())
        }
    }
}

/// The empty body of a refusal. It holds what was not read of the request: actix-web goes on reading a chunked body that
/// nobody holds, to its end if it has one, and closes the connection of one that is held.
struct Unread {
    _payload: Payload,
}

impl MessageBody for Unread {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(0)
    }

    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(None)
    }
}

/// The future of [`Verify`].
#[must_use = "futures do nothing unless polled"]
pub struct VerifyFuture<B>(Pin<Box<Answer<B>>>);

type Answer<B> = dyn Future<Output = Result<ServiceResponse<EitherBody<B>>, actix_web::Error>>;

impl<B> Future for VerifyFuture<B> {
    type Output = Result<ServiceResponse<EitherBody<B>>, actix_web::Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl<B> fmt::Debug for VerifyFuture<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VerifyFuture { .. }")
    }
}
