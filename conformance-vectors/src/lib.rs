//! The hookproof conformance vectors: requests of webhook senders with the verdict that a careful
//! receiver gives, and one typed loader for them.
//!
//! The JSON files are the suite; this package embeds them ([`FILES`], [`SCHEMAS`], [`POLICIES`]) and
//! reads them, or files of the same format from a disk, into types that cannot hold a malformed
//! vector. It knows no verifier.
//!
//! ```
//! let suite = hookproof_vectors::suite()?;
//! for file in &suite {
//!     for (group, test) in file.tests() {
//!         assert!(!test.id.is_empty());
//!         let _ = (&group.secrets, test.body.bytes());
//!     }
//! }
//! # Ok::<(), hookproof_vectors::Faults>(())
//! ```
//!
//! Reading is strict: an unknown property, a property given twice, a value of another type or an
//! unreadable base64 text is a [`Fault`] that names the file, the line, the vector and the field.
//! [`check`](check()) and [`check_published`] add what a schema cannot say (counts, unique ids, flags).

mod check;
mod error;
mod index;
mod load;
mod model;
mod policy;
mod strict;
mod value;

pub use check::{check, check_published};
pub use error::{Fault, Faults};
pub use index::{DOCUMENTS, FILES, POLICIES, SCHEMAS};
pub use load::{files, load_path, parse, suite};
pub use model::{
    Event, Expect, Group, Note, Order, OrderUnit, Outcome, Source, SourceKind, Test, VectorFile,
};
pub use policy::Policy;
pub use strict::value as json_value;
pub use value::{Body, HeaderValue, Secret};

/// The version of the suite, which is the version of this package: a changed verdict is a major.
pub const SUITE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The clock of constructed vectors, in milliseconds since 1970; a test with another `nowMs` carries
/// the flag `OtherClock`.
pub const USUAL_NOW_MS: u64 = 1_700_000_000_000;

/// The reasons a vector may name, in the order in which they are reported.
pub const REASONS: &[&str] = &[
    "bad-secret",
    "missing-target",
    "missing-header",
    "repeated-header",
    "malformed-header",
    "too-many-signatures",
    "unsupported-version",
    "missing-digest",
    "unknown-key",
    "malformed-body",
    "bad-encoding",
    "signature-mismatch",
    "timestamp-too-old",
    "timestamp-in-future",
];

/// The reasons that `eventsError` may name: a good signature over a body without a usable identity.
pub const EVENT_REASONS: &[&str] =
    &["malformed-body", "missing-field", "repeated-field", "id-mismatch"];
