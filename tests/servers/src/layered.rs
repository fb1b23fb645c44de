//! Deliveries for tenants, through the layer and without a socket.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use hookproof::tower::{VerifiedBody, VerifyLayer};
use hookproof::{Endpoint, Endpoints, Tenants, TenantsBuilder};
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use tower::{Layer, ServiceExt, service_fn};

use crate::github::SIGNATURE;
use crate::tenants::{Vault, sign};

/// A body that names a tenant.
pub const BODY: &[u8] =
    br#"{"account":"acme","zen":"Half measures are as bad as nothing at all."}"#;

/// A time.
pub fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// Tenants by what the path names, from a vault.
pub fn by_path(vault: &Vault, set_up: impl FnOnce(TenantsBuilder) -> TenantsBuilder) -> Tenants {
    let builder = Tenants::resolve(vault.unknown(), vault.clone());
    set_up(vault.watch(builder)).build()
}

/// The routes to them.
pub fn routes(tenants: &Tenants) -> Endpoints {
    Endpoints::builder().at("/hooks/{tenant}", tenants.clone()).build().unwrap()
}

/// What is answered, and the name of the endpoint where the delivery was verified.
pub type Answer = (u16, String);

/// Sends a request through the layer.
pub async fn send<B>(endpoints: Endpoints, request: Request<B>) -> Answer
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let inner = service_fn(|request: Request<VerifiedBody>| async move {
        let name = request.extensions().get::<Endpoint>().unwrap().name().unwrap().to_owned();
        Ok::<_, Infallible>(Response::new(Full::<Bytes>::from(name)))
    });
    let service = VerifyLayer::new(endpoints).layer(inner);
    let (parts, body) = service.oneshot(request).await.unwrap().into_parts();
    assert!(parts.headers.is_empty());
    let body = body.collect().await.unwrap().to_bytes();
    (parts.status.as_u16(), String::from_utf8(body.to_vec()).unwrap())
}

/// A request with its body at hand.
pub fn request(path: &str, signature: &[u8], body: &[u8]) -> Request<Full<Bytes>> {
    with_body(path, signature, Full::new(Bytes::copy_from_slice(body)))
}

/// A request with any body.
pub fn with_body<B>(path: &str, signature: &[u8], body: B) -> Request<B> {
    Request::post(path).header(SIGNATURE, signature).body(body).unwrap()
}

/// A delivery to this tenant, signed with this secret.
pub async fn deliver(tenants: &Tenants, tenant: &str, secret: &str) -> u16 {
    let path = format!("/hooks/{tenant}");
    send(routes(tenants), request(&path, &sign(secret, BODY), BODY)).await.0
}
