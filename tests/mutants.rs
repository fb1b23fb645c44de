//! What mutation testing found no other test for.

#![cfg(all(feature = "events", feature = "sign"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use hookproof::{
    Algorithm, ConfigErrorKind, Confirmation, Coverage, Delivery, Encoding, Error, ErrorKind,
    EventErrorKind, Evidence, Head, Outgoing, Provider, Secret, Session, SignedTime, Signer,
    TimeUnit, Trust, UnixTime, Verifier, providers, testing,
};
use http::{HeaderMap, HeaderValue, Method};

const NOW: UnixTime = testing::NOW;
/// The URL as the sender has it, and as its documentation wants it decoded.
const ESCAPED: &str = "https://example.com/hooks?to=a%3Ab";
const DECODED: &str = "https://example.com/hooks?to=a:b";

fn one(name: &'static str, value: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(name, HeaderValue::from_str(value).unwrap());
    headers
}

fn keys(count: usize) -> Vec<String> {
    (0..count).map(|index| format!("secret-{index}")).collect()
}

fn hubspot(versions: &str, secrets: &[String]) -> Verifier {
    let builder = Verifier::builder(&providers::HUBSPOT).option("versions", versions);
    secrets.iter().fold(builder, |builder, secret| builder.secret(secret)).build().unwrap()
}

/// What HubSpot would send for a URL, with the header of the version taken out.
fn sent(version: &str, secret: &str, url: &str) -> HeaderMap {
    let signer = Signer::builder(&providers::HUBSPOT).secret(secret).option("versions", version);
    let signed = signer.build().unwrap().sign(&Outgoing::new(b"[]").with_url(url), NOW).unwrap();
    let mut headers = signed.headers().clone();
    headers.remove("x-hubspot-signature-version");
    headers
}

/// The key and coverage of a delivery to [`ESCAPED`], the same whole and streamed.
fn matched(verifier: &Verifier, headers: &HeaderMap) -> Result<(usize, Coverage), ErrorKind> {
    let delivery = Delivery::new(headers, b"[]").with_method(&Method::POST).with_url(ESCAPED);
    let whole = verifier.verify_at(&delivery, NOW);
    let whole = whole.map(|verified| (verified.key(), verified.coverage()));
    let mut stream = verifier.streaming().unwrap().begin(delivery.head()).unwrap();
    stream.update(b"[");
    stream.update(b"]");
    let streamed = stream.finish(NOW).map(|verified| (verified.key(), verified.coverage()));
    assert_eq!(whole, streamed);
    whole.map_err(|error| error.kind())
}

/// Eight keys and two readings are the most that there are: each of the sixteen counts, and names its key.
#[test]
fn every_key_counts_in_both_readings() {
    for count in [1, 2, 3, 8] {
        let keys = keys(count);
        let (v3, older) = (hubspot("v3", &keys), hubspot("v1,v2", &keys));
        for (index, key) in keys.iter().enumerate() {
            for url in [ESCAPED, DECODED] {
                assert_eq!(
                    matched(&v3, &sent("v3", key, url)),
                    Ok((index, Coverage::BodyAndTarget)),
                    "key {index} of {count}, {url}"
                );
            }
            assert_eq!(matched(&older, &sent("v1", key, ESCAPED)), Ok((index, Coverage::Body)));
            assert_eq!(
                matched(&older, &sent("v2", key, ESCAPED)),
                Ok((index, Coverage::BodyAndTarget))
            );
        }
        let wrong = sent("v3", "secret-other", ESCAPED);
        assert_eq!(matched(&v3, &wrong), Err(ErrorKind::SignatureMismatch));
        let wrong = sent("v2", "secret-other", ESCAPED);
        assert_eq!(matched(&older, &wrong), Err(ErrorKind::SignatureMismatch));
    }
}

/// A hash over secret and message is the same for a longer secret and a shorter message. The lowest key is named then
/// too, by its own reading.
#[test]
fn the_lowest_key_is_named_whatever_its_reading() {
    let short = "secret-0".to_owned();
    let long = format!("{short}POST{ESCAPED}");
    let delivery = sent("v2", &short, ESCAPED);
    assert_eq!(delivery["x-hubspot-signature"], sent("v1", &long, ESCAPED)["x-hubspot-signature"]);
    let verifier = hubspot("v1,v2", &[short.clone(), long.clone()]);
    assert_eq!(matched(&verifier, &delivery), Ok((0, Coverage::BodyAndTarget)));
    let verifier = hubspot("v1,v2", &[long, short]);
    assert_eq!(matched(&verifier, &delivery), Ok((0, Coverage::Body)));
}

/// A tag of zeros matches nothing: the places of keys that there are not do not count.
#[test]
fn zeros_match_no_key() {
    let zeros = "0".repeat(64);
    for count in 1..=8 {
        let keys = keys(count);
        for versions in ["v1", "v1,v2"] {
            let headers = one("x-hubspot-signature", &zeros);
            let refusal = matched(&hubspot(versions, &keys), &headers);
            assert_eq!(refusal, Err(ErrorKind::SignatureMismatch), "{count} keys, {versions}");
        }
    }
}

fn refusal(
    sender: &'static dyn Provider,
    headers: &HeaderMap,
) -> (ErrorKind, Option<&'static str>) {
    let verifier = Verifier::builder(sender).secret(testing::SECRET).build().unwrap();
    let error = verifier.verify_at(&Delivery::new(headers, b"{}"), NOW).unwrap_err();
    (error.kind(), error.header())
}

/// Beyond the cap on items a fault of the time still comes first, wherever it is.
#[test]
fn too_many_items_are_a_lesser_fault_than_the_time() {
    let header = "stripe-signature";
    let fill = "x,".repeat(70);
    let long = "x=1,".repeat(70);
    for (value, expected) in [
        (format!("t=1700000000,{fill}"), ErrorKind::TooManySignatures),
        (format!("{fill}t=1700000000"), ErrorKind::TooManySignatures),
        (format!("{fill}t=1700000000,x"), ErrorKind::TooManySignatures),
        (format!("{fill} \t t=1700000000,{fill}"), ErrorKind::TooManySignatures),
        (format!("{long}t=1700000000"), ErrorKind::TooManySignatures),
        (format!("t=1700000000,{fill}xt=1700000000"), ErrorKind::TooManySignatures),
        (format!("t=1700000000,{fill}x t=1700000000"), ErrorKind::TooManySignatures),
        (format!("t=1700000000,{fill}t"), ErrorKind::TooManySignatures),
        // No time, or none that is an item of its own.
        (fill.clone(), ErrorKind::MalformedHeader),
        (long.clone(), ErrorKind::MalformedHeader),
        (format!("{fill}xt=1700000000"), ErrorKind::MalformedHeader),
        (format!("{fill}x t=1700000000"), ErrorKind::MalformedHeader),
        (format!("{fill}x=t=1700000000"), ErrorKind::MalformedHeader),
        (format!("{fill}T=1700000000"), ErrorKind::MalformedHeader),
        // Not canonical.
        (format!("{fill}t=01700000000"), ErrorKind::MalformedHeader),
        (format!("{fill}t=,x"), ErrorKind::MalformedHeader),
        (format!("{fill}t= 1700000000"), ErrorKind::MalformedHeader),
        (format!("t=1700000000,{fill}t=x"), ErrorKind::MalformedHeader),
        // A second one.
        (format!("t=1700000000,{fill}t=1700000000"), ErrorKind::MalformedHeader),
        (format!("{fill}t=1700000000,t=1700000000"), ErrorKind::MalformedHeader),
        (format!("{fill}t=1700000000,{fill} t=1700000000"), ErrorKind::MalformedHeader),
    ] {
        let found = refusal(&providers::STRIPE, &one(header, &value));
        assert_eq!(found, (expected, Some(header)), "{value}");
    }
}

/// A list without one versioned item is none, however long.
#[test]
fn too_many_items_of_a_list_are_a_lesser_fault_than_no_item() {
    let header = "webhook-signature";
    for (value, expected) in [
        ("x ".repeat(70), ErrorKind::MalformedHeader),
        ("x ".repeat(100), ErrorKind::MalformedHeader),
        (format!("{}x,", "x ".repeat(70)), ErrorKind::TooManySignatures),
        (format!("v2,x {}", "x ".repeat(70)), ErrorKind::TooManySignatures),
        (format!("{}v2,x {}", "x ".repeat(30), "x ".repeat(40)), ErrorKind::TooManySignatures),
    ] {
        let mut headers = one(header, &value);
        headers.insert("webhook-id", HeaderValue::from_static("msg_1"));
        headers.insert("webhook-timestamp", HeaderValue::from_static("1700000000"));
        let found = refusal(&providers::STANDARD_WEBHOOKS, &headers);
        assert_eq!(found, (expected, Some(header)), "{value}");
    }
}

/// Errors name the header that is at fault.
#[test]
fn errors_name_the_header() {
    let headers = HeaderMap::new();
    for sender in providers::ALL.iter().copied().filter(|sender| sender.info().id != "hubspot") {
        let (kind, header) = refusal(sender, &headers);
        assert_eq!((kind, header), (ErrorKind::MissingHeader, Some(sender.info().headers[0])));
    }
}

/// Errors name the sender; a message names the header, or says that it may be any.
#[test]
fn errors_name_the_sender() {
    let headers = HeaderMap::new();
    for sender in providers::ALL.iter().copied() {
        let verifier = Verifier::builder(sender).secret(testing::SECRET).build().unwrap();
        let delivery = Delivery::new(&headers, b"{}").with_method(&Method::POST).with_url("/");
        let error = verifier.verify_at(&delivery, NOW).unwrap_err();
        assert_eq!(error.provider(), sender.info().id);
        assert!(error.to_string().starts_with(&format!("{}: ", sender.info().id)), "{error}");
        let config = Verifier::builder(sender).secret("").build().unwrap_err();
        assert_eq!(config.provider(), Some(sender.info().id));
    }
    let error = Error::new(ErrorKind::BadEncoding, "example");
    assert!(error.to_string().contains("no signature in a signature header can"), "{error}");
    let error = error.with_header("x-signature");
    assert!(error.to_string().contains("no signature in header `x-signature` can"), "{error}");
}

#[test]
fn words_of_tables() {
    assert_eq!(Algorithm::HmacSha256.as_str(), "HMAC-SHA256");
    assert_eq!(Algorithm::HmacSha512.as_str(), "HMAC-SHA512");
    assert_eq!(Algorithm::Sha256.as_str(), "SHA-256 over secret and message");
    assert_eq!((Encoding::Base64.as_str(), Encoding::Hex.as_str()), ("base64", "hex"));
    for (coverage, word) in [
        (Coverage::BodyAndTarget, "body-and-target"),
        (Coverage::Body, "body"),
        (Coverage::Fields, "fields"),
        (Coverage::Checksum, "checksum"),
        (Coverage::Credential, "credential"),
    ] {
        assert_eq!((coverage.as_str(), coverage.to_string().as_str()), (word, word));
        assert_eq!(serde_json::to_string(&coverage).unwrap(), format!("\"{word}\""));
    }
    for (trust, word) in [
        (Trust::Composite, "composite"),
        (Trust::Content, "content"),
        (Trust::SignedBody, "signed-body"),
        (Trust::SignedHeader, "signed-header"),
        (Trust::UnsignedBody, "unsigned-body"),
        (Trust::UnsignedHeader, "unsigned-header"),
    ] {
        assert_eq!(trust.as_str(), word);
    }
    for (confirmation, word, confirmed) in [
        (Confirmation::VendorExample, "vendor-example", true),
        (Confirmation::VendorLibrary, "vendor-library", true),
        (Confirmation::VendorSource, "vendor-source", true),
        (Confirmation::Documentation, "documentation", false),
        (Confirmation::None, "none", false),
    ] {
        assert_eq!((confirmation.as_str(), confirmation.is_confirmed()), (word, confirmed));
    }
    let time = SignedTime::new(1_700_000_000_123, TimeUnit::Millis);
    assert_eq!((time.value(), time.unit()), (1_700_000_000_123, TimeUnit::Millis));
    assert_eq!(time.to_unix_time(), UnixTime::from_millis(1_700_000_000_123));
}

/// What was signed tells its target; a test delivery that cannot be made says why.
#[test]
fn what_was_signed_tells_its_target() {
    let signer = Signer::builder(&providers::HUBSPOT).secret("a").build().unwrap();
    let outgoing = Outgoing::new(b"[]").with_method(&Method::PUT).with_url(ESCAPED);
    let signed = signer.sign(&outgoing, NOW).unwrap();
    assert_eq!((signed.method(), signed.url()), (&Method::PUT, Some(ESCAPED)));
    let config = testing::Sender::new(&providers::GITHUB).secret("").send(b"{}").unwrap_err();
    assert!(config.to_string().starts_with("github: the secret is blank"), "{config}");
    let refused = testing::SendError::from(Error::new(ErrorKind::SignatureMismatch, "example"));
    assert!(refused.to_string().starts_with("example: no signature matches"), "{refused}");
}

/// What is no text at all is said to be none.
#[test]
fn a_secret_is_read_from_a_text() {
    let error = serde_json::from_str::<Secret>("null").unwrap_err().to_string();
    assert!(error.contains("expected a secret as text"), "{error}");
}

/// The message names the option as the sender spells it.
#[test]
fn an_option_given_twice_is_named() {
    let builder = Verifier::builder(&providers::HUBSPOT).secret("secret");
    let error = builder.option("versions", "v3").option("versions", "v1").build().unwrap_err();
    assert_eq!(error.kind(), ConfigErrorKind::BadOption);
    assert!(error.to_string().contains("`versions`"), "{error}");
}

/// What is printed of a session says that there is one, and nothing of the request.
#[test]
fn a_session_prints_its_name() {
    let session = Session::done(Evidence::new(Coverage::Body));
    assert_eq!(format!("{session:?}"), "Session { .. }");
}

/// What is printed names the thing and what is public of it.
#[test]
fn debug_output_names_what_it_is() {
    let secret = Secret::new("example").unwrap().with_id("2026");
    assert_eq!(format!("{secret:?}"), "Secret { id: Some(\"2026\"), .. }");
    let verifier = Verifier::builder(&providers::GITHUB).key(secret).build().unwrap();
    let shown = "Verifier { provider: \"github\", freshness: Within(300s), .. }";
    assert_eq!(format!("{verifier:?}"), shown);
    let headers = one("x-hub-signature-256", &format!("sha256={}", "0".repeat(64)));
    let head = Head::new(&headers);
    let stream = verifier.streaming().unwrap().begin(head).unwrap();
    assert_eq!(format!("{stream:?}"), format!("Stream {{ verifier: {shown}, .. }}"));
    let collector = verifier.collect(head, 7).unwrap();
    let expected = format!("Collector {{ verifier: {shown}, limit: 7, length: 0, .. }}");
    assert_eq!(format!("{collector:?}"), expected);
    let signer = Signer::builder(&providers::GITHUB).secret("example").build().unwrap();
    assert_eq!(format!("{signer:?}"), "Signer { provider: \"github\", .. }");
    let delivery = Delivery::new(&headers, b"{}").with_method(&Method::PUT);
    let shown = "Head { headers: [\"x-hub-signature-256\"], method: Some(PUT), url: None }";
    assert_eq!(format!("{:?}", delivery.head()), shown);
    let expected = format!("Delivery {{ head: {shown}, body_length: 2, .. }}");
    assert_eq!(format!("{delivery:?}"), expected);
    let kinds =
        [ConfigErrorKind::BadSecret, ConfigErrorKind::BadOption, ConfigErrorKind::Unsupported];
    assert_eq!(kinds.map(|kind| kind.to_string()), ["bad-secret", "bad-option", "unsupported"]);
}

/// What is printed of events is what they say, and nothing of the body.
#[test]
fn debug_output_of_events() {
    let sent = testing::Sender::new(&providers::STRIPE)
        .send(
            br#"{"id":"evt_1","type":"invoice.paid","created":7,"data":{"object":{"id":"in_1"}}}"#,
        )
        .unwrap();
    let owned = sent.verified();
    let shown = format!("{owned:?}");
    let evidence = shown.strip_prefix("VerifiedBuf ").unwrap();
    assert!(evidence.starts_with("{ provider: \"stripe\", evidence: Evidence {"), "{shown}");
    assert!(evidence.ends_with(", .. }") && !evidence.contains("evt_1"), "{shown}");
    let verified = owned.as_verified();
    assert_eq!(format!("{verified:?}"), format!("Verified {evidence}"));
    assert_eq!(owned.headers(), verified.headers());
    assert!(owned.headers().contains_key("stripe-signature"));
    let verifier = Verifier::builder(&providers::STRIPE).secret(testing::SECRET).build().unwrap();
    let mut stream = verifier.streaming().unwrap().begin(Head::new(owned.headers())).unwrap();
    stream.update(owned.body());
    let streamed = stream.finish(NOW).unwrap();
    assert_eq!(format!("{streamed:?}"), format!("VerifiedStream {evidence}"));
    let kinds = [
        EventErrorKind::MalformedBody,
        EventErrorKind::MissingField,
        EventErrorKind::RepeatedField,
        EventErrorKind::IdMismatch,
    ];
    let words = ["malformed-body", "missing-field", "repeated-field", "id-mismatch"];
    assert_eq!(kinds.map(|kind| kind.to_string()), words);
    let mut events = verified.events().unwrap();
    assert_eq!(format!("{events:?}"), "Events { left: 1, .. }");
    let event = events.next().unwrap().unwrap();
    assert_eq!(
        format!("{event:?}"),
        "Event { key: Some(\"stripe/evt_1\"), kind: Some(\"invoice.paid\"), subject: Some(\"in_1\"), \
         order: Some(Order { value: 7, unit: Seconds }), .. }"
    );
}

/// HubSpot's v1 signs no target, so none is needed to make one; the others need it.
#[test]
fn only_what_signs_a_target_needs_one_to_sign() {
    for (versions, needed) in [("v1", false), ("v2", true), ("v3", true), ("v1,v3", true)] {
        let signer = Signer::builder(&providers::HUBSPOT).secret("a").option("versions", versions);
        let signed = signer.build().unwrap().sign(&Outgoing::new(b"[]"), NOW);
        assert_eq!(signed.is_err(), needed, "{versions}");
    }
}
