//! Handshakes in front of a handler of actix-web, over sockets.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use actix_web::web::{self, ServiceConfig};
use hookproof::VerifiedBuf;
use hookproof::actix4::{HandshakeMiddleware, VerifyMiddleware};
use hookproof::handshake::{Answer, HandshakeError, github, slack};
use hookproof_servers::client::send;
use hookproof_servers::github::{SIGNATURE, endpoint, signature};
use hookproof_servers::handshakes::{self, HANDLER, is_plain};
use hookproof_servers_actix::start;

#[actix_web::test]
async fn every_ping_is_answered_and_nothing_else_is() {
    let endpoint = handshakes::endpoint();
    let address = start(move |config: &mut ServiceConfig| {
        let wrapped = web::resource("/")
            .wrap(HandshakeMiddleware::new(github::ping))
            .wrap(VerifyMiddleware::new(endpoint.clone()))
            .route(web::post().to(async || HANDLER));
        config.service(wrapped);
    });
    let counts = handshakes::replay(address).await;
    assert!(counts.iter().all(|count| *count > 1), "{counts:?}");
}

#[actix_web::test]
async fn a_challenge_is_plain_text_and_without_a_proof_nothing_goes_on() {
    async fn by_hand(proof: VerifiedBuf) -> Result<Answer, HandshakeError> {
        Ok(slack::url_verification(&proof.as_verified())?.unwrap())
    }
    let (endpoint, _) = endpoint(|builder| builder);
    let address = start(move |config: &mut ServiceConfig| {
        let wrapped = web::resource("/wrapped")
            .wrap(HandshakeMiddleware::new(slack::url_verification))
            .wrap(VerifyMiddleware::new(endpoint.clone()))
            .route(web::post().to(async || HANDLER));
        let bare = web::resource("/bare")
            .wrap(HandshakeMiddleware::new(slack::url_verification))
            .route(web::post().to(async || HANDLER));
        config
            .app_data(endpoint.clone())
            .service(wrapped)
            .service(bare)
            .service(web::resource("/by-hand").route(web::post().to(by_hand)));
    });
    let body: &[u8] = br#"{"type":"url_verification","challenge":"abc-123"}"#;
    let markup: &[u8] = br#"{"type":"url_verification","challenge":"<b>"}"#;
    for path in ["/wrapped", "/by-hand"] {
        let answer = send(address, "POST", path, &[(SIGNATURE, &signature(body))], body).await;
        assert_eq!((answer.status, &answer.body[..]), (200, &b"abc-123"[..]), "{path}");
        assert!(is_plain(&answer), "{}", answer.head);
        let answer = send(address, "POST", path, &[(SIGNATURE, &signature(markup))], markup).await;
        assert_eq!((answer.status, answer.body.len()), (400, 0), "{path}");
    }
    let answer = send(address, "POST", "/bare", &[(SIGNATURE, &signature(body))], body).await;
    assert_eq!((answer.status, answer.body.len()), (500, 0));
}
