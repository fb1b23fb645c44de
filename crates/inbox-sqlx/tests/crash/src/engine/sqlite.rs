//! SQLite: one file, several processes.

use core::time::Duration;
use std::path::Path;

use hookproof::UnixTime;
use hookproof_inbox::StoreError;
use hookproof_inbox::sql::Prefix;
use hookproof_inbox_sqlx::SqliteInbox;
use hookproof_inbox_sqlx::sqlite::{SqliteWake, connect_options, pool_options};
use hookproof_inbox_sqlx::sqlx::{self, AssertSqlSafe, SqliteConnection};

use super::{Engine, Order, Property, Row, Tx};
use crate::points::{Point, announce};

/// How many instructions of SQLite's machine a step is.
const STEP: i32 = 4;

impl Engine for SqliteInbox {
    super::statements!();

    type Wake = SqliteWake;

    fn waker(&self) -> SqliteWake {
        self.wake(Duration::from_millis(50))
    }

    async fn maintain_tables(&self, _now: UnixTime) -> Result<(), StoreError> {
        Ok(())
    }

    async fn place(folder: &Path) -> String {
        folder.join("inbox.db").to_str().expect("a path").to_owned()
    }

    fn open(place: &str, _process: &str, prefix: Prefix) -> Self {
        Self::new(pool_options().connect_lazy_with(connect_options(place)), prefix)
    }

    async fn settings(&self) -> String {
        let mode = self.rows("PRAGMA journal_mode").await;
        let synchronous =
            self.rows("SELECT CAST(synchronous AS TEXT) FROM pragma_synchronous").await;
        format!(
            "journal={} synchronous={}",
            mode[0][0].as_deref().expect("a mode"),
            synchronous[0][0].as_deref().expect("a number")
        )
    }

    async fn stop_within(&self, steps: u64, point: Point) {
        let mut connection = self.pool().acquire().await.expect("a connection");
        stop(&mut connection, steps, point).await;
    }

    async fn stop_transaction_within(tx: &mut Tx<'_, Self>, steps: u64, point: Point) {
        stop(tx, steps, point).await;
    }

    /// The system has taken its locks back.
    async fn wait_for_end_of(&self, _process: &str) {}

    /// It has no server.
    async fn break_off(&self, _process: &str) -> usize {
        0
    }

    async fn integrity(&self) -> Vec<String> {
        let rows = self.rows("PRAGMA integrity_check").await;
        let lines = rows.into_iter().filter_map(|mut row| row.pop().flatten());
        lines.filter(|line| line != "ok").collect()
    }
}

/// Stops the thread that works on the database, in the middle of a statement.
async fn stop(connection: &mut SqliteConnection, steps: u64, point: Point) {
    let mut left = steps;
    let mut handle = connection.lock_handle().await.expect("a connection");
    handle.set_progress_handler(STEP, move || {
        left = left.saturating_sub(1);
        if left == 0 {
            announce(point);
            loop {
                std::thread::park();
            }
        }
        true
    });
}
