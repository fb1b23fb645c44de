//! Why a delivery was refused: one small, copyable error with a closed list of kinds.

use core::fmt;

use http::StatusCode;
use serde::{Serialize, Serializer};

use crate::time::UnixTime;

/// Why a delivery was refused.
///
/// The order of the variants is the order of precedence: when several things are wrong with one delivery, the
/// first of this list is the one reported. [`as_str`](Self::as_str) gives the word that the conformance vectors use.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The head of the request is larger than the integration's limit.
    HeadTooLarge,
    /// The body is larger than the integration's limit.
    BodyTooLarge,
    /// The body broke off: the connection ended, or its framing is wrong. Said by integrations.
    BodyIncomplete,
    /// The body did not arrive within the integration's time.
    BodyTimeout,
    /// The sender signs the method or the URL and the caller did not give it.
    MissingTarget,
    /// A header that the scheme needs is absent or blank.
    MissingHeader,
    /// A header that the scheme reads stands in the request more than once.
    RepeatedHeader,
    /// A header cannot be read: too long, not the sender's grammar, or it allows two readings.
    MalformedHeader,
    /// More signatures than any sender makes: more than 32 of an accepted version, or 64 of any kind.
    TooManySignatures,
    /// The header is well formed and holds no signature of an accepted version.
    UnsupportedVersion,
    /// The URL or token lacks the digest of the body that the scheme puts there.
    MissingDigest,
    /// The delivery names a key that is not configured.
    UnknownKey,
    /// No signature of an accepted version decodes to the exact length.
    BadEncoding,
    /// At least one signature was readable, and none is right for any configured secret.
    SignatureMismatch,
    /// The body lacks what the scheme keeps in it: a signature or a time that can be read.
    MalformedBody,
    /// The signature is right and the signed time is older than the tolerance allows.
    TimestampTooOld,
    /// The signature is right and the signed time is further ahead than the tolerance allows.
    TimestampInFuture,
}

impl ErrorKind {
    /// Every kind, in order of precedence.
    pub const ALL: &'static [Self] = &[
        Self::HeadTooLarge,
        Self::BodyTooLarge,
        Self::BodyIncomplete,
        Self::BodyTimeout,
        Self::MissingTarget,
        Self::MissingHeader,
        Self::RepeatedHeader,
        Self::MalformedHeader,
        Self::TooManySignatures,
        Self::UnsupportedVersion,
        Self::MissingDigest,
        Self::UnknownKey,
        Self::BadEncoding,
        Self::SignatureMismatch,
        Self::MalformedBody,
        Self::TimestampTooOld,
        Self::TimestampInFuture,
    ];

    /// The kind as the kebab-case word of the conformance vectors, such as `signature-mismatch`.
    ///
    /// ```
    /// assert_eq!(hookproof::ErrorKind::SignatureMismatch.as_str(), "signature-mismatch");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::HeadTooLarge => "head-too-large",
            Self::BodyTooLarge => "body-too-large",
            Self::BodyIncomplete => "body-incomplete",
            Self::BodyTimeout => "body-timeout",
            Self::MissingTarget => "missing-target",
            Self::MissingHeader => "missing-header",
            Self::RepeatedHeader => "repeated-header",
            Self::MalformedHeader => "malformed-header",
            Self::TooManySignatures => "too-many-signatures",
            Self::UnsupportedVersion => "unsupported-version",
            Self::MissingDigest => "missing-digest",
            Self::UnknownKey => "unknown-key",
            Self::BadEncoding => "bad-encoding",
            Self::SignatureMismatch => "signature-mismatch",
            Self::MalformedBody => "malformed-body",
            Self::TimestampTooOld => "timestamp-too-old",
            Self::TimestampInFuture => "timestamp-in-future",
        }
    }

    /// Who has to act: the operator of this server or the sender of the request.
    #[must_use]
    pub const fn fault(self) -> Fault {
        match self {
            Self::MissingTarget => Fault::Operator,
            _ => Fault::Sender,
        }
    }

    /// The HTTP status to answer with.
    ///
    /// Every fault of the sender is a plain 401, so that the answer tells a forger nothing; a body over the limit is
    /// 413 and a head over the limit 431; a fault of the operator is 500, so that senders try again until it is mended.
    /// Never 2xx, and never 410, on which some senders delete the subscription.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::MissingTarget => StatusCode::INTERNAL_SERVER_ERROR,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::HeadTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            _ => StatusCode::UNAUTHORIZED,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ErrorKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Whose fault a refusal is.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// This server is set up wrongly; the sender did nothing wrong.
    Operator,
    /// The request is not a genuine, fresh delivery of the sender.
    Sender,
}

/// Why a delivery was refused.
///
/// It names the sender and the header, says whose fault it is, and never holds a secret, the expected signature or a
/// byte of the request (a signed time, which is only read once the signature is right, excepted).
///
/// ```
/// use hookproof::{Delivery, ErrorKind, UnixTime, Verifier, providers::STRIPE};
/// # fn main() -> Result<(), hookproof::ConfigError> {
/// let verifier = Verifier::builder(&STRIPE).secret("whsec_example").build()?;
/// let headers = http::HeaderMap::new();
/// let Err(error) = verifier.verify_at(&Delivery::new(&headers, b"{}"), UnixTime::from_secs(0)) else { unreachable!() };
/// assert_eq!(error.kind(), ErrorKind::MissingHeader);
/// assert_eq!(error.header(), Some("stripe-signature"));
/// assert_eq!(error.status(), http::StatusCode::UNAUTHORIZED);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Error {
    kind: ErrorKind,
    provider: &'static str,
    header: Option<&'static str>,
    signed_at: Option<UnixTime>,
}

impl Error {
    /// An error of this kind for the sender with this id. For private senders; see [`Provider`](crate::Provider).
    #[must_use]
    pub const fn new(kind: ErrorKind, provider: &'static str) -> Self {
        Self { kind, provider, header: None, signed_at: None }
    }

    /// The same error, naming the header that is at fault.
    #[must_use]
    pub const fn with_header(mut self, header: &'static str) -> Self {
        self.header = Some(header);
        self
    }

    pub(crate) const fn with_signed_at(mut self, time: UnixTime) -> Self {
        self.signed_at = Some(time);
        self
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The id of the sender whose rules were applied, such as `stripe`.
    #[must_use]
    pub const fn provider(&self) -> &'static str {
        self.provider
    }

    /// The header at fault, in lower case, where it is one header's fault.
    #[must_use]
    pub const fn header(&self) -> Option<&'static str> {
        self.header
    }

    /// The time that the sender signed. Present only for [`ErrorKind::TimestampTooOld`] and
    /// [`ErrorKind::TimestampInFuture`], where the signature is known to be right.
    #[must_use]
    pub const fn signed_at(&self) -> Option<UnixTime> {
        self.signed_at
    }

    /// Who has to act; see [`ErrorKind::fault`].
    #[must_use]
    pub const fn fault(&self) -> Fault {
        self.kind.fault()
    }

    /// The HTTP status to answer with; see [`ErrorKind::status`].
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        self.kind.status()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.provider)?;
        let header = Header(self.header);
        match self.kind {
            ErrorKind::HeadTooLarge => f.write_str("the request's head is over the limit of this server; the sender does not send such heads"),
            ErrorKind::BodyTooLarge => f.write_str("the body is over the limit of this server; raise the limit if the sender sends such bodies"),
            ErrorKind::BodyIncomplete => f.write_str("the body broke off before its end; the sender or a proxy gave up, or the request is not well framed"),
            ErrorKind::BodyTimeout => f.write_str("the body did not arrive in the time that this server gives; it is a slow connection, or one that is kept open on purpose"),
            ErrorKind::MissingTarget => f.write_str("the sender signs the method and the URL and this server did not give them; configure the public URL that the sender calls"),
            ErrorKind::MissingHeader => write!(f, "the request has no {header}; it was not signed by the sender, or a proxy removed the header"),
            ErrorKind::RepeatedHeader => write!(f, "the request has {header} more than once; the sender sends one, so a proxy or a forger added another"),
            ErrorKind::MalformedHeader => write!(f, "{header} is not in the sender's format; the request does not come from the sender as it was sent"),
            ErrorKind::TooManySignatures => write!(f, "{header} holds more signatures than the sender makes; the request does not come from the sender as it was sent"),
            ErrorKind::UnsupportedVersion => write!(f, "{header} holds no signature of an accepted version; the sender offers only others, or a forger left ours out"),
            ErrorKind::MissingDigest => f.write_str("the digest of the body is missing from the signed part of the request; the sender always adds it"),
            ErrorKind::UnknownKey => f.write_str("the request names a key that is not configured; add the key if the sender has changed it"),
            ErrorKind::BadEncoding => write!(f, "no signature in {header} can be decoded; the request does not come from the sender as it was sent"),
            ErrorKind::SignatureMismatch => f.write_str("no signature matches any configured secret; the request is forged or was changed on its way, or the secret is another endpoint's"),
            ErrorKind::MalformedBody => f.write_str("the body lacks a signature or time that can be read; the request does not come from the sender as it was sent"),
            ErrorKind::TimestampTooOld => f.write_str("the signature is right but the signed time is too far in the past; it is a replay, a late delivery, or this server's clock is ahead"),
            ErrorKind::TimestampInFuture => f.write_str("the signature is right but the signed time is too far in the future; this server's clock is behind, or the sender's is ahead"),
        }
    }
}

impl core::error::Error for Error {}

/// A header's name in a message, or a neutral word where several headers share the fault.
struct Header(Option<&'static str>);

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "header `{name}`"),
            None => f.write_str("a signature header"),
        }
    }
}

/// The first fault in order of precedence among those seen so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults(Option<Error>);

impl Faults {
    #[cold]
    pub(crate) fn note(&mut self, error: Error) {
        match self.0 {
            Some(first) if first.kind <= error.kind => {}
            _ => self.0 = Some(error),
        }
    }

    pub(crate) fn into_result(self) -> Result<(), Error> {
        match self.0 {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}
