//! `hookproof inbox verify`: whether the log is what it was.

use hookproof_inbox::chain::{Finding, Report, Status};
use hookproof_inbox::{Log as _, verify_log};
use serde_json::{Value, json};

use super::args::VerifyArgs;
use super::database::Inbox;
use super::{count, export, no_log};
use crate::failure::{Ending, Outcome};
use crate::output::{BAD, GOOD, Screen, WARN, paint};

/// Runs the command.
pub(crate) async fn run<I: Inbox>(inbox: &I, args: &VerifyArgs, screen: &mut Screen) -> Outcome {
    let mut heads = Vec::new();
    for path in &args.head {
        heads.extend(export::read(path, export::Missing::Wrong)?);
    }
    let compared = !heads.is_empty();
    let store = inbox.store();
    let mut open = inbox.look().await?;
    let log = store.head(I::link(&mut open)).await.map_err(no_log)?.log().to_owned();
    let report = verify_log(store, I::link(&mut open), heads).await?;
    if args.json {
        screen.json(&object(&log, &report));
    } else {
        print(&log, &report, compared, screen);
    }
    // A head that could not be compared with anything is no proof, and was meant to be one.
    let proven = report.status() == Status::Proven;
    Ok(Ending::good_if(proven || report.status() == Status::Consistent && !compared))
}

fn print(log: &str, report: &Report, compared: bool, screen: &mut Screen) {
    let (word, style) = match report.status() {
        Status::Proven => ("proven", GOOD),
        Status::Consistent => ("consistent, not proven", WARN),
        _ => ("broken", BAD),
    };
    screen.line(format_args!("{}  {log}", paint(style, word)));
    let rows = count(report.rows, "row", "rows");
    match report.first {
        Some(first) => screen.line(format_args!("  {rows}, {first} to {}", report.last)),
        None => screen.line(format_args!("  {rows}")),
    }
    match report.proven_to {
        Some(row) if row < report.last => screen.line(format_args!(
            "  the exported head agrees at row {row}; the rows after it are consistent, not proven"
        )),
        Some(row) => screen.line(format_args!("  the exported head agrees at row {row}")),
        None if compared => screen.line("  no exported head agrees"),
        None => screen.line("  give --head with a head that was kept elsewhere: without one, a chain that was computed anew looks the same"),
    }
    if report.unsealed > 0 {
        let wait = count(report.unsealed, "recorded row waits", "recorded rows wait");
        screen.line(format_args!("  {wait} to be sealed"));
    }
    for finding in &report.findings {
        screen.line(format_args!("  {}  {finding}", paint(BAD, "wrong")));
    }
    let named = u64::try_from(report.findings.len()).unwrap_or(u64::MAX);
    if report.faults > named {
        screen.line(format_args!("  and {} more", report.faults - named));
    }
}

fn object(log: &str, report: &Report) -> Value {
    let status = match report.status() {
        Status::Proven => "proven",
        Status::Consistent => "consistent",
        _ => "broken",
    };
    json!({
        "status": status,
        "log": log,
        "rows": report.rows,
        "first": report.first,
        "last": report.last,
        "provenTo": report.proven_to,
        "unsealed": report.unsealed,
        "faults": report.faults,
        "findings": report.findings.iter().map(finding).collect::<Value>(),
    })
}

/// A finding, with the first and last row of the chain that it is about, and the event where one is named.
fn finding(finding: &Finding) -> Value {
    let (kind, first, last, event) = match finding {
        Finding::ChainChanged { seq } => ("chain-changed", Some(*seq), Some(*seq), None),
        Finding::Changed { seq, entry } => ("changed", Some(*seq), Some(*seq), Some(*entry)),
        Finding::CutOff { last, head } => ("cut-off", last.checked_add(1), Some(*head), None),
        Finding::Gap { first, last } => ("gap", Some(*first), Some(*last), None),
        Finding::Inserted { entry } => ("inserted", None, None, Some(*entry)),
        Finding::OtherLog { seq } => ("other-log", Some(*seq), Some(*seq), None),
        Finding::Removed { first, last, entry } => {
            ("removed", Some(*first), Some(*last), Some(*entry))
        }
        Finding::Rewritten { after, until } => {
            ("rewritten", after.checked_add(1), Some(*until), None)
        }
        _ => ("other", None, None, None),
    };
    json!({
        "kind": kind, "firstRow": first, "lastRow": last, "event": event.map(|event| event.as_u64()),
        "message": finding.to_string(),
    })
}
