//! Prepared keys: one keyed hash state per secret, made once and copied for each delivery.

use core::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256, Sha512};

use crate::config_error::ConfigError;
use crate::encoding::{Encoding, equal};
use crate::secret::Secret;
use subtle::Choice;

/// The function that makes a sender's signature.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Algorithm {
    /// HMAC with SHA-1 (RFC 2104).
    #[cfg(feature = "sha1")]
    HmacSha1,
    /// HMAC with SHA-256 (RFC 2104, FIPS 180-4).
    HmacSha256,
    /// HMAC with SHA-512 (RFC 2104, FIPS 180-4).
    HmacSha512,
    /// SHA-256 over the secret followed by the message. Weaker than HMAC; some senders have nothing else.
    Sha256,
}

impl Algorithm {
    /// The algorithm's usual name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            #[cfg(feature = "sha1")]
            Self::HmacSha1 => "HMAC-SHA1",
            Self::HmacSha256 => "HMAC-SHA256",
            Self::HmacSha512 => "HMAC-SHA512",
            Self::Sha256 => "SHA-256 over secret and message",
        }
    }
}

/// A keyed state that takes a message and ends in a tag.
pub(crate) trait State: Clone {
    /// The tag's bytes.
    type Tag: Tag;

    /// The state keyed with these bytes; `None` if the function does not take keys of this length.
    fn keyed(key: &[u8]) -> Option<Self>;
    fn update(&mut self, bytes: &[u8]);
    fn finish(self) -> Self::Tag;
}

/// A computed or a candidate tag.
pub(crate) trait Tag: Copy + AsRef<[u8]> {
    const ZERO: Self;

    /// Decodes a candidate; `None` unless it has the exact length.
    fn decode(encoding: Encoding, text: &[u8], out: &mut Self) -> bool;
    fn equals(&self, other: &Self) -> Choice;
}

impl<const N: usize> Tag for [u8; N] {
    const ZERO: Self = [0; N];

    #[inline]
    fn decode(encoding: Encoding, text: &[u8], out: &mut Self) -> bool {
        encoding.decode(text, out)
    }

    #[inline]
    fn equals(&self, other: &Self) -> Choice {
        equal(self, other)
    }
}

macro_rules! hmac_state {
    ($hash:ty, $length:literal) => {
        impl State for Hmac<$hash> {
            type Tag = [u8; $length];

            fn keyed(key: &[u8]) -> Option<Self> {
                Self::new_from_slice(key).ok()
            }

            #[inline]
            fn update(&mut self, bytes: &[u8]) {
                Mac::update(self, bytes);
            }

            #[inline]
            fn finish(self) -> Self::Tag {
                self.finalize().into_bytes().into()
            }
        }
    };
}

#[cfg(feature = "sha1")]
hmac_state!(sha1::Sha1, 20);
hmac_state!(Sha256, 32);
hmac_state!(Sha512, 64);

impl State for Sha256 {
    type Tag = [u8; 32];

    fn keyed(key: &[u8]) -> Option<Self> {
        Some(Digest::new_with_prefix(key))
    }

    #[inline]
    fn update(&mut self, bytes: &[u8]) {
        Digest::update(self, bytes);
    }

    #[inline]
    fn finish(self) -> Self::Tag {
        self.finalize().into()
    }
}

/// The prepared states of a verifier's secrets, in their order: one heap block, wiped when dropped.
pub(crate) enum MacKeys {
    #[cfg(feature = "sha1")]
    HmacSha1(Box<[Hmac<sha1::Sha1>]>),
    HmacSha256(Box<[Hmac<Sha256>]>),
    HmacSha512(Box<[Hmac<Sha512>]>),
    Sha256(Box<[Sha256]>),
}

impl MacKeys {
    /// Prepares every secret for this algorithm.
    pub(crate) fn new(algorithm: Algorithm, secrets: &[Secret]) -> Result<Self, ConfigError> {
        fn states<S: State>(secrets: &[Secret]) -> Result<Box<[S]>, ConfigError> {
            // The block is made at its full size first, so that no state is left behind by growing.
            let mut states = Vec::with_capacity(secrets.len());
            for secret in secrets {
                let state = S::keyed(secret.expose_bytes());
                states.push(state.ok_or_else(|| {
                    ConfigError::secret("the secret has a length that no key can have")
                })?);
            }
            Ok(states.into_boxed_slice())
        }
        Ok(match algorithm {
            #[cfg(feature = "sha1")]
            Algorithm::HmacSha1 => Self::HmacSha1(states(secrets)?),
            Algorithm::HmacSha256 => Self::HmacSha256(states(secrets)?),
            Algorithm::HmacSha512 => Self::HmacSha512(states(secrets)?),
            Algorithm::Sha256 => Self::Sha256(states(secrets)?),
        })
    }
}

impl fmt::Debug for MacKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MacKeys { .. }")
    }
}

#[cfg(feature = "sign")]
impl MacKeys {
    /// The tag of a message by each key, in their order.
    pub(crate) fn tags(&self, message: &[&[u8]]) -> Vec<Vec<u8>> {
        fn each<S: State>(keys: &[S], message: &[&[u8]]) -> Vec<Vec<u8>> {
            let tag = |key: &S| {
                let mut state = key.clone();
                message.iter().for_each(|piece| state.update(piece));
                state.finish().as_ref().to_vec()
            };
            keys.iter().map(tag).collect()
        }
        match self {
            #[cfg(feature = "sha1")]
            Self::HmacSha1(keys) => each(keys, message),
            Self::HmacSha256(keys) => each(keys, message),
            Self::HmacSha512(keys) => each(keys, message),
            Self::Sha256(keys) => each(keys, message),
        }
    }
}
