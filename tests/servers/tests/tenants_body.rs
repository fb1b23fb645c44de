//! Tenants that a body names: found by the type that says so, and read as carefully as any. No sockets; the clock is held.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use std::task::{Context, Poll};

use bytes::Bytes;
use hookproof::{Endpoints, NoEndpoint, Refusal, Tenants};
use hookproof_servers::body::scripted;
use hookproof_servers::github::FORGED;
use hookproof_servers::layered::{BODY, by_path, request, routes, secs, send, with_body};
use hookproof_servers::tenants::{Mode, NOBODY, Vault, sign};
use http_body::Frame;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn a_tenant_in_the_body_is_found_by_the_type_that_says_so() {
    let vault = Vault::of(&[("acme", "a"), ("bolt", "b")]);
    let builder =
        Tenants::resolve_unverified(vault.unknown(), |body| body.member("account"), vault.clone());
    let tenants = vault.watch(builder).build();
    let endpoints = Endpoints::builder().at("/connect", tenants).build().unwrap();
    let send = async |secret: &str, body: &[u8]| {
        send(endpoints.clone(), request("/connect", &sign(secret, body), body)).await
    };
    let none = (401, String::new());
    assert_eq!(send("a", BODY).await, (200, "acme".to_owned()));
    let bolt = br#"{"account":"bolt"}"#;
    assert_eq!(send("b", bolt).await, (200, "bolt".to_owned()));
    // Somebody who has the secret of one tenant speaks for no other.
    assert_eq!(send("a", bolt).await, none);
    assert_eq!(vault.asked(), ["acme", "bolt"]);
    for body in [
        &br#"{"account":"acme","account":"bolt"}"#[..],
        br#"{"account":"bolt","acc\u006funt":"acme"}"#,
        b"{}",
        b"\xff",
        b"",
    ] {
        for secret in ["a", "b", NOBODY] {
            assert_eq!(send(secret, body).await, none, "{body:?}");
        }
    }
    assert_eq!(vault.asked(), [""; 0]);
    assert_eq!(send("a", br#"{"account":"carl"}"#).await, none);
    assert_eq!(vault.asked(), ["carl"]);
}

#[tokio::test(start_paused = true)]
async fn a_body_is_read_for_its_tenant_as_carefully_as_any() {
    let vault = Vault::of(&[("acme", "a")]);
    let builder =
        Tenants::resolve_unverified(vault.unknown(), |body| body.member("account"), vault.clone());
    let endpoints = Endpoints::from(vault.watch(builder).build());
    // In pieces.
    let mut pieces: Vec<Bytes> = BODY.chunks(7).rev().map(Bytes::from_static).collect();
    let body = scripted(move |_: &mut Context<'_>| {
        Poll::Ready(pieces.pop().map(|piece| Ok(Frame::data(piece))))
    });
    let signature = sign("a", BODY);
    assert_eq!(
        send(endpoints.clone(), with_body("/", &signature, body)).await,
        (200, "acme".to_owned())
    );
    assert_eq!(vault.reports(), ["acme accepted fresh"]);

    // The head is judged first, then the length and the time; nobody is asked for.
    vault.asked();
    let never = || {
        scripted(|_: &mut Context<'_>| -> hookproof_servers::body::Next {
            panic!("it was asked for")
        })
    };
    assert_eq!(send(endpoints.clone(), with_body("/", b"sha256=short", never())).await.0, 401);
    let mut long = with_body("/", FORGED, never());
    long.headers_mut().insert("content-length", "100001".parse().unwrap());
    assert_eq!(send(endpoints.clone(), long).await.0, 413);
    let mut given = 0;
    let endless = scripted(move |_: &mut Context<'_>| {
        given += 1;
        assert!(given < 1000, "it is read on");
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b'x'; 1000])))))
    });
    assert_eq!(send(endpoints.clone(), with_body("/", FORGED, endless)).await.0, 413);
    let silent = scripted(|_: &mut Context<'_>| Poll::Pending);
    let begun = Instant::now();
    assert_eq!(send(endpoints.clone(), with_body("/", FORGED, silent)).await.0, 401);
    assert_eq!(begun.elapsed(), secs(10));
    assert_eq!(vault.asked(), [""; 0]);
    assert_eq!(
        vault.reports(),
        [
            "unknown bad-encoding unknown",
            "unknown body-too-large unknown",
            "unknown body-too-large unknown",
            "unknown body-timeout unknown"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn requests_whose_body_was_read_take_the_same_way() {
    let vault = Vault::of(&[("acme", "a")]);
    let by_path = by_path(&vault, |builder| builder);
    let by_body =
        Tenants::resolve_unverified(vault.unknown(), |body| body.member("account"), vault.clone());
    let endpoints = Endpoints::builder()
        .at("/hooks/{tenant}", by_path.clone())
        .at("/connect", by_body.build())
        .build()
        .unwrap();
    let verify = async |path: &str, secret: &str, body: &'static [u8]| {
        endpoints.verify(with_body(path, &sign(secret, body), body)).await
    };
    for path in ["/hooks/acme", "/connect"] {
        let (endpoint, proof) = verify(path, "a", BODY).await.unwrap();
        assert_eq!((endpoint.name(), proof.body().as_ref()), (Some("acme"), BODY));
        let refusal = verify(path, "b", BODY).await.unwrap_err();
        assert_eq!(refusal.status(), 401);
        assert!(refusal.to_string().starts_with("github: no signature matches"), "{refusal}");
        assert!(std::error::Error::source(&refusal).is_some());
    }
    for (path, body) in [("/hooks/bolt", BODY), ("/connect", &b"{}"[..])] {
        assert_eq!(verify(path, NOBODY, body).await.unwrap_err().status(), 401);
    }
    let refusal = verify("/", "a", BODY).await.unwrap_err();
    assert_eq!(refusal, Refusal::NoEndpoint(NoEndpoint::NotFound));
    assert_eq!(refusal.to_string(), "no route has the path of the request");
    assert!(std::error::Error::source(&refusal).is_some());
    by_path.forget("acme");
    vault.set(Mode::Fails);
    let refusal = verify("/hooks/acme", "a", BODY).await.unwrap_err();
    assert_eq!(
        (refusal, refusal.status().as_u16()),
        (Refusal::NoEndpoint(NoEndpoint::Unavailable), 503)
    );
}

/// What a resolver by path is told is the path's, whatever the rest of the request says.
#[tokio::test(start_paused = true)]
async fn a_resolver_by_path_learns_nothing_of_the_body() {
    let vault = Vault::of(&[]);
    let tenants = by_path(&vault, |builder| builder);
    let silent = scripted(|_: &mut Context<'_>| Poll::Pending);
    let request = with_body("/hooks/acme?tenant=bolt", FORGED, silent);
    assert_eq!(send(routes(&tenants), request).await.0, 401, "after the body's time");
    assert_eq!(vault.asked(), ["acme"], "before a byte of it");
}
