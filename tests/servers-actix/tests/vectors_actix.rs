//! Every vector that HTTP can carry, over a socket, through actix-web's extractor: answer, key and reason are those of the
//! library.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use actix_web::web::{self, Data, PayloadConfig, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use hookproof::actix4::{Select, Webhook};
use hookproof::{Endpoint, Endpoints, NoEndpoint};
use hookproof_servers::vectors;
use hookproof_servers_actix::start;

/// The endpoint that a header names.
struct ByCase;

impl Select for ByCase {
    fn select(request: &HttpRequest) -> Result<Endpoints, NoEndpoint> {
        let endpoints = request.app_data::<Data<[Endpoint]>>().unwrap();
        let index = request.headers().get(vectors::CASE).unwrap().to_str().unwrap();
        let endpoint = endpoints.get(index.parse::<usize>().unwrap());
        endpoint.cloned().map(Into::into).ok_or(NoEndpoint::Misconfigured)
    }
}

/// Answers with the index of the key, if the content is the body that the proof holds.
async fn handle(Webhook { content, proof, .. }: Webhook<Bytes, ByCase>) -> HttpResponse {
    if content != *proof.body() {
        return HttpResponse::ImATeapot().finish();
    }
    HttpResponse::Ok().body(proof.key().to_string())
}

#[actix_web::test]
async fn every_vector_that_http_carries() {
    let (cases, left) = vectors::cases();
    let endpoints: Arc<[Endpoint]> = cases.iter().map(|case| case.endpoint.clone()).collect();
    let address = start(move |config: &mut ServiceConfig| {
        config
            .app_data(Data::from(Arc::clone(&endpoints)))
            .app_data(PayloadConfig::new(usize::MAX))
            .default_service(web::to(handle));
    });
    vectors::replay(&cases, &left, address).await;
    assert!(cases.len() > 5000, "{}", cases.len());
}
