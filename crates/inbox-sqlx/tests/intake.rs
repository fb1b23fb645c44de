//! Deliveries that SQLite stores by themselves: what several share is a transaction, not their faults.

#![cfg(all(feature = "sqlite", feature = "worker"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use core::time::Duration;
use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookproof_inbox::kit::join_all;
use hookproof_inbox::{
    Batch, Database as _, Digest, Entry, Key, NewEvent, Recorded, State, StoreError,
    StoreErrorKind, Work,
};
use hookproof_inbox_sqlx::SqliteInbox;
use hookproof_inbox_sqlx::sqlite::{connect_options, pool_options};
use hookproof_inbox_sqlx::sqlx::{self, ConnectOptions as _, Connection as _, SqliteConnection};

use support::sqlite::Fresh;
use support::{Fresh as _, NOW, batch, block_on, endpoint, events, record};

type Stored = Result<Vec<Recorded>, StoreError>;

async fn store(inbox: &SqliteInbox, batch: Batch) -> Stored {
    inbox.intake().unwrap().store(batch, Box::new(|| ())).await
}

/// All at once, so that all but the first share a transaction.
async fn store_all(inbox: &SqliteInbox, batches: Vec<Batch>) -> Vec<Stored> {
    join_all(batches.into_iter().map(|batch| store(inbox, batch))).await
}

fn unsigned(key: &str, body: &'static [u8]) -> Batch {
    let mut event = NewEvent::new(Some(Key::new(key).unwrap()), Digest::of(body));
    event.unsigned = true;
    let empty = Batch::unread(endpoint(), "p", NOW, http::HeaderMap::new(), body.into());
    empty.with_entry(Entry::new(event))
}

fn unkeyed() -> Batch {
    let empty = Batch::unread(endpoint(), "p", NOW, http::HeaderMap::new(), "1".into());
    empty.with_entry(Entry::new(NewEvent::new(None, Digest::of(b"1"))))
}

fn other_content(key: &str) -> Batch {
    let empty = Batch::unread(endpoint(), "p", NOW, http::HeaderMap::new(), "2".into());
    let event = NewEvent::new(Some(Key::new(key).unwrap()), Digest::of(b"2"));
    empty.with_entry(Entry::new(event))
}

/// Deliveries of every kind, in an order in which each verdict occurs.
fn every_kind() -> Vec<Batch> {
    let mut all = vec![
        batch(&["a"], "1"),
        batch(&["a"], "1"),
        other_content("a"),
        other_content("a"),
        batch(&["b", "c", "b", "a"], "1"),
        unkeyed(),
        unkeyed(),
        unsigned("u", b"same"),
        unsigned("v", b"same"),
        batch(&[], "1"),
        batch(&["c"], "1"),
    ];
    // More than one text of many.
    all.extend((0..40).map(|number| batch(&[format!("n{}", number / 2).as_str()], "1")));
    all
}

/// Somebody else who writes, until this is closed.
async fn writer(fresh: &Fresh) -> SqliteConnection {
    let mut other = connect_options(fresh.file()).connect().await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    other
}

async fn count(inbox: &SqliteInbox, table: &str) -> i64 {
    let sql = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM kit_{table}"));
    sqlx::query_scalar(sql).fetch_one(inbox.pool()).await.unwrap()
}

#[test]
fn the_verdicts_and_rows_are_those_of_the_verbs() {
    block_on(async {
        let (one, all, verbs) =
            (Fresh::new(false).await, Fresh::new(false).await, Fresh::new(false).await);
        let mut expected = Vec::new();
        let mut one_by_one = Vec::new();
        for batch in every_kind() {
            expected.push(record(&verbs.inbox, &batch, Work::Later).await.unwrap());
            one_by_one.push(store(&one.inbox, batch).await.unwrap());
        }
        let together = store_all(&all.inbox, every_kind()).await;
        let together: Vec<_> = together.into_iter().map(Result::unwrap).collect();
        assert_eq!(one_by_one, expected);
        assert_eq!(together, expected);
        let rows = events(&verbs.inbox).await.unwrap();
        assert!(rows.iter().any(|row| row.progress.state == State::Parked));
        for inbox in [&one.inbox, &all.inbox] {
            assert_eq!(events(inbox).await.unwrap(), rows);
            for table in ["keys", "deliveries", "events"] {
                let expected = count(&verbs.inbox, table).await;
                assert_eq!(count(inbox, table).await, expected, "{table}");
            }
        }
        for fresh in [one, all, verbs] {
            fresh.end().await;
        }
    });
}

#[test]
fn one_that_cannot_be_stored_spoils_no_other() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        // A fault of one delivery, whatever it is.
        let sql = "CREATE TRIGGER bad BEFORE INSERT ON kit_events WHEN NEW.key LIKE 'bad%' \
             BEGIN SELECT RAISE(ABORT, 'bad'); END";
        sqlx::query(sql).execute(fresh.inbox.pool()).await.unwrap();
        let keys: Vec<String> = (0..30)
            .map(|number| format!("{}{number}", if number % 7 == 3 { "bad" } else { "good" }))
            .collect();
        for round in 0..2 {
            let batches = keys.iter().map(|key| batch(&[key], "1")).collect();
            for (key, stored) in keys.iter().zip(store_all(&fresh.inbox, batches).await) {
                match key.starts_with("bad") {
                    true => assert_eq!(stored.unwrap_err().kind(), StoreErrorKind::Corrupt),
                    false => assert_eq!(stored.unwrap()[0].is_new(), round == 0, "{key}"),
                }
            }
        }
        for table in ["keys", "deliveries", "events"] {
            assert_eq!(count(&fresh.inbox, table).await, 26, "{table}: nothing of the bad ones");
        }
        fresh.end().await;
    });
}

#[test]
fn a_transaction_that_cannot_begin_fails_all_that_share_it() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        let options = connect_options(fresh.file()).busy_timeout(Duration::from_millis(20));
        let pool = pool_options().connect_lazy_with(options);
        let inbox = SqliteInbox::new(pool, fresh.inbox.store().prefix().clone());
        let other = writer(&fresh).await;
        let batches = || ["a", "b", "c"].map(|key| batch(&[key], "1")).to_vec();
        for stored in store_all(&inbox, batches()).await {
            let error = stored.unwrap_err();
            assert_eq!(error.kind(), StoreErrorKind::Busy);
            assert!(error.source().is_some());
        }
        other.close().await.unwrap();
        for stored in store_all(&inbox, batches()).await {
            assert!(stored.unwrap()[0].is_new(), "nothing was left, and it works again");
        }
        fresh.end().await;
    });
}

#[test]
fn who_gives_up_is_not_stored_and_the_writer_goes_on() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        let other = writer(&fresh).await;
        let short = Duration::from_millis(50);
        // The first is alone, and waits for the lock within its text; the others wait for the writer.
        let alone = store(&fresh.inbox, batch(&["a"], "1"));
        assert!(tokio::time::timeout(short, alone).await.is_err());
        let given_up = ["b", "c"].map(|key| store(&fresh.inbox, batch(&[key], "1")));
        for stored in join_all(given_up.map(|storing| tokio::time::timeout(short, storing))).await {
            assert!(stored.is_err());
        }
        let waits = store(&fresh.inbox, batch(&["d"], "1"));
        let released = async {
            tokio::time::sleep(short).await;
            other.close().await.unwrap();
        };
        let (stored, ()) = tokio::join!(waits, released);
        assert!(stored.unwrap()[0].is_new());
        assert_eq!(count(&fresh.inbox, "keys").await, 1, "nobody waits for the others");
        fresh.end().await;
    });
}

#[test]
fn new_events_are_announced_after_the_commit_and_copies_are_not() {
    block_on(async {
        let fresh = Fresh::new(false).await;
        let announced = Arc::new(AtomicUsize::new(0));
        let store = |key: &str| {
            let count = Arc::clone(&announced);
            let committed = Box::new(move || {
                count.fetch_add(1, Ordering::Relaxed);
            });
            fresh.inbox.intake().unwrap().store(batch(&[key], "1"), committed)
        };
        for stored in join_all(["a", "b", "a", "c"].map(store)).await {
            stored.unwrap();
        }
        assert_eq!(announced.load(Ordering::Relaxed), 3);
        store("a").await.unwrap();
        assert_eq!(announced.load(Ordering::Relaxed), 3);
        fresh.end().await;
    });
}

#[test]
fn a_runtime_that_ends_leaves_the_writer_to_the_next() {
    let fresh = block_on(Fresh::new(false));
    // On a runtime that ends while somebody waits.
    let other = block_on(writer(&fresh));
    let inbox = &fresh.inbox.clone();
    block_on(async {
        let short = Duration::from_millis(50);
        assert!(tokio::time::timeout(short, store(inbox, batch(&["a"], "1"))).await.is_err());
    });
    block_on(async {
        other.close().await.unwrap();
        assert!(store(inbox, batch(&["b"], "1")).await.unwrap()[0].is_new());
        assert_eq!(count(inbox, "keys").await, 1);
        fresh.end().await;
    });
}
