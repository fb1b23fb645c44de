//! Copies at once, workers side by side, and transactions that are dropped.

use std::collections::BTreeSet;

use super::Checked;
use super::support::{
    BACKOFF, Desk, Failure, LEASE, RECLAIM, at, drop_after, ensure, ensure_eq, event, join_all,
    transact,
};
use crate::batch::Work;
use crate::claim::{ClaimRequest, Selection};
use crate::event::{AttemptOutcome, State};
use crate::id::EventId;
use crate::progress::Stale;
use crate::recorded::Recorded;
use crate::store::{Database, Store};

pub(super) async fn sixty_four_copies<D: Database>(database: &D) -> Checked {
    for (name, work) in [("copies/here", Work::Here), ("copies/later", Work::Later)] {
        let recorded = join_all((0..64).map(async |_| {
            let mut desk = Desk::new(database, name).await?;
            let batch = desk.batch(vec![event("a", "1")?], 0);
            desk.record(&batch, work).await
        }))
        .await;
        let mut ids = BTreeSet::new();
        let mut new = 0;
        for recorded in recorded {
            for recorded in recorded? {
                ids.insert(recorded.id());
                new += u32::from(recorded.is_new());
            }
        }
        ensure_eq!((name, new, ids.len()), (name, 1, 1));
    }
    Ok(())
}

pub(super) async fn a_winner_that_dies<D: Database>(database: &D) -> Checked {
    let mut first = Desk::new(database, "winner").await?;
    let batch = first.batch(vec![event("a", "1")?], 0);
    let mut open = database.begin(&mut first.connection).await?;
    let winner = database.store().record_many(D::tx(&mut open), &batch, Work::Here).await?;
    ensure!(winner.iter().all(Recorded::is_new), "{winner:?}");
    let second = async {
        let mut desk = Desk::new(database, "winner").await?;
        desk.record(&batch, Work::Here).await
    };
    // The second waits for the first, or begins after it: either way it is the one whose effect counts.
    let first = async {
        drop(open);
        Ok(Vec::new())
    };
    let both: Vec<Result<Vec<Recorded>, Failure>> = {
        let mut running: Vec<core::pin::Pin<Box<dyn Future<Output = _>>>> = Vec::new();
        running.push(Box::pin(second));
        running.push(Box::pin(first));
        join_all(running).await
    };
    for recorded in both {
        ensure!(recorded?.iter().all(Recorded::is_new), "lost with the winner");
    }
    let mut third = Desk::new(database, "winner").await?;
    let recorded = third.record(&batch, Work::Here).await?;
    ensure!(matches!(recorded.as_slice(), [Recorded::Duplicate { .. }]), "{recorded:?}");
    Ok(())
}

pub(super) async fn workers_share_the_events<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "workers").await?;
    let keys: Vec<String> = (0..200).map(|number| format!("k{number}")).collect();
    let ids = desk.fill(&keys.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    let workers = join_all((0..8).map(async |_| {
        let mut desk = Desk::new(database, "workers").await?;
        let request =
            ClaimRequest::new(LEASE, Stale::Park, 3).endpoint(desk.endpoint.clone()).limit(7);
        let mut done: Vec<EventId> = Vec::new();
        // Rows that another worker is just claiming are passed over, so an empty answer is not the end.
        let mut empty = 0;
        while empty < 3 {
            let claims = desk.claim_as(&request, 1).await?.claims;
            empty = if claims.is_empty() { empty + 1 } else { 0 };
            for claim in &claims {
                desk.complete(claim, 2).await?;
                done.push(claim.id());
            }
        }
        Ok::<_, Failure>(done)
    }))
    .await;
    let mut done = Vec::new();
    for worker in workers {
        done.extend(worker?);
    }
    done.sort();
    ensure_eq!(done, ids);
    ensure!(desk.states().await?.iter().all(|state| *state == State::Done), "all done");
    for id in ids.iter().take(10) {
        ensure_eq!(desk.outcomes(*id).await?, [AttemptOutcome::Done]);
    }
    Ok(())
}

pub(super) async fn a_dropped_transaction_leaves_nothing<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "dropped").await?;
    let batch = desk.batch(vec![event("a", "1")?, event("b", "1")?], 0);
    drop_after!(&mut desk, |store, tx| store.record_many(tx, &batch, Work::Later));
    ensure!(desk.events().await?.is_empty(), "recorded");
    let recorded = desk.record(&batch, Work::Later).await?;
    ensure!(recorded.iter().all(Recorded::is_new), "{recorded:?}");
    let request = desk.request(RECLAIM);
    drop_after!(&mut desk, |store, tx| store.claim(tx, &request, at(0)));
    ensure_eq!(desk.states().await?, [State::Waiting, State::Waiting]);
    let claim = desk.claim(RECLAIM, 0).await?;
    let before = desk.events().await?;
    drop_after!(&mut desk, |store, tx| store.complete(tx, &claim, at(1)));
    drop_after!(&mut desk, |store, tx| store.fail(tx, &claim, "x", &BACKOFF, 1, at(1)));
    drop_after!(&mut desk, |store, tx| store.extend(tx, &claim, LEASE, at(1)));
    drop_after!(&mut desk, |store, tx| store.park(tx, &claim, "x", at(1)));
    drop_after!(&mut desk, |store, tx| store.release(tx, &claim, at(1)));
    ensure_eq!(desk.events().await?, before);
    ensure!(desk.outcomes(claim.id()).await?.is_empty(), "no attempt has ended");
    let takeover = desk.request(RECLAIM).limit(5);
    drop_after!(&mut desk, |store, tx| store.claim(tx, &takeover, at(1000)));
    ensure_eq!(desk.events().await?, before);
    let failed =
        transact!(&mut desk, |store, tx| store.fail(tx, &claim, "x", &BACKOFF, 1, at(1001)));
    ensure_eq!(failed.in_a_row, 1);
    let before = desk.events().await?;
    let id = claim.id();
    let selection = Selection::new().event(id);
    drop_after!(&mut desk, |store, tx| store.settle(tx, id, "x", at(1002)));
    drop_after!(&mut desk, |store, tx| store.replay(tx, &selection, at(1002)));
    ensure_eq!(desk.events().await?, before);
    Ok(())
}

pub(super) async fn overlapping_batches<D: Database>(database: &D) -> Checked {
    // Batches that hold the same events in opposite orders, at once: no deadlock, each event new once.
    let batches = join_all((0..16).map(async |number: u32| {
        let mut desk = Desk::new(database, "overlap").await?;
        let mut keys: Vec<u32> = (0..100).map(|key| (key + number * 7) % 100).collect();
        if number.is_multiple_of(2) {
            keys.reverse();
        }
        let events =
            keys.iter().map(|key| event(&format!("k{key}"), "1")).collect::<Result<Vec<_>, _>>()?;
        let batch = desk.batch(events, 0);
        desk.record(&batch, Work::Later).await
    }))
    .await;
    let mut new = BTreeSet::new();
    let mut count = 0;
    for batch in batches {
        for recorded in batch?.iter().filter(|recorded| recorded.is_new()) {
            new.insert(recorded.id());
            count += 1;
        }
    }
    ensure_eq!((count, new.len()), (100, 100));
    Ok(())
}
