//! `hookproof inbox settle` and `release`: a person's word on one event.

use hookproof_inbox::{Claim, EventRow, Store as _};

use super::args::{ReleaseArgs, SettleArgs};
use super::database::Inbox;
use super::{event, find, now};
use crate::failure::{Ending, Outcome};
use crate::output::{Screen, warn};

/// Marks an event as done by hand.
pub(crate) async fn settle<I: Inbox>(inbox: &I, args: &SettleArgs, screen: &mut Screen) -> Outcome {
    let store = inbox.store();
    let mut open = inbox.write().await?;
    let tx = I::link(&mut open);
    find::known(store, tx, args.id).await?;
    let settled = store.settle(tx, args.id, &args.reason, now()).await?;
    let event = find::known(store, tx, args.id).await?;
    I::end(open).await?;
    say(&event, args.json, screen);
    if !settled {
        warn(format_args!(
            "event {} was {} already, and was left as it is",
            event.id, event.progress.state
        ));
    }
    Ok(Ending::good_if(settled))
}

/// Takes an event from its worker.
pub(crate) async fn release<I: Inbox>(
    inbox: &I,
    args: &ReleaseArgs,
    screen: &mut Screen,
) -> Outcome {
    let store = inbox.store();
    let mut open = inbox.write().await?;
    let tx = I::link(&mut open);
    let claim = Claim::new(find::known(store, tx, args.id).await?);
    if let Some(claim) = &claim {
        store.release(tx, claim, now()).await?;
    }
    let event = find::known(store, tx, args.id).await?;
    I::end(open).await?;
    say(&event, args.json, screen);
    if claim.is_none() {
        warn(format_args!("no worker holds event {}, and it was left as it is", event.id));
    }
    Ok(Ending::good_if(claim.is_some()))
}

fn say(event: &EventRow, json: bool, screen: &mut Screen) {
    if json {
        screen.json(&event::object(event));
    } else {
        screen.line(format_args!("event {}  {}", event.id, event.progress.state));
    }
}
