//! What mutation testing found no other test for.

#![cfg(all(feature = "events", feature = "sign"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::type_complexity,
    reason = "a test fails by panicking"
)]

use std::time::Duration;

use hookproof::{
    Algorithm, ConfigErrorKind, Coverage, Delivery, Document, Encoding, ErrorKind, Evidence,
    Family, Field, Grammar, Head, Identity, Info, Outgoing, Part, Presence, Provider, Scheme,
    SchemeBuilder, Secret, Session, SignedTime, Signer, TimeSource, TimeUnit, UnixTime, Verifier,
    providers, testing,
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
    let time = SignedTime::new(1_700_000_000_123, TimeUnit::Millis);
    assert_eq!((time.value(), time.unit()), (1_700_000_000_123, TimeUnit::Millis));
    assert_eq!(time.to_unix_time(), UnixTime::from_millis(1_700_000_000_123));
}

#[test]
fn records_say_whether_they_take_several_signatures() {
    let pairs = Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] };
    let list = Grammar::List { separator: b' ', version: "v1" };
    for (grammar, several) in
        [(Grammar::Whole, false), (Grammar::Prefixed("v0="), false), (pairs, true), (list, true)]
    {
        assert_eq!(grammar.takes_several(), several, "{grammar:?}");
    }
    let several: Vec<_> = providers::ALL
        .iter()
        .filter(|sender| sender.info().several_signatures)
        .map(|sender| sender.info().id)
        .collect();
    assert_eq!(several, ["anyhook", "calendly", "paymos", "standard-webhooks", "stripe"]);
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

/// The checks of a record, which [`SchemeBuilder::build`] makes at compile time; here at run time.
#[test]
fn records_that_make_no_sense_are_refused() {
    let refusals: &[(&str, fn() -> SchemeBuilder)] = &[
        ("the body must be signed, exactly once", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Body, Part::Body] })
        }),
        ("the id is not lower-case letters, digits and hyphens", || {
            Scheme::hmac_sha256("", "Example").families(const { &[Family::new("x-signature")] })
        }),
        ("a literal part is empty", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Literal(""), Part::Body] })
        }),
        ("a header's name is not lower case, or not a header's name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("X-Signature")] })
        }),
        ("a header's name is not lower case, or not a header's name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x signature")] })
        }),
        ("a signed id and the families' id headers go together", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature").with_id("x-id")] })
        }),
        ("a time in a header and the families' timestamp headers go together", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature").with_timestamp("x-timestamp")] })
        }),
        ("a header's name is not lower case, or not a header's name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature").with_id("X-Id")] })
                .message(const { &[Part::Id, Part::Body] })
        }),
        ("the id is not lower-case letters, digits and hyphens", || {
            Scheme::hmac_sha256("Example", "Example")
                .families(const { &[Family::new("x-signature")] })
        }),
        ("a signed id and the families' id headers go together", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Id, Part::Body] })
        }),
        ("a list needs a version", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::List { separator: b' ', version: "" })
        }),
        ("the body must be signed, exactly once", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Literal("fixed")] })
        }),
        ("a sender has one or two families of headers", || {
            Scheme::hmac_sha256("example", "Example")
        }),
        ("an option of presence needs two families", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-a").with_label("a")] })
                .presence(Presence::EveryPresent { option: "headers" })
        }),
        ("families chosen by an option need labels and share no time", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-a"), Family::new("x-b")] })
                .presence(Presence::EveryPresent { option: "headers" })
        }),
        ("families that are all read cannot each have a time", || {
            Scheme::hmac_sha256("example", "Example").families(const { &[Family::new("x-a").with_label("a"), Family::new("x-b").with_label("b")] }).presence(Presence::EveryPresent { option: "headers" }).grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] }).message(const { &[Part::Timestamp, Part::Body] }).time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a key of signatures is empty or the key of the time", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["t"] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("pairs need the key of the time and a key of signatures", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &[] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a grammar of pairs and a time in it go together", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] })
        }),
        ("a prefix is a word", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Prefixed("sha256"))
        }),
        ("a prefix is a word", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Prefixed("="))
        }),
        ("a time is read if and only if it is signed", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Timestamp, Part::Body] })
        }),
        ("a sender has one or two families of headers", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-a"), Family::new("x-b"), Family::new("x-c")] })
        }),
        ("a header's name is not lower case, or not a header's name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature").with_timestamp("X-Timestamp")] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a grammar of pairs and a time in it go together", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a time is read if and only if it is signed", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] })
                .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("families chosen by an option need labels and share no time", || {
            Scheme::hmac_sha256("example", "Example")
                .families(
                    const {
                        &[
                            Family::new("x-a").with_label("a").with_timestamp("x-at"),
                            Family::new("x-b").with_label("b").with_timestamp("x-bt"),
                        ]
                    },
                )
                .presence(Presence::EveryPresent { option: "headers" })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a time in a header and the families' timestamp headers go together", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a message has too many parts", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .message(
                    const {
                        &[
                            Part::Body,
                            Part::Literal("."),
                            Part::Literal("."),
                            Part::Literal("."),
                            Part::Literal("."),
                            Part::Literal("."),
                            Part::Literal("."),
                            Part::Literal("."),
                            Part::Literal("."),
                        ]
                    },
                )
        }),
        ("an empty prefix refuses every secret", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .refuse_keys(const { &[""] })
        }),
        ("two headers of a record have one name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature"), Family::new("x-signature")] })
        }),
        ("a key or a version is a word of at most 16 bytes", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1=x"] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("the labels of families are unlike each other and unlike `any`", || {
            Scheme::hmac_sha256("example", "Example").families(const { &[Family::new("x-a").with_label("any"), Family::new("x-b").with_label("b")] }).presence(Presence::EveryPresent { option: "headers" })
        }),
        ("the labels of families are unlike each other and unlike `any`", || {
            Scheme::hmac_sha256("example", "Example").families(const { &[Family::new("x-a").with_label("a"), Family::new("x-b").with_label("a")] }).presence(Presence::EveryPresent { option: "headers" })
        }),
        ("the name is empty", || {
            Scheme::hmac_sha256("example", "").families(const { &[Family::new("x-signature")] })
        }),
        ("two headers of a record have one name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature").with_timestamp("x-signature")] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a prefix is a word", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Prefixed("sha 256="))
        }),
        ("a prefix is a word", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Prefixed("a-word-that-is-too-long="))
        }),
        ("a separator cannot be told from what it separates", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b'=', time: "t", signatures: &["v1"] })
                .message(const { &[Part::Timestamp, Part::Body] })
                .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
        }),
        ("a separator cannot be told from what it separates", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::List { separator: b',', version: "v1" })
        }),
        ("a key or a version is a word of at most 16 bytes", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::List { separator: b' ', version: "v1,x" })
        }),
        ("a separator", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::List { separator: b'-', version: "v1" })
        }),
        ("two headers of a record have one name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature").with_id("x-signature")] })
                .message(&[Part::Id, Part::Body])
        }),
        ("two headers of a record have one name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-a").with_id("x-id"), Family::new("x-b").with_id("x-id")] })
                .message(&[Part::Id, Part::Body])
        }),
        ("two headers of a record have one name", || {
            Scheme::hmac_sha256("example", "Example")
                .families(
                    const {
                        &[
                            Family::new("x-a").with_timestamp("x-t"),
                            Family::new("x-b").with_timestamp("x-t"),
                        ]
                    },
                )
                .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(1))
                .message(&[Part::Timestamp, Part::Body])
        }),
        ("an empty prefix refuses every secret", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .refuse_keys(&["sk_", ""])
        }),
        ("a key or a version", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t t", signatures: &["v1"] })
        }),
        ("a key or a version", || {
            Scheme::hmac_sha256("example", "Example")
                .families(const { &[Family::new("x-signature")] })
                .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1", "v.2"] })
        }),
    ];
    for (index, (message, record)) in refusals.iter().enumerate() {
        let panic = std::panic::catch_unwind(|| record().build()).unwrap_err();
        let found = panic.downcast_ref::<&str>().copied().unwrap_or_default();
        assert!(found.contains(message), "{index}: expected `{message}`, found `{found}`");
    }
}

/// What is at the limits of these checks is allowed.
#[test]
fn records_at_the_limits_are_allowed() {
    const DOT: Part = Part::Literal(".");
    let example = || Scheme::hmac_sha256("example-1", "Example");
    let _ = example()
        .families(
            const { &[Family::new("x-a_1").with_label("a"), Family::new("x-b-2").with_label("b")] },
        )
        .presence(Presence::EveryPresent { option: "headers" })
        .build();
    let _ = example()
        .families(
            const {
                &[
                    Family::new("x-a").with_timestamp("x-at"),
                    Family::new("x-b").with_timestamp("x-bt"),
                ]
            },
        )
        .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(1))
        .message(&[Part::Timestamp, DOT, Part::Body, DOT, Part::Method, DOT, Part::Url, DOT])
        .build();
    let _ = example()
        .families(const { &[Family::new("x-a")] })
        .grammar(Grammar::Prefixed("v="))
        .refuse_keys(&["sk_", "pk_"])
        .build();
    let _ = example()
        .families(const { &[Family::new("x-a")] })
        .grammar(Grammar::Prefixed("A-word_of_16-byt="))
        .build();
    let _ = example()
        .families(const { &[Family::new("x-a")] })
        .grammar(Grammar::Pairs { separator: b';', time: "ts", signatures: &["t", "h1"] })
        .message(&[Part::Timestamp, Part::Body])
        .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(1))
        .build();
}

/// Facts given late leave what the record itself says.
#[test]
fn facts_leave_name_and_identity() {
    let mut facts = Info::new("other", "Other");
    facts.retrieved = "2026-11-30";
    let identity = Identity::new(Document::Json, const { &[Field::body("id")] });
    let record = Scheme::hmac_sha256("example", "Example")
        .families(const { &[Family::new("x-a")] })
        .identity(identity)
        .facts(facts)
        .build();
    let info = record.info();
    assert_eq!((info.id, info.name, info.retrieved), ("example", "Example", "2026-11-30"));
    assert!(info.identity.is_some());
    for sender in providers::ALL {
        assert!(!sender.info().name.is_empty() && sender.info().identity.is_some());
    }
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
}

/// The facts and identity rules of every sender are those of `tests/facts.txt`: a change of one shows in a review.
/// `UPDATE=1 cargo test --all-features --test mutants` rewrites the file.
#[test]
fn facts_are_as_recorded() {
    let mut facts = String::new();
    for sender in providers::ALL {
        facts += &format!("{:#?}\n", sender.info());
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/facts.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &facts).unwrap();
    }
    let recorded = std::fs::read_to_string(path).unwrap();
    let first = recorded.lines().zip(facts.lines()).position(|(left, right)| left != right);
    let line = first.unwrap_or_else(|| recorded.lines().count().min(facts.lines().count())) + 1;
    assert!(
        recorded == facts,
        "the facts are no longer those of tests/facts.txt, from line {line} on; if that is meant, run \
         `UPDATE=1 cargo test --all-features --test mutants`"
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
