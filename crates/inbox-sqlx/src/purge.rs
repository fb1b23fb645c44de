//! Purges in bounded steps, each a transaction of its own, so that nobody waits for long behind one.
//!
//! ```no_run
//! use core::time::Duration;
//! use hookproof::{Provider, UnixTime, providers::STRIPE};
//! use hookproof_inbox_sqlx::{SqliteInbox, purge};
//! use hookproof_inbox_sqlx::hookproof_inbox::{EndpointId, KeyHorizon, StoreError, time::earlier};
//!
//! async fn nightly(inbox: &SqliteInbox, now: UnixTime) -> Result<(), Box<dyn std::error::Error>> {
//!     let day = Duration::from_secs(24 * 3600);
//!     let steps = purge::Steps::new(1000, 10_000);
//!     let _ = purge::payloads(inbox, earlier(now, 30 * day), steps).await?;
//!     let horizon = KeyHorizon::new(STRIPE.info(), 90 * day)?;
//!     let _ = purge::keys(inbox, &EndpointId::new("billing")?, &horizon, now, steps).await?;
//!     Ok(())
//! }
//! ```

use hookproof::UnixTime;
use hookproof_inbox::{Database, EndpointId, KeyHorizon, Log, Purged, Store, StoreError};

/// How much one call removes at most.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Steps {
    rows: u32,
    count: u32,
}

impl Steps {
    /// Up to `count` steps of up to `rows` rows each. Both are at least 1.
    #[must_use]
    pub const fn new(rows: u32, count: u32) -> Self {
        Self { rows: if rows == 0 { 1 } else { rows }, count: if count == 0 { 1 } else { count } }
    }
}

impl Default for Steps {
    /// 1,000 steps of 1,000 rows.
    fn default() -> Self {
        Self::new(1000, 1000)
    }
}

/// Removes deliveries that arrived before a moment and whose events are all done. On PostgreSQL whole days go faster with
/// their partitions, and this takes what is left.
///
/// # Errors
///
/// A fault of the database; what earlier steps removed is gone.
pub async fn payloads<D: Database>(
    database: &D,
    before: UnixTime,
    steps: Steps,
) -> Result<Purged, StoreError> {
    each(steps, async |rows| {
        let mut connection = database.connect().await?;
        let mut open = database.begin(&mut connection).await?;
        let purged = database.store().purge_payloads(D::tx(&mut open), before, rows).await?;
        D::commit(open).await?;
        Ok(purged)
    })
    .await
}

/// Removes keys of an endpoint that are older than its sender's horizon, with their events and attempts. What is not done
/// stays, and so does what no checkpoint of a log covers.
///
/// # Errors
///
/// A fault of the database; what earlier steps removed is gone.
pub async fn keys<D: Database>(
    database: &D,
    endpoint: &EndpointId,
    horizon: &KeyHorizon,
    now: UnixTime,
    steps: Steps,
) -> Result<Purged, StoreError> {
    each(steps, async |rows| {
        let mut connection = database.connect().await?;
        let mut open = database.begin(&mut connection).await?;
        let store = database.store();
        let purged = store.purge_keys(D::tx(&mut open), endpoint, horizon, now, rows).await?;
        D::commit(open).await?;
        Ok(purged)
    })
    .await
}

/// Removes rows of the log that lie below a checkpoint and below every recorded row that is left.
///
/// # Errors
///
/// [`Invalid`](hookproof_inbox::StoreErrorKind::Invalid) if no log is kept; else a fault of the database.
pub async fn links<D: Database>(database: &D, steps: Steps) -> Result<Purged, StoreError>
where
    D::Store: Log,
{
    each(steps, async |rows| {
        let mut connection = database.connect().await?;
        let mut open = database.begin(&mut connection).await?;
        let purged = database.store().purge_links(D::tx(&mut open), rows).await?;
        D::commit(open).await?;
        Ok(purged)
    })
    .await
}

async fn each(
    steps: Steps,
    step: impl AsyncFn(u32) -> Result<Purged, StoreError>,
) -> Result<Purged, StoreError> {
    let (mut rows, mut more) = (0, true);
    for _ in 0..steps.count {
        let purged = step(steps.rows).await?;
        rows += purged.rows;
        more = purged.more;
        if !more {
            break;
        }
    }
    Ok(Purged::new(rows, more))
}
