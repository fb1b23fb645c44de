//! Several endpoints over real sockets: by path, by tenant, replaced while requests are under way, behind a known proxy.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::map_request;
use axum::routing::post;
use bytes::Bytes;
use hookproof::axum08::Webhook;
use hookproof::tower::{ShadowLayer, VerifiedBody, VerifyLayer};
use hookproof::{
    Endpoint, Endpoints, Outgoing, Peer, ProxyFault, PublicUrl, Reloadable, Signer, Tenants,
    TrustedProxy, UnixTime, VerifiedBuf, Verifier, providers,
};
use hookproof_servers::client::{Answer, chunked, head, parse, read_one, send};
use hookproof_servers::github::{FORGED, SIGNATURE};
use hookproof_servers::server;
use hookproof_servers::tenants::{NOBODY, Vault, sign};
use http::Response;
use http_body_util::Full;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tower::{Layer, service_fn};

const BODY: &[u8] = br#"{"zen":"Practicality beats purity."}"#;

/// The name of the endpoint that verified, as the answer.
async fn name(request: http::Request<VerifiedBody>) -> Result<Response<Full<Bytes>>, Infallible> {
    assert!(request.extensions().get::<VerifiedBuf>().is_some());
    let name = request.extensions().get::<Endpoint>().unwrap().name().unwrap().to_owned();
    Ok(Response::new(Full::from(name)))
}

/// The same endpoints behind the layer on bare hyper, and behind the extractor of axum.
async fn servers(endpoints: impl Into<Endpoints>) -> [SocketAddr; 2] {
    let endpoints = endpoints.into();
    let layered = VerifyLayer::new(endpoints.clone()).layer(service_fn(name));
    let extracted = async |webhook: Webhook<Bytes, Endpoints>| {
        assert_eq!(&webhook.content, webhook.proof.body());
        webhook.endpoint.name().unwrap().to_owned()
    };
    let app = Router::new().route("/{*any}", post(extracted)).with_state(endpoints);
    [server::hyper(layered).await, server::axum(app).await]
}

fn signed(secret: &str) -> Vec<u8> {
    sign(secret, BODY)
}

async fn deliver(address: SocketAddr, path: &str, signature: &[u8]) -> (u16, String) {
    let answer = send(address, "POST", path, &[(SIGNATURE, signature)], BODY).await;
    (answer.status, String::from_utf8(answer.body).unwrap())
}

fn text(status: u16, text: &str) -> (u16, String) {
    (status, text.to_owned())
}

#[tokio::test]
async fn a_path_has_its_own_sender() {
    let vault = Vault::of(&[("acme", "a")]);
    let github = vault.endpoint("github", "g").unwrap();
    let stripe = Verifier::builder(&providers::STRIPE).secret("s").build().unwrap();
    let stripe = Endpoint::builder(stripe).name("stripe").clock(|| UnixTime::from_secs(5));
    let tenants = Tenants::resolve(vault.unknown(), vault.clone()).build();
    let endpoints = Endpoints::builder()
        .at("/github", github)
        .at("/stripe", stripe.build().unwrap())
        .at("/hooks/{tenant}", tenants)
        .build()
        .unwrap();
    let signer = Signer::builder(&providers::STRIPE).secret("s").build().unwrap();
    let stripes = signer.sign(&Outgoing::new(BODY), UnixTime::from_secs(5)).unwrap();
    let stripes = stripes.delivery().headers()["stripe-signature"].as_bytes().to_vec();
    for address in servers(endpoints).await {
        assert_eq!(deliver(address, "/github", &signed("g")).await, text(200, "github"));
        assert_eq!(deliver(address, "/github?a=/b", &signed("g")).await, text(200, "github"));
        let headers: &[(&str, &[u8])] = &[("Stripe-Signature", &stripes)];
        let answer = send(address, "POST", "/stripe", headers, BODY).await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, &b"stripe"[..]));
        assert_eq!(deliver(address, "/hooks/acme", &signed("a")).await, text(200, "acme"));
        // A secret counts on its own path.
        for (path, secret) in
            [("/github", "s"), ("/stripe", "g"), ("/hooks/acme", "g"), ("/hooks/github", "g")]
        {
            assert_eq!(deliver(address, path, &signed(secret)).await, text(401, ""), "{path}");
        }
        for path in ["/", "/githu", "/github/", "/hooks", "/hooks/acme/x", "//github", "/GITHUB"] {
            let (status, body) = deliver(address, path, &signed("g")).await;
            assert_eq!((status, body.len()), (404, 0), "{path}");
        }
    }
}

/// An answer without what changes with the clock.
fn timeless(mut answer: Answer) -> Answer {
    let lines = answer.head.split("\r\n").filter(|line| !line.to_lowercase().starts_with("date:"));
    answer.head = lines.collect::<Vec<_>>().join("\r\n");
    answer
}

/// The first answer to these bytes; whoever waits for `100 Continue` reads no body.
async fn first_answer(address: SocketAddr, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let waits = bytes.windows(12).any(|window| window == b"100-continue");
    let method = if waits { "HEAD" } else { "POST" };
    timeless(read_one(&mut stream, method).await.unwrap())
}

#[tokio::test]
async fn unknown_tenants_and_wrong_signatures_have_one_answer() {
    let vault = Vault::of(&[("acme", "a")]);
    let unknown = vault.unknown();
    let by_path = Tenants::resolve(unknown.clone(), vault.clone()).build();
    let by_body =
        Tenants::resolve_unverified(unknown.clone(), |body| body.member("account"), vault.clone());
    let acme = vault.endpoint("acme", "a").unwrap();
    let at_hand =
        Tenants::lookup(unknown, move |tenant| (tenant.as_str() == "acme").then(|| acme.clone()));
    let endpoints = Endpoints::builder()
        .at("/path/{tenant}", by_path)
        .at("/hand/{tenant}", at_hand)
        .at("/body/{anything}", by_body.build())
        .build()
        .unwrap();
    let request = |path: &str, tenant: &str, headers: &[(&str, &[u8])], body: &[u8]| {
        let mut request = head("POST", &format!("{path}/{tenant}"), headers);
        request.extend(body);
        request
    };
    let chunks: (&str, &[u8]) = ("Transfer-Encoding", b"chunked");
    let forged: (&str, &[u8]) = (SIGNATURE, FORGED);
    for address in servers(endpoints).await {
        for path in ["/path", "/hand", "/body"] {
            let mut statuses = Vec::new();
            for case in 0..9 {
                let ask = |tenant: &str| {
                    let body = format!("{{\"account\":\"{tenant}\"}}").into_bytes();
                    let length = body.len().to_string().into_bytes();
                    let length: (&str, &[u8]) = ("Content-Length", &length);
                    let nobody = sign(NOBODY, &body);
                    let other = sign("b", &body);
                    match case {
                        0 => request(path, tenant, &[forged, length], &body),
                        1 => request(path, tenant, &[(SIGNATURE, &other), length], &body),
                        2 => request(path, tenant, &[(SIGNATURE, &nobody), length], &body),
                        3 => request(path, tenant, &[length], &body),
                        4 => request(path, tenant, &[forged, forged, length], &body),
                        5 => request(path, tenant, &[forged, ("Content-Length", b"100001")], b""),
                        6 => {
                            let mut long = chunked(&[&[b'x'; 60_000], &[b'x'; 60_000]]);
                            long.extend(b"0\r\n\r\n");
                            request(path, tenant, &[forged, chunks], &long)
                        }
                        // Whether the body is asked for.
                        7 => request(
                            path,
                            tenant,
                            &[forged, length, ("Expect", b"100-continue")],
                            b"",
                        ),
                        _ => request(path, tenant, &[length, ("Expect", b"100-continue")], b""),
                    }
                };
                let known = first_answer(address, &ask("acme")).await;
                for _ in 0..2 {
                    let unknown = first_answer(address, &ask("bolt")).await;
                    assert_eq!(known, unknown, "{path} {case}");
                }
                statuses.push(known.status);
            }
            assert_eq!(statuses, [401, 401, 401, 401, 401, 413, 413, 100, 401], "{path}");
        }
    }
    let reports = vault.reports();
    assert!(reports.iter().any(|report| report == "unknown unknown-key unknown"), "{reports:?}");
    assert!(!reports.iter().any(|report| report.contains("accepted")), "{reports:?}");
}

#[tokio::test]
async fn requests_under_way_end_as_they_began_and_later_ones_by_the_new_secret() {
    let vault = Vault::default();
    let live = Reloadable::new(vault.endpoint("old", "o").unwrap());
    for address in servers(live.clone()).await {
        live.replace(vault.endpoint("old", "o").unwrap());
        let length = BODY.len().to_string();
        let mut waiting = Vec::new();
        for _ in 0..20 {
            let headers: &[(&str, &[u8])] =
                &[(SIGNATURE, &signed("o")), ("Content-Length", length.as_bytes())];
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(&head("POST", "/hook", headers)).await.unwrap();
            stream.write_all(&BODY[..10]).await.unwrap();
            waiting.push(stream);
        }
        // Each was taken before this one is answered.
        assert_eq!(deliver(address, "/hook", &signed("o")).await, text(200, "old"));
        tokio::time::sleep(Duration::from_millis(100)).await;

        live.reload(|_| vault.endpoint("new", "n")).unwrap();
        assert_eq!(deliver(address, "/hook", &signed("o")).await, text(401, ""));
        assert_eq!(deliver(address, "/hook", &signed("n")).await, text(200, "new"));
        for mut stream in waiting {
            stream.write_all(&BODY[10..]).await.unwrap();
            let answer = read_one(&mut stream, "POST").await.unwrap();
            assert_eq!((answer.status, answer.body.as_slice()), (200, &b"old"[..]));
        }

        // What cannot be built changes nothing, and neither does a panic.
        assert!(live.reload(|_| vault.endpoint("blank", " ")).is_err());
        let handle = live.clone();
        let panicking = std::thread::spawn(move || {
            handle.reload(|_| -> Result<Endpoint, Infallible> { panic!("as it was told to") })
        });
        assert!(panicking.join().is_err());
        assert_eq!(deliver(address, "/hook", &signed("n")).await, text(200, "new"));
        live.reload(|old| {
            assert_eq!(old.name(), Some("new"));
            vault.endpoint("newest", "n")
        })
        .unwrap();
        assert_eq!(deliver(address, "/hook", &signed("n")).await, text(200, "newest"));
    }
}

#[tokio::test]
async fn secrets_change_under_load_and_every_delivery_has_one_of_the_two() {
    let vault = Vault::default();
    // Either secret signs; the key that matches tells which endpoint judged.
    let endpoint = |secret: &str, previous: &str| {
        let verifier = Verifier::builder(&providers::GITHUB).secret(secret).previous(previous);
        Endpoint::builder(verifier.build().unwrap()).name(secret).build().unwrap()
    };
    let live = Reloadable::new(endpoint("o", "n"));
    let [address, _] = servers(live.clone()).await;
    let senders: Vec<_> = ["o", "n"]
        .into_iter()
        .map(|secret| {
            tokio::spawn(async move {
                for _ in 0..100 {
                    let (status, name) = deliver(address, "/hook", &signed(secret)).await;
                    assert!(
                        status == 200 && ["o", "n"].contains(&name.as_str()),
                        "{status} {name}"
                    );
                }
            })
        })
        .collect();
    while !senders.iter().all(tokio::task::JoinHandle::is_finished) {
        live.replace(endpoint("n", "o"));
        tokio::task::yield_now().await;
        live.reload(|_| Ok::<_, Infallible>(endpoint("o", "n"))).unwrap();
        assert!(live.reload(|_| vault.endpoint("blank", "")).is_err());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    for sender in senders {
        sender.await.unwrap();
    }
}

/// A delivery of HubSpot, which signs its URL, as a proxy hands it on.
fn from_a_proxy() -> (Vec<(String, Vec<u8>)>, &'static [u8]) {
    let signer = Signer::builder(&providers::HUBSPOT).secret("h").build().unwrap();
    let outgoing = Outgoing::new(b"[]").with_url("https://hooks.example.com/crm");
    let signed = signer.sign(&outgoing, UnixTime::from_secs(5)).unwrap();
    let own = signed.delivery().headers().iter();
    let mut headers: Vec<(String, Vec<u8>)> =
        own.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect();
    for (name, value) in [("X-Forwarded-Host", "hooks.example.com"), ("X-Forwarded-Proto", "https")]
    {
        headers.push((name.to_owned(), value.as_bytes().to_vec()));
    }
    (headers, b"[]")
}

#[tokio::test]
async fn headers_of_a_proxy_are_read_where_the_peer_is_the_proxy() {
    let (headers, body) = from_a_proxy();
    let headers: Vec<(&str, &[u8])> =
        headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
    let (here, elsewhere) = (["127.0.0.0/8", "::1"], ["10.0.0.0/8", "fd00::/8"]);
    for (networks, tells, status, fault) in [
        (Some(here), true, 200, None),
        (Some(elsewhere), true, 500, Some("other 127.0.0.1")),
        (Some(here), false, 500, Some("unknown")),
        (None, false, 200, None),
        (None, true, 200, None),
    ] {
        let mut proxy = TrustedProxy::new(["hooks.example.com"]).unwrap();
        if let Some(networks) = networks {
            proxy = proxy.peers(networks).unwrap();
        }
        let faults = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&faults);
        let verifier = Verifier::builder(&providers::HUBSPOT).secret("h").build().unwrap();
        let endpoint = Endpoint::builder(verifier)
            .url(PublicUrl::trusted_proxy(proxy))
            .clock(|| UnixTime::from_secs(5))
            .on_verdict(move |report| {
                log.lock().unwrap().extend(report.proxy.map(|fault| match fault {
                    ProxyFault::OtherPeer(address) => format!("other {address}"),
                    ProxyFault::UnknownPeer => "unknown".to_owned(),
                    _ => "not named".to_owned(),
                }));
            })
            .build()
            .unwrap();
        // The verdict of the shadow is the same.
        let mut app = Router::new()
            .route("/crm", post(async |_: VerifiedBuf| {}))
            .layer(ShadowLayer::new(endpoint.clone()))
            .with_state(endpoint);
        if tells {
            let tell = async |ConnectInfo(peer): ConnectInfo<SocketAddr>, mut request: Request| {
                request.extensions_mut().insert(Peer::from(peer));
                request
            };
            app = app.layer(map_request(tell));
        }
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let service = app.into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, service).await.unwrap() });
        let answer = send(address, "POST", "/crm", &headers, body).await;
        assert_eq!(answer.status, status, "{networks:?} {tells}");
        let fault: Vec<String> = fault.into_iter().map(str::to_owned).collect();
        let faults = std::mem::take(&mut *faults.lock().unwrap());
        assert_eq!(faults, [fault.clone(), fault].concat(), "{networks:?} {tells}");
    }
}

#[test]
fn answers_are_compared_whole() {
    let answer = |date: &str| {
        let text = format!("HTTP/1.1 401 Unauthorized\r\ndate: {date}\r\nx: 1\r\n\r\n");
        timeless(parse(text.as_bytes()).unwrap())
    };
    assert_eq!(answer("a").head, "HTTP/1.1 401 Unauthorized\r\nx: 1");
    assert_eq!(answer("a"), answer("b"));
}
