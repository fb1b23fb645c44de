//! A tamper-evident log: every recorded event becomes a row of a hash chain.
//!
//! A sealer gives the recorded rows their sequence numbers and links in batches, after they were recorded: chaining inside
//! the transaction that records would make all writers wait for one another.
//!
//! The log proves something only against a [`Head`] that was exported and is kept elsewhere. Without one, whoever can write
//! to the database can also compute a new chain; the answer is then "consistent, not proven".
//!
//! # Encoding
//!
//! Everything is SHA-256 over a domain, a NUL byte, and fields; a field is its length as 8 bytes, most significant first,
//! and its bytes; a number is a field of 8 bytes, most significant first.
//!
//! | value | domain | fields |
//! |---|---|---|
//! | start of the log | `hookproof/chain/genesis/1` | the log's name |
//! | leaf of an entry | `hookproof/chain/entry/1` | number of the event; endpoint; a byte 1 and the key, or a byte 0 and an empty field; content; digest of the body; time recorded, in ms |
//! | leaf of a checkpoint | `hookproof/chain/checkpoint/1` | sequence number; link before it; time, in ms |
//! | link | `hookproof/chain/link/1` | sequence number; link before it, or the start; leaf |
//!
//! Leaves hold digests, so that purging a payload leaves the chain whole. Rows of recorded keys may be purged below a
//! checkpoint: it holds the link before it, so that the chain can be followed from there.
//!
//! The test vectors are in `conformance-vectors/chain/`.
//!
//! ```
//! use hookproof::UnixTime;
//! use hookproof_inbox::chain::{Audit, Head, Status};
//! # use hookproof_inbox::{Digest, EndpointId, EventId, Key, LedgerRow};
//! # let entry = |id| LedgerRow::new(EventId::from_u64(id), EndpointId::new("e").unwrap(), Key::new("k").ok(),
//! #     Digest::of(b"c"), Digest::of(b"b"), UnixTime::from_secs(1));
//! # let ledger = [entry(1), entry(2)];
//! let start = Head::start("orders")?;
//! let (rows, head) = start.seal(&ledger, UnixTime::from_secs(2));
//! let kept_elsewhere = head.to_string();
//!
//! let mut audit = Audit::new("orders", vec![kept_elsewhere.parse()?]);
//! for (row, entry) in rows.iter().zip(&ledger) {
//!     audit.row(row, Some(entry));
//! }
//! assert_eq!(audit.finish().status(), Status::Proven);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod audit;
mod head;

use hookproof::UnixTime;
use sha2::{Digest as _, Sha256};

use crate::id::{Digest, EndpointId, EventId, Key};

pub use audit::{Audit, Finding, Report, Status};
pub use head::{Head, HeadError};

/// A recorded entry as the log covers it: the row of the table of keys.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LedgerRow {
    /// The number of the event.
    pub id: EventId,
    /// The endpoint.
    pub endpoint: EndpointId,
    /// The key, if it has one.
    pub key: Option<Key>,
    /// The digest of the event's own bytes without what the sender changes on a retry.
    pub content: Digest,
    /// The digest of the body that brought it.
    pub body: Digest,
    /// When it was recorded.
    pub first_seen: UnixTime,
}

impl LedgerRow {
    /// A row with all its fields.
    #[must_use]
    pub const fn new(
        id: EventId,
        endpoint: EndpointId,
        key: Option<Key>,
        content: Digest,
        body: Digest,
        first_seen: UnixTime,
    ) -> Self {
        Self { id, endpoint, key, content, body, first_seen }
    }

    /// The leaf of this row.
    #[must_use]
    pub fn leaf(&self) -> Digest {
        let key = self.key.as_ref();
        Fields::new("entry")
            .number(self.id.as_u64())
            .bytes(self.endpoint.as_str().as_bytes())
            .bytes(&[u8::from(key.is_some())])
            .bytes(key.map_or("", Key::as_str).as_bytes())
            .bytes(self.content.as_bytes())
            .bytes(self.body.as_bytes())
            .number(self.first_seen.as_millis())
            .digest()
    }
}

/// What a row of the chain stands for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Sealing {
    /// A checkpoint: rows below it may be purged.
    Checkpoint {
        /// The link before it; from here the chain can be followed without the rows below.
        before: Digest,
        /// When it was made.
        at: UnixTime,
    },
    /// A recorded entry.
    Entry(EventId),
}

/// A row of the chain.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct LinkRow {
    /// The sequence number, from 1, without gaps.
    pub seq: u64,
    /// What the row stands for.
    pub what: Sealing,
    /// The leaf.
    pub leaf: Digest,
    /// The link: over the sequence number, the link before it and the leaf.
    pub link: Digest,
}

impl LinkRow {
    /// A row as a store keeps it.
    #[must_use]
    pub const fn new(seq: u64, what: Sealing, leaf: Digest, link: Digest) -> Self {
        Self { seq, what, leaf, link }
    }
}

/// The link of a log without rows.
#[must_use]
pub fn genesis(log: &str) -> Digest {
    Fields::new("genesis").bytes(log.as_bytes()).digest()
}

/// The leaf of a checkpoint.
#[must_use]
pub fn checkpoint_leaf(seq: u64, before: Digest, at: UnixTime) -> Digest {
    Fields::new("checkpoint").number(seq).bytes(before.as_bytes()).number(at.as_millis()).digest()
}

/// The link of a row.
#[must_use]
pub fn link(seq: u64, before: Digest, leaf: Digest) -> Digest {
    Fields::new("link").number(seq).bytes(before.as_bytes()).bytes(leaf.as_bytes()).digest()
}

struct Fields(Sha256);

impl Fields {
    fn new(domain: &str) -> Self {
        let mut hash = Sha256::new();
        for part in ["hookproof/chain/", domain, "/1\0"] {
            hash.update(part);
        }
        Self(hash)
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
        self.0.update(bytes);
        self
    }

    fn number(self, number: u64) -> Self {
        self.bytes(&number.to_be_bytes())
    }

    fn digest(self) -> Digest {
        Digest::from_bytes(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests;
