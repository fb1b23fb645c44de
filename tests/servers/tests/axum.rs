//! The extractors of axum: content beside the proof, state by type and by name, limits, nested routers.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::HashMap;

use axum::body::Body;
use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, FromRef};
use axum::routing::post;
use axum::{Extension, Form, Json, Router};
use bytes::Bytes;
use hookproof::axum08::{Select, Webhook, WebhookRejection};
use hookproof::tower::VerifyLayer;
use hookproof::{
    Endpoint, Endpoints, Error, ErrorKind, NoEndpoint, Outgoing, PublicUrl, Signer, UnixTime,
    VerifiedBuf, Verifier, providers,
};
use hookproof_servers::github::{FORGED, SIGNATURE, endpoint, signature};
use http::request::Parts;
use http::{Request, Response};
use http_body_util::BodyExt;
use serde::Deserialize;
use tower::ServiceExt;

#[derive(Clone, Debug, Deserialize)]
struct Ping {
    zen: String,
}

fn request(signature: &[u8], kind: &str, body: &[u8]) -> Request<Body> {
    Request::post("/hook")
        .header(SIGNATURE, signature)
        .header("content-type", kind)
        .body(Body::from(body.to_vec()))
        .unwrap()
}

fn genuine(kind: &str, body: &[u8]) -> Request<Body> {
    request(&signature(body), kind, body)
}

async fn text(response: Response<Body>) -> (u16, String) {
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

#[tokio::test]
async fn content_is_read_from_the_verified_bytes_and_its_faults_are_told_apart() {
    async fn raw(proof: VerifiedBuf) -> Bytes {
        proof.body().clone()
    }
    async fn json(webhook: Webhook<Json<Ping>>) -> String {
        assert_eq!(webhook.proof.coverage().to_string(), "body");
        webhook.content.0.zen
    }
    async fn form(Webhook { content: Form(ping), .. }: Webhook<Form<Ping>>) -> String {
        ping.zen
    }
    async fn told(webhook: Result<Webhook<Json<Ping>>, WebhookRejection<JsonRejection>>) -> String {
        match webhook {
            Ok(webhook) => webhook.content.0.zen,
            Err(WebhookRejection::Refused(error)) => error.kind().to_string(),
            Err(other) => other.to_string(),
        }
    }
    let (endpoint, log) = endpoint(|builder| builder);
    let app = |route| Router::new().route("/hook", route).with_state(endpoint.clone());
    let send = async |route, request| text(app(route).oneshot(request).await.unwrap()).await;

    let body = br#"{"zen":"Speak like a human."}"#;
    let human = (200, "Speak like a human.".to_owned());
    let whole = String::from_utf8(body.to_vec()).unwrap();
    assert_eq!(send(post(raw), genuine(JSON, body)).await, (200, whole));
    assert_eq!(send(post(json), genuine(JSON, body)).await, human);
    assert_eq!(send(post(form), genuine(FORM, b"zen=Speak+like+a+human.")).await, human);
    assert_eq!(log.words(), ["accepted"; 3]);

    // What is not genuine has one answer, whatever is in it.
    for body in [&body[..], b"{}", b"\xff", b""] {
        for route in [post(raw), post(json), post(form)] {
            assert_eq!(send(route, request(FORGED, JSON, body)).await, (401, String::new()));
        }
    }
    assert_eq!(log.words(), ["signature-mismatch"; 12]);

    // What is genuine and not of the handler's type is answered by the handler's extractor.
    let (status, answer) = send(post(json), genuine(JSON, b"{}")).await;
    assert_eq!((status, answer.contains("missing field `zen`")), (422, true), "{answer}");
    assert_eq!(send(post(json), genuine(JSON, b"\xff")).await.0, 400);
    assert_eq!(send(post(json), genuine("text/plain", body)).await.0, 415);
    let (_, answer) = send(post(told), genuine(JSON, b"{}")).await;
    assert!(
        answer.starts_with("the delivery is genuine but its content was not taken: "),
        "{answer}"
    );
    let answer = send(post(told), request(FORGED, JSON, b"{}")).await;
    assert_eq!(answer.1, "signature-mismatch");
    assert_eq!(send(post(told), genuine(JSON, body)).await, human);
}

/// A state with endpoints by type and by name.
#[derive(Clone)]
struct App {
    github: Github,
    named: HashMap<&'static str, Endpoint>,
}

#[derive(Clone)]
struct Github(Endpoint);

impl FromRef<App> for Github {
    fn from_ref(app: &App) -> Self {
        app.github.clone()
    }
}

/// By type.
impl Select<App> for Github {
    fn select(app: &App, _: &Parts) -> Result<Endpoints, NoEndpoint> {
        Ok(Self::from_ref(app).0.into())
    }
}

/// By name: the last part of the path.
struct ByPath;

impl Select<App> for ByPath {
    fn select(app: &App, parts: &Parts) -> Result<Endpoints, NoEndpoint> {
        let name = parts.uri.path().rsplit('/').next().unwrap();
        app.named.get(name).cloned().map(Into::into).ok_or(NoEndpoint::Unknown)
    }
}

#[tokio::test]
async fn the_endpoint_comes_from_the_state_by_type_or_by_name() {
    let (first, first_log) = endpoint(|builder| builder);
    let (second, second_log) = endpoint(|builder| builder);
    let named = HashMap::from([("second", second)]);
    let app = Router::new()
        .route("/hook", post(|_: Webhook<Bytes, Github>| async {}))
        .route("/{name}", post(|_: Webhook<Bytes, ByPath>| async {}))
        .with_state(App { github: Github(first), named });
    let send = async |path: &str, mut request: Request<Body>| {
        *request.uri_mut() = path.parse().unwrap();
        text(app.clone().oneshot(request).await.unwrap()).await
    };
    assert_eq!(send("/hook", genuine(JSON, b"{}")).await.0, 200);
    assert_eq!((first_log.take().len(), second_log.take().len()), (1, 0));
    assert_eq!(send("/second", genuine(JSON, b"{}")).await.0, 200);
    assert_eq!((first_log.take().len(), second_log.take().len()), (0, 1));
    // Nobody learns which names there are.
    let forged = send("/second", request(FORGED, JSON, b"{}")).await;
    let unknown = send("/third", genuine(JSON, b"{}")).await;
    assert_eq!(forged, unknown);
    assert_eq!(unknown, (401, String::new()));
}

#[tokio::test]
async fn both_limits_hold() {
    async fn length(proof: VerifiedBuf) -> String {
        proof.body().len().to_string()
    }
    let (endpoint, log) = endpoint(|builder| builder);
    let app = |layer: Option<DefaultBodyLimit>| {
        let route = match layer {
            Some(layer) => post(length).layer(layer),
            None => post(length),
        };
        Router::new().route("/hook", route).with_state(endpoint.clone())
    };
    let large = vec![b'x'; 3 << 20];
    for (layer, body, status) in [
        (None, &large[..2 << 20], 200),
        (None, &large[..], 413),
        (Some(DefaultBodyLimit::disable()), &large[..], 200),
        (Some(DefaultBodyLimit::max(10)), &large[..10], 200),
        (Some(DefaultBodyLimit::max(10)), &large[..11], 413),
    ] {
        let answer = app(layer).oneshot(genuine(JSON, body)).await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{} {layer:?}", body.len());
    }
    assert_eq!(log.words().iter().filter(|word| **word == "body-too-large").count(), 2);
    let huge = vec![b'x'; (25 << 20) + 1];
    let layer = DefaultBodyLimit::disable();
    let answer = app(Some(layer)).oneshot(request(FORGED, JSON, &huge)).await.unwrap();
    assert_eq!((answer.status().as_u16(), log.take()), (413, vec![("body-too-large", 0)]));
}

#[tokio::test]
async fn behind_a_layer_the_proof_is_there() {
    async fn key(Extension(proof): Extension<VerifiedBuf>, body: Bytes) -> String {
        assert_eq!(proof.body(), &body);
        proof.key().to_string()
    }
    let (endpoint, _) = endpoint(|builder| builder);
    let app = Router::new().route("/hook", post(key).layer(VerifyLayer::new(endpoint)));
    let answer = app.clone().oneshot(genuine(JSON, b"{}")).await.unwrap();
    assert_eq!(text(answer).await, (200, "0".to_owned()));
    let answer = app.oneshot(request(FORGED, JSON, b"{}")).await.unwrap();
    assert_eq!(text(answer).await, (401, String::new()));
}

#[tokio::test]
async fn a_nested_router_needs_its_prefix_back() {
    let endpoint = |base| {
        let verifier = Verifier::builder(&providers::HUBSPOT).secret("a").build().unwrap();
        let url = PublicUrl::base(base).unwrap();
        Endpoint::builder(verifier).url(url).clock(|| UnixTime::from_secs(5)).build().unwrap()
    };
    let request = || {
        let signer = Signer::builder(&providers::HUBSPOT).secret("a").build().unwrap();
        let outgoing = Outgoing::new(b"[]").with_url("https://a.example/crm/hook?b=1");
        let signed = signer.sign(&outgoing, UnixTime::from_secs(5)).unwrap();
        let mut request = signed.into_request().map(Body::from);
        *request.uri_mut() = "/crm/hook?b=1".parse().unwrap();
        request
    };
    async fn handle(_: VerifiedBuf) {}
    for (base, status) in [("https://a.example", 401), ("https://a.example/crm", 200)] {
        let inner = Router::new().route("/hook", post(handle)).with_state(endpoint(base));
        let app = Router::new().nest("/crm", inner);
        assert_eq!(app.oneshot(request()).await.unwrap().status().as_u16(), status, "{base}");
    }
}

#[test]
fn rejections_are_errors_that_can_be_told_apart() {
    fn is_error<T: std::error::Error + Send + Sync + 'static>() {}
    is_error::<WebhookRejection<JsonRejection>>();
    let refused = WebhookRejection::<Error>::Refused(Error::new(ErrorKind::MissingHeader, "acme"));
    assert!(refused.to_string().starts_with("acme: "));
    assert!(std::error::Error::source(&refused).is_some());
    let none = WebhookRejection::<Error>::NoEndpoint(NoEndpoint::Misconfigured);
    assert!(none.to_string().starts_with("this server has no endpoint"));
    assert_eq!(axum::response::IntoResponse::into_response(none).status(), 500);
}
