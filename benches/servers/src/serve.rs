//! The axum servers: the same handler with and without verification, on one thread.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{DefaultBodyLimit, FromRef, Request, State};
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Extension, Router};
use hookproof::tower::{VerifiedBody, VerifyLayer};
use hookproof::{Endpoint, Provider, VerifiedBuf, Verifier, providers, testing};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tower::{Layer, ServiceExt, service_fn};
use webhook_verify::{Secret, VerifyOptions, verify};

use crate::probe::Probed;
use crate::{Error, child, delay, deliveries};

/// Whether the turns of connections are measured, which costs two calls of the system each.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turns {
    Measured,
    Unmeasured,
}

/// Serves on one thread until the parent ends.
pub(crate) fn run(app: Router, turns: Turns) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        child::report(listener.local_addr()?)?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let service = TowerToHyperService::new(app.clone());
            let connection = async move {
                let mut builder = hyper::server::conn::http1::Builder::new();
                builder.timer(TokioTimer::new());
                // A client that goes away is an error of the connection and none of ours.
                let _ = builder.serve_connection(TokioIo::new(stream), service).await;
            };
            match turns {
                Turns::Measured => tokio::spawn(Probed(Box::pin(connection))),
                Turns::Unmeasured => tokio::spawn(connection),
            };
        }
    })
}

/// What handlers share.
#[derive(Clone)]
struct App {
    endpoint: Endpoint,
    peer: webhook_verify::Provider,
    secret: Arc<Secret>,
}

impl FromRef<App> for Endpoint {
    fn from_ref(app: &App) -> Self {
        app.endpoint.clone()
    }
}

/// Every contender on a path of its own.
pub(crate) fn plain_and_verified() -> Result<Router, Error> {
    let big = delay::big();
    let headers = deliveries::sign(&providers::GITHUB, &big)?.headers().clone();
    let endpoint = endpoint(&providers::GITHUB)?;
    let plain = big.clone();
    let resident =
        Router::new().route("/resident/bytes", post(async || resident_bytes(plain).await)).route(
            "/resident/verified",
            post(async || resident_verified(endpoint, headers, big).await),
        );
    Ok(resident
        .merge(of(&providers::GITHUB, webhook_verify::Provider::GitHub)?)
        .merge(of(&providers::STRIPE, webhook_verify::Provider::Stripe)?))
}

/// The contenders for one sender.
fn of(sender: &'static dyn Provider, peer: webhook_verify::Provider) -> Result<Router, Error> {
    let endpoint = endpoint(sender)?;
    let path = |contender| format!("/{}/{contender}", sender.info().id);
    let unlimited = DefaultBodyLimit::disable();
    Ok(Router::new()
        .route(&path("bytes"), post(bytes).layer(unlimited))
        .route(&path("extractor"), post(extractor).layer(unlimited))
        .route(&path("layer"), post(layer).layer(VerifyLayer::new(endpoint.clone())))
        .route(&path("hand"), post(hand))
        .with_state(App { endpoint, peer, secret: Arc::new(Secret::new(testing::SECRET)) }))
}

pub(crate) fn endpoint(sender: &'static dyn Provider) -> Result<Endpoint, Error> {
    Ok(Endpoint::new(Verifier::builder(sender).secret(testing::SECRET).build()?)?)
}

async fn bytes(_: State<App>, body: Bytes) -> StatusCode {
    answer(body.len())
}

async fn extractor(delivery: VerifiedBuf) -> StatusCode {
    answer(delivery.body().len())
}

async fn layer(Extension(delivery): Extension<VerifiedBuf>) -> StatusCode {
    answer(delivery.body().len())
}

/// What a careful hand writes.
async fn hand(State(app): State<App>, request: Request) -> StatusCode {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, 1 << 20).await else { return StatusCode::PAYLOAD_TOO_LARGE };
    match verify(app.peer, &parts.headers, &body, &app.secret, VerifyOptions::default()) {
        Ok(_) => answer(body.len()),
        Err(_) => StatusCode::UNAUTHORIZED,
    }
}

/// A large body that is there as one chunk, as behind a layer that gathers bodies.
async fn resident_bytes(big: Bytes) -> StatusCode {
    match to_bytes(Body::from(big), usize::MAX).await {
        Ok(body) => answer(body.len()),
        Err(_) => StatusCode::BAD_REQUEST,
    }
}

async fn resident_verified(endpoint: Endpoint, headers: http::HeaderMap, big: Bytes) -> StatusCode {
    let inner = service_fn(async |request: http::Request<VerifiedBody>| {
        drop(request);
        Ok::<_, Infallible>(http::Response::new(Body::empty()))
    });
    let mut request = http::Request::new(Body::from(big));
    *request.headers_mut() = headers;
    let answer = VerifyLayer::new(endpoint).layer(inner).oneshot(request).await;
    answer.map_or(StatusCode::BAD_REQUEST, |answer| answer.status())
}

/// That the body is there is a condition of the answer.
fn answer(length: usize) -> StatusCode {
    if length > 0 { StatusCode::OK } else { StatusCode::BAD_REQUEST }
}
