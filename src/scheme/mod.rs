//! The record that describes most senders: header grammar, pieces of the signed message, MAC, encoding, key format, time.
//!
//! A record is const data. A nonsensical one does not compile when it stands in a `static` or `const`.

mod builder;
mod checker;

pub use builder::SchemeBuilder;

use crate::config_error::{ConfigError, ConfigErrorKind};
use crate::encoding::Encoding;
use crate::evidence::Coverage;
use crate::grammar::Grammar;
use crate::info::Info;
use crate::mac::Algorithm;
use crate::provider::{Checker, Needs, Provider, Setup};
use crate::secret::{KeyFormat, Secret};
use crate::time::TimeUnit;

/// The headers of one family: a sender has more than one where the same scheme comes under two sets of names.
/// Names are lower case.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Family {
    pub(crate) signature: &'static str,
    pub(crate) timestamp: Option<&'static str>,
    pub(crate) id: Option<&'static str>,
    pub(crate) label: &'static str,
}

impl Family {
    /// A family whose signature stands in this header.
    #[must_use]
    pub const fn new(signature: &'static str) -> Self {
        Self { signature, timestamp: None, id: None, label: "" }
    }

    /// With the header that holds the signed time.
    #[must_use]
    pub const fn with_timestamp(mut self, header: &'static str) -> Self {
        self.timestamp = Some(header);
        self
    }

    /// With the header that holds the signed id.
    #[must_use]
    pub const fn with_id(mut self, header: &'static str) -> Self {
        self.id = Some(header);
        self
    }

    /// With the value of the presence option that asks for this family.
    #[must_use]
    pub const fn with_label(mut self, label: &'static str) -> Self {
        self.label = label;
        self
    }
}

/// What holds when a sender has several families of headers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Presence {
    /// Each family that is present must be right, by the same key. The named option asks for one family by its label,
    /// or for `any`, which is the default.
    EveryPresent {
        /// The option's name.
        option: &'static str,
    },
    /// Exactly one family is present; two make the delivery ambiguous.
    OneOf,
}

/// A piece of the signed message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// The raw body. Stands in every message exactly once.
    Body,
    /// The id header's value.
    Id,
    /// Fixed text.
    Literal(&'static str),
    /// The method, as received.
    Method,
    /// The text of the time, as sent.
    Timestamp,
    /// The public URL, as given.
    Url,
}

/// Where the signed time is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum TimeSource {
    /// In a header of its own, which each family names.
    Header(TimeUnit),
    /// In the signature header, under the key that [`Grammar::Pairs`] names.
    Pairs(TimeUnit),
}

/// A sender described by data.
///
/// ```
/// use core::time::Duration;
/// use hookproof::{Encoding, Family, Grammar, Part, Scheme, TimeSource, TimeUnit, Verifier};
///
/// // Signs `{timestamp}.{body}` and sends `acme-signature: t=<seconds>,v1=<hex>`.
/// static ACME: Scheme = Scheme::hmac_sha256("acme", "Acme")
///     .families(&[Family::new("acme-signature")])
///     .grammar(Grammar::Pairs { separator: b',', time: "t", signatures: &["v1"] })
///     .encoding(Encoding::Hex)
///     .message(&[Part::Timestamp, Part::Literal("."), Part::Body])
///     .time(TimeSource::Pairs(TimeUnit::Seconds), Duration::from_secs(300))
///     .build();
///
/// let verifier = Verifier::builder(&ACME).secret("example").build()?;
/// # Ok::<(), hookproof::ConfigError>(())
/// ```
///
/// A record that makes no sense does not compile:
///
/// ```compile_fail
/// use hookproof::{Encoding, Family, Grammar, Part, Scheme};
/// // The body is not signed.
/// static NONSENSE: Scheme = Scheme::hmac_sha256("nonsense", "Nonsense")
///     .families(&[Family::new("x-signature")])
///     .message(&[Part::Literal("fixed")])
///     .build();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    pub(crate) info: Info,
    pub(crate) families: &'static [Family],
    pub(crate) presence: Presence,
    pub(crate) grammar: Grammar,
    pub(crate) encoding: Encoding,
    pub(crate) algorithm: Algorithm,
    pub(crate) message: &'static [Part],
    pub(crate) time: Option<TimeSource>,
    pub(crate) key: KeyFormat,
    pub(crate) refused: &'static [&'static str],
}

/// The most families of one record.
pub(crate) const MAX_FAMILIES: usize = 2;

impl Scheme {
    /// A record of a sender that signs with HMAC-SHA256: hex, one header, the raw body alone, the secret as text, no
    /// time, until told otherwise. `id` is lower-case letters, digits and hyphens.
    pub const fn hmac_sha256(id: &'static str, name: &'static str) -> SchemeBuilder {
        SchemeBuilder::new(Algorithm::HmacSha256, id, name)
    }

    /// The same with HMAC-SHA512.
    pub const fn hmac_sha512(id: &'static str, name: &'static str) -> SchemeBuilder {
        SchemeBuilder::new(Algorithm::HmacSha512, id, name)
    }

    /// The same with HMAC-SHA1, for senders that have nothing better.
    #[cfg(feature = "sha1")]
    pub const fn hmac_sha1(id: &'static str, name: &'static str) -> SchemeBuilder {
        SchemeBuilder::new(Algorithm::HmacSha1, id, name)
    }

    pub(crate) fn coverage(&self) -> Coverage {
        let target = self.message.iter().any(|part| matches!(part, Part::Url));
        if target { Coverage::BodyAndTarget } else { Coverage::Body }
    }

    pub(crate) fn needs(&self) -> Needs {
        let mut needs = Needs::NOTHING;
        needs.method = self.message.contains(&Part::Method);
        needs.url = self.message.contains(&Part::Url);
        needs
    }

    /// The family that the presence option asks for; `None` for any.
    pub(crate) fn wanted(&self, setup: &Setup<'_>) -> Result<Option<usize>, ConfigError> {
        let Presence::EveryPresent { option } = self.presence else {
            setup.expect_options(&[])?;
            return Ok(None);
        };
        setup.expect_options(&[option])?;
        match setup.option(option) {
            None | Some("any") => Ok(None),
            Some(label) => match self.families.iter().position(|family| family.label == label) {
                Some(index) => Ok(Some(index)),
                None => {
                    let labels: Vec<&str> =
                        self.families.iter().map(|family| family.label).collect();
                    Err(ConfigError::new(
                        ConfigErrorKind::BadOption,
                        format!("the option `{option}` takes any, {}", labels.join(", ")),
                    ))
                }
            },
        }
    }
}

impl Provider for Scheme {
    fn info(&self) -> &Info {
        &self.info
    }

    fn secret(&self, text: &str) -> Result<Secret, ConfigError> {
        if self.refused.iter().any(|prefix| text.starts_with(prefix)) {
            return Err(ConfigError::secret(
                "the secret is a key of another kind, as its prefix shows; give the webhook's own signing secret",
            ));
        }
        self.key.decode(text)
    }

    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Checker>, ConfigError> {
        Ok(Box::new(checker::SchemeChecker::new(self, setup)?))
    }

    #[cfg(feature = "sign")]
    fn prepare_sign(&self, setup: &Setup<'_>) -> Result<Box<dyn crate::sign::Sign>, ConfigError> {
        crate::sign::scheme_signer(self, setup)
    }
}
