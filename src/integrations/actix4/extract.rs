//! The proof as an extractor, and content beside it.

use core::fmt;
use core::future::Future;
use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context, Poll};

use actix_web::dev::Payload;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest};
use bytes::Bytes;

use super::rejection::WebhookRejection;
use super::request::{Converted, verify};
use crate::integrations::choose::Refusal;
use crate::integrations::endpoint::{Endpoint, NoEndpoint};
use crate::integrations::endpoints::Endpoints;
use crate::verified::VerifiedBuf;

/// The proof as an extractor: the handler runs only for verified deliveries of the [`Endpoint`] in the application's data.
///
/// Everything else is answered with the error's status and an empty body.
impl FromRequest for VerifiedBuf {
    type Error = WebhookRejection;
    type Future = WebhookFuture<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> WebhookFuture<Self> {
        let proof = proof::<Endpoint>(request, payload);
        WebhookFuture(Box::pin(async move { proof.await.map(|(_, proof)| proof) }))
    }
}

/// A verified delivery, and its body as an extractor of yours reads it: `Webhook<Json<Event>>`, `Webhook<Form<Event>>`.
///
/// `E` is given the request with the very bytes that were verified, once they are. What it rejects is told apart from what is
/// not genuine: see [`WebhookRejection`]. `P` says where the endpoint comes from, see [`Select`].
#[non_exhaustive]
pub struct Webhook<E = Bytes, P = Endpoint> {
    /// What the extractor made of the body.
    pub content: E,
    /// The endpoint that it was verified by. Its [name](Endpoint::name) says whose delivery it is, where there are several.
    pub endpoint: Endpoint,
    /// The proof, with the raw body.
    pub proof: VerifiedBuf,
    from: PhantomData<fn() -> P>,
}

impl<E: fmt::Debug, P> fmt::Debug for Webhook<E, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook")
            .field("content", &self.content)
            .field("endpoint", &self.endpoint)
            .field("proof", &self.proof)
            .finish_non_exhaustive()
    }
}

impl<E, P> FromRequest for Webhook<E, P>
where
    E: FromRequest + 'static,
    P: Select + 'static,
{
    type Error = WebhookRejection;
    type Future = WebhookFuture<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> WebhookFuture<Self> {
        let proof = proof::<P>(request, payload);
        let request = request.clone();
        WebhookFuture(Box::pin(async move {
            let (endpoint, proof) = proof.await?;
            let mut payload = Payload::from(proof.body().clone());
            let content = E::from_request(&request, &mut payload).await;
            let content = content.map_err(|error| WebhookRejection::Content(error.into()))?;
            Ok(Self { content, endpoint, proof, from: PhantomData })
        }))
    }
}

/// Where a handler's endpoint comes from, for servers with several.
///
/// [`Endpoint`] and [`Endpoints`] themselves come from the application's data: `Webhook<Json<Event>, Endpoints>` finds the one
/// for the path or the tenant. A type of yours chooses by what it knows: a name in a map, a header. What is chosen by is
/// not verified yet.
///
/// ```
/// use std::collections::HashMap;
/// use actix_web::{HttpRequest, web::Data};
/// use hookproof::{Endpoint, Endpoints, NoEndpoint, actix4::Select};
///
/// type Named = HashMap<&'static str, Endpoint>;
///
/// /// `Webhook<Json<Event>, Stripe>`: the endpoint of this name.
/// struct Stripe;
///
/// impl Select for Stripe {
///     fn select(request: &HttpRequest) -> Result<Endpoints, NoEndpoint> {
///         let named = request.app_data::<Data<Named>>().ok_or(NoEndpoint::Misconfigured)?;
///         named.get("stripe").cloned().map(Into::into).ok_or(NoEndpoint::Misconfigured)
///     }
/// }
/// ```
pub trait Select {
    /// Where the endpoint for a request comes from.
    ///
    /// # Errors
    ///
    /// [`NoEndpoint`]: the sender's fault or the operator's.
    fn select(request: &HttpRequest) -> Result<Endpoints, NoEndpoint>;
}

impl Select for Endpoint {
    fn select(request: &HttpRequest) -> Result<Endpoints, NoEndpoint> {
        from_data::<Self>(request)
    }
}

impl Select for Endpoints {
    fn select(request: &HttpRequest) -> Result<Endpoints, NoEndpoint> {
        from_data::<Self>(request)
    }
}

/// What is in the application's data, as it is or in a `Data`.
fn from_data<T: Clone + Into<Endpoints> + 'static>(
    request: &HttpRequest,
) -> Result<Endpoints, NoEndpoint> {
    let plain = request.app_data::<T>();
    let found = plain.or_else(|| request.app_data::<Data<T>>().map(|data| data.get_ref()));
    found.cloned().map(Into::into).ok_or(NoEndpoint::Misconfigured)
}

impl From<Refusal> for WebhookRejection {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NoEndpoint(none) => Self::NoEndpoint(none),
            Refusal::Refused(error) => Self::Refused(error),
        }
    }
}

/// The proof of a request whose body is arriving, and the endpoint that it is by.
fn proof<P: Select>(
    request: &HttpRequest,
    payload: &mut Payload,
) -> impl Future<Output = Result<(Endpoint, VerifiedBuf), WebhookRejection>> + use<P> {
    let endpoints = P::select(request);
    let head = Converted::of(request.head());
    let mut payload = payload.take();
    async move {
        let endpoints = endpoints.map_err(|none| WebhookRejection::NoEndpoint(none.reported()))?;
        Ok(verify(&endpoints, head, &mut payload).await?)
    }
}

/// The future of the extractors.
#[must_use = "futures do nothing unless polled"]
pub struct WebhookFuture<T>(Pin<Box<dyn Future<Output = Result<T, WebhookRejection>>>>);

impl<T> Future for WebhookFuture<T> {
    type Output = Result<T, WebhookRejection>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
    }
}

impl<T> fmt::Debug for WebhookFuture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookFuture { .. }")
    }
}
