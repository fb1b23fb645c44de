//! The head of a log: what is exported and kept elsewhere.

use core::fmt;
use core::str::FromStr;

use hookproof::UnixTime;

use super::{LedgerRow, LinkRow, Sealing, checkpoint_leaf, genesis, link};
use crate::id::{Digest, EndpointId};

/// The first word of an exported head.
const WORD: &str = "hookproof-head/1";

/// The head of a log. As text it is one line; a file of heads has one a line.
///
/// ```
/// use hookproof_inbox::chain::Head;
/// let head = Head::start("orders")?;
/// assert_eq!(head.to_string().parse::<Head>()?, head);
/// assert!(head.to_string().starts_with("hookproof-head/1 orders 0 "));
/// # Ok::<(), hookproof_inbox::chain::HeadError>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Head {
    log: EndpointId,
    seq: u64,
    link: Digest,
    at: UnixTime,
}

impl Head {
    /// The head of a log without rows. The name keeps the chains of two databases apart: 1 to 128 of
    /// `A-Z a-z 0-9 - _ . : /`.
    ///
    /// # Errors
    ///
    /// A [`HeadError`] if that is not a name.
    pub fn start(log: &str) -> Result<Self, HeadError> {
        let log = EndpointId::new(log).map_err(|_| HeadError)?;
        let link = genesis(log.as_str());
        Ok(Self { log, seq: 0, link, at: UnixTime::from_millis(0) })
    }

    /// A head as a store keeps it.
    ///
    /// # Errors
    ///
    /// A [`HeadError`] if `log` is not a name.
    pub fn from_parts(log: &str, seq: u64, link: Digest, at: UnixTime) -> Result<Self, HeadError> {
        let log = EndpointId::new(log).map_err(|_| HeadError)?;
        Ok(Self { log, seq, link, at })
    }

    /// The name of the log.
    #[must_use]
    pub fn log(&self) -> &str {
        self.log.as_str()
    }

    /// The sequence number of the last row; 0 without rows.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// The link of the last row.
    #[must_use]
    pub const fn link(&self) -> Digest {
        self.link
    }

    /// When the last row was sealed.
    #[must_use]
    pub const fn at(&self) -> UnixTime {
        self.at
    }

    /// The rows that continue the chain with these entries, and the new head.
    #[must_use]
    pub fn seal(&self, entries: &[LedgerRow], now: UnixTime) -> (Vec<LinkRow>, Self) {
        let mut head = self.clone();
        let rows = entries
            .iter()
            .map(|entry| head.append(Sealing::Entry(entry.id), entry.leaf(), now))
            .collect();
        (rows, head)
    }

    /// The row that continues the chain with a checkpoint, and the new head. Export it, then purge below.
    #[must_use]
    pub fn checkpoint(&self, now: UnixTime) -> (LinkRow, Self) {
        let mut head = self.clone();
        let leaf = checkpoint_leaf(self.seq.saturating_add(1), self.link, now);
        let row = head.append(Sealing::Checkpoint { before: self.link, at: now }, leaf, now);
        (row, head)
    }

    fn append(&mut self, what: Sealing, leaf: Digest, now: UnixTime) -> LinkRow {
        self.seq = self.seq.saturating_add(1);
        self.link = link(self.seq, self.link, leaf);
        self.at = now;
        LinkRow { seq: self.seq, what, leaf, link: self.link }
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { log, seq, link, at } = self;
        write!(f, "{WORD} {log} {seq} {link} {}", at.as_millis())
    }
}

impl FromStr for Head {
    type Err = HeadError;

    fn from_str(text: &str) -> Result<Self, HeadError> {
        let words: Vec<&str> = text.trim().split(' ').collect();
        let [WORD, log, seq, link, at] = words.as_slice() else { return Err(HeadError) };
        let number = |text: &str| {
            let canonical = text.parse().ok().filter(|number: &u64| number.to_string() == text);
            canonical.ok_or(HeadError)
        };
        Ok(Self {
            log: EndpointId::new(*log).map_err(|_| HeadError)?,
            seq: number(seq)?,
            link: Digest::from_hex(link).ok_or(HeadError)?,
            at: UnixTime::from_millis(number(at)?),
        })
    }
}

/// This is not the head of a log, or not the name of one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct HeadError;

impl fmt::Display for HeadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a head is one line `{WORD} NAME NUMBER DIGEST MILLISECONDS`, with a name of 1 to 128 of A-Z a-z 0-9 - _ . : /"
        )
    }
}

impl core::error::Error for HeadError {}
