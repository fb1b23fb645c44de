//! What is around a service is ready when the service is.

#![allow(clippy::unwrap_used, clippy::unimplemented, reason = "a test fails by panicking")]

use core::future::Ready;
use core::task::{Context, Poll, Waker};

use actix_web::Error;
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform};
use hookproof::actix4::{HandshakeMiddleware, VerifyMiddleware};
use hookproof::handshake::github;

/// Never ready.
struct Busy;

impl Service<ServiceRequest> for Busy {
    type Response = ServiceResponse;
    type Error = Error;
    type Future = Ready<Result<ServiceResponse, Error>>;

    fn poll_ready(&self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Pending
    }

    fn call(&self, _: ServiceRequest) -> Self::Future {
        unimplemented!("a service is called once it is ready")
    }
}

#[actix_web::test]
async fn middleware_waits_for_its_service() {
    let mut cx = Context::from_waker(Waker::noop());
    let handshake = HandshakeMiddleware::new(github::ping).new_transform(Busy).await.unwrap();
    assert!(handshake.poll_ready(&mut cx).is_pending());
    let (endpoint, _) = hookproof_servers::github::endpoint(|builder| builder);
    let verify = VerifyMiddleware::new(endpoint).new_transform(Busy).await.unwrap();
    assert!(verify.poll_ready(&mut cx).is_pending());
}
