//! A server that receives verified webhooks, the whole path: head, body as it arrives, verdict, answer.
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
use std::sync::Arc;
use std::time::SystemTime;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::routing::post;
use hookproof::{Fault, Head, UnixTime, VerifiedBuf, Verifier, providers};
use http_body_util::BodyExt;

/// What a sender may send at most. GitHub sends up to 25 MB.
const LIMIT: usize = 1 << 20;

struct Endpoint {
    verifier: Verifier,
    url: Option<String>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = args().skip(1);
    let id = arguments.next().ok_or("usage: example-server PROVIDER SECRET [PUBLIC-URL]")?;
    let secret = arguments.next().ok_or("the secret is missing")?;
    let url = arguments.next();

    let sender = providers::find(&id).ok_or("no such sender")?;
    let verifier = Verifier::builder(sender).secret(&secret).build()?;
    if verifier.needs().url && url.is_none() {
        return Err("this sender signs the URL: give the public one".into());
    }
    let endpoint = Arc::new(Endpoint { verifier, url });
    let app = Router::new().route("/", post(receive)).with_state(endpoint);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    println!("listening on http://{}/", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}

async fn receive(State(endpoint): State<Arc<Endpoint>>, request: Request) -> StatusCode {
    match verified(&endpoint, request).await {
        Ok(delivery) => handle(&delivery),
        Err(status) => status,
    }
}

/// Reads the head first, so that unsigned requests cost no body, then hashes the body while it arrives.
async fn verified(endpoint: &Endpoint, request: Request) -> Result<VerifiedBuf, StatusCode> {
    let (parts, mut body) = request.into_parts();
    let mut head = Head::new(&parts.headers).with_method(&parts.method);
    if let Some(url) = &endpoint.url {
        head = head.with_url(url);
    }
    let mut collector = endpoint.verifier.collect(head, LIMIT).map_err(refused)?;
    while let Some(chunk) = next_chunk(&mut body).await? {
        collector.push(chunk).map_err(refused)?;
    }
    collector.finish(UnixTime::from(SystemTime::now())).map_err(refused)
}

/// The next data of the body; a connection that breaks off is answered like a bad request.
async fn next_chunk(body: &mut Body) -> Result<Option<Bytes>, StatusCode> {
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| StatusCode::BAD_REQUEST)?;
        if let Ok(data) = frame.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// The sender learns a status and nothing else; the operator learns why.
fn refused(error: hookproof::Error) -> StatusCode {
    match error.fault() {
        Fault::Operator => eprintln!("this server is set up wrongly: {error}"),
        _ => println!("rejected: {error}"),
    }
    error.status()
}

/// Only verified deliveries come here. Store it, answer at once, and do the work later.
fn handle(delivery: &VerifiedBuf) -> StatusCode {
    println!(
        "accepted from {}: {} bytes, key {}, covered: {}",
        delivery.provider().info().name,
        delivery.body().len(),
        delivery.key(),
        delivery.coverage()
    );
    StatusCode::OK
}
