use super::*;
use crate::id::EndpointId;

const LOG: &str = "orders";

fn at(secs: u64) -> UnixTime {
    UnixTime::from_secs(secs)
}

fn entry(id: u64) -> LedgerRow {
    let key = (!id.is_multiple_of(3)).then(|| Key::new(format!("stripe/evt_{id}")).unwrap());
    let content = Digest::of(&id.to_be_bytes());
    LedgerRow::new(
        EventId::from_u64(id),
        EndpointId::new("e").unwrap(),
        key,
        content,
        content,
        at(id),
    )
}

struct Log {
    entries: Vec<LedgerRow>,
    rows: Vec<LinkRow>,
    heads: Vec<Head>,
}

impl Log {
    /// Ten entries in three batches with a checkpoint after the second; heads after each.
    fn new() -> Self {
        let entries: Vec<LedgerRow> = (1..=10).map(entry).collect();
        let mut head = Head::start(LOG).unwrap();
        let (mut rows, mut heads) = (Vec::new(), Vec::new());
        for (batch, part) in [(0, 0..4), (1, 4..7), (2, 7..10)] {
            let (more, next) = head.seal(&entries[part], at(100 + batch));
            rows.extend(more);
            head = next;
            if batch == 1 {
                let (row, next) = head.checkpoint(at(200));
                rows.push(row);
                head = next;
            }
            heads.push(head.clone());
        }
        Self { entries, rows, heads }
    }

    fn audit(&self, heads: &[Head]) -> Report {
        let mut audit = Audit::new(LOG, heads.to_vec());
        let mut sealed = Vec::new();
        for row in &self.rows {
            let entry = match row.what {
                Sealing::Entry(id) => {
                    sealed.push(id);
                    self.entries.iter().find(|entry| entry.id == id)
                }
                Sealing::Checkpoint { .. } => None,
            };
            audit.row(row, entry);
        }
        for entry in self.entries.iter().filter(|entry| !sealed.contains(&entry.id)) {
            audit.unsealed(entry);
        }
        audit.finish()
    }

    /// All links computed anew, as somebody who can write to the database does.
    fn rewrite(&mut self) {
        let mut before = genesis(LOG);
        for (row, seq) in self.rows.iter_mut().zip(1..) {
            row.seq = seq;
            match &mut row.what {
                Sealing::Entry(id) => {
                    let entry = self.entries.iter().find(|entry| entry.id == *id);
                    row.leaf = entry.map_or(row.leaf, LedgerRow::leaf);
                }
                Sealing::Checkpoint { before: own, at } => {
                    *own = before;
                    row.leaf = checkpoint_leaf(seq, before, *at);
                }
            }
            row.link = link(row.seq, before, row.leaf);
            before = row.link;
        }
    }
}

fn id(number: u64) -> EventId {
    EventId::from_u64(number)
}

#[test]
fn an_untouched_log_is_proven_by_its_head() {
    let log = Log::new();
    let report = log.audit(&log.heads);
    assert_eq!((report.status(), report.proven_to, report.rows), (Status::Proven, Some(11), 11));
    let early = log.audit(&log.heads[..1]);
    assert_eq!((early.status(), early.proven_to), (Status::Proven, Some(4)));
    assert_eq!(log.audit(&[]).status(), Status::Consistent);
    let empty = Audit::new(LOG, vec![Head::start(LOG).unwrap()]).finish();
    assert_eq!((empty.status(), empty.proven_to), (Status::Proven, Some(0)));
    let other = log.audit(&[Head::start("other").unwrap()]);
    assert_eq!(other.findings, [Finding::OtherLog { seq: 0 }]);
}

#[test]
fn every_change_of_a_recorded_row_is_named() {
    let changes: [fn(&mut LedgerRow); 5] = [
        |row| row.endpoint = EndpointId::new("f").unwrap(),
        |row| row.key = None,
        |row| row.content = Digest::of(b"other"),
        |row| row.body = Digest::of(b"other"),
        |row| row.first_seen = at(0),
    ];
    for change in changes {
        let mut log = Log::new();
        change(&mut log.entries[4]);
        let changed = [Finding::Changed { seq: 5, entry: id(5) }];
        assert_eq!(log.audit(&log.heads).findings, changed);
        assert_eq!(log.audit(&[]).findings, changed, "without a head, too");
    }
}

#[test]
fn removed_rows_are_named() {
    let mut log = Log::new();
    log.entries.remove(8);
    let removed = [Finding::Removed { first: 10, last: 10, entry: id(9) }];
    assert_eq!(log.audit(&log.heads).findings, removed);
    // Below the checkpoint a purge explains it.
    let mut log = Log::new();
    log.entries.drain(0..7);
    assert_eq!(log.audit(&log.heads).status(), Status::Proven);
    // A checkpoint that no exported head covers explains nothing.
    assert_eq!(
        log.audit(&log.heads[..1]).findings,
        [Finding::Removed { first: 1, last: 7, entry: id(1) }]
    );
    // The rows of the chain below the checkpoint may go, too.
    log.rows.drain(0..7);
    let report = log.audit(&log.heads[1..]);
    assert_eq!((report.status(), report.first), (Status::Proven, Some(8)));
    // But not beyond it.
    log.rows.remove(0);
    let report = log.audit(&log.heads[1..]);
    assert!(report.findings.contains(&Finding::Gap { first: 1, last: 8 }), "{:?}", report.findings);
}

#[test]
fn rows_of_the_chain_cannot_be_changed_or_removed() {
    let mut log = Log::new();
    log.rows[5].link = Digest::of(b"other");
    let findings = log.audit(&log.heads).findings;
    assert_eq!(findings, [Finding::ChainChanged { seq: 6 }, Finding::ChainChanged { seq: 7 }]);
    let mut log = Log::new();
    log.rows.remove(2);
    assert_eq!(
        log.audit(&log.heads).findings,
        [Finding::Gap { first: 3, last: 3 }, Finding::Inserted { entry: id(3) }]
    );
    let mut log = Log::new();
    log.rows.swap(1, 2);
    assert!(log.audit(&log.heads).faults >= 2);
}

#[test]
fn a_cut_off_end_shows_only_against_a_head() {
    let mut log = Log::new();
    log.rows.truncate(9);
    log.entries.truncate(8);
    assert_eq!(log.audit(&[]).status(), Status::Consistent);
    assert_eq!(log.audit(&log.heads).findings, [Finding::CutOff { last: 9, head: 11 }]);
}

#[test]
fn a_rewritten_log_shows_only_against_a_head() {
    let mut log = Log::new();
    log.entries[5].content = Digest::of(b"forged");
    log.rewrite();
    assert_eq!(log.audit(&[]).status(), Status::Consistent);
    let findings = log.audit(&log.heads).findings;
    assert_eq!(
        findings,
        [Finding::Rewritten { after: 4, until: 8 }, Finding::Rewritten { after: 4, until: 11 }]
    );
    // An entry that was put in among the others.
    let mut log = Log::new();
    log.entries.push(entry(77));
    log.rows.insert(2, LinkRow::new(0, Sealing::Entry(id(77)), entry(77).leaf(), genesis("")));
    log.rewrite();
    assert_eq!(log.audit(&[]).status(), Status::Consistent);
    assert_eq!(log.audit(&log.heads).findings[0], Finding::Rewritten { after: 0, until: 4 });
}

#[test]
fn rows_that_were_never_sealed_are_told() {
    let mut log = Log::new();
    log.entries.push(entry(11));
    let report = log.audit(&log.heads);
    assert_eq!((report.status(), report.unsealed), (Status::Proven, 1));
    log.entries.push(LedgerRow { id: id(0), ..entry(1) });
    assert_eq!(log.audit(&log.heads).findings, [Finding::Inserted { entry: id(0) }]);
}

#[test]
fn heads_have_one_text() {
    let log = Log::new();
    for head in &log.heads {
        assert_eq!(&head.to_string().parse::<Head>().unwrap(), head);
        let parts = Head::from_parts(head.log(), head.seq(), head.link(), head.at());
        assert_eq!(parts.as_ref(), Ok(head));
    }
    let text = log.heads[0].to_string();
    for bad in [
        String::new(),
        text.replace("/1 ", "/2 "),
        text.replace(" 4 ", " 04 "),
        text.replace(" 4 ", " +4 "),
        text.replace(' ', "  "),
        format!("{text} x"),
    ] {
        assert_eq!(bad.parse::<Head>(), Err(HeadError), "{bad}");
    }
    assert_eq!(Head::start("a b"), Err(HeadError));
}

/// Each finding as a sentence that names its place.
#[test]
fn findings_are_sentences() {
    for (finding, sentence) in [
        (
            Finding::ChainChanged { seq: 1 },
            "row 1 of the chain was changed, or one was put in before it",
        ),
        (
            Finding::Changed { seq: 1, entry: id(2) },
            "event 2, row 1, was changed after it was sealed",
        ),
        (
            Finding::CutOff { last: 1, head: 2 },
            "the log ends at row 1, before the exported head at row 2",
        ),
        (Finding::Gap { first: 1, last: 2 }, "rows 1 to 2 of the chain are missing"),
        (Finding::Inserted { entry: id(2) }, "event 2 was put in after later ones were sealed"),
        (Finding::OtherLog { seq: 1 }, "the exported head at row 1 is that of another log"),
        (
            Finding::Removed { first: 1, last: 2, entry: id(3) },
            "rows 1 to 2, from event 3 on, were removed",
        ),
        (
            Finding::Rewritten { after: 1, until: 2 },
            "the chain was rewritten after row 1, up to the exported head at row 2",
        ),
    ] {
        assert_eq!(finding.to_string(), sentence);
    }
    assert!(HeadError.to_string().starts_with("a head is one line `hookproof-head/1 NAME"));
}

/// Runs of removed rows are told one by one, and what a purge explains is left out of a run.
#[test]
fn runs_of_removed_rows_are_told_one_by_one() {
    let mut log = Log::new();
    log.entries.retain(|entry| ![9, 10].contains(&entry.id.as_u64()));
    let run = Finding::Removed { first: 10, last: 11, entry: id(9) };
    assert_eq!(log.audit(&log.heads).findings, [run]);
    log.entries.retain(|entry| ![1, 2].contains(&entry.id.as_u64()));
    assert_eq!(log.audit(&log.heads).findings, [run], "below the checkpoint");
    assert_eq!(
        log.audit(&log.heads[..1]).findings,
        [Finding::Removed { first: 1, last: 2, entry: id(1) }, run],
        "no head covers the checkpoint"
    );
}

#[test]
fn a_checkpoint_is_bound_to_its_place() {
    let changes: [fn(&mut Digest, &mut UnixTime); 2] =
        [|before, _| *before = Digest::of(b"other"), |_, own| *own = at(201)];
    for change in changes {
        let mut log = Log::new();
        let Sealing::Checkpoint { before, at } = &mut log.rows[7].what else {
            panic!("no checkpoint")
        };
        change(before, at);
        let findings = log.audit(&log.heads).findings;
        assert_eq!(findings[0], Finding::ChainChanged { seq: 8 });
    }
    // Rows before it that were taken away do not keep it from vouching for what follows.
    let mut log = Log::new();
    log.rows.drain(..7);
    log.entries.drain(..7);
    let report = log.audit(&log.heads[1..]);
    assert_eq!((report.status(), report.first, report.last), (Status::Proven, Some(8), 11));
    log.rows[0].leaf = Digest::of(b"other");
    assert_eq!(log.audit(&log.heads[1..]).findings[0], Finding::ChainChanged { seq: 8 });
}

#[test]
fn findings_are_bounded() {
    let mut log = Log::new();
    log.entries.clear();
    log.rows.clear();
    let mut head = Head::start(LOG).unwrap();
    for number in 0..3000 {
        let (rows, next) = head.seal(&[entry(number)], at(1));
        head = next;
        log.rows.extend(rows);
        let mut changed = entry(number);
        changed.first_seen = at(9_999_999);
        log.entries.push(changed);
    }
    let report = log.audit(&[]);
    assert_eq!((report.findings.len(), report.faults), (1000, 3000));
}
