//! A function on AWS Lambda that receives verified webhooks, behind API Gateway, a function URL or a load balancer.
//!
//! Signatures are over the raw body. `lambda_http` undoes the base64 in which AWS hands on bodies that are no text, and changes
//! nothing else: take `Request`, never a payload that is parsed already. Behind a REST API, list `*/*` among the API's binary
//! media types: it hands on other bodies as text, and bytes that are no UTF-8 are lost there.
//!
//! For senders that sign the URL give the endpoint the one that is configured at the sender, by `PublicUrl::exact`: API Gateway
//! has read the query, and what `lambda_http` makes of it again may be written otherwise.

#![allow(clippy::print_stdout, reason = "an example shows its result")]

use bytes::Bytes;
use hookproof::{Endpoint, Verifier, providers::GITHUB};
use lambda_http::{Body, Error, Request, Response, run, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let endpoint = endpoint(&std::env::var("GITHUB_SECRET")?)?;
    run(service_fn(async |request: Request| hook(&endpoint, request))).await
}

/// Made once, before the first request: a secret that cannot be right ends the function here.
fn endpoint(secret: &str) -> Result<Endpoint, Error> {
    let verifier = Verifier::builder(&GITHUB).secret(secret).build()?;
    // The log says why a delivery was refused; the sender is told a status and nothing else.
    let builder = Endpoint::builder(verifier).on_verdict(|report| {
        if let Err(error) = report.verdict {
            println!("refused: {error}");
        }
    });
    Ok(builder.build()?)
}

fn hook(endpoint: &Endpoint, request: Request) -> Result<Response<Body>, Error> {
    let answer = Response::builder();
    let verified = match endpoint.verify(request.map(raw)) {
        Ok(verified) => verified,
        Err(error) => return Ok(answer.status(error.status()).body(Body::Empty)?),
    };
    // From here on the delivery is genuine. Store it, answer, and do the work later.
    println!("{} bytes, key {}", verified.body().len(), verified.key());
    Ok(answer.body(Body::Empty)?)
}

/// The bytes of a body, as they were sent.
fn raw(body: Body) -> Bytes {
    match body {
        Body::Text(text) => text.into(),
        Body::Binary(bytes) => bytes.into(),
        _ => Bytes::new(),
    }
}

#[cfg(test)]
mod tests;
