//! The extractors and the middleware of actix-web: what clients do wrong, content beside the proof, data by type and name.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::net::SocketAddr;
use std::time::Duration;

use actix_web::web::{self, Data, Form, Json, ReqData, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use bytes::Bytes;
use hookproof::actix4::{Select, VerifyMiddleware, Webhook, WebhookRejection};
use hookproof::{EndpointBuilder, Endpoints, Error, ErrorKind, NoEndpoint, VerifiedBuf};
use hookproof_servers::client::{chunked, head, read_one, send, send_bytes};
use hookproof_servers::github::{FORGED, Log, SIGNATURE, endpoint, signature};
use hookproof_servers_actix::start;
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const BODY: &[u8] = br#"{"zen":"Anything added dilutes everything else."}"#;

/// A server with the extractor on `/` and the middleware on `/wrapped`; both answer with the body's length.
fn server(set_up: impl FnOnce(EndpointBuilder) -> EndpointBuilder) -> (SocketAddr, Log) {
    let (endpoint, log) = endpoint(set_up);
    let address = start(move |config: &mut ServiceConfig| {
        let wrapped = web::resource("/wrapped")
            .wrap(VerifyMiddleware::new(endpoint.clone()))
            .route(web::to(async |proof: ReqData<VerifiedBuf>, body: Bytes| {
                assert_eq!(*proof.body(), body);
                body.len().to_string()
            }));
        let extracted = async |proof: VerifiedBuf| proof.body().len().to_string();
        config
            .app_data(endpoint.clone())
            .app_data(web::PayloadConfig::new(usize::MAX))
            .service(wrapped)
            .default_service(web::to(extracted));
    });
    (address, log)
}

const BOTH: [&str; 2] = ["/", "/wrapped"];

/// Sends these bytes and gives the status of the answer.
async fn answer(address: SocketAddr, bytes: &[u8]) -> u16 {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    read_one(&mut stream, "POST").await.unwrap().status
}

#[actix_web::test]
async fn genuine_deliveries_pass_and_nothing_else() {
    let (address, log) = server(|builder| builder);
    for path in BOTH {
        for body in [BODY, b"\xff", b"", "\u{feff}{}".as_bytes(), &[0x80; 70_000]] {
            let answer = send(address, "POST", path, &[(SIGNATURE, &signature(body))], body).await;
            let length = body.len().to_string().into_bytes();
            assert_eq!((answer.status, answer.body), (200, length), "{path}");
            let forged: &[(&str, &[u8])] = &[(SIGNATURE, FORGED)];
            for headers in
                [forged, &[], &[(SIGNATURE, b"\xff")], &[(SIGNATURE, FORGED), (SIGNATURE, FORGED)]]
            {
                let answer = send(address, "POST", path, headers, body).await;
                assert_eq!((answer.status, answer.body.len()), (401, 0), "{path}");
            }
            let words = [
                "accepted",
                "signature-mismatch",
                "missing-header",
                "malformed-header",
                "repeated-header",
            ];
            assert_eq!(log.words(), words, "{path}");
        }
    }
}

#[actix_web::test]
async fn bodies_are_bounded_in_length_and_time() {
    let (address, log) =
        server(|builder| builder.limit(100).chunk_timeout(Duration::from_millis(50)));
    for path in BOTH {
        let declared: &[(&str, &[u8])] = &[(SIGNATURE, FORGED), ("Content-Length", b"101")];
        assert_eq!(answer(address, &head("POST", path, declared)).await, 413);
        assert_eq!(log.take(), [("body-too-large", 0)]);

        let unframed: &[(&str, &[u8])] = &[(SIGNATURE, FORGED), ("Transfer-Encoding", b"chunked")];
        let mut request = head("POST", path, unframed);
        request.extend(chunked(&[&[b'a'; 60], &[b'b'; 60]]));
        assert_eq!(answer(address, &request).await, 413);
        assert_eq!(log.take()[0].0, "body-too-large");

        let mut request = head("POST", path, unframed);
        request.extend(chunked(&[b"and then nothing"]));
        assert_eq!(answer(address, &request).await, 401);
        assert_eq!(log.take(), [("body-timeout", 16)]);

        // A connection that ends before the body does.
        let mut request = head("POST", path, &[(SIGNATURE, FORGED), ("Content-Length", b"50")]);
        request.extend(b"only this");
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&request).await.unwrap();
        drop(stream);
        let report = log.wait().await;
        assert!(["body-incomplete", "body-timeout"].contains(&report[0].0), "{report:?}");
    }
    assert_eq!(
        send(address, "POST", "/", &[(SIGNATURE, &signature(b"a"))], b"a").await.status,
        200
    );
}

/// Otherwise it would be read for as long as the client sends.
#[actix_web::test]
async fn the_middleware_closes_the_connection_of_a_chunked_body_that_it_refuses() {
    let (address, log) = server(|builder| builder);
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = head("POST", "/wrapped", &[("Transfer-Encoding", b"chunked")]);
    stream.write_all(&request).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let upload = async { while writer.write_all(&chunked(&[&[b'x'; 1000]])).await.is_ok() {} };
    let mut bytes = Vec::new();
    let closed = async { tokio::join!(upload, reader.read_to_end(&mut bytes)) };
    let guard = tokio::time::timeout(Duration::from_secs(60), closed);
    assert!(guard.await.is_ok(), "the connection is kept open");
    assert_eq!(log.take(), [("missing-header", 0)]);
}

#[derive(Deserialize)]
struct Ping {
    zen: String,
}

#[actix_web::test]
async fn content_is_read_from_the_verified_bytes_and_its_faults_are_told_apart() {
    let (endpoint, log) = endpoint(|builder| builder);
    let address = start(move |config| {
        let json = async |webhook: Webhook<Json<Ping>>| webhook.content.into_inner().zen;
        let form = async |webhook: Webhook<Form<Ping>>| webhook.content.into_inner().zen;
        let told = async |webhook: Result<Webhook<Json<Ping>>, WebhookRejection>| match webhook {
            Ok(webhook) => webhook.content.into_inner().zen,
            Err(WebhookRejection::Refused(error)) => error.kind().to_string(),
            Err(other) => other.to_string(),
        };
        config
            .app_data(Data::new(endpoint.clone()))
            .route("/json", web::to(json))
            .route("/form", web::to(form))
            .route("/told", web::to(told));
    });
    let send = async |path: &str, kind: &str, body: &[u8], signature: &[u8]| {
        let headers: &[(&str, &[u8])] =
            &[(SIGNATURE, signature), ("Content-Type", kind.as_bytes())];
        let answer = send(address, "POST", path, headers, body).await;
        (answer.status, String::from_utf8(answer.body).unwrap())
    };
    let (json, form) = ("application/json", "application/x-www-form-urlencoded");
    let body = br#"{"zen":"Encourage flow."}"#;
    let flow = (200, "Encourage flow.".to_owned());
    assert_eq!(send("/json", json, body, &signature(body)).await, flow);
    let pairs = b"zen=Encourage+flow.";
    assert_eq!(send("/form", form, pairs, &signature(pairs)).await, flow);
    assert_eq!(send("/told", json, body, &signature(body)).await, flow);
    assert_eq!(log.words(), ["accepted"; 3]);
    for body in [&body[..], b"{}", b"\xff", b""] {
        assert_eq!(send("/json", json, body, FORGED).await, (401, String::new()));
        assert_eq!(send("/told", json, body, FORGED).await.1, "signature-mismatch");
    }
    let (status, text) = send("/json", json, b"{}", &signature(b"{}")).await;
    assert_eq!((status, text.contains("missing field `zen`")), (400, true), "{text}");
    let (_, text) = send("/told", json, b"{}", &signature(b"{}")).await;
    assert!(text.starts_with("the delivery is genuine but its content was not taken: "), "{text}");
}

#[actix_web::test]
async fn without_an_endpoint_the_operator_is_at_fault_and_unknown_ones_look_forged() {
    struct Unknown;
    impl Select for Unknown {
        fn select(_: &HttpRequest) -> Result<Endpoints, NoEndpoint> {
            Err(NoEndpoint::Unknown)
        }
    }
    let address = start(|config| {
        config
            .route("/none", web::to(async |_: VerifiedBuf| HttpResponse::Ok()))
            .route("/unknown", web::to(async |_: Webhook<Bytes, Unknown>| HttpResponse::Ok()));
    });
    let headers: &[(&str, &[u8])] = &[(SIGNATURE, &signature(BODY))];
    assert_eq!(send(address, "POST", "/none", headers, BODY).await.status, 500);
    let answer = send(address, "POST", "/unknown", headers, BODY).await;
    assert_eq!((answer.status, answer.body.len()), (401, 0));
    let error = Error::new(ErrorKind::MissingTarget, "acme");
    assert_eq!(error.error_response().status().as_u16(), 500);
    assert_eq!(error.status_code().as_u16(), 500);
}

#[actix_web::test]
async fn a_panic_inside_ends_its_request_and_no_other() {
    let (endpoint, log) = endpoint(|builder| builder);
    let address = start(move |config| {
        let route = async |request: HttpRequest| {
            assert!(!request.headers().contains_key("x-panic"), "as it was asked to");
            HttpResponse::Ok().finish()
        };
        let wrapped = web::resource("/").wrap(VerifyMiddleware::new(endpoint.clone()));
        config.service(wrapped.route(web::to(route)));
    });
    let headers: &[(&str, &[u8])] =
        &[(SIGNATURE, &signature(BODY)), ("Content-Length", b"49"), ("x-panic", b"1")];
    let mut request = head("POST", "/", headers);
    request.extend(BODY);
    assert_eq!(send_bytes(address, &request).await, None);
    assert_eq!(log.wait().await, [("accepted", BODY.len())]);
    // The worker is started anew.
    assert_eq!(send(address, "POST", "/", &headers[..1], BODY).await.status, 200);
}
