//! Stripe.
//!
//! - **Signed:** the text of `t`, a full stop, the raw body; HMAC-SHA256, hex.
//! - **Header:** `Stripe-Signature: t=<seconds>,v1=<hex>[,v1=<hex>][,v0=<hex>]`. One `v1` for each live secret, in any
//!   order; any match counts. Every other scheme is ignored, `v0` of test events among them.
//! - **Secret:** the endpoint's `whsec_…` as text, prefix included. Each endpoint, and `stripe listen`, has its own.
//! - **Replay:** `t` is new for each attempt; 300 s both ways. Some official libraries only look back.
//! - **Identity:** the body's `id` is signed and stays the same over retries; the signature does not.
//! - **Answers:** only 2xx counts, redirects do not; no time limit is published, so answer at once. Anything else is tried
//!   again for 3 days with growing gaps (in a sandbox 3 times within hours), whatever the status, until the endpoint is
//!   disabled or deleted. Events can be sent again by hand for 15 days, by the command line for 30.
//!   <https://docs.stripe.com/webhooks>
//! - **Quirks:** thin events (`v2.core.event`) use the same scheme. EventBridge and Event Grid destinations are not
//!   signed this way.

use core::time::Duration;

use crate::encoding::Encoding;
use crate::grammar::Grammar;
use crate::identity::{Document, Field, Identity, OrderFormat, OrderUnit};
use crate::info::{Confirmation, Fact, Info, Sample};
use crate::scheme::{Family, Part, Scheme, TimeSource};
use crate::time::TimeUnit;

const IDENTITY: Identity = Identity::new(Document::Json, &[Field::body("id")])
    .kind(Field::body("type"))
    .tenant(Field::body("account"))
    .subject(&[&[Field::body("data/object/id"), Field::body("related_object/id")]])
    .order(&[(Field::body("created"), OrderFormat::NumberOrRfc3339(OrderUnit::Seconds))])
    .twin();

/// Stripe; see the [module](self).
pub static STRIPE: Scheme = Scheme::hmac_sha256("stripe", "Stripe")
    .families(&[Family::new("stripe-signature")])
    .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] })
    .encoding(Encoding::Hex)
    .message(&[Part::Timestamp, Part::Literal("."), Part::Body])
    .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
    .refuse_keys(&["sk_", "pk_", "rk_", "we_"])
    .facts(Info {
        headers: &["stripe-signature"],
        signed: Fact::new("{t}.{body}", "https://docs.stripe.com/webhooks/signature"),
        secret: Fact::new(
            "the endpoint's whsec_… as text, prefix included",
            "https://docs.stripe.com/webhooks/signature",
        ),
        tolerance_source: Fact::new(
            "default of the official libraries",
            "https://docs.stripe.com/webhooks/signature",
        ),
        rotation: Fact::new(
            "old secret for up to 24 h, one v1 for each live secret",
            "https://docs.stripe.com/webhooks",
        ),
        response_limit: Fact::new("2xx; no time published", "https://docs.stripe.com/webhooks"),
        retries: Fact::new("3 days with growing gaps", "https://docs.stripe.com/webhooks"),
        retry_horizon: Some(Duration::from_secs(3 * 24 * 3600)),
        missing: &["an order: events can arrive in any order"],
        samples: &[("content-type", Sample::Text("application/json; charset=utf-8"))],
        confirmation: Confirmation::VendorLibrary,
        confirmed_by: Fact::new(
            "libraries for Node, Python, Ruby, PHP and Go",
            "https://github.com/stripe/stripe-node",
        ),
        retrieved: "2026-11-30",
        ..Info::new("", "")
    })
    .identity(IDENTITY)
    .build();
