//! What fails, at the server or by the caller.

use std::time::Duration;

use hookproof_inbox::kit::join_all;
use hookproof_inbox::sql::Prefix;
use hookproof_inbox::{
    ClaimRequest, Database as _, Log as _, Recorded, Stale, Store as _, StoreErrorKind, Work,
};
use hookproof_inbox_sqlx::postgres::{connect_options, pool_options};
use hookproof_inbox_sqlx::sqlx::{self, Connection as _, PgConnection, Row as _, raw_sql};
use hookproof_inbox_sqlx::{PostgresInbox, PostgresStore};

use super::{MILLI, count, open, process, run, terminate};
use crate::support::postgres::{Fresh, server};
use crate::support::{NOW, batch, events, is_stored, record};

pub(super) async fn a_copy_in_another_transaction_is_busy(fresh: &Fresh) {
    let impatient = open(fresh.options().options([("lock_timeout", "50ms")]));
    for work in [Work::Here, Work::Later] {
        let copy = batch(&[if work == Work::Here { "a" } else { "b" }], "1");
        let mut first = fresh.inbox.transaction().await.unwrap();
        let recorded = fresh.inbox.store().record(&mut first, &copy, work).await.unwrap();
        assert!(recorded.is_new());
        let mut second = impatient.transaction().await.unwrap();
        let refused = impatient.store().record(&mut second, &copy, work).await.unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Busy);
        assert!(!refused.to_string().contains("lock timeout"), "{refused}");
        drop(second);
        first.commit().await.unwrap();
        let again = record(&impatient, &copy, work).await.unwrap();
        assert!(matches!(again[0], Recorded::Duplicate { .. }), "{again:?}");
    }
}

/// Its statement began before the other's commit, so that only a second statement sees what was recorded.
pub(super) async fn a_copy_that_was_waited_for_is_a_duplicate(fresh: &Fresh) {
    for keys in [&["a"][..], &["b", "c"]] {
        let copy = batch(keys, "1");
        let store = fresh.inbox.store();
        let mut first = fresh.inbox.transaction().await.unwrap();
        let won = store.record_many(&mut first, &copy, Work::Later).await.unwrap();
        let mut second = fresh.inbox.transaction().await.unwrap();
        let waiting = store.record_many(&mut second, &copy, Work::Later);
        let commit = async {
            tokio::time::sleep(50 * MILLI).await;
            first.commit().await.unwrap();
        };
        let (lost, ()) = tokio::join!(waiting, commit);
        for (won, lost) in won.iter().zip(lost.unwrap()) {
            assert!(won.is_new() && matches!(lost, Recorded::Duplicate { .. }), "{lost:?}");
            assert_eq!(won.id(), lost.id());
        }
    }
}

pub(super) async fn a_statement_that_takes_too_long_is_unavailable(fresh: &Fresh) {
    let settings = [("lock_timeout", "0"), ("statement_timeout", "50ms")];
    let slow = open(fresh.options().options(settings));
    let mut first = fresh.inbox.transaction().await.unwrap();
    let copy = batch(&["a"], "1");
    let _ = fresh.inbox.store().record(&mut first, &copy, Work::Here).await.unwrap();
    let refused = record(&slow, &copy, Work::Here).await.unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Unavailable);
    drop(first);
    assert!(record(&slow, &copy, Work::Here).await.unwrap()[0].is_new());
}

pub(super) async fn a_deadlock_is_busy(fresh: &Fresh) {
    let store = fresh.inbox.store();
    let mut transactions = Vec::new();
    for key in ["a", "b"] {
        let mut tx = fresh.inbox.transaction().await.unwrap();
        raw_sql("SET LOCAL lock_timeout = 0; SET LOCAL deadlock_timeout = '20ms'")
            .execute(&mut *tx)
            .await
            .unwrap();
        let _ = store.record(&mut tx, &batch(&[key], "1"), Work::Here).await.unwrap();
        transactions.push(tx);
    }
    let crossed = transactions.into_iter().zip(["b", "a"]).map(async |(mut tx, key)| {
        let done = store.record(&mut tx, &batch(&[key], "1"), Work::Here).await;
        let kind = done.err().map(|error| error.kind());
        match kind {
            None => tx.commit().await.unwrap(),
            Some(_) => tx.rollback().await.unwrap(),
        }
        kind
    });
    let mut kinds = join_all(crossed).await;
    kinds.sort_by_key(Option::is_some);
    assert_eq!(kinds, [None, Some(StoreErrorKind::Busy)]);
    assert!(is_stored(&fresh.inbox, "a").await && is_stored(&fresh.inbox, "b").await);
}

pub(super) async fn another_isolation_is_busy(fresh: &Fresh) {
    let mut tx = fresh.inbox.pool().begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ").await;
    let tx = tx.as_mut().unwrap();
    sqlx::query("SELECT 1 FROM kit_keys").fetch_optional(&mut **tx).await.unwrap();
    record(&fresh.inbox, &batch(&["a"], "1"), Work::Later).await.unwrap();
    let refused = fresh.inbox.store().record(tx, &batch(&["a"], "1"), Work::Later).await;
    assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Busy);
    // The server's own default does not matter.
    let default = [("default_transaction_isolation", "serializable")];
    let inbox = open(fresh.options().options(default));
    let mut tx = inbox.transaction().await.unwrap();
    let row = sqlx::query("SHOW transaction_isolation").fetch_one(&mut *tx).await.unwrap();
    assert_eq!(row.get::<&str, _>(0), "read committed");
}

pub(super) async fn a_connection_that_broke_leaves_nothing(fresh: &Fresh) {
    let store = fresh.inbox.store();
    let mut tx = fresh.inbox.transaction().await.unwrap();
    let recorded = store.record(&mut tx, &batch(&["a"], "1"), Work::Later).await.unwrap();
    assert!(recorded.is_new());
    terminate(process(&mut tx).await).await;
    let refused = store.record(&mut tx, &batch(&["b"], "1"), Work::Later).await.unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Unavailable);
    drop(tx);
    let session = &mut fresh.inbox.connect().await.unwrap();
    let mut open = fresh.inbox.begin(session).await.unwrap();
    let tx = PostgresInbox::tx(&mut open);
    let recorded = store.record(tx, &batch(&["a"], "1"), Work::Later).await.unwrap();
    assert!(recorded.is_new(), "nothing was left");
    terminate(process(PostgresInbox::tx(&mut open)).await).await;
    let refused = PostgresInbox::commit(open).await.unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Unavailable);
    assert!(events(&fresh.inbox).await.unwrap().is_empty());
    assert_eq!(count(&fresh.inbox, "SELECT count(*) FROM kit_deliveries").await, 0);
}

/// The server answers `COMMIT` with a rollback then, and no error.
pub(super) async fn a_transaction_that_failed_is_not_said_to_be_committed(fresh: &Fresh) {
    let mut session = fresh.inbox.connect().await.unwrap();
    let mut open = fresh.inbox.begin(&mut session).await.unwrap();
    let tx = PostgresInbox::tx(&mut open);
    let copy = batch(&["a"], "1");
    assert!(fresh.inbox.store().record(tx, &copy, Work::Here).await.unwrap().is_new());
    // A handler that catches the violation of a constraint and goes on.
    let caught = sqlx::query("SELECT 1 / 0").execute(PostgresInbox::tx(&mut open)).await;
    assert!(caught.is_err());
    let refused = PostgresInbox::commit(open).await.unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Invalid);
    assert!(!is_stored(&fresh.inbox, "a").await);
    // With a savepoint it may.
    let mut open = fresh.inbox.begin(&mut session).await.unwrap();
    let tx = PostgresInbox::tx(&mut open);
    assert!(fresh.inbox.store().record(tx, &copy, Work::Here).await.unwrap().is_new());
    let mut savepoint = tx.begin().await.unwrap();
    assert!(sqlx::query("SELECT 1 / 0").execute(&mut *savepoint).await.is_err());
    savepoint.rollback().await.unwrap();
    PostgresInbox::commit(open).await.unwrap();
    assert!(is_stored(&fresh.inbox, "a").await);
}

pub(super) async fn idle_connections_that_broke_are_replaced(fresh: &Fresh) {
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(fresh.inbox.transaction().await.unwrap());
    }
    let mut processes = Vec::new();
    for mut tx in open {
        processes.push(process(&mut tx).await);
        tx.commit().await.unwrap();
    }
    for process in processes {
        terminate(process).await;
    }
    assert!(record(&fresh.inbox, &batch(&["a"], "1"), Work::Here).await.unwrap()[0].is_new());
}

pub(super) async fn a_server_that_is_not_there_is_unavailable(fresh: &Fresh) {
    for options in [server().socket("/nowhere"), server().host("127.0.0.1").port(1)] {
        let pool = pool_options().acquire_timeout(200 * MILLI);
        let pool = pool.connect_lazy_with(connect_options(options));
        let inbox = PostgresInbox::new(pool, Prefix::DEFAULT);
        let refused = record(&inbox, &batch(&["a"], "1"), Work::Here).await.unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Unavailable, "{refused:?}");
    }
    let read_only = [("default_transaction_read_only", "on")];
    let inbox = open(fresh.options().options(read_only));
    let refused = record(&inbox, &batch(&["a"], "1"), Work::Here).await.unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Unavailable, "{refused:?}");
}

/// The server says that its disk is full in the middle of a statement.
pub(super) async fn a_full_disk_leaves_nothing(fresh: &Fresh) {
    run(
        &fresh.inbox,
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF NEW.key = 'b' THEN RAISE EXCEPTION USING ERRCODE = '53100'; END IF; RETURN NEW; END $$; \
         CREATE TRIGGER full_disk BEFORE INSERT ON kit_events FOR EACH ROW EXECUTE FUNCTION full_disk()",
    )
    .await;
    let refused = record(&fresh.inbox, &batch(&["a", "b"], "1"), Work::Later).await;
    assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Unavailable);
    assert!(!is_stored(&fresh.inbox, "a").await && !is_stored(&fresh.inbox, "b").await);
    assert_eq!(count(&fresh.inbox, "SELECT count(*) FROM kit_deliveries").await, 0);
    run(&fresh.inbox, "DROP TRIGGER full_disk ON kit_events").await;
    let recorded = record(&fresh.inbox, &batch(&["a", "b"], "1"), Work::Later).await.unwrap();
    assert!(recorded.iter().all(Recorded::is_new));
}

pub(super) async fn what_is_no_inbox_is_told_apart(fresh: &Fresh) {
    let other = PostgresInbox::new(fresh.inbox.pool().clone(), Prefix::new("other").unwrap());
    let refused = record(&other, &batch(&["a"], "1"), Work::Here).await.unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Invalid);
    assert!(refused.to_string().contains("run the migrations"), "{refused}");
    let mut tx = fresh.inbox.transaction().await.unwrap();
    let refused = fresh.inbox.store().head(&mut tx).await.unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Invalid);
    assert!(refused.to_string().contains("no log is kept"), "{refused}");
    // Whoever goes on in a transaction that failed is told so.
    let refused = fresh.inbox.store().record(&mut tx, &batch(&["a"], "1"), Work::Here).await;
    assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Invalid);
    drop(tx);
    record(&fresh.inbox, &batch(&["a"], "1"), Work::Later).await.unwrap();
    run(&fresh.inbox, "UPDATE kit_events SET endpoint = 'not a name'").await;
    let refused = events(&fresh.inbox).await.unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Corrupt);
}

pub(super) async fn batches_of_any_size(fresh: &Fresh) {
    for events in [2, 100, 5000] {
        let keys: Vec<String> = (0..events).map(|key| format!("{events}/{key}")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let (_, second) = keys.split_at(events / 2);
        record(&fresh.inbox, &batch(second, "1"), Work::Later).await.unwrap();
        let recorded = record(&fresh.inbox, &batch(&keys, "1"), Work::Later).await.unwrap();
        let new: Vec<bool> = recorded.iter().map(Recorded::is_new).collect();
        let expected: Vec<bool> = (0..events).map(|key| key < events / 2).collect();
        assert_eq!(new, expected);
    }
    let store = PostgresStore::new(Prefix::new("kit").unwrap());
    let mut connection = PgConnection::connect_with(&fresh.options()).await.unwrap();
    let mut tx = connection.begin().await.unwrap();
    let one = store.record(&mut tx, &batch(&["2/0"], "1"), Work::Here).await.unwrap();
    assert!(!one.is_new(), "with a connection of the caller's");
}

/// What a dropped transaction had locked is not passed over by the next one of the same session.
pub(super) async fn dropped_transactions_are_gone_before_the_next(fresh: &Fresh) {
    let request = ClaimRequest::new(Duration::from_secs(60), Stale::Park, 3);
    record(&fresh.inbox, &batch(&["a"], "1"), Work::Later).await.unwrap();
    let mut session = fresh.inbox.connect().await.unwrap();
    for _ in 0..50 {
        let mut open = fresh.inbox.begin(&mut session).await.unwrap();
        let tx = PostgresInbox::tx(&mut open);
        let claimed = fresh.inbox.store().claim(tx, &request, NOW).await.unwrap();
        assert_eq!(claimed.claims.len(), 1);
        drop(open);
    }
}
