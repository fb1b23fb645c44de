//! Why a verified delivery has no usable identity.

use core::fmt;

use serde::{Serialize, Serializer};

/// What is wrong with the identity of an event.
///
/// The order of the variants is the order of precedence.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum EventErrorKind {
    /// The body, or a field that the key needs, is not what the sender documents.
    MalformedBody,
    /// A field that the key needs is absent or empty.
    MissingField,
    /// A field that the key needs is there more than once.
    RepeatedField,
    /// A header that repeats the id has another one than the signed body.
    IdMismatch,
}

impl EventErrorKind {
    /// The kind as the kebab-case word of the conformance vectors.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MalformedBody => "malformed-body",
            Self::MissingField => "missing-field",
            Self::RepeatedField => "repeated-field",
            Self::IdMismatch => "id-mismatch",
        }
    }
}

impl fmt::Display for EventErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for EventErrorKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Why an event has no usable identity. Names the field, and holds no byte of the delivery.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EventError {
    kind: EventErrorKind,
    provider: &'static str,
    field: &'static str,
    problem: &'static str,
}

impl EventError {
    pub(super) const fn new(
        kind: EventErrorKind,
        provider: &'static str,
        field: &'static str,
        problem: &'static str,
    ) -> Self {
        Self { kind, provider, field, problem }
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> EventErrorKind {
        self.kind
    }

    /// The id of the sender.
    #[must_use]
    pub const fn provider(&self) -> &'static str {
        self.provider
    }

    /// The field at fault: the path of a member of the body, its names joined by `/`, or a header's name; empty where
    /// the body as a whole is at fault.
    #[must_use]
    pub const fn field(&self) -> &'static str {
        self.field
    }
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field {
            "" => write!(f, "{}: the body {}", self.provider, self.problem)?,
            field => write!(f, "{}: the field `{field}` {}", self.provider, self.problem)?,
        }
        f.write_str("; the delivery is genuine, so store it and ask the sender")
    }
}

impl core::error::Error for EventError {}
