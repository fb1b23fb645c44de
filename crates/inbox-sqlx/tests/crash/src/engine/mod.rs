//! The two databases, as far as the receiver and the checks need more of them than the inbox gives.

mod postgres;
mod sqlite;

use hookproof::UnixTime;
use hookproof_inbox::sql::Prefix;
use hookproof_inbox::{Database, Log, Store, StoreError, Wake};

use crate::points::Point;

/// What a transaction of an inbox gives statements to.
pub(crate) type Tx<'t, D> = <<D as Database>::Store as Store>::Tx<'t>;

/// A row, each column as text.
pub(crate) type Row = Vec<Option<String>>;

/// The name of the log.
pub(crate) const LOG: &str = "crash";

/// The tables of the application: nothing in them is unique, so that a doubled effect is seen.
const TABLES: [&str; 3] = [
    "CREATE TABLE IF NOT EXISTS orders (endpoint TEXT NOT NULL, key TEXT NOT NULL, token BIGINT NOT NULL, \
     process TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS orders_key ON orders (endpoint, key)",
    "CREATE TABLE IF NOT EXISTS properties (stream TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, at BIGINT NOT NULL)",
];

const ORDER: &str = "INSERT INTO orders (endpoint, key, token, process) VALUES ($1, $2, $3, $4)";

const PROPERTY: &str = "INSERT INTO properties (stream, value, at) VALUES ($1, $2, $3) \
    ON CONFLICT (stream) DO UPDATE SET value = excluded.value, at = excluded.at";

/// An order: the effect of an event inside the database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order<'o> {
    pub(crate) endpoint: &'o str,
    pub(crate) key: &'o str,
    pub(crate) token: u64,
    pub(crate) process: &'o str,
}

/// A property of a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Property<'p> {
    pub(crate) stream: &'p str,
    pub(crate) value: &'p str,
    pub(crate) at: i64,
}

/// A database.
pub(crate) trait Engine: Database<Store: Log> + Clone + Sized + 'static {
    /// What its workers sleep with.
    type Wake: Wake<Self::Store> + Clone + 'static;

    /// What the workers of this process sleep with.
    fn waker(&self) -> Self::Wake;

    /// What the database needs to be done now and then.
    fn maintain_tables(&self, now: UnixTime)
    -> impl Future<Output = Result<(), StoreError>> + Send;

    /// A place of its own for a share of kills: a file in this folder, or a schema.
    async fn place(folder: &std::path::Path) -> String;

    /// The inbox in a place, for the process of this name.
    fn open(place: &str, process: &str, prefix: Prefix) -> Self;

    /// How it is set, for the figures.
    async fn settings(&self) -> String;

    /// The tables of the inbox.
    async fn migrate(&self) -> Result<(), StoreError>;

    /// The tables of the application.
    async fn make_tables(&self) -> Result<(), StoreError>;

    /// Stops within the statements that follow, after so many steps of the database, if it can be stopped there.
    async fn stop_within(&self, steps: u64, point: Point);

    /// As [`stop_within`](Self::stop_within), for an open transaction.
    fn stop_transaction_within(
        tx: &mut Tx<'_, Self>,
        steps: u64,
        point: Point,
    ) -> impl Future<Output = ()> + Send;

    /// Writes an order.
    fn write_order(
        tx: &mut Tx<'_, Self>,
        order: Order<'_>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Writes a property.
    fn write_property(
        tx: &mut Tx<'_, Self>,
        property: Property<'_>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Rows, each column as text.
    fn rows(&self, sql: &str) -> impl Future<Output = Vec<Row>> + Send;

    /// Waits until the database has noticed that a process is gone.
    async fn wait_for_end_of(&self, process: &str);

    /// Breaks the connections of a process off; how many.
    async fn break_off(&self, process: &str) -> usize;

    /// What the database's own check of its files finds.
    async fn integrity(&self) -> Vec<String>;

    /// Closes all connections.
    async fn close(&self);
}

/// What the driver says, as the kind of error that a store gives.
fn fault(error: hookproof_inbox_sqlx::sqlx::Error) -> StoreError {
    let kind = hookproof_inbox::StoreErrorKind::Unavailable;
    StoreError::new(kind, "the application could not write").with_source(error)
}

/// The statements of the application, alike on both databases.
macro_rules! statements {
    () => {
        async fn make_tables(&self) -> Result<(), StoreError> {
            let mut tx = self.transaction().await?;
            for sql in super::TABLES {
                sqlx::query(sql).execute(&mut *tx).await.map_err(super::fault)?;
            }
            tx.commit().await.map_err(super::fault)
        }

        async fn migrate(&self) -> Result<(), StoreError> {
            self.migrate_log(super::LOG).await
        }

        async fn write_order(tx: &mut Tx<'_, Self>, order: Order<'_>) -> Result<(), StoreError> {
            let query = sqlx::query(super::ORDER)
                .bind(order.endpoint)
                .bind(order.key)
                .bind(i64::try_from(order.token).expect("a token"))
                .bind(order.process);
            query.execute(tx).await.map_err(super::fault).map(drop)
        }

        async fn write_property(
            tx: &mut Tx<'_, Self>,
            property: Property<'_>,
        ) -> Result<(), StoreError> {
            let query = sqlx::query(super::PROPERTY)
                .bind(property.stream)
                .bind(property.value)
                .bind(property.at);
            query.execute(tx).await.map_err(super::fault).map(drop)
        }

        async fn rows(&self, sql: &str) -> Vec<Row> {
            let query = sqlx::query(AssertSqlSafe(sql));
            let rows = query.fetch_all(self.pool()).await.expect("rows");
            let text = |row: &_, at| -> Option<String> {
                sqlx::Row::try_get(row, at).unwrap_or_else(|error| panic!("{sql}: {error}"))
            };
            rows.iter()
                .map(|row| (0..sqlx::Row::len(row)).map(|at| text(row, at)).collect())
                .collect()
        }

        async fn close(&self) {
            self.pool().close().await;
        }
    };
}

use statements;
