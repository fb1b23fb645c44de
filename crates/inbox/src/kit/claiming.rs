//! Claims.

use core::time::Duration;

use hookproof::providers::STRIPE;
use hookproof::{Provider, UnixTime};

use super::Checked;
use super::support::{
    BACKOFF, Desk, Failure, LEASE, RECLAIM, at, ensure, ensure_eq, event, is_lost, transact,
};
use crate::batch::Work;
use crate::claim::{Claim, ClaimRequest, Ordering, Selection};
use crate::error::StoreError;
use crate::event::{AttemptOutcome, State};
use crate::id::Key;
use crate::progress::Stale;
use crate::purge::KeyHorizon;
use crate::store::{Database, Store};
use crate::stream::Version;

pub(super) async fn claim_once_and_complete<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "claim").await?;
    let ids = desk.fill(&["a"]).await?;
    let claim = desk.claim(RECLAIM, 1).await?;
    ensure_eq!((Some(&claim.id()), claim.attempt(), claim.replays()), (ids.first(), 1, 0));
    ensure_eq!((claim.token().as_u64(), claim.lease_end()), (1, at(61)));
    ensure_eq!(claim.event().key, Some(Key::new("a")?));
    desk.idle(RECLAIM, 2).await?;
    desk.complete(&claim, 3).await?;
    ensure_eq!(desk.states().await?, [State::Done]);
    desk.idle(RECLAIM, 100_000).await?;
    let attempts = transact!(&mut desk, |store, tx| store.attempts(tx, claim.id()));
    let [attempt] = attempts.as_slice() else {
        return Err(Failure::new(format!("not one attempt: {attempts:?}")));
    };
    ensure_eq!((attempt.number, attempt.outcome), (1, AttemptOutcome::Done));
    ensure_eq!((attempt.started_at, attempt.ended_at), (at(1), at(3)));
    ensure!(is_lost(&desk.complete(&claim, 4).await), "completed twice");
    Ok(())
}

/// Every verb with which this claim could end is refused.
async fn all_refused<D: Database>(desk: &mut Desk<'_, D>, claim: &Claim, secs: u64) -> Checked {
    let now = at(secs);
    let mut refused = Vec::new();
    for verb in 0..5 {
        let mut open = desk.database.begin(&mut desk.connection).await?;
        let store = desk.database.store();
        let tx = D::tx(&mut open);
        let result: Result<(), StoreError> = match verb {
            0 => store.complete(tx, claim, now).await,
            1 => store.fail(tx, claim, "x", &BACKOFF, 1, now).await.map(drop),
            2 => store.extend(tx, claim, LEASE, now).await.map(drop),
            3 => store.park(tx, claim, "x", now).await,
            _ => store.release(tx, claim, now).await,
        };
        refused.push(is_lost(&result));
        drop(open);
    }
    ensure_eq!(refused, [true; 5]);
    Ok(())
}

pub(super) async fn takeover_is_fenced<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "takeover").await?;
    desk.fill(&["a"]).await?;
    let first = desk.claim(RECLAIM, 0).await?;
    desk.idle(RECLAIM, 64).await?;
    let second = desk.claim(RECLAIM, 65).await?;
    ensure!(first.id() == second.id() && first.token() < second.token(), "{second:?}");
    ensure_eq!(second.attempt(), 2);
    // However the clock of the late worker goes.
    for secs in [1, 66, 100_000] {
        all_refused(&mut desk, &first, secs).await?;
    }
    desk.complete(&second, 66).await?;
    all_refused(&mut desk, &second, 67).await?;
    let outcomes = desk.outcomes(first.id()).await?;
    ensure_eq!(outcomes, [AttemptOutcome::Lost, AttemptOutcome::Done]);
    Ok(())
}

pub(super) async fn a_claim_on_a_purged_event_is_lost<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "purged").await?;
    desk.fill(&["a"]).await?;
    let first = desk.claim(RECLAIM, 0).await?;
    let second = desk.claim(RECLAIM, 65).await?;
    desk.complete(&second, 66).await?;
    // The key with the highest number may be one that a store keeps.
    desk.fill(&["b"]).await?;
    let (endpoint, day) = (desk.endpoint.clone(), 86_400);
    let horizon = KeyHorizon::new(STRIPE.info(), Duration::from_secs(10 * day))?;
    let now = at(11 * day);
    let gone = transact!(&mut desk, |store, tx| store.purge_keys(tx, &endpoint, &horizon, now, 10));
    ensure_eq!(gone.rows, 1);
    all_refused(&mut desk, &first, 67).await
}

pub(super) async fn an_ended_lease_may_complete<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "ended").await?;
    desk.fill(&["a"]).await?;
    let claim = desk.claim(RECLAIM, 0).await?;
    desk.complete(&claim, 5000).await?;
    ensure_eq!(desk.states().await?, [State::Done]);
    Ok(())
}

pub(super) async fn stale_claims_are_parked<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "stale").await?;
    desk.fill(&["a"]).await?;
    let claim = desk.claim(Stale::Park, 0).await?;
    let request = desk.request(Stale::Park);
    let early = desk.claim_as(&request, 59).await?;
    ensure!(early.parked.is_empty() && early.claims.is_empty(), "{early:?}");
    let late = desk.claim_as(&request, 60).await?;
    ensure!(late.claims.is_empty() && late.dead.is_empty(), "{late:?}");
    let parked: Vec<_> = late.parked.iter().map(|event| (event.id, event.progress.state)).collect();
    ensure_eq!(parked, [(claim.id(), State::Parked)]);
    let again = desk.claim_as(&request, 100_000).await?;
    ensure!(again.parked.is_empty() && again.claims.is_empty(), "told once: {again:?}");
    all_refused(&mut desk, &claim, 61).await?;
    ensure_eq!(desk.outcomes(claim.id()).await?, [AttemptOutcome::Lost]);
    let selection = Selection::new().event(claim.id());
    let replayed = transact!(&mut desk, |store, tx| store.replay(tx, &selection, at(200)));
    ensure_eq!((replayed.events, replayed.skipped), (1, 0));
    let replay = desk.claim(Stale::Park, 200).await?;
    ensure_eq!((replay.replays(), replay.attempt()), (1, 1));
    ensure!(replay.token() > claim.token(), "tokens go on");
    Ok(())
}

pub(super) async fn the_claims_own_terms_hold<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "terms").await?;
    desk.fill(&["a"]).await?;
    let claim = desk.claim(Stale::Park, 0).await?;
    let request = desk.request(RECLAIM);
    let other = desk.claim_as(&request, 1000).await?;
    ensure!(other.claims.is_empty(), "claimed to be parked, and taken over: {other:?}");
    ensure_eq!(other.parked.iter().map(|event| event.id).collect::<Vec<_>>(), [claim.id()]);
    Ok(())
}

pub(super) async fn extending<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "extend").await?;
    desk.fill(&["a"]).await?;
    let claim = desk.claim(RECLAIM, 0).await?;
    let end = transact!(&mut desk, |store, tx| store.extend(tx, &claim, LEASE, at(50)));
    ensure_eq!(end, at(110));
    desk.idle(RECLAIM, 114).await?;
    // The clock steps back: nothing gets shorter.
    let end = transact!(&mut desk, |store, tx| store.extend(tx, &claim, LEASE, at(10)));
    ensure_eq!(end, at(110));
    desk.idle(RECLAIM, 114).await?;
    desk.complete(&claim, 120).await?;
    Ok(())
}

pub(super) async fn failing_backs_off_until_dead<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "fail").await?;
    let id = desk.fill(&["a", "b"]).await?.first().copied();
    let mut now = 0;
    for attempt in 1..=3u32 {
        let request = desk.request(RECLAIM).limit(2);
        let claims = desk.claim_as(&request, now).await?.claims;
        let Some(claim) = claims.iter().find(|claim| Some(claim.id()) == id) else {
            return Err(Failure::new(format!(
                "attempt {attempt} at {now} s is not due: {claims:?}"
            )));
        };
        ensure_eq!(claim.attempt(), attempt);
        let error = "no\0 route \u{1F980}";
        let failed =
            transact!(&mut desk, |store, tx| store.fail(tx, claim, error, &BACKOFF, 9, at(now)));
        ensure_eq!(failed.in_a_row, attempt);
        let delay = BACKOFF.after(attempt, 9);
        ensure_eq!(failed.due, delay.map(|delay| crate::time::later(at(now), delay)));
        for other in claims.iter().filter(|claim| Some(claim.id()) != id) {
            transact!(&mut desk, |store, tx| store.release(tx, other, at(now)));
        }
        if let Some(due) = failed.due {
            let early = desk.request(RECLAIM);
            let early = desk.claim_as(&early.limit(1), now).await?;
            ensure!(early.claims.iter().all(|claim| Some(claim.id()) != id), "not due: {early:?}");
            for claim in &early.claims {
                transact!(&mut desk, |store, tx| store.release(tx, claim, at(now)));
            }
            now = due.as_secs() + 1 - at(0).as_secs();
        }
    }
    let dead = Selection::new().endpoint(desk.endpoint.clone()).state(State::Dead);
    let page = crate::claim::Page::FIRST;
    let dead = transact!(&mut desk, |store, tx| store.list(tx, &dead, page));
    let [event] = dead.as_slice() else { return Err(Failure::new(format!("not one: {dead:?}"))) };
    ensure_eq!(event.progress.error.as_deref(), Some("no\u{fffd} route \u{1F980}"));
    ensure_eq!(desk.outcomes(event.id).await?, [AttemptOutcome::Failed; 3]);
    // A success ends the row of failures.
    let other = desk.claim(RECLAIM, 100_000).await?;
    ensure!(Some(other.id()) != id, "dead is not claimed");
    desk.complete(&other, 100_001).await?;
    desk.fill(&["c"]).await?;
    let third = desk.claim(RECLAIM, 100_002).await?;
    let failed =
        transact!(&mut desk, |store, tx| store.fail(tx, &third, "x", &BACKOFF, 1, at(100_003)));
    ensure_eq!(failed.in_a_row, 1);
    Ok(())
}

pub(super) async fn silent_workers_use_up_attempts<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "silent").await?;
    desk.fill(&["a"]).await?;
    for attempt in 0..3u32 {
        let claim = desk.claim(RECLAIM, u64::from(attempt) * 1000).await?;
        ensure_eq!(claim.attempt(), attempt + 1);
    }
    let request = desk.request(RECLAIM);
    let last = desk.claim_as(&request, 3000).await?;
    ensure!(last.claims.is_empty(), "a fourth attempt: {last:?}");
    ensure_eq!(last.dead.len(), 1);
    ensure_eq!(desk.states().await?, [State::Dead]);
    let told = desk.claim_as(&request, 4000).await?;
    ensure!(told.dead.is_empty(), "told once: {told:?}");
    Ok(())
}

pub(super) async fn parking_and_releasing<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "park").await?;
    desk.fill(&["a"]).await?;
    let claim = desk.claim(Stale::Park, 0).await?;
    transact!(&mut desk, |store, tx| store.release(tx, &claim, at(1)));
    ensure_eq!(desk.states().await?, [State::Waiting]);
    all_refused(&mut desk, &claim, 2).await?;
    let again = desk.claim(Stale::Park, 3).await?;
    ensure!(again.attempt() == 1 && again.token() > claim.token(), "{again:?}");
    transact!(&mut desk, |store, tx| store.park(tx, &again, "unsure", at(4)));
    let events = desk.events().await?;
    let reasons: Vec<_> = events
        .iter()
        .map(|event| (event.progress.state, event.progress.error.as_deref()))
        .collect();
    ensure_eq!(reasons, [(State::Parked, Some("unsure"))]);
    desk.idle(RECLAIM, 100_000).await?;
    let outcomes = desk.outcomes(again.id()).await?;
    ensure_eq!(outcomes, [AttemptOutcome::Released, AttemptOutcome::Parked]);
    Ok(())
}

pub(super) async fn limits_and_endpoints<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "limit").await?;
    let mut other = Desk::new(database, "limit/other").await?;
    other.fill(&["a"]).await?;
    let ids = desk.fill(&["a", "b", "c", "d", "e"]).await?;
    let request = desk.request(RECLAIM).limit(2);
    let mut claimed = Vec::new();
    for expected in [2, 2, 1, 0] {
        let claims = desk.claim_as(&request, 0).await?.claims;
        ensure_eq!(claims.len(), expected);
        claimed.extend(claims.iter().map(Claim::id));
    }
    // The earliest first, and of those that are due at once the lowest number.
    ensure_eq!(claimed, ids);
    ensure_eq!(other.states().await?, [State::Waiting]);
    Ok(())
}

pub(super) async fn streams_in_order<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "ordered").await?;
    // Stream and order of each; the later ones of s arrive first.
    let events = [
        ("s3", Some("s"), Some(3)),
        ("s1", Some("s"), Some(1)),
        ("t1", Some("t"), Some(9)),
        ("s2", Some("s"), Some(2)),
        ("free", None, None),
    ];
    let mut batch = Vec::new();
    for (key, stream, order) in events {
        let mut event = event(key, "1")?;
        event.stream = stream.map(Into::into);
        event.order = order.map(Version::secs);
        batch.push(event);
    }
    let batch = desk.batch(batch, 0);
    desk.record(&batch, Work::Later).await?;
    let request = desk.request(RECLAIM).limit(10).ordering(Ordering::PerStream);
    let keys = |claims: &[Claim]| {
        let mut keys: Vec<String> = claims
            .iter()
            .filter_map(|claim| claim.event().key.as_ref())
            .map(Key::to_string)
            .collect();
        keys.sort();
        keys
    };
    let first = desk.claim_as(&request, 0).await?.claims;
    ensure_eq!(keys(&first), ["free", "s1", "t1"]);
    ensure!(desk.claim_as(&request, 1).await?.claims.is_empty(), "s1 is in work");
    let Some(s1) = first.iter().find(|claim| claim.event().stream.as_deref() == Some("s")) else {
        return Err(Failure::new("s1 is not there".to_owned()));
    };
    transact!(&mut desk, |store, tx| store.park(tx, s1, "unsure", at(2)));
    ensure!(desk.claim_as(&request, 3).await?.claims.is_empty(), "s1 is parked");
    let id = s1.id();
    transact!(&mut desk, |store, tx| store.settle(tx, id, "by hand", at(4)));
    let second = desk.claim_as(&request, 5).await?.claims;
    ensure_eq!(keys(&second), ["s2"]);
    // Without ordering the rest is free.
    let unordered = desk.request(RECLAIM).limit(10);
    ensure_eq!(keys(&desk.claim_as(&unordered, 6).await?.claims), ["s3"]);
    // A dead one does not hold up the others.
    let Some(s2) = second.first() else { return Err(Failure::new("s2 is gone".to_owned())) };
    let once = crate::backoff::Backoff::new(LEASE, LEASE, 1);
    let failed = transact!(&mut desk, |store, tx| store.fail(tx, s2, "x", &once, 1, at(7)));
    ensure_eq!(failed.due, None);
    ensure_eq!(keys(&desk.claim_as(&request, 1000).await?.claims), ["free", "s3", "t1"]);
    Ok(())
}

/// The next moment of this request is this one, and it is exact: a claim finds nothing before, and something then.
async fn next_is<D: Database>(
    desk: &mut Desk<'_, D>,
    request: &ClaimRequest,
    secs: Option<u64>,
) -> Checked {
    let next = transact!(desk, |store, tx| store.next_due(tx, request));
    ensure_eq!(next, secs.map(at));
    let Some(next) = next else { return Ok(()) };
    let mut found = Vec::new();
    for now in [UnixTime::from_millis(next.as_millis().saturating_sub(1)), next] {
        let mut open = desk.database.begin(&mut desk.connection).await?;
        let claimed = desk.database.store().claim(D::tx(&mut open), request, now).await?;
        drop(open);
        found.push(!(claimed.claims.is_empty() && claimed.parked.is_empty()));
    }
    ensure_eq!(found, [false, true]);
    Ok(())
}

pub(super) async fn the_next_moment<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "next").await?;
    let mut other = Desk::new(database, "next/other").await?;
    let request = desk.request(RECLAIM);
    next_is(&mut desk, &request, None).await?;
    other.fill(&["a"]).await?;
    next_is(&mut desk, &request, None).await?;
    desk.fill(&["a"]).await?;
    let later = desk.batch(vec![event("b", "1")?], 30);
    desk.record(&later, Work::Later).await?;
    next_is(&mut desk, &request, Some(0)).await?;
    let first = desk.claim(Stale::Park, 10).await?;
    next_is(&mut desk, &request, Some(30)).await?;
    let second = desk.claim(RECLAIM, 31).await?;
    // Whatever the request wishes, the claims' own terms hold: one is parked at 70 s, the other is free at 96 s.
    next_is(&mut desk, &request, Some(70)).await?;
    transact!(&mut desk, |store, tx| store.park(tx, &first, "unsure", at(40)));
    next_is(&mut desk, &request, Some(96)).await?;
    transact!(&mut desk, |store, tx| store.extend(tx, &second, LEASE, at(60)));
    next_is(&mut desk, &request, Some(125)).await?;
    let failed =
        transact!(&mut desk, |store, tx| store.fail(tx, &second, "x", &BACKOFF, 1, at(61)));
    let next = transact!(&mut desk, |store, tx| store.next_due(tx, &request));
    ensure!(failed.due.is_some() && next == failed.due, "{failed:?} {next:?}");
    let id = second.id();
    transact!(&mut desk, |store, tx| store.settle(tx, id, "by hand", at(62)));
    next_is(&mut desk, &request, None).await?;
    let all = ClaimRequest::new(LEASE, RECLAIM, 3);
    let any = transact!(&mut desk, |store, tx| store.next_due(tx, &all));
    ensure!(any.is_some_and(|any| any <= at(0)), "of all endpoints: {any:?}");
    Ok(())
}

pub(super) async fn the_next_moment_in_order<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "next/ordered").await?;
    for (key, secs) in [("first", 50), ("second", 0)] {
        let mut event = event(key, "1")?;
        event.stream = Some("s".into());
        event.order = Some(Version::secs(if key == "first" { 1 } else { 2 }));
        let batch = desk.batch(vec![event], secs);
        desk.record(&batch, Work::Later).await?;
    }
    let unordered = desk.request(RECLAIM);
    let ordered = desk.request(RECLAIM).ordering(Ordering::PerStream);
    // The second is due earlier, and waits for the first.
    next_is(&mut desk, &unordered, Some(0)).await?;
    next_is(&mut desk, &ordered, Some(50)).await?;
    let first = desk.claim_as(&ordered, 50).await?.claims;
    let [first] = first.as_slice() else { return Err(Failure::new(format!("not one: {first:?}"))) };
    next_is(&mut desk, &ordered, Some(115)).await?;
    transact!(&mut desk, |store, tx| store.park(tx, first, "unsure", at(51)));
    next_is(&mut desk, &ordered, None).await?;
    let id = first.id();
    transact!(&mut desk, |store, tx| store.settle(tx, id, "by hand", at(52)));
    next_is(&mut desk, &ordered, Some(0)).await?;
    Ok(())
}

pub(super) async fn a_stale_claim_waits_for_its_turn<D: Database>(database: &D) -> Checked {
    let mut desk = Desk::new(database, "stale/ordered").await?;
    let record = async |desk: &mut Desk<'_, D>, key: &str, order: i64| {
        let mut event = event(key, "1")?;
        event.stream = Some("s".into());
        event.order = Some(Version::secs(order));
        let batch = desk.batch(vec![event], 0);
        desk.record(&batch, Work::Later).await
    };
    let ordered = desk.request(RECLAIM).limit(10).ordering(Ordering::PerStream);
    record(&mut desk, "second", 2).await?;
    let second = desk.claim_as(&ordered, 0).await?.claims;
    ensure_eq!(second.len(), 1);
    // The first arrives late, and the worker of the second goes silent.
    record(&mut desk, "first", 1).await?;
    let first = desk.claim_as(&ordered, 1000).await?.claims;
    let keys: Vec<_> = first.iter().map(|claim| claim.event().key.clone()).collect();
    ensure_eq!(keys, [Some(Key::new("first")?)]);
    let Some(first) = first.first() else { return Ok(()) };
    desk.complete(first, 1001).await?;
    let again = desk.claim_as(&ordered, 1002).await?.claims;
    let tries: Vec<_> = again.iter().map(|claim| (claim.id(), claim.attempt())).collect();
    ensure_eq!(tries, second.iter().map(|claim| (claim.id(), 2)).collect::<Vec<_>>());
    Ok(())
}
