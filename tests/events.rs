//! What events say beside the words of the vectors: trust, batches with one bad element, messages.

#![cfg(all(feature = "events", feature = "sign"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::time::Duration;

use hookproof::{
    Checker, ConfigError, Coverage, Delivery, Document, Error, Event, EventErrorKind, Evidence,
    Field, Head, Identity, Info, Needs, OrderUnit, Provider, Scheme, Session, Setup, Trust,
    Verified, Verifier, providers, testing, testing::Sender,
};
use http::{HeaderMap, HeaderValue};

fn with_events<T>(
    sender: &'static dyn Provider,
    body: &[u8],
    look: impl FnOnce(Vec<Event<'_>>) -> T,
) -> T {
    let sent = Sender::new(sender).id("id-1").send(body).unwrap();
    let verified = sent.verified().as_verified();
    look(verified.events().unwrap().map(Result::unwrap).collect())
}

#[test]
fn trust_is_said_of_each_value() {
    with_events(
        &providers::STRIPE,
        br#"{"id":"evt_1","type":"a","account":"acct_1","data":{"object":{"id":"x"}}}"#,
        |events| {
            let [event] = events.as_slice() else { panic!("one event") };
            assert_eq!(event.key_trust(), Trust::SignedBody);
            assert_eq!(
                (event.kind_trust(), event.tenant_trust()),
                (Some(Trust::SignedBody), Some(Trust::SignedBody))
            );
            assert_eq!(
                (event.tenant(), event.subject_trust()),
                (Some("acct_1"), Some(Trust::SignedBody))
            );
            assert_eq!(event.twin(), Some("stripe/x/a"));
        },
    );
    with_events(&providers::GITHUB, b"not json", |events| {
        let [event] = events.as_slice() else { panic!("one event") };
        assert_eq!(event.key(), Some("github/1/id-1"));
        assert_eq!(
            (event.key_trust(), event.kind_trust()),
            (Trust::UnsignedHeader, Some(Trust::UnsignedHeader))
        );
        assert_eq!(
            (event.subject(), event.subject_trust(), event.tenant_trust()),
            (None, None, None)
        );
    });
    with_events(
        &providers::SHOPIFY,
        br#"{"id":7,"updated_at":"2023-11-14T22:13:20Z"}"#,
        |events| {
            assert_eq!(events[0].subject(), Some("orders/7"));
            assert_eq!(events[0].subject_trust(), Some(Trust::UnsignedHeader));
            assert_eq!(events[0].tenant(), Some("example.myshopify.com"));
            let order = events[0].order().unwrap();
            assert_eq!(
                (order.value(), order.unit(), order.grain()),
                (1_700_000_000_000_000, OrderUnit::Micros, Duration::from_micros(1))
            );
        },
    );
    with_events(&providers::STANDARD_WEBHOOKS, b"{}", |events| {
        assert_eq!(
            (events[0].key(), events[0].key_trust()),
            (Some("standard-webhooks/id-1"), Trust::SignedHeader)
        );
    });
    with_events(
        &providers::CALCOM,
        br#"{"triggerEvent":"BOOKING_CREATED","payload":{"uid":"u"}}"#,
        |events| {
            assert_eq!(events[0].key_trust(), Trust::Composite);
        },
    );
}

#[test]
fn one_bad_element_neither_loses_nor_holds_back_its_batch() {
    let good = |id: u32| {
        format!(
            r#"{{"portalId":1,"subscriptionType":"contact.creation","objectId":{id},"occurredAt":5,"attemptNumber":{id}}}"#
        )
    };
    let body = format!("[{}, {{\"portalId\":1}}, 7, {}]", good(1), good(2));
    let sent = Sender::new(&providers::HUBSPOT).send(body.as_bytes()).unwrap();
    let events = sent.verified().events().unwrap();
    assert_eq!(events.len(), 4);
    let events: Vec<_> = events.collect();
    assert_eq!(events[0].as_ref().unwrap().raw(), good(1).as_bytes());
    assert_eq!(events[0].as_ref().unwrap().attempt(), Some(1));
    assert_eq!(events[3].as_ref().unwrap().subject(), Some("contact/2"));
    let retried = good(1).replace("\"attemptNumber\":1", "\"attemptNumber\":2");
    let retried = Sender::new(&providers::HUBSPOT).send(format!("[{retried}]").as_bytes()).unwrap();
    let retried = retried.verified().events().unwrap().next().unwrap().unwrap().content_digest();
    assert_eq!(events[0].as_ref().unwrap().content_digest(), retried);
    assert_ne!(events[3].as_ref().unwrap().content_digest(), retried);
    let missing = events[1].as_ref().unwrap_err();
    assert_eq!(
        (missing.kind(), missing.field(), missing.provider()),
        (EventErrorKind::MissingField, "subscriptionType", "hubspot")
    );
    let text = missing.to_string();
    assert!(text.starts_with("hubspot: the field `subscriptionType` is missing"), "{text}");
    assert_eq!(events[2].as_ref().unwrap_err().kind(), EventErrorKind::MalformedBody);

    let many = format!("[{}]", vec![good(1); 1001].join(","));
    let sent = Sender::new(&providers::HUBSPOT).send(many.as_bytes()).unwrap();
    let error = sent.verified().events().unwrap_err();
    assert!(error.to_string().contains("1,000"), "{error}");
}

/// A private sender with an identity of its own, and one without.
static PRIVATE: Scheme = Scheme::hmac_sha256("private", "Private")
    .families(&[hookproof::Family::new("x-private")])
    .identity(
        Identity::new(Document::Form, &[Field::body("order"), Field::header("x-try").optional()])
            .kind(Field::body("what")),
    )
    .build();
static NAMELESS: Scheme = Scheme::hmac_sha256("nameless", "Nameless")
    .families(&[hookproof::Family::new("x-nameless")])
    .build();

#[test]
fn private_senders_have_identities_too() {
    with_events(&PRIVATE, b"order=a+b&what=paid", |events| {
        assert_eq!((events[0].key(), events[0].kind()), (Some("private/a%20b/"), Some("paid")));
    });
    let sent = Sender::new(&NAMELESS).send(b"{}").unwrap();
    let verified: Verified<'_> = sent.verified().as_verified();
    assert_eq!(verified.events().unwrap_err().kind(), EventErrorKind::MalformedBody);
}

/// A private sender that accepts everything and says that this is covered.
#[derive(Debug)]
struct Covers(Coverage, Info);

impl Covers {
    const fn new(coverage: Coverage) -> Self {
        const KIND: Field = Field::family_header(&["x-kind"], Trust::UnsignedHeader);
        let mut info = Info::new("covers", "Covers");
        info.identity = Some(
            Identity::new(Document::Json, const { &[Field::body("id")] })
                .kind(KIND)
                .tenant(Field::body("tenant"))
                .subject(const { &[&[Field::body("id")]] }),
        );
        Self(coverage, info)
    }
}

impl Provider for Covers {
    fn info(&self) -> &Info {
        &self.1
    }

    fn prepare(&self, _: &Setup<'_>) -> Result<Box<dyn Checker>, ConfigError> {
        Ok(Box::new(CoversChecker(self.0)))
    }
}

struct CoversChecker(Coverage);

impl Checker for CoversChecker {
    fn begin<'h>(&'h self, _: Head<'h>) -> Result<Session<'h>, Error> {
        Ok(Session::done(Evidence::new(self.0)))
    }

    fn needs(&self) -> Needs {
        Needs::NOTHING
    }
}

/// A value of the body counts as signed only where the signature covers the body as it stands.
#[test]
fn a_body_is_worth_what_the_signature_covers() {
    static ALL: [Covers; 5] = [
        Covers::new(Coverage::Body),
        Covers::new(Coverage::BodyAndTarget),
        Covers::new(Coverage::Fields),
        Covers::new(Coverage::Checksum),
        Covers::new(Coverage::Credential),
    ];
    let mut headers = HeaderMap::new();
    headers.insert("x-kind", HeaderValue::from_static("paid"));
    for sender in &ALL {
        let verifier = Verifier::builder(sender).secret("secret").build().unwrap();
        let delivery = Delivery::new(&headers, br#"{"id":"1","tenant":"t"}"#);
        let verified = verifier.verify_at(&delivery, testing::NOW).unwrap();
        let event = verified.events().unwrap().next().unwrap().unwrap();
        let signed = matches!(sender.0, Coverage::Body | Coverage::BodyAndTarget);
        let body = if signed { Trust::SignedBody } else { Trust::UnsignedBody };
        assert_eq!((event.key(), event.kind()), (Some("covers/1"), Some("paid")));
        assert_eq!(event.key_trust(), body, "{}", sender.0);
        assert_eq!((event.tenant_trust(), event.subject_trust()), (Some(body), Some(body)));
        assert_eq!(event.kind_trust(), Some(Trust::UnsignedHeader), "{}", sender.0);
    }
}

/// A number of attempts has at most 18 digits, like every number of the vectors.
#[test]
fn attempts_are_bounded() {
    for (text, attempt) in [
        ("0", Some(0)),
        ("999999999999999999", Some(999_999_999_999_999_999)),
        ("1000000000000000000", None),
        ("1000000000000000001", None),
    ] {
        let body = format!(
            r#"[{{"eventId":1,"subscriptionId":2,"portalId":3,"occurredAt":4,"subscriptionType":"contact.creation","attemptNumber":{text},"objectId":5}}]"#
        );
        with_events(&providers::HUBSPOT, body.as_bytes(), |events| {
            assert_eq!(events[0].attempt(), attempt, "{text}");
        });
    }
}
