//! What the public types promise beside verdicts: rotation, messages, redaction, private senders, limits.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fmt::Debug;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use hookproof::{
    BodyCheck, Checker, ConfigError, ConfigErrorKind, Coverage, Delivery, Encoding, Error,
    ErrorKind, Evidence, Family, Fault, Grammar, Head, Info, Needs, Part, Provider, Scheme, Secret,
    Session, Setup, SignedTime, TimeSource, TimeUnit, UnixTime, Verified, VerifiedBuf, Verifier,
    WholeCheck, providers,
};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};

const NOW: UnixTime = UnixTime::from_secs(1_700_000_000);
const BODY: &[u8] = b"{\n  \"id\": \"evt_test_webhook\",\n  \"object\": \"event\"\n}";
/// The signature of [`BODY`] at [`NOW`] with `whsec_test_secret`, as the official libraries make and accept it.
const TAG: &str = "4f1cd7feda9826e746b7d482c4badebb657398df1099e1046364f6196a230150";

fn stripe(value: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("stripe-signature", HeaderValue::from_str(value).unwrap());
    headers
}

fn good() -> HeaderMap {
    stripe(&format!("t=1700000000,v1={TAG}"))
}

#[test]
fn rotation_names_the_key_that_matched() {
    let old = Verifier::builder(&providers::STRIPE)
        .secret("whsec_new")
        .key(Secret::new("whsec_test_secret").unwrap().with_id("2025"));
    let verifier = old.build().unwrap();
    let headers = good();
    let verified = verifier.verify_at(&Delivery::new(&headers, BODY), NOW).unwrap();
    assert_eq!(verified.key(), 1);
    assert_eq!(verifier.key_id(verified.key()), Some("2025"));
    assert_eq!(verifier.key_id(0), None);
    assert_eq!(verifier.key_id(7), None);
    let twice = Verifier::builder(&providers::STRIPE)
        .secret("whsec_test_secret")
        .previous("whsec_test_secret")
        .build()
        .unwrap();
    assert_eq!(twice.verify_at(&Delivery::new(&headers, BODY), NOW).unwrap().key(), 0);
}

#[test]
fn the_system_clock_is_read_by_verify_alone() {
    let verifier =
        Verifier::builder(&providers::STRIPE).secret("whsec_test_secret").build().unwrap();
    let headers = good();
    let error = verifier.verify(&Delivery::new(&headers, BODY)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimestampTooOld);
    assert_eq!(error.signed_at(), Some(NOW));
    assert!(UnixTime::from(SystemTime::now()) > NOW);
    assert_eq!(
        UnixTime::from(SystemTime::UNIX_EPOCH - Duration::from_secs(1)),
        UnixTime::from_secs(0)
    );
    let any_age = Verifier::builder(&providers::STRIPE)
        .secret("whsec_test_secret")
        .dangerous()
        .accept_any_age()
        .build()
        .unwrap();
    assert!(any_age.verify(&Delivery::new(&headers, BODY)).is_ok());
    assert_eq!(any_age.tolerance(), None);
    let timeless = Verifier::builder(&providers::GITHUB)
        .secret("a")
        .tolerance(Duration::from_secs(5))
        .build()
        .unwrap();
    assert_eq!(timeless.tolerance(), None, "no time is signed");
    assert_eq!(verifier.tolerance(), Some(Duration::from_secs(300)));
}

#[test]
fn every_kind_has_one_status_and_a_sentence() {
    for kind in ErrorKind::ALL {
        let error = Error::new(*kind, "acme").with_header("x-acme");
        let text = error.to_string();
        assert!(text.starts_with("acme: "), "{text}");
        assert!(!text.ends_with('.') && text.is_ascii(), "{text}");
        assert_eq!(kind.to_string(), kind.as_str());
        let expected = match kind {
            ErrorKind::MissingTarget => (StatusCode::INTERNAL_SERVER_ERROR, Fault::Operator),
            ErrorKind::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, Fault::Sender),
            ErrorKind::HeadTooLarge => (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, Fault::Sender),
            _ => (StatusCode::UNAUTHORIZED, Fault::Sender),
        };
        assert_eq!((error.status(), error.fault()), expected, "{kind}");
        assert_eq!(serde_json::to_string(kind).unwrap(), format!("\"{kind}\""));
    }
    assert!(ErrorKind::ALL.is_sorted(), "the order of precedence is the order of the list");
    let words: Vec<_> = ErrorKind::ALL.iter().map(|kind| kind.as_str()).collect();
    let shared: Vec<_> =
        hookproof_vectors::REASONS.iter().filter(|reason| **reason != "bad-secret").collect();
    assert!(
        shared.iter().all(|reason| words.contains(reason)),
        "every reason of the vectors is a kind"
    );
}

#[test]
fn messages_and_debug_output_hold_no_secret_and_no_byte_of_the_request() {
    let secret = "whsec_hush_hush";
    let verifier = Verifier::builder(&providers::STRIPE).secret(secret).build().unwrap();
    let headers = stripe(
        "t=1700000000,v1=feedfacefeedfacefeedfacefeedfacefeedfacefeedfacefeedfacefeedface,x=marker",
    );
    let delivery = Delivery::new(&headers, b"body-marker");
    let error = verifier.verify_at(&delivery, NOW).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SignatureMismatch);
    let mut shown = format!("{error} {error:?} {verifier:?} {:?}", Secret::new(secret).unwrap());
    shown += &format!(
        "{:?} {:?}",
        Secret::from_bytes(secret.as_bytes()).unwrap(),
        Verifier::builder(&providers::STRIPE).secret(secret)
    );
    shown += &format!("{:?}", verifier.streaming().unwrap().begin(delivery.head()).unwrap());
    for hidden in
        ["hush", "feedface", "marker", &hex(secret.as_bytes()), &format!("{:?}", secret.as_bytes())]
    {
        assert!(!shown.contains(hidden), "{hidden} in {shown}");
    }
    let proof = Verifier::builder(&providers::STRIPE).secret("whsec_test_secret").build().unwrap();
    let headers = good();
    let verified = proof.verify_at(&Delivery::new(&headers, BODY), NOW).unwrap();
    let shown = format!("{verified:?} {:?}", verified.into_owned());
    assert!(
        shown.contains("stripe") && !shown.contains(TAG) && !shown.contains("evt_test"),
        "{shown}"
    );
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn faults_of_the_configuration_come_at_start_up() {
    let refused = |builder: hookproof::Builder| {
        let error = builder.build().unwrap_err();
        assert!(error.to_string().starts_with(error.provider().unwrap()), "{error}");
        error
    };
    let stripe = || Verifier::builder(&providers::STRIPE);
    for secret in [
        "",
        " ",
        "\t\n",
        "\u{a0}",
        " whsec_a",
        "whsec_a\n",
        "whsec_a\u{2003}",
        "\u{feff}whsec_a",
        "sk_x",
        "pk_x",
        "rk_x",
        "we_x",
    ] {
        assert_eq!(
            refused(stripe().secret(secret)).kind(),
            ConfigErrorKind::BadSecret,
            "{secret:?}"
        );
    }
    assert_eq!(refused(stripe()).kind(), ConfigErrorKind::BadSecret);
    assert_eq!(
        refused((0..9).fold(stripe(), |builder, _| builder.secret("whsec_a"))).kind(),
        ConfigErrorKind::BadSecret
    );
    assert!((0..8).fold(stripe(), |builder, _| builder.secret("whsec_a")).build().is_ok());
    assert_eq!(
        refused(stripe().secret("whsec_a").option("versions", "v1")).kind(),
        ConfigErrorKind::BadOption
    );
    let standard = || Verifier::builder(&providers::STANDARD_WEBHOOKS);
    for secret in ["whsec_", "whsec_a", "whsec_!!!!", "whpk_AAAA", "whsk_AAAA", "AR=="] {
        assert_eq!(
            refused(standard().secret(secret)).kind(),
            ConfigErrorKind::BadSecret,
            "{secret:?}"
        );
    }
    let hubspot = || Verifier::builder(&providers::HUBSPOT).secret("a");
    for versions in ["", "v4", "V3", "v1;v2", "v1, v2", "v3,"] {
        assert_eq!(
            refused(hubspot().option("versions", versions)).kind(),
            ConfigErrorKind::BadOption,
            "{versions:?}"
        );
    }
    assert_eq!(
        refused(hubspot().option("versions", "v1").option("versions", "v3")).kind(),
        ConfigErrorKind::BadOption
    );
    let shopify = || Verifier::builder(&providers::SHOPIFY).secret("a");
    assert_eq!(refused(shopify().option("headers", "both")).kind(), ConfigErrorKind::BadOption);
    assert!(shopify().option("headers", "any").build().is_ok());
    assert!(Secret::from_bytes(b"").is_err());
    assert!(Secret::from_bytes(b" ").is_ok());
    for zeros in [&[0u8; 1][..], &[0; 32], &[0; 200]] {
        assert_eq!(Secret::from_bytes(zeros).unwrap_err().kind(), ConfigErrorKind::BadSecret);
    }
    assert_eq!(refused(stripe().secret("\0")).kind(), ConfigErrorKind::BadSecret);
    assert_eq!(refused(standard().secret("whsec_AAAA")).kind(), ConfigErrorKind::BadSecret);
}

#[test]
fn secrets_are_read_from_configuration_files() {
    #[derive(Debug, serde::Deserialize)]
    struct Configuration {
        secret: Secret,
    }
    let read: Configuration = serde_json::from_str(r#"{"secret": "whsec_test_secret"}"#).unwrap();
    let verifier = Verifier::builder(&providers::STRIPE).key(read.secret).build().unwrap();
    assert!(verifier.verify_at(&Delivery::new(&good(), BODY), NOW).is_ok());
    let blank = serde_json::from_str::<Configuration>(r#"{"secret": ""}"#).unwrap_err();
    assert!(blank.to_string().contains("blank"), "{blank}");
    let number = serde_json::from_str::<Configuration>(r#"{"secret": 7}"#).unwrap_err();
    assert!(number.to_string().contains("a secret is a text"), "{number}");
    for value in
        ["48213977", "-48213977", "482.13977", "true", "[48213977]", "{\"a\":48213977}", "null"]
    {
        let error = serde_json::from_str::<Secret>(value).unwrap_err().to_string();
        assert!(!error.contains("4821") && !error.contains("482."), "{error}");
    }
}

#[test]
fn types_are_shared_between_threads() {
    fn shared<T: Send + Sync + Debug>() {}
    fn sent<T: Send>() {}
    shared::<Verifier>();
    shared::<Verified<'static>>();
    shared::<VerifiedBuf>();
    shared::<Error>();
    shared::<ConfigError>();
    shared::<Secret>();
    sent::<hookproof::Stream<'static>>();
    sent::<hookproof::Collector<'static>>();
}

#[test]
fn a_proof_can_be_owned_and_borrowed_again() {
    let verifier = Verifier::builder(&providers::HUBSPOT)
        .secret("a")
        .option("versions", "v1")
        .build()
        .unwrap();
    let mut headers = HeaderMap::new();
    // SHA-256 of `ab`.
    headers.insert(
        "x-hubspot-signature",
        HeaderValue::from_static(
            "fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603",
        ),
    );
    let delivery =
        Delivery::new(&headers, b"b").with_method(&Method::POST).with_url("https://example.com/");
    let verified = verifier.verify_at(&delivery, NOW).unwrap();
    assert_eq!(verified.coverage(), Coverage::Body);
    let owned = verified.into_owned();
    let again = owned.as_verified();
    assert_eq!(
        (again.body(), again.delivery().head().url(), again.delivery().head().method()),
        (&b"b"[..], Some("https://example.com/"), Some(&Method::POST))
    );
    assert_eq!(owned.into_parts(), (headers, Bytes::from_static(b"b")));
}

#[test]
fn a_request_gives_its_method_and_never_its_url() {
    let request = Request::builder().method("PUT").uri("/hooks").body("text").unwrap();
    let delivery = Delivery::from(&request);
    assert_eq!(delivery.head().method(), Some(&Method::PUT));
    assert_eq!(delivery.head().url(), None);
    assert_eq!(delivery.body(), b"text");
}

#[test]
fn a_collected_body_stays_within_its_limit_and_keeps_a_single_chunk() {
    let verifier =
        Verifier::builder(&providers::STRIPE).secret("whsec_test_secret").build().unwrap();
    let headers = good();
    let mut collector = verifier.collect(Head::new(&headers), BODY.len() - 1).unwrap();
    collector.push(Bytes::copy_from_slice(&BODY[..10])).unwrap();
    assert_eq!(
        collector.push(Bytes::copy_from_slice(&BODY[10..])).unwrap_err().kind(),
        ErrorKind::BodyTooLarge
    );
    assert_eq!(collector.push(Bytes::new()).unwrap_err().kind(), ErrorKind::BodyTooLarge);
    assert_eq!(
        collector.finish(NOW).unwrap_err().kind(),
        ErrorKind::BodyTooLarge,
        "what is missing is not forgotten"
    );
    let whole = Bytes::from_static(BODY);
    let mut collector = verifier.collect(Head::new(&headers), BODY.len()).unwrap();
    collector.push(Bytes::new()).unwrap();
    collector.push(whole.clone()).unwrap();
    let verified = collector.finish(NOW).unwrap();
    assert_eq!(verified.body().as_ptr(), whole.as_ptr(), "one chunk is not copied");
}

#[test]
fn a_fault_of_the_head_comes_before_the_first_byte_of_the_body() {
    let verifier = Verifier::builder(&providers::STRIPE).secret("a").build().unwrap();
    let streaming = verifier.streaming().unwrap();
    for (value, kind) in [
        ("v1=00", ErrorKind::MalformedHeader),
        ("t=1,v0=00", ErrorKind::UnsupportedVersion),
        ("t=1,v1=00", ErrorKind::BadEncoding),
    ] {
        assert_eq!(streaming.begin(Head::new(&stripe(value))).unwrap_err().kind(), kind, "{value}");
        assert_eq!(
            verifier.collect(Head::new(&stripe(value)), 0).unwrap_err().kind(),
            kind,
            "{value}"
        );
    }
    assert_eq!(
        streaming.begin(Head::new(&HeaderMap::new())).unwrap_err().kind(),
        ErrorKind::MissingHeader
    );
}

/// Signs `{body}{method}{url}` with HMAC-SHA512: pieces after the body, and the longer tag.
static AFTER: Scheme = Scheme::hmac_sha512("after", "After")
    .families(&[Family::new("x-after")])
    .encoding(Encoding::Base64)
    .message(&[Part::Body, Part::Method, Part::Literal(" "), Part::Url])
    .build();

#[test]
fn a_private_record_may_sign_after_the_body() {
    let verifier = Verifier::builder(&AFTER).secret("key").build().unwrap();
    assert_eq!(verifier.needs(), Needs::NOTHING.with_target());
    let mut headers = HeaderMap::new();
    // HMAC-SHA512 of `bodyPOST https://example.com/` with the key `key`, by an independent program.
    headers.insert("x-after", HeaderValue::from_static("xhqrC5PoHJU0ehJNGMo/ogZT6iq+H3IrVLyvUPsOlSOzmZhwB2koOjYEjXzS6MKlgoguj1uHwmyMr66DSxQ4oA=="));
    let delivery = Delivery::new(&headers, b"body")
        .with_method(&Method::POST)
        .with_url("https://example.com/");
    let verified = verifier.verify_at(&delivery, NOW).unwrap();
    assert_eq!(verified.coverage(), Coverage::BodyAndTarget);
    assert_eq!(verified.signed_at(), None);
    let error = verifier.verify_at(&Delivery::new(&headers, b"body"), NOW).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingTarget);
}

/// A private sender of each other kind: a check of the whole body, a check of its own that streams, and a bare token.
#[derive(Debug)]
struct Private(&'static str, Info);

static WHOLE: Private = Private("whole", Info::new("whole", "Whole"));
static BOXED: Private = Private("boxed", Info::new("boxed", "Boxed"));
static DONE: Private = Private("done", Info::new("done", "Done"));

impl Provider for Private {
    fn info(&self) -> &Info {
        &self.1
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Checker>, ConfigError> {
        setup.expect_options(&[])?;
        Ok(Box::new(PrivateChecker(self.0, setup.secrets()[0].expose_bytes().to_vec())))
    }
}

struct PrivateChecker(&'static str, Vec<u8>);

impl Checker for PrivateChecker {
    fn begin<'h>(&'h self, head: Head<'h>) -> Result<Session<'h>, Error> {
        Ok(match self.0 {
            "whole" => Session::whole(self, head),
            "boxed" => Session::boxed(Box::new(EndsWith { wanted: &self.1, seen: Vec::new() })),
            _ => Session::done(Evidence::new(Coverage::Credential).with_expires_at(NOW)),
        })
    }

    fn needs(&self) -> Needs {
        if self.0 == "whole" { Needs::NOTHING.with_whole_body() } else { Needs::NOTHING }
    }
}

impl WholeCheck for PrivateChecker {
    fn check(&self, _: Head<'_>, body: &[u8]) -> Result<Evidence, Error> {
        if body != self.1 {
            return Err(Error::new(ErrorKind::SignatureMismatch, "whole"));
        }
        Ok(Evidence::new(Coverage::Body)
            .with_signed_at(SignedTime::new(1_700_000_000_000, TimeUnit::Millis)))
    }
}

struct EndsWith<'h> {
    wanted: &'h [u8],
    seen: Vec<u8>,
}

impl BodyCheck for EndsWith<'_> {
    fn update(&mut self, chunk: &[u8]) {
        self.seen.extend_from_slice(chunk);
    }

    fn finish(&mut self) -> Result<Evidence, Error> {
        match self.seen.ends_with(self.wanted) {
            true => Ok(Evidence::new(Coverage::Checksum).with_key(0)),
            false => Err(Error::new(ErrorKind::SignatureMismatch, "boxed")),
        }
    }
}

#[test]
fn private_senders_of_every_kind_fit_the_trait() {
    let headers = HeaderMap::new();
    let head = Head::new(&headers);
    let late = UnixTime::from_secs(1_700_000_301);

    let whole = Verifier::builder(&WHOLE).secret("body").build().unwrap();
    assert_eq!(whole.streaming().unwrap_err().kind(), ConfigErrorKind::Unsupported);
    assert!(whole.verify_at(&Delivery::new(&headers, b"body"), NOW).is_ok());
    assert_eq!(
        whole.verify_at(&Delivery::new(&headers, b"body"), late).unwrap_err().kind(),
        ErrorKind::TimestampTooOld
    );
    let mut collector = whole.collect(head, 100).unwrap();
    collector.push(Bytes::from_static(b"bo")).unwrap();
    collector.push(Bytes::from_static(b"dy")).unwrap();
    assert_eq!(collector.finish(NOW).unwrap().body(), &Bytes::from_static(b"body"));

    let boxed = Verifier::builder(&BOXED).secret("end").build().unwrap();
    assert!(boxed.verify_at(&Delivery::new(&headers, b"the end"), NOW).is_ok());
    let mut stream = boxed.streaming().unwrap().begin(head).unwrap();
    stream.update(b"the e");
    stream.update(b"nd");
    assert_eq!(stream.finish(NOW).unwrap().coverage(), Coverage::Checksum);
    assert!(boxed.verify_at(&Delivery::new(&headers, b"the"), NOW).is_err());

    let done = Verifier::builder(&DONE).secret("any").build().unwrap();
    assert!(done.verify_at(&Delivery::new(&headers, b""), NOW).is_ok());
    assert_eq!(
        done.verify_at(&Delivery::new(&headers, b""), late).unwrap_err().kind(),
        ErrorKind::TimestampTooOld
    );
    assert!(done.streaming().unwrap().begin(head).unwrap().finish(NOW).is_ok());
}

/// Two families, a time in a header in milliseconds.
static MILLIS: Scheme = Scheme::hmac_sha256("millis", "Millis")
    .families(&[Family::new("x-signature").with_timestamp("x-time")])
    .grammar(Grammar::Prefixed("v2="))
    .message(&[Part::Literal("v2:"), Part::Timestamp, Part::Literal(":"), Part::Body])
    .time(TimeSource::Header(TimeUnit::Millis), Duration::from_millis(1500))
    .build();

#[test]
fn milliseconds_are_compared_as_milliseconds() {
    let verifier = Verifier::builder(&MILLIS).secret("key").build().unwrap();
    let mut headers = HeaderMap::new();
    headers.insert("x-time", HeaderValue::from_static("1700000000000"));
    // HMAC-SHA256 of `v2:1700000000000:body` with the key `key`, by an independent program.
    headers.insert(
        "x-signature",
        HeaderValue::from_static(
            "v2=9fcb31570cc39af58f34100e2d380cadda6598aba3322b49196507034d441166",
        ),
    );
    let at = |millis| {
        verifier
            .verify_at(&Delivery::new(&headers, b"body"), UnixTime::from_millis(millis))
            .map(|_| ())
            .map_err(|error| error.kind())
    };
    assert_eq!(at(1_700_000_001_500), Ok(()));
    assert_eq!(at(1_700_000_001_501), Err(ErrorKind::TimestampTooOld));
    assert_eq!(at(1_699_999_998_500), Ok(()));
    assert_eq!(at(1_699_999_998_499), Err(ErrorKind::TimestampInFuture));
}
