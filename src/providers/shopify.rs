//! Shopify.
//!
//! - **Signed:** the raw body; HMAC-SHA256, base64.
//! - **Header:** `X-Shopify-Hmac-Sha256`, or `Shopify-Hmac-Sha256` for the Events family. Where both are present both
//!   must be right. The option `headers` asks for one family.
//! - **Secret:** the app's client secret as text, also where it looks like hex. Webhooks made in a store's admin have a
//!   key of their own.
//! - **Replay:** no time is signed: rely on the id, and expect replays.
//! - **Identity:** `X-Shopify-Webhook-Id` stays the same over retries and is not signed; neither are topic and shop.
//! - **Answers:** 2xx within 5 s, of which connecting may take 1. Every other status, redirects too, is tried again 8 times
//!   in 4 h; **then a subscription that was made through the Admin API is deleted**, and one in the app's configuration
//!   stays. <https://shopify.dev/docs/apps/build/webhooks/troubleshoot>
//! - **Quirks:** after a rotation Shopify signs with the oldest secret that is not revoked, up to an hour longer:
//!   configure both. A bad signature must be answered with 401, which app review checks.

use core::time::Duration;

use crate::encoding::Encoding;
use crate::grammar::Grammar;
use crate::identity::{Document, Field, Identity, OrderFormat, Trust, ValueKind};
use crate::info::{Confirmation, Fact, Info, OptionInfo, Sample};
use crate::scheme::{Family, Part, Presence, Scheme};

const VERIFY: &str = "https://shopify.dev/docs/apps/build/webhooks/verify-deliveries";

const TOPIC: Field =
    Field::family_header(&["x-shopify-topic", "shopify-topic"], Trust::UnsignedHeader);

const IDENTITY: Identity = Identity::new(
    Document::Json,
    &[Field::family_header(&["x-shopify-webhook-id", "shopify-webhook-id"], Trust::UnsignedHeader)],
)
.kind(TOPIC)
.tenant(Field::family_header(
    &["x-shopify-shop-domain", "shopify-shop-domain"],
    Trust::UnsignedHeader,
))
.subject(&[&[TOPIC.before(b'/')], &[Field::body("id").kind(ValueKind::NumberOrText)]])
.order(&[
    (Field::body("updated_at"), OrderFormat::Rfc3339),
    (
        Field::family_header(
            &["x-shopify-triggered-at", "shopify-triggered-at"],
            Trust::UnsignedHeader,
        ),
        OrderFormat::Rfc3339,
    ),
]);

/// Shopify; see the [module](self).
pub static SHOPIFY: Scheme = Scheme::hmac_sha256("shopify", "Shopify")
    .families(&[Family::new("x-shopify-hmac-sha256").with_label("x"), Family::new("shopify-hmac-sha256").with_label("events")])
    .presence(Presence::EveryPresent { option: "headers" })
    .grammar(Grammar::Whole)
    .encoding(Encoding::Base64)
    .message(&[Part::Body])
    .refuse_keys(&["shpat_", "shpca_", "shppa_"])
    .facts(Info {
        headers: &["x-shopify-hmac-sha256", "shopify-hmac-sha256"],
        signed: Fact::new("{body}", VERIFY),
        secret: Fact::new("the app's client secret as text", VERIFY),
        rotation: Fact::new(
            "the oldest secret that is not revoked signs, up to an hour after its revocation",
            "https://shopify.dev/docs/apps/build/authentication-authorization/client-secrets/rotate-revoke-client-credentials",
        ),
        response_limit: Fact::new("2xx within 5 s, 1 s to connect", "https://shopify.dev/docs/apps/build/webhooks/subscribe/https"),
        retries: Fact::new("8 retries in 4 h, then a subscription made through the Admin API is deleted", "https://shopify.dev/docs/apps/build/webhooks/troubleshoot"),
        retry_horizon: Some(Duration::from_secs(4 * 3600)),
        missing: &["a signed time", "a signed id, topic or shop"],
        samples: &[
            ("content-type", Sample::Text("application/json")),
            ("x-shopify-topic", Sample::Text("orders/create")),
            ("x-shopify-shop-domain", Sample::Text("example.myshopify.com")),
            ("x-shopify-api-version", Sample::Text("2026-10")),
            ("x-shopify-webhook-id", Sample::Id),
        ],
        confirmation: Confirmation::VendorExample,
        confirmed_by: Fact::new("a test of the official library", "https://github.com/Shopify/shopify-app-js"),
        retrieved: "2026-11-30",
        ..Info::new("", "")
    })
    .options(&[OptionInfo::new("headers", "any, x, events", "any", "which family of headers must be present")])
    .identity(IDENTITY)
    .build();
