//! Extractors and middleware of actix-web count each delivery once; the names are pinned by the tests of the other servers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use actix_web::App;
use actix_web::test::{TestRequest, call_service, init_service};
use actix_web::web::{self, Bytes};
use hookproof::actix4::{Select, VerifyMiddleware, Webhook};
use hookproof::{Endpoints, NoEndpoint, VerifiedBuf};
use hookproof_servers::github::{SIGNATURE, endpoint, signature};
use metrics_util::debugging::{DebugValue, DebuggingRecorder};

/// The endpoint is nobody's.
struct Nobody;

impl Select for Nobody {
    fn select(_: &actix_web::HttpRequest) -> Result<Endpoints, NoEndpoint> {
        Err(NoEndpoint::Unknown)
    }
}

#[actix_web::test]
async fn every_delivery_is_counted_once() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let _guard = metrics::set_default_local_recorder(&recorder);
    let (endpoint, _) = endpoint(|builder| builder);
    let wrapped = web::resource("/wrapped")
        .wrap(VerifyMiddleware::new(endpoint.clone()))
        .route(web::post().to(async || "handler"));
    let app = App::new()
        .app_data(endpoint)
        .service(wrapped)
        .route("/extracted", web::post().to(async |_: VerifiedBuf| "handler"))
        .route("/nobody", web::post().to(async |_: Webhook<Bytes, Nobody>| "handler"));
    let app = init_service(app).await;
    for (path, genuine, verdict) in [
        ("/wrapped", true, "accepted"),
        ("/wrapped", false, "signature-mismatch"),
        ("/extracted", true, "accepted"),
        ("/extracted", false, "signature-mismatch"),
        ("/nobody", true, "no-endpoint"),
    ] {
        let signed: &[u8] = if genuine { b"{}" } else { b"[]" };
        let request = TestRequest::post()
            .uri(path)
            .insert_header((SIGNATURE, signature(signed)))
            .set_payload("{}");
        let response = call_service(&app, request.to_request()).await;
        assert_eq!(response.status().is_success(), verdict == "accepted", "{path}");
        let counted: Vec<_> = snapshotter
            .snapshot()
            .into_vec()
            .into_iter()
            .filter(|(_, _, _, value)| *value != DebugValue::Counter(0))
            .map(|(key, _, _, value)| {
                let verdicts = key.key().labels().filter(|label| label.key() == "verdict");
                let verdict: Vec<_> = verdicts.map(|label| label.value().to_owned()).collect();
                (key.key().name().to_owned(), verdict, value)
            })
            .collect();
        let name = hookproof::metrics::DELIVERIES.to_owned();
        assert_eq!(counted, [(name, vec![verdict.to_owned()], DebugValue::Counter(1))], "{path}");
    }
}
