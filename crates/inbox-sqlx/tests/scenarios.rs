//! The scenarios of the test kit on both databases, from the signed request to the effect: all on one, each by itself.
//!
//! PostgreSQL needs a URL in `HOOKPROOF_TEST_POSTGRES`; without one its scenarios are ignored, and said to be.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::process::ExitCode;
use std::sync::Arc;

use hookproof_inbox::kit::scenarios::{self, Effects};
use hookproof_inbox::{Database, Store, StoreError, StoreErrorKind, Tx};
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
    Shop<F::Inbox>: Effects,
    F::Inbox: Clone + Orders,
{
    let name = if missing { support::IGNORED } else { database };
    let scenarios = scenarios::all::<Shop<F::Inbox>>().into_iter();
    let trials = scenarios.map(|scenario| {
        Trial::test(format!("{name}/{}", scenario.name()), move || {
            block_on(async {
                let fresh = F::new(false).await;
                let shop = Shop(fresh.inbox().clone());
                shop.0.open().await;
                let played = scenario.play(Arc::new(shop)).await;
                fresh.end().await;
                played.map_err(|failure| failure.to_string().into())
            })
        })
    });
    trials.map(|trial| trial.with_ignored_flag(missing)).collect()
}

/// An inbox, and a table for the effects beside its own.
struct Shop<I>(I);

/// A database that can make the table.
trait Orders {
    async fn open(&self);
}

impl<I: Database> Database for Shop<I> {
    type Store = I::Store;
    type Connection = I::Connection;
    type Open<'c> = I::Open<'c>;

    fn store(&self) -> &I::Store {
        self.0.store()
    }

    fn connect(&self) -> impl Future<Output = Result<I::Connection, StoreError>> + Send {
        self.0.connect()
    }

    fn begin<'c>(
        &self,
        connection: &'c mut I::Connection,
    ) -> impl Future<Output = Result<I::Open<'c>, StoreError>> + Send {
        self.0.begin(connection)
    }

    fn tx<'o, 'c>(open: &'o mut Self::Open<'c>) -> &'o mut <I::Store as Store>::Tx<'c> {
        I::tx(open)
    }

    fn commit(open: Self::Open<'_>) -> impl Future<Output = Result<(), StoreError>> + Send {
        I::commit(open)
    }
}

fn fault(error: sqlx::Error) -> StoreError {
    StoreError::new(StoreErrorKind::Unavailable, "the effects").with_source(error)
}

macro_rules! effects {
    ($inbox:ty, $table:literal, $write:literal, $read:literal) => {
        impl Orders for $inbox {
            async fn open(&self) {
                sqlx::query($table).execute(self.pool()).await.unwrap();
            }
        }

        impl Effects for Shop<$inbox> {
            async fn write(
                &self,
                tx: &mut Tx<'_, Self::Store>,
                scenario: &str,
                effect: &str,
            ) -> Result<(), StoreError> {
                let query = sqlx::query($write).bind(scenario).bind(effect);
                query.execute(tx).await.map_err(fault).map(drop)
            }

            async fn read(
                &self,
                tx: &mut Tx<'_, Self::Store>,
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
    "CREATE TABLE effects (id INTEGER PRIMARY KEY, scenario TEXT, effect TEXT)",
    "INSERT INTO effects (scenario, effect) VALUES (?1, ?2)",
    "SELECT effect FROM effects WHERE scenario = ?1 ORDER BY id"
);

#[cfg(feature = "postgres")]
effects!(
    hookproof_inbox_sqlx::PostgresInbox,
    "CREATE TABLE effects (id SERIAL PRIMARY KEY, scenario TEXT, effect TEXT)",
    "INSERT INTO effects (scenario, effect) VALUES ($1, $2)",
    "SELECT effect FROM effects WHERE scenario = $1 ORDER BY id"
);
