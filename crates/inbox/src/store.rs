//! The verbs, as traits that a store implements.

use core::future::Future;
use core::time::Duration;

use hookproof::UnixTime;

use crate::backoff::Backoff;
use crate::batch::{Batch, Work};
use crate::chain::{Audit, Head, LedgerRow, LinkRow, Report};
use crate::claim::{Claim, ClaimRequest, Claimed, Failed, Page, Replayed, Selection};
use crate::delivery::DeliveryRow;
use crate::error::StoreError;
use crate::event::{AttemptRow, EventRow};
use crate::id::{DeliveryId, EndpointId, EventId, Key};
use crate::intake::Intake;
use crate::purge::{KeyHorizon, Purged};
use crate::recorded::{Found, Recorded};
use crate::stream::{Advance, Step, StreamId};

/// The verbs of the inbox. Each works inside the caller's own transaction, so that it and the caller's writes happen
/// together or not at all.
///
/// After any error the transaction is to be rolled back.
///
/// # For those who write a store
///
/// - `Tx` is what the caller's transaction gives statements to: a connection (`type Tx<'t> = sqlx::PgConnection`), or a
///   transaction with a lifetime (`type Tx<'t> = tokio_postgres::Transaction<'t>`). A driver that blocks does its work
///   before it returns a future that is ready.
/// - Write `tx: &mut Self::Tx<'_>` in the signatures, as here, whatever `Tx` is.
/// - Every method is required: a default that is built from others could weaken what is promised here.
/// - Decide with the pure functions of this crate ([`Plan`](crate::Plan), [`Progress`](crate::Progress),
///   [`Step::decide`], [`may_purge_key`](crate::may_purge_key) …), and prove it with the test kit (feature `test-kit`).
/// - Rows that a decision rests on are locked until the transaction ends.
pub trait Store: Send + Sync {
    /// What the caller's transaction gives statements to.
    type Tx<'t>: Send;

    /// Records the only event of a delivery, if it was not recorded before. Copies at the same time wait for one another.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::StoreErrorKind::Invalid) if the batch has not exactly one entry; else a fault of the database.
    fn record(
        &self,
        tx: &mut Self::Tx<'_>,
        batch: &Batch,
        work: Work,
    ) -> impl Future<Output = Result<Recorded, StoreError>> + Send;

    /// Records the events of a delivery that were not recorded before: one statement for all of them, a verdict for each
    /// in their order.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn record_many(
        &self,
        tx: &mut Self::Tx<'_>,
        batch: &Batch,
        work: Work,
    ) -> impl Future<Output = Result<Vec<Recorded>, StoreError>> + Send;

    /// Claims events that are due, the earliest first. Events whose workers went silent are claimed, parked or given up
    /// by the terms of their own claims. Rows that another transaction holds are passed over.
    ///
    /// Commit before the work begins: until then nobody else sees the claim.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn claim(
        &self,
        tx: &mut Self::Tx<'_>,
        request: &ClaimRequest,
        now: UnixTime,
    ) -> impl Future<Output = Result<Claimed, StoreError>> + Send;

    /// The earliest moment at which [`claim`](Self::claim) with this request finds anything, if nothing else is written
    /// until then: an event to claim, or one whose worker went silent. `None` if no time changes that.
    ///
    /// It may lie in the past: then another transaction has the event, or nobody has looked. This locks nothing. An idle
    /// worker sleeps until then, or until somebody records, replays or finishes something.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn next_due(
        &self,
        tx: &mut Self::Tx<'_>,
        request: &ClaimRequest,
    ) -> impl Future<Output = Result<Option<UnixTime>, StoreError>> + Send;

    /// Makes a lease longer, and returns its new end. A lease never gets shorter.
    ///
    /// # Errors
    ///
    /// [`ClaimLost`](crate::StoreErrorKind::ClaimLost) if the claim is no longer its worker's; else a fault of the
    /// database.
    fn extend(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        by: Duration,
        now: UnixTime,
    ) -> impl Future<Output = Result<UnixTime, StoreError>> + Send;

    /// Marks a claimed event as done, in the transaction that holds its effects if they are in this database.
    ///
    /// # Errors
    ///
    /// As [`extend`](Self::extend). When the claim was lost, roll back the effects.
    fn complete(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        now: UnixTime,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Marks an attempt as failed: the event is tried again later, or dead. The seed is a random number.
    ///
    /// Use a transaction of its own, after that of the effects was rolled back.
    ///
    /// # Errors
    ///
    /// As [`extend`](Self::extend).
    fn fail(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        error: &str,
        backoff: &Backoff,
        seed: u64,
        now: UnixTime,
    ) -> impl Future<Output = Result<Failed, StoreError>> + Send;

    /// Parks a claimed event: its worker does not know whether the effect happened.
    ///
    /// # Errors
    ///
    /// As [`extend`](Self::extend).
    fn park(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        reason: &str,
        now: UnixTime,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Gives a claimed event back before its effect was begun; the attempt does not count.
    ///
    /// # Errors
    ///
    /// As [`extend`](Self::extend).
    fn release(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        now: UnixTime,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Moves a stream on, if the step is legal and not stale. Concurrent steps of one stream wait for one another.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn advance(
        &self,
        tx: &mut Self::Tx<'_>,
        stream: &StreamId,
        step: &Step,
        now: UnixTime,
    ) -> impl Future<Output = Result<Advance, StoreError>> + Send;

    /// Has events worked on again that are done, parked or dead, marked as replays.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn replay(
        &self,
        tx: &mut Self::Tx<'_>,
        selection: &Selection,
        now: UnixTime,
    ) -> impl Future<Output = Result<Replayed, StoreError>> + Send;

    /// Marks an event as done by a person's word, if it is waiting, parked or dead; whether it was.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn settle(
        &self,
        tx: &mut Self::Tx<'_>,
        id: EventId,
        reason: &str,
        now: UnixTime,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send;

    /// What is stored under a key.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn look_up(
        &self,
        tx: &mut Self::Tx<'_>,
        endpoint: &EndpointId,
        key: &Key,
    ) -> impl Future<Output = Result<Option<Found>, StoreError>> + Send;

    /// A page of events that were recorded for later, by their numbers.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn list(
        &self,
        tx: &mut Self::Tx<'_>,
        selection: &Selection,
        page: Page,
    ) -> impl Future<Output = Result<Vec<EventRow>, StoreError>> + Send;

    /// A stored delivery; `None` if it was purged.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn delivery(
        &self,
        tx: &mut Self::Tx<'_>,
        id: DeliveryId,
    ) -> impl Future<Output = Result<Option<DeliveryRow>, StoreError>> + Send;

    /// The attempts at an event that have ended, in the order of their tokens.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn attempts(
        &self,
        tx: &mut Self::Tx<'_>,
        id: EventId,
    ) -> impl Future<Output = Result<Vec<AttemptRow>, StoreError>> + Send;

    /// Removes up to `limit` deliveries that arrived before a moment and whose events are all done.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn purge_payloads(
        &self,
        tx: &mut Self::Tx<'_>,
        before: UnixTime,
        limit: u32,
    ) -> impl Future<Output = Result<Purged, StoreError>> + Send;

    /// Removes up to `limit` keys of an endpoint that are older than its sender's horizon, with their events and
    /// attempts. What is not done stays; where a log is kept, what no checkpoint covers stays, too.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn purge_keys(
        &self,
        tx: &mut Self::Tx<'_>,
        endpoint: &EndpointId,
        horizon: &KeyHorizon,
        now: UnixTime,
        limit: u32,
    ) -> impl Future<Output = Result<Purged, StoreError>> + Send;
}

/// What transactions of a store give statements to, for signatures such as that of `TransactionalHandler::handle`.
pub type Tx<'t, S> = <S as Store>::Tx<'t>;

/// The verbs of the tamper-evident log; see [`chain`](crate::chain). One sealer works at a time, others wait.
pub trait Log: Store {
    /// The head of the log.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::StoreErrorKind::Invalid) if no log is kept; else a fault of the database.
    fn head(&self, tx: &mut Self::Tx<'_>) -> impl Future<Output = Result<Head, StoreError>> + Send;

    /// Seals up to `limit` recorded rows, in the order of their numbers; how many, and the new head.
    ///
    /// # Errors
    ///
    /// As [`head`](Self::head).
    fn seal(
        &self,
        tx: &mut Self::Tx<'_>,
        limit: u32,
        now: UnixTime,
    ) -> impl Future<Output = Result<(u32, Head), StoreError>> + Send;

    /// Adds a checkpoint. Export the head that is returned, then purge.
    ///
    /// # Errors
    ///
    /// As [`head`](Self::head).
    fn checkpoint(
        &self,
        tx: &mut Self::Tx<'_>,
        now: UnixTime,
    ) -> impl Future<Output = Result<Head, StoreError>> + Send;

    /// Up to `limit` rows of the chain after a sequence number, each with the recorded row for which it stands.
    ///
    /// # Errors
    ///
    /// As [`head`](Self::head).
    fn links(
        &self,
        tx: &mut Self::Tx<'_>,
        after: u64,
        limit: u32,
    ) -> impl Future<Output = Result<Vec<(LinkRow, Option<LedgerRow>)>, StoreError>> + Send;

    /// Up to `limit` recorded rows after a number that are in no row of the chain.
    ///
    /// # Errors
    ///
    /// As [`head`](Self::head).
    fn unsealed(
        &self,
        tx: &mut Self::Tx<'_>,
        after: Option<EventId>,
        limit: u32,
    ) -> impl Future<Output = Result<Vec<LedgerRow>, StoreError>> + Send;

    /// Removes up to `limit` rows of the chain, the lowest first, that lie below a checkpoint and below every recorded row
    /// that is left.
    ///
    /// # Errors
    ///
    /// As [`head`](Self::head).
    fn purge_links(
        &self,
        tx: &mut Self::Tx<'_>,
        limit: u32,
    ) -> impl Future<Output = Result<Purged, StoreError>> + Send;
}

/// Verifies the log of a store against exported heads. Use a transaction that sees one state of the database throughout.
///
/// # Errors
///
/// [`Invalid`](crate::StoreErrorKind::Invalid) if no log is kept; else a fault of the database.
pub async fn verify_log<S: Log>(
    store: &S,
    tx: &mut S::Tx<'_>,
    heads: Vec<Head>,
) -> Result<Report, StoreError> {
    const PAGE: u32 = 1000;
    let head = store.head(tx).await?;
    let mut audit = Audit::new(head.log(), heads);
    let mut after = 0;
    loop {
        let rows = store.links(tx, after, PAGE).await?;
        let Some((last, _)) = rows.last() else { break };
        after = last.seq;
        for (row, entry) in &rows {
            audit.row(row, entry.as_ref());
        }
    }
    let mut after = None;
    loop {
        let rows = store.unsealed(tx, after, PAGE).await?;
        let Some(last) = rows.last() else { break };
        after = Some(last.id);
        for row in &rows {
            audit.unsealed(row);
        }
    }
    Ok(audit.finish())
}

/// A database in which a store works: how to connect, and how a transaction begins and ends. Workers and the test kit use
/// it; the verbs need only the transaction.
///
/// A transaction that is dropped is rolled back.
pub trait Database: Send + Sync {
    /// The store.
    type Store: Store;
    /// A connection.
    type Connection: Send;
    /// A transaction that is open on a connection.
    type Open<'c>: Send;

    /// The store.
    fn store(&self) -> &Self::Store;

    /// A connection of its own.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn connect(&self) -> impl Future<Output = Result<Self::Connection, StoreError>> + Send;

    /// Opens a transaction.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    fn begin<'c>(
        &self,
        connection: &'c mut Self::Connection,
    ) -> impl Future<Output = Result<Self::Open<'c>, StoreError>> + Send;

    /// What the verbs take.
    fn tx<'o, 'c>(open: &'o mut Self::Open<'c>) -> &'o mut <Self::Store as Store>::Tx<'c>;

    /// Commits. It fails where the database has given the transaction up, such as PostgreSQL after a statement that failed,
    /// even if the failure was caught.
    ///
    /// # Errors
    ///
    /// A fault of the database: nothing is known to be written.
    fn commit(open: Self::Open<'_>) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// A shorter way to store deliveries than by [`begin`](Self::begin), [`Store::record_many`] and
    /// [`commit`](Self::commit), if this database has one.
    fn intake(&self) -> Option<&dyn Intake> {
        None
    }
}
