//! The layer that only watches: the same verdicts, and nothing else is different.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use bytes::Bytes;
use hookproof::tower::{ShadowBody, ShadowLayer, VerifyLayer};
use hookproof::{
    Checker, ConfigError, Coverage, Endpoint, Error, ErrorKind, Evidence, Head, Info, Needs,
    Provider, Session, Setup, Verifier, WholeCheck,
};
use hookproof_servers::body::scripted;
use hookproof_servers::client::send;
use hookproof_servers::github::{FORGED, SIGNATURE, endpoint, signature};
use hookproof_servers::{server, vectors};
use http::{HeaderMap, Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, Full};
use tower::{Layer, ServiceExt, service_fn};

const BODY: &[u8] = br#"{"zen":"Half measures are as bad as nothing at all."}"#;

type Answer = Result<Response<Full<Bytes>>, Infallible>;

fn request<B>(signature: &[u8], body: B) -> Request<B> {
    Request::post("/").header(SIGNATURE, signature).body(body).unwrap()
}

/// Every vector: the same report as the layer that verifies, and the answer of the inner service.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_verdict_is_the_same_and_the_answer_is_not_ours() {
    let (cases, _) = vectors::cases();
    let reports = Arc::new(Mutex::new(Vec::new()));
    // Verdicts are read from the reports; the answer has the body's length and no verdict.
    async fn handle<B>(request: Request<B>) -> Answer
    where
        B: http_body::Body,
        B::Error: std::fmt::Debug,
    {
        let length = request.into_body().collect().await.unwrap().to_bytes().len();
        Ok(Response::new(Full::from(length.to_string())))
    }
    for case in &cases {
        let (first, second) = (case.request(), case.request());
        let length = first.body().len();
        let verify = VerifyLayer::new(case.endpoint.clone()).layer(service_fn(handle));
        drop(verify.oneshot(first.map(Full::new)).await.unwrap());
        let verdict = case.reported();
        let shadow = ShadowLayer::new(case.endpoint.clone()).layer(service_fn(handle));
        let answer = shadow.oneshot(second.map(Full::new)).await.unwrap();
        assert_eq!(answer.status(), 200, "{}", case.id);
        assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), length.to_string());
        assert_eq!(case.reported(), verdict, "{}", case.id);
        reports.lock().unwrap().extend(verdict);
    }
    assert!(reports.lock().unwrap().len() == cases.len() && cases.len() > 5000);
}

/// Every part of the body, then the trailers or an error.
fn frames(
    trailers: Option<&HeaderMap>,
) -> impl http_body::Body<Data = Bytes, Error = &'static str> {
    let last = trailers.map_or(Err("broken"), |trailers| Ok(Frame::trailers(trailers.clone())));
    let parts = BODY.chunks(10).map(|part| Ok(Frame::data(Bytes::from_static(part))));
    let mut frames = parts.chain([last]).collect::<Vec<_>>().into_iter();
    scripted(move |_| Poll::Ready(frames.next()))
}

#[tokio::test]
async fn frames_trailers_and_errors_go_through() {
    let (endpoint, log) = endpoint(|builder| builder);
    let layer = ShadowLayer::new(endpoint);
    let mut trailers = HeaderMap::new();
    trailers.insert("x-trailer", "kept".parse().unwrap());
    let whole = signature(BODY);
    let collected = |body| {
        let inner = service_fn(|request: Request<ShadowBody<_>>| async move {
            let collected = request.into_body().collect().await;
            Ok::<_, Infallible>(collected.map(|body| (body.trailers().cloned(), body.to_bytes())))
        });
        layer.layer(inner).oneshot(request(&whole, body))
    };
    let answer = collected(Box::pin(frames(Some(&trailers)))).await.unwrap().unwrap();
    assert_eq!(answer, (Some(trailers.clone()), Bytes::from_static(BODY)));
    assert_eq!(log.take(), [("accepted", BODY.len())]);
    let answer = collected(Box::pin(frames(None))).await.unwrap();
    assert_eq!(answer.unwrap_err(), "broken");
    assert_eq!(log.take(), [("body-incomplete", BODY.len())]);
}

#[tokio::test]
async fn there_is_one_report_whatever_the_inner_service_does() {
    let (endpoint, log) = endpoint(|builder| builder.limit(100));
    let layer = ShadowLayer::new(endpoint);
    let ignores = layer.layer(service_fn(|_: Request<ShadowBody<Full<Bytes>>>| async {
        Ok::<_, Infallible>(Response::new(Full::<Bytes>::default()))
    }));
    let reads = layer.layer(service_fn(|request: Request<ShadowBody<Full<Bytes>>>| async {
        Ok::<_, Infallible>(request.into_body().collect().await.unwrap().to_bytes())
    }));
    let full = |body: &[u8]| Full::from(body.to_vec());
    let whole = signature(BODY);
    ignores.clone().oneshot(request(&whole, full(BODY))).await.unwrap();
    assert_eq!(log.take(), [("body-incomplete", 0)], "it was not read");
    ignores.clone().oneshot(request(&signature(b""), full(b""))).await.unwrap();
    assert_eq!(log.take(), [("accepted", 0)], "there was nothing to read");
    ignores.oneshot(request(b"", full(BODY))).await.unwrap();
    assert_eq!(log.take(), [("missing-header", 0)]);
    // A body over the limit goes on whole.
    let long = [b'x'; 300];
    assert_eq!(reads.clone().oneshot(request(&whole, full(&long))).await.unwrap(), long[..]);
    assert_eq!(log.take(), [("body-too-large", 0)], "its length is declared");
    let mut parts = long.chunks(60).map(Bytes::copy_from_slice).collect::<Vec<_>>().into_iter();
    let parts = scripted(move |_| Poll::Ready(parts.next().map(|part| Ok(Frame::data(part)))));
    let inner = service_fn(|request: Request<ShadowBody<_>>| async {
        Ok::<_, Infallible>(request.into_body().collect().await.unwrap().to_bytes())
    });
    assert_eq!(layer.layer(inner).oneshot(request(&whole, parts)).await.unwrap(), long[..]);
    assert_eq!(log.take(), [("body-too-large", 120)]);
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
    let inner = service_fn(|request: Request<ShadowBody<Full<Bytes>>>| async {
        let mut body = request.into_body();
        let size = http_body::Body::size_hint(&body).exact();
        assert_eq!(size, Some(25 << 20));
        let frame = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert!(http_body::Body::is_end_stream(&body));
        Ok::<_, Infallible>(frame)
    });
    let answer =
        ShadowLayer::new(endpoint).layer(inner).oneshot(request(FORGED, Full::from(body.clone())));
    assert!(answer.await.unwrap() == body);
    other.abort();
    assert_eq!(log.take(), [("signature-mismatch", 25 << 20)]);
    assert!(turns.load(Ordering::Relaxed) >= 399, "{turns:?}");
}

/// A sender whose check needs the whole body: `good` is genuine.
#[derive(Debug)]
struct Whole(Info);

static WHOLE: Whole = Whole(Info::new("whole", "Whole"));

impl Provider for Whole {
    fn info(&self) -> &Info {
        &self.0
    }

    fn prepare(&self, _: &Setup<'_>) -> Result<Box<dyn Checker>, ConfigError> {
        Ok(Box::new(Check))
    }
}

struct Check;

impl Checker for Check {
    fn begin<'h>(&'h self, head: Head<'h>) -> Result<Session<'h>, Error> {
        Ok(Session::whole(self, head))
    }

    fn needs(&self) -> Needs {
        Needs::NOTHING.with_whole_body()
    }
}

impl WholeCheck for Check {
    fn check(&self, _: Head<'_>, body: &[u8]) -> Result<Evidence, Error> {
        match body {
            b"good" => Ok(Evidence::new(Coverage::Body)),
            _ => Err(Error::new(ErrorKind::SignatureMismatch, "whole")),
        }
    }
}

#[tokio::test]
async fn senders_that_need_the_whole_body_are_collected() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&log);
    let endpoint = Endpoint::builder(Verifier::builder(&WHOLE).secret("a").build().unwrap())
        .limit(10)
        .on_verdict(move |report| kept.lock().unwrap().push((report.word(), report.shadow)))
        .build()
        .unwrap();
    let layer = ShadowLayer::new(endpoint);
    for (parts, word) in [
        (vec!["go", "od"], "accepted"),
        (vec!["good", "!"], "signature-mismatch"),
        (vec!["0123456", "789", "a"], "body-too-large"),
    ] {
        let mut parts = parts.into_iter();
        let body = scripted(move |_| {
            Poll::Ready(parts.next().map(|part| Ok(Frame::data(Bytes::from(part)))))
        });
        let inner = service_fn(|request: Request<ShadowBody<_>>| async {
            Ok::<_, Infallible>(request.into_body().collect().await.unwrap().to_bytes())
        });
        layer.layer(inner).oneshot(Request::new(body)).await.unwrap();
        assert_eq!(std::mem::take(&mut *log.lock().unwrap()), [(word, true)]);
    }
}

/// Over a socket, beside the answer of another check.
#[tokio::test]
async fn the_old_check_decides() {
    let (endpoint, log) = endpoint(|builder| builder);
    let old = service_fn(|request: Request<ShadowBody<hyper::body::Incoming>>| async {
        let known = request.headers().contains_key("x-token");
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let status = if known { 202 } else { 403 };
        Ok::<_, Infallible>(Response::builder().status(status).body(Full::from(body)).unwrap())
    });
    let address = server::hyper(ShadowLayer::new(endpoint).layer(old)).await;
    let answer = send(address, "POST", "/", &[(SIGNATURE, &signature(BODY))], BODY).await;
    assert_eq!((answer.status, answer.body.as_slice(), log.words()), (403, BODY, vec!["accepted"]));
    let answer = send(address, "POST", "/", &[("x-token", b"1")], BODY).await;
    assert_eq!(
        (answer.status, answer.body.as_slice(), log.words()),
        (202, BODY, vec!["missing-header"])
    );
}
