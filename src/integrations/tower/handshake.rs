//! The layer that answers handshakes.

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use tower_layer::Layer;
use tower_service::Service;

use crate::handshake::{Answer, HandshakeError};
use crate::integrations::handshake::{Outcome, answer};
use crate::verified::{Verified, VerifiedBuf};

/// Answers handshakes that come as verified deliveries; everything else goes on to the service within.
///
/// It belongs within a [`VerifyLayer`](super::VerifyLayer), whose proof it reads. Without a proof every request is answered 500: a
/// challenge that nobody has verified is not answered, and a delivery neither.
///
/// `F` is a function such as `handshake::github::ping`, or a closure around one that takes secrets.
///
/// ```
/// # #[cfg(feature = "events")]
/// # fn main() -> Result<(), hookproof::ConfigError> {
/// use hookproof::{Endpoint, Verifier, handshake::github, providers::GITHUB};
/// use hookproof::tower::{HandshakeLayer, VerifyLayer};
///
/// let verifier = Verifier::builder(&GITHUB).secret("example").build()?;
/// let verify = VerifyLayer::new(Endpoint::new(verifier)?);
/// // `ServiceBuilder::new().layer(verify).layer(handshake)`: the layer that verifies is the outer one.
/// let handshake = HandshakeLayer::new(github::ping);
/// # let _ = (verify, handshake);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "events"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy)]
pub struct HandshakeLayer<F> {
    handshake: F,
}

impl<F> HandshakeLayer<F>
where
    F: Fn(&Verified<'_>) -> Result<Option<Answer>, HandshakeError>,
{
    /// A layer that answers what this function answers.
    #[must_use]
    pub const fn new(handshake: F) -> Self {
        Self { handshake }
    }
}

impl<S, F: Clone> Layer<S> for HandshakeLayer<F> {
    type Service = Handshake<S, F>;

    fn layer(&self, inner: S) -> Handshake<S, F> {
        Handshake { inner, handshake: self.handshake.clone() }
    }
}

impl<F> fmt::Debug for HandshakeLayer<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandshakeLayer").finish_non_exhaustive()
    }
}

/// The service of [`HandshakeLayer`].
#[derive(Clone, Copy)]
pub struct Handshake<S, F> {
    inner: S,
    handshake: F,
}

impl<S, F, B, R> Service<Request<B>> for Handshake<S, F>
where
    S: Service<Request<B>, Response = Response<R>>,
    F: Fn(&Verified<'_>) -> Outcome,
    R: From<Bytes>,
{
    type Response = Response<R>;
    type Error = S::Error;
    type Future = HandshakeFuture<S::Future, R>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let proof = request.extensions().get::<VerifiedBuf>();
        match answer(proof, &self.handshake) {
            Some(answer) => {
                HandshakeFuture { answer: Some(answer.into_response().map(R::from)), inner: None }
            }
            None => HandshakeFuture { answer: None, inner: Some(self.inner.call(request)) },
        }
    }
}

impl<S: fmt::Debug, F> fmt::Debug for Handshake<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handshake").field("inner", &self.inner).finish_non_exhaustive()
    }
}

pin_project_lite::pin_project! {
    /// The future of [`Handshake`].
    #[must_use = "futures do nothing unless polled"]
    pub struct HandshakeFuture<T, R> {
        answer: Option<Response<R>>,
        #[pin]
        inner: Option<T>,
    }
}

impl<T, R, E> Future for HandshakeFuture<T, R>
where
    T: Future<Output = Result<Response<R>, E>>,
{
    type Output = T::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T::Output> {
        let this = self.project();
        if let Some(answer) = this.answer.take() {
            return Poll::Ready(Ok(answer));
        }
        // Pending without an inner future: only a future that has ended is polled so.
        this.inner.as_pin_mut().map_or(Poll::Pending, |inner| inner.poll(cx))
    }
}

impl<T, R> fmt::Debug for HandshakeFuture<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HandshakeFuture { .. }")
    }
}
