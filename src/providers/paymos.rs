//! Paymos.
//!
//! - **Signed:** the text of `t`, a full stop, the raw body; HMAC-SHA256, hex.
//! - **Header:** `X-Webhook-Signature: t=<seconds>,v1=<hex>[,v1=<hex>]`. During the 24 h of a rotation both secrets
//!   sign; any match counts, in any position. `X-Webhook-Timestamp` repeats `t` and is not read.
//! - **Secret:** `whsec_…` as text, prefix included.
//! - **Replay:** 300 s both ways; `t` is new for each attempt.
//! - **Identity:** the body's `event_id` is signed; `X-Webhook-Id` has the same value but is not. Two endpoints get two
//!   ids for one payment.
//! - **Answers:** any 2xx within 10 s. Everything else is tried again 10 times, after 1, 2, 4, 8, 16 and 32 min and 1, 2, 4
//!   and 8 h, in all 16 h 3 min. Then this event is marked as failed and the endpoint stays subscribed; replayed by hand it
//!   keeps its id. <https://github.com/Paymos-labs/mcp>

use core::time::Duration;

use crate::encoding::Encoding;
use crate::grammar::Grammar;
use crate::identity::{Document, Field, Identity, OrderFormat, OrderUnit};
use crate::info::{Confirmation, Fact, Info, Sample};
use crate::scheme::{Family, Part, Scheme, TimeSource};
use crate::time::TimeUnit;

const LIBRARIES: &str = "https://github.com/Paymos-labs/php-sdk";
const DOCS: &str = "https://github.com/Paymos-labs/mcp";

const IDENTITY: Identity = Identity::new(Document::Json, &[Field::body("event_id")])
    .agrees("x-webhook-id")
    .kind(Field::body("event_type"))
    .subject(&[&[
        Field::body("data/withdrawal_id"),
        Field::body("data/invoice_id"),
        Field::body("data/id"),
    ]])
    .order(&[
        (Field::body("data/updated_at"), OrderFormat::Number(OrderUnit::Seconds)),
        (Field::body("occurred_at"), OrderFormat::Number(OrderUnit::Seconds)),
    ])
    .twin();

/// Paymos; see the [module](self).
pub static PAYMOS: Scheme = Scheme::hmac_sha256("paymos", "Paymos")
    .families(&[Family::new("x-webhook-signature")])
    .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] })
    .encoding(Encoding::Hex)
    .message(&[Part::Timestamp, Part::Literal("."), Part::Body])
    .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
    .facts(Info {
        headers: &["x-webhook-signature"],
        signed: Fact::new("{t}.{body}", DOCS),
        secret: Fact::new("the endpoint's whsec_… as text, prefix included", LIBRARIES),
        tolerance_source: Fact::new("default of the official libraries", LIBRARIES),
        rotation: Fact::new("both secrets sign for 24 h", DOCS),
        response_limit: Fact::new("2xx within 10 s", DOCS),
        retries: Fact::new("10 retries in 16 h 3 min", DOCS),
        retry_horizon: Some(Duration::from_secs(16 * 3600 + 180)),
        missing: &["an order: apply the state in the body, do not count events"],
        samples: &[
            ("content-type", Sample::Text("application/json; charset=utf-8")),
            ("x-webhook-id", Sample::Id),
            ("x-webhook-timestamp", Sample::Time),
        ],
        confirmation: Confirmation::VendorExample,
        confirmed_by: Fact::new("the contract file of the official libraries", LIBRARIES),
        retrieved: "2026-11-30",
        ..Info::new("", "")
    })
    .identity(IDENTITY)
    .build();
