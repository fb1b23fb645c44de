//! Verification of a log: which rows were changed, removed, inserted or cut off.

use core::fmt;

use super::{Head, LedgerRow, LinkRow, Sealing, checkpoint_leaf, genesis, link};
use crate::id::{Digest, EventId};

/// How many findings a report names; the rest is counted.
const MAX_FINDINGS: usize = 1000;

/// A verification in progress. It takes the rows of the chain in order, each with the recorded row for which it stands.
#[derive(Debug)]
pub struct Audit {
    log: Box<str>,
    heads: Vec<Head>,
    before: Option<Digest>,
    next: u64,
    checkpoints: Vec<u64>,
    /// Runs of rows whose recorded rows are gone: first and last sequence number, and the first's event.
    gone: Vec<(u64, u64, EventId)>,
    highest: Option<EventId>,
    /// The highest sequence number at which a head was compared and agreed.
    agreed: Option<u64>,
    unsealed: u64,
    report: Report,
}

impl Audit {
    /// A verification of this log against heads that were exported and kept elsewhere, in any order; none is possible.
    #[must_use]
    pub fn new(log: &str, mut heads: Vec<Head>) -> Self {
        let mut report = Report::default();
        heads.sort_by_key(Head::seq);
        heads.retain(|head| {
            let own = head.log() == log;
            if !own {
                report.add(Finding::OtherLog { seq: head.seq() });
            }
            own
        });
        Self {
            log: log.into(),
            heads,
            before: Some(genesis(log)),
            next: 1,
            checkpoints: Vec::new(),
            gone: Vec::new(),
            highest: None,
            agreed: None,
            unsealed: 0,
            report,
        }
    }

    /// Takes the next row of the chain, and the recorded row for which it stands if there is one.
    pub fn row(&mut self, row: &LinkRow, entry: Option<&LedgerRow>) {
        self.follow(row);
        match (row.what, entry) {
            (Sealing::Checkpoint { before, at }, _) => {
                self.checkpoints.push(row.seq);
                let known = self.before.is_none_or(|own| own == before);
                if !known || checkpoint_leaf(row.seq, before, at) != row.leaf {
                    self.report.add(Finding::ChainChanged { seq: row.seq });
                }
                self.before = Some(before);
            }
            (Sealing::Entry(id), Some(entry)) => {
                if entry.id != id || entry.leaf() != row.leaf {
                    self.report.add(Finding::Changed { seq: row.seq, entry: id });
                }
                self.highest = self.highest.max(Some(id));
            }
            (Sealing::Entry(id), None) => {
                self.highest = self.highest.max(Some(id));
                match self.gone.last_mut() {
                    Some((_, last, _)) if last.checked_add(1) == Some(row.seq) => *last = row.seq,
                    _ => self.gone.push((row.seq, row.seq, id)),
                }
            }
        }
        // Without the link before it, after a gap, a row vouches for nothing but what follows.
        if self.before.is_some_and(|before| link(row.seq, before, row.leaf) != row.link) {
            self.report.add(Finding::ChainChanged { seq: row.seq });
        }
        self.before = Some(row.link);
        self.report.rows += 1;
        self.compare(row);
    }

    /// Takes a recorded row that is in no row of the chain.
    pub fn unsealed(&mut self, entry: &LedgerRow) {
        if self.highest.is_some_and(|highest| entry.id < highest) {
            self.report.add(Finding::Inserted { entry: entry.id });
        } else {
            self.unsealed += 1;
        }
    }

    /// What was found.
    pub fn finish(mut self) -> Report {
        let last = self.next.saturating_sub(1);
        for head in &self.heads {
            // A log without rows agrees with the head that it started with.
            if head.seq() == 0 {
                let started = head.link() == genesis(&self.log);
                let finding = Finding::Rewritten { after: 0, until: 0 };
                if started {
                    self.agreed = self.agreed.max(Some(0))
                } else {
                    self.report.add(finding)
                }
            } else if head.seq() > last {
                self.report.add(Finding::CutOff { last, head: head.seq() });
            }
        }
        // With heads, only a checkpoint that one of them covers may explain that rows are gone.
        let covered = self.heads.last().map_or(u64::MAX, Head::seq);
        let checkpoint = self.checkpoints.iter().rev().find(|seq| **seq <= covered);
        let checkpoint = checkpoint.copied().unwrap_or(0);
        for (first, until, entry) in core::mem::take(&mut self.gone) {
            if until < checkpoint {
                continue;
            }
            // Only the run's first row has a known number; what follows is named by sequence.
            let first = first.max(checkpoint);
            self.report.add(Finding::Removed { first, last: until, entry });
        }
        // A chain may begin anywhere below a checkpoint: the checkpoint's leaf binds what is before it.
        if let Some(first) = self.report.first.filter(|first| *first > 1 && checkpoint < *first) {
            self.report.add(Finding::Gap { first: 1, last: first - 1 });
        }
        self.report.proven_to = self.agreed;
        self.report.unsealed = self.unsealed;
        self.report.last = last;
        self.report
    }

    fn follow(&mut self, row: &LinkRow) {
        if self.report.first.is_none() {
            self.report.first = Some(row.seq);
            if row.seq != 1 {
                self.before = None;
            }
        } else if row.seq != self.next {
            let finding = if row.seq > self.next {
                Finding::Gap { first: self.next, last: row.seq - 1 }
            } else {
                Finding::ChainChanged { seq: row.seq }
            };
            self.report.add(finding);
            self.before = None;
        }
        self.next = row.seq.saturating_add(1);
    }

    fn compare(&mut self, row: &LinkRow) {
        let heads = self.heads.iter().filter(|head| head.seq() == row.seq);
        let mut rewritten = false;
        let mut agreed = false;
        for head in heads {
            if head.link() == row.link { agreed = true } else { rewritten = true }
        }
        if rewritten {
            let after = self.agreed.unwrap_or(0);
            self.report.add(Finding::Rewritten { after, until: row.seq });
        } else if agreed {
            self.agreed = Some(row.seq);
        }
    }
}

/// Something that is wrong with a log.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Finding {
    /// The row of the chain itself was changed, or one was put in before it.
    ChainChanged {
        /// Its sequence number.
        seq: u64,
    },
    /// The recorded row was changed after it was sealed.
    Changed {
        /// Its sequence number.
        seq: u64,
        /// The event.
        entry: EventId,
    },
    /// The log ends before an exported head.
    CutOff {
        /// The last sequence number that is left.
        last: u64,
        /// That of the head.
        head: u64,
    },
    /// Rows of the chain are missing.
    Gap {
        /// The first sequence number that is missing.
        first: u64,
        /// The last.
        last: u64,
    },
    /// A recorded row is in no row of the chain although later ones are: it was put in later, or its transaction was open
    /// while later ones were sealed. Seal, and verify again.
    Inserted {
        /// The event.
        entry: EventId,
    },
    /// An exported head is that of another log.
    OtherLog {
        /// Its sequence number.
        seq: u64,
    },
    /// Recorded rows are gone, and no checkpoint explains that.
    Removed {
        /// The first sequence number.
        first: u64,
        /// The last.
        last: u64,
        /// The event of the first row that is gone in this run.
        entry: EventId,
    },
    /// The chain is not the one of the exported head: rows up to it were changed, and the links computed anew.
    Rewritten {
        /// The last sequence number at which an exported head agrees, 0 if none does.
        after: u64,
        /// That of the head that does not.
        until: u64,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChainChanged { seq } => {
                write!(f, "row {seq} of the chain was changed, or one was put in before it")
            }
            Self::Changed { seq, entry } => {
                write!(f, "event {entry}, row {seq}, was changed after it was sealed")
            }
            Self::CutOff { last, head } => {
                write!(f, "the log ends at row {last}, before the exported head at row {head}")
            }
            Self::Gap { first, last } => {
                write!(f, "rows {first} to {last} of the chain are missing")
            }
            Self::Inserted { entry } => {
                write!(f, "event {entry} was put in after later ones were sealed")
            }
            Self::OtherLog { seq } => {
                write!(f, "the exported head at row {seq} is that of another log")
            }
            Self::Removed { first, last, entry } => {
                write!(f, "rows {first} to {last}, from event {entry} on, were removed")
            }
            Self::Rewritten { after, until } => write!(
                f,
                "the chain was rewritten after row {after}, up to the exported head at row {until}"
            ),
        }
    }
}

/// The answer of a verification.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Status {
    /// Something is wrong.
    Broken,
    /// Nothing is wrong, and no exported head was there to compare with: consistent, not proven.
    Consistent,
    /// Nothing is wrong, and an exported head agrees.
    Proven,
}

/// What a verification found.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct Report {
    /// How many rows of the chain were read.
    pub rows: u64,
    /// The first sequence number; above 1 after a purge.
    pub first: Option<u64>,
    /// The last sequence number.
    pub last: u64,
    /// Up to which sequence number exported heads agree. Rows after it are consistent, not proven.
    pub proven_to: Option<u64>,
    /// How many recorded rows wait to be sealed.
    pub unsealed: u64,
    /// What is wrong, at most 1,000 of it.
    pub findings: Vec<Finding>,
    /// How much is wrong in all.
    pub faults: u64,
}

impl Report {
    /// The answer in a word.
    #[must_use]
    pub const fn status(&self) -> Status {
        match (self.faults, self.proven_to) {
            (0, Some(_)) => Status::Proven,
            (0, None) => Status::Consistent,
            _ => Status::Broken,
        }
    }

    fn add(&mut self, finding: Finding) {
        if self.findings.last() == Some(&finding) {
            return;
        }
        self.faults += 1;
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        }
    }
}
