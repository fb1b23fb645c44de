//! What clients do wrong, by accident or on purpose, over sockets: the layer on bare hyper.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use hookproof::tower::{VerifiedBody, VerifyLayer};
use hookproof::{Endpoint, EndpointBuilder};
use hookproof_servers::client::{chunked, head, read, send, send_bytes};
use hookproof_servers::github::{FORGED, Log, SIGNATURE, endpoint, signature};
use hookproof_servers::server;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tower::limit::ConcurrencyLimitLayer;
use tower::{Layer, ServiceBuilder, service_fn};

const BODY: &[u8] = br#"{"zen":"Design for failure."}"#;

/// Answers with the length of the body and the number of trailers.
async fn handle(request: Request<VerifiedBody>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body = request.into_body().collect().await?;
    let trailers = body.trailers().map_or(0, http::HeaderMap::len);
    Ok(Response::new(Full::from(format!("{} {trailers}", body.to_bytes().len()))))
}

async fn serve(endpoint: Endpoint) -> SocketAddr {
    server::hyper(VerifyLayer::new(endpoint).layer(service_fn(handle))).await
}

async fn start(set_up: impl FnOnce(EndpointBuilder) -> EndpointBuilder) -> (SocketAddr, Log) {
    let (endpoint, log) = endpoint(set_up);
    (serve(endpoint).await, log)
}

/// The head of a request with a signature and a chunked body.
fn chunked_head(signature: &[u8]) -> Vec<u8> {
    head("POST", "/", &[(SIGNATURE, signature), ("Transfer-Encoding", b"chunked")])
}

#[tokio::test]
async fn a_client_that_waits_for_100_continue_is_refused_by_its_head() {
    let (address, log) = start(|builder| builder).await;
    let length = BODY.len().to_string();
    let expect: &[(&str, &[u8])] =
        &[("Expect", b"100-continue"), ("Content-Length", length.as_bytes())];
    let answer = send_bytes(address, &head("POST", "/", expect)).await.unwrap();
    assert_eq!((answer.status, answer.body.len()), (401, 0), "no `100 Continue` came before it");
    assert_eq!(log.take(), [("missing-header", 0)]);

    let signature = signature(BODY);
    let mut headers = expect.to_vec();
    headers.push((SIGNATURE, &signature));
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&head("POST", "/", &headers)).await.unwrap();
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).await.unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(BODY).await.unwrap();
    let answer = read(&mut stream).await.unwrap();
    assert_eq!((answer.status, answer.body), (200, b"29 0".to_vec()));
    assert_eq!(log.take(), [("accepted", BODY.len())]);
}

#[tokio::test]
async fn a_declared_length_over_the_limit_is_refused_before_the_body() {
    let (address, log) = start(|builder| builder.limit(BODY.len() - 1)).await;
    let length = BODY.len().to_string();
    let signature = signature(BODY);
    let headers: &[(&str, &[u8])] = &[
        (SIGNATURE, &signature),
        ("Content-Length", length.as_bytes()),
        ("Expect", b"100-continue"),
    ];
    let answer = send_bytes(address, &head("POST", "/", headers)).await.unwrap();
    assert_eq!((answer.status, answer.body.len()), (413, 0));
    assert_eq!(log.take(), [("body-too-large", 0)]);
    let (address, _) = start(|builder| builder.limit(BODY.len())).await;
    assert_eq!(send(address, "POST", "/", &[(SIGNATURE, &signature)], BODY).await.status, 200);
}

#[tokio::test]
async fn a_chunked_body_over_the_limit_is_refused_where_it_goes_over() {
    let (address, log) = start(|builder| builder.limit(100)).await;
    let mut request = chunked_head(FORGED);
    request.extend(chunked(&[&[b'a'; 60], &[b'b'; 60]]));
    let answer = send_bytes(address, &request).await.unwrap();
    assert_eq!((answer.status, answer.body.len()), (413, 0));
    assert_eq!(log.take(), [("body-too-large", 120)]);

    // A body without end: the client goes on until the server has enough.
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&chunked_head(FORGED)).await.unwrap();
    let chunk = chunked(&[b"x"]);
    let mut sent = 0;
    while stream.write_all(&chunk).await.is_ok() {
        sent += 1;
        assert!(sent < 10_000_000, "the server never stops reading");
        if sent % 100 == 0 {
            tokio::task::yield_now().await;
        }
    }
    let [(word, length)] = log.take()[..] else { panic!("one report") };
    assert_eq!((word, length), ("body-too-large", 101));
}

#[tokio::test]
async fn a_body_that_stalls_or_drips_runs_out_of_time() {
    let (address, log) = start(|builder| builder.chunk_timeout(Duration::from_millis(30))).await;
    let mut request = chunked_head(&signature(BODY));
    request.extend(chunked(&[&BODY[..10]]));
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&request).await.unwrap();
    let answer = read(&mut stream).await.unwrap();
    assert_eq!((answer.status, answer.body.len()), (401, 0));
    assert_eq!(log.take(), [("body-timeout", 10)]);

    // Each part in time, the whole never.
    let (address, log) = start(|builder| builder.body_timeout(Duration::from_millis(100))).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&chunked_head(FORGED)).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let drip = async {
        while writer.write_all(&chunked(&[b"x"])).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let mut bytes = Vec::new();
    tokio::select! { () = drip => {}, _ = reader.read_to_end(&mut bytes) => {} }
    assert_eq!(log.wait().await[0].0, "body-timeout");
}

#[tokio::test]
async fn a_body_that_breaks_off_or_is_badly_framed_is_incomplete() {
    let (address, log) = start(|builder| builder).await;
    let mut request = head("POST", "/", &[(SIGNATURE, FORGED), ("Content-Length", b"1000")]);
    request.extend(b"only this");
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&request).await.unwrap();
    stream.shutdown().await.unwrap();
    assert_eq!(read(&mut stream).await.map(|answer| answer.status), Some(401));
    assert_eq!(log.wait().await, [("body-incomplete", 9)]);

    for framing in ["zz\r\nab\r\n", "5\r\nabcdefgh\r\n", "fffffffffffffffff\r\n", "-1\r\n"] {
        let mut request = chunked_head(FORGED);
        request.extend(framing.as_bytes());
        let answer = send_bytes(address, &request).await;
        assert!(answer.is_none_or(|answer| [400, 401].contains(&answer.status)), "{framing}");
        assert_eq!(log.wait().await[0].0, "body-incomplete", "{framing}");
    }
    // Two framings, or none that can be read, are hyper's to refuse: they do not come to the layer.
    let two: &[(&str, &[u8])] = &[("Content-Length", b"3"), ("Content-Length", b"4")];
    for headers in [two, &[("Content-Length", b"+3")], &[("Transfer-Encoding", b"gzip")]] {
        let mut all = headers.to_vec();
        all.push((SIGNATURE, FORGED));
        let answer = send_bytes(address, &head("POST", "/", &all)).await;
        assert!(answer.is_none_or(|answer| answer.status == 400));
        assert!(log.take().is_empty());
    }
    assert_eq!(send(address, "POST", "/", &[(SIGNATURE, &signature(b""))], b"").await.status, 200);
}

#[tokio::test]
async fn any_byte_is_a_body() {
    let (address, log) = start(|builder| builder).await;
    for body in [&b"\xff"[..], b"", b"\x00", "\u{feff}{}".as_bytes(), b"\r\n\r\n", &[0x80; 70_000]]
    {
        let answer = send(address, "POST", "/", &[(SIGNATURE, &signature(body))], body).await;
        assert_eq!((answer.status, answer.body), (200, format!("{} 0", body.len()).into_bytes()));
        let answer = send(address, "POST", "/", &[(SIGNATURE, FORGED)], body).await;
        assert_eq!((answer.status, answer.body.len()), (401, 0));
        assert_eq!(send(address, "POST", "/", &[(SIGNATURE, b"\xff")], body).await.status, 401);
        assert_eq!(log.words(), ["accepted", "signature-mismatch", "malformed-header"]);
    }
}

#[tokio::test]
async fn chunks_and_trailers_arrive_whole() {
    let (address, log) = start(|builder| builder).await;
    let signature = signature(BODY);
    let headers: &[(&str, &[u8])] =
        &[(SIGNATURE, &signature), ("Transfer-Encoding", b"chunked"), ("Trailer", b"x-a, x-b")];
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&head("POST", "/", headers)).await.unwrap();
    for byte in BODY {
        stream.write_all(&chunked(&[&[*byte]])).await.unwrap();
        tokio::task::yield_now().await;
    }
    stream.write_all(b"0\r\nx-a: 1\r\nx-b: 2\r\n\r\n").await.unwrap();
    let answer = read(&mut stream).await.unwrap();
    assert_eq!((answer.status, answer.body), (200, b"29 2".to_vec()));
    assert_eq!(log.take(), [("accepted", BODY.len())]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_a_concurrency_limit_every_request_is_answered() {
    let (endpoint, log) = endpoint(|builder| builder);
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (inside, peak) = (Arc::clone(&now), Arc::clone(&most));
    let counted = service_fn(move |request: Request<VerifiedBody>| {
        let (inside, peak) = (Arc::clone(&inside), Arc::clone(&peak));
        async move {
            peak.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(1)).await;
            inside.fetch_sub(1, Ordering::SeqCst);
            handle(request).await
        }
    });
    let service = ServiceBuilder::new()
        .layer(VerifyLayer::new(endpoint))
        .layer(ConcurrencyLimitLayer::new(2))
        .service(counted);
    let address = server::hyper(service).await;
    let signature = signature(BODY);
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..60 {
        let signature = if number % 3 == 0 { FORGED.to_vec() } else { signature.clone() };
        tasks.spawn(async move {
            send(address, "POST", "/", &[(SIGNATURE, &signature)], BODY).await.status
        });
    }
    let statuses = tasks.join_all().await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 40, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 20, "{statuses:?}");
    assert_eq!(log.take().len(), 60);
    assert!((1..=2).contains(&most.load(Ordering::SeqCst)), "{most:?}");
}

#[tokio::test]
async fn a_panic_of_the_inner_service_ends_its_connection_and_no_other() {
    let (endpoint, log) = endpoint(|builder| builder);
    let panics = service_fn(|request: Request<VerifiedBody>| async move {
        assert!(!request.headers().contains_key("x-panic"), "as it was asked to");
        handle(request).await
    });
    let address = server::hyper(VerifyLayer::new(endpoint).layer(panics)).await;
    let signature = signature(BODY);
    let mut request = head(
        "POST",
        "/",
        &[(SIGNATURE, &signature), ("Content-Length", b"29"), ("x-panic", b"yes")],
    );
    request.extend(BODY);
    assert_eq!(send_bytes(address, &request).await, None);
    assert_eq!(send(address, "POST", "/", &[(SIGNATURE, &signature)], BODY).await.status, 200);
    assert_eq!(log.words(), ["accepted", "accepted"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn genuine_deliveries_are_answered_beside_a_flood() {
    let (address, log) = start(|builder| builder).await;
    let signature = signature(BODY);
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..2_000_u32 {
        let signature = signature.clone();
        tasks.spawn(async move {
            match number % 10 {
                0 => send(address, "POST", "/", &[(SIGNATURE, &signature)], BODY).await.status,
                1 => send(address, "POST", "/", &[], BODY).await.status,
                _ => send(address, "POST", "/", &[(SIGNATURE, FORGED)], BODY).await.status,
            }
        });
        // No more open sockets at a time than any system allows.
        if tasks.len() >= 100 {
            tasks.join_next().await.unwrap().unwrap();
        }
    }
    drop(tasks.join_all().await);
    let words = log.words();
    let count = |wanted| words.iter().filter(|word| **word == wanted).count();
    assert_eq!(count("accepted"), 200);
    assert_eq!((count("missing-header"), count("signature-mismatch")), (200, 1_600));
}
