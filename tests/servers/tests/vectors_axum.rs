//! Every vector that HTTP can carry, over a socket, through axum's extractor: answer, key and reason are those of the library.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;

use axum::Router;
use bytes::Bytes;
use hookproof::axum08::{Select, Webhook};
use hookproof::{Endpoint, NoEndpoint};
use hookproof_servers::{server, vectors};
use http::StatusCode;
use http::request::Parts;

type Endpoints = Arc<[Endpoint]>;

/// The endpoint that a header names.
struct ByCase;

impl Select<Endpoints> for ByCase {
    fn select(endpoints: &Endpoints, parts: &Parts) -> Result<Endpoint, NoEndpoint> {
        let index: usize = parts.headers[vectors::CASE].to_str().unwrap().parse().unwrap();
        endpoints.get(index).cloned().ok_or(NoEndpoint::Misconfigured)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_vector_that_http_carries() {
    let (cases, left) = vectors::cases();
    let endpoints: Endpoints = cases.iter().map(|case| case.endpoint.clone()).collect();
    let app = Router::new()
        .fallback(handle)
        .layer(axum::extract::DefaultBodyLimit::disable())
        .with_state(endpoints);
    vectors::replay(&cases, &left, server::axum(app).await).await;
    assert!(cases.len() > 5000, "{}", cases.len());
}

/// Answers with the index of the key, if the content is the body that the proof holds.
async fn handle(
    Webhook { content, proof, .. }: Webhook<Bytes, ByCase>,
) -> Result<String, StatusCode> {
    if content != *proof.body() {
        return Err(StatusCode::IM_A_TEAPOT);
    }
    Ok(proof.key().to_string())
}
