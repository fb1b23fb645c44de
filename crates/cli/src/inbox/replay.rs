//! `hookproof inbox replay`: events to be worked on again.

use hookproof_inbox::{Replayed, Selection, State, Store as _};
use serde_json::json;

use super::args::ReplayArgs;
use super::database::Inbox;
use super::{count, find, now};
use crate::failure::{Ending, Failure, Outcome};
use crate::output::Screen;

/// Runs the command.
pub(crate) async fn run<I: Inbox>(inbox: &I, args: &ReplayArgs, screen: &mut Screen) -> Outcome {
    let selection = args.selection();
    let replayed = if args.dry_run {
        imagine(inbox, &selection).await?
    } else {
        let mut open = inbox.write().await?;
        let replayed = inbox.store().replay(I::link(&mut open), &selection, now()).await?;
        I::end(open).await?;
        replayed
    };
    if let (Some(id), 0, 0) = (args.id, replayed.events, replayed.skipped) {
        let mut open = inbox.write().await?;
        find::known(inbox.store(), I::link(&mut open), id).await?;
        return Err(Failure::new(format!("event {id} is none of those that the filters mean")));
    }
    if args.json {
        screen.json(&json!({
            "events": replayed.events, "skipped": replayed.skipped, "dryRun": args.dry_run,
        }));
        return Ok(Ending::Good);
    }
    let verb = if args.dry_run { "would be" } else { "will be" };
    screen
        .line(format_args!("{} {verb} worked on again", count(replayed.events, "event", "events")));
    if replayed.skipped > 0 {
        let waits = if replayed.skipped == 1 { "waits or is" } else { "wait or are" };
        screen.line(format_args!("{} skipped: {waits} in work anyway", replayed.skipped));
    }
    Ok(Ending::Good)
}

/// What a replay would do, without a lock on any row.
async fn imagine<I: Inbox>(inbox: &I, selection: &Selection) -> Result<Replayed, Failure> {
    let mut open = inbox.look().await?;
    let (mut events, mut skipped) = (0, 0);
    find::each(inbox.store(), I::link(&mut open), selection, |event| match event.progress.state {
        State::Waiting | State::InWork => skipped += 1,
        _ => events += 1,
    })
    .await?;
    Ok(Replayed::new(events, skipped))
}
