//! The middleware that answers handshakes.

use core::fmt;
use core::future::{Future, Ready, ready};
use core::pin::Pin;
use core::task::{Context, Poll};
use std::rc::Rc;

use actix_web::HttpMessage;
use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform};

use super::rejection::answered;
use crate::handshake::{Answer, HandshakeError};
use crate::integrations::handshake::{Outcome, answer};
use crate::verified::{Verified, VerifiedBuf};

/// Answers handshakes that come as verified deliveries; everything else goes on to what it wraps.
///
/// It belongs within a [`VerifyMiddleware`](super::VerifyMiddleware), whose proof it reads, so it is wrapped first. Without a
/// proof every request is answered 500: a challenge that nobody has verified is not answered, and a delivery neither.
///
/// `F` is a function such as `handshake::github::ping`, or a closure around one that takes secrets.
///
/// ```text
/// web::resource("/github")
///     .wrap(HandshakeMiddleware::new(github::ping))
///     .wrap(VerifyMiddleware::new(endpoint))
///     .route(web::post().to(hook))
/// ```
#[derive(Clone)]
pub struct HandshakeMiddleware<F> {
    handshake: Rc<F>,
}

impl<F> HandshakeMiddleware<F>
where
    F: Fn(&Verified<'_>) -> Result<Option<Answer>, HandshakeError>,
{
    /// A middleware that answers what this function answers.
    #[must_use]
    pub fn new(handshake: F) -> Self {
        Self { handshake: Rc::new(handshake) }
    }
}

impl<F> fmt::Debug for HandshakeMiddleware<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandshakeMiddleware").finish_non_exhaustive()
    }
}

impl<S, B, F> Transform<S, ServiceRequest> for HandshakeMiddleware<F>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = actix_web::Error>,
    S::Future: 'static,
    B: MessageBody + 'static,
    F: Fn(&Verified<'_>) -> Outcome + 'static,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = actix_web::Error;
    type Transform = Handshake<S, F>;
    type InitError = ();
    type Future = Ready<Result<Handshake<S, F>, ()>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(Handshake { service, handshake: Rc::clone(&self.handshake) }))
    }
}

/// The service of [`HandshakeMiddleware`].
pub struct Handshake<S, F> {
    service: S,
    handshake: Rc<F>,
}

impl<S, B, F> Service<ServiceRequest> for Handshake<S, F>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = actix_web::Error>,
    S::Future: 'static,
    B: MessageBody + 'static,
    F: Fn(&Verified<'_>) -> Outcome,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = actix_web::Error;
    type Future = HandshakeFuture<B>;

    fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<Result<(), actix_web::Error>> {
        self.service.poll_ready(cx)
    }

    fn call(&self, request: ServiceRequest) -> HandshakeFuture<B> {
        let answer = answer(request.extensions().get::<VerifiedBuf>(), &*self.handshake);
        if let Some(answer) = answer {
            let response = request.into_response(answered(answer)).map_into_right_body();
            return HandshakeFuture(Box::pin(ready(Ok(response))));
        }
        let inner = self.service.call(request);
        HandshakeFuture(Box::pin(async move { Ok(inner.await?.map_into_left_body()) }))
    }
}

impl<S: fmt::Debug, F> fmt::Debug for Handshake<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handshake").field("service", &self.service).finish_non_exhaustive()
    }
}

/// The future of [`Handshake`].
#[must_use = "futures do nothing unless polled"]
pub struct HandshakeFuture<B>(Pin<Box<Response<B>>>);

type Response<B> = dyn Future<Output = Result<ServiceResponse<EitherBody<B>>, actix_web::Error>>;

impl<B> Future for HandshakeFuture<B> {
    type Output = Result<ServiceResponse<EitherBody<B>>, actix_web::Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl<B> fmt::Debug for HandshakeFuture<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HandshakeFuture { .. }")
    }
}
