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

use super::endpoint::{Endpoint, NoEndpoint};
use super::incoming::Incoming;
use super::read::{Received, receive};
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
        let endpoint = Endpoint::from_ref(state);
        let (parts, received) = read(&endpoint, request).await?;
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
    /// The proof, with the raw body.
    pub proof: VerifiedBuf,
    from: PhantomData<fn() -> P>,
}

impl<E: fmt::Debug, P> fmt::Debug for Webhook<E, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook")
            .field("content", &self.content)
            .field("proof", &self.proof)
            .finish_non_exhaustive()
    }
}

/// Where a handler's endpoint comes from, for servers with several.
///
/// [`Endpoint`] itself comes from the state, by [`FromRef`]. A type of yours chooses by what it knows: a name in a map, the
/// path, a header. What is chosen by is not verified yet.
///
/// ```
/// use std::collections::HashMap;
/// use hookproof::{Endpoint, NoEndpoint, axum08::Select};
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
///     fn select(app: &App, _: &Parts) -> Result<Endpoint, NoEndpoint> {
///         app.endpoints.get("stripe").cloned().ok_or(NoEndpoint::Misconfigured)
///     }
/// }
/// ```
pub trait Select<S> {
    /// The endpoint for a request with this head.
    ///
    /// # Errors
    ///
    /// [`NoEndpoint`]: the sender's fault or the operator's.
    fn select(state: &S, parts: &Parts) -> Result<Endpoint, NoEndpoint>;
}

impl<S> Select<S> for Endpoint
where
    Self: FromRef<S>,
{
    fn select(state: &S, _: &Parts) -> Result<Endpoint, NoEndpoint> {
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
        let endpoint = P::select(state, &parts)
            .map_err(|none| WebhookRejection::NoEndpoint(none.reported()))?;
        let (parts, received) = read(&endpoint, Request::from_parts(parts, body))
            .await
            .map_err(WebhookRejection::Refused)?;
        // The content's extractor reads them, too.
        let proof = received.with_head(parts.headers.clone(), parts.method.clone());
        let request = Request::from_parts(parts, Body::from(proof.body().clone()));
        let content = E::from_request(request, state).await.map_err(WebhookRejection::Content)?;
        Ok(Self { content, proof, from: PhantomData })
    }
}

/// Verifies a request whose body is arriving, under the endpoint's limit and axum's.
async fn read(endpoint: &Endpoint, request: Request) -> Result<(Parts, Received), Error> {
    let (parts, body) = request.with_limited_body().into_parts();
    let frames = Frames::new(body);
    let incoming = Incoming::of(&parts, Some(frames.at_least()));
    let received = receive(endpoint, incoming, pin!(frames)).await?;
    Ok((parts, received))
}
