//! `hookproof inbox purge`: payloads and keys that are no longer needed, in bounded transactions.

use hookproof::UnixTime;
use hookproof_inbox::chain::Head;
use hookproof_inbox::time::earlier;
use hookproof_inbox::{EndpointId, Key, KeyHorizon, Log as _, Page, Purged, Selection, Store as _};
use hookproof_inbox_sqlx::purge::{self, Steps};
use serde_json::json;

use super::args::PurgeArgs;
use super::database::Inbox;
use super::seal::{Checkpoint, Sealed, refuse, seal};
use super::{count, now};
use crate::failure::{Ending, Failure, Outcome};
use crate::library;
use crate::output::Screen;

/// How many rows a dry run counts.
const COUNTED: u64 = 10_000;

/// What went, or would go.
#[derive(Default)]
struct Gone {
    /// Days of payloads that were dropped as a whole.
    days: usize,
    payloads: Option<Purged>,
    keys: Option<Purged>,
    /// Rows of the chain whose recorded rows are gone.
    links: Option<Purged>,
    head: Option<Head>,
}

/// Runs the command.
pub(crate) async fn run<I: Inbox>(inbox: &I, args: &PurgeArgs, screen: &mut Screen) -> Outcome {
    let horizon = horizon(args)?;
    let has_log = has_log(inbox).await?;
    let mut gone = Gone::default();
    if let (Some(endpoint), Some(_)) = (&args.endpoint, &horizon) {
        is_sender(inbox, endpoint, args.provider.as_deref().unwrap_or_default()).await?;
        if has_log && args.head.is_none() {
            return Err(Failure::new(
                "this database keeps a log: keys go only below a checkpoint whose head is kept elsewhere, since the head is \
                 then all that proves they were in order; give --head FILE",
            ));
        }
    }
    if let Some(older) = args.payloads {
        let step = Step::Payloads { before: earlier(now(), older) };
        if args.dry_run {
            gone.payloads = Some(step.imagine(inbox, args, has_log).await?);
        } else {
            gone.days = inbox.drop_days(older, now()).await?;
            gone.payloads = Some(step.take(inbox, args).await?);
        }
    }
    if let (Some(endpoint), Some(horizon)) = (&args.endpoint, &horizon) {
        let step = Step::Keys { endpoint, horizon };
        if args.dry_run {
            gone.keys = Some(step.imagine(inbox, args, has_log).await?);
        } else {
            if has_log {
                // The head is in the file before anything goes.
                match seal(inbox, Checkpoint::Add, args.head.as_deref()).await? {
                    Sealed::Done(_, head) => gone.head = Some(head),
                    Sealed::Refused(why) => {
                        return Ok(refuse(args.head.as_deref(), &why, args.json, screen));
                    }
                }
            }
            gone.keys = Some(step.take(inbox, args).await?);
            if has_log {
                gone.links = Some(Step::Links.take(inbox, args).await?);
            }
        }
    }
    say(args, &gone, screen);
    Ok(Ending::Good)
}

/// For how long keys are kept. The sender's retries have the last word.
fn horizon(args: &PurgeArgs) -> Result<Option<KeyHorizon>, Failure> {
    let (Some(keep), Some(provider)) = (args.keys, &args.provider) else { return Ok(None) };
    let provider = library::provider(provider, &mut Vec::new())?;
    let horizon = KeyHorizon::new(provider.info(), keep);
    horizon.map(Some).map_err(|error| Failure::of_kind("horizon", error.to_string()))
}

async fn has_log<I: Inbox>(inbox: &I) -> Result<bool, Failure> {
    let mut open = inbox.look().await?;
    let has = inbox.has_table(&mut open, &format!("{}_log", inbox.prefix())).await;
    Ok(has?)
}

/// Refuses a sender that is not the endpoint's, whose retries might be shorter.
async fn is_sender<I: Inbox>(
    inbox: &I,
    endpoint: &EndpointId,
    provider: &str,
) -> Result<(), Failure> {
    let mut open = inbox.look().await?;
    let selection = Selection::new().endpoint(endpoint.clone());
    let rows = inbox.store().list(I::link(&mut open), &selection, Page::FIRST.limit(10)).await?;
    let ids = rows.iter().filter_map(|row| row.key.as_ref().map(Key::as_str)?.split('/').next());
    match ids.into_iter().find(|id| *id != provider && hookproof::providers::find(id).is_some()) {
        Some(other) => Err(Failure::new(format!(
            "the events of {endpoint} are those of {other}, not of {provider}"
        ))),
        None => Ok(()),
    }
}

/// One kind of rows that go.
enum Step<'s> {
    Keys { endpoint: &'s EndpointId, horizon: &'s KeyHorizon },
    Links,
    Payloads { before: UnixTime },
}

impl Step<'_> {
    /// Takes steps until nothing is left.
    async fn take<I: Inbox>(&self, inbox: &I, args: &PurgeArgs) -> Result<Purged, Failure> {
        let steps = Steps::new(args.batch.get(), u32::MAX);
        Ok(match self {
            Self::Keys { endpoint, horizon } => {
                purge::keys(inbox, endpoint, horizon, now(), steps).await?
            }
            Self::Links => purge::links(inbox, steps).await?,
            Self::Payloads { before } => purge::payloads(inbox, *before, steps).await?,
        })
    }

    /// Takes some steps in a transaction that is rolled back.
    async fn imagine<I: Inbox>(
        &self,
        inbox: &I,
        args: &PurgeArgs,
        log: bool,
    ) -> Result<Purged, Failure> {
        let limit = args.batch.get();
        let store = inbox.store();
        let mut open = inbox.write().await?;
        let tx = I::link(&mut open);
        if log && matches!(self, Self::Keys { .. }) {
            while store.seal(tx, limit, now()).await?.0 == limit {}
            let _ = store.checkpoint(tx, now()).await?;
        }
        let mut rows = 0;
        loop {
            let purged = match self {
                Self::Keys { endpoint, horizon } => {
                    store.purge_keys(tx, endpoint, horizon, now(), limit).await?
                }
                Self::Links => store.purge_links(tx, limit).await?,
                Self::Payloads { before } => store.purge_payloads(tx, *before, limit).await?,
            };
            rows += purged.rows;
            if !purged.more || rows >= COUNTED {
                return Ok(Purged::new(rows, purged.more));
            }
        }
    }
}

fn say(args: &PurgeArgs, gone: &Gone, screen: &mut Screen) {
    let head = gone.head.as_ref().map(ToString::to_string);
    if args.json {
        let rows = |purged: Option<Purged>| purged.map(|purged| purged.rows);
        let more = [gone.payloads, gone.keys].iter().flatten().any(|purged| purged.more);
        screen.json(&json!({
            "payloads": rows(gone.payloads), "days": gone.days, "keys": rows(gone.keys), "links": rows(gone.links),
            "more": more, "head": head, "dryRun": args.dry_run,
        }));
        return;
    }
    if let Some(head) = head {
        screen.line(format_args!("the head of the checkpoint is exported: {head}"));
    }
    if gone.days > 0 {
        let days = count(u64::try_from(gone.days).unwrap_or(u64::MAX), "whole day", "whole days");
        screen.line(format_args!("{days} of payloads removed"));
    }
    let verb = if args.dry_run { "would be removed" } else { "removed" };
    let mut line = |purged: Option<Purged>, one: &str, many: &str| {
        if let Some(purged) = purged {
            let more = if purged.more { " or more" } else { "" };
            screen.line(format_args!("{}{more} {verb}", count(purged.rows, one, many)));
        }
    };
    line(gone.payloads, "payload", "payloads");
    line(gone.keys, "key", "keys");
    line(gone.links, "row of the chain", "rows of the chain");
}
