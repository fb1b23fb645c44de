//! A vector file as types. Property names and meaning are those of `README.md` beside the vectors.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::strict;
use crate::value::{Body, HeaderValue, Secret};

/// One file: the vectors of one sender.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct VectorFile {
    /// The file, as the caller named it: `stripe.json` for an embedded one, else a path.
    pub name: String,
    /// The schema that the file names: `schema/v1.json`.
    pub schema: String,
    /// The id of the sender.
    pub provider: String,
    /// The number of vectors that the file says it has.
    pub number_of_tests: usize,
    /// Why no vector comes from the sender, where it publishes no example.
    pub no_vendor_example: Option<String>,
    /// What the flags mean.
    pub notes: BTreeMap<String, Note>,
    /// The vectors, grouped by configuration and source.
    pub test_groups: Vec<Group>,
}

impl VectorFile {
    /// Every vector with its group, in the order of the file.
    pub fn tests(&self) -> impl Iterator<Item = (&Group, &Test)> {
        self.test_groups.iter().flat_map(|group| group.tests.iter().map(move |test| (group, test)))
    }

    /// The policy flags of a vector of this file: those whose note says `"policy": true`.
    pub fn policy_flags<'a>(&'a self, test: &'a Test) -> impl Iterator<Item = &'a str> {
        let is_policy = |flag: &&str| self.notes.get(*flag).is_some_and(|note| note.policy);
        test.flags.iter().map(String::as_str).filter(is_policy)
    }
}

/// The meaning of a flag.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Note {
    /// The class of the fault that vectors of this flag find.
    pub bug_type: String,
    /// What the flag marks and, for a policy flag, why both answers are defensible.
    pub description: String,
    /// Documents.
    #[serde(default)]
    pub links: Vec<String>,
    /// Whether a careful receiver may answer either way.
    #[serde(default)]
    pub policy: bool,
}

/// Vectors of one configuration and source.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Group {
    /// Where the vectors come from.
    pub source: Source,
    /// The receiver's secrets, the current one first.
    pub secrets: Vec<Secret>,
    /// The tolerance of the clock, in seconds; absent: the sender's default.
    pub tolerance_seconds: Option<u64>,
    /// The sender's options.
    pub options: BTreeMap<String, serde_json::Value>,
    /// The vectors.
    pub tests: Vec<Test>,
}

/// Where vectors come from.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Source {
    /// The kind of the source.
    pub kind: SourceKind,
    /// Its name.
    pub name: String,
    /// Its address.
    #[serde(default, deserialize_with = "strict::given")]
    pub url: Option<String>,
    /// The day it was read or made, as `2026-11-30`.
    pub retrieved: String,
    /// The licence of what was taken, as an SPDX expression.
    pub licence: String,
}

/// The kind of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SourceKind {
    /// A delivery that was received.
    Captured,
    /// Made for this suite.
    Constructed,
    /// The sender's documentation.
    VendorDocs,
    /// A library of the sender, its tests included.
    VendorSdk,
}

impl SourceKind {
    /// The word in the file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Captured => "captured",
            Self::Constructed => "constructed",
            Self::VendorDocs => "vendor-docs",
            Self::VendorSdk => "vendor-sdk",
        }
    }
}

/// One vector: a request and what a receiver makes of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Test {
    /// The id, unique in the suite and never used again: `tcId`.
    pub id: String,
    /// What the vector is about.
    pub comment: String,
    /// The families it belongs to, each explained in the file's notes.
    pub flags: Vec<String>,
    /// The receiver's clock, in milliseconds since 1970.
    pub now_ms: u64,
    /// The method of the request.
    pub method: Option<String>,
    /// The public URL that the sender used, as text.
    pub url: Option<String>,
    /// The headers in their order, repeated lines included.
    pub headers: Vec<(String, HeaderValue)>,
    /// The body.
    pub body: Body,
    /// The verdict.
    pub outcome: Outcome,
    /// What the delivery says, one entry an event; `None`: not said.
    pub events: Option<Vec<Event>>,
    /// The reason why a good delivery has no usable identity.
    pub events_error: Option<String>,
    /// Further facts, for debugging.
    pub expect: Option<Expect>,
}

impl Test {
    /// The headers as bytes, in their order.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.bytes()))
    }

    /// Whether the vector carries a flag.
    #[must_use]
    pub fn has_flag(&self, flag: &str) -> bool {
        self.flags.iter().any(|own| own == flag)
    }
}

/// The verdict of a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// A careful receiver may answer either way; the vector's policy flags say over what.
    Acceptable,
    /// The request must be refused.
    #[non_exhaustive]
    Invalid {
        /// The first reason that applies, one of [`REASONS`](crate::REASONS).
        reason: String,
    },
    /// The request must be accepted.
    Valid,
}

impl Outcome {
    /// The word in the file.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Acceptable => "acceptable",
            Self::Invalid { .. } => "invalid",
            Self::Valid => "valid",
        }
    }

    /// The reason for refusing, where the request must be refused.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Invalid { reason } => Some(reason),
            Self::Acceptable | Self::Valid => None,
        }
    }
}

/// One event of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Event {
    /// The de-duplication key; `null` where the sender gives nothing to make one from.
    #[serde(deserialize_with = "strict::nullable")]
    pub key: Option<String>,
    /// The key of the same change under another id.
    #[serde(default, deserialize_with = "strict::given", skip_serializing_if = "Option::is_none")]
    pub twin: Option<String>,
    /// The kind of the event.
    #[serde(default, deserialize_with = "strict::given", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What the event is about.
    #[serde(default, deserialize_with = "strict::given", skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What the order holds within.
    #[serde(default, deserialize_with = "strict::given", skip_serializing_if = "Option::is_none")]
    pub stream: Option<String>,
    /// The place in the order.
    #[serde(
        default,
        deserialize_with = "strict::given_object",
        skip_serializing_if = "Option::is_none"
    )]
    pub order: Option<Order>,
    /// Which attempt of delivery this is, where the sender says it.
    #[serde(default, deserialize_with = "strict::given", skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u64>,
}

/// The place of an event in the order of its stream.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Order {
    /// The value, in its unit.
    pub value: i64,
    /// The unit.
    pub unit: OrderUnit,
}

/// The unit of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum OrderUnit {
    /// Milliseconds since 1970.
    Ms,
    /// Seconds since 1970.
    S,
    /// Microseconds since 1970.
    Us,
}

/// Further facts of a vector.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expect {
    /// The bytes that were signed.
    pub signed_bytes: Option<Vec<u8>>,
    /// The index of the secret that matches.
    pub key: Option<usize>,
}
