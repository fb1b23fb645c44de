//! The tables: which migrations have run, and which are left.

use hookproof_inbox::sql::{Migration, Prefix};
use hookproof_inbox::{StoreError, chain::Head};
use sqlx::SqlStr;

use crate::error::invalid;
use crate::link::{Columns as _, Link};
use crate::log;
use crate::texts::{Verbs, text, trusted};

/// The migration that only those need who keep a log.
const LOG: &str = "0002_log";

/// Runs statements without parameters, several in one text.
pub(crate) trait Script: Link {
    fn script(&mut self, sql: SqlStr) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// Runs the migrations that have not run, inside a transaction that no other migration is in.
pub(crate) async fn run<L: Script>(
    link: &mut L,
    prefix: &Prefix,
    verbs: &Verbs,
    migrations: &[Migration],
    log: Option<&Head>,
) -> Result<(), StoreError> {
    const TABLE: &str =
        "CREATE TABLE IF NOT EXISTS hookproof_migrations (name TEXT NOT NULL PRIMARY KEY)";
    const DONE: &str = "SELECT name FROM hookproof_migrations";
    link.script(text(prefix, TABLE)).await?;
    let rows = link.rows(&text(prefix, DONE), &[]).await?;
    let done: Vec<Box<str>> =
        rows.iter().map(|row| row.text(0).map(Into::into)).collect::<Result<_, _>>()?;
    for migration in migrations {
        let wanted = migration.name != LOG || log.is_some();
        if !wanted || done.iter().any(|name| **name == *migration.name) {
            continue;
        }
        link.script(text(prefix, migration.sql)).await?;
        let name = migration.name;
        // A name of a constant, without quotes.
        let sql = format!("INSERT INTO {prefix}_migrations (name) VALUES ('{name}')");
        link.script(trusted(sql)).await?;
    }
    match log {
        Some(start) => log::begin(link, verbs, start).await,
        None => Ok(()),
    }
}

/// The head of a new log of this name.
pub(crate) fn start(name: &str) -> Result<Head, StoreError> {
    Head::start(name).map_err(|error| invalid(error.to_string()))
}
