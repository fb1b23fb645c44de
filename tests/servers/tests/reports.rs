//! What the operator is told: `tracing` events by their contract, and the URL that was signed against.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::convert::Infallible;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, Once};
use std::time::Duration;

use bytes::Bytes;
use hookproof::tower::{ShadowLayer, VerifyLayer};
use hookproof::{
    ConfigErrorKind, Endpoint, Endpoints, Outgoing, ProxyHeaders, PublicUrl, Signer, Tenants,
    TrustedProxy, UnixTime, Verifier, providers, testing,
};
use hookproof_servers::github::SIGNATURE;
use hookproof_servers::tenants::{Mode, Vault, sign};
use http::{Method, Request, Response};
use http_body_util::Full;
use tower::{Layer, ServiceExt, service_fn};
use tracing::instrument::WithSubscriber;
use tracing::level_filters::LevelFilter;

/// What was written to the log.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
    }

    fn subscriber(&self) -> impl tracing::Subscriber + Send + Sync + 'static {
        let lines = self.clone();
        // A place that logs asks once whether anybody listens, and while there is one subscriber it asks the thread that
        // comes first: another test, which has none. One for all threads makes the answer yes.
        static EVERYBODY: Once = Once::new();
        EVERYBODY.call_once(|| {
            let all = tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE);
            tracing::subscriber::set_global_default(all.with_writer(io::sink).finish()).unwrap();
        });
        tracing_subscriber::fmt()
            .with_ansi(false)
            .without_time()
            .with_max_level(LevelFilter::TRACE)
            .with_writer(move || lines.clone())
            .finish()
    }
}

const SECRET: &str = "hush-hush-hush";
const BODY: &[u8] = br#"[{"portalId":1,"marker":"of the body"}]"#;
const NOW: UnixTime = UnixTime::from_millis(1_700_000_000_500);

/// A genuine delivery of HubSpot to this public URL, that arrives with this target.
fn hubspot(url: &str, target: &str) -> Request<Full<Bytes>> {
    let signer = Signer::builder(&providers::HUBSPOT).secret(SECRET).build().unwrap();
    let at = UnixTime::from_millis(1_700_000_000_000);
    let outgoing = Outgoing::new(BODY).with_method(&Method::POST).with_url(url);
    let signed = signer.sign(&outgoing, at).unwrap();
    let mut request = signed.into_request().map(Full::new);
    *request.uri_mut() = target.parse().unwrap();
    request
}

fn endpoint(url: PublicUrl) -> Endpoint {
    let verifier = Verifier::builder(&providers::HUBSPOT).secret(SECRET).previous("old").build();
    Endpoint::builder(verifier.unwrap()).name("crm").url(url).clock(|| NOW).build().unwrap()
}

async fn send(endpoint: &Endpoint, request: Request<Full<Bytes>>) -> u16 {
    deliver(endpoint.clone(), request).await
}

async fn deliver(endpoints: impl Into<Endpoints>, request: Request<Full<Bytes>>) -> u16 {
    let inner =
        service_fn(|_| async { Ok::<_, Infallible>(Response::new(Full::<Bytes>::default())) });
    let answer = VerifyLayer::new(endpoints).layer(inner).oneshot(request).await;
    answer.unwrap().status().as_u16()
}

#[tokio::test]
async fn events_are_as_documented_and_hold_no_secret_no_signature_and_no_body() {
    let lines = Lines::default();
    let base = PublicUrl::base("https://hooks.example.com").unwrap();
    let endpoint = endpoint(base);
    let url = "https://hooks.example.com/crm?token=t0ken";
    let mut all = String::new();

    let good = hubspot(url, "/crm?token=t0ken");
    let signature = good.headers()["x-hubspot-signature-v3"].to_str().unwrap().to_owned();
    assert_eq!(send(&endpoint, good).with_subscriber(lines.subscriber()).await, 200);
    let line = lines.take();
    assert_eq!(
        line,
        "DEBUG verify{provider=\"hubspot\" endpoint=\"crm\"}: hookproof: delivery accepted \
         provider=\"hubspot\" verdict=\"accepted\" endpoint=\"crm\" key=0 age_ms=500 body_bytes=39 \
         url=\"https://hooks.example.com/crm\" query_bytes=11 content_encoded=false shadow=false\n"
    );
    all += &line;

    // Behind a proxy that takes off a prefix: the log says which URL was tried.
    let mut wrong = hubspot("https://hooks.example.com/api/crm", "/crm");
    wrong.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
    assert_eq!(send(&endpoint, wrong).with_subscriber(lines.subscriber()).await, 401);
    let line = lines.take();
    assert_eq!(
        line,
        " WARN verify{provider=\"hubspot\" endpoint=\"crm\"}: hookproof: delivery refused \
         provider=\"hubspot\" verdict=\"signature-mismatch\" endpoint=\"crm\" body_bytes=39 \
         header=\"x-hubspot-signature-v3\" url=\"https://hooks.example.com/crm\" query_bytes=0 content_encoded=true shadow=false \
         reason=hubspot: no signature matches any configured secret; the request is forged or was \
         changed on its way, or the secret is another endpoint's\n"
    );
    all += &line;

    let mut missing = hubspot(url, "/crm");
    missing.headers_mut().remove("x-hubspot-signature-v3");
    let shadow = ShadowLayer::new(endpoint.clone());
    let inner = service_fn(|_| async { Ok::<_, Infallible>(()) });
    shadow.layer(inner).oneshot(missing).with_subscriber(lines.subscriber()).await.unwrap();
    let line = lines.take();
    assert!(line.starts_with(" WARN hookproof: delivery refused"), "{line}");
    for field in ["verdict=\"missing-header\"", "header=\"x-hubspot-signature-v3\"", "shadow=true"]
    {
        assert!(line.contains(field), "{line}");
    }
    all += &line;

    let hosts = TrustedProxy::new(["hooks.example.com"]).unwrap();
    let endpoint = self::endpoint(PublicUrl::trusted_proxy(hosts));
    let answer = send(&endpoint, hubspot(url, "/crm")).with_subscriber(lines.subscriber()).await;
    assert_eq!(answer, 500);
    let line = lines.take();
    assert!(line.starts_with("ERROR verify{"), "{line}");
    assert!(line.contains("delivery not judged: this server is set up wrongly"), "{line}");
    assert!(line.contains("verdict=\"missing-target\"") && !line.contains(" url="), "{line}");
    assert!(line.contains(" proxy=no trusted proxy named the scheme and a host"), "{line}");
    all += &line;

    for secret in [SECRET, &signature, "t0ken", "of the body"] {
        assert!(!all.contains(secret), "{secret} is in\n{all}");
    }
}

#[tokio::test(start_paused = true)]
async fn requests_without_an_endpoint_and_tenants_are_told() {
    let lines = Lines::default();
    // The lookup is a task of its own, on this thread.
    let _all = tracing::subscriber::set_default(lines.subscriber());
    let vault = Vault::of(&[("acme", "a")]);
    let tenants = Tenants::resolve(vault.unknown(), vault.clone()).fresh_for(Duration::ZERO);
    let endpoints = Endpoints::builder().at("/hooks/{tenant}", tenants.build()).build().unwrap();
    let send = async |path: &str| {
        let request = Request::post(path).header(SIGNATURE, sign("a", BODY));
        let answer = deliver(endpoints.clone(), request.body(Full::from(BODY)).unwrap()).await;
        (answer, lines.take())
    };
    let (status, line) = send("/hooks").await;
    assert_eq!(status, 404);
    assert_eq!(line, " WARN hookproof: delivery refused verdict=\"no-endpoint\"\n");
    let (status, line) = send("/hooks/acme").await;
    assert!(status == 200 && line.contains(" tenant=\"fresh\""), "{line}");
    let (status, line) = send("/hooks/bolt").await;
    assert!(status == 401 && line.contains(" tenant=\"unknown\""), "{line}");
    vault.set(Mode::Fails);
    let (status, line) = send("/hooks/acme").await;
    assert!(status == 200 && line.contains(" tenant=\"stale\""), "{line}");
    assert!(
        line.contains(
            "ERROR hookproof: tenant not resolved tenant=\"acme\" reason=the resolver failed: the database is gone\n"
        ),
        "{line}"
    );
    // What anybody sends is in the log as a text with escapes.
    let (status, line) = send("/hooks/carl%0A\u{85}").await;
    assert_eq!(status, 503);
    assert!(line.contains("tenant=\"carl%0A\\u{85}\""), "{line}");
    assert!(
        line.ends_with(
            "ERROR hookproof: delivery not judged: nobody says by which endpoint verdict=\"no-endpoint\"\n"
        ),
        "{line}"
    );
}

#[test]
fn a_sender_that_signs_the_url_does_not_start_without_one() {
    let verifier = || Verifier::builder(&providers::HUBSPOT).secret(SECRET);
    let error = Endpoint::new(verifier().build().unwrap()).unwrap_err();
    assert_eq!((error.kind(), error.provider()), (ConfigErrorKind::BadUrl, Some("hubspot")));
    assert!(error.to_string().starts_with("hubspot: the sender signs the URL"), "{error}");
    // Its first version signs none.
    assert!(Endpoint::new(verifier().option("versions", "v1").build().unwrap()).is_ok());
    assert!(
        Endpoint::new(Verifier::builder(&providers::STRIPE).secret("a").build().unwrap()).is_ok()
    );
}

#[tokio::test]
async fn headers_that_anyone_sends_change_nothing_and_those_of_a_proxy_only_when_trusted() {
    let url = "https://hooks.example.com/crm?a=%7B1%7D";
    let request = || {
        let mut request = hubspot(url, "http://inner.local/crm?a=%7B1%7D");
        for (name, value) in [
            ("host", "evil.example"),
            ("x-forwarded-host", "evil.example, hooks.example.com"),
            ("x-forwarded-proto", "http, https"),
            ("forwarded", "host=evil.example;proto=http, host=hooks.example.com;proto=https"),
        ] {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        request
    };
    let base = |text| endpoint(PublicUrl::base(text).unwrap());
    assert_eq!(send(&base("https://hooks.example.com"), request()).await, 200);
    assert_eq!(send(&base("https://evil.example"), request()).await, 401);
    assert_eq!(send(&endpoint(PublicUrl::exact(url).unwrap()), request()).await, 200);

    let proxy = || TrustedProxy::new(["hooks.example.com", "evil.example"]).unwrap();
    for (proxy, status) in [
        (proxy(), 200),
        (proxy().headers(ProxyHeaders::Forwarded), 200),
        (proxy().hops(2), 401),
        (proxy().hops(2).headers(ProxyHeaders::Forwarded), 401),
        (proxy().hops(3), 500),
        (TrustedProxy::new(["other.example"]).unwrap(), 500),
    ] {
        let text = format!("{proxy:?}");
        let endpoint = endpoint(PublicUrl::trusted_proxy(proxy));
        assert_eq!(send(&endpoint, request()).await, status, "{text}");
    }
}

#[test]
fn requests_whose_body_was_read_take_the_same_way() {
    let endpoint = endpoint(PublicUrl::base("https://hooks.example.com").unwrap());
    let request = |body: &'static [u8]| {
        hubspot("https://hooks.example.com/crm", "/crm").map(|_| Bytes::from_static(body))
    };
    let proof = endpoint.verify(request(BODY)).unwrap();
    assert_eq!((proof.body().as_ref(), proof.key()), (BODY, 0));
    assert_eq!(proof.as_verified().delivery().head().url(), Some("https://hooks.example.com/crm"));
    assert_eq!(endpoint.verify(request(b"[]")).unwrap_err().status(), 401);
    let limited = Endpoint::builder(
        Verifier::builder(&providers::GITHUB).secret(testing::SECRET).build().unwrap(),
    );
    let limited = limited.limit(3).build().unwrap();
    let error = limited.verify(Request::new("four")).unwrap_err();
    assert_eq!(error.status(), 413, "before the head is looked at: {error}");
    assert_eq!(limited.verify(Request::new("two")).unwrap_err().status(), 401);
}
