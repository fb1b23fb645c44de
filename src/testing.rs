//! Signed deliveries and proofs for your own tests.
//!
//! ```
//! use hookproof::{providers::GITHUB, testing::Sender};
//!
//! // What your handler is given in production comes from a verifier; in a test it comes from here.
//! fn handle(delivery: hookproof::Verified<'_>) -> usize {
//!     delivery.body().len()
//! }
//!
//! let sent = Sender::new(&GITHUB).send(br#"{"zen":"ping"}"#)?;
//! assert_eq!(handle(sent.verified().as_verified()), 14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::fmt;

use bytes::Bytes;
use http::{Method, Request};

use crate::config_error::ConfigError;
use crate::delivery::Delivery;
use crate::error::Error;
use crate::provider::Provider;
use crate::sign::{Outgoing, SignError, Signed, Signer};
use crate::time::UnixTime;
use crate::verified::VerifiedBuf;
use crate::verifier::Verifier;

/// The secret of a [`Sender`] unless told otherwise. It is text, and base64 for senders that decode it.
pub const SECRET: &str = "whsec_aG9va3Byb29mLXRlc3Qtc2VjcmV0";
/// The receiver's public URL unless told otherwise.
pub const URL: &str = "https://example.com/hooks";
/// The time of sending unless told otherwise: 2023-11-14T22:13:20Z.
pub const NOW: UnixTime = UnixTime::from_secs(1_700_000_000);

/// A sender of test deliveries.
#[derive(Clone, Debug)]
#[must_use]
pub struct Sender {
    provider: &'static dyn Provider,
    secrets: Vec<String>,
    options: Vec<(String, String)>,
    method: Method,
    url: String,
    id: Option<String>,
    at: UnixTime,
}

impl Sender {
    /// A sender that uses [`SECRET`], [`URL`], POST and [`NOW`].
    pub fn new(provider: &'static dyn Provider) -> Self {
        Self {
            provider,
            secrets: Vec::new(),
            options: Vec::new(),
            method: Method::POST,
            url: URL.to_owned(),
            id: None,
            at: NOW,
        }
    }

    /// Signs with this secret instead; called again, with several.
    pub fn secret(mut self, text: &str) -> Self {
        self.secrets.push(text.to_owned());
        self
    }

    /// Sets an option of the sender.
    pub fn option(mut self, name: &str, value: &str) -> Self {
        self.options.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends to this URL with this method instead.
    pub fn target(mut self, method: Method, url: &str) -> Self {
        self.method = method;
        self.url = url.to_owned();
        self
    }

    /// Gives deliveries this id.
    pub fn id(mut self, id: &str) -> Self {
        self.id = Some(id.to_owned());
        self
    }

    /// Sends at this time instead.
    pub fn at(mut self, time: UnixTime) -> Self {
        self.at = time;
        self
    }

    /// Signs a body, and verifies the result with the same secrets.
    ///
    /// # Errors
    ///
    /// A [`SendError`] if the secrets or options are not right for this sender.
    pub fn send(&self, body: &[u8]) -> Result<Sent, SendError> {
        let default = [SECRET.to_owned()];
        let secrets = if self.secrets.is_empty() { &default[..] } else { &self.secrets };
        let mut signer = Signer::builder(self.provider);
        let mut verifier = Verifier::builder(self.provider);
        for secret in secrets {
            signer = signer.secret(secret);
            verifier = verifier.secret(secret);
        }
        for (name, value) in &self.options {
            signer = signer.option(name, value);
            verifier = verifier.option(name, value);
        }
        let mut outgoing = Outgoing::new(body).with_method(&self.method).with_url(&self.url);
        if let Some(id) = &self.id {
            outgoing = outgoing.with_id(id);
        }
        let signed = signer.build()?.sign(&outgoing, self.at)?;
        let verified = verifier.build()?.verify_at(&signed.delivery(), self.at)?.into_owned();
        Ok(Sent { signed, verified })
    }
}

/// A test delivery and its proof.
#[derive(Clone, Debug)]
pub struct Sent {
    signed: Signed,
    verified: VerifiedBuf,
}

impl Sent {
    /// The delivery as a receiver sees it, with its target.
    #[must_use]
    pub fn delivery(&self) -> Delivery<'_> {
        self.signed.delivery()
    }

    /// The proof of it.
    #[must_use]
    pub const fn verified(&self) -> &VerifiedBuf {
        &self.verified
    }

    /// The signed request.
    #[must_use]
    pub const fn signed(&self) -> &Signed {
        &self.signed
    }

    /// The delivery as an `http` request, for the tests of a server.
    #[must_use]
    pub fn into_request(self) -> Request<Bytes> {
        self.signed.into_request()
    }
}

/// Why a test delivery could not be made.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum SendError {
    /// The secrets or options are not right for the sender.
    Config(ConfigError),
    /// The request cannot be made.
    Sign(SignError),
    /// What was signed was refused: the private sender signs otherwise than it verifies.
    Verify(Error),
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Sign(error) => error.fmt(f),
            Self::Verify(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SendError {}

impl From<ConfigError> for SendError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<SignError> for SendError {
    fn from(error: SignError) -> Self {
        Self::Sign(error)
    }
}

impl From<Error> for SendError {
    fn from(error: Error) -> Self {
        Self::Verify(error)
    }
}
