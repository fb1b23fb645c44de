//! The scenarios of the test kit on both databases, from the signed request to the effect: all on one, each by itself.
//!
//! PostgreSQL needs a URL in `HOOKPROOF_TEST_POSTGRES`; without one its scenarios are ignored, and said to be.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::process::ExitCode;
use std::sync::Arc;

use hookproof_inbox::kit::scenarios::{self, Effects};
use hookproof_inbox::{Database, StoreError, StoreErrorKind, Tx};
use hookproof_inbox_sqlx::sqlx::{self, Row as _};
use libtest_mimic::{Arguments, Trial};

use support::{Fresh, block_on};

fn main() -> ExitCode {
    let mut trials = Vec::new();
    #[cfg(feature = "sqlite")]
    trials.extend(play::<support::sqlite::Fresh>("sqlite", false));
    #[cfg(feature = "postgres")]
    trials.extend(play::<support::postgres::Fresh>("postgres", support::postgres::url().is_none()));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn play<F: Fresh>(database: &'static str, missing: bool) -> Vec<Trial>
where
    F::Inbox: Clone,
    Table: Effects<<F::Inbox as Database>::Store> + Make<F::Inbox>,
{
    let name = if missing { support::IGNORED } else { database };
    let scenarios = scenarios::all::<F::Inbox, Table>().into_iter();
    let trials = scenarios.map(|scenario| {
        Trial::test(format!("{name}/{}", scenario.name()), move || {
            block_on(async {
                let fresh = F::new(false).await;
                Table::make(fresh.inbox()).await;
                let inbox = Arc::new(fresh.inbox().clone());
                let played = scenario.play(inbox, Arc::new(Table)).await;
                fresh.end().await;
                played.map_err(|failure| failure.to_string().into())
            })
        })
    });
    trials.map(|trial| trial.with_ignored_flag(missing)).collect()
}

/// A table for the effects beside those of the inbox.
struct Table;

trait Make<I> {
    async fn make(inbox: &I);
}

fn fault(error: sqlx::Error) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, "the effects").with_source(error)
}

macro_rules! effects {
    ($inbox:ty, $store:ty, $table:literal, $write:literal, $read:literal) => {
        impl Make<$inbox> for Table {
            async fn make(inbox: &$inbox) {
                sqlx::query($table).execute(inbox.pool()).await.unwrap();
            }
        }

        impl Effects<$store> for Table {
            async fn write(
                &self,
                tx: &mut Tx<'_, $store>,
                scenario: &str,
                effect: &str,
            ) -> Result<(), StoreError> {
                let query = sqlx::query($write).bind(scenario).bind(effect);
                query.execute(tx).await.map_err(fault).map(drop)
            }

            async fn read(
                &self,
                tx: &mut Tx<'_, $store>,
                scenario: &str,
            ) -> Result<Vec<String>, StoreError> {
                let rows = sqlx::query($read).bind(scenario).fetch_all(tx).await.map_err(fault)?;
                Ok(rows.iter().map(|row| row.get(0)).collect())
            }
        }
    };
}

#[cfg(feature = "sqlite")]
effects!(
    hookproof_inbox_sqlx::SqliteInbox,
    hookproof_inbox_sqlx::SqliteStore,
    "CREATE TABLE effects (id INTEGER PRIMARY KEY, scenario TEXT, effect TEXT)",
    "INSERT INTO effects (scenario, effect) VALUES (?1, ?2)",
    "SELECT effect FROM effects WHERE scenario = ?1 ORDER BY id"
);

#[cfg(feature = "postgres")]
effects!(
    hookproof_inbox_sqlx::PostgresInbox,
    hookproof_inbox_sqlx::PostgresStore,
    "CREATE TABLE effects (id SERIAL PRIMARY KEY, scenario TEXT, effect TEXT)",
    "INSERT INTO effects (scenario, effect) VALUES ($1, $2)",
    "SELECT effect FROM effects WHERE scenario = $1 ORDER BY id"
);
