//! Stores with one fault each.

use core::time::Duration;

use hookproof::UnixTime;

use crate::backoff::Backoff;
use crate::batch::{Batch, Entry, NewEvent, Work};
use crate::chain::{Head, LedgerRow, LinkRow};
use crate::claim::{Claim, ClaimRequest, Claimed, Failed, Ordering, Page, Replayed, Selection};
use crate::delivery::DeliveryRow;
use crate::error::{StoreError, StoreErrorKind};
use crate::event::{AttemptRow, EventRow};
use crate::id::{DeliveryId, EndpointId, EventId, Key};
use crate::kit::block_on;
use crate::memory::{MemoryStore, MemoryTx};
use crate::progress::Stale;
use crate::purge::{KeyHorizon, Purged};
use crate::recorded::{Found, Recorded};
use crate::store::{Database, Log, Store};
use crate::stream::{Advance, Step, StreamId};

/// A store in memory with one fault.
#[derive(Debug)]
pub(super) struct Faulty {
    inner: MemoryStore,
    fault: Fault,
}

/// What a store can get wrong.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Fault {
    AdvancesBack,
    AdvancesIllegally,
    BodiesGrow,
    CheckpointsAreNotWritten,
    ClaimsTwice,
    CompletesUnfenced,
    ConflictsAreDuplicates,
    ConflictsAreNotKept,
    CopiesAreKept,
    DuplicatesAreNew,
    EndedLeasesAreLost,
    EveryClaimMayBeTakenOver,
    ExtendsByNothing,
    ExtendsUnfenced,
    FailsUnfenced,
    FaultyEntriesAreUnkeyed,
    ForgetsReasons,
    KeepsDroppedTransactions,
    LimitsAreIgnored,
    ListsTheFirstPageAlways,
    LostIsInvalid,
    NeverDies,
    NeverEnds,
    NoNotices,
    Nothing,
    NothingIsEverDue,
    NumbersAreGivenTwice,
    OneEndpointForAll,
    OneScopeForAll,
    OrdersNothing,
    ParksUnfenced,
    PurgesKeysEarly,
    PurgesPayloadsEarly,
    RecordsSeveral,
    ReleasesUnfenced,
    ReplaysAreNotCounted,
    SealsEverything,
    SettlesClaimed,
    SilentWorkersDoNotCount,
    TakesOverEarly,
    TextsAreCut,
    UnkeyedAreDropped,
}

use Fault::*;

/// A transaction that may be committed where it should be rolled back.
#[derive(Debug)]
pub(super) struct Open {
    tx: Option<MemoryTx>,
    keeps: bool,
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(tx) = self.tx.take()
            && self.keeps
        {
            block_on(MemoryStore::commit(tx)).unwrap();
        }
    }
}

impl Database for Faulty {
    type Store = Self;
    type Connection = ();
    type Open<'c> = Open;

    fn store(&self) -> &Self {
        self
    }

    async fn connect(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn begin<'c>(&self, connection: &'c mut ()) -> Result<Self::Open<'c>, StoreError> {
        let tx = Some(self.inner.begin(connection).await?);
        Ok(Open { tx, keeps: self.fault == KeepsDroppedTransactions })
    }

    fn tx<'o, 'c>(open: &'o mut Self::Open<'c>) -> &'o mut <Self as Store>::Tx<'c> {
        open.tx.as_mut().unwrap()
    }

    async fn commit(mut open: Self::Open<'_>) -> Result<(), StoreError> {
        MemoryStore::commit(open.tx.take().unwrap()).await
    }
}

impl Faulty {
    pub(super) fn new(fault: Fault) -> Self {
        Self { inner: MemoryStore::new(), fault }
    }

    pub(super) fn with_log(fault: Fault) -> Self {
        Self { inner: MemoryStore::with_log("kit").unwrap(), fault }
    }

    fn verdict(&self, recorded: Recorded) -> Recorded {
        match (self.fault, recorded) {
            (ConflictsAreDuplicates, Recorded::Conflict { id, state, first_seen, .. }) => {
                Recorded::Duplicate { id, state, first_seen }
            }
            (
                ConflictsAreNotKept,
                Recorded::Conflict { id, state, first_seen, stored, offered, .. },
            ) => Recorded::Conflict { id, parked: id, state, first_seen, stored, offered },
            (DuplicatesAreNew, Recorded::Duplicate { id, .. }) => {
                Recorded::New { id, same_bytes: None }
            }
            (FaultyEntriesAreUnkeyed, Recorded::Faulty { id, .. }) => Recorded::Unkeyed { id },
            (NoNotices, Recorded::New { id, .. }) => Recorded::New { id, same_bytes: None },
            (NumbersAreGivenTwice, Recorded::New { id, same_bytes }) => {
                Recorded::New { id: EventId::from_u64(id.as_u64() | 1), same_bytes }
            }
            (UnkeyedAreDropped, Recorded::Unkeyed { .. }) => {
                Recorded::Unkeyed { id: EventId::from_u64(1) }
            }
            (_, recorded) => recorded,
        }
    }

    /// A lost claim is no fault to a store that looks at no token.
    fn unfenced<T>(
        &self,
        fault: Fault,
        result: Result<T, StoreError>,
        instead: T,
    ) -> Result<T, StoreError> {
        match result {
            Err(error) if error.kind() == StoreErrorKind::ClaimLost && self.fault == fault => {
                Ok(instead)
            }
            Err(error)
                if error.kind() == StoreErrorKind::ClaimLost && self.fault == LostIsInvalid =>
            {
                Err(StoreError::new(StoreErrorKind::Invalid, "no such claim"))
            }
            result => result,
        }
    }

    fn limit(&self, limit: u32) -> u32 {
        if self.fault == LimitsAreIgnored { u32::MAX } else { limit }
    }
}

impl Store for Faulty {
    type Tx<'t> = MemoryTx;

    async fn record(
        &self,
        tx: &mut Self::Tx<'_>,
        batch: &Batch,
        work: Work,
    ) -> Result<Recorded, StoreError> {
        if self.fault != RecordsSeveral {
            return Ok(self.verdict(self.inner.record(tx, batch, work).await?));
        }
        Ok(self.inner.record_many(tx, batch, work).await?.remove(0))
    }

    async fn record_many(
        &self,
        tx: &mut Self::Tx<'_>,
        batch: &Batch,
        work: Work,
    ) -> Result<Vec<Recorded>, StoreError> {
        let endpoint = match self.fault {
            OneEndpointForAll => EndpointId::new("all").unwrap(),
            _ => batch.endpoint().clone(),
        };
        let mut own = batch.clone();
        if endpoint != *batch.endpoint() {
            let (headers, body) = (batch.headers().clone(), batch.body().clone());
            own = Batch::unread(endpoint, batch.provider(), batch.received_at(), headers, body);
            own = batch.entries().iter().fold(own, |own, entry| own.with_entry(entry.clone()));
        }
        let recorded = self.inner.record_many(tx, &own, work).await?;
        if self.fault == CopiesAreKept && !recorded.iter().any(Recorded::is_new) {
            let again = Entry::new(NewEvent::new(None, batch.body_digest()));
            self.inner.record_many(tx, &own.with_entry(again), work).await?.clear();
        }
        Ok(recorded.into_iter().map(|recorded| self.verdict(recorded)).collect())
    }

    async fn claim(
        &self,
        tx: &mut Self::Tx<'_>,
        request: &ClaimRequest,
        now: UnixTime,
    ) -> Result<Claimed, StoreError> {
        let mut request = request.clone();
        request.limit = self.limit(request.limit);
        match self.fault {
            SilentWorkersDoNotCount => request.attempts = u32::MAX,
            EveryClaimMayBeTakenOver => request.stale = Stale::Reclaim { after: Duration::ZERO },
            OrdersNothing => request.ordering = Ordering::None,
            _ => {}
        }
        let mut claimed = self.inner.claim(tx, &request, now).await?;
        if self.fault == TakesOverEarly && claimed == Claimed::default() {
            let early = crate::time::later(now, Duration::from_secs(86_400));
            claimed = self.inner.claim(tx, &request, early).await?;
        }
        if self.fault == ClaimsTwice {
            claimed.claims.extend(claimed.claims.clone());
        }
        Ok(claimed)
    }

    async fn next_due(
        &self,
        tx: &mut Self::Tx<'_>,
        request: &ClaimRequest,
    ) -> Result<Option<UnixTime>, StoreError> {
        let next = self.inner.next_due(tx, request).await?;
        Ok(next.filter(|_| self.fault != NothingIsEverDue))
    }

    async fn extend(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        by: Duration,
        now: UnixTime,
    ) -> Result<UnixTime, StoreError> {
        let by = if self.fault == ExtendsByNothing { Duration::ZERO } else { by };
        let result = self.inner.extend(tx, claim, by, now).await;
        self.unfenced(ExtendsUnfenced, result, now)
    }

    async fn complete(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        now: UnixTime,
    ) -> Result<(), StoreError> {
        if self.fault == EndedLeasesAreLost && claim.lease_end() < now {
            return Err(StoreError::new(StoreErrorKind::ClaimLost, "the lease has ended"));
        }
        if self.fault == NeverEnds {
            return Ok(());
        }
        let result = self.inner.complete(tx, claim, now).await;
        self.unfenced(CompletesUnfenced, result, ())
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
        let endless = Backoff::new(Duration::from_secs(10), Duration::from_secs(60), u32::MAX);
        let backoff = if self.fault == NeverDies { &endless } else { backoff };
        let result = self.inner.fail(tx, claim, error, backoff, seed, now).await;
        self.unfenced(FailsUnfenced, result, Failed::new(None, 1))
    }

    async fn park(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        reason: &str,
        now: UnixTime,
    ) -> Result<(), StoreError> {
        let reason = if self.fault == ForgetsReasons { "" } else { reason };
        let result = self.inner.park(tx, claim, reason, now).await;
        self.unfenced(ParksUnfenced, result, ())
    }

    async fn release(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        now: UnixTime,
    ) -> Result<(), StoreError> {
        let result = self.inner.release(tx, claim, now).await;
        self.unfenced(ReleasesUnfenced, result, ())
    }

    async fn advance(
        &self,
        tx: &mut Self::Tx<'_>,
        stream: &StreamId,
        step: &Step,
        now: UnixTime,
    ) -> Result<Advance, StoreError> {
        let one = StreamId::new("all", stream.name()).unwrap();
        let stream = if self.fault == OneScopeForAll { &one } else { stream };
        let advance = self.inner.advance(tx, stream, step, now).await?;
        Ok(match (self.fault, advance) {
            (AdvancesBack, Advance::Stale { .. }) => Advance::Same,
            (AdvancesIllegally, Advance::Refused { .. }) => Advance::Advanced { from: None },
            (_, advance) => advance,
        })
    }

    async fn replay(
        &self,
        tx: &mut Self::Tx<'_>,
        selection: &Selection,
        now: UnixTime,
    ) -> Result<Replayed, StoreError> {
        let replayed = self.inner.replay(tx, selection, now).await?;
        Ok(if self.fault == ReplaysAreNotCounted { Replayed::default() } else { replayed })
    }

    async fn settle(
        &self,
        tx: &mut Self::Tx<'_>,
        id: EventId,
        reason: &str,
        now: UnixTime,
    ) -> Result<bool, StoreError> {
        let reason = if self.fault == ForgetsReasons { "" } else { reason };
        Ok(self.inner.settle(tx, id, reason, now).await? || self.fault == SettlesClaimed)
    }

    async fn look_up(
        &self,
        tx: &mut Self::Tx<'_>,
        endpoint: &EndpointId,
        key: &Key,
    ) -> Result<Option<Found>, StoreError> {
        self.inner.look_up(tx, endpoint, key).await
    }

    async fn list(
        &self,
        tx: &mut Self::Tx<'_>,
        selection: &Selection,
        page: Page,
    ) -> Result<Vec<EventRow>, StoreError> {
        let mut page = page.limit(self.limit(page.limit));
        if self.fault == ListsTheFirstPageAlways {
            page = Page::FIRST.limit(page.limit);
        }
        let mut events = self.inner.list(tx, selection, page).await?;
        if self.fault == TextsAreCut {
            for event in &mut events {
                event.subject = event.subject.as_ref().map(|text| text.chars().take(255).collect());
            }
        }
        Ok(events)
    }

    async fn delivery(
        &self,
        tx: &mut Self::Tx<'_>,
        id: DeliveryId,
    ) -> Result<Option<DeliveryRow>, StoreError> {
        let mut delivery = self.inner.delivery(tx, id).await?;
        if self.fault == BodiesGrow
            && let Some(row) = &mut delivery
        {
            row.body = [&row.body[..], b"\n"].concat().into();
        }
        Ok(delivery)
    }

    async fn attempts(
        &self,
        tx: &mut Self::Tx<'_>,
        id: EventId,
    ) -> Result<Vec<AttemptRow>, StoreError> {
        self.inner.attempts(tx, id).await
    }

    async fn purge_payloads(
        &self,
        tx: &mut Self::Tx<'_>,
        before: UnixTime,
        limit: u32,
    ) -> Result<Purged, StoreError> {
        if self.fault != PurgesPayloadsEarly {
            return self.inner.purge_payloads(tx, before, limit).await;
        }
        // Whatever waits or is in work is done for this store.
        let late = UnixTime::from_secs(1_800_000_000);
        let request = ClaimRequest::new(Duration::ZERO, Stale::Park, u32::MAX).limit(10);
        for claim in self.inner.claim(tx, &request, late).await?.claims {
            self.inner.complete(tx, &claim, late).await?;
        }
        self.inner.purge_payloads(tx, before, limit).await
    }

    async fn purge_keys(
        &self,
        tx: &mut Self::Tx<'_>,
        endpoint: &EndpointId,
        horizon: &KeyHorizon,
        now: UnixTime,
        limit: u32,
    ) -> Result<Purged, StoreError> {
        let later = crate::time::later(now, Duration::from_secs(100 * 86_400));
        let now = if self.fault == PurgesKeysEarly { later } else { now };
        self.inner.purge_keys(tx, endpoint, horizon, now, limit).await
    }
}

impl Log for Faulty {
    async fn head(&self, tx: &mut Self::Tx<'_>) -> Result<Head, StoreError> {
        self.inner.head(tx).await
    }

    async fn seal(
        &self,
        tx: &mut Self::Tx<'_>,
        limit: u32,
        now: UnixTime,
    ) -> Result<(u32, Head), StoreError> {
        let limit = if self.fault == SealsEverything { u32::MAX } else { limit };
        self.inner.seal(tx, limit, now).await
    }

    async fn checkpoint(&self, tx: &mut Self::Tx<'_>, now: UnixTime) -> Result<Head, StoreError> {
        if self.fault == CheckpointsAreNotWritten {
            return self.inner.head(tx).await;
        }
        self.inner.checkpoint(tx, now).await
    }

    async fn links(
        &self,
        tx: &mut Self::Tx<'_>,
        after: u64,
        limit: u32,
    ) -> Result<Vec<(LinkRow, Option<LedgerRow>)>, StoreError> {
        self.inner.links(tx, after, limit).await
    }

    async fn unsealed(
        &self,
        tx: &mut Self::Tx<'_>,
        after: Option<EventId>,
        limit: u32,
    ) -> Result<Vec<LedgerRow>, StoreError> {
        self.inner.unsealed(tx, after, limit).await
    }

    async fn purge_links(&self, tx: &mut Self::Tx<'_>, limit: u32) -> Result<Purged, StoreError> {
        self.inner.purge_links(tx, limit).await
    }
}
