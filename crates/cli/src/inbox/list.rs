//! `hookproof inbox list`, `dead` and `parked`: a page of events.

use hookproof_inbox::{EventRow, Page, State, Store as _};
use serde_json::Value;

use super::args::PageArgs;
use super::database::Inbox;
use super::event::{self, about, moment, or_dash};
use super::table::Table;
use crate::failure::{Ending, Outcome};
use crate::output::{DIM, Screen, paint};

/// Runs the command.
pub(crate) async fn run<I: Inbox>(
    inbox: &I,
    args: &PageArgs,
    state: Option<State>,
    screen: &mut Screen,
) -> Outcome {
    let selection = args.filter.selection(state);
    let mut page = Page::FIRST.limit(args.limit.get());
    page.after = args.after;
    let mut open = inbox.look().await?;
    let rows = inbox.store().list(I::link(&mut open), &selection, page).await?;
    if args.json {
        screen.json(&rows.iter().map(event::object).collect::<Value>());
        return Ok(Ending::Good);
    }
    if rows.is_empty() {
        screen.line(paint(DIM, "no events"));
        return Ok(Ending::Good);
    }
    print(&rows, state, screen);
    if let Some(last) = rows.last().filter(|_| u32::try_from(rows.len()).ok() == Some(page.limit)) {
        screen.line(paint(DIM, format_args!("there may be more: --after {}", last.id)));
    }
    Ok(Ending::Good)
}

/// Where all are in one state that somebody has to look at, the reason stands in place of the state.
fn print(rows: &[EventRow], state: Option<State>, screen: &mut Screen) {
    let reasons = matches!(state, Some(State::Dead | State::Parked));
    let last: &[&str] = if reasons { &["tries", "reason"] } else { &["state", "tries"] };
    let mut table = Table::new(&[&["id", "received", "endpoint", "kind", "about"], last].concat());
    for row in rows {
        let progress = &row.progress;
        let tries = progress.attempts.to_string();
        let last = if reasons {
            [tries, or_dash(progress.error.as_deref())]
        } else {
            [progress.state.to_string(), tries]
        };
        let first = [
            row.id.to_string(),
            moment(row.received_at),
            row.endpoint.to_string(),
            or_dash(row.kind.as_deref()),
            about(row),
        ];
        table.row(&[&first[..], &last[..]].concat());
    }
    table.print(screen);
}
