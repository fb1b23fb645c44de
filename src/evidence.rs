//! What a check of the signature has shown, before freshness is applied.

use core::fmt;

use serde::{Serialize, Serializer};

use crate::time::{SignedTime, UnixTime};

/// How much of a delivery the signature vouches for.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Coverage {
    /// The raw body and the target: the URL, and the method where the sender signs it.
    BodyAndTarget,
    /// The raw body.
    Body,
    /// Some fields, joined without separators, so that two contents can look the same.
    Fields,
    /// A checksum of the body, which shows damage but not intent.
    Checksum,
    /// Nothing of the delivery: the sender proved a credential only.
    Credential,
}

impl Coverage {
    /// The coverage as a kebab-case word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BodyAndTarget => "body-and-target",
            Self::Body => "body",
            Self::Fields => "fields",
            Self::Checksum => "checksum",
            Self::Credential => "credential",
        }
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Coverage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What a sender's check has shown: which key matched, what was covered, and which time was signed.
///
/// Anyone may build one; only a [`Verifier`](crate::Verifier) turns it into a proof, after it has applied freshness.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Evidence {
    pub(crate) signed_at: Option<SignedTime>,
    pub(crate) expires_at: Option<UnixTime>,
    pub(crate) coverage: Coverage,
    pub(crate) key: u8,
    /// The index of the record's header family that was verified, the lowest if both were.
    pub(crate) family: u8,
}

impl Evidence {
    /// Evidence that key 0 signed what `coverage` says, without a time.
    #[must_use]
    pub const fn new(coverage: Coverage) -> Self {
        Self { signed_at: None, expires_at: None, coverage, key: 0, family: 0 }
    }

    /// With the index of the key that matched, the lowest if several do.
    #[must_use]
    pub const fn with_key(mut self, index: u8) -> Self {
        self.key = index;
        self
    }

    /// With the time that was signed.
    #[must_use]
    pub const fn with_signed_at(mut self, time: SignedTime) -> Self {
        self.signed_at = Some(time);
        self
    }

    /// With a signed moment after which the delivery no longer counts.
    #[must_use]
    pub const fn with_expires_at(mut self, time: UnixTime) -> Self {
        self.expires_at = Some(time);
        self
    }
}
