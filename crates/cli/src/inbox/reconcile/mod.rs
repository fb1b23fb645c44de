//! `hookproof inbox reconcile`: the sender's own list against what was received and done.

mod compare;
mod ids;
mod keys;

use serde_json::{Value, json};

use super::args::ReconcileArgs;
use super::count;
use super::database::Inbox;
use super::table::Table;
use crate::failure::{Ending, Failure, Outcome};
use crate::library;
use crate::output::{BAD, GOOD, Screen, WARN, paint, plain_line};
use compare::{Differences, Doubled, Open};

/// Runs the command.
pub(crate) async fn run<I: Inbox>(inbox: &I, args: &ReconcileArgs, screen: &mut Screen) -> Outcome {
    let bytes = library::read_input(&args.ids, false)?;
    let ids = ids::read(&bytes, args.column.as_deref()).map_err(|error| {
        Failure::of_kind("bad-list", format!("{}: {error}", args.ids.display()))
    })?;
    let found = compare::run(inbox, args, &ids).await?;
    if args.json {
        screen.json(&object(ids.len(), &found));
    } else {
        print(ids.len(), &found, screen);
    }
    Ok(Ending::good_if(found.is_empty()))
}

fn print(ids: usize, found: &Differences, screen: &mut Screen) {
    let all = count(u64::try_from(ids).unwrap_or(u64::MAX), "id", "ids");
    if found.is_empty() {
        screen.line(format_args!("{}  {all}: all received, and done once", paint(GOOD, "agrees")));
    } else {
        screen.line(format_args!(
            "{}  {all}: {} never received, {} not done, {} done twice",
            paint(BAD, "differs"),
            found.never.len(),
            found.open.len(),
            found.doubled.len(),
        ));
    }
    let rows = found.never.iter().map(|id| (id, "never received".to_owned()));
    let rows = rows.chain(found.open.iter().map(|open| (&open.id, open.line())));
    let rows: Vec<_> =
        rows.chain(found.doubled.iter().map(|doubled| (&doubled.id, doubled.line()))).collect();
    if !rows.is_empty() {
        let mut table = Table::new(&["id", "what"]);
        for (id, what) in rows {
            table.row(&[id.clone(), what]);
        }
        table.print(screen);
    }
    for perhaps in &found.perhaps {
        screen.line(format_args!(
            "{}  {}",
            paint(WARN, "perhaps"),
            plain_line(format_args!("{}: {}", perhaps.id, perhaps.line()))
        ));
    }
}

fn object(ids: usize, found: &Differences) -> Value {
    let open = |open: &Open| json!({ "id": open.id, "event": open.event.as_u64(), "state": open.state.as_str() });
    let doubled = |doubled: &Doubled| {
        let events: Vec<u64> = doubled.events.iter().map(|event| event.as_u64()).collect();
        json!({ "id": doubled.id, "events": events, "why": doubled.why.as_str() })
    };
    json!({
        "ids": ids,
        "neverReceived": found.never,
        "notDone": found.open.iter().map(open).collect::<Value>(),
        "doneTwice": found.doubled.iter().map(doubled).collect::<Value>(),
        "perhapsDoneTwice": found.perhaps.iter().map(doubled).collect::<Value>(),
    })
}
