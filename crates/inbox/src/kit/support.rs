//! What the checks share.

use core::fmt;
use core::future::{Future, poll_fn};
use core::pin::{Pin, pin};
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::sync::Arc;
use std::task::Wake;
use std::thread::{self, Thread};

use bytes::Bytes;
use hookproof::UnixTime;
use http::HeaderMap;

use crate::backoff::Backoff;
use crate::batch::{Batch, Entry, NewEvent, Work};
use crate::claim::{Claim, ClaimRequest, Claimed, Page, Selection};
use crate::error::{StoreError, StoreErrorKind};
use crate::event::{AttemptOutcome, EventRow, State};
use crate::id::{Digest, EndpointId, EventId, Key};
use crate::progress::Stale;
use crate::recorded::Recorded;
use crate::store::{Database, Store};

/// Why a check failed.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    pub(super) const fn new(message: String) -> Self {
        Self(message)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: core::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        let source = error.source().map(|source| format!(" ({source})")).unwrap_or_default();
        Self(format!("{error}{source}"))
    }
}

/// Fails the check unless this holds.
macro_rules! ensure {
    ($holds:expr, $($what:tt)+) => {
        if !$holds {
            return Err($crate::kit::Failure::new(format!($($what)+)));
        }
    };
}

/// Fails the check unless the two are equal.
macro_rules! ensure_eq {
    ($left:expr, $right:expr) => {
        match (&$left, &$right) {
            (left, right) => {
                ensure!(*left == *right, "line {}: {left:?} is not {right:?}", line!());
            }
        }
    };
}

/// Runs an expression in a transaction and commits.
macro_rules! transact {
    ($desk:expr, |$store:ident, $tx:ident| $body:expr) => {{
        let desk = &mut *$desk;
        let mut open = desk.database.begin(&mut desk.connection).await?;
        let $store = desk.database.store();
        let value = {
            let $tx = D::tx(&mut open);
            $body.await?
        };
        D::commit(open).await?;
        value
    }};
}

/// Runs an expression in a transaction and drops it.
macro_rules! drop_after {
    ($desk:expr, |$store:ident, $tx:ident| $body:expr) => {{
        let desk = &mut *$desk;
        let mut open = desk.database.begin(&mut desk.connection).await?;
        let $store = desk.database.store();
        {
            let $tx = D::tx(&mut open);
            let _dropped = $body.await?;
        }
        drop(open);
    }};
}

pub(super) use {drop_after, ensure, ensure_eq, transact};

/// The time at which the checks begin.
pub(super) const START: u64 = 1_700_000_000;
pub(super) const LEASE: Duration = Duration::from_secs(60);
pub(super) const RECLAIM: Stale = Stale::Reclaim { after: Duration::from_secs(5) };
pub(super) const BACKOFF: Backoff =
    Backoff::new(Duration::from_secs(10), Duration::from_secs(60), 3);

/// So many seconds after the beginning.
pub(super) const fn at(secs: u64) -> UnixTime {
    UnixTime::from_secs(START + secs)
}

/// An event of a check.
pub(super) fn event(key: &str, content: &str) -> Result<NewEvent, Failure> {
    Ok(NewEvent::new(Some(Key::new(key)?), Digest::of(content.as_bytes())))
}

/// A connection and an endpoint of a check's own.
pub(super) struct Desk<'d, D: Database> {
    pub(super) database: &'d D,
    pub(super) connection: D::Connection,
    pub(super) endpoint: EndpointId,
}

impl<'d, D: Database> Desk<'d, D> {
    pub(super) async fn new(database: &'d D, endpoint: &str) -> Result<Self, Failure> {
        let connection = database.connect().await?;
        Ok(Self { database, connection, endpoint: EndpointId::new(format!("kit/{endpoint}"))? })
    }

    /// A delivery with these events that arrived at this time.
    pub(super) fn batch(&self, events: Vec<NewEvent>, secs: u64) -> Batch {
        let body = Bytes::from(format!("{events:?}"));
        let empty = Batch::unread(self.endpoint.clone(), "kit", at(secs), HeaderMap::new(), body);
        events.into_iter().fold(empty, |batch, event| batch.with_entry(Entry::new(event)))
    }

    pub(super) async fn record(
        &mut self,
        batch: &Batch,
        work: Work,
    ) -> Result<Vec<Recorded>, Failure> {
        Ok(transact!(self, |store, tx| store.record_many(tx, batch, work)))
    }

    /// Records new events of these keys for later, in one delivery, and returns their numbers.
    pub(super) async fn fill(&mut self, keys: &[&str]) -> Result<Vec<EventId>, Failure> {
        let events = keys.iter().map(|key| event(key, "content")).collect::<Result<_, _>>()?;
        let batch = self.batch(events, 0);
        let recorded = self.record(&batch, Work::Later).await?;
        ensure!(recorded.iter().all(Recorded::is_new), "not all new: {recorded:?}");
        Ok(recorded.iter().map(Recorded::id).collect())
    }

    pub(super) fn request(&self, stale: Stale) -> ClaimRequest {
        ClaimRequest::new(LEASE, stale, 3).endpoint(self.endpoint.clone())
    }

    pub(super) async fn claim_as(
        &mut self,
        request: &ClaimRequest,
        secs: u64,
    ) -> Result<Claimed, Failure> {
        Ok(transact!(self, |store, tx| store.claim(tx, request, at(secs))))
    }

    /// Claims one event that must be there.
    pub(super) async fn claim(&mut self, stale: Stale, secs: u64) -> Result<Claim, Failure> {
        let request = self.request(stale);
        let mut claimed = self.claim_as(&request, secs).await?;
        claimed.claims.pop().ok_or_else(|| Failure::new(format!("nothing to claim at {secs} s")))
    }

    /// Nothing can be claimed at this time.
    pub(super) async fn idle(&mut self, stale: Stale, secs: u64) -> Result<(), Failure> {
        let request = self.request(stale).limit(100);
        let claimed = self.claim_as(&request, secs).await?;
        ensure!(claimed.claims.is_empty(), "claimed at {secs} s: {:?}", claimed.claims);
        Ok(())
    }

    pub(super) async fn complete(&mut self, claim: &Claim, secs: u64) -> Result<(), StoreError> {
        transact!(self, |store, tx| store.complete(tx, claim, at(secs)));
        Ok(())
    }

    /// All events of the endpoint.
    pub(super) async fn events(&mut self) -> Result<Vec<EventRow>, Failure> {
        let selection = Selection::new().endpoint(self.endpoint.clone());
        let page = Page::FIRST.limit(10_000);
        Ok(transact!(self, |store, tx| store.list(tx, &selection, page)))
    }

    pub(super) async fn states(&mut self) -> Result<Vec<State>, Failure> {
        Ok(self.events().await?.iter().map(|event| event.progress.state).collect())
    }

    pub(super) async fn outcomes(&mut self, id: EventId) -> Result<Vec<AttemptOutcome>, Failure> {
        let attempts = transact!(self, |store, tx| store.attempts(tx, id));
        Ok(attempts.iter().map(|attempt| attempt.outcome).collect())
    }
}

/// Whether this failed since the claim was lost.
pub(super) fn is_lost<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(error) if error.kind() == StoreErrorKind::ClaimLost)
}

/// Runs a future on this thread, without a runtime.
pub fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// Runs futures at once, on one task, and returns their outputs in order.
pub async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut outputs: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut pending = false;
        for (future, output) in running.iter_mut().zip(&mut outputs) {
            if output.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(value) => *output = Some(value),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    outputs.into_iter().flatten().collect()
}
