//! PostgreSQL: faults of the server, the tables and partitions, and waking. Needs a URL in `HOOKPROOF_TEST_POSTGRES`;
//! without one all of it is ignored, and said to be.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

#[cfg(not(feature = "postgres"))]
const fn main() {}

#[cfg(feature = "postgres")]
fn main() -> std::process::ExitCode {
    server::main()
}

#[cfg(feature = "postgres")]
mod server {
    use std::process::ExitCode;
    use std::time::Duration;

    use hookproof::UnixTime;
    use hookproof_inbox::kit::join_all;
    use hookproof_inbox::sql::Prefix;
    use hookproof_inbox::{
        ClaimRequest, Database as _, Log as _, Recorded, Stale, Store as _, StoreErrorKind, Work,
        chain::Status, verify_log,
    };
    use hookproof_inbox_sqlx::postgres::{Partitioning, connect_options, pool_options};
    use hookproof_inbox_sqlx::purge::{self, Steps};
    use hookproof_inbox_sqlx::sqlx::postgres::PgConnectOptions;
    use hookproof_inbox_sqlx::sqlx::{
        self, AssertSqlSafe, Connection as _, PgConnection, Row as _, raw_sql,
    };
    use hookproof_inbox_sqlx::{PostgresInbox, PostgresStore};
    use libtest_mimic::{Arguments, Trial};
    use tokio::time::timeout;

    use crate::support::postgres::{Fresh, server, url};
    use crate::support::{
        self, Fresh as _, NOW, arrived, batch, block_on, events, is_stored, record,
    };

    const MILLI: Duration = Duration::from_millis(1);
    const DAY: u64 = 86_400;

    macro_rules! trials {
        ($($name:ident),+ $(,)?) => {
            vec![$(trial(stringify!($name), |fresh| block_on($name(fresh)))),+]
        };
    }

    fn trial(name: &str, run: fn(&Fresh)) -> Trial {
        let missing = url().is_none();
        let group = if missing { support::IGNORED } else { "postgres" };
        let trial = Trial::test(format!("{group}/{name}"), move || {
            let fresh = block_on(Fresh::new(false));
            run(&fresh);
            block_on(fresh.end());
            Ok(())
        });
        trial.with_ignored_flag(missing)
    }

    pub(crate) fn main() -> ExitCode {
        let mut trials = trials![
            a_copy_in_another_transaction_is_busy,
            a_copy_that_was_waited_for_is_a_duplicate,
            a_statement_that_takes_too_long_is_unavailable,
            a_deadlock_is_busy,
            another_isolation_is_busy,
            a_connection_that_broke_leaves_nothing,
            a_transaction_that_failed_is_not_said_to_be_committed,
            idle_connections_that_broke_are_replaced,
            a_server_that_is_not_there_is_unavailable,
            a_full_disk_leaves_nothing,
            what_is_no_inbox_is_told_apart,
            migrations_run_once_whoever_runs_them,
            partitions_are_made_and_dropped,
            partitions_are_kept_by_several_at_once,
            a_table_in_use_is_left_alone,
            purges_go_in_steps,
            what_commits_late_is_sealed,
            batches_of_any_size,
            dropped_transactions_are_gone_before_the_next,
        ];
        #[cfg(feature = "worker")]
        trials.extend(trials![a_commit_wakes, a_listener_that_is_cut_off_is_mended]);
        libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
    }

    fn open(options: PgConnectOptions) -> PostgresInbox {
        PostgresInbox::new(pool_options().connect_lazy_with(options), Prefix::new("kit").unwrap())
    }

    async fn run(inbox: &PostgresInbox, sql: &str) {
        let sql = AssertSqlSafe(sql.to_owned());
        raw_sql(sql).execute(inbox.pool()).await.unwrap();
    }

    async fn count(inbox: &PostgresInbox, sql: &'static str) -> i64 {
        sqlx::query(sql).fetch_one(inbox.pool()).await.unwrap().get(0)
    }

    /// The process of the server that serves this connection.
    async fn process(connection: &mut PgConnection) -> i32 {
        let row = sqlx::query("SELECT pg_backend_pid()").fetch_one(connection).await;
        row.unwrap().get(0)
    }

    async fn terminate(process: i32) {
        support::postgres::run(format!("SELECT pg_terminate_backend({process})")).await;
    }

    async fn a_copy_in_another_transaction_is_busy(fresh: &Fresh) {
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
    async fn a_copy_that_was_waited_for_is_a_duplicate(fresh: &Fresh) {
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

    async fn a_statement_that_takes_too_long_is_unavailable(fresh: &Fresh) {
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

    async fn a_deadlock_is_busy(fresh: &Fresh) {
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

    async fn another_isolation_is_busy(fresh: &Fresh) {
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

    async fn a_connection_that_broke_leaves_nothing(fresh: &Fresh) {
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
    async fn a_transaction_that_failed_is_not_said_to_be_committed(fresh: &Fresh) {
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

    async fn idle_connections_that_broke_are_replaced(fresh: &Fresh) {
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

    async fn a_server_that_is_not_there_is_unavailable(fresh: &Fresh) {
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
    async fn a_full_disk_leaves_nothing(fresh: &Fresh) {
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

    async fn what_is_no_inbox_is_told_apart(fresh: &Fresh) {
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

    async fn migrations_run_once_whoever_runs_them(fresh: &Fresh) {
        let inboxes: Vec<_> = (0..8)
            .map(|_| {
                let pool = pool_options().connect_lazy_with(fresh.options());
                PostgresInbox::new(pool, Prefix::DEFAULT)
            })
            .collect();
        let runs = inboxes.iter().map(async |inbox| inbox.migrate_log("orders").await);
        for done in join_all(runs).await {
            done.unwrap();
        }
        inboxes[0].migrate().await.unwrap();
        let refused = inboxes[0].migrate_log("others").await.unwrap_err();
        assert!(refused.to_string().contains("keeps the log orders, not others"), "{refused}");
        let mut tx = inboxes[0].transaction().await.unwrap();
        let head = inboxes[0].store().head(&mut tx).await.unwrap();
        assert_eq!((head.log(), head.seq()), ("orders", 0));
        let rows = count(&inboxes[0], "SELECT count(*) FROM hookproof_migrations").await;
        assert_eq!(rows, 2);
    }

    fn at(day: u64, hour: u64) -> UnixTime {
        UnixTime::from_secs(day * DAY + hour * 3600)
    }

    async fn partitions_are_made_and_dropped(fresh: &Fresh) {
        let inbox = &fresh.inbox;
        let two_days = Partitioning::new(Duration::from_secs(2 * DAY)).ahead(2);
        let made = inbox.maintain(two_days.ahead(3), at(100, 5)).await.unwrap();
        assert_eq!(made.created, [100, 101, 102, 103]);
        let again = inbox.maintain(two_days, at(100, 6)).await.unwrap();
        assert_eq!(again, Default::default());
        for (key, day) in [("a", 100), ("b", 101), ("c", 102), ("d", 105)] {
            record(inbox, &arrived(&[key], key, at(day, 1)), Work::Later).await.unwrap();
        }
        let in_day = count(inbox, "SELECT count(*) FROM kit_deliveries_d101").await;
        let in_rest = count(inbox, "SELECT count(*) FROM kit_deliveries_rest").await;
        assert_eq!((in_day, in_rest), (1, 1));
        // Everything but the second event is done.
        let request = ClaimRequest::new(Duration::from_secs(60), Stale::Park, 3).limit(10);
        let mut tx = inbox.transaction().await.unwrap();
        let claimed = inbox.store().claim(&mut tx, &request, at(106, 0)).await.unwrap();
        for claim in &claimed.claims {
            if claim.event().key.as_ref().unwrap().as_str() != "b" {
                inbox.store().complete(&mut tx, claim, at(106, 0)).await.unwrap();
            }
        }
        tx.commit().await.unwrap();
        // Day 103 is the first of which anything may be kept.
        let done = inbox.maintain(two_days, at(105, 12)).await.unwrap();
        assert_eq!((done.created.as_slice(), done.late.as_slice()), (&[106, 107][..], &[105][..]));
        assert_eq!(
            (done.dropped.as_slice(), done.unfinished.as_slice()),
            (&[100, 102][..], &[101][..])
        );
        let left = count(inbox, "SELECT count(*) FROM kit_deliveries").await;
        assert_eq!(left, 2);
        let claim =
            claimed.claims.iter().find(|claim| claim.event().key.as_ref().unwrap().as_str() == "b");
        let mut tx = inbox.transaction().await.unwrap();
        inbox.store().complete(&mut tx, claim.unwrap(), at(106, 0)).await.unwrap();
        tx.commit().await.unwrap();
        let bounded = inbox.maintain(two_days.drops(0), at(105, 0)).await.unwrap();
        assert_eq!(bounded.dropped, Vec::<u32>::new());
        let done = inbox.maintain(two_days, at(105, 0)).await.unwrap();
        assert_eq!((done.dropped, done.unfinished), (vec![101], vec![]));
        // The keys are still there.
        assert!(is_stored(inbox, "a").await);
    }

    async fn partitions_are_kept_by_several_at_once(fresh: &Fresh) {
        let plan = Partitioning::new(Duration::from_secs(DAY)).ahead(5);
        let runs = (0..6).map(async |_| fresh.inbox.maintain(plan, at(200, 0)).await);
        let mut created = Vec::new();
        for done in join_all(runs).await {
            created.extend(done.unwrap().created);
        }
        created.sort_unstable();
        created.dedup();
        assert_eq!(created, [200, 201, 202, 203, 204, 205]);
    }

    async fn a_table_in_use_is_left_alone(fresh: &Fresh) {
        let mut reader = fresh.inbox.transaction().await.unwrap();
        sqlx::query("SELECT 1 FROM kit_deliveries").fetch_optional(&mut *reader).await.unwrap();
        let plan = Partitioning::new(Duration::from_secs(DAY)).ahead(0);
        let refused = timeout(20 * 1000 * MILLI, fresh.inbox.maintain(plan, at(300, 0))).await;
        let refused = refused.expect("it does not wait for long").unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Busy);
        reader.commit().await.unwrap();
        let done = fresh.inbox.maintain(plan, at(300, 0)).await.unwrap();
        assert_eq!(done.created, [300]);
    }

    async fn purges_go_in_steps(fresh: &Fresh) {
        for key in ["a", "b", "c", "d", "e"] {
            record(&fresh.inbox, &batch(&[key], key), Work::Later).await.unwrap();
        }
        run(&fresh.inbox, "UPDATE kit_events SET state = 2").await;
        let later = UnixTime::from_secs(NOW.as_secs() + 1);
        let purged = purge::payloads(&fresh.inbox, later, Steps::new(2, 2)).await.unwrap();
        assert_eq!((purged.rows, purged.more), (4, true));
        let purged = purge::payloads(&fresh.inbox, later, Steps::new(2, 2)).await.unwrap();
        assert_eq!((purged.rows, purged.more), (1, false));
        let info = hookproof::Provider::info(&hookproof::providers::STRIPE);
        let horizon =
            hookproof_inbox::KeyHorizon::new(info, Duration::from_secs(10 * DAY)).unwrap();
        let now = UnixTime::from_secs(NOW.as_secs() + 11 * DAY);
        let endpoint = support::endpoint();
        let purged = purge::keys(&fresh.inbox, &endpoint, &horizon, now, Steps::default()).await;
        assert_eq!(purged.unwrap().rows, 5);
        assert!(!is_stored(&fresh.inbox, "a").await);
        let refused = purge::links(&fresh.inbox, Steps::default()).await.unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Invalid);
    }

    async fn batches_of_any_size(fresh: &Fresh) {
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

    /// Numbers are given in another order than transactions commit.
    async fn what_commits_late_is_sealed(fresh: &Fresh) {
        fresh.inbox.migrate_log("l").await.unwrap();
        let store = fresh.inbox.store();
        let seal = async || {
            let mut tx = fresh.inbox.transaction().await.unwrap();
            let (sealed, head) = store.seal(&mut tx, 10, NOW).await.unwrap();
            tx.commit().await.unwrap();
            (sealed, head)
        };
        assert_eq!(
            seal().await.0,
            0,
            "the first seal of a process looks at all rows, later ones do not"
        );
        let mut late = fresh.inbox.transaction().await.unwrap();
        let _ = store.record(&mut late, &batch(&["late"], "1"), Work::Here).await.unwrap();
        record(&fresh.inbox, &batch(&["early"], "1"), Work::Here).await.unwrap();
        assert_eq!(seal().await.0, 1);
        late.commit().await.unwrap();
        let (sealed, head) = seal().await;
        assert_eq!(sealed, 1);
        let mut tx = fresh.inbox.snapshot().await.unwrap();
        let report = verify_log(store, &mut tx, vec![head]).await.unwrap();
        assert_eq!((report.status(), report.rows, report.unsealed), (Status::Proven, 2, 0));
        let refused = store.record(&mut tx, &batch(&["x"], "1"), Work::Here).await.unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Unavailable, "it only reads");
    }

    /// What a dropped transaction had locked is not passed over by the next one of the same session.
    async fn dropped_transactions_are_gone_before_the_next(fresh: &Fresh) {
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

    #[cfg(feature = "worker")]
    async fn is_silent(
        wake: &hookproof_inbox_sqlx::postgres::PostgresWake,
        listener: &mut hookproof_inbox_sqlx::postgres::Listener,
    ) -> bool {
        use hookproof_inbox::Wake as _;
        timeout(100 * MILLI, wake.woken(listener)).await.is_err()
    }

    #[cfg(feature = "worker")]
    async fn a_commit_wakes(fresh: &Fresh) {
        use hookproof_inbox::Wake as _;

        // Channels are the database's, whatever the schema: this one is heard by no other test.
        let wakes = Prefix::new("wakes").unwrap();
        let wake = PostgresInbox::new(fresh.inbox.pool().clone(), wakes).wake();
        let mut listener = wake.listen().await.unwrap();
        assert!(is_silent(&wake, &mut listener).await);
        let mut tx = fresh.inbox.transaction().await.unwrap();
        wake.announce(&mut tx).await.unwrap();
        assert!(is_silent(&wake, &mut listener).await, "not before the commit");
        tx.commit().await.unwrap();
        wake.woken(&mut listener).await.unwrap();
        assert!(is_silent(&wake, &mut listener).await, "heard once");
        let mut tx = fresh.inbox.transaction().await.unwrap();
        wake.announce(&mut tx).await.unwrap();
        tx.rollback().await.unwrap();
        assert!(is_silent(&wake, &mut listener).await, "rolled back");
        // Announced while nobody waits.
        for _ in 0..3 {
            let mut tx = fresh.inbox.transaction().await.unwrap();
            wake.announce(&mut tx).await.unwrap();
            tx.commit().await.unwrap();
        }
        wake.woken(&mut listener).await.unwrap();
        let other = PostgresInbox::new(fresh.inbox.pool().clone(), Prefix::new("other").unwrap());
        while !is_silent(&wake, &mut listener).await {}
        let mut tx = fresh.inbox.transaction().await.unwrap();
        other.wake().announce(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
        assert!(is_silent(&wake, &mut listener).await, "of other tables");
    }

    #[cfg(feature = "worker")]
    async fn a_listener_that_is_cut_off_is_mended(fresh: &Fresh) {
        use hookproof_inbox::Wake as _;

        let wake = fresh.inbox.wake();
        let mut listener = wake.listen().await.unwrap();
        let find = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN \"kit_work\"%' \
                    AND application_name = current_setting('application_name')";
        let rows = sqlx::query(find).fetch_all(fresh.inbox.pool()).await.unwrap();
        for row in rows {
            terminate(row.get(0)).await;
        }
        // Either it mends itself and returns once, or it says that it is deaf.
        if wake.woken(&mut listener).await.is_err() {
            listener = wake.listen().await.unwrap();
        }
        assert!(is_silent(&wake, &mut listener).await);
        let mut tx = fresh.inbox.transaction().await.unwrap();
        wake.announce(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
        wake.woken(&mut listener).await.unwrap();
    }
}
