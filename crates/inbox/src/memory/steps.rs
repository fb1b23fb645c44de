//! What the verbs share.

use hookproof::UnixTime;

use super::rows::Rows;
use crate::batch::{Batch, Entry, Work};
use crate::chain::{LedgerRow, Sealing};
use crate::claim::Claim;
use crate::error::{StoreError, StoreErrorKind};
use crate::event::{AttemptOutcome, AttemptRow, EventRow, State};
use crate::id::{DeliveryId, Digest, EndpointId, EventId, Key};
use crate::progress::{ClaimLost, Progress};
use crate::recorded::{Found, Plan};

/// The first `limit` rows, and whether there are more.
pub(super) fn bounded<T>(rows: impl Iterator<Item = T>, limit: u32) -> (Vec<T>, bool) {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut first: Vec<T> = rows.take(limit.saturating_add(1)).collect();
    let more = first.len() > limit;
    first.truncate(limit);
    (first, more)
}

pub(super) fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

impl Rows {
    /// Inserts what is not there, and the delivery with it.
    pub(super) fn insert_all(
        &mut self,
        batch: &Batch,
        plan: &Plan<'_>,
        work: Work,
    ) -> Result<Vec<Found>, StoreError> {
        let delivery = DeliveryId::from_u64(self.number());
        let entries = plan.inserts().iter().filter_map(|&index| batch.entries().get(index));
        let found: Vec<Found> = entries
            .map(|entry| self.insert(batch, entry, delivery, work))
            .collect::<Result<_, _>>()?;
        if batch.is_stored(work) && found.iter().any(|found| found.inserted) {
            self.put_delivery(delivery, Some(batch.to_row(delivery)))?;
        }
        Ok(found)
    }

    /// Inserts an entry if its key is not there, and says what is there now.
    fn insert(
        &mut self,
        batch: &Batch,
        entry: &Entry,
        delivery: DeliveryId,
        work: Work,
    ) -> Result<Found, StoreError> {
        let (endpoint, received_at) = (batch.endpoint(), batch.received_at());
        let scoped = entry.key().map(|key| (endpoint.clone(), key.clone()));
        let stored = scoped.as_ref().and_then(|key| self.keys.all().get(key));
        if let Some(found) = stored.and_then(|id| self.found(*id)) {
            return Ok(found);
        }
        let id = EventId::from_u64(self.number());
        let (body, event) = (batch.body_digest(), entry.event());
        let content = event.map_or(body, |event| event.content);
        let row =
            LedgerRow::new(id, endpoint.clone(), entry.key().cloned(), content, body, received_at);
        self.put_entry(id, Some(row))?;
        if let Some(key) = scoped {
            self.put_key(key, Some(id))?;
        }
        let mut same_bytes = None;
        if event.is_some_and(|event| event.unsigned) {
            same_bytes = self.same_bytes(endpoint, body);
            self.put_body((endpoint.clone(), body, id), Some(()))?;
        }
        if work == Work::Later || entry.problem().is_some() {
            self.save(batch.to_event_row(entry, id, delivery, received_at))?;
        }
        Ok(Found::inserted(id, content, received_at, work).with_same_bytes(same_bytes))
    }

    /// What is stored of an entry.
    pub(super) fn found(&self, id: EventId) -> Option<Found> {
        let entry = self.ledger.all().get(&id)?;
        Some(Found::stored(id, entry.content, entry.first_seen, self.state(id)))
    }

    /// The key of the first entry that came with this body under an unsigned id.
    fn same_bytes(&self, endpoint: &EndpointId, body: Digest) -> Option<Key> {
        let from = (endpoint.clone(), body, EventId::from_u64(0));
        let until = (endpoint.clone(), body, EventId::from_u64(u64::MAX));
        let ((.., id), ()) = self.bodies.all().range(from..=until).next()?;
        self.ledger.all().get(id)?.key.clone()
    }

    pub(super) fn event(&self, id: EventId) -> Result<EventRow, StoreError> {
        let missing = || StoreError::new(StoreErrorKind::Invalid, format!("no event {id}"));
        self.events.all().get(&id).cloned().ok_or_else(missing)
    }

    /// The event of a claim.
    pub(super) fn claimed(&self, claim: &Claim) -> Result<EventRow, StoreError> {
        Ok(self.events.all().get(&claim.id()).cloned().ok_or_else(|| claim.gone())?)
    }

    /// Ends an attempt by its own worker.
    pub(super) fn end(
        &mut self,
        claim: &Claim,
        outcome: AttemptOutcome,
        error: Option<&str>,
        now: UnixTime,
        next: impl FnOnce(&Progress) -> Result<Progress, ClaimLost>,
    ) -> Result<EventRow, StoreError> {
        let mut event = self.claimed(claim)?;
        let progress = next(&event.progress)?;
        self.attempt(&event, outcome, error, now)?;
        event.progress = progress;
        self.save(event.clone())?;
        Ok(event)
    }

    /// Takes an event from a worker that went silent, if it has one.
    pub(super) fn lose(
        &mut self,
        id: EventId,
        next: impl FnOnce(&Progress) -> Progress,
        now: UnixTime,
    ) -> Result<EventRow, StoreError> {
        let mut event = self.event(id)?;
        let progress = next(&event.progress);
        self.attempt(&event, AttemptOutcome::Lost, None, now)?;
        event.progress = progress;
        self.save(event.clone())?;
        Ok(event)
    }

    fn attempt(
        &mut self,
        event: &EventRow,
        outcome: AttemptOutcome,
        error: Option<&str>,
        now: UnixTime,
    ) -> Result<(), StoreError> {
        match AttemptRow::of(event.id, &event.progress, outcome, error, now) {
            Some(attempt) => self.put_attempt((event.id, attempt.token), Some(attempt)),
            None => Ok(()),
        }
    }

    /// Whether an earlier event of the stream is not through.
    pub(super) fn is_held_up(&self, event: &EventRow) -> bool {
        let Some(stream) = &event.stream else { return false };
        let own = (event.position(), event.id);
        self.unfinished.all().keys().filter_map(|id| self.events.all().get(id)).any(|other| {
            other.endpoint == event.endpoint
                && other.stream.as_ref() == Some(stream)
                && other.progress.state != State::Dead
                && (other.position(), other.id) < own
        })
    }

    /// The sequence number of the latest checkpoint, 0 without one.
    pub(super) fn checkpoint(&self) -> u64 {
        let links = self.chain.all().values().rev();
        let mut checkpoints = links.filter(|row| matches!(row.what, Sealing::Checkpoint { .. }));
        checkpoints.next().map_or(0, |row| row.seq)
    }

    pub(super) fn forget(&mut self, entry: &LedgerRow) -> Result<(), StoreError> {
        let id = entry.id;
        let tokens: Vec<_> =
            self.attempts.all().keys().filter(|(event, _)| *event == id).copied().collect();
        for token in tokens {
            self.put_attempt(token, None)?;
        }
        if let Some(key) = &entry.key {
            self.put_key((entry.endpoint.clone(), key.clone()), None)?;
        }
        self.put_body((entry.endpoint.clone(), entry.body, id), None)?;
        self.put_event(id, None)?;
        self.put_entry(id, None)
    }
}
