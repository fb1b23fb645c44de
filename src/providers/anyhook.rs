//! AnyHook (anyhook.net), which forwards the webhooks of others under a signature of its own.
//!
//! - **Signed:** the text of `t`, a full stop, the raw body; HMAC-SHA256, hex.
//! - **Header:** `Anyhook-Signature: t=<seconds>,v1=<hex>[,v1=<hex>]`. Another project of that name sends
//!   `X-AnyHook-Signature`, which is not this scheme.
//! - **Secret:** the destination's secret as text.
//! - **Replay:** 300 s both ways; signed anew for each attempt.
//! - **Identity:** `X-AnyHook-Delivery` is not signed.
//! - **Answers:** neither a time limit nor the retries are published.
//! - **Quirks:** the original sender's headers and body are forwarded too; its own time may be stale by then.

use core::time::Duration;

use crate::encoding::Encoding;
use crate::grammar::Grammar;
use crate::identity::{Document, Field, Identity};
use crate::info::{Confirmation, Fact, Info, Sample};
use crate::scheme::{Family, Part, Scheme, TimeSource};
use crate::time::TimeUnit;

const VERIFY: &str = "https://github.com/gba3124/anyhook-mcp";

const IDENTITY: Identity = Identity::new(Document::Json, &[Field::header("x-anyhook-delivery")]);

/// AnyHook; see the [module](self).
pub static ANYHOOK: Scheme = Scheme::hmac_sha256("anyhook", "AnyHook")
    .families(&[Family::new("anyhook-signature")])
    .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] })
    .encoding(Encoding::Hex)
    .message(&[Part::Timestamp, Part::Literal("."), Part::Body])
    .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
    .facts(Info {
        headers: &["anyhook-signature"],
        signed: Fact::new("{t}.{body}", VERIFY),
        secret: Fact::new("the destination's secret as text", VERIFY),
        tolerance_source: Fact::new("default of the official library", VERIFY),
        rotation: Fact::new("one v1 for each live secret", VERIFY),
        missing: &["an id of the delivery that is signed", "a public example of a signature"],
        samples: &[
            ("content-type", Sample::Text("application/json")),
            ("x-anyhook-delivery", Sample::Id),
        ],
        confirmation: Confirmation::VendorLibrary,
        confirmed_by: Fact::new("anyhook-verify 0.1.0", VERIFY),
        retrieved: "2026-11-30",
        ..Info::new("", "")
    })
    .identity(IDENTITY)
    .build();
