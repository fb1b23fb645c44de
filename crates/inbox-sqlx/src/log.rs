//! The tamper-evident log, alike on both databases.

use core::future::Future;

use hookproof::UnixTime;
use hookproof_inbox::chain::{Head, LinkRow};
use hookproof_inbox::{EventId, LedgerRow, Purged, StoreError, StoreErrorKind};
use sqlx::SqlStr;

use crate::error::invalid;
use crate::link::{Columns as _, Link, Value};
use crate::rows;
use crate::texts::Verbs;
use crate::verbs::purged;

type Done<T> = Result<T, StoreError>;

/// A connection that can write the chain.
pub(crate) trait Chain: Link {
    /// Appends rows to the chain.
    fn append(
        &mut self,
        sql: &SqlStr,
        rows: &[LinkRow],
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// The head; locked, if the statement says so.
pub(crate) async fn head<L: Link>(link: &mut L, sql: &SqlStr) -> Done<Head> {
    let none = "no log is kept in this database; see `migrate_log`";
    let row = match link.row(sql, &[]).await {
        // The tables are not there.
        Err(error) if error.kind() == StoreErrorKind::Invalid => {
            return Err(invalid(none).with_source(error));
        }
        row => row?,
    };
    rows::head(&row.ok_or_else(|| invalid(none))?)
}

/// Seals what is not sealed, from `margin` below the highest sealed number on.
pub(crate) async fn seal<L: Chain>(
    link: &mut L,
    verbs: &Verbs,
    append: &SqlStr,
    margin: u64,
    (limit, now): (u32, UnixTime),
) -> Done<(u32, Head)> {
    let head = head(link, &verbs.lock_head).await?;
    let last = link.row(&verbs.last_sealed, &[]).await?;
    let last = last.map(|row| row.maybe_bigint(0)).transpose()?.flatten().unwrap_or(0);
    let after = u64::try_from(last).unwrap_or(0).saturating_sub(margin);
    let entries = unsealed(link, verbs, Some(EventId::from_u64(after)), limit).await?;
    let (rows, head) = head.seal(&entries, now);
    if !rows.is_empty() {
        link.append(append, &rows).await?;
        save_head(link, verbs, &head).await?;
    }
    Ok((u32::try_from(rows.len()).unwrap_or(u32::MAX), head))
}

pub(crate) async fn checkpoint<L: Chain>(
    link: &mut L,
    verbs: &Verbs,
    append: &SqlStr,
    now: UnixTime,
) -> Done<Head> {
    let (row, head) = head(link, &verbs.lock_head).await?.checkpoint(now);
    link.append(append, &[row]).await?;
    save_head(link, verbs, &head).await?;
    Ok(head)
}

pub(crate) async fn links<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    after: u64,
    limit: u32,
) -> Done<Vec<(LinkRow, Option<LedgerRow>)>> {
    let rows = link.rows(&verbs.links, &[Value::id(after), Value::number(limit)]).await?;
    rows.iter().map(rows::link).collect()
}

pub(crate) async fn unsealed<L: Link>(
    link: &mut L,
    verbs: &Verbs,
    after: Option<EventId>,
    limit: u32,
) -> Done<Vec<LedgerRow>> {
    // Whoever puts a row in may give it any number.
    let after = after.map_or_else(|| Value::number(i64::MIN), |id| Value::id(id.as_u64()));
    let rows = link.rows(&verbs.unsealed, &[after, Value::number(limit)]).await?;
    rows.iter().map(|row| rows::ledger(row, 0)).collect()
}

pub(crate) async fn purge_links<L: Link>(link: &mut L, verbs: &Verbs, limit: u32) -> Done<Purged> {
    let rows = link.execute(&verbs.purge_links, &[Value::number(limit)]).await?;
    Ok(purged(rows, limit))
}

/// Begins a log of this name, or finds it begun.
pub(crate) async fn begin<L: Link>(link: &mut L, verbs: &Verbs, start: &Head) -> Done<()> {
    let link_of_start = start.link();
    let values = [Value::text(start.log()), Value::bytes(link_of_start.as_bytes())];
    link.execute(&verbs.begin_log, &values).await?;
    let head = head(link, &verbs.head).await?;
    if head.log() == start.log() {
        return Ok(());
    }
    let (kept, asked) = (head.log(), start.log());
    Err(invalid(format!("this database keeps the log {kept}, not {asked}; a log keeps its name")))
}

async fn save_head<L: Link>(link: &mut L, verbs: &Verbs, head: &Head) -> Done<()> {
    let own = head.link();
    let values = [Value::id(head.seq()), Value::bytes(own.as_bytes()), Value::time(head.at())];
    link.execute(&verbs.save_head, &values).await.map(drop)
}
