//! What a layer owes to the layers around it: readiness, cancellation, fairness, order. No sockets.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::routing::post;
use bytes::Bytes;
use hookproof::VerifiedBuf;
use hookproof::tower::{VerifiedBody, VerifyLayer};
use hookproof_servers::body::scripted;
use hookproof_servers::github::{FORGED, SIGNATURE, endpoint, signature};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body::{Body as _, Frame};
use http_body_util::{BodyExt, Full, Limited};
use tokio::time::Instant;
use tower::limit::ConcurrencyLimit;
use tower::{Layer, Service, ServiceExt, service_fn};
use tower_http::cors::CorsLayer;
use tower_http::decompression::RequestDecompressionLayer;
use tower_http::limit::RequestBodyLimitLayer;

const BODY: &[u8] = br#"{"zen":"Keep it logically awesome."}"#;

type Answer = Result<Response<Full<Bytes>>, Infallible>;

async fn handle(request: Request<VerifiedBody>) -> Answer {
    assert!(request.extensions().get::<VerifiedBuf>().is_some());
    Ok(Response::new(Full::from(request.into_body().collect().await?.to_bytes())))
}

fn request<B>(signature: &[u8], body: B) -> Request<B> {
    Request::post("/hook?q").header(SIGNATURE, signature).body(body).unwrap()
}

fn full(body: impl Into<Bytes>) -> Full<Bytes> {
    Full::new(body.into())
}

/// Polls once.
fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Whether a service is ready for another request.
fn is_ready<S: Service<Request<Full<Bytes>>>>(service: &mut S) -> Poll<Result<(), S::Error>> {
    service.poll_ready(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn the_inner_service_decides_when_there_is_another_request() {
    /// Says what it is told to say, and is never to be called.
    #[derive(Clone)]
    struct Told(Poll<Result<(), &'static str>>);
    impl Service<Request<VerifiedBody>> for Told {
        type Response = Response<Full<Bytes>>;
        type Error = &'static str;
        type Future = std::future::Ready<Result<Self::Response, &'static str>>;
        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), &'static str>> {
            self.0
        }
        fn call(&mut self, _: Request<VerifiedBody>) -> Self::Future {
            panic!("it was not ready")
        }
    }
    let layer = VerifyLayer::new(endpoint(|builder| builder).0);
    for told in [Poll::Pending, Poll::Ready(Err("broken")), Poll::Ready(Ok(()))] {
        assert_eq!(is_ready(&mut layer.layer(Told(told))), told);
    }
}

#[tokio::test]
async fn the_service_that_was_ready_is_called_and_holds_its_permit() {
    let (endpoint, log) = endpoint(|builder| builder);
    let limited = ConcurrencyLimit::new(service_fn(handle), 1);
    let mut service = VerifyLayer::new(endpoint).layer(limited);
    let waiting = || scripted(|_: &mut Context<'_>| Poll::Pending);

    std::future::poll_fn(|cx| Service::<Request<Full<Bytes>>>::poll_ready(&mut service, cx))
        .await
        .unwrap();
    let mut first = service.call(request(FORGED, waiting()));
    assert!(poll(&mut first).is_pending());
    assert!(is_ready(&mut service).is_pending(), "the one permit is held while a body arrives");
    // A client that goes away takes its body and its permit with it.
    drop(first);
    assert!(is_ready(&mut service).is_ready());
    let answer = service.call(request(&signature(BODY), full(BODY))).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert!(is_ready(&mut service).is_ready());
    // So does one that is refused.
    let answer = service.call(request(b"", waiting())).await.unwrap();
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    assert!(is_ready(&mut service).is_ready());
    assert_eq!(log.words(), ["accepted", "missing-header"]);
}

#[tokio::test]
async fn a_request_reaches_the_inner_service_as_it_came() {
    let (endpoint, _) = endpoint(|builder| builder);
    let inner = service_fn(|request: Request<VerifiedBody>| async move {
        let (parts, body) = request.into_parts();
        assert_eq!((parts.method, parts.uri.to_string()), (Method::PUT, "/hook?q".to_owned()));
        assert_eq!(parts.version, http::Version::HTTP_2);
        assert_eq!(parts.headers["x-other"], "kept");
        assert_eq!(parts.extensions.get::<u8>(), Some(&7));
        assert_eq!(parts.extensions.get::<VerifiedBuf>().unwrap().body(), BODY);
        assert_eq!(body.size_hint().exact(), u64::try_from(BODY.len()).ok());
        assert!(!body.is_end_stream());
        let body = body.collect().await.unwrap();
        assert_eq!(body.trailers().unwrap()["x-trailer"], "kept");
        assert_eq!(body.to_bytes(), BODY);
        Ok::<_, Infallible>(Response::new(Full::<Bytes>::default()))
    });
    let mut trailers = HeaderMap::new();
    trailers.insert("x-trailer", "kept".parse().unwrap());
    let mut frames = vec![
        Frame::trailers(trailers),
        Frame::data(Bytes::from_static(&BODY[9..])),
        Frame::data(Bytes::new()),
        Frame::data(Bytes::from_static(&BODY[..9])),
    ];
    let mut request =
        request(&signature(BODY), scripted(move |_| Poll::Ready(frames.pop().map(Ok))));
    *request.method_mut() = Method::PUT;
    *request.version_mut() = http::Version::HTTP_2;
    request.headers_mut().insert("x-other", "kept".parse().unwrap());
    request.extensions_mut().insert(7_u8);
    let answer = VerifyLayer::new(endpoint).layer(inner).oneshot(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn bodies_are_waited_for_as_long_as_was_said_and_no_longer() {
    let (endpoint, log) = endpoint(|builder| {
        builder.chunk_timeout(Duration::from_secs(10)).body_timeout(Duration::from_secs(25))
    });
    let service = VerifyLayer::new(endpoint).layer(service_fn(handle));
    // One byte every `pause`; the clock stands still but for the waiting.
    let drip = |pause: Duration| {
        let mut sleep = Box::pin(tokio::time::sleep(pause));
        scripted(move |cx: &mut Context<'_>| {
            std::task::ready!(sleep.as_mut().poll(cx));
            sleep.as_mut().reset(Instant::now() + pause);
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"x")))))
        })
    };
    for (pause, after, bytes) in [(9_900, 25_000, 2), (10_100, 10_000, 0), (100, 25_000, 249)] {
        let begun = Instant::now();
        let body = drip(Duration::from_millis(pause));
        let answer = service.clone().oneshot(request(FORGED, body)).await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
        let took = begun.elapsed().as_millis();
        assert!((after..after + 5).contains(&took), "{pause}: {took}");
        let [(word, length)] = log.take()[..] else { panic!("one report") };
        assert_eq!(word, "body-timeout");
        assert!(length.abs_diff(bytes) <= 1, "{pause}: {length}");
    }
}

#[tokio::test]
async fn without_times_there_is_no_timer() {
    let (endpoint, _) =
        endpoint(|builder| builder.chunk_timeout(Duration::MAX).body_timeout(Duration::MAX));
    let service = VerifyLayer::new(endpoint).layer(service_fn(handle));
    let answer = std::thread::spawn(move || {
        // No runtime here: a timer would panic.
        let mut future = service.oneshot(request(&signature(BODY), full(BODY)));
        match poll(&mut future) {
            Poll::Ready(answer) => answer.unwrap().status(),
            Poll::Pending => panic!("everything is there"),
        }
    });
    assert_eq!(answer.join().unwrap(), StatusCode::OK);
}

#[tokio::test]
async fn a_body_of_nothing_without_end_runs_out_of_time_and_leaves_others_their_turn() {
    let (endpoint, log) = endpoint(|builder| builder.body_timeout(Duration::from_millis(50)));
    let body = scripted(|_: &mut Context<'_>| Poll::Ready(Some(Ok(Frame::data(Bytes::new())))));
    let turns = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&turns);
    let other = tokio::spawn(async move {
        loop {
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
        }
    });
    let service = VerifyLayer::new(endpoint).layer(service_fn(handle));
    service.oneshot(request(FORGED, body)).await.unwrap();
    other.abort();
    assert_eq!(log.words(), ["body-timeout"]);
    assert!(turns.load(Ordering::Relaxed) > 1);
}

#[tokio::test]
async fn a_large_body_at_hand_leaves_others_their_turn() {
    let (endpoint, log) = endpoint(|builder| builder);
    let turns = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&turns);
    let other = tokio::spawn(async move {
        loop {
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
        }
    });
    let body = Bytes::from(vec![b'x'; 25 << 20]);
    let service = VerifyLayer::new(endpoint).layer(service_fn(handle));
    let answer = service.oneshot(request(FORGED, full(body))).await.unwrap();
    other.abort();
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(log.take(), [("signature-mismatch", 25 << 20)]);
    // One turn for each 256 KiB.
    assert!(turns.load(Ordering::Relaxed) >= 100, "{turns:?}");
}

#[tokio::test]
async fn a_limit_outside_is_answered_like_our_own() {
    let (endpoint, log) = endpoint(|builder| builder);
    let service = VerifyLayer::new(endpoint.clone()).layer(service_fn(handle));
    let whole = signature(BODY);
    // Its length is not told beforehand.
    let unknown = |at: usize| {
        let mut parts = vec![Bytes::from_static(&BODY[at..]), Bytes::from_static(&BODY[..at])];
        scripted(move |_: &mut Context<'_>| {
            Poll::Ready(parts.pop().map(|part| Ok(Frame::data(part))))
        })
    };
    for (limit, status) in [(BODY.len(), 200), (BODY.len() - 1, 413), (0, 413)] {
        let request = request(&whole, Limited::new(unknown(5), limit));
        assert_eq!(service.clone().oneshot(request).await.unwrap().status(), status, "{limit}");
    }
    assert_eq!(log.words(), ["accepted", "body-too-large", "body-too-large"]);

    let app = |limit| {
        let app = Router::new().route("/hook", post(|body: Bytes| async { body }));
        app.layer(VerifyLayer::new(endpoint.clone())).layer(RequestBodyLimitLayer::new(limit))
    };
    for (limit, status) in [(BODY.len(), 200), (BODY.len() - 1, 413)] {
        for body in [Body::from(BODY), Body::new(unknown(5))] {
            let answer = app(limit).oneshot(request(&whole, body)).await.unwrap();
            assert_eq!(answer.status(), status, "{limit}");
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn decompression_belongs_inside() {
    let (endpoint, log) = endpoint(|builder| builder);
    let verify = VerifyLayer::new(endpoint);
    let inside = Router::new()
        .route("/hook", post(|body: Bytes| async { body }))
        .layer(RequestDecompressionLayer::new())
        .layer(verify.clone());
    let outside = Router::new()
        .route("/hook", post(|body: Bytes| async { body }))
        .layer(verify)
        .layer(RequestDecompressionLayer::new());
    let packed = gzip(BODY);
    let encoded = |signature: &[u8]| {
        let mut request = request(signature, Body::from(packed.clone()));
        request.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
        request
    };
    // A sender that compresses signs what it sends.
    let answer = inside.clone().oneshot(encoded(&signature(&packed))).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), BODY);
    assert_eq!(outside.clone().oneshot(encoded(&signature(&packed))).await.unwrap().status(), 401);
    assert_eq!(inside.oneshot(encoded(&signature(BODY))).await.unwrap().status(), 401);
    // What was compressed on its way and signed before: only then is outside the place.
    assert_eq!(outside.oneshot(encoded(&signature(BODY))).await.unwrap().status(), 200);
    assert_eq!(log.words(), ["accepted", "signature-mismatch", "signature-mismatch", "accepted"]);
}

#[tokio::test]
async fn cors_may_be_on_either_side() {
    let (endpoint, _) = endpoint(|builder| builder);
    let verify = VerifyLayer::new(endpoint);
    let app = Router::new().route("/hook", post(|body: Bytes| async { body }));
    let cors = CorsLayer::permissive();
    let outside = app.clone().layer(verify.clone()).layer(cors.clone());
    let inside = app.layer(cors).layer(verify);
    for app in [&outside, &inside] {
        let answer =
            app.clone().oneshot(request(&signature(BODY), Body::from(BODY))).await.unwrap();
        assert_eq!(answer.status(), 200);
        assert!(answer.headers().contains_key("access-control-allow-origin"));
        let answer = app.clone().oneshot(request(FORGED, Body::from(BODY))).await.unwrap();
        assert_eq!(answer.status(), 401);
    }
    // A question of a browser is not signed: only outside is it answered.
    let question = || {
        let question = Request::options("/hook").header("origin", "https://a.example");
        question.header("access-control-request-method", "POST").body(Body::empty()).unwrap()
    };
    assert_eq!(outside.oneshot(question()).await.unwrap().status(), 200);
    assert_eq!(inside.oneshot(question()).await.unwrap().status(), 401);
}
