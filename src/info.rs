//! Static facts about a sender, each with its source: for tables, tools and the receiver's policies.

use core::time::Duration;

use crate::identity::Identity;

/// A fact in words, and the page that states it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Fact {
    /// The fact, in a few words.
    pub text: &'static str,
    /// The address of the page that states it; empty where nothing public states it.
    pub source: &'static str,
}

impl Fact {
    /// A fact and the address of its source.
    #[must_use]
    pub const fn new(text: &'static str, source: &'static str) -> Self {
        Self { text, source }
    }

    /// A fact that no public page states.
    pub const UNKNOWN: Self = Self::new("not published", "");
}

/// How the record of a sender was confirmed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Confirmation {
    /// The sender publishes an example with secret, body and signature, and it verifies.
    VendorExample,
    /// The sender's own library gives the same answers.
    VendorLibrary,
    /// The sender's own source code makes the same signature.
    VendorSource,
    /// The sender's documentation says so, and nothing else could be run.
    Documentation,
    /// Nothing public confirms it, as with a private record.
    None,
}

impl Confirmation {
    /// The confirmation as a kebab-case word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::VendorExample => "vendor-example",
            Self::VendorLibrary => "vendor-library",
            Self::VendorSource => "vendor-source",
            Self::Documentation => "documentation",
            Self::None => "none",
        }
    }

    /// Whether something that the sender itself published and that can be run gives the same answers.
    #[must_use]
    pub const fn is_confirmed(self) -> bool {
        matches!(self, Self::VendorExample | Self::VendorLibrary | Self::VendorSource)
    }
}

/// An option of a sender, given by name to [`Builder::option`](crate::Builder::option).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct OptionInfo {
    /// The name.
    pub name: &'static str,
    /// The values that it takes, in words.
    pub values: &'static str,
    /// The value when it is not given.
    pub default: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

impl OptionInfo {
    /// An option with its values, its default and what it does.
    #[must_use]
    pub const fn new(
        name: &'static str,
        values: &'static str,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self { name, values, default, meaning }
    }
}

/// An unsigned header that the sender's requests also carry, for signed test deliveries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Sample {
    /// A fixed text.
    Text(&'static str),
    /// The id of the delivery.
    Id,
    /// The time of sending, in the sender's unit.
    Time,
}

/// Static facts about a sender.
///
/// ```
/// use hookproof::{Provider, providers::GITHUB};
/// let info = GITHUB.info();
/// assert_eq!(info.id, "github");
/// assert!(info.tolerance.is_none(), "GitHub signs no time");
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Info {
    /// The id in vectors and on the command line: lower case, digits and hyphens.
    pub id: &'static str,
    /// The sender's name.
    pub name: &'static str,
    /// The headers that are read, in lower case, the signature header first.
    pub headers: &'static [&'static str],
    /// What is signed, as a template, and where that is documented.
    pub signed: Fact,
    /// The algorithm, in words.
    pub algorithm: &'static str,
    /// The encoding of the signature, in words.
    pub encoding: &'static str,
    /// Whether a delivery may carry several signatures, any of which may be the right one.
    pub several_signatures: bool,
    /// Whether the signature header names the version or the hash function of a signature.
    pub names_versions: bool,
    /// How the text of a secret becomes the key.
    pub secret: Fact,
    /// How far a signed time may be from now, both ways; `None` where no time is signed.
    pub tolerance: Option<Duration>,
    /// Where the tolerance comes from.
    pub tolerance_source: Fact,
    /// What happens to signatures while a secret is being changed.
    pub rotation: Fact,
    /// How soon the sender wants an answer, and what counts as one.
    pub response_limit: Fact,
    /// The largest body that the sender sends, in bytes; `None` where it does not say. Servers refuse larger ones.
    pub max_body: Option<usize>,
    /// Where the largest body comes from.
    pub max_body_source: Fact,
    /// How long the sender tries again: keys of deliveries must be kept at least as long.
    pub retries: Fact,
    /// The same as a time; `None` where the sender does not try again by itself or does not say.
    pub retry_horizon: Option<Duration>,
    /// What the scheme lacks that a receiver may expect.
    pub missing: &'static [&'static str],
    /// The options.
    pub options: &'static [OptionInfo],
    /// Unsigned headers that the sender's requests also carry.
    pub samples: &'static [(&'static str, Sample)],
    /// What makes the key, subject and order of an event.
    pub identity: Option<Identity>,
    /// How the record was confirmed.
    pub confirmation: Confirmation,
    /// What confirmed it.
    pub confirmed_by: Fact,
    /// The day on which the sources were read, as `YYYY-MM-DD`; empty for private records.
    pub retrieved: &'static str,
}

impl Info {
    /// Facts of a sender of which nothing else is known. `id` is lower-case letters, digits and hyphens.
    #[must_use]
    pub const fn new(id: &'static str, name: &'static str) -> Self {
        Self {
            id,
            name,
            headers: &[],
            signed: Fact::UNKNOWN,
            algorithm: "",
            encoding: "",
            several_signatures: false,
            names_versions: false,
            secret: Fact::UNKNOWN,
            tolerance: None,
            tolerance_source: Fact::UNKNOWN,
            rotation: Fact::UNKNOWN,
            response_limit: Fact::UNKNOWN,
            max_body: None,
            max_body_source: Fact::UNKNOWN,
            retries: Fact::UNKNOWN,
            retry_horizon: None,
            missing: &[],
            options: &[],
            samples: &[],
            identity: None,
            confirmation: Confirmation::None,
            confirmed_by: Fact::UNKNOWN,
            retrieved: "",
        }
    }

    /// With the default tolerance for a signed time, both ways.
    #[must_use]
    pub const fn with_tolerance(mut self, tolerance: Duration) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// With the rules of identity.
    #[must_use]
    pub const fn with_identity(mut self, identity: Identity) -> Self {
        self.identity = Some(identity);
        self
    }

    /// With the headers that are read.
    #[must_use]
    pub const fn with_headers(mut self, headers: &'static [&'static str]) -> Self {
        self.headers = headers;
        self
    }
}
