//! The verbs on PostgreSQL.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use hookproof::UnixTime;
use hookproof_inbox::chain::{Head, LinkRow, Sealing};
use hookproof_inbox::sql::{Prefix, postgres as sql};
use hookproof_inbox::{
    Claim, EndpointId, EventId, KeyHorizon, Lease, Log, Progress, Purged, Replayed, Selection,
    Store, StoreError, time::to_sql,
};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::{PgConnection, Postgres, Row as _, SqlStr};

use super::record;
use crate::error::{corrupt, fault};
use crate::link::{Columns as _, Link as _, Value, impl_link};
use crate::log::{self, Chain};
use crate::rows;
use crate::shared::{shared_log, shared_verbs};
use crate::texts::{Verbs, texts};
use crate::verbs;

type Query<'q> = sqlx::query::Query<'q, Postgres, PgArguments>;

impl_link!(PgRow, PgConnection, save);

texts! {
    /// Statements of PostgreSQL alone.
    Fixed:
        append = sql::APPEND,
        complete = sql::COMPLETE,
        find_many = sql::FIND_MANY,
        has_log = "SELECT to_regclass('hookproof_chain') IS NOT NULL",
        purge_keys = sql::PURGE_KEYS,
        purge_sealed_keys = sql::PURGE_SEALED_KEYS,
        record_many = sql::RECORD_MANY,
        replay = sql::REPLAY,
}

/// How far below the highest sealed number a sealer looks for rows of transactions that committed late: over a minute of the
/// numbers of 1,500 events a second.
const MARGIN: u64 = 100_000;
/// Every so many seals, beginning with the first of a process, all rows are looked at.
const FULL: u32 = 64;

/// All statements, with the prefix.
#[derive(Debug)]
pub(super) struct Texts {
    pub(super) prefix: Prefix,
    pub(super) verbs: Verbs,
    pub(super) fixed: Fixed,
    /// How often this process has sealed.
    seals: AtomicU32,
}

/// The verbs on PostgreSQL, on a connection or transaction of the caller. It does no I/O by itself, and clones are cheap.
///
/// Transactions are `READ COMMITTED`. With `lock_timeout` a copy of an event that is in another transaction gets
/// [`Busy`](hookproof_inbox::StoreErrorKind::Busy) instead of waiting for long; [`connect_options`](super::connect_options)
/// sets it.
///
/// ```
/// use hookproof_inbox::{Batch, EndpointId, Recorded, Store, StoreError, Work, sql::Prefix};
/// use hookproof_inbox_sqlx::{PostgresStore, sqlx};
///
/// async fn order(tx: &mut sqlx::PgConnection, batch: &Batch) -> Result<Recorded, StoreError> {
///     let store = PostgresStore::new(Prefix::DEFAULT); // once, at the start
///     store.record(tx, batch, Work::Here).await
/// }
/// ```
#[derive(Clone, Debug)]
pub struct PostgresStore {
    pub(super) texts: Arc<Texts>,
}

impl PostgresStore {
    /// The verbs on tables of this prefix.
    #[must_use]
    pub fn new(prefix: Prefix) -> Self {
        let (verbs, fixed) = (Verbs::postgres(&prefix), Fixed::new(&prefix));
        Self { texts: Arc::new(Texts { prefix, verbs, fixed, seals: AtomicU32::new(0) }) }
    }

    /// The prefix of the tables.
    #[must_use]
    pub fn prefix(&self) -> &Prefix {
        &self.texts.prefix
    }
}

impl Default for PostgresStore {
    fn default() -> Self {
        Self::new(Prefix::DEFAULT)
    }
}

/// One event by one statement, several by one with arrays.
async fn save(
    connection: &mut PgConnection,
    verbs: &Verbs,
    events: &[(EventId, &Progress)],
) -> Result<(), StoreError> {
    if let [(id, progress)] = events {
        connection.execute(&verbs.save, &verbs::saved(*id, progress)).await?;
        return Ok(());
    }
    let lease = |of: fn(Lease) -> Option<UnixTime>| -> Vec<Option<i64>> {
        let times = events.iter().map(|(_, progress)| progress.lease.and_then(of));
        times.map(|time| time.map(to_sql)).collect()
    };
    let count = |of: fn(&Progress) -> u32| -> Vec<i32> {
        events.iter().map(|(_, own)| i32::try_from(of(own)).unwrap_or(i32::MAX)).collect()
    };
    let ids = events.iter().map(|(id, _)| number(id.as_u64()));
    let states = events.iter().map(|(_, own)| own.state.code());
    let tokens = events.iter().map(|(_, own)| number(own.token.as_u64()));
    let due = events.iter().map(|(_, own)| to_sql(own.due));
    let errors = events.iter().map(|(_, own)| own.error.as_deref());
    let query = sqlx::query(verbs.save_many.clone())
        .bind(ids.collect::<Vec<_>>())
        .bind(states.collect::<Vec<_>>())
        .bind(count(|own| own.attempts))
        .bind(tokens.collect::<Vec<_>>())
        .bind(due.collect::<Vec<_>>())
        .bind(lease(|lease| Some(lease.claimed_at)))
        .bind(lease(|lease| Some(lease.end)))
        .bind(lease(|lease| lease.reclaim_at))
        .bind(count(|own| own.replays))
        .bind(errors.collect::<Vec<_>>());
    query.execute(connection).await.map_err(fault).map(drop)
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Chain for PgConnection {
    async fn append(&mut self, sql: &SqlStr, rows: &[LinkRow]) -> Result<(), StoreError> {
        let (mut entries, mut before, mut at) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            let (own, link, time) = match row.what {
                Sealing::Entry(id) => (Some(number(id.as_u64())), None, None),
                Sealing::Checkpoint { before, at } => {
                    (None, Some(*before.as_bytes()), Some(to_sql(at)))
                }
                _ => return Err(corrupt("a row of the chain")),
            };
            entries.push(own);
            before.push(link);
            at.push(time);
        }
        let query = sqlx::query(sql.clone())
            .bind(rows.iter().map(|row| number(row.seq)).collect::<Vec<_>>())
            .bind(entries)
            .bind(before)
            .bind(at)
            .bind(rows.iter().map(|row| *row.leaf.as_bytes()).collect::<Vec<_>>())
            .bind(rows.iter().map(|row| *row.link.as_bytes()).collect::<Vec<_>>());
        query.execute(self).await.map_err(fault).map(drop)
    }
}

impl Store for PostgresStore {
    type Tx<'t> = PgConnection;

    shared_verbs!();

    async fn complete(
        &self,
        tx: &mut Self::Tx<'_>,
        claim: &Claim,
        now: UnixTime,
    ) -> Result<(), StoreError> {
        let (id, token) = (Value::id(claim.id().as_u64()), Value::id(claim.token().as_u64()));
        let done = tx.row(&self.texts.fixed.complete, &[id, token, Value::time(now)]).await?;
        if done.is_some() {
            return Ok(());
        }
        // The claim was lost: this says to whom.
        verbs::complete(tx, &self.texts.verbs, claim, now).await
    }

    async fn replay(
        &self,
        tx: &mut Self::Tx<'_>,
        selection: &Selection,
        now: UnixTime,
    ) -> Result<Replayed, StoreError> {
        let [event, endpoint, kind, subject, state, from, until] = verbs::filters(selection);
        let values = [Value::time(now), event, endpoint, kind, subject, state, from, until];
        let row = tx.row(&self.texts.fixed.replay, &values).await?;
        let row = row.ok_or_else(|| corrupt("a count"))?;
        Ok(Replayed::new(rows::number(&row, 0)?, rows::number(&row, 1)?))
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
        let sql = if has_log { &fixed.purge_sealed_keys } else { &fixed.purge_keys };
        let before = Value::time(horizon.before(now));
        let values = [Value::text(endpoint.as_str()), before, Value::number(limit)];
        Ok(verbs::purged(tx.execute(sql, &values).await?, limit))
    }
}

impl Log for PostgresStore {
    shared_log!();

    async fn seal(
        &self,
        tx: &mut Self::Tx<'_>,
        limit: u32,
        now: UnixTime,
    ) -> Result<(u32, Head), StoreError> {
        let margin = if self.texts.seals.fetch_add(1, Relaxed).is_multiple_of(FULL) {
            u64::MAX
        } else {
            MARGIN
        };
        log::seal(tx, &self.texts.verbs, &self.texts.fixed.append, margin, (limit, now)).await
    }
}
