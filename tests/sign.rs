//! What is signed here is accepted here, and nothing else is.

#![cfg(feature = "sign")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use hookproof::{
    Delivery, ErrorKind, Outgoing, Provider, Signed, Signer, UnixTime, Verifier, providers, testing,
};
use http::{HeaderMap, HeaderValue, Method};

const NOW: UnixTime = UnixTime::from_millis(1_700_000_000_123);
const SECRET: &str = testing::SECRET;
const OTHER: &str = "whsec_YW5vdGhlci10ZXN0LXNlY3JldA==";
const URL: &str = "https://example.com/hooks?a=1&b=%3A";
const BODY: &[u8] = b"{\"id\":\"evt_1\",\"text\":\"\xff\x00\"}";

type Options = Vec<(&'static str, &'static str)>;

/// Every sender with every option that changes what is signed.
fn senders() -> Vec<(&'static dyn Provider, Options)> {
    let mut senders: Vec<_> = providers::ALL.iter().map(|sender| (*sender, vec![])).collect();
    senders.push((&providers::SHOPIFY, vec![("headers", "events")]));
    for versions in ["v1", "v2", "v1,v2", "v1,v3", "v1,v2,v3"] {
        senders.push((&providers::HUBSPOT, vec![("versions", versions)]));
    }
    #[cfg(feature = "sha1")]
    senders.push((&hookproof::dangerous::GITHUB_SHA1, vec![]));
    senders
}

fn signer(sender: &'static dyn Provider, secrets: &[&str], options: &[(&str, &str)]) -> Signer {
    let builder =
        secrets.iter().fold(Signer::builder(sender), |builder, secret| builder.secret(secret));
    options
        .iter()
        .fold(builder, |builder, (name, value)| builder.option(name, value))
        .build()
        .unwrap()
}

fn verifier(sender: &'static dyn Provider, secrets: &[&str], options: &[(&str, &str)]) -> Verifier {
    let builder =
        secrets.iter().fold(Verifier::builder(sender), |builder, secret| builder.secret(secret));
    options
        .iter()
        .fold(builder, |builder, (name, value)| builder.option(name, value))
        .build()
        .unwrap()
}

fn sign(sender: &'static dyn Provider, secrets: &[&str], options: &[(&str, &str)]) -> Signed {
    let outgoing = Outgoing::new(BODY).with_method(&Method::POST).with_url(URL).with_id("msg_1");
    signer(sender, secrets, options).sign(&outgoing, NOW).unwrap()
}

#[test]
fn signed_is_accepted_and_every_changed_byte_refused() {
    for (sender, options) in senders() {
        let id = sender.info().id;
        let signed = sign(sender, &[SECRET], &options);
        let verifier = verifier(sender, &[SECRET], &options);
        let verified = verifier
            .verify_at(&signed.delivery(), NOW)
            .unwrap_or_else(|error| panic!("{id} {options:?}: {error}"));
        let covers_target = verified.coverage() == hookproof::Coverage::BodyAndTarget;

        for at in 0..BODY.len() {
            let mut body = BODY.to_vec();
            body[at] ^= 0x20;
            let delivery = Delivery::from_parts(signed.delivery().head(), &body);
            assert_eq!(
                verifier.verify_at(&delivery, NOW).unwrap_err().kind(),
                ErrorKind::SignatureMismatch,
                "{id}: byte {at} of the body"
            );
        }
        for at in (0..URL.len()).filter(|_| covers_target) {
            let mut url = URL.as_bytes().to_vec();
            url[at] = if url[at] == b'x' { b'y' } else { b'x' };
            let url = String::from_utf8(url).unwrap();
            let delivery = signed.delivery().with_url(&url);
            assert!(verifier.verify_at(&delivery, NOW).is_err(), "{id}: byte {at} of the URL");
        }
        every_changed_header_byte_is_refused(id, &signed, &verifier);
    }
}

/// Replaces each byte of each header that is read by each of several others. What stays acceptable is listed: the case
/// of a hex digit, and a header that the sender's other versions would read.
fn every_changed_header_byte_is_refused(id: &str, signed: &Signed, verifier: &Verifier) {
    let read = verifier.provider().info().headers;
    for name in read.iter().copied().filter(|name| signed.headers().contains_key(*name)) {
        let older_beside_v3 = id == "hubspot"
            && signed.headers().contains_key("x-hubspot-signature-v3")
            && name.starts_with("x-hubspot-signature")
            && !name.ends_with("v3");
        if older_beside_v3 {
            continue;
        }
        let value = signed.headers()[name].as_bytes().to_vec();
        for at in 0..value.len() {
            for replacement in
                [b'0', b'1', b'a', b'B', b'=', b',', b' ', b'.', b'~', value[at] ^ 0x20]
            {
                let is_case = value[at].is_ascii_alphabetic() && replacement == value[at] ^ 0x20;
                let is_hex = matches!(verifier.provider().info().encoding, "hex")
                    || name == "x-hubspot-signature";
                if replacement == value[at]
                    || !(0x20..0x7f).contains(&replacement)
                    || (is_case && is_hex && value[at].is_ascii_hexdigit())
                {
                    continue;
                }
                let mut changed = value.clone();
                changed[at] = replacement;
                let Ok(changed) = HeaderValue::from_bytes(&changed) else { continue };
                let mut headers: HeaderMap = signed.headers().clone();
                headers.insert(name, changed);
                let delivery =
                    Delivery::new(&headers, BODY).with_method(signed.method()).with_url(URL);
                assert!(
                    verifier.verify_at(&delivery, NOW).is_err(),
                    "{id}: byte {at} of {name} replaced by {}",
                    char::from(replacement)
                );
            }
        }
    }
}

#[test]
fn rotation_signs_with_every_secret_where_the_sender_does() {
    for (sender, options) in senders() {
        let id = sender.info().id;
        let signed = sign(sender, &[OTHER, SECRET], &options);
        let first = verifier(sender, &[OTHER], &options).verify_at(&signed.delivery(), NOW);
        assert!(first.is_ok(), "{id}: the first secret signs");
        let second = verifier(sender, &[SECRET], &options).verify_at(&signed.delivery(), NOW);
        let several =
            matches!(id, "stripe" | "calendly" | "paymos" | "anyhook" | "standard-webhooks");
        assert_eq!(second.is_ok(), several, "{id}: the second secret");
        let both = verifier(sender, &[SECRET, OTHER], &options);
        let verified = both.verify_at(&signed.delivery(), NOW).unwrap();
        assert_eq!(verified.key(), usize::from(!several), "{id}: the lowest key that matched");
    }
}

#[test]
fn test_deliveries_come_with_a_proof() {
    for (sender, options) in senders() {
        let sent = options
            .iter()
            .fold(testing::Sender::new(sender), |sent, (name, value)| sent.option(name, value))
            .send(BODY)
            .unwrap();
        assert_eq!(sent.verified().body(), BODY);
        assert_eq!(sent.verified().as_verified().provider().info().id, sender.info().id);
        assert_eq!(sent.clone().into_request().body(), BODY);
        let signs_time = sender.info().tolerance.is_some()
            && !options.iter().any(|(_, value)| ["v1", "v2", "v1,v2"].contains(value));
        assert_eq!(
            sent.verified().signed_at(),
            signs_time.then_some(testing::NOW),
            "{}",
            sender.info().id
        );
    }
}

#[test]
fn a_missing_target_is_the_callers_fault() {
    let error =
        signer(&providers::HUBSPOT, &[SECRET], &[]).sign(&Outgoing::new(BODY), NOW).unwrap_err();
    assert!(error.to_string().contains("URL"));
    let bad_id = Outgoing::new(BODY).with_id("line\nbreak");
    let error =
        signer(&providers::STANDARD_WEBHOOKS, &[SECRET], &[]).sign(&bad_id, NOW).unwrap_err();
    assert!(error.to_string().contains("header"));
    let signer = signer(&providers::STANDARD_WEBHOOKS, &[SECRET], &[]);
    for id in ["", " ", "a ", "\ta", &"x".repeat(8193)] {
        let error = signer.sign(&Outgoing::new(BODY).with_id(id), NOW).unwrap_err();
        assert!(error.to_string().contains("header"), "{id:?}");
    }
    assert!(signer.sign(&Outgoing::new(BODY).with_id(&"x".repeat(8192)), NOW).is_ok());
}

#[test]
fn a_time_of_twenty_digits_is_the_callers_fault() {
    let outgoing = Outgoing::new(BODY).with_url(URL);
    let signer = signer(&providers::HUBSPOT, &[SECRET], &[]);
    let last = UnixTime::from_millis(9_999_999_999_999_999_999);
    assert!(signer.sign(&outgoing, last).is_ok());
    let error =
        signer.sign(&outgoing, UnixTime::from_millis(10_000_000_000_000_000_000)).unwrap_err();
    assert!(error.to_string().contains("digits"));
}
