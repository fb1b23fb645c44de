//! The verifier: a sender, its keys and the freshness window; whole bodies and bodies that are still arriving.

use core::fmt;
use core::time::Duration;
use std::time::SystemTime;

use crate::builder::{Builder, KeyIds};
use crate::config_error::{ConfigError, ConfigErrorKind};
use crate::delivery::{Delivery, Head};
use crate::error::{Error, ErrorKind};
use crate::evidence::Evidence;
use crate::provider::{Checker, Needs, Provider, Session};
use crate::stream::{Collector, Streaming};
use crate::time::UnixTime;
use crate::verified::Verified;

/// Verifies the deliveries of one sender to one endpoint.
///
/// Make it once at start-up and share it, for example in an `Arc`. It has no `Clone`, since it holds the prepared keys.
///
/// ```
/// use hookproof::{Delivery, UnixTime, Verifier, providers::GITHUB};
///
/// let verifier = Verifier::builder(&GITHUB).secret("It's a Secret to Everybody").build()?;
///
/// let mut headers = http::HeaderMap::new();
/// headers.insert(
///     "x-hub-signature-256",
///     "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17".parse()?,
/// );
/// let verified = verifier.verify(&Delivery::new(&headers, b"Hello, World!"))?;
/// assert_eq!(verified.body(), b"Hello, World!");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Verifier {
    provider: &'static dyn Provider,
    checker: Box<dyn Checker>,
    needs: Needs,
    freshness: Freshness,
    ids: KeyIds,
}

/// Which signed times count as fresh.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Freshness {
    /// Those within this span of now, both ways.
    Within(Duration),
    /// All of them; only through `dangerous`.
    AnyAge,
}

impl Verifier {
    /// Begins a verifier for this sender, one of [`providers`](crate::providers) or a private one.
    pub fn builder(provider: &'static dyn Provider) -> Builder {
        Builder::new(provider)
    }

    pub(crate) fn new(
        provider: &'static dyn Provider,
        checker: Box<dyn Checker>,
        freshness: Freshness,
        ids: KeyIds,
    ) -> Self {
        let needs = checker.needs();
        Self { provider, checker, needs, freshness, ids }
    }

    /// The sender.
    #[must_use]
    pub fn provider(&self) -> &'static dyn Provider {
        self.provider
    }

    /// What every request has to come with, beside headers and body.
    #[must_use]
    pub fn needs(&self) -> Needs {
        self.needs
    }

    /// How far a signed time may be from now, both ways; `None` if any age is accepted, or the sender never signs a time.
    /// Whether one delivery has a signed time, [`Verified::signed_at`] says: not every version of a signature has one.
    #[must_use]
    pub fn tolerance(&self) -> Option<Duration> {
        match self.freshness {
            Freshness::Within(tolerance) if self.provider.info().tolerance.is_some() => {
                Some(tolerance)
            }
            _ => None,
        }
    }

    /// The id of the key with this index, where it was given one.
    #[must_use]
    pub fn key_id(&self, index: usize) -> Option<&str> {
        self.ids.get(index)?.as_deref()
    }

    /// How many keys the body is hashed with.
    #[cfg(feature = "_read")]
    pub(crate) fn keys(&self) -> usize {
        self.ids.len()
    }

    /// Verifies a delivery as of `now`.
    ///
    /// The same path as [`streaming`](Self::streaming): head, MAC over the raw bytes, all keys against all signatures in
    /// constant time, then freshness.
    ///
    /// # Errors
    ///
    /// The first reason in the order of [`ErrorKind`] why this is not a genuine, fresh delivery of the sender.
    #[inline]
    pub fn verify_at<'a>(
        &self,
        delivery: &Delivery<'a>,
        now: UnixTime,
    ) -> Result<Verified<'a>, Error> {
        self.target(delivery.head())?;
        let evidence = self.checker.check(delivery.head(), delivery.body())?;
        self.judge(&evidence, now)?;
        Ok(Verified::new(self.provider, *delivery, evidence))
    }

    /// Verifies a delivery as of the system clock, which is read once.
    ///
    /// # Errors
    ///
    /// As [`verify_at`](Self::verify_at).
    pub fn verify<'a>(&self, delivery: &Delivery<'a>) -> Result<Verified<'a>, Error> {
        self.verify_at(delivery, UnixTime::from(SystemTime::now()))
    }

    /// The bytes that the sender must have signed for this delivery to be genuine, for people who look for a difference.
    ///
    /// One message for each documented reading of the delivery; none for senders whose signature is not made over pieces
    /// of the head and the body. Where the secret itself is hashed before the message, it is left out. This verifies
    /// nothing.
    ///
    /// # Errors
    ///
    /// The first fault of the head, in the order of [`ErrorKind`].
    pub fn signed_bytes(&self, delivery: &Delivery<'_>) -> Result<Vec<Vec<u8>>, Error> {
        Ok(self.begin(delivery.head())?.messages(delivery.body()))
    }

    /// Verification of bodies that are still arriving and need not be kept.
    ///
    /// # Errors
    ///
    /// [`Unsupported`](ConfigErrorKind::Unsupported) if this sender's check needs the whole body at once: use
    /// [`collect`](Self::collect).
    pub fn streaming(&self) -> Result<Streaming<'_>, ConfigError> {
        if self.needs().whole_body {
            let error = ConfigError::new(
                ConfigErrorKind::Unsupported,
                "the check needs the whole body at once; collect the body instead of streaming it",
            );
            return Err(error.with_provider(self.provider.info().id));
        }
        Ok(Streaming::new(self))
    }

    /// Verification of a body that is still arriving and is to be kept, up to `limit` bytes.
    ///
    /// # Errors
    ///
    /// The first fault of the head, before any byte of the body.
    pub fn collect<'h>(&'h self, head: Head<'h>, limit: usize) -> Result<Collector<'h>, Error> {
        Collector::begin(self, head, limit)
    }

    /// Reads the head, once it is known to come with the target that the check needs.
    pub(crate) fn begin<'h>(&'h self, head: Head<'h>) -> Result<Session<'h>, Error> {
        self.target(head)?;
        self.checker.begin(head)
    }

    /// Refuses a head without the target that the check needs.
    #[inline]
    fn target(&self, head: Head<'_>) -> Result<(), Error> {
        if (self.needs.method && head.method().is_none())
            || (self.needs.url && head.url().is_none())
        {
            return Err(Error::new(ErrorKind::MissingTarget, self.provider.info().id));
        }
        Ok(())
    }

    /// Applies freshness to what the signature has shown.
    #[inline]
    pub(crate) fn judge(&self, evidence: &Evidence, now: UnixTime) -> Result<(), Error> {
        let Freshness::Within(tolerance) = self.freshness else { return Ok(()) };
        if let Some(time) = evidence.signed_at
            && let Err(kind) = time.judge(now, tolerance)
        {
            return Err(self.stale(kind, time.to_unix_time()));
        }
        match evidence.expires_at {
            Some(expiry) if now > expiry => Err(self.stale(ErrorKind::TimestampTooOld, expiry)),
            _ => Ok(()),
        }
    }

    #[cold]
    fn stale(&self, kind: ErrorKind, time: UnixTime) -> Error {
        Error::new(kind, self.provider.info().id).with_signed_at(time)
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifier")
            .field("provider", &self.provider.info().id)
            .field("freshness", &self.freshness)
            .finish_non_exhaustive()
    }
}
