//! Every vector that HTTP can carry, over a socket, through the layer on bare hyper: answer, key and reason are those of the
//! library.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use hookproof::VerifiedBuf;
use hookproof::tower::{VerifiedBody, VerifyLayer};
use hookproof_servers::{server, vectors};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use tower::{Layer, ServiceExt, service_fn};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_vector_that_http_carries() {
    let (cases, left) = vectors::cases();
    let layers: Arc<[VerifyLayer]> =
        cases.iter().map(|case| VerifyLayer::new(case.endpoint.clone())).collect();
    let service = service_fn(move |request: Request<hyper::body::Incoming>| {
        let index: usize = request.headers()[vectors::CASE].to_str().unwrap().parse().unwrap();
        layers[index].layer(service_fn(handle)).oneshot(request)
    });
    let address = server::hyper(service).await;
    vectors::replay(&cases, &left, address).await;
    assert!(cases.len() > 5000, "{}", cases.len());
}

/// Answers with the index of the key, if the body is the one that the proof holds.
async fn handle(request: Request<VerifiedBody>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let proof = parts.extensions.get::<VerifiedBuf>().unwrap();
    let body = body.collect().await?.to_bytes();
    let mut response = Response::new(Full::from(proof.key().to_string()));
    if body != proof.body() || parts.headers != *proof.headers() {
        *response.status_mut() = StatusCode::IM_A_TEAPOT;
    }
    Ok(response)
}
