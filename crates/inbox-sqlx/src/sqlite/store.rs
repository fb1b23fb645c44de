//! The verbs on SQLite.

use std::sync::Arc;

use hookproof::UnixTime;
use hookproof_inbox::chain::{Head, LinkRow, Sealing};
use hookproof_inbox::sql::{Prefix, sqlite as sql};
use hookproof_inbox::{
    Claim, EndpointId, EventId, KeyHorizon, Log, Progress, Purged, Replayed, Selection, Store,
    StoreError,
};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Row as _, SqlStr, Sqlite, SqliteConnection};

use super::record;
use crate::error::{corrupt, fault};
use crate::link::{Columns as _, Link as _, Value, impl_link};
use crate::log::{self, Chain};
use crate::rows;
use crate::shared::{shared_log, shared_verbs};
use crate::texts::{Verbs, texts};
use crate::verbs;

type Query<'q> = sqlx::query::Query<'q, Sqlite, SqliteArguments>;

impl_link!(SqliteRow, SqliteConnection, save);

texts! {
    /// Statements of SQLite alone.
    #[cfg_attr(not(feature = "worker"), allow(dead_code, reason = "receivers alone record in one step"))]
    Fixed:
        append = sql::APPEND,
        find_many = sql::FIND_MANY,
        next = sql::NEXT,
        old_keys = sql::OLD_KEYS,
        old_sealed_keys = sql::OLD_SEALED_KEYS,
        purge_attempts = sql::PURGE_ATTEMPTS,
        purge_events = sql::PURGE_EVENTS,
        purge_keys = sql::PURGE_KEYS,
        record_alone = sql::RECORD_ALONE,
        record_later = sql::RECORD_LATER,
        record_many = sql::RECORD_MANY,
        replay = sql::REPLAY,
        replay_skips = sql::REPLAY_SKIPS,
        store_delivery = sql::STORE_DELIVERY,
        work_many = sql::WORK_MANY,
        has_log = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'hookproof_chain')",
}

/// All statements, with the prefix.
#[derive(Debug)]
pub(super) struct Texts {
    pub(super) prefix: Prefix,
    pub(super) verbs: Verbs,
    pub(super) fixed: Fixed,
}

/// The verbs on SQLite, on a connection or transaction of the caller. It does no I/O by itself, and clones are cheap.
///
/// Begin with `BEGIN IMMEDIATE` ([`SqliteInbox::transaction`](super::SqliteInbox::transaction) does): a transaction that
/// reads first and writes then fails when somebody else has written meanwhile.
///
/// ```
/// use hookproof_inbox::{Batch, EndpointId, Recorded, Store, StoreError, Work, sql::Prefix};
/// use hookproof_inbox_sqlx::{SqliteStore, sqlx};
///
/// async fn order(tx: &mut sqlx::SqliteConnection, batch: &Batch) -> Result<Recorded, StoreError> {
///     let store = SqliteStore::new(Prefix::DEFAULT); // once, at the start
///     store.record(tx, batch, Work::Here).await
/// }
/// ```
#[derive(Clone, Debug)]
pub struct SqliteStore {
    pub(super) texts: Arc<Texts>,
}

impl SqliteStore {
    /// The verbs on tables of this prefix.
    #[must_use]
    pub fn new(prefix: Prefix) -> Self {
        let (verbs, fixed) = (Verbs::sqlite(&prefix), Fixed::new(&prefix));
        Self { texts: Arc::new(Texts { prefix, verbs, fixed }) }
    }

    /// The prefix of the tables.
    #[must_use]
    pub fn prefix(&self) -> &Prefix {
        &self.texts.prefix
    }
}

impl Default for SqliteStore {
    fn default() -> Self {
        Self::new(Prefix::DEFAULT)
    }
}

async fn save(
    connection: &mut SqliteConnection,
    verbs: &Verbs,
    events: &[(EventId, &Progress)],
) -> Result<(), StoreError> {
    for (id, progress) in events {
        connection.execute(&verbs.save, &verbs::saved(*id, progress)).await?;
    }
    Ok(())
}

/// The number of the row, if a statement inserts one. `RETURNING` would cost a table of its own.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    sql: &SqlStr,
    values: &[Value<'_>],
) -> Result<Option<EventId>, StoreError> {
    let done = query(sql, values).execute(connection).await.map_err(fault)?;
    if done.rows_affected() == 0 {
        return Ok(None);
    }
    let id = u64::try_from(done.last_insert_rowid()).map_err(|_| corrupt("a number"))?;
    Ok(Some(EventId::from_u64(id)))
}

impl Chain for SqliteConnection {
    async fn append(&mut self, sql: &SqlStr, rows: &[LinkRow]) -> Result<(), StoreError> {
        for row in rows {
            let (entry, before, at) = match &row.what {
                Sealing::Entry(id) => (Value::id(id.as_u64()), None, None),
                Sealing::Checkpoint { before, at } => {
                    (Value::Number(None), Some(before), Some(*at))
                }
                _ => return Err(corrupt("a row of the chain")),
            };
            let values = [
                Value::id(row.seq),
                entry,
                Value::Bytes(before.map(|before| &before.as_bytes()[..])),
                Value::maybe_time(at),
                Value::bytes(row.leaf.as_bytes()),
                Value::bytes(row.link.as_bytes()),
            ];
            self.execute(sql, &values).await?;
        }
        Ok(())
    }
}

impl Store for SqliteStore {
    type Tx<'t> = SqliteConnection;

    shared_verbs!();

    async fn complete(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        now: UnixTime,
    ) -> Result<(), StoreError> {
        verbs::complete(tx, &self.texts.verbs, claim, now).await
    }

    async fn replay(
        &self,
        tx: &mut Self::Tx<'_>,
        selection: &Selection,
        now: UnixTime,
    ) -> Result<Replayed, StoreError> {
        let filters = verbs::filters(selection);
        let row = tx.row(&self.texts.fixed.replay_skips, &filters).await?;
        let skipped = rows::number(&row.ok_or_else(|| corrupt("a count"))?, 0)?;
        let [event, endpoint, kind, subject, state, from, until] = filters;
        let values = [event, endpoint, kind, subject, state, from, until, Value::time(now)];
        let events = tx.execute(&self.texts.fixed.replay, &values).await?;
        Ok(Replayed::new(events, skipped))
    }

    async fn purge_keys(
        &self,
        tx: &mut Self::Tx<'_>,
        endpoint: &EndpointId,
        horizon: &KeyHorizon,
        now: UnixTime,
        limit: u32,
    ) -> Result<Purged, StoreError> {
        let fixed = &self.texts.fixed;
        // Whether a log is kept is asked of the database: who purges may not know it.
        let row = tx.row(&fixed.has_log, &[]).await?;
        let has_log = row.ok_or_else(|| corrupt("the schema"))?.boolean(0)?;
        let sql = if has_log { &fixed.old_sealed_keys } else { &fixed.old_keys };
        let before = Value::time(horizon.before(now));
        let values = [Value::text(endpoint.as_str()), before, Value::number(limit)];
        let rows = tx.rows(sql, &values).await?;
        let old: Vec<u64> =
            rows.iter().map(|row| rows::number(row, 0)).collect::<Result<_, _>>()?;
        let count = u64::try_from(old.len()).unwrap_or(u64::MAX);
        let numbers = record::list(old);
        for sql in [&fixed.purge_attempts, &fixed.purge_events, &fixed.purge_keys] {
            tx.execute(sql, &[Value::text(&numbers)]).await?;
        }
        Ok(verbs::purged(count, limit))
    }
}

impl Log for SqliteStore {
    shared_log!();

    async fn seal(
        &self,
        tx: &mut Self::Tx<'_>,
        limit: u32,
        now: UnixTime,
    ) -> Result<(u32, Head), StoreError> {
        // Numbers are given by the one writer, so that nothing appears below what is sealed.
        log::seal(tx, &self.texts.verbs, &self.texts.fixed.append, 0, (limit, now)).await
    }
}
