//! A Rocket server that receives verified webhooks.
//!
//! Signatures are over the raw body: a data guard reads it as bytes, verifies it and hands on both. `Json<T>` would have
//! parsed the body before anybody could tell whose it is, and what it was sent as would be gone.
//!
//! Rocket drops headers whose value is no UTF-8, with a warning in its log. A signature among them counts as missing.

#![allow(clippy::print_stdout, reason = "an example shows its result")]

use hookproof::providers::GITHUB;
use hookproof::{Endpoint, VerifiedBuf, Verifier, raw};
use rocket::data::{Data, FromData, Outcome, ToByteUnit};
use rocket::http::Status;
use rocket::outcome::Outcome::{Error, Success};
use rocket::{Build, Request, Rocket, catch, catchers, post, routes};

#[rocket::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let verifier = Verifier::builder(&GITHUB).secret(&std::env::var("GITHUB_SECRET")?).build()?;
    server(Endpoint::new(verifier)?).launch().await?;
    Ok(())
}

fn server(endpoint: Endpoint) -> Rocket<Build> {
    let routes = routes![hook];
    rocket::build().manage(endpoint).mount("/", routes).register("/", catchers![refuse])
}

/// Called for verified deliveries only. Store it, answer, and do the work later.
#[post("/<_..>", data = "<delivery>")]
fn hook(delivery: Delivery) {
    println!("{} bytes, key {}", delivery.0.body().len(), delivery.0.key());
}

/// The sender is told a status and nothing else, whatever the reason.
#[catch(default)]
fn refuse(status: Status, _: &Request<'_>) -> (Status, ()) {
    (status, ())
}

/// A verified delivery as a data guard.
struct Delivery(VerifiedBuf);

#[rocket::async_trait]
impl<'r> FromData<'r> for Delivery {
    type Error = String;

    async fn from_data(request: &'r Request<'_>, data: Data<'r>) -> Outcome<'r, Self> {
        match verify(request, data).await {
            Ok(delivery) => Success(Self(delivery)),
            Err((status, reason)) => Error((Status::new(status), reason)),
        }
    }
}

async fn verify(request: &Request<'_>, data: Data<'_>) -> Result<VerifiedBuf, (u16, String)> {
    let endpoint =
        request.rocket().state::<Endpoint>().ok_or_else(|| (500, "no endpoint".to_owned()))?;
    let broken = |error: &dyn std::error::Error| (400, error.to_string());
    // One byte more than is allowed, so that the endpoint refuses what is longer: a body that is cut is never verified.
    let limit = endpoint.limit().saturating_add(1).bytes();
    let body = data.open(limit).into_bytes().await.map_err(|error| broken(&error))?.value;
    let mut delivery = http::Request::builder()
        .method(request.method().as_str())
        .uri(request.uri().to_string())
        .body(body)
        .map_err(|error| broken(&error))?;
    // Every line as it arrived, also of a name that comes twice.
    let lines = request.headers().iter();
    *delivery.headers_mut() =
        raw::headers(lines.map(|line| (line.name().as_str().to_owned(), line.value().to_owned())))
            .map_err(|error| broken(&error))?;
    endpoint.verify(delivery).map_err(|error| {
        println!("refused: {error}");
        (error.status().as_u16(), error.to_string())
    })
}

#[cfg(test)]
mod tests;
