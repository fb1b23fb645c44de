//! The chain against the vectors of `conformance-vectors/chain`, which an independent program computed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test helpers outside `#[test]` functions"
)]

use hookproof::UnixTime;
use hookproof_inbox::chain::{
    Audit, Finding, Head, LinkRow, Sealing, Status, checkpoint_leaf, genesis, link,
};
use hookproof_inbox::{Digest, EndpointId, EventId, Key, LedgerRow};
use serde_json::Value;

fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance-vectors/chain/chain.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().unwrap()
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} of {value}"))
}

fn number(value: &Value, name: &str) -> u64 {
    text(value, name).parse().unwrap()
}

fn digest(value: &Value, name: &str) -> Digest {
    Digest::from_hex(text(value, name)).unwrap()
}

fn time(value: &Value, name: &str) -> UnixTime {
    UnixTime::from_millis(number(value, name))
}

/// A recorded row; `None` if it cannot be one, as with an empty key.
fn ledger_row(value: &Value) -> Option<LedgerRow> {
    let key = match value["key"].as_str() {
        Some(key) => Some(Key::new(key).ok()?),
        None => None,
    };
    Some(LedgerRow::new(
        EventId::from_u64(number(value, "id")),
        EndpointId::new(text(value, "endpoint")).unwrap(),
        key,
        digest(value, "content"),
        digest(value, "body"),
        time(value, "firstSeenMs"),
    ))
}

fn link_row(value: &Value) -> LinkRow {
    let what = match value["entry"].as_str() {
        Some(id) => Sealing::Entry(EventId::from_u64(id.parse().unwrap())),
        None => Sealing::Checkpoint { before: digest(value, "before"), at: time(value, "atMs") },
    };
    LinkRow::new(number(value, "seq"), what, digest(value, "leaf"), digest(value, "link"))
}

fn finding(value: &Value) -> Finding {
    let of = |name| number(value, name);
    let entry = || EventId::from_u64(of("entry"));
    match text(value, "kind") {
        "chain-changed" => Finding::ChainChanged { seq: of("seq") },
        "changed" => Finding::Changed { seq: of("seq"), entry: entry() },
        "cut-off" => Finding::CutOff { last: of("last"), head: of("head") },
        "gap" => Finding::Gap { first: of("first"), last: of("last") },
        "inserted" => Finding::Inserted { entry: entry() },
        "other-log" => Finding::OtherLog { seq: of("seq") },
        "removed" => Finding::Removed { first: of("first"), last: of("last"), entry: entry() },
        "rewritten" => Finding::Rewritten { after: of("after"), until: of("until") },
        other => panic!("{other}"),
    }
}

#[test]
fn leaves_and_links() {
    let vectors = vectors();
    for case in list(&vectors, "genesis") {
        assert_eq!(genesis(text(case, "log")), digest(case, "link"), "{case}");
    }
    for case in list(&vectors, "entries") {
        assert_eq!(ledger_row(case).unwrap().leaf(), digest(case, "leaf"), "{case}");
    }
    for case in list(&vectors, "checkpoints") {
        let leaf = checkpoint_leaf(number(case, "seq"), digest(case, "before"), time(case, "atMs"));
        assert_eq!(leaf, digest(case, "leaf"), "{case}");
    }
    for case in list(&vectors, "links") {
        let computed = link(number(case, "seq"), digest(case, "before"), digest(case, "leaf"));
        assert_eq!(computed, digest(case, "link"), "{case}");
    }
}

#[test]
fn logs() {
    let vectors = vectors();
    let cases = list(&vectors, "logs");
    assert!(cases.len() >= 25);
    for case in cases {
        let name = text(case, "name");
        let Some(ledger) = list(case, "ledger").iter().map(ledger_row).collect::<Option<Vec<_>>>()
        else {
            // A row that no store can hold.
            assert_eq!(name, "empty-key-is-not-no-key");
            continue;
        };
        let chain: Vec<LinkRow> = list(case, "chain").iter().map(link_row).collect();
        let heads =
            list(case, "heads").iter().map(|head| head.as_str().unwrap().parse::<Head>().unwrap());
        let mut audit = Audit::new(text(case, "log"), heads.collect());
        for row in &chain {
            audit.row(row, ledger.iter().find(|entry| row.what == Sealing::Entry(entry.id)));
        }
        for entry in &ledger {
            if !chain.iter().any(|row| row.what == Sealing::Entry(entry.id)) {
                audit.unsealed(entry);
            }
        }
        let report = audit.finish();
        let status = match report.status() {
            Status::Proven => "proven",
            Status::Consistent => "consistent",
            _ => "broken",
        };
        let mut expected: Vec<Finding> = list(case, "findings").iter().map(finding).collect();
        let mut found = report.findings.clone();
        for findings in [&mut expected, &mut found] {
            findings.sort_by_key(|finding| format!("{finding:?}"));
        }
        assert_eq!(found, expected, "{name}");
        assert_eq!(status, text(case, "status"), "{name}");
        let proven_to = case["provenTo"].as_str().map(|number| number.parse::<u64>().unwrap());
        assert_eq!(report.proven_to, proven_to, "{name}");
        assert_eq!(report.unsealed, number(case, "unsealed"), "{name}");
    }
}

#[test]
fn sealing_gives_the_vectors_links() {
    let vectors = vectors();
    let case =
        list(&vectors, "logs").iter().find(|case| text(case, "name") == "untouched").unwrap();
    let ledger: Vec<LedgerRow> =
        list(case, "ledger").iter().map(|row| ledger_row(row).unwrap()).collect();
    let mut head = Head::start(text(case, "log")).unwrap();
    for row in list(case, "chain").iter().map(link_row) {
        let sealed = match row.what {
            Sealing::Checkpoint { at, .. } => {
                let (sealed, next) = head.checkpoint(at);
                head = next;
                sealed
            }
            Sealing::Entry(id) => {
                let entry = ledger.iter().find(|entry| entry.id == id).unwrap();
                let (sealed, next) = head.seal(std::slice::from_ref(entry), UnixTime::from_secs(0));
                head = next;
                sealed[0]
            }
            _ => panic!("{row:?}"),
        };
        assert_eq!(sealed, row);
    }
}
