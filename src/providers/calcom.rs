//! Cal.com.
//!
//! - **Signed:** the raw body; HMAC-SHA256, hex.
//! - **Header:** `X-Cal-Signature-256`. Without a secret the sender writes the words `no-secret-provided` there, which
//!   is refused like any other text that is not a signature.
//! - **Secret:** the webhook's secret as text.
//! - **Replay:** no time is signed: rely on the identity of the booking, and expect replays.
//! - **Identity:** no delivery id. The key is the trigger, the booking and, for a booking with seats, the seat: such a
//!   booking sends one trigger for each seat. Order holds within a seat, where there is one: that a seat was cancelled says
//!   nothing of the others.
//! - **Answers:** neither a time limit nor retries are published: take what was not stored as lost, and fetch it.
//! - **Quirks:** a custom template can turn the body into a form or anything else; the raw bytes are signed all the same.

use crate::encoding::Encoding;
use crate::grammar::Grammar;
use crate::identity::{Document, Field, Identity, OrderFormat};
use crate::info::{Confirmation, Fact, Info, Sample};
use crate::scheme::{Family, Part, Scheme};

const SOURCE: &str =
    "https://github.com/calcom/cal.com/blob/main/packages/features/webhooks/lib/sendPayload.ts";

const SEAT: Field = Field::body("payload/attendeeSeatId");

const IDENTITY: Identity = Identity::new(
    Document::Json,
    &[Field::body("triggerEvent"), Field::body("payload/uid"), SEAT.optional()],
)
.kind(Field::body("triggerEvent"))
.subject(&[&[Field::body("payload/uid")]])
.stream(SEAT)
.order(&[(Field::body("createdAt"), OrderFormat::Rfc3339)]);

/// Cal.com; see the [module](self).
pub static CALCOM: Scheme = Scheme::hmac_sha256("calcom", "Cal.com")
    .families(&[Family::new("x-cal-signature-256")])
    .grammar(Grammar::Whole)
    .encoding(Encoding::Hex)
    .message(&[Part::Body])
    .facts(Info {
        headers: &["x-cal-signature-256"],
        signed: Fact::new("{body}", SOURCE),
        secret: Fact::new("the webhook's secret as text", SOURCE),
        rotation: Fact::new("none documented", SOURCE),
        missing: &["a signed time", "an id of the delivery", "a public example of a signature"],
        samples: &[
            ("content-type", Sample::Text("application/json")),
            ("x-cal-webhook-version", Sample::Text("2021-10-20")),
        ],
        confirmation: Confirmation::VendorSource,
        confirmed_by: Fact::new("the sender's own code", SOURCE),
        retrieved: "2026-11-30",
        ..Info::new("", "")
    })
    .identity(IDENTITY)
    .build();
