//! What ends a command without a verdict: wrong usage, wrong configuration, an unreadable file.

use std::fmt;

/// Why a command could not do its work; the exit code is then 2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    kind: &'static str,
    message: String,
}

impl Failure {
    /// A failure that `--json` calls `usage`.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { kind: "usage", message: message.into() }
    }

    /// A failure with a kind of its own, such as `bad-secret`.
    pub(crate) fn of_kind(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// The kind, as a kebab-case word.
    pub(crate) const fn kind(&self) -> &'static str {
        self.kind
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// How a command that did its work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Exit code 0: accepted, passed, done.
    Good,
    /// Exit code 1: rejected, failed.
    Bad,
}

impl Ending {
    /// Good if `condition` holds, else bad.
    pub(crate) const fn good_if(condition: bool) -> Self {
        if condition { Self::Good } else { Self::Bad }
    }
}

/// The result of a command.
pub(crate) type Outcome = Result<Ending, Failure>;
