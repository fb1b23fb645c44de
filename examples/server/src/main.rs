//! A server that receives verified webhooks of any sender.
//!
//! ```console
//! $ cargo run -p example-server -- stripe whsec_example https://example.com/hooks
//! $ printf '{"id":"evt_1"}' | hookproof sign --provider stripe --secret whsec_example --url http://127.0.0.1:8080/ --curl - | sh
//! ```
//!
//! The third argument is the public URL that the sender calls, needed for senders that sign it.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows its result")]

use std::env::args;
use std::error::Error;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::post;
use hookproof::{Endpoint, Fault, PublicUrl, Report, VerifiedBuf, Verifier, providers};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = args().skip(1);
    let id = arguments.next().ok_or("usage: example-server PROVIDER SECRET [PUBLIC-URL]")?;
    let secret = arguments.next().ok_or("the secret is missing")?;

    let sender = providers::find(&id).ok_or("no such sender")?;
    let verifier = Verifier::builder(sender).secret(&secret).build()?;
    let mut endpoint = Endpoint::builder(verifier).on_verdict(tell);
    if let Some(url) = arguments.next() {
        endpoint = endpoint.url(PublicUrl::exact(&url)?);
    }
    let app = Router::new()
        .route("/", post(receive))
        // The endpoint has the sender's limit, which may be above the 2 MB of axum.
        .layer(DefaultBodyLimit::disable())
        .with_state(endpoint.build()?);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    println!("listening on http://{}/", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}

/// Only verified deliveries come here. Store it, answer at once, and do the work later.
async fn receive(delivery: VerifiedBuf) {
    println!(
        "accepted from {}: {} bytes, key {}, covered: {}",
        delivery.provider().info().name,
        delivery.body().len(),
        delivery.key(),
        delivery.coverage()
    );
}

/// The sender learns a status and nothing else; the operator learns why.
fn tell(report: &Report<'_>) {
    match report.verdict {
        Err(error) if error.fault() == Fault::Operator => {
            eprintln!("this server is set up wrongly: {error}");
        }
        Err(error) => println!("rejected: {error}"),
        Ok(_) => {}
    }
}
