//! A shorter way to store a delivery, for databases that have one.

use core::future::Future;
use core::pin::Pin;

use crate::batch::Batch;
use crate::error::StoreError;
use crate::recorded::Recorded;

/// What is called once a delivery with new events is committed.
pub type Committed = Box<dyn FnOnce() + Send + Sync>;

/// A delivery that is being stored: its verdicts, once they are committed.
pub type Storing<'i> = Pin<Box<dyn Future<Output = Result<Vec<Recorded>, StoreError>> + Send + 'i>>;

/// Stores deliveries, to be worked on later, in transactions that the database begins and commits by itself. That is fewer
/// steps than to open a transaction, record and commit, and deliveries that arrive together may share a transaction.
/// Receivers use it where [`Database::intake`](crate::Database::intake) offers it.
///
/// # For those who implement it
///
/// - What is stored and returned is what [`record_many`](crate::Store::record_many) with
///   [`Work::Later`](crate::Work::Later) stores and returns.
/// - The future is ready with verdicts only after the commit: they are answered with 200.
/// - Deliveries that share a transaction do not share their faults: if one cannot be stored, the others are.
/// - If the future is dropped, the delivery is stored as a whole or not at all.
/// - `committed` is called after the commit if an event is new, even where the future was dropped meanwhile. It may be called
///   where that is not known.
pub trait Intake: Send + Sync {
    /// Stores a delivery.
    fn store(&self, batch: Batch, committed: Committed) -> Storing<'_>;
}
