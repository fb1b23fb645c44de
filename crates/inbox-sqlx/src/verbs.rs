//! The verbs that are alike on both databases: a row is loaded, a pure function decides, the row is saved.

use core::time::Duration;

use hookproof::UnixTime;
use hookproof_inbox::{
    Advance, AttemptOutcome, AttemptRow, Backoff, Claim, ClaimLost, ClaimRequest, Claimed,
    DeliveryId, DeliveryRow, EndpointId, EventId, EventRow, Failed, Found, Key, Ordering, Page,
    Progress, Purged, Ready, Selection, State, Step, StoreError, StreamId,
};
use sqlx::SqlStr;

use crate::error::{corrupt, invalid};
use crate::link::{Columns as _, Link, Value};
use crate::rows;
use crate::texts::Verbs;

type Done<T> = Result<T, StoreError>;

/// Claims what is due. What is parked or given up is saved first, so that it holds up nothing or everything of its stream.
pub(crate) async fn claim<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    request: &ClaimRequest,
    now: UnixTime,
) -> Done<Claimed> {
    let ordered = request.ordering == Ordering::PerStream;
    let values = [Value::time(now), endpoint_of(request), Value::number(request.limit)];
    let mut claimed = Claimed::default();
    let mut ready = Vec::new();
    for event in events(link, &verbs.stale, &values).await? {
        let ended = match event.progress.ready(request.attempts, now) {
            Ready::Claim => {
                ready.push(event);
                continue;
            }
            Ready::Die => event.progress.die(),
            Ready::Park => event.progress.park_stale(),
            _ => continue,
        };
        let event = pass(link, verbs, event, ended, AttemptOutcome::Lost, None, now).await?;
        match event.progress.state {
            State::Dead => claimed.dead.push(event),
            _ => claimed.parked.push(event),
        }
    }
    if ordered {
        let mut free = Vec::new();
        for event in ready {
            let held_up = link.row(&verbs.held_up, &[Value::id(event.id.as_u64())]).await?;
            if !held_up.ok_or_else(|| corrupt("an event"))?.boolean(0)? {
                free.push(event);
            }
        }
        ready = free;
    }
    let sql = if ordered { &verbs.ready_in_order } else { &verbs.ready };
    ready.extend(events(link, sql, &values).await?);
    ready.sort_by_key(|event| (event.progress.due, event.id));
    ready.truncate(usize::try_from(request.limit).unwrap_or(usize::MAX));
    for event in &mut ready {
        let next = event.progress.claim(request.lease, request.stale, now);
        attempt(link, verbs, event, AttemptOutcome::Lost, None, now).await?;
        event.progress = next;
    }
    if !ready.is_empty() {
        let progress: Vec<_> = ready.iter().map(|event| (event.id, &event.progress)).collect();
        link.save(verbs, &progress).await?;
    }
    claimed.claims.extend(ready.into_iter().filter_map(Claim::new));
    Ok(claimed)
}

pub(crate) async fn next_due<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    request: &ClaimRequest,
) -> Done<Option<UnixTime>> {
    let sql = match request.ordering {
        Ordering::PerStream => &verbs.next_due_in_order,
        _ => &verbs.next_due,
    };
    let row = link.row(sql, &[endpoint_of(request)]).await?;
    let at = row.map(|row| row.maybe_bigint(0)).transpose()?.flatten();
    Ok(at.map(hookproof_inbox::time::from_sql))
}

pub(crate) async fn extend<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    claim: &Claim,
    by: Duration,
    now: UnixTime,
) -> Done<UnixTime> {
    let event = claimed(link, verbs, claim).await?;
    let progress = event.progress.extend(claim.token(), by, now)?;
    link.save(verbs, &[(event.id, &progress)]).await?;
    Ok(progress.lease.map_or(now, |lease| lease.end))
}

pub(crate) async fn complete<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    claim: &Claim,
    now: UnixTime,
) -> Done<()> {
    let completed = |progress: &Progress| progress.complete(claim.token());
    let event = end(link, verbs, claim, AttemptOutcome::Done, None, now, completed).await?;
    link.execute(&verbs.success, &[Value::text(event.endpoint.as_str())]).await?;
    Ok(())
}

pub(crate) async fn fail<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    claim: &Claim,
    error: &str,
    backoff: (&Backoff, u64),
    now: UnixTime,
) -> Done<Failed> {
    let (backoff, seed) = backoff;
    let failed = |progress: &Progress| progress.fail(claim.token(), error, backoff, seed, now);
    let event = end(link, verbs, claim, AttemptOutcome::Failed, Some(error), now, failed).await?;
    let row = link.row(&verbs.failure, &[Value::text(event.endpoint.as_str())]).await?;
    let in_a_row = row.ok_or_else(|| corrupt("the failures of an endpoint"))?.integer(0)?;
    let in_a_row = u32::try_from(in_a_row).map_err(|_| corrupt("a count"))?;
    let waits = event.progress.state == State::Waiting;
    Ok(Failed::new(waits.then_some(event.progress.due), in_a_row))
}

pub(crate) async fn park<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    claim: &Claim,
    reason: &str,
    now: UnixTime,
) -> Done<()> {
    let parked = |progress: &Progress| progress.park(claim.token(), reason);
    end(link, verbs, claim, AttemptOutcome::Parked, Some(reason), now, parked).await.map(drop)
}

pub(crate) async fn release<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    claim: &Claim,
    now: UnixTime,
) -> Done<()> {
    let released = |progress: &Progress| progress.release(claim.token());
    end(link, verbs, claim, AttemptOutcome::Released, None, now, released).await.map(drop)
}

pub(crate) async fn advance<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    stream: &StreamId,
    step: &Step,
    now: UnixTime,
) -> Done<Advance> {
    let (scope, name) = (Value::text(stream.scope()), Value::text(stream.name()));
    let first = link.row(&verbs.stream, &[scope, name, Value::time(now)]).await?.is_some();
    let stored = if first {
        None
    } else {
        let row = link.row(&verbs.standing, &[scope, name]).await?;
        Some(rows::standing(&row.ok_or_else(|| corrupt("a stream"))?)?)
    };
    let decision = step.decide(stored.as_ref());
    if let Some(standing) = decision.write {
        let version = standing.version;
        let values = [
            scope,
            name,
            Value::Number(version.map(|version| version.value())),
            Value::Text(version.map(|version| version.unit().as_str())),
            Value::Text(standing.phase.as_deref()),
            Value::time(now),
        ];
        link.execute(&verbs.save_standing, &values).await?;
    }
    Ok(decision.advance)
}

pub(crate) async fn settle<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    id: EventId,
    reason: &str,
) -> Done<bool> {
    let event = load(link, verbs, id).await?;
    let event = event.ok_or_else(|| invalid(format!("there is no event {id}")))?;
    let Some(progress) = event.progress.settle(reason) else { return Ok(false) };
    link.save(verbs, &[(id, &progress)]).await?;
    Ok(true)
}

pub(crate) async fn look_up<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    endpoint: &EndpointId,
    key: &Key,
) -> Done<Option<Found>> {
    let values = [Value::text(endpoint.as_str()), Value::text(key.as_str())];
    let row = link.row(&verbs.find, &values).await?;
    row.map(|row| rows::found(&row, 0)).transpose()
}

pub(crate) async fn list<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    selection: &Selection,
    page: Page,
) -> Done<Vec<EventRow>> {
    let [event, endpoint, kind, subject, state, from, until] = filters(selection);
    let after = Value::Number(page.after.map(|id| i64::try_from(id.as_u64()).unwrap_or(i64::MAX)));
    let values =
        [after, Value::number(page.limit), event, endpoint, kind, subject, state, from, until];
    events(link, &verbs.list, &values).await
}

pub(crate) async fn delivery<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    id: DeliveryId,
) -> Done<Option<DeliveryRow>> {
    let row = link.row(&verbs.delivery, &[Value::id(id.as_u64())]).await?;
    row.map(|row| rows::delivery(&row)).transpose()
}

pub(crate) async fn attempts<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    id: EventId,
) -> Done<Vec<AttemptRow>> {
    let rows = link.rows(&verbs.attempts, &[Value::id(id.as_u64())]).await?;
    rows.iter().map(rows::attempt).collect()
}

pub(crate) async fn purge_payloads<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    before: UnixTime,
    limit: u32,
) -> Done<Purged> {
    let values = [Value::time(before), Value::number(limit)];
    let rows = link.execute(&verbs.purge_payloads, &values).await?;
    Ok(purged(rows, limit))
}

/// The limit was reached exactly: perhaps there is more.
pub(crate) fn purged(rows: u64, limit: u32) -> Purged {
    Purged::new(rows, rows >= u64::from(limit))
}

/// The filters of a selection, in the order of the statements.
pub(crate) fn filters(selection: &Selection) -> [Value<'_>; 7] {
    [
        selection.event.map_or(Value::Number(None), |id| Value::id(id.as_u64())),
        Value::Text(selection.endpoint.as_ref().map(EndpointId::as_str)),
        Value::Text(selection.kind.as_deref()),
        Value::Text(selection.subject.as_deref()),
        Value::Number(selection.state.map(|state| state.code().into())),
        Value::maybe_time(selection.from),
        Value::maybe_time(selection.until),
    ]
}

/// The values of a progress, in the order of the statement that saves it.
pub(crate) fn saved(id: EventId, progress: &Progress) -> [Value<'_>; 10] {
    let lease = progress.lease;
    [
        Value::id(id.as_u64()),
        Value::number(progress.state.code()),
        Value::number(progress.attempts),
        Value::id(progress.token.as_u64()),
        Value::time(progress.due),
        Value::maybe_time(lease.map(|lease| lease.claimed_at)),
        Value::maybe_time(lease.map(|lease| lease.end)),
        Value::maybe_time(lease.and_then(|lease| lease.reclaim_at)),
        Value::number(progress.replays),
        Value::Text(progress.error.as_deref()),
    ]
}

fn endpoint_of(request: &ClaimRequest) -> Value<'_> {
    Value::Text(request.endpoint.as_ref().map(EndpointId::as_str))
}

async fn events<L: Link>(link: &mut L, sql: &SqlStr, values: &[Value<'_>]) -> Done<Vec<EventRow>> {
    link.rows(sql, values).await?.iter().map(rows::event).collect()
}

async fn load<L: Link>(link: &mut L, verbs: &Verbs, id: EventId) -> Done<Option<EventRow>> {
    let row = link.row(&verbs.load, &[Value::id(id.as_u64())]).await?;
    row.map(|row| rows::event(&row)).transpose()
}

/// The event of a claim.
async fn claimed<L: Link>(link: &mut L, verbs: &Verbs, claim: &Claim) -> Done<EventRow> {
    Ok(load(link, verbs, claim.id()).await?.ok_or_else(|| claim.gone())?)
}

/// Ends an attempt by its own worker.
async fn end<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    claim: &Claim,
    outcome: AttemptOutcome,
    error: Option<&str>,
    now: UnixTime,
    next: impl FnOnce(&Progress) -> Result<Progress, ClaimLost> + Send,
) -> Done<EventRow> {
    let event = claimed(link, verbs, claim).await?;
    let next = next(&event.progress)?;
    pass(link, verbs, event, next, outcome, error, now).await
}

/// Saves the next progress of an event, and the attempt that ends with it.
async fn pass<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    mut event: EventRow,
    next: Progress,
    outcome: AttemptOutcome,
    error: Option<&str>,
    now: UnixTime,
) -> Done<EventRow> {
    attempt(link, verbs, &event, outcome, error, now).await?;
    link.save(verbs, &[(event.id, &next)]).await?;
    event.progress = next;
    Ok(event)
}

/// Adds the attempt that an event is in, if it is in one.
async fn attempt<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    event: &EventRow,
    outcome: AttemptOutcome,
    error: Option<&str>,
    now: UnixTime,
) -> Done<()> {
    let Some(attempt) = AttemptRow::of(event.id, &event.progress, outcome, error, now) else {
        return Ok(());
    };
    let values = [
        Value::id(attempt.event.as_u64()),
        Value::id(attempt.token.as_u64()),
        Value::number(attempt.number),
        Value::number(attempt.replays),
        Value::time(attempt.started_at),
        Value::time(attempt.ended_at),
        Value::text(attempt.outcome.as_str()),
        Value::Text(attempt.error.as_deref()),
    ];
    link.execute(&verbs.attempt, &values).await.map(drop)
}
