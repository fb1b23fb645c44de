//! A function on AWS Lambda that receives verified webhooks, behind API Gateway, a function URL or a load balancer.
//!
//! Signatures are over the raw body, and a header that comes twice is refused. `AwsRequest` reads the event itself: it undoes the
//! base64 in which AWS hands on bodies that are no text, and keeps every line of every header. `lambda_http::Request` would do for
//! the body (`endpoint.verify(request.map(…))`), but keeps the last of several lines of one name and hides the others.
//!
//! Behind a REST API, list `*/*` among the API's binary media types: it hands on other bodies as text, and bytes that are no
//! UTF-8 are lost there. For senders that sign the URL give the endpoint the one that is configured at the sender, by
//! `PublicUrl::exact`.

#![allow(clippy::print_stdout, reason = "an example shows its result")]

use hookproof::raw::AwsRequest;
use hookproof::{Endpoint, Verifier, providers::GITHUB};
use lambda_http::http::Request;
use lambda_http::lambda_runtime::{Error, LambdaEvent, run, service_fn};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    // Made once, before the first request: a secret that cannot be right ends the function here.
    let endpoint = endpoint(&std::env::var("GITHUB_SECRET")?)?;
    run(service_fn(async |event: LambdaEvent<AwsRequest>| hook(&endpoint, &event.payload))).await
}

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

fn hook(endpoint: &Endpoint, event: &AwsRequest) -> Result<Value, Error> {
    let mut request = Request::new(event.body().clone());
    *request.method_mut() = event.method().clone();
    *request.headers_mut() = event.headers().clone();
    Ok(match endpoint.verify(request) {
        // The delivery is genuine. Store it, answer, and do the work later.
        Ok(verified) => {
            println!("{} bytes, key {}", verified.body().len(), verified.key());
            json!({ "statusCode": 200 })
        }
        Err(error) => json!({ "statusCode": error.status().as_u16() }),
    })
}

#[cfg(test)]
mod tests;
