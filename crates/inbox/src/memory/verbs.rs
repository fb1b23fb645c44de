//! The verbs on the tables.

use core::time::Duration;

use hookproof::UnixTime;

use super::steps::{bounded, count};
use super::{MemoryStore, MemoryTx};
use crate::backoff::Backoff;
use crate::batch::{Batch, Work};
use crate::chain::LedgerRow;
use crate::claim::{Claim, ClaimRequest, Claimed, Failed, Ordering, Page, Replayed, Selection};
use crate::delivery::DeliveryRow;
use crate::error::{StoreError, StoreErrorKind};
use crate::event::{AttemptOutcome, AttemptRow, EventRow, State};
use crate::id::{DeliveryId, EndpointId, EventId, Key};
use crate::progress::{Progress, Ready};
use crate::purge::{KeyHorizon, Purged, Sealed, may_purge_key, may_purge_payload};
use crate::recorded::{Found, Plan, Recorded};
use crate::store::Store;
use crate::stream::{Advance, Step, StreamId};

impl Store for MemoryStore {
    type Tx<'t> = MemoryTx;

    async fn record(
        &self,
        tx: &mut Self::Tx<'_>,
        batch: &Batch,
        work: Work,
    ) -> Result<Recorded, StoreError> {
        let several = || StoreError::new(StoreErrorKind::Invalid, "the delivery has not one event");
        if batch.entries().len() != 1 {
            return Err(several());
        }
        self.record_many(tx, batch, work).await?.pop().ok_or_else(several)
    }

    async fn record_many(
        &self,
        tx: &mut Self::Tx<'_>,
        batch: &Batch,
        work: Work,
    ) -> Result<Vec<Recorded>, StoreError> {
        let rows = tx.rows()?;
        let plan = Plan::new(batch);
        let found = rows.insert_all(batch, &plan, work)?;
        let parked = match plan.conflicts(&found) {
            None => Vec::new(),
            Some(conflicts) => {
                let plan = Plan::new(&conflicts);
                plan.ids(&rows.insert_all(&conflicts, &plan, work)?)
            }
        };
        Ok(plan.verdicts(&found, &parked))
    }

    async fn claim(
        &self,
        tx: &mut Self::Tx<'_>,
        request: &ClaimRequest,
        now: UnixTime,
    ) -> Result<Claimed, StoreError> {
        let rows = tx.rows()?;
        let mut ready: Vec<(UnixTime, EventId, Ready)> = rows
            .unfinished
            .all()
            .keys()
            .filter_map(|id| rows.events.all().get(id))
            .filter(|event| request.endpoint.as_ref().is_none_or(|own| *own == event.endpoint))
            .map(|event| {
                (event.progress.due, event.id, event.progress.ready(request.attempts, now))
            })
            .filter(|(.., ready)| *ready != Ready::No)
            .collect();
        ready.sort_by_key(|(due, id, _)| (*due, *id));
        let limit = usize::try_from(request.limit).unwrap_or(usize::MAX);
        let mut claimed = Claimed::default();
        // What is parked or given up first, so that it holds up nothing or everything of its stream, as it should.
        for &(_, id, ready) in &ready {
            let (list, ended): (_, fn(&Progress) -> Progress) = match ready {
                Ready::Park => (&mut claimed.parked, Progress::park_stale),
                Ready::Die => (&mut claimed.dead, Progress::die),
                _ => continue,
            };
            if list.len() < limit {
                list.push(rows.lose(id, ended, now)?);
            }
        }
        for &(_, id, ready) in &ready {
            if ready != Ready::Claim || claimed.claims.len() >= limit {
                continue;
            }
            let Some(event) = rows.events.all().get(&id) else { continue };
            if request.ordering == Ordering::PerStream && rows.is_held_up(event) {
                continue;
            }
            let claim = |progress: &Progress| progress.claim(request.lease, request.stale, now);
            claimed.claims.extend(Claim::new(rows.lose(id, claim, now)?));
        }
        Ok(claimed)
    }

    async fn next_due(
        &self,
        tx: &mut Self::Tx<'_>,
        request: &ClaimRequest,
    ) -> Result<Option<UnixTime>, StoreError> {
        let rows = tx.rows()?;
        let ordered = request.ordering == Ordering::PerStream;
        let open = rows.unfinished.all().keys().filter_map(|id| rows.events.all().get(id));
        Ok(open
            .filter(|event| request.endpoint.as_ref().is_none_or(|own| *own == event.endpoint))
            .filter(|event| {
                event.progress.state != State::Waiting || !ordered || !rows.is_held_up(event)
            })
            .filter_map(|event| event.progress.ready_at())
            .min())
    }

    async fn extend(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        by: Duration,
        now: UnixTime,
    ) -> Result<UnixTime, StoreError> {
        let rows = tx.rows()?;
        let mut event = rows.claimed(claim)?;
        event.progress = event.progress.extend(claim.token(), by, now)?;
        let end = event.progress.lease.map_or(now, |lease| lease.end);
        rows.save(event)?;
        Ok(end)
    }

    async fn complete(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        now: UnixTime,
    ) -> Result<(), StoreError> {
        let rows = tx.rows()?;
        let token = claim.token();
        let event = rows.end(claim, AttemptOutcome::Done, None, now, |own| own.complete(token))?;
        if rows.failures.all().contains_key(&event.endpoint) {
            rows.put_failures(event.endpoint, None)?;
        }
        Ok(())
    }

    async fn fail(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        error: &str,
        backoff: &Backoff,
        seed: u64,
        now: UnixTime,
    ) -> Result<Failed, StoreError> {
        let rows = tx.rows()?;
        let failed = |own: &Progress| own.fail(claim.token(), error, backoff, seed, now);
        let event = rows.end(claim, AttemptOutcome::Failed, Some(error), now, failed)?;
        let before = rows.failures.all().get(&event.endpoint).copied().unwrap_or(0);
        let in_a_row = before.saturating_add(1);
        rows.put_failures(event.endpoint, Some(in_a_row))?;
        let waits = event.progress.state == State::Waiting;
        Ok(Failed::new(waits.then_some(event.progress.due), in_a_row))
    }

    async fn park(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        reason: &str,
        now: UnixTime,
    ) -> Result<(), StoreError> {
        let parked = |own: &Progress| own.park(claim.token(), reason);
        tx.rows()?.end(claim, AttemptOutcome::Parked, Some(reason), now, parked)?;
        Ok(())
    }

    async fn release(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        now: UnixTime,
    ) -> Result<(), StoreError> {
        let released = |own: &Progress| own.release(claim.token());
        tx.rows()?.end(claim, AttemptOutcome::Released, None, now, released)?;
        Ok(())
    }

    async fn advance(
        &self,
        tx: &mut Self::Tx<'_>,
        stream: &StreamId,
        step: &Step,
        _now: UnixTime,
    ) -> Result<Advance, StoreError> {
        let rows = tx.rows()?;
        let decision = step.decide(rows.streams.all().get(stream));
        if let Some(standing) = decision.write {
            rows.put_stream(stream.clone(), Some(standing))?;
        }
        Ok(decision.advance)
    }

    async fn replay(
        &self,
        tx: &mut Self::Tx<'_>,
        selection: &Selection,
        now: UnixTime,
    ) -> Result<Replayed, StoreError> {
        let rows = tx.rows()?;
        let chosen: Vec<EventRow> =
            rows.events.all().values().filter(|row| selection.matches(row)).cloned().collect();
        let mut replayed = Replayed::default();
        for mut event in chosen {
            if let Some(progress) = event.progress.replay(now) {
                event.progress = progress;
                rows.save(event)?;
                replayed.events += 1;
            } else {
                replayed.skipped += 1;
            }
        }
        Ok(replayed)
    }

    async fn settle(
        &self,
        tx: &mut Self::Tx<'_>,
        id: EventId,
        reason: &str,
        _now: UnixTime,
    ) -> Result<bool, StoreError> {
        let rows = tx.rows()?;
        let mut event = rows.event(id)?;
        let Some(progress) = event.progress.settle(reason) else { return Ok(false) };
        event.progress = progress;
        rows.save(event)?;
        Ok(true)
    }

    async fn look_up(
        &self,
        tx: &mut Self::Tx<'_>,
        endpoint: &EndpointId,
        key: &Key,
    ) -> Result<Option<Found>, StoreError> {
        let rows = tx.rows()?;
        let id = rows.keys.all().get(&(endpoint.clone(), key.clone()));
        Ok(id.and_then(|id| rows.found(*id)))
    }

    async fn list(
        &self,
        tx: &mut Self::Tx<'_>,
        selection: &Selection,
        page: Page,
    ) -> Result<Vec<EventRow>, StoreError> {
        let events = tx.rows()?.events.all().values();
        let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
        let after = |event: &&EventRow| page.after.is_none_or(|after| event.id > after);
        let chosen = events.filter(after).filter(|event| selection.matches(event));
        Ok(chosen.take(limit).cloned().collect())
    }

    async fn delivery(
        &self,
        tx: &mut Self::Tx<'_>,
        id: DeliveryId,
    ) -> Result<Option<DeliveryRow>, StoreError> {
        Ok(tx.rows()?.deliveries.all().get(&id).cloned())
    }

    async fn attempts(
        &self,
        tx: &mut Self::Tx<'_>,
        id: EventId,
    ) -> Result<Vec<AttemptRow>, StoreError> {
        let attempts = tx.rows()?.attempts.all().values();
        Ok(attempts.filter(|attempt| attempt.event == id).cloned().collect())
    }

    async fn purge_payloads(
        &self,
        tx: &mut Self::Tx<'_>,
        before: UnixTime,
        limit: u32,
    ) -> Result<Purged, StoreError> {
        let rows = tx.rows()?;
        let may_go = |delivery: &&DeliveryRow| {
            let unfinished = rows.unfinished.all().keys();
            let own = unfinished
                .filter_map(|id| rows.events.all().get(id))
                .filter(|event| event.delivery == delivery.id);
            let states = own.map(|event| event.progress.state);
            may_purge_payload(delivery.received_at, before, states)
        };
        let old = rows.deliveries.all().values().filter(may_go).map(|delivery| delivery.id);
        let (gone, more) = bounded(old, limit);
        for id in &gone {
            rows.put_delivery(*id, None)?;
        }
        Ok(Purged::new(count(gone.len()), more))
    }

    async fn purge_keys(
        &self,
        tx: &mut Self::Tx<'_>,
        endpoint: &EndpointId,
        horizon: &KeyHorizon,
        now: UnixTime,
        limit: u32,
    ) -> Result<Purged, StoreError> {
        let rows = tx.rows()?;
        let before = horizon.before(now);
        let checkpoint = rows.checkpoint();
        let may_go = |entry: &&LedgerRow| {
            let sealed = rows.log.as_ref().map(|_| match rows.sealed.all().get(&entry.id) {
                Some(seq) if *seq < checkpoint => Sealed::Below,
                _ => Sealed::Open,
            });
            entry.endpoint == *endpoint
                && may_purge_key(entry.first_seen, before, rows.state(entry.id), sealed)
        };
        let old = rows.ledger.all().values().filter(may_go).cloned();
        let (gone, more) = bounded(old, limit);
        for entry in &gone {
            rows.forget(entry)?;
        }
        Ok(Purged::new(count(gone.len()), more))
    }
}
