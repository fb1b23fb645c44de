//! A poem server that receives verified webhooks.
//!
//! Signatures are over the raw body: an extractor reads it as bytes, verifies it and hands on both. `Json<T>` would have
//! parsed the body before anybody could tell whose it is, and what it was sent as would be gone.

#![allow(clippy::print_stdout, reason = "an example shows its result")]

use hookproof::{Endpoint, VerifiedBuf, Verifier, providers::GITHUB};
use http::StatusCode;
use poem::listener::TcpListener;
use poem::{EndpointExt, FromRequest, Request, RequestBody, Route, Server, handler};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let verifier = Verifier::builder(&GITHUB).secret(&std::env::var("GITHUB_SECRET")?).build()?;
    let server = Server::new(TcpListener::bind("127.0.0.1:8080"));
    Ok(server.run(routes(Endpoint::new(verifier)?)).await?)
}

fn routes(endpoint: Endpoint) -> impl poem::Endpoint {
    Route::new().at("/*path", hook).data(endpoint)
}

/// Called for verified deliveries only. Store it, answer, and do the work later.
#[handler]
fn hook(delivery: Delivery) {
    println!("{} bytes, key {}", delivery.0.body().len(), delivery.0.key());
}

/// A verified delivery as an extractor.
struct Delivery(VerifiedBuf);

impl<'a> FromRequest<'a> for Delivery {
    async fn from_request(request: &'a Request, body: &mut RequestBody) -> poem::Result<Self> {
        let endpoint = request.data::<Endpoint>().ok_or_else(|| {
            poem::Error::from_string("no endpoint", StatusCode::INTERNAL_SERVER_ERROR)
        })?;
        // Nothing beyond the limit is kept: 413, as the endpoint would answer.
        let body = body.take()?.into_bytes_limit(endpoint.limit()).await?;
        let mut delivery = http::Request::new(body);
        *delivery.method_mut() = request.method().clone();
        // For senders that sign the URL. Within `nest` it is `original_uri` that the sender has called.
        *delivery.uri_mut() = request.uri().clone();
        *delivery.headers_mut() = request.headers().clone();
        // The sender is told a status and nothing else, whatever the reason.
        endpoint.verify(delivery).map(Self).map_err(|error| {
            println!("refused: {error}");
            poem::Error::from_status(error.status())
        })
    }
}

#[cfg(test)]
mod tests;
