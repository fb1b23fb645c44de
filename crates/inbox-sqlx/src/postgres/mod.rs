//! PostgreSQL: several instances on one server.

mod migrate;
mod partitions;
mod record;
mod session;
mod store;
#[cfg(feature = "worker")]
mod wake;

use core::time::Duration;

use hookproof_inbox::sql::Prefix;
use hookproof_inbox::{Database, Store, StoreError};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{PgConnection, PgPool, Postgres, Transaction};

use crate::error::{fault, is_broken};
use crate::migrations::Script as _;
use crate::texts::text;

pub use partitions::{Maintained, Partitioning};
pub use session::{Open, Session};
pub use store::PostgresStore;
#[cfg(feature = "worker")]
pub use wake::{Listener, PostgresWake};

/// Time-outs for the connections of an inbox: whoever needs what another transaction holds waits 2 s at most, no statement
/// takes more than 30 s, and a transaction that its process forgot is broken off after 60 s.
///
/// Set your own after these where a sender waits for less, or where work in your transactions takes longer.
#[must_use]
pub fn connect_options(options: PgConnectOptions) -> PgConnectOptions {
    options.options([
        ("lock_timeout", "2s"),
        ("statement_timeout", "30s"),
        ("idle_in_transaction_session_timeout", "60s"),
    ])
}

/// A pool that gives up after 5 s, and does not ask the server before each transaction whether it is there: the beginning
/// of the transaction asks it.
#[must_use]
pub fn pool_options() -> PgPoolOptions {
    PgPoolOptions::new().acquire_timeout(Duration::from_secs(5)).test_before_acquire(false)
}

/// Waits until nobody else changes the tables of this prefix.
async fn locked(connection: &mut PgConnection, prefix: &Prefix) -> Result<(), StoreError> {
    const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtextextended('hookproof_migrations', 0))";
    connection.script(text(prefix, LOCK)).await
}

/// Begins a transaction. A connection that died while it was idle is found out by that; the pool throws it away.
async fn begin(pool: &PgPool) -> Result<Transaction<'static, Postgres>, StoreError> {
    let mut idle = pool.num_idle();
    loop {
        match pool.begin_with(BEGIN).await {
            Err(error) if idle > 0 && is_broken(&error) => idle = idle.saturating_sub(1),
            begun => return begun.map_err(fault),
        }
    }
}

const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// An inbox in a PostgreSQL database.
#[derive(Clone, Debug)]
pub struct PostgresInbox {
    pool: PgPool,
    store: PostgresStore,
}

impl PostgresInbox {
    /// An inbox in the database of this pool, with the tables of this prefix. It does no I/O.
    #[must_use]
    pub fn new(pool: PgPool, prefix: Prefix) -> Self {
        Self { pool, store: PostgresStore::new(prefix) }
    }

    /// The verbs.
    #[must_use]
    pub const fn store(&self) -> &PostgresStore {
        &self.store
    }

    /// The pool.
    #[must_use]
    pub const fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Begins a transaction that is `READ COMMITTED`.
    ///
    /// Once a statement has failed in it, roll it back, whatever the statement was: the server then answers `COMMIT` with a
    /// rollback, and the driver's `commit` says nothing of it. A statement that may fail, such as one that meets a constraint,
    /// gets a savepoint (`tx.begin()`). [`Database::commit`], with which receivers and workers commit, does tell.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    pub async fn transaction(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        begin(&self.pool).await
    }

    /// Begins a transaction that only reads, and sees one state of the database throughout: for
    /// [`verify_log`](hookproof_inbox::verify_log), and lists of many pages.
    ///
    /// # Errors
    ///
    /// A fault of the database.
    pub async fn snapshot(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        self.pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await.map_err(fault)
    }
}

impl Database for PostgresInbox {
    type Store = PostgresStore;
    type Connection = Session;
    type Open<'c> = Open<'c>;

    fn store(&self) -> &PostgresStore {
        &self.store
    }

    /// Does no I/O: each transaction takes a connection from the pool, and gives it back.
    async fn connect(&self) -> Result<Session, StoreError> {
        Ok(Session::new(self.pool.clone()))
    }

    async fn begin<'c>(&self, session: &'c mut Session) -> Result<Open<'c>, StoreError> {
        session.begin().await
    }

    fn tx<'o, 'c>(open: &'o mut Self::Open<'c>) -> &'o mut <PostgresStore as Store>::Tx<'c> {
        open.connection()
    }

    async fn commit(open: Self::Open<'_>) -> Result<(), StoreError> {
        open.commit().await
    }
}
