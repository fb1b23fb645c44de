//! Extractors for axum 0.8.
//!
#![cfg_attr(not(doctest), doc = include_str!("quickstart.md"))]

mod rejection;

use core::fmt;
use core::marker::PhantomData;
use core::pin::pin;

use axum_core::RequestExt;
use axum_core::body::Body;
use axum_core::extract::{FromRef, FromRequest, Request};
use bytes::Bytes;
use http::request::Parts;

use super::choose::{Refusal, receive_any};
use super::endpoint::{Endpoint, NoEndpoint};
use super::endpoints::Endpoints;
use super::incoming::Incoming;
use super::read::receive;
use super::standing::Chosen;
use super::tower::Frames;
use crate::error::Error;
use crate::verified::VerifiedBuf;

pub use rejection::WebhookRejection;

/// The proof as an extractor: the handler runs only for verified deliveries of the [`Endpoint`] in the state.
///
/// Everything else is answered with the error's status and an empty body. There is no `Option<VerifiedBuf>`: a check cannot
/// be skipped.
impl<S> FromRequest<S> for VerifiedBuf
where
    Endpoint: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self, Error> {
        let chosen = Chosen::own(Endpoint::from_ref(state));
        let (parts, frames) = arriving(request);
        let incoming = Incoming::of(&parts, Some(frames.at_least()));
        let received = receive(&chosen, incoming, pin!(frames)).await?;
        Ok(received.with_head(parts.headers, parts.method))
    }
}

/// A verified delivery, and its body as an extractor of yours reads it: `Webhook<Json<Event>>`, `Webhook<Form<Event>>`.
///
/// `E` is given the request with the very bytes that were verified, once they are. What it rejects is told apart from what is
/// not genuine: see [`WebhookRejection`]. `P` says where the endpoint comes from, see [`Select`].
///
/// ```text
/// async fn hook(Webhook { content: Json(event), proof, .. }: Webhook<Json<Event>>) -> StatusCode
/// ```
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

/// Where a handler's endpoint comes from, for servers with several.
///
/// [`Endpoint`] and [`Endpoints`] themselves come from the state, by [`FromRef`]: `Webhook<Json<Event>, Endpoints>` finds the one
/// for the path or the tenant. A type of yours chooses by what it knows: a name in a map, a header. What is chosen by is
/// not verified yet.
///
/// ```
/// use std::collections::HashMap;
/// use hookproof::{Endpoint, Endpoints, NoEndpoint, axum08::Select};
/// use http::request::Parts;
///
/// #[derive(Clone)]
/// struct App {
///     endpoints: HashMap<&'static str, Endpoint>,
/// }
///
/// /// `Webhook<Json<Event>, Stripe>`: the endpoint of this name.
/// struct Stripe;
///
/// impl Select<App> for Stripe {
///     fn select(app: &App, _: &Parts) -> Result<Endpoints, NoEndpoint> {
///         app.endpoints.get("stripe").cloned().map(Into::into).ok_or(NoEndpoint::Misconfigured)
///     }
/// }
/// ```
pub trait Select<S> {
    /// Where the endpoint for a request with this head comes from.
    ///
    /// # Errors
    ///
    /// [`NoEndpoint`]: the sender's fault or the operator's.
    fn select(state: &S, parts: &Parts) -> Result<Endpoints, NoEndpoint>;
}

impl<S> Select<S> for Endpoint
where
    Self: FromRef<S>,
{
    fn select(state: &S, _: &Parts) -> Result<Endpoints, NoEndpoint> {
        Ok(Self::from_ref(state).into())
    }
}

impl<S> Select<S> for Endpoints
where
    Self: FromRef<S>,
{
    fn select(state: &S, _: &Parts) -> Result<Endpoints, NoEndpoint> {
        Ok(Self::from_ref(state))
    }
}

impl<E, P, S> FromRequest<S> for Webhook<E, P>
where
    E: FromRequest<S>,
    P: Select<S>,
    S: Send + Sync,
{
    type Rejection = WebhookRejection<E::Rejection>;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let (parts, body) = request.into_parts();
        let endpoints = P::select(state, &parts)
            .map_err(|none| WebhookRejection::NoEndpoint(none.reported()))?;
        let (parts, frames) = arriving(Request::from_parts(parts, body));
        let incoming = Incoming::of(&parts, Some(frames.at_least()));
        let (endpoint, received) = receive_any(&endpoints, incoming, pin!(frames)).await?;
        // The content's extractor reads them, too.
        let proof = received.with_head(parts.headers.clone(), parts.method.clone());
        let request = Request::from_parts(parts, Body::from(proof.body().clone()));
        let content = E::from_request(request, state).await.map_err(WebhookRejection::Content)?;
        Ok(Self { content, endpoint, proof, from: PhantomData })
    }
}

impl<R> From<Refusal> for WebhookRejection<R> {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NoEndpoint(none) => Self::NoEndpoint(none),
            Refusal::Refused(error) => Self::Refused(error),
        }
    }
}

/// The head of a request, and its body as it arrives under axum's limit.
fn arriving(request: Request) -> (Parts, Frames<Body>) {
    let (parts, body) = request.with_limited_body().into_parts();
    (parts, Frames::new(body))
}
