//! The log.

use core::time::Duration;

use hookproof::Provider;
use hookproof::providers::STRIPE;

use super::Checked;
use super::support::{Desk, at, drop_after, ensure, ensure_eq, event, transact};
use crate::batch::{Entry, NewEvent, Work};
use crate::chain::Status;
use crate::id::Digest;
use crate::purge::KeyHorizon;
use crate::store::{Database, Log, Store, verify_log};

const DAY: u64 = 86_400;

pub(super) async fn sealed_in_batches<D: Database>(database: &D) -> Checked
where
    D::Store: Log,
{
    let mut desk = Desk::new(database, "sealed").await?;
    let start = transact!(&mut desk, |store, tx| store.head(tx));
    ensure_eq!(start.seq(), 0);
    let mut batch = desk.batch(vec![event("a", "1")?, event("b", "1")?, event("c", "1")?], 0);
    batch = batch.with_entry(Entry::new(NewEvent::new(None, Digest::of(b"unkeyed"))));
    desk.record(&batch, Work::Later).await?;
    let mut heads = vec![start];
    for expected in [3, 1, 0] {
        let (sealed, head) = transact!(&mut desk, |store, tx| store.seal(tx, 3, at(1)));
        ensure_eq!(sealed, expected);
        heads.push(head);
    }
    let head = transact!(&mut desk, |store, tx| store.head(tx));
    ensure_eq!(Some(&head), heads.last());
    let more = desk.batch(vec![event("d", "1")?], 2);
    desk.record(&more, Work::Here).await?;
    let report = transact!(&mut desk, |store, tx| verify_log(store, tx, heads.clone()));
    ensure_eq!((report.status(), report.proven_to, report.unsealed), (Status::Proven, Some(4), 1));
    let report = transact!(&mut desk, |store, tx| verify_log(store, tx, Vec::new()));
    ensure_eq!(report.status(), Status::Consistent);
    Ok(())
}

pub(super) async fn purged_below_a_checkpoint<D: Database>(database: &D) -> Checked
where
    D::Store: Log,
{
    let mut desk = Desk::new(database, "checkpoint").await?;
    let horizon = KeyHorizon::new(STRIPE.info(), Duration::from_secs(10 * DAY))?;
    for key in ["a", "b", "c"] {
        let batch = desk.batch(vec![event(key, "1")?], 0);
        desk.record(&batch, Work::Here).await?;
    }
    let endpoint = desk.endpoint.clone();
    let now = at(20 * DAY);
    let mut purged = Vec::new();
    let mut heads = Vec::new();
    for step in 0..4 {
        match step {
            1 => heads.push(transact!(&mut desk, |store, tx| store.seal(tx, 10, now)).1),
            2 => {
                heads.push(transact!(&mut desk, |store, tx| store.checkpoint(tx, now)));
                let young = desk.batch(vec![event("d", "1")?], 20 * DAY);
                desk.record(&young, Work::Here).await?;
                heads.push(transact!(&mut desk, |store, tx| store.seal(tx, 10, now)).1);
            }
            _ => {}
        }
        let step =
            transact!(&mut desk, |store, tx| store.purge_keys(tx, &endpoint, &horizon, now, 2));
        purged.push(step.rows);
    }
    // Neither unsealed rows nor sealed ones without a checkpoint above them go.
    ensure_eq!(purged, [0, 0, 2, 1]);
    let report = transact!(&mut desk, |store, tx| verify_log(store, tx, heads.clone()));
    ensure!(report.status() == Status::Proven, "{report:?}");
    let mut gone = 0;
    loop {
        let step = transact!(&mut desk, |store, tx| store.purge_links(tx, 2));
        gone += step.rows;
        let report = transact!(&mut desk, |store, tx| verify_log(store, tx, heads.clone()));
        ensure!(report.status() == Status::Proven, "after {gone} rows: {report:?}");
        if !step.more {
            break;
        }
    }
    ensure_eq!(gone, 3);
    // A checkpoint above it lets a row go that is old, not one that is young.
    transact!(&mut desk, |store, tx| store.checkpoint(tx, now));
    let step = transact!(&mut desk, |store, tx| store.purge_keys(tx, &endpoint, &horizon, now, 2));
    ensure_eq!((step.rows, step.more), (0, false));
    Ok(())
}

pub(super) async fn a_dropped_seal_leaves_nothing<D: Database>(database: &D) -> Checked
where
    D::Store: Log,
{
    let mut desk = Desk::new(database, "seal/dropped").await?;
    let batch = desk.batch(vec![event("a", "1")?, event("b", "1")?], 0);
    desk.record(&batch, Work::Here).await?;
    // What is not sealed can be read page by page.
    let first = transact!(&mut desk, |store, tx| store.unsealed(tx, None, 1));
    ensure_eq!(first.len(), 1);
    let after = first.last().map(|entry| entry.id);
    let rest = transact!(&mut desk, |store, tx| store.unsealed(tx, after, 10));
    ensure!(rest.len() == 1 && rest.iter().all(|entry| Some(entry.id) > after), "{rest:?}");
    drop_after!(&mut desk, |store, tx| store.seal(tx, 10, at(1)));
    drop_after!(&mut desk, |store, tx| store.checkpoint(tx, at(1)));
    let head = transact!(&mut desk, |store, tx| store.head(tx));
    ensure_eq!(head.seq(), 0);
    let (sealed, head) = transact!(&mut desk, |store, tx| store.seal(tx, 10, at(2)));
    ensure_eq!((sealed, head.seq()), (2, 2));
    let report = transact!(&mut desk, |store, tx| verify_log(store, tx, vec![head]));
    ensure_eq!((report.status(), report.rows), (Status::Proven, 2));
    Ok(())
}
