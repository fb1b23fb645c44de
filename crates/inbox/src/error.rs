//! Why a store could not do what was asked.

use core::fmt;

use crate::progress::ClaimLost;

/// What kind of fault it is.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// Somebody else holds what is needed, and waiting for it took too long: the same event is in another transaction, or
    /// the database is locked. Nothing was written.
    Busy,
    /// The claim is no longer this worker's: roll back.
    ClaimLost,
    /// A row holds what this crate does not write: it was changed by hand, or by a later version.
    Corrupt,
    /// The caller asked for what cannot be done, such as a row that does not exist.
    Invalid,
    /// The database cannot be reached, is full, or broke off. Nothing is known to be written.
    Unavailable,
}

impl StoreErrorKind {
    /// The kind as a kebab-case word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::ClaimLost => "claim-lost",
            Self::Corrupt => "corrupt",
            Self::Invalid => "invalid",
            Self::Unavailable => "unavailable",
        }
    }
}

impl fmt::Display for StoreErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A store could not do what was asked. Roll back the transaction in which it happened.
#[derive(Debug)]
pub struct StoreError {
    kind: StoreErrorKind,
    message: Box<str>,
    lost: Option<ClaimLost>,
    source: Option<Box<dyn core::error::Error + Send + Sync>>,
}

impl StoreError {
    /// An error of this kind, in one lower-case sentence.
    #[must_use]
    pub fn new(kind: StoreErrorKind, message: impl Into<Box<str>>) -> Self {
        Self { kind, message: message.into(), lost: None, source: None }
    }

    /// With what caused it, such as the driver's error.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn core::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of fault it is.
    #[must_use]
    pub const fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// Where the event stands whose claim was lost.
    #[must_use]
    pub const fn lost(&self) -> Option<ClaimLost> {
        self.lost
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "inbox: {}", self.message)
    }
}

impl core::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.source.as_deref().map(|source| -> &(dyn core::error::Error + 'static) { source })
    }
}

impl From<ClaimLost> for StoreError {
    fn from(lost: ClaimLost) -> Self {
        Self {
            kind: StoreErrorKind::ClaimLost,
            message: lost.to_string().into(),
            lost: Some(lost),
            source: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use core::error::Error as _;

    use hookproof::UnixTime;

    use super::*;
    use crate::id::Token;
    use crate::progress::Progress;

    #[test]
    fn an_error_says_what_it_is() {
        let words: Vec<String> = [
            StoreErrorKind::Busy,
            StoreErrorKind::ClaimLost,
            StoreErrorKind::Corrupt,
            StoreErrorKind::Invalid,
            StoreErrorKind::Unavailable,
        ]
        .map(|kind| kind.to_string())
        .into();
        assert_eq!(words, ["busy", "claim-lost", "corrupt", "invalid", "unavailable"]);
        let error = StoreError::new(StoreErrorKind::Busy, "the database is locked");
        assert_eq!(error.to_string(), "inbox: the database is locked");
        assert!(error.source().is_none() && error.lost().is_none());
        let error = error.with_source("from below");
        assert_eq!(error.source().unwrap().to_string(), "from below");
        assert_eq!(error.kind(), StoreErrorKind::Busy);
    }

    #[test]
    fn a_lost_claim_says_where_the_event_stands() {
        let lost = Progress::waiting(UnixTime::from_secs(1)).complete(Token::NEVER).unwrap_err();
        let error = StoreError::from(lost);
        assert_eq!((error.kind(), error.lost()), (StoreErrorKind::ClaimLost, Some(lost)));
        let text = "inbox: the claim was lost: the event is waiting under token 0; roll back";
        assert_eq!(error.to_string(), text);
    }
}
