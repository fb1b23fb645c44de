//! HubSpot.
//!
//! - **Signed, v3:** method, URL, raw body, timestamp; HMAC-SHA256, base64, in `X-HubSpot-Signature-v3` with
//!   `X-HubSpot-Request-Timestamp` in milliseconds.
//! - **Signed, v2:** SHA-256 over secret, method, URL and raw body; hex, in `X-HubSpot-Signature`.
//! - **Signed, v1:** SHA-256 over secret and raw body; hex, in the same header. `X-HubSpot-Signature-Version` names v1
//!   or v2, never v3.
//! - **Versions:** v3 alone unless the option `versions` lists others. Real deliveries carry v1 and v3 together, and
//!   whoever strips the v3 header would force v1, so versions that are not listed are ignored.
//! - **URL:** the public URL as configured at the sender, given by the caller. The documentation says that twelve escapes
//!   are decoded before signing and no official library does so: both readings count, each needs a right signature.
//! - **Secret:** the app's client secret as text, dashes included; not a `pat-…` token.
//! - **Replay:** v3 300 000 ms both ways; v1 and v2 sign no time.
//! - **Identity:** the body is a list of events; `eventId` is not unique.
//! - **Answers:** subscriptions: 2xx within 5 s by the documentation, while `X-HubSpot-Timeout-Millis` says 10 s. Failed
//!   connections, slow answers, 4xx and 5xx are tried again up to 10 times in 24 h, spread at random, 10 requests at once.
//!   Workflow actions: 3 s to connect and 30 s in all; 4xx are final but for 429, the rest is tried again for up to 3 days.
//!   <https://developers.hubspot.com/docs/api-reference/legacy/webhooks/guide>
//! - **Quirks:** nothing stands between the signed parts, so final digits of a body can move into the timestamp, which
//!   the bound on future times stops.

mod identity;
#[cfg(feature = "sign")]
mod sign;
mod url;

use core::time::Duration;

use http::HeaderMap;

use crate::config_error::{ConfigError, ConfigErrorKind};
use crate::delivery::Head;
use crate::encoding::Encoding;
use crate::error::{Error, ErrorKind, Faults};
use crate::evidence::Coverage;
use crate::grammar::TimeText;
use crate::header::HeaderField;
use crate::info::{Confirmation, Fact, Info, OptionInfo, Sample};
use crate::mac::{Algorithm, MacKeys};
use crate::plan::{Frame, Piece};
use crate::provider::{Checker, Needs, Provider, Session, Setup};
use crate::secret::Secret;
use crate::time::{SignedTime, TimeUnit};
use url::{decode_escapes, has_escape};

const ID: &str = "hubspot";
const V3: &str = "x-hubspot-signature-v3";
const TIMESTAMP: &str = "x-hubspot-request-timestamp";
const OLDER: &str = "x-hubspot-signature";
const VERSION: &str = "x-hubspot-signature-version";
const DOCS: &str = "https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation";

/// HubSpot; see the [module](self).
pub static HUBSPOT: Hubspot = Hubspot {
    info: Info {
        headers: &[V3, TIMESTAMP, OLDER, VERSION],
        signed: Fact::new(
            "v3: {method}{url}{body}{timestamp}; v2: {secret}{method}{url}{body}; v1: {secret}{body}",
            DOCS,
        ),
        algorithm: "v3: HMAC-SHA256; v2, v1: SHA-256",
        encoding: "v3: base64; v2, v1: hex",
        names_versions: true,
        secret: Fact::new("the app's client secret as text", DOCS),
        tolerance: Some(Duration::from_secs(300)),
        tolerance_source: Fact::new("documentation: 5 minutes", DOCS),
        rotation: Fact::new("no overlap documented", DOCS),
        response_limit: Fact::new(
            "2xx within 5 s",
            "https://developers.hubspot.com/docs/api-reference/legacy/webhooks/guide",
        ),
        retries: Fact::new(
            "10 retries in 24 h",
            "https://developers.hubspot.com/docs/api-reference/legacy/webhooks/guide",
        ),
        retry_horizon: Some(Duration::from_secs(24 * 3600)),
        missing: &[
            "an id of an event that is unique",
            "v1: a signed time and target",
            "v2: a signed time",
        ],
        options: &[OptionInfo::new(
            "versions",
            "v1, v2, v3, joined by commas",
            "v3",
            "which versions of the signature count",
        )],
        samples: &[("content-type", Sample::Text("application/json"))],
        identity: Some(identity::IDENTITY),
        confirmation: Confirmation::VendorExample,
        confirmed_by: Fact::new(
            "examples in the documentation and tests of the official libraries",
            DOCS,
        ),
        retrieved: "2026-11-30",
        ..Info::new(ID, "HubSpot")
    },
};

/// The type of [`HUBSPOT`].
#[derive(Debug)]
pub struct Hubspot {
    info: Info,
}

impl Provider for Hubspot {
    fn info(&self) -> &Info {
        &self.info
    }

    fn secret(&self, text: &str) -> Result<Secret, ConfigError> {
        if text.starts_with("pat-") {
            return Err(ConfigError::secret(
                "the secret is an access token, as its prefix shows; give the app's client secret",
            ));
        }
        Secret::new(text)
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Checker>, ConfigError> {
        let versions = Versions::read(setup)?;
        Ok(Box::new(HubspotChecker {
            versions,
            v3: HeaderField::new(V3)?,
            timestamp: HeaderField::new(TIMESTAMP)?,
            older: HeaderField::new(OLDER)?,
            version: HeaderField::new(VERSION)?,
            hmac: MacKeys::new(
                Algorithm::HmacSha256,
                if versions.v3 { setup.secrets() } else { &[] },
            )?,
            hash: MacKeys::new(
                Algorithm::Sha256,
                if versions.older() { setup.secrets() } else { &[] },
            )?,
        }))
    }

    #[cfg(feature = "sign")]
    fn prepare_sign(&self, setup: &Setup<'_>) -> Result<Box<dyn crate::sign::Sign>, ConfigError> {
        let versions = Versions::read(setup)?;
        Ok(Box::new(sign::HubspotSigner::new(versions, setup.secrets())?))
    }
}

/// The listed versions.
#[derive(Clone, Copy, Debug, Default)]
struct Versions {
    v1: bool,
    v2: bool,
    v3: bool,
}

impl Versions {
    fn read(setup: &Setup<'_>) -> Result<Self, ConfigError> {
        setup.expect_options(&["versions"])?;
        let mut versions = Self::default();
        for version in setup.option("versions").unwrap_or("v3").split(',') {
            let listed = match version {
                "v1" => &mut versions.v1,
                "v2" => &mut versions.v2,
                "v3" => &mut versions.v3,
                _ => {
                    return Err(ConfigError::new(
                        ConfigErrorKind::BadOption,
                        "the option `versions` takes v1, v2 and v3, joined by commas",
                    ));
                }
            };
            *listed = true;
        }
        Ok(versions)
    }

    const fn older(self) -> bool {
        self.v1 || self.v2
    }
}

struct HubspotChecker {
    versions: Versions,
    v3: HeaderField,
    timestamp: HeaderField,
    older: HeaderField,
    version: HeaderField,
    hmac: MacKeys,
    hash: MacKeys,
}

impl Checker for HubspotChecker {
    fn begin<'h>(&'h self, head: Head<'h>) -> Result<Session<'h>, Error> {
        let v3 = if self.versions.v3 { self.v3.read(head.headers()) } else { Ok(None) };
        match v3 {
            Ok(None) if self.versions.older() => self.begin_older(head),
            v3 => self.begin_v3(head, v3),
        }
    }

    fn needs(&self) -> Needs {
        if self.versions.v3 || self.versions.v2 {
            Needs::NOTHING.with_target()
        } else {
            Needs::NOTHING
        }
    }
}

impl HubspotChecker {
    fn begin_v3<'h>(
        &'h self,
        head: Head<'h>,
        signature: Result<Option<&'h [u8]>, ErrorKind>,
    ) -> Result<Session<'h>, Error> {
        let mut faults = Faults::default();
        let signature = required(&self.v3, signature, &mut faults);
        let timestamp = required(&self.timestamp, self.timestamp.read(head.headers()), &mut faults);
        let time = timestamp.and_then(|text| {
            TimeText::read(text).map_err(|kind| faults.note(fault(&self.timestamp, kind))).ok()
        });
        faults.into_result()?;
        let (Some(signature), Some(time)) = (signature, time) else {
            return Err(fault(&self.v3, ErrorKind::MissingHeader));
        };

        Session::mac(
            Frame {
                keys: &self.hmac,
                encoding: Encoding::Base64,
                provider: ID,
                coverage: Coverage::BodyAndTarget,
            },
            |plan| {
                let (method, url) = target(head);
                plan.before(Piece::Bytes(method));
                plan.before(Piece::Bytes(url.as_bytes()));
                if has_escape(url) {
                    plan.second_reading(Coverage::BodyAndTarget);
                    plan.before(Piece::Bytes(method));
                    plan.before(Piece::Mapped(url, decode_escapes));
                }
                plan.after(Piece::Bytes(time.text));
                plan.evidence_mut().signed_at = Some(SignedTime::new(time.value, TimeUnit::Millis));
                plan.source(V3, signature);
                plan.candidate(0, signature.len());
                Ok(())
            },
        )
    }

    fn begin_older<'h>(&'h self, head: Head<'h>) -> Result<Session<'h>, Error> {
        let mut faults = Faults::default();
        let signature = required(&self.older, self.older.read(head.headers()), &mut faults);
        let versions = self.named_version(head.headers(), &mut faults);
        faults.into_result()?;
        let (Some(signature), Some(versions)) = (signature, versions) else {
            return Err(fault(&self.older, ErrorKind::MissingHeader));
        };

        let (method, url) = target(head);
        let coverage = if versions.v1 { Coverage::Body } else { Coverage::BodyAndTarget };
        Session::mac(
            Frame { keys: &self.hash, encoding: Encoding::Hex, provider: ID, coverage },
            |plan| {
                if versions.v1 && versions.v2 {
                    plan.second_reading(Coverage::BodyAndTarget);
                }
                if versions.v2 {
                    plan.before(Piece::Bytes(method));
                    plan.before(Piece::Bytes(url.as_bytes()));
                }
                plan.source(OLDER, signature);
                plan.candidate(0, signature.len());
                Ok(())
            },
        )
    }

    /// The listed older versions that the version header leaves.
    fn named_version(&self, headers: &HeaderMap, faults: &mut Faults) -> Option<Versions> {
        let named = match self.version.read(headers) {
            Ok(named) => named,
            Err(kind) => {
                faults.note(fault(&self.version, kind));
                return None;
            }
        };
        match named {
            // `v3` may be set in it: whoever reads it here asks for the older ones only.
            None => Some(self.versions),
            Some(b"v1") if self.versions.v1 => Some(Versions { v1: true, ..Versions::default() }),
            Some(b"v2") if self.versions.v2 => Some(Versions { v2: true, ..Versions::default() }),
            Some(_) => {
                faults.note(fault(&self.version, ErrorKind::UnsupportedVersion));
                None
            }
        }
    }
}

fn required<'h>(
    field: &HeaderField,
    read: Result<Option<&'h [u8]>, ErrorKind>,
    faults: &mut Faults,
) -> Option<&'h [u8]> {
    match read {
        Ok(Some(value)) => return Some(value),
        Ok(None) => faults.note(fault(field, ErrorKind::MissingHeader)),
        Err(kind) => faults.note(fault(field, kind)),
    }
    None
}

fn fault(field: &HeaderField, kind: ErrorKind) -> Error {
    Error::new(kind, ID).with_header(field.text())
}

fn target(head: Head<'_>) -> (&[u8], &str) {
    (
        head.method().map(|method| method.as_str().as_bytes()).unwrap_or_default(),
        head.url().unwrap_or_default(),
    )
}
