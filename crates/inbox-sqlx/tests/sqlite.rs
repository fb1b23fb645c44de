//! SQLite: faults of the database, the tables, and waking.

#![cfg(feature = "sqlite")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::time::Duration;

use hookproof_inbox::sql::Prefix;
use hookproof_inbox::{Database, Log as _, Recorded, Store as _, StoreErrorKind, Work};
use hookproof_inbox_sqlx::sqlite::{connect_options, pool_options};
use hookproof_inbox_sqlx::sqlx::sqlite::SqliteConnectOptions;
use hookproof_inbox_sqlx::sqlx::{self, ConnectOptions as _, Connection as _, SqlitePool};
use hookproof_inbox_sqlx::{SqliteInbox, SqliteStore};

use support::sqlite::Fresh;
use support::{Fresh as _, batch, block_on, events, is_stored, record};

fn open(options: SqliteConnectOptions) -> SqliteInbox {
    SqliteInbox::new(pool_options().connect_lazy_with(options), Prefix::new("kit").unwrap())
}

#[test]
fn a_locked_database_is_busy() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        let impatient = connect_options(fresh.file()).busy_timeout(Duration::from_millis(20));
        let inbox = open(impatient);
        let mut other = connect_options(fresh.file()).connect().await.unwrap();
        let held = other.begin_with("BEGIN IMMEDIATE").await.unwrap();
        let refused = record(&inbox, &batch(&["a"], "1"), Work::Later).await.unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Busy);
        assert!(inbox.transaction().await.is_err(), "found out before anything is read");
        assert!(!refused.to_string().contains("code"), "{refused}");
        assert!(std::error::Error::source(&refused).unwrap().to_string().contains("locked"));
        drop(held);
        other.close().await.unwrap();
        assert!(record(&inbox, &batch(&["a"], "1"), Work::Later).await.unwrap()[0].is_new());
        assert_eq!(events(&inbox).await.unwrap().len(), 1);
        fresh.end().await;
    });
}

#[test]
fn a_transaction_that_read_before_others_wrote_is_busy() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        // What `transaction` prevents: a transaction of the user's that begins by reading.
        let mut other = connect_options(fresh.file()).connect().await.unwrap();
        let mut deferred = other.begin().await.unwrap();
        sqlx::query("SELECT count(*) FROM kit_keys").fetch_one(&mut *deferred).await.unwrap();
        record(&fresh.inbox, &batch(&["a"], "1"), Work::Here).await.unwrap();
        let store = SqliteStore::new(Prefix::new("kit").unwrap());
        let refused = store.record(&mut deferred, &batch(&["b"], "2"), Work::Here).await;
        assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Busy);
        fresh.end().await;
    });
}

#[test]
fn a_full_database_keeps_nothing_and_recovers() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        let limit = async |pages: u32| {
            let sql = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
            let mut connection = fresh.inbox.pool().acquire().await.unwrap();
            sqlx::query(sql).fetch_one(&mut *connection).await.unwrap();
        };
        record(&fresh.inbox, &batch(&["first"], "1"), Work::Later).await.unwrap();
        limit(1).await;
        let body = vec![7; 1 << 20];
        for _ in 0..3 {
            let large = batch(&["a", "b"], body.clone());
            let refused = record(&fresh.inbox, &large, Work::Later).await.unwrap_err();
            assert_eq!(refused.kind(), StoreErrorKind::Unavailable, "{refused:?}");
            assert_eq!(events(&fresh.inbox).await.unwrap().len(), 1, "nothing half-written");
            limit(1).await;
        }
        assert!(!is_stored(&fresh.inbox, "a").await);
        limit(1_000_000).await;
        let recorded = record(&fresh.inbox, &batch(&["a", "b"], body), Work::Later).await.unwrap();
        assert!(recorded.iter().all(Recorded::is_new));
        fresh.end().await;
    });
}

#[test]
fn a_transaction_that_sqlite_rolled_back_does_not_spoil_its_connection() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        let mut tx = fresh.inbox.transaction().await.unwrap();
        let _ = fresh.inbox.store().record(&mut tx, &batch(&["a"], "1"), Work::Here).await;
        // As SQLite does by itself when its disk is full or fails: the driver does not hear of it.
        sqlx::query("ROLLBACK").execute(&mut *tx).await.unwrap();
        drop(tx);
        assert!(!is_stored(&fresh.inbox, "a").await);
        assert!(record(&fresh.inbox, &batch(&["a"], "1"), Work::Here).await.unwrap()[0].is_new());
        fresh.end().await;
    });
}

#[test]
fn what_cannot_be_opened_or_written_is_unavailable() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        let missing = fresh.folder.path().join("no/such/folder/inbox.db");
        let read_only = connect_options(fresh.file()).read_only(true);
        for options in [connect_options(missing), read_only] {
            let refused = record(&open(options), &batch(&["a"], "1"), Work::Here).await;
            assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Unavailable);
        }
        let used_up = pool_options().acquire_timeout(Duration::from_millis(50));
        let used_up = used_up.connect_lazy_with(connect_options(fresh.file()));
        let inbox = SqliteInbox::new(used_up, Prefix::new("kit").unwrap());
        let held = inbox.transaction().await.unwrap();
        let refused = record(&inbox, &batch(&["a"], "1"), Work::Here).await.unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Unavailable);
        drop(held);
        inbox.pool().close().await;
        let refused = record(&inbox, &batch(&["a"], "1"), Work::Here).await.unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Unavailable);
        fresh.end().await;
    });
}

#[test]
fn what_is_no_inbox_is_told_apart() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("text.db");
        std::fs::write(&file, "This is not a database, and it is long enough. ".repeat(50))
            .unwrap();
        let inbox = open(SqliteConnectOptions::new().filename(&file));
        let refused = record(&inbox, &batch(&["a"], "1"), Work::Here).await.unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Corrupt);
        let inbox = open(connect_options(folder.path().join("empty.db")));
        let refused = record(&inbox, &batch(&["a"], "1"), Work::Here).await.unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Invalid);
        assert!(refused.to_string().contains("run the migrations"), "{refused}");
    });
}

#[test]
fn rows_that_somebody_changed_are_corrupt() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        record(&fresh.inbox, &batch(&["a"], "1"), Work::Later).await.unwrap();
        for change in [
            "UPDATE kit_events SET endpoint = 'not a name'",
            "UPDATE kit_events SET endpoint = 'e', key = ''",
            "UPDATE kit_events SET key = 'a', order_value = 1, order_unit = 'weeks'",
            "UPDATE kit_events SET order_value = NULL, attempts = -1",
        ] {
            let mut tx = fresh.inbox.transaction().await.unwrap();
            sqlx::query(change).execute(&mut *tx).await.unwrap();
            tx.commit().await.unwrap();
            let refused = events(&fresh.inbox).await.unwrap_err();
            assert_eq!(refused.kind(), StoreErrorKind::Corrupt, "{change}");
        }
        fresh.end().await;
    });
}

#[test]
fn migrations_run_once_whoever_runs_them() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("inbox.db");
        let inboxes: Vec<_> = (0..8).map(|_| open(connect_options(&file))).collect();
        let runs = inboxes.iter().map(async |inbox| inbox.migrate_log("orders").await);
        for done in hookproof_inbox::kit::join_all(runs).await {
            done.unwrap();
        }
        inboxes[0].migrate().await.unwrap();
        let refused = inboxes[0].migrate_log("others").await.unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Invalid);
        assert!(refused.to_string().contains("keeps the log orders, not others"), "{refused}");
        assert!(inboxes[0].migrate_log("no name").await.is_err());
        let mut tx = inboxes[0].transaction().await.unwrap();
        let head = inboxes[0].store().head(&mut tx).await.unwrap();
        assert_eq!((head.log(), head.seq()), ("orders", 0));
    });
}

#[test]
fn two_prefixes_share_a_file() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        let other = SqliteInbox::new(fresh.inbox.pool().clone(), Prefix::DEFAULT);
        other.migrate_log("l").await.unwrap();
        for inbox in [&fresh.inbox, &other] {
            assert!(record(inbox, &batch(&["a"], "1"), Work::Here).await.unwrap()[0].is_new());
        }
        let mut tx = fresh.inbox.transaction().await.unwrap();
        let refused = fresh.inbox.store().head(&mut tx).await.unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Invalid);
        assert!(refused.to_string().contains("no log is kept"), "{refused}");
        drop(tx);
        fresh.end().await;
    });
}

#[test]
fn batches_of_any_size() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        for events in [2, 99, 100, 101, 5000] {
            let keys: Vec<String> = (0..events).map(|key| format!("{events}/{key}")).collect();
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            // The second half first, so that the first half is new and the second is not.
            let (_, second) = keys.split_at(events / 2);
            record(&fresh.inbox, &batch(second, "1"), Work::Later).await.unwrap();
            let recorded = record(&fresh.inbox, &batch(&keys, "1"), Work::Later).await.unwrap();
            let new: Vec<bool> = recorded.iter().map(Recorded::is_new).collect();
            let expected: Vec<bool> = (0..events).map(|key| key < events / 2).collect();
            assert_eq!(new, expected);
        }
        fresh.end().await;
    });
}

#[test]
fn a_snapshot_sees_one_state() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        record(&fresh.inbox, &batch(&["a"], "1"), Work::Later).await.unwrap();
        // A pool of its own, so that it holds nobody up.
        let reader = open(connect_options(fresh.file()));
        let mut tx = reader.snapshot().await.unwrap();
        let list = async |tx: &mut sqlx::SqliteConnection| {
            let all = hookproof_inbox::Selection::new();
            reader.store().list(tx, &all, hookproof_inbox::Page::FIRST).await.unwrap().len()
        };
        assert_eq!(list(&mut tx).await, 1);
        record(&fresh.inbox, &batch(&["b"], "1"), Work::Later).await.unwrap();
        assert_eq!(list(&mut tx).await, 1);
        drop(tx);
        assert_eq!(list(&mut reader.snapshot().await.unwrap()).await, 2);
        fresh.end().await;
    });
}

/// A database in memory has a pool of one connection, or each connection has its own.
#[test]
fn a_database_in_memory() {
    block_on(async {
        let pool: SqlitePool = pool_options().connect_lazy_with(SqliteConnectOptions::new());
        let inbox = SqliteInbox::new(pool, Prefix::DEFAULT);
        inbox.migrate().await.unwrap();
        assert!(record(&inbox, &batch(&["a"], "1"), Work::Here).await.unwrap()[0].is_new());
        assert!(!record(&inbox, &batch(&["a"], "1"), Work::Here).await.unwrap()[0].is_new());
    });
}

#[cfg(feature = "worker")]
#[test]
fn writes_of_another_process_are_heard() {
    use hookproof_inbox::Wake as _;
    use tokio::time::timeout;

    block_on(async {
        let fresh = Fresh::new(false).await;
        let wake = fresh.inbox.wake(Duration::from_millis(5));
        let mut listener = wake.listen().await.unwrap();
        let silent = timeout(Duration::from_millis(100), wake.woken(&mut listener)).await;
        assert!(silent.is_err(), "nobody wrote");
        let other = open(connect_options(fresh.file()));
        record(&other, &batch(&["a"], "1"), Work::Later).await.unwrap();
        wake.woken(&mut listener).await.unwrap();
        let silent = timeout(Duration::from_millis(100), wake.woken(&mut listener)).await;
        assert!(silent.is_err(), "heard once");
        // Within the process it does not take an interval.
        let slow = fresh.inbox.wake(Duration::from_secs(3600));
        let mut listener = slow.listen().await.unwrap();
        slow.announced();
        slow.woken(&mut listener).await.unwrap();
        fresh.end().await;
    });
}

#[test]
fn the_store_needs_nothing_but_a_connection() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        let store = SqliteStore::new(fresh.inbox.store().prefix().clone());
        let mut connection = connect_options(fresh.file()).connect().await.unwrap();
        let mut tx = connection.begin_with("BEGIN IMMEDIATE").await.unwrap();
        assert!(store.record(&mut tx, &batch(&["a"], "1"), Work::Here).await.unwrap().is_new());
        sqlx::query("CREATE TABLE orders (id TEXT)").execute(&mut *tx).await.unwrap();
        tx.rollback().await.unwrap();
        assert!(!is_stored(&fresh.inbox, "a").await, "rolled back with the caller's writes");
        let mut tx = fresh.inbox.begin(&mut ()).await.unwrap();
        let _ = store.record(SqliteInbox::tx(&mut tx), &batch(&["a"], "1"), Work::Here).await;
        SqliteInbox::commit(tx).await.unwrap();
        assert!(is_stored(&fresh.inbox, "a").await);
        fresh.end().await;
    });
}
