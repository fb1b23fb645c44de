//! Handshakes in front of a handler, over sockets: the layer on bare hyper and in axum, and answers from a handler.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::convert::Infallible;
use std::net::SocketAddr;

use axum::Router;
use axum::routing::{get, post};
use bytes::Bytes;
use hookproof::handshake::{Answer, HandshakeError, dropbox, github, slack};
use hookproof::tower::{HandshakeLayer, VerifyLayer};
use hookproof::{Verified, VerifiedBuf};
use hookproof_servers::github::{FORGED, SIGNATURE, endpoint, signature};
use hookproof_servers::handshakes::{self, HANDLER, is_plain};
use hookproof_servers::{client, server};
use http::{Request, Response};
use http_body_util::Full;
use tower::{Layer, ServiceBuilder, service_fn};

type Outcome = Result<Option<Answer>, HandshakeError>;

async fn handle<B>(_: Request<B>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(Full::from(HANDLER)))
}

async fn hyper(
    handshake: impl Fn(&Verified<'_>) -> Outcome + Clone + Send + 'static,
) -> SocketAddr {
    let service = ServiceBuilder::new()
        .layer(VerifyLayer::new(handshakes::endpoint()))
        .layer(HandshakeLayer::new(handshake))
        .service(service_fn(handle));
    server::hyper(service).await
}

async fn axum(
    handshake: impl Fn(&Verified<'_>) -> Outcome + Clone + Send + Sync + 'static,
) -> SocketAddr {
    let layers = ServiceBuilder::new()
        .layer(VerifyLayer::new(handshakes::endpoint()))
        .layer(HandshakeLayer::new(handshake));
    let route = post(async || HANDLER).layer(layers);
    server::axum(Router::new().route("/", route)).await
}

#[tokio::test]
async fn every_ping_is_answered_and_nothing_else_is() {
    for address in [hyper(github::ping).await, axum(github::ping).await] {
        let counts = handshakes::replay(address).await;
        assert!(counts.iter().all(|count| *count > 1), "{counts:?}");
    }
}

/// A server with the handshake of Slack behind GitHub's signature: what is answered is the same.
#[tokio::test]
async fn a_challenge_is_echoed_as_plain_text_with_its_length() {
    let (endpoint, log) = endpoint(|builder| builder);
    let layers = ServiceBuilder::new()
        .layer(VerifyLayer::new(endpoint))
        .layer(HandshakeLayer::new(slack::url_verification));
    let app = Router::new().route("/", post(async || HANDLER).layer(layers));
    let address = server::axum(app).await;
    let good: &[u8] = br#"{"type":"url_verification","challenge":"abc-123"}"#;
    let answer = client::send(address, "POST", "/", &[(SIGNATURE, &signature(good))], good).await;
    assert_eq!((answer.status, &answer.body[..]), (200, &b"abc-123"[..]));
    assert!(is_plain(&answer), "{}", answer.head);
    let forged = client::send(address, "POST", "/", &[(SIGNATURE, FORGED)], good).await;
    assert_eq!((forged.status, forged.body.len()), (401, 0));
    let markup = br#"{"type":"url_verification","challenge":"<b>"}"#;
    let refused =
        client::send(address, "POST", "/", &[(SIGNATURE, &signature(markup))], markup).await;
    assert_eq!((refused.status, refused.body.len()), (400, 0));
    assert_eq!(log.words(), ["accepted", "signature-mismatch", "accepted"]);
}

#[tokio::test]
async fn without_a_verified_delivery_nothing_goes_on() {
    let address = server::hyper(HandshakeLayer::new(github::ping).layer(service_fn(handle))).await;
    for body in [&b"{}"[..], br#"{"zen":"a","hook_id":1}"#] {
        let headers: &[(&str, &[u8])] =
            &[("X-GitHub-Event", b"ping"), (SIGNATURE, &signature(body))];
        let answer = client::send(address, "POST", "/", headers, body).await;
        assert_eq!((answer.status, answer.body.len()), (500, 0));
    }
}

/// An extractor's proof, and the handshake asked for by hand.
async fn by_hand(proof: VerifiedBuf) -> Result<Answer, HandshakeError> {
    Ok(slack::url_verification(&proof.as_verified())?.unwrap())
}

async fn verify(query: axum::extract::RawQuery) -> Result<Answer, HandshakeError> {
    dropbox::challenge(query.0.as_deref().unwrap_or_default())
}

#[tokio::test]
async fn a_handler_of_axum_answers_by_hand() {
    let (endpoint, _) = endpoint(|builder| builder);
    let app = Router::new().route("/", get(verify).post(by_hand)).with_state(endpoint);
    let address = server::axum(app).await;
    let answer = client::send(address, "GET", "/?challenge=abc123", &[], b"").await;
    assert_eq!((answer.status, &answer.body[..]), (200, &b"abc123"[..]));
    assert!(is_plain(&answer), "{}", answer.head);
    let script = client::send(address, "GET", "/?challenge=%3Cscript%3E", &[], b"").await;
    assert_eq!((script.status, script.body.len()), (400, 0));
    let body: &[u8] = br#"{"type":"url_verification","challenge":"abc"}"#;
    let answer = client::send(address, "POST", "/", &[(SIGNATURE, &signature(body))], body).await;
    assert_eq!((answer.status, answer.body), (200, Bytes::from("abc").to_vec()));
}
