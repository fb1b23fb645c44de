//! Several endpoints and tenants with actix-web, whose workers have a runtime each, and the peer that it knows by itself.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::net::SocketAddr;

use actix_web::web::{self, Data, ReqData, ServiceConfig};
use bytes::Bytes;
use hookproof::actix4::{VerifyMiddleware, Webhook};
use hookproof::{
    Endpoint, Endpoints, Outgoing, PublicUrl, Reloadable, Signer, Tenants, TrustedProxy, UnixTime,
    VerifiedBuf, Verifier, providers,
};
use hookproof_servers::client::send;
use hookproof_servers::github::{FORGED, SIGNATURE};
use hookproof_servers::tenants::{Mode, NOBODY, Vault, sign};
use hookproof_servers_actix::start;

const BODY: &[u8] = br#"{"account":"acme","zen":"Mind your words, they are important."}"#;

/// A server with the extractor, and one with the middleware; both answer with the name of the endpoint.
fn servers(endpoints: &Endpoints) -> [SocketAddr; 2] {
    let extracting = endpoints.clone();
    let extracted = start(move |config: &mut ServiceConfig| {
        let handle = async |webhook: Webhook<Bytes, Endpoints>| {
            assert_eq!(&webhook.content, webhook.proof.body());
            webhook.endpoint.name().unwrap().to_owned()
        };
        config.app_data(Data::new(extracting.clone())).default_service(web::to(handle));
    });
    let wrapping = endpoints.clone();
    let wrapped = start(move |config: &mut ServiceConfig| {
        let handle = async |proof: ReqData<VerifiedBuf>, endpoint: ReqData<Endpoint>| {
            assert_eq!(proof.body(), BODY);
            endpoint.name().unwrap().to_owned()
        };
        let scope = web::scope("").wrap(VerifyMiddleware::new(wrapping.clone()));
        config.service(scope.default_service(web::to(handle)));
    });
    [extracted, wrapped]
}

async fn deliver(address: SocketAddr, path: &str, signature: &[u8]) -> (u16, String) {
    let answer = send(address, "POST", path, &[(SIGNATURE, signature)], BODY).await;
    (answer.status, String::from_utf8(answer.body).unwrap())
}

fn text(status: u16, text: &str) -> (u16, String) {
    (status, text.to_owned())
}

#[actix_web::test]
async fn a_path_or_a_tenant_has_its_own_endpoint() {
    let vault = Vault::of(&[("acme", "a")]);
    let live = Reloadable::new(vault.endpoint("old", "o").unwrap());
    let by_path = Tenants::resolve(vault.unknown(), vault.clone()).build();
    let by_body =
        Tenants::resolve_unverified(vault.unknown(), |body| body.member("account"), vault.clone());
    let endpoints = Endpoints::builder()
        .at("/live", live.clone())
        .at("/hooks/{tenant}", by_path.clone())
        .at("/connect", by_body.build())
        .build()
        .unwrap();
    let signed = |secret| sign(secret, BODY);
    for address in servers(&endpoints) {
        live.replace(vault.endpoint("old", "o").unwrap());
        assert_eq!(deliver(address, "/live", &signed("o")).await, text(200, "old"));
        assert_eq!(deliver(address, "/hooks/acme", &signed("a")).await, text(200, "acme"));
        assert_eq!(deliver(address, "/connect", &signed("a")).await, text(200, "acme"));
        live.reload(|_| vault.endpoint("new", "n")).unwrap();
        assert_eq!(deliver(address, "/live", &signed("n")).await, text(200, "new"));
        assert_eq!(deliver(address, "/elsewhere", &signed("n")).await, text(404, ""));

        // Nobody learns who is known.
        for signature in [signed(NOBODY), FORGED.to_vec(), b"nothing".to_vec()] {
            let known = deliver(address, "/hooks/acme", &signature).await;
            let unknown = deliver(address, "/hooks/bolt", &signature).await;
            assert_eq!(known, unknown);
            assert_eq!(unknown, text(401, ""));
            assert_eq!(deliver(address, "/connect", &signature).await, unknown);
        }
        vault.set(Mode::Fails);
        by_path.forget("acme");
        assert_eq!(deliver(address, "/hooks/acme", &signed("a")).await, text(503, ""));
        vault.set(Mode::Panics);
        assert_eq!(deliver(address, "/hooks/acme", &signed("a")).await, text(503, ""));
        vault.set(Mode::Answers);
        assert_eq!(deliver(address, "/hooks/acme", &signed("a")).await, text(200, "acme"));
    }
}

#[actix_web::test]
async fn the_peer_is_known_and_has_to_be_the_proxy() {
    let signer = Signer::builder(&providers::HUBSPOT).secret("h").build().unwrap();
    let outgoing = Outgoing::new(BODY).with_url("https://hooks.example.com/crm");
    let signed = signer.sign(&outgoing, UnixTime::from_secs(5)).unwrap();
    let mut headers: Vec<(&str, &[u8])> = signed
        .delivery()
        .headers()
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect();
    headers.push(("X-Forwarded-Host", b"hooks.example.com"));
    headers.push(("X-Forwarded-Proto", b"https"));
    for (network, status) in [("127.0.0.1", 200), ("10.0.0.0/8", 500)] {
        let proxy = TrustedProxy::new(["hooks.example.com"]).unwrap().peers([network]).unwrap();
        let verifier = Verifier::builder(&providers::HUBSPOT).secret("h").build().unwrap();
        let endpoint = Endpoint::builder(verifier)
            .name("crm")
            .url(PublicUrl::trusted_proxy(proxy))
            .clock(|| UnixTime::from_secs(5));
        for address in servers(&endpoint.build().unwrap().into()) {
            let answer = send(address, "POST", "/crm", &headers, BODY).await;
            assert_eq!(answer.status, status, "{network}");
        }
    }
}
