//! The proof: what only a verifier can make, holding the very bytes that were checked.

use core::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method};

use crate::delivery::{Delivery, Head};
use crate::evidence::{Coverage, Evidence};
use crate::provider::Provider;
use crate::time::UnixTime;

/// What every kind of proof says.
#[derive(Clone, Copy)]
struct Proof {
    provider: &'static dyn Provider,
    evidence: Evidence,
}

macro_rules! proof_accessors {
    () => {
        /// The sender that it comes from.
        #[must_use]
        pub fn provider(&self) -> &'static dyn Provider {
            self.proof.provider
        }

        /// The index of the secret that matched, in the order in which they were given; the lowest if several did.
        /// An index above 0 shows that the sender still uses a previous secret.
        #[must_use]
        pub fn key(&self) -> usize {
            self.proof.key()
        }

        /// How much of the delivery the signature vouches for.
        #[must_use]
        pub fn coverage(&self) -> Coverage {
            self.proof.evidence.coverage
        }

        /// The time that the sender signed, in the sender's precision; `None` where it signs none.
        #[must_use]
        pub fn signed_at(&self) -> Option<UnixTime> {
            self.proof.signed_at()
        }
    };
}

/// Proof that a delivery is the sender's, whole and fresh. It borrows the delivery.
///
/// Only a [`Verifier`](crate::Verifier) makes one.
///
/// ```compile_fail
/// let forged = hookproof::Verified {};
/// ```
#[derive(Clone, Copy)]
pub struct Verified<'a> {
    proof: Proof,
    delivery: Delivery<'a>,
    /// The body, where an owned proof has it: copies of it are shared.
    shared: Option<&'a Bytes>,
}

impl<'a> Verified<'a> {
    pub(crate) fn new(
        provider: &'static dyn Provider,
        delivery: Delivery<'a>,
        evidence: Evidence,
    ) -> Self {
        Self { proof: Proof { provider, evidence }, delivery, shared: None }
    }

    proof_accessors!();

    /// The index of the header family that was verified.
    #[cfg(feature = "events")]
    pub(crate) fn family(&self) -> usize {
        usize::from(self.proof.evidence.family)
    }

    /// The raw body that was verified.
    #[must_use]
    pub fn body(&self) -> &'a [u8] {
        self.delivery.body()
    }

    /// The raw body that was verified, owned: shared with the [`VerifiedBuf`] that this proof is borrowed from, or else a copy.
    #[must_use]
    pub fn to_body(&self) -> Bytes {
        self.shared.map_or_else(|| Bytes::copy_from_slice(self.body()), Bytes::clone)
    }

    /// The headers of the delivery. Most of them are not signed; see [`Info::missing`](crate::Info::missing).
    #[must_use]
    pub fn headers(&self) -> &'a HeaderMap {
        self.delivery.headers()
    }

    /// The delivery that was verified.
    #[must_use]
    pub fn delivery(&self) -> Delivery<'a> {
        self.delivery
    }

    /// An owned proof, with a copy of the headers, and the body as [`to_body`](Self::to_body) has it.
    #[must_use]
    pub fn into_owned(self) -> VerifiedBuf {
        Genuine { proof: self.proof, body: self.to_body() }.with_head(self.delivery.head())
    }
}

impl fmt::Debug for Verified<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.proof.debug("Verified", f)
    }
}

/// Proof that a delivery is the sender's, whole and fresh. It owns headers and body.
#[derive(Clone)]
pub struct VerifiedBuf {
    proof: Proof,
    head: Arc<OwnHead>,
    body: Bytes,
}

/// A head that is owned. Shared, since proofs are cloned on their way through a server.
#[derive(Clone)]
struct OwnHead {
    headers: HeaderMap,
    method: Option<Method>,
    url: Option<Box<str>>,
}

/// What a body that was kept has shown, before its head is with it.
pub(crate) struct Genuine {
    proof: Proof,
    body: Bytes,
}

impl Genuine {
    pub(crate) const fn new(
        provider: &'static dyn Provider,
        evidence: Evidence,
        body: Bytes,
    ) -> Self {
        Self { proof: Proof { provider, evidence }, body }
    }

    /// As [`VerifiedBuf::key`].
    pub(crate) fn key(&self) -> usize {
        self.proof.key()
    }

    /// As [`VerifiedBuf::signed_at`].
    pub(crate) fn signed_at(&self) -> Option<UnixTime> {
        self.proof.signed_at()
    }

    /// The proof, borrowed, with the head that was verified.
    #[cfg(all(feature = "events", feature = "metrics"))]
    pub(crate) fn as_verified<'a>(&'a self, head: Head<'a>) -> Verified<'a> {
        let delivery = Delivery::from_parts(head, &self.body);
        Verified { proof: self.proof, delivery, shared: Some(&self.body) }
    }

    /// The proof, with the head that was verified.
    pub(crate) fn with_head(self, head: Head<'_>) -> VerifiedBuf {
        let url = head.url().map(Into::into);
        self.with_parts(head.headers().clone(), head.method().cloned(), url)
    }

    /// The same head, given away.
    pub(crate) fn with_parts(
        self,
        headers: HeaderMap,
        method: Option<Method>,
        url: Option<Box<str>>,
    ) -> VerifiedBuf {
        let head = Arc::new(OwnHead { headers, method, url });
        VerifiedBuf { proof: self.proof, head, body: self.body }
    }
}

impl VerifiedBuf {
    proof_accessors!();

    /// The raw body that was verified.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The headers of the delivery. Most of them are not signed; see [`Info::missing`](crate::Info::missing).
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// The same proof, borrowed.
    #[must_use]
    pub fn as_verified(&self) -> Verified<'_> {
        let mut head = Head::new(&self.head.headers);
        if let Some(method) = &self.head.method {
            head = head.with_method(method);
        }
        if let Some(url) = &self.head.url {
            head = head.with_url(url);
        }
        let delivery = Delivery::from_parts(head, &self.body);
        Verified { proof: self.proof, delivery, shared: Some(&self.body) }
    }

    /// The headers and the raw body that was verified.
    #[must_use]
    pub fn into_parts(self) -> (HeaderMap, Bytes) {
        (Arc::unwrap_or_clone(self.head).headers, self.body)
    }
}

impl fmt::Debug for VerifiedBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.proof.debug("VerifiedBuf", f)
    }
}

/// Proof that a body that went by was the sender's, whole and fresh. The body was not kept, so nothing can be read from it.
#[derive(Clone, Copy)]
pub struct VerifiedStream {
    proof: Proof,
}

impl VerifiedStream {
    pub(crate) fn new(provider: &'static dyn Provider, evidence: Evidence) -> Self {
        Self { proof: Proof { provider, evidence } }
    }

    proof_accessors!();
}

impl fmt::Debug for VerifiedStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.proof.debug("VerifiedStream", f)
    }
}

impl Proof {
    fn key(&self) -> usize {
        usize::from(self.evidence.key)
    }

    fn signed_at(&self) -> Option<UnixTime> {
        self.evidence.signed_at.map(|time| time.to_unix_time())
    }

    fn debug(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("provider", &self.provider.info().id)
            .field("evidence", &self.evidence)
            .finish_non_exhaustive()
    }
}
