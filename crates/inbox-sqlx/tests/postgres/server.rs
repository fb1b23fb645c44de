//! What the tests of a PostgreSQL server share, and the list of them.

mod faults;
mod upkeep;
#[cfg(feature = "worker")]
mod waking;

use std::process::ExitCode;
use std::time::Duration;

use hookproof_inbox::sql::Prefix;
use hookproof_inbox_sqlx::PostgresInbox;
use hookproof_inbox_sqlx::postgres::pool_options;
use hookproof_inbox_sqlx::sqlx::postgres::PgConnectOptions;
use hookproof_inbox_sqlx::sqlx::{self, AssertSqlSafe, PgConnection, Row as _, raw_sql};
use libtest_mimic::{Arguments, Trial};

use crate::support::postgres::{Fresh, url};
use crate::support::{self, Fresh as _, block_on};

pub(super) const MILLI: Duration = Duration::from_millis(1);
macro_rules! trials {
    ($($group:ident::$name:ident),+ $(,)?) => {
        vec![$(trial(stringify!($name), |fresh| block_on($group::$name(fresh)))),+]
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
    #[cfg_attr(not(feature = "worker"), allow(unused_mut, reason = "without the module `waking`"))]
    let mut trials = trials![
        faults::a_copy_in_another_transaction_is_busy,
        faults::a_copy_that_was_waited_for_is_a_duplicate,
        faults::a_statement_that_takes_too_long_is_unavailable,
        faults::a_deadlock_is_busy,
        faults::another_isolation_is_busy,
        faults::a_connection_that_broke_leaves_nothing,
        faults::a_transaction_that_failed_is_not_said_to_be_committed,
        faults::idle_connections_that_broke_are_replaced,
        faults::a_server_that_is_not_there_is_unavailable,
        faults::a_full_disk_leaves_nothing,
        faults::what_is_no_inbox_is_told_apart,
        faults::batches_of_any_size,
        faults::dropped_transactions_are_gone_before_the_next,
        upkeep::migrations_run_once_whoever_runs_them,
        upkeep::partitions_are_made_and_dropped,
        upkeep::partitions_are_kept_by_several_at_once,
        upkeep::a_table_in_use_is_left_alone,
        upkeep::purges_go_in_steps,
        upkeep::what_commits_late_is_sealed,
    ];
    #[cfg(feature = "worker")]
    trials.extend(trials![waking::a_commit_wakes, waking::a_listener_that_is_cut_off_is_mended]);
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

pub(super) fn open(options: PgConnectOptions) -> PostgresInbox {
    PostgresInbox::new(pool_options().connect_lazy_with(options), Prefix::new("kit").unwrap())
}

pub(super) async fn run(inbox: &PostgresInbox, sql: &str) {
    let sql = AssertSqlSafe(sql.to_owned());
    raw_sql(sql).execute(inbox.pool()).await.unwrap();
}

pub(super) async fn count(inbox: &PostgresInbox, sql: &'static str) -> i64 {
    sqlx::query(sql).fetch_one(inbox.pool()).await.unwrap().get(0)
}

/// The process of the server that serves this connection.
pub(super) async fn process(connection: &mut PgConnection) -> i32 {
    let row = sqlx::query("SELECT pg_backend_pid()").fetch_one(connection).await;
    row.unwrap().get(0)
}

pub(super) async fn terminate(process: i32) {
    support::postgres::run(format!("SELECT pg_terminate_backend({process})")).await;
}
