//! The partitions of the payloads, one a day: made ahead of time, and dropped as a whole.

use core::time::Duration;

use hookproof::UnixTime;
use hookproof_inbox::StoreError;
use hookproof_inbox::sql::postgres as sql;
use hookproof_inbox::time::{day, earlier};
use sqlx::{PgConnection, SqlStr};

use super::{PostgresInbox, locked};
use crate::error::{corrupt, fault};
use crate::link::{Columns as _, Link as _, Value};
use crate::migrations::Script as _;
use crate::texts::{text, trusted};

/// Which partitions there should be.
///
/// ```
/// use core::time::Duration;
/// use hookproof_inbox_sqlx::postgres::Partitioning;
/// let thirty_days = Partitioning::new(Duration::from_secs(30 * 24 * 3600));
/// # let _ = thirty_days;
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Partitioning {
    /// For how long payloads are kept. A day goes once all of it is older, and all of its events are done.
    pub keep: Duration,
    /// For how many days after today partitions are made. A day of which rows have arrived already cannot be made.
    pub ahead: u32,
    /// How many days one call drops at most.
    pub drops: u32,
}

impl Partitioning {
    /// Payloads are kept for so long; partitions are made a week ahead, and up to 31 are dropped at once.
    #[must_use]
    pub const fn new(keep: Duration) -> Self {
        Self { keep, ahead: 7, drops: 31 }
    }

    /// With partitions for so many days after today.
    #[must_use]
    pub const fn ahead(mut self, days: u32) -> Self {
        self.ahead = days;
        self
    }

    /// With at most so many days dropped by one call.
    #[must_use]
    pub const fn drops(mut self, days: u32) -> Self {
        self.drops = days;
        self
    }
}

/// What was done to the partitions. Days are counted from 1970, as by [`day`].
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct Maintained {
    /// The days that were made.
    pub created: Vec<u32>,
    /// The days that were dropped.
    pub dropped: Vec<u32>,
    /// The days that are old enough, and stay since an event of theirs is not done.
    pub unfinished: Vec<u32>,
    /// The days that could not be made, since the default partition has rows of theirs: their payloads go row by row
    /// ([`purge::payloads`](crate::purge::payloads)).
    pub late: Vec<u32>,
}

impl PostgresInbox {
    /// Makes the partitions of today and the next days, and drops those that are old and done. Call it at every start and
    /// once an hour or so, from any number of instances.
    ///
    /// Each day is a transaction of its own, and locks the table of payloads for a moment. It waits 1 s for that at most.
    ///
    /// # Errors
    ///
    /// [`Busy`](hookproof_inbox::StoreErrorKind::Busy) if the table was in use for so long: call it again; else a fault of
    /// the database. What was done before stays done.
    pub async fn maintain(
        &self,
        partitioning: Partitioning,
        now: UnixTime,
    ) -> Result<Maintained, StoreError> {
        let mut done = Maintained::default();
        let today = number(day(now));
        let there = self.days().await?;
        for day in today..=today.saturating_add(partitioning.ahead) {
            if !there.contains(&day) {
                let list = if self.create(day).await? { &mut done.created } else { &mut done.late };
                list.push(day);
            }
        }
        // The day in which the oldest payload that is kept may have arrived stays.
        let first_kept = number(day(earlier(now, partitioning.keep)));
        let limit = usize::try_from(partitioning.drops).unwrap_or(usize::MAX);
        for day in there.into_iter().filter(|day| *day < first_kept) {
            if done.dropped.len() >= limit {
                break;
            }
            let list =
                if self.remove(day).await? { &mut done.dropped } else { &mut done.unfinished };
            list.push(day);
        }
        Ok(done)
    }

    /// The days that have a partition, the oldest first.
    async fn days(&self) -> Result<Vec<u32>, StoreError> {
        const PARTITIONS: &str = "SELECT c.relname::TEXT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
             WHERE i.inhparent = 'hookproof_deliveries'::regclass";
        let mut tx = self.transaction().await?;
        let prefix = self.store.prefix();
        let own = format!("{prefix}_deliveries_d");
        let rows = tx.rows(&text(prefix, PARTITIONS), &[]).await?;
        let mut days = Vec::new();
        for row in &rows {
            days.extend(row.text(0)?.strip_prefix(&own).and_then(|day| day.parse::<u32>().ok()));
        }
        days.sort_unstable();
        Ok(days)
    }

    /// Whether it could be made.
    async fn create(&self, day: u32) -> Result<bool, StoreError> {
        let mut tx = self.transaction().await?;
        self.lock(&mut tx).await?;
        let sql = trusted(self.store.prefix().apply(&sql::create_partition(day)).into_owned());
        match sqlx::raw_sql(sql).execute(&mut *tx).await {
            Ok(_) => tx.commit().await.map_err(fault).map(|()| true),
            // The rows of the default partition do not satisfy its new constraint.
            Err(sqlx::Error::Database(error)) if error.is_check_violation() => {
                tx.rollback().await.map_err(fault).map(|()| false)
            }
            Err(error) => Err(fault(error)),
        }
    }

    /// Whether nothing of it was left to do.
    async fn remove(&self, day: u32) -> Result<bool, StoreError> {
        let mut tx = self.transaction().await?;
        self.lock(&mut tx).await?;
        let prefix = self.store.prefix();
        let (from, until) = sql::span(day);
        let span = [Value::number(from), Value::number(until)];
        let row = tx.row(&text(prefix, sql::UNFINISHED), &span).await?;
        if row.ok_or_else(|| corrupt("an answer"))?.boolean(0)? {
            return tx.rollback().await.map_err(fault).map(|()| false);
        }
        tx.script(trusted(prefix.apply(&sql::drop_partition(day)).into_owned())).await?;
        tx.commit().await.map_err(fault).map(|()| true)
    }

    /// Locks the table as making and dropping partitions does, first and at once, so that nobody holds a part of it.
    async fn lock(&self, tx: &mut PgConnection) -> Result<(), StoreError> {
        tx.script(SqlStr::from_static("SET LOCAL lock_timeout = '60s'")).await?;
        locked(tx, self.store.prefix()).await?;
        // Whoever waits for this lock holds up everybody who comes after.
        const LOCK: &str = "SET LOCAL lock_timeout = '1s'; \
             LOCK TABLE ONLY hookproof_deliveries IN ACCESS EXCLUSIVE MODE";
        tx.script(text(self.store.prefix(), LOCK)).await
    }
}

fn number(day: u64) -> u32 {
    u32::try_from(day).unwrap_or(u32::MAX)
}
