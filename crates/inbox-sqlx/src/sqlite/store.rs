//! The verbs on SQLite.

use core::time::Duration;
use std::sync::Arc;

use hookproof::UnixTime;
use hookproof_inbox::chain::{Head, LinkRow, Sealing};
use hookproof_inbox::sql::{Prefix, sqlite as sql};
use hookproof_inbox::{
    Advance, AttemptRow, Backoff, Batch, Claim, ClaimRequest, Claimed, DeliveryId, DeliveryRow,
    EndpointId, EventId, EventRow, Failed, Found, Key, KeyHorizon, LedgerRow, Log, Page, Progress,
    Purged, Recorded, Replayed, Selection, Step, Store, StoreError, StreamId, Work,
};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Row as _, SqlStr, Sqlite, SqliteConnection};

use super::record;
use crate::error::{corrupt, fault};
use crate::link::{Columns as _, Link as _, Value, impl_link};
use crate::log::{self, Chain};
use crate::rows;
use crate::texts::{Verbs, texts};
use crate::verbs;

type Query<'q> = sqlx::query::Query<'q, Sqlite, SqliteArguments>;

impl_link!(SqliteRow, SqliteConnection, save);

texts! {
    /// Statements of SQLite alone.
    Fixed:
        append = sql::APPEND,
        find_many = sql::FIND_MANY,
        next = sql::NEXT,
        old_keys = sql::OLD_KEYS,
        old_sealed_keys = sql::OLD_SEALED_KEYS,
        purge_attempts = sql::PURGE_ATTEMPTS,
        purge_events = sql::PURGE_EVENTS,
        purge_keys = sql::PURGE_KEYS,
        record_many = sql::RECORD_MANY,
        replay = sql::REPLAY,
        replay_skips = sql::REPLAY_SKIPS,
        store_delivery = sql::STORE_DELIVERY,
        work = sql::WORK,
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

    async fn record(
        &self,
        tx: &mut Self::Tx<'_>,
        batch: &Batch,
        work: Work,
    ) -> Result<Recorded, StoreError> {
        record::record(&self.texts, tx, batch, work).await
    }

    async fn record_many(
        &self,
        tx: &mut Self::Tx<'_>,
        batch: &Batch,
        work: Work,
    ) -> Result<Vec<Recorded>, StoreError> {
        record::record_many(&self.texts, tx, batch, work).await
    }

    async fn claim(
        &self,
        tx: &mut Self::Tx<'_>,
        request: &ClaimRequest,
        now: UnixTime,
    ) -> Result<Claimed, StoreError> {
        verbs::claim(tx, &self.texts.verbs, request, now).await
    }

    async fn next_due(
        &self,
        tx: &mut Self::Tx<'_>,
        request: &ClaimRequest,
    ) -> Result<Option<UnixTime>, StoreError> {
        verbs::next_due(tx, &self.texts.verbs, request).await
    }

    async fn extend(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        by: Duration,
        now: UnixTime,
    ) -> Result<UnixTime, StoreError> {
        verbs::extend(tx, &self.texts.verbs, claim, by, now).await
    }

    async fn complete(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        now: UnixTime,
    ) -> Result<(), StoreError> {
        verbs::complete(tx, &self.texts.verbs, claim, now).await
    }

    async fn fail(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        error: &str,
        backoff: &Backoff,
        seed: u64,
        now: UnixTime,
    ) -> Result<Failed, StoreError> {
        verbs::fail(tx, &self.texts.verbs, claim, error, (backoff, seed), now).await
    }

    async fn park(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        reason: &str,
        now: UnixTime,
    ) -> Result<(), StoreError> {
        verbs::park(tx, &self.texts.verbs, claim, reason, now).await
    }

    async fn release(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        now: UnixTime,
    ) -> Result<(), StoreError> {
        verbs::release(tx, &self.texts.verbs, claim, now).await
    }

    async fn advance(
        &self,
        tx: &mut Self::Tx<'_>,
        stream: &StreamId,
        step: &Step,
        now: UnixTime,
    ) -> Result<Advance, StoreError> {
        verbs::advance(tx, &self.texts.verbs, stream, step, now).await
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

    async fn settle(
        &self,
        tx: &mut Self::Tx<'_>,
        id: EventId,
        reason: &str,
        _now: UnixTime,
    ) -> Result<bool, StoreError> {
        verbs::settle(tx, &self.texts.verbs, id, reason).await
    }

    async fn look_up(
        &self,
        tx: &mut Self::Tx<'_>,
        endpoint: &EndpointId,
        key: &Key,
    ) -> Result<Option<Found>, StoreError> {
        verbs::look_up(tx, &self.texts.verbs, endpoint, key).await
    }

    async fn list(
        &self,
        tx: &mut Self::Tx<'_>,
        selection: &Selection,
        page: Page,
    ) -> Result<Vec<EventRow>, StoreError> {
        verbs::list(tx, &self.texts.verbs, selection, page).await
    }

    async fn delivery(
        &self,
        tx: &mut Self::Tx<'_>,
        id: DeliveryId,
    ) -> Result<Option<DeliveryRow>, StoreError> {
        verbs::delivery(tx, &self.texts.verbs, id).await
    }

    async fn attempts(
        &self,
        tx: &mut Self::Tx<'_>,
        id: EventId,
    ) -> Result<Vec<AttemptRow>, StoreError> {
        verbs::attempts(tx, &self.texts.verbs, id).await
    }

    async fn purge_payloads(
        &self,
        tx: &mut Self::Tx<'_>,
        before: UnixTime,
        limit: u32,
    ) -> Result<Purged, StoreError> {
        verbs::purge_payloads(tx, &self.texts.verbs, before, limit).await
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
    async fn head(&self, tx: &mut Self::Tx<'_>) -> Result<Head, StoreError> {
        log::head(tx, &self.texts.verbs.head).await
    }

    async fn seal(
        &self,
        tx: &mut Self::Tx<'_>,
        limit: u32,
        now: UnixTime,
    ) -> Result<(u32, Head), StoreError> {
        // Numbers are given by the one writer, so that nothing appears below what is sealed.
        log::seal(tx, &self.texts.verbs, &self.texts.fixed.append, 0, (limit, now)).await
    }

    async fn checkpoint(&self, tx: &mut Self::Tx<'_>, now: UnixTime) -> Result<Head, StoreError> {
        log::checkpoint(tx, &self.texts.verbs, &self.texts.fixed.append, now).await
    }

    async fn links(
        &self,
        tx: &mut Self::Tx<'_>,
        after: u64,
        limit: u32,
    ) -> Result<Vec<(LinkRow, Option<LedgerRow>)>, StoreError> {
        log::links(tx, &self.texts.verbs, after, limit).await
    }

    async fn unsealed(
        &self,
        tx: &mut Self::Tx<'_>,
        after: Option<EventId>,
        limit: u32,
    ) -> Result<Vec<LedgerRow>, StoreError> {
        log::unsealed(tx, &self.texts.verbs, after, limit).await
    }

    async fn purge_links(&self, tx: &mut Self::Tx<'_>, limit: u32) -> Result<Purged, StoreError> {
        log::purge_links(tx, &self.texts.verbs, limit).await
    }
}
