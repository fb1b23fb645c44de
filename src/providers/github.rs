//! GitHub.
//!
//! - **Signed:** the raw body, form bodies included; HMAC-SHA256, hex.
//! - **Header:** `X-Hub-Signature-256: sha256=<hex>`. `X-Hub-Signature: sha1=<hex>` beside it is for old receivers and is
//!   ignored; servers that send nothing better need `dangerous::GITHUB_SHA1` (feature `sha1`).
//! - **Secret:** the hook's secret as text. Without one GitHub sends no signature, which is refused.
//! - **Replay:** no time is signed: rely on the delivery id, and expect replays.
//! - **Identity:** `X-GitHub-Delivery` belongs to the event: every hook gets the same, and so does a redelivery. It is not
//!   signed; neither is `X-GitHub-Event`.
//! - **Answers:** 2xx within 10 s (GitHub Enterprise Server: 30 s). Nothing is tried again by itself, whatever the status:
//!   what was not stored is lost unless somebody asks for a redelivery, by hand or API, within 3 days (Enterprise Server:
//!   7). <https://docs.github.com/en/webhooks/using-webhooks/handling-failed-webhook-deliveries>
//! - **Quirks:** bodies of up to 25 MB.

use crate::encoding::Encoding;
use crate::grammar::Grammar;
use crate::identity::{Document, Field, Identity};
use crate::info::{Confirmation, Fact, Info, Sample};
use crate::scheme::{Family, Part, Scheme};

const VALIDATING: &str =
    "https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries";
const PAYLOADS: &str = "https://docs.github.com/en/webhooks/webhook-events-and-payloads";
const FAILED: &str =
    "https://docs.github.com/en/webhooks/using-webhooks/handling-failed-webhook-deliveries";

const IDENTITY: Identity = Identity::new(
    Document::Json,
    &[Field::header("x-github-hook-id").optional(), Field::header("x-github-delivery")],
)
.kind(Field::header("x-github-event"));

const FACTS: Info = Info {
    headers: &["x-hub-signature-256"],
    signed: Fact::new("{body}", VALIDATING),
    secret: Fact::new("the hook's secret as text", VALIDATING),
    rotation: Fact::new("no overlap documented", VALIDATING),
    response_limit: Fact::new(
        "2xx within 10 s (GitHub Enterprise Server: 30 s)",
        "https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks",
    ),
    // Whether a megabyte has 1000 or 1024 kilobytes, the page does not say: the larger one refuses nothing genuine.
    max_body: Some(25 << 20),
    max_body_source: Fact::new("payloads are capped at 25 MB", PAYLOADS),
    retries: Fact::new("none by itself; redelivery by hand for 3 days", FAILED),
    missing: &["a signed time", "a signed id or event name"],
    samples: &[
        ("content-type", Sample::Text("application/json")),
        ("user-agent", Sample::Text("GitHub-Hookshot/hookproof")),
        ("x-github-event", Sample::Text("ping")),
        ("x-github-delivery", Sample::Id),
        ("x-github-hook-id", Sample::Text("1")),
    ],
    confirmation: Confirmation::VendorExample,
    confirmed_by: Fact::new("the documentation's example", VALIDATING),
    retrieved: "2026-11-30",
    ..Info::new("", "")
};

/// GitHub; see the [module](self).
pub static GITHUB: Scheme = Scheme::hmac_sha256("github", "GitHub")
    .families(&[Family::new("x-hub-signature-256")])
    .grammar(Grammar::Prefixed("sha256="))
    .encoding(Encoding::Hex)
    .message(&[Part::Body])
    .facts(FACTS)
    .identity(IDENTITY)
    .build();

#[cfg(feature = "sha1")]
pub(crate) mod legacy {
    //! The relaxed provider that `dangerous` exports.

    use super::{FACTS, GITHUB};
    use crate::config_error::ConfigError;
    use crate::delivery::Head;
    use crate::encoding::Encoding;
    use crate::error::Error;
    use crate::grammar::Grammar;
    use crate::header::HeaderField;
    use crate::info::{Fact, Info};
    use crate::provider::{Checker, Needs, Provider, Session, Setup};
    use crate::scheme::{Family, Part, Scheme};

    /// GitHub as it was before 2020: deliveries without `X-Hub-Signature-256` may be signed with HMAC-SHA1 in
    /// `X-Hub-Signature`.
    ///
    /// A present `X-Hub-Signature-256` decides alone: a bad one is never rescued by a good SHA-1. Use it only for servers
    /// that send nothing better.
    pub static GITHUB_SHA1: GithubSha1 = GithubSha1 { modern: GITHUB, old: SHA1 };

    const SHA1: Scheme = Scheme::hmac_sha1("github", "GitHub")
        .families(&[Family::new("x-hub-signature")])
        .grammar(Grammar::Prefixed("sha1="))
        .encoding(Encoding::Hex)
        .message(&[Part::Body])
        .facts(Info {
            headers: &["x-hub-signature-256", "x-hub-signature"],
            missing: &[
                "a signed time",
                "a signed id or event name",
                "a hash function without known collisions",
            ],
            signed: Fact::new("{body}", super::VALIDATING),
            ..FACTS
        })
        .identity(super::IDENTITY)
        .build();

    /// The type of [`GITHUB_SHA1`].
    #[derive(Debug)]
    pub struct GithubSha1 {
        modern: Scheme,
        old: Scheme,
    }

    impl Provider for GithubSha1 {
        fn info(&self) -> &Info {
            self.old.info()
        }

        fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Checker>, ConfigError> {
            Ok(Box::new(Legacy {
                field: HeaderField::new("x-hub-signature-256")?,
                modern: self.modern.prepare(setup)?,
                old: self.old.prepare(setup)?,
            }))
        }

        #[cfg(feature = "sign")]
        fn prepare_sign(
            &self,
            setup: &Setup<'_>,
        ) -> Result<Box<dyn crate::sign::Sign>, ConfigError> {
            self.old.prepare_sign(setup)
        }
    }

    struct Legacy {
        field: HeaderField,
        modern: Box<dyn Checker>,
        old: Box<dyn Checker>,
    }

    impl Checker for Legacy {
        fn begin<'h>(&'h self, head: Head<'h>) -> Result<Session<'h>, Error> {
            match self.field.read(head.headers()) {
                Ok(None) => self.old.begin(head),
                _ => self.modern.begin(head),
            }
        }

        fn needs(&self) -> Needs {
            Needs::NOTHING
        }
    }
}
