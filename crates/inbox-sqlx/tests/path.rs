//! The whole path of a request on both databases: really signed deliveries through the receiver and the worker, many at
//! once, huge, hostile, and while the database is not what it should be.
//!
//! PostgreSQL needs the feature `postgres` and a URL in `HOOKPROOF_TEST_POSTGRES`, which `tests/postgres/run` provides;
//! without one its checks are ignored, and said to be.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

#[path = "path/bodies.rs"]
mod bodies;
#[path = "path/copies.rs"]
mod copies;
#[path = "path/databases.rs"]
mod databases;
#[path = "path/unavailable.rs"]
mod unavailable;

use core::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;

use hookproof::testing::{SECRET, Sender, Sent};
use hookproof::{Provider, Verifier};
use hookproof_inbox::{Database, LocalWake, Receiver};
use libtest_mimic::{Arguments, Trial};

use databases::Path;
use support::{NOW, block_on, endpoint};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    #[cfg(feature = "sqlite")]
    trials.extend(of::<support::sqlite::Fresh>("sqlite", false));
    #[cfg(feature = "postgres")]
    {
        let missing = support::postgres::url().is_none();
        let group = if missing { support::IGNORED } else { "postgres" };
        trials.extend(of::<support::postgres::Fresh>(group, missing));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn of<P: Path>(group: &str, missing: bool) -> Vec<Trial> {
    macro_rules! trials {
        ($($module:ident::$name:ident),+ $(,)?) => {
            vec![$(trial::<P>(group, stringify!($name), |path| Box::pin($module::$name(path)))),+]
        };
    }
    let trials = trials![
        bodies::a_body_of_25_mb,
        bodies::keys_of_a_kibibyte,
        bodies::hostile_json,
        copies::copies_at_once_with_the_effect_in_the_transaction,
        copies::copies_at_once_with_workers,
        copies::a_copy_while_the_work_takes_longer_than_the_sender_waits,
        copies::a_clock_that_steps_while_work_is_done,
        unavailable::what_cannot_be_stored_is_answered_with_503,
    ];
    trials.into_iter().map(|trial| trial.with_ignored_flag(missing)).collect()
}

type Running<'p> = Pin<Box<dyn Future<Output = ()> + 'p>>;

fn trial<P: Path>(group: &str, name: &str, run: fn(&P) -> Running<'_>) -> Trial {
    Trial::test(format!("{group}/{name}"), move || {
        block_on(async {
            let path = P::new(false).await;
            path.make_notes().await;
            run(&path).await;
            path.end().await;
        });
        Ok(())
    })
}

/// A delivery of this sender, signed.
fn sent(provider: &'static dyn Provider, id: &str, body: &[u8]) -> Sent {
    Sender::new(provider).id(id).at(NOW).send(body).unwrap()
}

fn receiver<D: Database + 'static>(database: D, provider: &'static dyn Provider) -> Receiver<D> {
    let verifier = Verifier::builder(provider).secret(SECRET).build().unwrap();
    Receiver::new(Arc::new(database), verifier, endpoint(), LocalWake::new())
}
