//! Transactions that follow one another: what is dropped is rolled back at once, and before the next one begins.
//!
//! A transaction of the driver that is dropped only queues its rollback. Its locks stay until the pool has taken the
//! connection back, and whoever passes over locked rows finds nothing meanwhile.

use std::sync::Arc;

use hookproof_inbox::StoreError;
use sqlx::{PgConnection, PgPool, Postgres, Transaction};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

use crate::error::{fault, invalid};

/// A user of the pool, whose transactions follow one another. Each takes a connection from the pool and gives it back.
#[derive(Debug)]
pub struct Session {
    pool: PgPool,
    /// Ends when the transaction that was dropped last is rolled back.
    rollback: Option<oneshot::Receiver<()>>,
}

impl Session {
    pub(super) const fn new(pool: PgPool) -> Self {
        Self { pool, rollback: None }
    }

    pub(super) async fn begin(&mut self) -> Result<Open<'_>, StoreError> {
        if let Some(rollback) = &mut self.rollback {
            // The sender is only ever dropped: that is the signal.
            let _ = rollback.await;
            self.rollback = None;
        }
        let transaction = super::begin(&self.pool).await?;
        let shared = Arc::new(Mutex::new(transaction));
        // Nobody else has it.
        let lent = Arc::clone(&shared).lock_owned().await;
        Ok(Open { lent, kept: Kept { shared: Some(shared), session: self } })
    }
}

/// An open transaction of a [`Session`].
#[derive(Debug)]
pub struct Open<'c> {
    // Dropped before `kept`, which then is the only owner.
    lent: OwnedMutexGuard<Transaction<'static, Postgres>>,
    kept: Kept<'c>,
}

impl Open<'_> {
    pub(super) fn connection(&mut self) -> &mut PgConnection {
        &mut self.lent
    }

    pub(super) async fn commit(self) -> Result<(), StoreError> {
        let Self { mut lent, mut kept } = self;
        // Where a statement has failed the server answers `COMMIT` with a rollback, and the driver with success: somebody
        // who caught the failure would take for stored what is not. Any other statement is refused then.
        sqlx::raw_sql("SELECT").execute(&mut **lent).await.map_err(fault)?;
        drop(lent);
        let gone = || invalid("the transaction has ended");
        kept.take().ok_or_else(gone)?.commit().await.map_err(fault)
    }
}

/// The transaction, so that it can be rolled back by value.
#[derive(Debug)]
struct Kept<'c> {
    /// Nothing once it was committed.
    shared: Option<Arc<Mutex<Transaction<'static, Postgres>>>>,
    session: &'c mut Session,
}

impl Kept<'_> {
    fn take(&mut self) -> Option<Transaction<'static, Postgres>> {
        Arc::into_inner(self.shared.take()?).map(Mutex::into_inner)
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        // Without a runtime nothing can wait for the server; the connection then goes back as the driver does it.
        let (Some(transaction), Ok(runtime)) = (self.take(), Handle::try_current()) else { return };
        let (signal, rollback) = oneshot::channel();
        self.session.rollback = Some(rollback);
        runtime.spawn(async move {
            // Where this fails the connection is broken, and the server rolls back by itself.
            let _ = transaction.rollback().await;
            drop(signal);
        });
    }
}
