//! A memory store that fails where a test wants it to.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use hookproof::UnixTime;

use crate::backoff::Backoff;
use crate::batch::{Batch, Work};
use crate::claim::{Claim, ClaimRequest, Claimed, Failed, Page, Replayed, Selection};
use crate::delivery::DeliveryRow;
use crate::error::{StoreError, StoreErrorKind};
use crate::event::{AttemptRow, EventRow};
use crate::id::{DeliveryId, EndpointId, EventId, Key};
use crate::memory::{MemoryStore, MemoryTx};
use crate::purge::{KeyHorizon, Purged};
use crate::recorded::{Found, Recorded};
use crate::store::{Database, Store, Tx};
use crate::stream::{Advance, Step, StreamId};

/// A fault, at one of the points at which the worker asks the store for something.
pub(crate) type Fault = Box<dyn Fn(u32, &str) -> Option<StoreErrorKind> + Send + Sync>;

/// A memory store that fails where the test wants it to. Points are counted: `connect`, `begin`, each verb, `commit`, and
/// `committed`, at which the transaction is written although the caller hears of an error.
#[derive(Default)]
pub(crate) struct Faulty {
    pub(crate) inner: MemoryStore,
    points: AtomicU32,
    fault: Mutex<Option<Fault>>,
    counts: Mutex<BTreeMap<&'static str, u32>>,
    /// Claims pass everything over, as if other transactions had it.
    pub(crate) passes_over: AtomicBool,
}

impl Faulty {
    pub(crate) fn fail(
        &self,
        fault: impl Fn(u32, &str) -> Option<StoreErrorKind> + Send + Sync + 'static,
    ) {
        self.points.store(0, Ordering::Relaxed);
        *self.fault.lock().unwrap() = Some(Box::new(fault));
    }

    pub(crate) fn mend(&self) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// How often the worker was at a point of this name.
    pub(crate) fn count(&self, point: &str) -> u32 {
        self.counts.lock().unwrap().get(point).copied().unwrap_or(0)
    }

    fn point(&self, name: &'static str) -> Result<(), StoreError> {
        *self.counts.lock().unwrap().entry(name).or_default() += 1;
        let point = self.points.fetch_add(1, Ordering::Relaxed);
        // The test's fault may be a panic.
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        match fault.as_ref().and_then(|fault| fault(point, name)) {
            Some(kind) => Err(StoreError::new(kind, format!("the test's fault at {name}"))),
            None => Ok(()),
        }
    }
}

macro_rules! delegate {
    ($($verb:ident($($argument:ident: $kind:ty),*) -> $output:ty;)*) => {$(
        async fn $verb(&self, tx: &mut Self::Tx<'_>, $($argument: $kind),*) -> Result<$output, StoreError> {
            self.point(stringify!($verb))?;
            self.inner.$verb(tx, $($argument),*).await
        }
    )*};
}

impl Store for Faulty {
    type Tx<'t> = MemoryTx;

    async fn claim(
        &self,
        tx: &mut Self::Tx<'_>,
        request: &ClaimRequest,
        now: UnixTime,
    ) -> Result<Claimed, StoreError> {
        self.point("claim")?;
        if self.passes_over.load(Ordering::Relaxed) {
            return Ok(Claimed::default());
        }
        self.inner.claim(tx, request, now).await
    }

    delegate! {
        record(batch: &Batch, work: Work) -> Recorded;
        record_many(batch: &Batch, work: Work) -> Vec<Recorded>;
        next_due(request: &ClaimRequest) -> Option<UnixTime>;
        extend(claim: &Claim, by: Duration, now: UnixTime) -> UnixTime;
        complete(claim: &Claim, now: UnixTime) -> ();
        fail(claim: &Claim, error: &str, backoff: &Backoff, seed: u64, now: UnixTime) -> Failed;
        park(claim: &Claim, reason: &str, now: UnixTime) -> ();
        release(claim: &Claim, now: UnixTime) -> ();
        advance(stream: &StreamId, step: &Step, now: UnixTime) -> Advance;
        replay(selection: &Selection, now: UnixTime) -> Replayed;
        settle(id: EventId, reason: &str, now: UnixTime) -> bool;
        look_up(endpoint: &EndpointId, key: &Key) -> Option<Found>;
        list(selection: &Selection, page: Page) -> Vec<EventRow>;
        delivery(id: DeliveryId) -> Option<DeliveryRow>;
        attempts(id: EventId) -> Vec<AttemptRow>;
        purge_payloads(before: UnixTime, limit: u32) -> Purged;
        purge_keys(endpoint: &EndpointId, horizon: &KeyHorizon, now: UnixTime, limit: u32) -> Purged;
    }
}

/// An open transaction that knows its store.
pub(crate) struct Open<'c> {
    store: &'c Faulty,
    tx: MemoryTx,
}

impl Database for Arc<Faulty> {
    type Store = Faulty;
    type Connection = Self;
    type Open<'c> = Open<'c>;

    fn store(&self) -> &Faulty {
        self
    }

    async fn connect(&self) -> Result<Self, StoreError> {
        self.point("connect")?;
        Ok(Self::clone(self))
    }

    async fn begin<'c>(&self, connection: &'c mut Self) -> Result<Self::Open<'c>, StoreError> {
        self.point("begin")?;
        let tx = connection.inner.begin(&mut ()).await?;
        Ok(Open { store: connection, tx })
    }

    fn tx<'o, 'c>(open: &'o mut Self::Open<'c>) -> &'o mut Tx<'c, Faulty> {
        &mut open.tx
    }

    async fn commit(open: Self::Open<'_>) -> Result<(), StoreError> {
        open.store.point("commit")?;
        MemoryStore::commit(open.tx).await?;
        open.store.point("committed")
    }
}
