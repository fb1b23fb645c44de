//! What connections that are kept waiting cost, beside the same server without the layer: all that is allocated is counted.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking")]

use std::convert::Infallible;
use std::net::SocketAddr;

use allocation_counter::measure;
use bytes::Bytes;
use hookproof::tower::{VerifiedBody, VerifyLayer};
use hookproof_servers::client::{head, send};
use hookproof_servers::github::{FORGED, SIGNATURE, endpoint, signature};
use hookproof_servers::server;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tower::{Layer, service_fn};

const CONNECTIONS: u16 = 1000;

/// Opens connections that each send a good head and nothing else.
async fn open(address: SocketAddr) -> Vec<TcpStream> {
    let headers: &[(&str, &[u8])] = &[(SIGNATURE, FORGED), ("Content-Length", b"1000000")];
    let head = head("POST", "/", headers);
    let mut streams = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&head).await.unwrap();
        streams.push(stream);
    }
    genuine(address).await;
    streams
}

/// Each sends 20 parts of 10 bytes.
async fn drip(address: SocketAddr, streams: &mut [TcpStream]) {
    for _ in 0..20 {
        for stream in streams.iter_mut() {
            stream.write_all(b"0123456789").await.unwrap();
        }
        genuine(address).await;
    }
}

/// A genuine delivery is answered beside them.
async fn genuine(address: SocketAddr) {
    let answer = send(address, "POST", "/", &[(SIGNATURE, &signature(b"a"))], b"a").await;
    assert_eq!(answer.status, 200);
}

/// What each connection holds at rest, and after the dripping, in bytes. They stay open in `streams`.
fn cost(runtime: &Runtime, address: SocketAddr, streams: &mut Vec<TcpStream>) -> (i64, i64) {
    let resting = measure(|| *streams = runtime.block_on(open(address)));
    let dripped = measure(|| runtime.block_on(drip(address, streams)));
    let each = |bytes| bytes / i64::from(CONNECTIONS);
    (each(resting.bytes_current), each(resting.bytes_current + dripped.bytes_current))
}

#[test]
fn slow_connections_cost_little_more_than_they_do_without_the_layer() {
    // One thread, so that all of it is counted.
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let (endpoint, _) = endpoint(|builder| builder);
    let (plain, layered) = runtime.block_on(async {
        let plain = service_fn(|request: Request<Incoming>| async {
            // The headers are kept while the body arrives: hyper's buffer, which they are slices of, is not used again.
            let (parts, body) = request.into_parts();
            let body = body.collect().await;
            drop(parts);
            let body = body.map_or_else(|_| Bytes::new(), |body| body.to_bytes());
            Ok::<_, Infallible>(Response::new(Full::from(body)))
        });
        let inner = service_fn(|request: Request<VerifiedBody>| async {
            let body = request.into_body().collect().await?.to_bytes();
            Ok::<_, Infallible>(Response::new(Full::from(body)))
        });
        (server::hyper(plain).await, server::hyper(VerifyLayer::new(endpoint).layer(inner)).await)
    });
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let without = cost(&runtime, plain, &mut first);
    let with = cost(&runtime, layered, &mut second);
    println!(
        "bytes for each of {CONNECTIONS} slow connections, at rest and after 200 bytes: without the layer {without:?}, with it {with:?}"
    );
    assert!(with.0 <= without.0 + 8192, "at rest");
    assert!(with.1 <= without.1 + 8192, "after 200 bytes");
}
