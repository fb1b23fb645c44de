//! What is wrong with a set-up: found at start-up, by constructors, before the first request.

use core::fmt;
use std::borrow::Cow;

use serde::{Serialize, Serializer};

/// What is wrong with a configuration.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ConfigErrorKind {
    /// No secret, more than eight, a blank one, one with white space around it, one that cannot be decoded, or a key of another kind.
    BadSecret,
    /// An option that the sender does not have, or a value that the option does not take.
    BadOption,
    /// Two routes take the same paths, or one cannot be read.
    BadRoute,
    /// The public URL of a sender that signs it is not configured, or cannot be a URL that is called from outside.
    BadUrl,
    /// What was asked for is not possible with this sender, such as a stream without a body for a sender that needs the whole body.
    Unsupported,
}

impl ConfigErrorKind {
    /// The kind as a kebab-case word; `bad-secret` is also a reason of the conformance vectors.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BadSecret => "bad-secret",
            Self::BadOption => "bad-option",
            Self::BadRoute => "bad-route",
            Self::BadUrl => "bad-url",
            Self::Unsupported => "unsupported",
        }
    }
}

impl fmt::Display for ConfigErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ConfigErrorKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A fault of the configuration. Always the operator's, and never holds key material.
///
/// ```
/// use hookproof::{ConfigErrorKind, Verifier, providers::STRIPE};
/// let error = Verifier::builder(&STRIPE).secret("").build().unwrap_err();
/// assert_eq!(error.kind(), ConfigErrorKind::BadSecret);
/// assert!(error.to_string().starts_with("stripe: the secret is blank"));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ConfigError {
    kind: ConfigErrorKind,
    provider: Option<&'static str>,
    message: Cow<'static, str>,
}

impl ConfigError {
    /// An error of this kind. The message is one lower-case sentence that says what to do and holds no key material.
    #[must_use]
    pub fn new(kind: ConfigErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, provider: None, message: message.into() }
    }

    pub(crate) fn secret(message: &'static str) -> Self {
        Self::new(ConfigErrorKind::BadSecret, message)
    }

    /// The same error, naming the sender whose configuration is wrong.
    #[must_use]
    pub fn with_provider(mut self, id: &'static str) -> Self {
        self.provider = Some(id);
        self
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> ConfigErrorKind {
        self.kind
    }

    /// The id of the sender whose configuration is wrong, where it is known.
    #[must_use]
    pub const fn provider(&self) -> Option<&'static str> {
        self.provider
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.provider {
            write!(f, "{id}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl core::error::Error for ConfigError {}
