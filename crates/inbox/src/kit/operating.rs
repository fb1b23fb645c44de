//! Lists, replays, settling, purging.

use core::time::Duration;

use hookproof::Provider;
use hookproof::providers::STRIPE;

use super::Checked;
use super::support::{Desk, Failure, RECLAIM, at, drop_after, ensure, ensure_eq, event, transact};
use crate::batch::Work;
use crate::claim::{Page, Selection};
use crate::event::{AttemptOutcome, State};
use crate::id::{EventId, Key};
use crate::purge::KeyHorizon;
use crate::recorded::Recorded;
use crate::store::{Database, Store};

const DAY: u64 = 86_400;

pub(super) async fn lists_and_pages<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "lists").await?;
    let mut ids = Vec::new();
    for (number, kind) in ["paid", "paid", "void", "paid"].into_iter().enumerate() {
        let mut event = event(&format!("k{number}"), "1")?;
        event.kind = Some(kind.into());
        event.subject = Some(format!("subject-{}", number % 2).into());
        let batch = desk.batch(vec![event], u64::try_from(number)? * 10);
        ids.extend(desk.record(&batch, Work::Later).await?.iter().map(Recorded::id));
    }
    let [first, second, third, fourth] = ids.as_slice() else {
        return Err(Failure::new(format!("not four: {ids:?}")));
    };
    ensure!(
        first < second && second < third && third < fourth,
        "later numbers are higher: {ids:?}"
    );
    let all = || Selection::new().endpoint(desk.endpoint.clone());
    let selections: [(Selection, &[&EventId]); 7] = [
        (all(), &[first, second, third, fourth]),
        (all().kind("paid"), &[first, second, fourth]),
        (all().received(at(10), at(30)), &[second, third]),
        (all().subject("subject-0").kind("paid"), &[first]),
        (all().state(State::Waiting), &[first, second, third, fourth]),
        (all().state(State::Dead), &[]),
        (all().event(*third), &[third]),
    ];
    for (selection, expected) in selections {
        let mut listed = Vec::new();
        let mut page = Page::FIRST.limit(2);
        loop {
            let events = transact!(&mut desk, |store, tx| store.list(tx, &selection, page));
            ensure!(events.len() <= 2, "a page of {}", events.len());
            let Some(last) = events.last() else { break };
            page = page.after(last.id);
            listed.extend(events.iter().map(|event| event.id));
            ensure!(listed.len() <= 4, "pages overlap: {listed:?}");
        }
        ensure!(listed.iter().eq(expected.iter().copied()), "{selection:?}: {listed:?}");
    }
    let (endpoint, key) = (desk.endpoint.clone(), Key::new("k2")?);
    let found = transact!(&mut desk, |store, tx| store.look_up(tx, &endpoint, &key));
    let found = found.map(|found| (found.id, found.first_seen, found.state, found.inserted));
    ensure_eq!(found, Some((*third, at(20), State::Waiting, false)));
    Ok(())
}

pub(super) async fn replays<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "replays").await?;
    let ids = desk.fill(&["done", "work", "wait"]).await?;
    let done = desk.claim(RECLAIM, 0).await?;
    desk.complete(&done, 1).await?;
    let work = desk.claim(RECLAIM, 2).await?;
    let all = Selection::new().endpoint(desk.endpoint.clone());
    let none = all.clone().received(at(1), at(2));
    let nothing = transact!(&mut desk, |store, tx| store.replay(tx, &none, at(3)));
    ensure_eq!((nothing.events, nothing.skipped), (0, 0));
    drop_after!(&mut desk, |store, tx| store.replay(tx, &all, at(3)));
    let replayed = transact!(&mut desk, |store, tx| store.replay(tx, &all, at(3)));
    ensure_eq!((replayed.events, replayed.skipped), (1, 2));
    // A replay is a new attempt, never a new record.
    let events = desk.events().await?;
    ensure_eq!(events.iter().map(|event| event.id).collect::<Vec<_>>(), ids);
    let replays: Vec<u32> = events.iter().map(|event| event.progress.replays).collect();
    ensure_eq!(replays, [1, 0, 0]);
    desk.complete(&work, 4).await?;
    let request = desk.request(RECLAIM).limit(10);
    let claims = desk.claim_as(&request, 5).await?.claims;
    let marked = claims.iter().find(|claim| claim.id() == done.id());
    let marked = marked.map(|claim| (claim.replays(), claim.attempt()));
    ensure_eq!(marked, Some((1, 1)));
    Ok(())
}

pub(super) async fn settling<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "settling").await?;
    desk.fill(&["a"]).await?;
    let claim = desk.claim(RECLAIM, 0).await?;
    let id = claim.id();
    let settled = transact!(&mut desk, |store, tx| store.settle(tx, id, "by hand", at(1)));
    ensure!(!settled, "somebody works on it");
    transact!(&mut desk, |store, tx| store.park(tx, &claim, "unsure", at(2)));
    let settled = transact!(&mut desk, |store, tx| store.settle(tx, id, "by hand", at(3)));
    ensure!(settled, "it was parked");
    let again = transact!(&mut desk, |store, tx| store.settle(tx, id, "again", at(4)));
    ensure!(!again, "it is done");
    let events = desk.events().await?;
    let notes: Vec<_> = events
        .iter()
        .map(|event| (event.progress.state, event.progress.error.as_deref()))
        .collect();
    ensure_eq!(notes, [(State::Done, Some("by hand"))]);
    Ok(())
}

pub(super) async fn payloads_of_unfinished_events_stay<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "payloads").await?;
    let mut deliveries = Vec::new();
    // Years before the other checks, so that only these go.
    let long_ago = |days: u64| hookproof::UnixTime::from_secs(days * DAY);
    for days in 100..104 {
        let mut batch = desk.batch(vec![event(&format!("k{days}"), "1")?], 0);
        batch = arrived(batch, long_ago(days));
        desk.record(&batch, Work::Later).await?;
    }
    for event in desk.events().await? {
        deliveries.push(event.delivery);
    }
    let request = desk.request(RECLAIM).limit(3);
    let claims = desk.claim_as(&request, 0).await?.claims;
    for claim in claims.iter().take(2) {
        desk.complete(claim, 1).await?;
    }
    // Days 100 and 101 are done, 102 is in work, 103 waits and is not old enough.
    let before = long_ago(103);
    drop_after!(&mut desk, |store, tx| store.purge_payloads(tx, before, 10));
    let mut gone = 0;
    for _ in 0..10 {
        let step = transact!(&mut desk, |store, tx| store.purge_payloads(tx, before, 1));
        ensure!(step.rows <= 1, "bounded: {step:?}");
        gone += step.rows;
        if !step.more {
            break;
        }
    }
    ensure_eq!(gone, 2);
    let mut left = Vec::new();
    for id in deliveries {
        left.push(transact!(&mut desk, |store, tx| store.delivery(tx, id)).is_some());
    }
    ensure_eq!(left, [false, false, true, true]);
    // Keys stay.
    let again = arrived(desk.batch(vec![event("k100", "1")?], 0), long_ago(100));
    let recorded = desk.record(&again, Work::Later).await?;
    ensure!(matches!(recorded.as_slice(), [Recorded::Duplicate { .. }]), "{recorded:?}");
    Ok(())
}

fn arrived(batch: crate::batch::Batch, at: hookproof::UnixTime) -> crate::batch::Batch {
    let moved = crate::batch::Batch::unread(
        batch.endpoint().clone(),
        batch.provider(),
        at,
        batch.headers().clone(),
        batch.body().clone(),
    );
    batch.entries().iter().fold(moved, |moved, entry| moved.with_entry(entry.clone()))
}

pub(super) async fn keys_outlive_the_horizon<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "keys").await?;
    let horizon = KeyHorizon::new(STRIPE.info(), Duration::from_secs(10 * DAY))?;
    for (key, day, work) in
        [("a", 0, Work::Here), ("b", 0, Work::Later), ("c", 0, Work::Later), ("d", 5, Work::Later)]
    {
        let batch = desk.batch(vec![event(key, "1")?], day * DAY);
        desk.record(&batch, work).await?;
    }
    let claim = desk.claim(RECLAIM, 0).await?;
    desk.complete(&claim, 1).await?;
    let request = desk.request(RECLAIM).limit(2);
    let later = 5 * DAY;
    let claims = desk.claim_as(&request, later).await?.claims;
    let [waiting, young] = claims.as_slice() else {
        return Err(Failure::new(format!("not two claims: {claims:?}")));
    };
    transact!(&mut desk, |store, tx| store.release(tx, waiting, at(later)));
    desk.complete(young, later).await?;
    let endpoint = desk.endpoint.clone();
    // To the second: at the horizon they stay, a second later they go.
    let kept_for = 10 * DAY;
    let early = at(kept_for);
    let step =
        transact!(&mut desk, |store, tx| store.purge_keys(tx, &endpoint, &horizon, early, 10));
    ensure_eq!((step.rows, step.more), (0, false));
    let now = at(kept_for + 1);
    drop_after!(&mut desk, |store, tx| store.purge_keys(tx, &endpoint, &horizon, now, 10));
    let mut gone = 0;
    for _ in 0..10 {
        let step =
            transact!(&mut desk, |store, tx| store.purge_keys(tx, &endpoint, &horizon, now, 1));
        ensure!(step.rows <= 1, "bounded: {step:?}");
        gone += step.rows;
        if !step.more {
            break;
        }
    }
    // a and b are done and old; c waits; d is young.
    ensure_eq!(gone, 2);
    let mut kept = Vec::new();
    for key in ["a", "b", "c", "d"] {
        let key = Key::new(key)?;
        kept.push(transact!(&mut desk, |store, tx| store.look_up(tx, &endpoint, &key)).is_some());
    }
    ensure_eq!(kept, [false, false, true, true]);
    ensure!(desk.outcomes(claim.id()).await?.is_empty(), "attempts go with their event");
    ensure_eq!(desk.outcomes(waiting.id()).await?, [AttemptOutcome::Released]);
    ensure_eq!(desk.outcomes(young.id()).await?, [AttemptOutcome::Done]);
    ensure_eq!(desk.states().await?, [State::Waiting, State::Done]);
    Ok(())
}
