//! A server under mixed load for minutes: every answer must have been right, and memory flat.

mod clients;
mod flat;

use std::time::{Duration, Instant};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::post;
use hookproof::tower::VerifyLayer;
use hookproof::{Endpoint, PublicUrl, VerifiedBuf, Verifier, providers, testing};

use crate::Error;
use crate::child::{Role, Server};
use crate::memory::mebibytes;

/// The largest body that the server takes.
const LIMIT: usize = 256 << 10;

/// How long the server waits for the next part of a body.
const CHUNK_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a soak is at least for its memory to be judged.
const WARM: Duration = Duration::from_secs(120);

/// Every sender twice: by the extractor and by the layer.
pub(crate) fn application() -> Result<Router, Error> {
    let mut app = Router::new();
    for sender in providers::ALL {
        let verifier = Verifier::builder(*sender).secret(testing::SECRET).build()?;
        let endpoint = Endpoint::builder(verifier)
            .url(PublicUrl::exact(testing::URL)?)
            .limit(LIMIT)
            .chunk_timeout(CHUNK_TIMEOUT)
            .build()?;
        let id = sender.info().id;
        let layer = VerifyLayer::new(endpoint.clone());
        app = app.route(&format!("/layer/{id}"), post(async || StatusCode::OK).layer(layer)).merge(
            Router::new().route(&format!("/extractor/{id}"), post(extractor)).with_state(endpoint),
        );
    }
    Ok(app)
}

async fn extractor(delivery: VerifiedBuf) -> StatusCode {
    if delivery.body().is_empty() { StatusCode::BAD_REQUEST } else { StatusCode::OK }
}

pub(crate) fn run(minutes: f64, forged: u32) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let tasks = tokio::task::LocalSet::new();
    tasks.block_on(&runtime, soak(Duration::from_secs_f64(minutes * 60.0), forged))
}

async fn soak(time: Duration, forged: u32) -> Result<(), Error> {
    let mut server = Server::start(Role::Soak)?;
    let begin = Instant::now();
    let load = clients::start(server.address, begin + time, forged);
    let mut resident = Vec::new();
    let mut cpu = Duration::ZERO;
    while begin.elapsed() < time {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let usage = server.usage()?;
        cpu = usage.cpu;
        resident.push((begin.elapsed().as_secs_f64(), usage.resident));
    }
    let counts = load.end().await?;
    // All clients have gone: what they held must have gone, too, but for what the allocator keeps.
    println!("\n| sent | right answers | wrong | none |\n|---|--:|--:|--:|");
    for (kind, count) in counts.iter() {
        println!("| {kind} | {} | {} | {} |", count.right(), count.wrong(), count.none());
    }
    let growth = flat::growth(&resident);
    println!(
        "\n{:.1} minutes, {:.0} s of the server's CPU; resident {} MiB at half-time, {} at the end; by regression over the second half {:+.2} MiB, {:+.2} % of the mean.",
        begin.elapsed().as_secs_f64() / 60.0,
        cpu.as_secs_f64(),
        mebibytes(resident.get(resident.len() / 2).map_or(0, |sample| sample.1)),
        mebibytes(resident.last().map_or(0, |sample| sample.1)),
        growth.bytes / f64::from(1 << 20),
        growth.part * 100.0
    );
    counts.judge()?;
    // Before that the server is still taking what it needs.
    if time < WARM {
        println!("Too short a time to judge the memory by.");
        return Ok(());
    }
    growth.judge()
}
