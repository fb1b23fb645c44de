//! The vectors of handshakes against `handshake`.

#![cfg(feature = "events")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::time::Duration;

use hookproof::handshake::{
    Answer, HandshakeError, HandshakeErrorKind, dropbox, github, meta, slack, twitch, xero, zoom,
};
use hookproof::{
    Coverage, Delivery, Encoding, Error, Evidence, Family, Grammar, Part, Provider, Scheme, Secret,
    TimeSource, TimeUnit, UnixTime, Verified, Verifier, providers,
};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;

const VECTORS: &str = include_str!("../conformance-vectors/handshakes/handshakes.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct File {
    schema: String,
    number_of_tests: usize,
    notes: BTreeMap<String, serde_json::Value>,
    test_groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    handshake: String,
    #[serde(rename = "source")]
    _source: serde_json::Value,
    secrets: Vec<String>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Test {
    tc_id: String,
    #[serde(rename = "comment")]
    _comment: String,
    flags: Vec<String>,
    now_ms: u64,
    method: String,
    query: Option<String>,
    headers: Vec<(String, String)>,
    body: String,
    result: String,
    reason: Option<String>,
    status: Option<u16>,
    content_type: Option<String>,
    answer: Option<String>,
}

// The senders whose modules are still to come, as records.

const fn v0(scheme: hookproof::SchemeBuilder, family: &'static [Family]) -> Scheme {
    scheme
        .families(family)
        .grammar(Grammar::Prefixed("v0="))
        .encoding(Encoding::Hex)
        .message(&[Part::Literal("v0:"), Part::Timestamp, Part::Literal(":"), Part::Body])
        .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(300))
        .build()
}

static SLACK: Scheme = v0(
    Scheme::hmac_sha256("slack", "Slack"),
    &[Family::new("x-slack-signature").with_timestamp("x-slack-request-timestamp")],
);

static ZOOM: Scheme = v0(
    Scheme::hmac_sha256("zoom", "Zoom"),
    &[Family::new("x-zm-signature").with_timestamp("x-zm-request-timestamp")],
);

/// Id and time as the one header that `joined` makes of them: no record reads RFC 3339 yet, and no vector is about it.
static TWITCH: Scheme = Scheme::hmac_sha256("twitch", "Twitch")
    .families(&[Family::new("twitch-eventsub-message-signature").with_id("x-joined")])
    .grammar(Grammar::Prefixed("sha256="))
    .encoding(Encoding::Hex)
    .message(&[Part::Id, Part::Body])
    .build();

static XERO: Scheme = Scheme::hmac_sha256("xero", "Xero")
    .families(&[Family::new("x-xero-signature")])
    .grammar(Grammar::Whole)
    .encoding(Encoding::Base64)
    .message(&[Part::Body])
    .build();

fn verifier(sender: &'static dyn Provider, secrets: &[String]) -> Verifier {
    let mut builder = Verifier::builder(sender).secret(&secrets[0]);
    for previous in &secrets[1..] {
        builder = builder.previous(previous);
    }
    builder.build().unwrap()
}

fn headers(test: &Test) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in &test.headers {
        headers.append(
            HeaderName::from_bytes(name.as_bytes()).unwrap(),
            HeaderValue::from_str(value).unwrap(),
        );
    }
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    let id = text("twitch-eventsub-message-id");
    if let (Some(id), Some(time)) = (id, text("twitch-eventsub-message-timestamp")) {
        headers.insert("x-joined", format!("{id}{time}").parse().unwrap());
    }
    headers
}

/// What came of a request, in the words of the vectors.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Answer { status: u16, content_type: Option<String>, body: Vec<u8> },
    PassOn,
    Refuse { reason: String, status: u16 },
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Self {
        let outcome = Self::Answer {
            status: answer.status().as_u16(),
            content_type: answer.content_type().map(ToOwned::to_owned),
            body: answer.body().to_vec(),
        };
        // What a server sends says the same as the data.
        let response = answer.into_response();
        let header =
            |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(header("content-length"), Some(response.body().len().to_string()));
        let nosniff = header("x-content-type-options").is_some_and(|value| value == "nosniff");
        assert_eq!(nosniff, !response.body().is_empty());
        let sent = Self::Answer {
            status: response.status().as_u16(),
            content_type: header("content-type"),
            body: response.body().to_vec(),
        };
        assert_eq!(outcome, sent);
        outcome
    }
}

impl From<HandshakeError> for Outcome {
    fn from(error: HandshakeError) -> Self {
        Self::Refuse { reason: error.kind().to_string(), status: error.status().as_u16() }
    }
}

impl From<Result<Option<Answer>, HandshakeError>> for Outcome {
    fn from(result: Result<Option<Answer>, HandshakeError>) -> Self {
        match result {
            Ok(Some(answer)) => answer.into(),
            Ok(None) => Self::PassOn,
            Err(error) => error.into(),
        }
    }
}

fn get(result: Result<Answer, HandshakeError>) -> Outcome {
    result.map_or_else(Outcome::from, Outcome::from)
}

fn unverified(error: Error) -> Outcome {
    Outcome::Refuse { reason: "unverified".to_owned(), status: error.status().as_u16() }
}

fn outcome(group: &Group, test: &Test) -> Outcome {
    let query = test.query.as_deref().unwrap_or_default();
    let sender: &'static dyn Provider = match group.handshake.as_str() {
        "dropbox-challenge" => return get(dropbox::challenge(query)),
        "meta-subscribe" => {
            return get(meta::subscribe(query, &Secret::new(&group.secrets[0]).unwrap()));
        }
        "github-ping" => &providers::GITHUB,
        "slack-url-verification" => &SLACK,
        "twitch-callback-verification" => &TWITCH,
        "xero-intent-to-receive" => &XERO,
        "zoom-url-validation" => &ZOOM,
        other => panic!("no function for {other}"),
    };
    let verifier = verifier(sender, &group.secrets);
    let headers = headers(test);
    let delivery = Delivery::new(&headers, test.body.as_bytes());
    let verdict = verifier.verify_at(&delivery, UnixTime::from_millis(test.now_ms));
    if group.handshake == "xero-intent-to-receive" {
        let answer = xero::intent_to_receive(&verdict);
        return match (verdict, answer) {
            (Err(error), Some(answer)) => {
                assert_eq!((answer.status(), answer.body().len()), (error.status(), 0));
                unverified(error)
            }
            (Err(_), None) => panic!("{}: a wrong delivery for the handler", test.tc_id),
            (Ok(_), answer) => answer.map_or(Outcome::PassOn, Outcome::from),
        };
    }
    let verified = match verdict {
        Ok(verified) => verified,
        Err(error) => return unverified(error),
    };
    Outcome::from(match group.handshake.as_str() {
        "github-ping" => github::ping(&verified),
        "slack-url-verification" => slack::url_verification(&verified),
        "twitch-callback-verification" => twitch::callback_verification(&verified),
        _ => {
            let secrets: Vec<Secret> =
                group.secrets.iter().map(|secret| Secret::new(secret).unwrap()).collect();
            zoom::url_validation(&verified, &secrets)
        }
    })
}

fn expected(test: &Test) -> Outcome {
    match test.result.as_str() {
        "answer" => Outcome::Answer {
            status: test.status.unwrap(),
            content_type: test.content_type.clone(),
            body: test.answer.clone().unwrap().into_bytes(),
        },
        "pass-on" => Outcome::PassOn,
        "refuse" => {
            Outcome::Refuse { reason: test.reason.clone().unwrap(), status: test.status.unwrap() }
        }
        other => panic!("{other} is no result"),
    }
}

#[test]
fn every_vector_is_answered_as_it_says() {
    let file: File = serde_json::from_str(VECTORS).unwrap();
    assert_eq!(file.schema, "../schema/handshakes-v1.json");
    let mut faults = Vec::new();
    let mut count = 0;
    for group in &file.test_groups {
        for test in &group.tests {
            count += 1;
            assert!(test.flags.iter().all(|flag| file.notes.contains_key(flag)), "{}", test.tc_id);
            assert_eq!(test.method == "GET", test.query.is_some(), "{}", test.tc_id);
            let (found, wanted) = (outcome(group, test), expected(test));
            if found != wanted {
                faults.push(format!("{}: expected {wanted:?}, got {found:?}", test.tc_id));
            }
        }
    }
    assert_eq!(count, file.number_of_tests);
    assert!(faults.is_empty(), "{} differ:\n{}", faults.len(), faults.join("\n"));
}

/// A sender that proves a credential and nothing of the body.
#[derive(Debug)]
struct Credential;

impl Provider for Credential {
    fn info(&self) -> &hookproof::Info {
        const INFO: hookproof::Info = hookproof::Info::new("credential", "Credential");
        &INFO
    }

    fn prepare(
        &self,
        _: &hookproof::Setup<'_>,
    ) -> Result<Box<dyn hookproof::Checker>, hookproof::ConfigError> {
        Ok(Box::new(Self))
    }
}

impl hookproof::Checker for Credential {
    fn begin<'h>(&'h self, _: hookproof::Head<'h>) -> Result<hookproof::Session<'h>, Error> {
        Ok(hookproof::Session::done(Evidence::new(Coverage::Credential)))
    }

    fn needs(&self) -> hookproof::Needs {
        hookproof::Needs::NOTHING
    }
}

#[test]
fn a_proof_that_leaves_the_body_unsigned_answers_nothing() {
    let verifier = Verifier::builder(&Credential).secret("example").build().unwrap();
    let mut headers = HeaderMap::new();
    headers.insert("x-github-event", HeaderValue::from_static("ping"));
    let kind = HeaderValue::from_static("webhook_callback_verification");
    headers.insert("twitch-eventsub-message-type", kind);
    let body = br#"{"type":"url_verification","event":"endpoint.url_validation","challenge":"a","payload":{"plainToken":"a"},"zen":"a","hook_id":1,"events":[]}"#;
    let delivery = Delivery::new(&headers, body);
    let verdict = verifier.verify_at(&delivery, UnixTime::from_secs(0));
    assert_eq!(xero::intent_to_receive(&verdict), None);
    let verified: Verified<'_> = verdict.unwrap();
    let secrets = [Secret::new("example").unwrap()];
    for result in [
        github::ping(&verified),
        slack::url_verification(&verified),
        twitch::callback_verification(&verified),
        zoom::url_validation(&verified, &secrets),
    ] {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), HandshakeErrorKind::UnsignedBody);
        assert_eq!(error.status().as_u16(), 500);
    }
}

#[test]
fn a_secret_that_was_not_given_makes_no_answer() {
    let file: File = serde_json::from_str(VECTORS).unwrap();
    let group = file
        .test_groups
        .iter()
        .find(|group| group.handshake == "zoom-url-validation" && group.secrets.len() == 2);
    let test = &group.unwrap().tests[0];
    let verifier = verifier(&ZOOM, &group.unwrap().secrets);
    let headers = headers(test);
    let delivery = Delivery::new(&headers, test.body.as_bytes());
    let verified = verifier.verify_at(&delivery, UnixTime::from_millis(test.now_ms)).unwrap();
    assert_eq!(verified.key(), 1);
    let current = [Secret::new(&group.unwrap().secrets[0]).unwrap()];
    let error = zoom::url_validation(&verified, &current).unwrap_err();
    assert_eq!(error.kind(), HandshakeErrorKind::MissingSecret);
}
