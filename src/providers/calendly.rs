//! Calendly.
//!
//! - **Signed:** the text of `t`, a full stop, the raw body; HMAC-SHA256, hex. One sample of the documentation signs a
//!   re-serialised body instead; the written procedure says body.
//! - **Header:** `Calendly-Webhook-Signature: t=<seconds>,v1=<hex>`. Absent when the subscription was created without a
//!   signing key, which is refused.
//! - **Secret:** the signing key as text.
//! - **Replay:** 180 s both ways, after the documentation's example.
//! - **Identity:** no delivery id at all; retries add `retry_started_at` to the body.
//! - **Answers:** 2xx within 15 s, of which connecting may take 10. Every other status, redirects too, is tried again with
//!   growing gaps for 24 h, or until 24 h after the booked event; then the subscription is disabled and has to be made
//!   anew, for all events. **410 deletes the subscription at once.**
//!   <https://developer.calendly.com/api-docs/overview/webhooks/webhook-errors>
//! - **Quirks:** several signatures are not documented; any match counts.

use core::time::Duration;

use crate::encoding::Encoding;
use crate::grammar::Grammar;
use crate::identity::{Document, Field, Identity, OrderFormat};
use crate::info::{Confirmation, Fact, Info, Sample};
use crate::scheme::{Family, Part, Scheme, TimeSource};
use crate::time::TimeUnit;

const SIGNATURES: &str = "https://developer.calendly.com/api-docs/overview/webhook-signatures";

const IDENTITY: Identity = Identity::new(
    Document::Json,
    &[
        Field::body("payload/uri"),
        Field::body("event"),
        Field::body("created_at").unless_kind(&["invitee.created", "invitee.canceled"]),
    ],
)
.kind(Field::body("event"))
.subject(&[&[Field::body("payload/uri")]])
.order(&[(Field::body("created_at"), OrderFormat::Rfc3339)])
.retry_members(&["retry_started_at"]);

/// Calendly; see the [module](self).
pub static CALENDLY: Scheme = Scheme::hmac_sha256("calendly", "Calendly")
    .families(&[Family::new("calendly-webhook-signature")])
    .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] })
    .encoding(Encoding::Hex)
    .message(&[Part::Timestamp, Part::Literal("."), Part::Body])
    .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(180))
    .facts(Info {
        headers: &["calendly-webhook-signature"],
        signed: Fact::new("{t}.{body}", SIGNATURES),
        secret: Fact::new("the subscription's signing key as text", SIGNATURES),
        tolerance_source: Fact::new("example in the documentation", SIGNATURES),
        rotation: Fact::new("none documented; a new key means a new subscription", SIGNATURES),
        response_limit: Fact::new(
            "2xx within 15 s, 10 s to connect; 410 deletes the subscription",
            "https://developer.calendly.com/api-docs/overview/webhook-timeouts",
        ),
        retries: Fact::new(
            "24 h with growing gaps, or until 24 h after the booked event; then the subscription is disabled",
            "https://developer.calendly.com/api-docs/overview/webhook-errors",
        ),
        retry_horizon: Some(Duration::from_secs(24 * 3600)),
        missing: &["an id of the delivery", "a public example of a signature"],
        samples: &[("content-type", Sample::Text("application/json"))],
        confirmation: Confirmation::VendorSource,
        confirmed_by: Fact::new("the documentation's code samples, run", SIGNATURES),
        retrieved: "2026-11-30",
        ..Info::new("", "")
    })
    .identity(IDENTITY)
    .build();
