//! Standard Webhooks, which Svix, Clerk, Resend and many others send.
//!
//! - **Signed:** the id, a full stop, the text of the timestamp, a full stop, the raw body; HMAC-SHA256, base64.
//! - **Headers:** `webhook-id`, `webhook-timestamp` (seconds), `webhook-signature: v1,<base64> v1,<base64>`, or the same
//!   three as `svix-…`. Two families in one request are refused. Other versions, `v1a` among them, are skipped.
//! - **Secret:** `whsec_` and base64; the prefix and the padding may be absent.
//! - **Replay:** 300 s both ways; the timestamp is new for each attempt.
//! - **Identity:** the id is signed and stays the same over retries.
//! - **Answers:** each sender's own. The specification suggests: 2xx within 15 to 30 s; every other status is a failure,
//!   tried again over several days; 429, 502 and 504 slow the sender down, `Retry-After` is looked at, and **410 disables the
//!   endpoint**. <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>
//! - **Quirks:** a full stop in an id would let one message be read in two ways; the specification asks senders to
//!   avoid it, and receivers take such ids as they are.

use core::time::Duration;

use crate::encoding::Encoding;
use crate::grammar::Grammar;
use crate::identity::{Document, Field, Identity, Trust};
use crate::info::{Confirmation, Fact, Info, Sample};
use crate::scheme::{Family, Part, Presence, Scheme, TimeSource};
use crate::secret::KeyFormat;
use crate::time::TimeUnit;

const SPECIFICATION: &str =
    "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md";

const IDENTITY: Identity = Identity::new(
    Document::Json,
    &[Field::family_header(&["webhook-id", "svix-id"], Trust::SignedHeader)],
)
.kind(Field::body("type"));

/// Standard Webhooks; see the [module](self).
pub static STANDARD_WEBHOOKS: Scheme =
    Scheme::hmac_sha256("standard-webhooks", "Standard Webhooks")
        .families(&[
            Family::new("webhook-signature")
                .with_timestamp("webhook-timestamp")
                .with_id("webhook-id"),
            Family::new("svix-signature").with_timestamp("svix-timestamp").with_id("svix-id"),
        ])
        .presence(Presence::OneOf)
        .grammar(Grammar::List { separator: b' ', version: "v1" })
        .encoding(Encoding::Base64)
        .message(&[Part::Id, Part::Literal("."), Part::Timestamp, Part::Literal("."), Part::Body])
        .time(TimeSource::Header(TimeUnit::Seconds), Duration::from_secs(300))
        .key(KeyFormat::Base64 { prefix: "whsec_" })
        .refuse_keys(&["whpk_", "whsk_"])
        .facts(Info {
            headers: &[
                "webhook-signature",
                "webhook-id",
                "webhook-timestamp",
                "svix-signature",
                "svix-id",
                "svix-timestamp",
            ],
            signed: Fact::new("{id}.{timestamp}.{body}", SPECIFICATION),
            secret: Fact::new("base64, with or without the prefix whsec_", SPECIFICATION),
            tolerance_source: Fact::new(
                "default of the official libraries",
                "https://github.com/standard-webhooks/standard-webhooks",
            ),
            rotation: Fact::new("one v1 for each live secret", SPECIFICATION),
            response_limit: Fact::new("2xx; the specification suggests 15 to 30 s", SPECIFICATION),
            retries: Fact::new(
                "each sender's own; the specification suggests more than a day",
                SPECIFICATION,
            ),
            missing: &["an order", "keys of the version v1a (Ed25519)"],
            samples: &[("content-type", Sample::Text("application/json"))],
            confirmation: Confirmation::VendorExample,
            confirmed_by: Fact::new(
                "the tests of the official libraries",
                "https://github.com/standard-webhooks/standard-webhooks",
            ),
            retrieved: "2026-11-30",
            ..Info::new("", "")
        })
        .identity(IDENTITY)
        .build();
