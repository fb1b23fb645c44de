//! SQLite: an embedded database, for one machine.

#[cfg(feature = "worker")]
mod intake;
mod migrate;
mod record;
mod store;
#[cfg(feature = "worker")]
mod wake;

use core::time::Duration;
use std::path::Path;
#[cfg(feature = "worker")]
use std::sync::Arc;

#[cfg(feature = "worker")]
use hookproof_inbox::Intake;
use hookproof_inbox::sql::Prefix;
use hookproof_inbox::{Database, Store, StoreError};
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection as _, SqlStr, Sqlite, SqlitePool, Transaction};

use crate::error::fault;

pub use store::SqliteStore;
#[cfg(feature = "worker")]
pub use wake::{Listener, SqliteWake};

/// How a database is best opened: it is made if it is missing, WAL (readers do not wait for the writer), 5 s of waiting
/// for a lock, `synchronous=NORMAL`, a checkpoint after 4,000 pages (16 MB) of WAL.
///
/// A checkpoint waits for the disk, also with `NORMAL`. SQLite's own 1,000 pages are a hundred deliveries, most of them the
/// same few pages again.
///
/// With `NORMAL` and WAL the death of the process loses nothing; a loss of power may lose the last transactions, which
/// then have been answered with 200. Where that must not be, set [`SqliteSynchronous::Full`]: each commit then waits for
/// the disk.
#[must_use]
pub fn connect_options(file: impl AsRef<Path>) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(Duration::from_secs(5))
        .pragma("wal_autocheckpoint", "4000")
}

/// A pool of one connection: SQLite has one writer, and in a pool of one the writers of this process queue up in their
/// order. Everything that writes to the file takes its transactions from here; readers have a pool of their own.
#[must_use]
pub fn pool_options() -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(Duration::from_secs(5))
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
}

/// An inbox in a SQLite file.
#[derive(Clone, Debug)]
pub struct SqliteInbox {
    pool: SqlitePool,
    store: SqliteStore,
    #[cfg(feature = "worker")]
    queue: Arc<intake::Queue>,
}

impl SqliteInbox {
    /// An inbox in the database of this pool, with the tables of this prefix. It does no I/O.
    #[must_use]
    pub fn new(pool: SqlitePool, prefix: Prefix) -> Self {
        Self {
            pool,
            store: SqliteStore::new(prefix),
            #[cfg(feature = "worker")]
            queue: Arc::default(),
        }
    }

    /// The verbs.
    #[must_use]
    pub const fn store(&self) -> &SqliteStore {
        &self.store
    }

    /// The pool.
    #[must_use]
    pub const fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    /// Begins a transaction that writes: `BEGIN IMMEDIATE`.
    ///
    /// # Errors
    ///
    /// [`Busy`](hookproof_inbox::StoreErrorKind::Busy) if another process writes for too long; else a fault of the database.
    pub async fn transaction(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        self.begin_with("BEGIN IMMEDIATE").await
    }

    /// Begins a transaction that only reads, and sees one state of the database throughout: for
    /// [`verify_log`](hookproof_inbox::verify_log), and lists of many pages. In a pool of one connection the writers of this
    /// process wait for its end; another pool, or another process, does not hold them up.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    pub async fn snapshot(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        self.begin_with("BEGIN DEFERRED").await
    }

    async fn begin_with(
        &self,
        begin: &'static str,
    ) -> Result<Transaction<'static, Sqlite>, StoreError> {
        let connection = self.connection().await?;
        Transaction::begin(connection, Some(SqlStr::from_static(begin))).await.map_err(fault)
    }

    async fn connection(&self) -> Result<PoolConnection<Sqlite>, StoreError> {
        let mut connection = self.pool.acquire().await.map_err(fault)?;
        // SQLite itself rolls back when its disk is full or fails, and the driver then takes the transaction for open.
        if connection.is_in_transaction() {
            connection.close_on_drop();
            drop(connection);
            connection = self.pool.acquire().await.map_err(fault)?;
        }
        Ok(connection)
    }
}

impl Database for SqliteInbox {
    type Store = SqliteStore;
    type Connection = ();
    type Open<'c> = Transaction<'static, Sqlite>;

    fn store(&self) -> &SqliteStore {
        &self.store
    }

    /// Does nothing: each transaction takes a connection from the pool, since they come one after another anyway.
    async fn connect(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn begin<'c>(&self, (): &'c mut ()) -> Result<Self::Open<'c>, StoreError> {
        self.transaction().await
    }

    fn tx<'o, 'c>(open: &'o mut Self::Open<'c>) -> &'o mut <SqliteStore as Store>::Tx<'c> {
        open
    }

    async fn commit(open: Self::Open<'_>) -> Result<(), StoreError> {
        open.commit().await.map_err(fault)
    }

    #[cfg(feature = "worker")]
    fn intake(&self) -> Option<&dyn Intake> {
        Some(self)
    }
}
