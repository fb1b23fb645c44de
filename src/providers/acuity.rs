//! Acuity Scheduling.
//!
//! - **Signed:** the raw body, a URL-encoded form, before any parsing; HMAC-SHA256, base64.
//! - **Header:** `X-Acuity-Signature`.
//! - **Secret:** an API key as text: the main administrator's for static webhooks, the creating user's for others.
//! - **Replay:** no time is signed: fetch the appointment and write idempotently.
//! - **Identity:** no delivery id; the form has `action` and `id`.
//! - **Answers:** neither a time limit nor retries are published: take what was not stored as lost, and fetch it.
//! - **Quirks:** `changed` is sent beside `scheduled`, `rescheduled` and `canceled`.

use crate::encoding::Encoding;
use crate::grammar::Grammar;
use crate::identity::{Document, Field, Identity};
use crate::info::{Confirmation, Fact, Info, Sample};
use crate::scheme::{Family, Part, Scheme};

const DOCS: &str = "https://developers.acuityscheduling.com/docs/webhooks";

const IDENTITY: Identity =
    Identity::new(Document::Form, &[Field::body("action"), Field::body("id")])
        .keyed_kinds(&["scheduled", "canceled"])
        .kind(Field::body("action"))
        .subject(&[&[Field::body("id")]]);

/// Acuity Scheduling; see the [module](self).
pub static ACUITY: Scheme = Scheme::hmac_sha256("acuity", "Acuity Scheduling")
    .families(&[Family::new("x-acuity-signature")])
    .grammar(Grammar::Whole)
    .encoding(Encoding::Base64)
    .message(&[Part::Body])
    .facts(Info {
        headers: &["x-acuity-signature"],
        signed: Fact::new("{body}", DOCS),
        secret: Fact::new(
            "an API key as text: the main administrator's, or the creating user's",
            DOCS,
        ),
        rotation: Fact::new("none documented", DOCS),
        missing: &["a signed time", "an id of the delivery", "a public example of a signature"],
        samples: &[("content-type", Sample::Text("application/x-www-form-urlencoded"))],
        confirmation: Confirmation::VendorLibrary,
        confirmed_by: Fact::new(
            "acuityscheduling 0.1.9",
            "https://github.com/AcuityScheduling/acuity-js",
        ),
        retrieved: "2026-11-30",
        ..Info::new("", "")
    })
    .identity(IDENTITY)
    .build();
