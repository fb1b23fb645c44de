//! Relaxations: what makes a check weaker than the sender offers, under names that a review finds.

use crate::builder::Builder;
use crate::provider::Provider;
#[cfg(feature = "sha1")]
pub use crate::providers::github::legacy::{GITHUB_SHA1, GithubSha1};

/// Relaxations of a [`Builder`]; see [`Builder::dangerous`].
#[derive(Debug)]
#[must_use]
pub struct DangerousBuilder {
    builder: Builder,
}

impl DangerousBuilder {
    pub(crate) fn new(builder: Builder) -> Self {
        Self { builder }
    }

    /// Accepts deliveries of any age, past and future: a captured delivery can be replayed for ever.
    ///
    /// To verify a stored delivery again, give [`verify_at`](crate::Verifier::verify_at) the time of its arrival instead.
    pub fn accept_any_age(self) -> Builder {
        self.builder.accept_any_age()
    }
}

/// The relaxed sender that an option of the conformance vectors and of the command line selects, such as
/// `GITHUB_SHA1` for `github` and `legacySha1`.
#[must_use]
pub fn relaxed(id: &str, option: &str) -> Option<&'static dyn Provider> {
    match (id, option) {
        #[cfg(feature = "sha1")]
        ("github", "legacySha1") => Some(&GITHUB_SHA1),
        _ => None,
    }
}
