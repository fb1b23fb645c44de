//! The endpoint that a request is judged by, and how well the tenant behind it is known.

use core::fmt;

#[cfg(feature = "_read")]
use super::endpoint::Endpoint;

/// How well the tenant of a request is known. See [`Report::tenant`](crate::Report::tenant).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Standing {
    /// By an answer that holds.
    Fresh,
    /// By an old answer, since the resolver fails.
    Stale,
    /// Not at all: the request is refused whatever is found.
    Unknown,
}

impl Standing {
    /// The standing as a word: `fresh`, `stale` or `unknown`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Stale => "stale",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The endpoint that a request is judged by.
#[cfg(feature = "_read")]
pub(super) struct Chosen {
    pub(super) endpoint: Endpoint,
    /// `None` where there are no tenants.
    pub(super) standing: Option<Standing>,
}

#[cfg(feature = "_read")]
impl Chosen {
    pub(super) const fn own(endpoint: Endpoint) -> Self {
        Self { endpoint, standing: None }
    }

    pub(super) const fn tenant(endpoint: Endpoint, standing: Standing) -> Self {
        Self { endpoint, standing: Some(standing) }
    }

    pub(super) fn is_unknown(&self) -> bool {
        self.standing == Some(Standing::Unknown)
    }
}
