//! The two databases, and the shortest that a hand would write: a table with a unique key, and one prepared
//! `INSERT … ON CONFLICT DO NOTHING`.

use std::path::Path;

use hookproof::UnixTime;
use hookproof_inbox::sql::Prefix;
use hookproof_inbox::{Batch, Database, Digest, EndpointId, Entry, Key, NewEvent, Store};
use hookproof_inbox_sqlx::sqlx::sqlite::SqliteSynchronous;
use hookproof_inbox_sqlx::sqlx::{self, AssertSqlSafe, Executor as _};
use hookproof_inbox_sqlx::{PostgresInbox, SqliteInbox, postgres, sqlite};

use crate::Error;

pub(crate) const NOW: UnixTime = UnixTime::from_secs(1_700_000_000);

/// What both databases understand.
const INSERT: &str = "INSERT INTO hand (endpoint, key, seen) VALUES ($1, $2, $3) ON CONFLICT (endpoint, key) DO NOTHING";
const PAYLOAD: &str = "INSERT INTO hand_payloads (endpoint, key, seen, headers, body) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (endpoint, key) DO NOTHING";

/// A database to measure on.
pub(crate) trait Bed: Send + Sync + 'static {
    type Inbox: Database + 'static;

    const NAME: &'static str;

    fn inbox(&self) -> &Self::Inbox;

    /// The insert by hand.
    fn insert(tx: &mut Tx<'_, Self>, key: &str) -> impl Future<Output = Result<(), Error>> + Send;

    /// The insert of a raw request by hand.
    fn payload(
        tx: &mut Tx<'_, Self>,
        key: &str,
        headers: &[u8],
        body: &[u8],
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// Adds keys to the inbox's table until it has so many.
    fn fill(&self, from: u64, until: u64) -> impl Future<Output = Result<(), Error>> + Send;

    /// The bytes of the tables of keys and payloads, with their indexes.
    fn size(&self) -> impl Future<Output = Result<u64, Error>> + Send;
}

pub(crate) type Tx<'t, B> = <<<B as Bed>::Inbox as Database>::Store as Store>::Tx<'t>;

/// A delivery with events of these keys.
pub(crate) fn delivery(endpoint: &str, keys: &[String]) -> Result<Batch, Error> {
    let endpoint = EndpointId::new(endpoint)?;
    let body = keys.join(",").into_bytes().into();
    let mut batch = Batch::unread(endpoint, "stripe", NOW, Default::default(), body);
    for key in keys {
        let event = NewEvent::new(Some(Key::new(key.as_str())?), Digest::of(key.as_bytes()));
        batch = batch.with_entry(Entry::new(event));
    }
    Ok(batch)
}

pub(crate) struct Sqlite {
    inbox: SqliteInbox,
}

impl Sqlite {
    pub(crate) async fn open(file: &Path, synchronous: SqliteSynchronous) -> Result<Self, Error> {
        let options = sqlite::connect_options(file).synchronous(synchronous);
        let pool = sqlite::pool_options().connect_lazy_with(options);
        let inbox = SqliteInbox::new(pool, Prefix::DEFAULT);
        inbox.migrate().await?;
        for sql in [
            "CREATE TABLE hand (endpoint TEXT NOT NULL, key TEXT NOT NULL, seen INTEGER NOT NULL, PRIMARY KEY (endpoint, key)) WITHOUT ROWID",
            "CREATE TABLE hand_payloads (id INTEGER PRIMARY KEY, endpoint TEXT NOT NULL, key TEXT NOT NULL, seen INTEGER NOT NULL, headers BLOB NOT NULL, body BLOB NOT NULL, UNIQUE (endpoint, key))",
        ] {
            inbox.pool().execute(sql).await?;
        }
        Ok(Self { inbox })
    }
}

macro_rules! by_hand {
    () => {
        async fn insert(tx: &mut Tx<'_, Self>, key: &str) -> Result<(), Error> {
            let query = sqlx::query(INSERT).bind("bench").bind(key).bind(1_700_000_000_000_i64);
            query.execute(tx).await?;
            Ok(())
        }

        async fn payload(
            tx: &mut Tx<'_, Self>,
            key: &str,
            headers: &[u8],
            body: &[u8],
        ) -> Result<(), Error> {
            let query = sqlx::query(PAYLOAD).bind("bench").bind(key).bind(1_700_000_000_000_i64);
            query.bind(headers).bind(body).execute(tx).await?;
            Ok(())
        }
    };
}

impl Bed for Sqlite {
    type Inbox = SqliteInbox;

    const NAME: &'static str = "SQLite";

    fn inbox(&self) -> &SqliteInbox {
        &self.inbox
    }

    by_hand!();

    async fn fill(&self, from: u64, until: u64) -> Result<(), Error> {
        for begin in (from..until).step_by(100_000) {
            let end = until.min(begin + 100_000);
            let sql = format!(
                "WITH RECURSIVE n (i) AS (SELECT {begin} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {end}) \
                 INSERT INTO hookproof_keys (endpoint, key, content, body, unsigned, first_seen) \
                 SELECT 'bench', 'stripe/evt_' || hex(randomblob(12)), randomblob(32), randomblob(32), 0, 1700000000000 + i FROM n"
            );
            self.inbox.pool().execute(AssertSqlSafe(sql)).await?;
        }
        Ok(())
    }

    async fn size(&self) -> Result<u64, Error> {
        let sql = "SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) - \
             (SELECT freelist_count FROM pragma_freelist_count) * (SELECT page_size FROM pragma_page_size)";
        let bytes: i64 = sqlx::query_scalar(sql).fetch_one(self.inbox.pool()).await?;
        Ok(bytes.try_into()?)
    }
}

pub(crate) struct Postgres {
    inbox: PostgresInbox,
}

impl Postgres {
    pub(crate) async fn open(url: &str) -> Result<Self, Error> {
        let options = postgres::connect_options(url.parse()?);
        let pool = postgres::pool_options().max_connections(12).connect_lazy_with(options);
        for sql in [
            "DROP SCHEMA IF EXISTS bench CASCADE",
            "CREATE SCHEMA bench",
            "CREATE TABLE bench.hand (endpoint TEXT COLLATE \"C\" NOT NULL, key TEXT COLLATE \"C\" NOT NULL, seen BIGINT NOT NULL, PRIMARY KEY (endpoint, key))",
            "CREATE TABLE bench.hand_payloads (id BIGSERIAL PRIMARY KEY, endpoint TEXT NOT NULL, key TEXT NOT NULL, seen BIGINT NOT NULL, headers BYTEA NOT NULL, body BYTEA NOT NULL, UNIQUE (endpoint, key))",
        ] {
            pool.execute(sql).await?;
        }
        pool.close().await;
        let options = postgres::connect_options(url.parse()?).options([("search_path", "bench")]);
        let pool = postgres::pool_options().max_connections(12).connect_lazy_with(options);
        let inbox = PostgresInbox::new(pool, Prefix::DEFAULT);
        inbox.migrate().await?;
        Ok(Self { inbox })
    }
}

impl Bed for Postgres {
    type Inbox = PostgresInbox;

    const NAME: &'static str = "PostgreSQL";

    fn inbox(&self) -> &PostgresInbox {
        &self.inbox
    }

    by_hand!();

    async fn fill(&self, from: u64, until: u64) -> Result<(), Error> {
        for begin in (from..until).step_by(100_000) {
            let last = until.min(begin + 100_000) - 1;
            let sql = format!(
                "INSERT INTO hookproof_keys (id, endpoint, key, content, body, unsigned, first_seen) \
                 SELECT nextval('hookproof_numbers'), 'bench', 'stripe/evt_' || md5(random()::text), sha256(i::text::bytea), \
                 sha256(i::text::bytea), false, 1700000000000 + i FROM generate_series({begin}, {last}) AS i"
            );
            self.inbox.pool().execute(AssertSqlSafe(sql)).await?;
        }
        self.inbox.pool().execute("VACUUM ANALYZE hookproof_keys").await?;
        Ok(())
    }

    async fn size(&self) -> Result<u64, Error> {
        let sql = "SELECT sum(pg_total_relation_size(c.oid))::BIGINT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = 'bench' AND c.relkind = 'r'";
        let bytes: i64 = sqlx::query_scalar(sql).fetch_one(self.inbox.pool()).await?;
        Ok(bytes.try_into()?)
    }
}
