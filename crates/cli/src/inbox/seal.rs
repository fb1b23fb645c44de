//! `hookproof inbox seal`: the recorded rows become rows of the chain, and its head is exported.

use std::path::Path;

use hookproof_inbox::Log as _;
use hookproof_inbox::chain::Head;
use serde_json::json;

use super::args::SealArgs;
use super::database::Inbox;
use super::event::moment;
use super::{count, export, no_log, now};
use crate::failure::{Ending, Failure, Outcome};
use crate::output::{self, Screen};

/// How many rows are sealed in one transaction.
const BATCH: u32 = 1000;

/// Whether a checkpoint is added.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Checkpoint {
    Add,
    None,
}

/// What a sealing did.
pub(crate) enum Sealed {
    /// So many rows were sealed, and this is the head now.
    Done(u64, Head),
    /// The exported head does not agree with the log: why. Nothing was done.
    Refused(String),
}

/// Runs the command.
pub(crate) async fn run<I: Inbox>(inbox: &I, args: &SealArgs, screen: &mut Screen) -> Outcome {
    let checkpoint = if args.checkpoint { Checkpoint::Add } else { Checkpoint::None };
    let (sealed, head) = match seal(inbox, checkpoint, args.head.as_deref()).await? {
        Sealed::Done(sealed, head) => (sealed, head),
        Sealed::Refused(why) => {
            return Ok(refuse(args.head.as_deref(), &why, args.json, screen));
        }
    };
    if args.json {
        screen.json(&json!({
            "log": head.log(), "sealed": sealed, "checkpoint": args.checkpoint, "seq": head.seq(),
            "link": head.link().to_string(), "at": moment(head.at()), "head": head.to_string(),
        }));
    } else {
        let checkpoint = if args.checkpoint { ", and a checkpoint" } else { "" };
        screen.line(format_args!(
            "{}{checkpoint}; the head of the log:",
            count(sealed, "row sealed", "rows sealed")
        ));
        screen.line(&head);
    }
    if args.head.is_none() && !args.json {
        output::warn(
            "the head proves something only where whoever can write to the database cannot change it: keep it elsewhere",
        );
    }
    Ok(Ending::Good)
}

/// Says why nothing was done.
pub(crate) fn refuse(file: Option<&Path>, why: &str, json: bool, screen: &mut Screen) -> Ending {
    let shown = file.map(|path| path.display().to_string()).unwrap_or_default();
    let message = format!(
        "the head in {shown} does not agree with the log: {why}. Nothing was done, and the file is as it was; \
         `hookproof inbox verify --head {shown}` says more"
    );
    if json {
        screen
            .json(&json!({ "verdict": "rejected", "kind": "head-disagrees", "message": message }));
    }
    output::error(message);
    Ending::Bad
}

/// Seals all rows, adds a checkpoint if that is wanted, and exports the head if there is a file for it. The file's present
/// head has to agree with the log.
pub(crate) async fn seal<I: Inbox>(
    inbox: &I,
    checkpoint: Checkpoint,
    file: Option<&Path>,
) -> Result<Sealed, Failure> {
    let store = inbox.store();
    let kept = file
        .map(|path| export::read(path, export::Missing::Allowed))
        .transpose()?
        .unwrap_or_default();
    let mut sealed = 0;
    // No one else seals between the comparison and the first sealing: one transaction.
    let mut open = inbox.write().await?;
    store.head(I::link(&mut open)).await.map_err(no_log)?;
    let (mut rows, mut head) = store.seal(I::link(&mut open), BATCH, now()).await?;
    for old in &kept {
        if let Some(why) = export::contradiction(store, I::link(&mut open), old).await? {
            return Ok(Sealed::Refused(why));
        }
    }
    I::end(open).await?;
    sealed += u64::from(rows);
    while rows == BATCH {
        let mut open = inbox.write().await?;
        (rows, head) = store.seal(I::link(&mut open), BATCH, now()).await?;
        I::end(open).await?;
        sealed += u64::from(rows);
    }
    if checkpoint == Checkpoint::Add {
        let mut open = inbox.write().await?;
        head = store.checkpoint(I::link(&mut open), now()).await?;
        I::end(open).await?;
    }
    if let Some(path) = file {
        export::write(path, &head)?;
    }
    Ok(Sealed::Done(sealed, head))
}
