//! Every vector that HTTP can carry, over a socket, through axum's extractor: answer, key and reason are those of the library.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;

use axum::Router;
use bytes::Bytes;
use hookproof::axum08::{Select, Webhook};
use hookproof::{Endpoint, Endpoints, NoEndpoint};
use hookproof_servers::{server, vectors};
use http::StatusCode;
use http::request::Parts;

type Cases = Arc<[Endpoint]>;

/// The endpoint that a header names.
struct ByCase;

impl Select<Cases> for ByCase {
    fn select(cases: &Cases, parts: &Parts) -> Result<Endpoints, NoEndpoint> {
        let index: usize = parts.headers[vectors::CASE].to_str().unwrap().parse().unwrap();
        cases.get(index).cloned().map(Into::into).ok_or(NoEndpoint::Misconfigured)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_vector_that_http_carries() {
    let (cases, left) = vectors::cases();
    let endpoints: Cases = cases.iter().map(|case| case.endpoint.clone()).collect();
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
