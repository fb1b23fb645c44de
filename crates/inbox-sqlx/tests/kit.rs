//! The store test kit on both databases: each check on a database of its own, and all on one.
//!
//! SQLite needs nothing. PostgreSQL needs the feature `postgres` and a URL in `HOOKPROOF_TEST_POSTGRES`, which
//! `tests/postgres/run` provides; without one its checks are ignored, and said to be.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::process::ExitCode;

use hookproof_inbox::kit::{self, Check};
use hookproof_inbox::{Database, Log};
use libtest_mimic::{Arguments, Trial};

use support::{Fresh, block_on};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    #[cfg(feature = "sqlite")]
    trials.extend(checks::<support::sqlite::Fresh>("sqlite", false));
    #[cfg(feature = "postgres")]
    trials
        .extend(checks::<support::postgres::Fresh>("postgres", support::postgres::url().is_none()));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn checks<F: Fresh>(database: &'static str, missing: bool) -> Vec<Trial>
where
    <F::Inbox as Database>::Store: Log,
{
    let name = if missing { support::IGNORED } else { database };
    let one = |check: Check<F::Inbox>, log| {
        Trial::test(format!("{name}/{}", check.name()), move || {
            block_on(async {
                let fresh = F::new(log).await;
                let done = check.run(fresh.inbox()).await;
                fresh.end().await;
                done.map_err(|failure| failure.to_string().into())
            })
        })
    };
    let all = Trial::test(format!("{name}/all on one"), || {
        block_on(async {
            let fresh = F::new(false).await;
            let mut failures = Vec::new();
            for check in kit::checks() {
                if let Err(failure) = check.run(fresh.inbox()).await {
                    failures.push(format!("{}: {failure}", check.name()));
                }
            }
            fresh.end().await;
            if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
        })
    });
    let plain = kit::checks().into_iter().map(|check| one(check, false));
    let logged = kit::log_checks().into_iter().map(|check| one(check, true));
    plain.chain(logged).chain([all]).map(|trial| trial.with_ignored_flag(missing)).collect()
}
